// Record: one line of output, as a view of what the analysis holds. docs/schema describes every field.
//
// The writers (json.hpp, csv.hpp, lines.hpp) and filters (filter.hpp) read the same description of a
// record's fields, so the formats cannot disagree. Nothing is copied: a Record lives as long as the events,
// the connection and the octets that it points to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/deliveries.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/latency_parts.hpp>
#include <iwarp/stags.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class RecordKind : std::uint8_t {
  stream,
  fpdu,
  message,
  operation,
  delivery,
  stag,
  stall,
  finding,
  state,
  summary
};
inline constexpr unsigned record_kind_count = 10;

// The value of a record's key `type`: "stream", "fpdu" …
[[nodiscard]] const char* record_type_name(RecordKind kind) noexcept;
// The plural by which users ask for them: "streams", "fpdus" … "summary".
[[nodiscard]] const char* record_kind_name(RecordKind kind) noexcept;
[[nodiscard]] std::optional<RecordKind> find_record_kind(std::string_view name) noexcept;

// The names of all fields of a kind that can be named in a filter, in the order of the record: keys of nested
// objects behind their object's ("mpa.rev"). They live for ever.
[[nodiscard]] std::vector<std::string_view> field_names(RecordKind kind);

struct Record {
  RecordKind kind = RecordKind::summary;
  std::string_view capture;                     // empty: the key `capture` is left out
  ConnectionId stream = 0;                      // of all but stag and summary
  const Event* event = nullptr;                 // of fpdu, message, operation, finding
  const ConnectionState* connection = nullptr;  // of stream, fpdu, state
  Role from = Role::initiator;                  // of message, operation, finding: that of the event's side
  FrameNumber refers_to = 0;                    // of a Terminate's message: ConnectionState::referred_frame
  std::span<const Slice> slices;                // of fpdu
  std::array<ByteView, 2> private_data;         // of stream, by wire::StartupKind, IRD/ORD word included
  bool with_payload_hash = false;               // of message: the key `payload_sha256` is there …
  std::string_view payload_sha256;              // … with these hex digits; empty: null
  bool with_parts = false;                      // of operation: the keys `parts` and `why` are there …
  const LatencyParts* parts = nullptr;          // … with these; nullptr: null
  const Delivery* delivery = nullptr;           // of delivery
  const StagRecord* stag = nullptr;             // of stag
  const Stall* stall = nullptr;                 // of stall
  FrameNumber frame = 0;                        // of state: the frame it is the state after
  const Summary* summary = nullptr;             // of summary
};

// The record that an event brings: fpdu, message, operation and finding events their own, a `closed` event
// the record of its stream when that is iWARP. Other events, and events of connections no longer followed,
// bring none.
[[nodiscard]] std::optional<Record> record_of(const Analysis& analysis, const Event& event) noexcept;
// Of a stream as it is by now.
[[nodiscard]] Record stream_record(const Analysis& analysis, const ConnectionState& connection) noexcept;
[[nodiscard]] Record state_record(const ConnectionState& connection, FrameNumber frame) noexcept;
[[nodiscard]] Record delivery_record(const Delivery& delivery) noexcept;
[[nodiscard]] Record stag_record(const StagRecord& stag) noexcept;
[[nodiscard]] Record stall_record(const Stall& stall) noexcept;
[[nodiscard]] Record summary_record(const Summary& summary) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
