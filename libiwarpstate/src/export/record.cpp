// The names of record kinds, and the records that are not made of events.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/record.hpp>

#include <iterator>

namespace iwarp {

namespace {

constexpr const char* type_names[] = {"stream", "fpdu",  "message", "operation", "delivery",
                                      "stag",   "stall", "finding", "state",     "summary"};
constexpr const char* kind_names[] = {"streams", "fpdus",  "messages", "operations", "deliveries",
                                      "stags",   "stalls", "findings", "states",     "summary"};
static_assert(std::size(type_names) == record_kind_count && std::size(kind_names) == record_kind_count);

}  // namespace

const char* record_type_name(RecordKind kind) noexcept {
  return type_names[static_cast<unsigned>(kind)];
}

const char* record_kind_name(RecordKind kind) noexcept {
  return kind_names[static_cast<unsigned>(kind)];
}

std::optional<RecordKind> find_record_kind(std::string_view name) noexcept {
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    if (name == kind_names[kind]) return static_cast<RecordKind>(kind);
  }
  return std::nullopt;
}

Record state_record(const ConnectionState& connection, FrameNumber frame) noexcept {
  Record record;
  record.kind = RecordKind::state;
  record.stream = connection.id;
  record.connection = &connection;
  record.frame = frame;
  return record;
}

Record delivery_record(const Delivery& delivery) noexcept {
  Record record;
  record.kind = RecordKind::delivery;
  record.stream = delivery.stream;
  record.delivery = &delivery;
  return record;
}

Record stag_record(const StagRecord& stag) noexcept {
  Record record;
  record.kind = RecordKind::stag;
  record.stag = &stag;
  return record;
}

Record stall_record(const Stall& stall) noexcept {
  Record record;
  record.kind = RecordKind::stall;
  record.stream = stall.stream;
  record.stall = &stall;
  return record;
}

Record summary_record(const Summary& summary) noexcept {
  Record record;
  record.kind = RecordKind::summary;
  record.summary = &summary;
  return record;
}

}  // namespace iwarp
