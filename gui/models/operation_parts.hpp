// OperationParts: one operation taken apart: its request, each segment of its response, what was missing or
// sent again meanwhile, its delivery; and its neighbours by latency.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <iwarp/deliveries.hpp>
#include <iwarp/latency_parts.hpp>

#include "models/fact_model.hpp"
#include "models/levels.hpp"
#include "models/log.hpp"

namespace iwarp::gui {

struct OperationPart {
  enum Kind : std::uint8_t {
    request,   // a segment of the request, or of the Send, Write or Immediate itself
    response,  // a segment of the response
    hole,      // octets of its connection that were never captured
    again,     // octets of its connection that were sent again
    delivery   // its last message stood in stream order
  };

  Kind kind = request;
  FrameNumber frame = 0;
  TimeNs time_ns = 0;         // its octets came
  TimeNs delivered_ns = 0;    // and stood in stream order; the same where that was at once
  FrameNumber delivered = 0;  // the frame at which they did
  std::uint64_t octets = 0;
};

struct OperationParts {
  // More segments than these are not taken apart one by one.
  static constexpr std::size_t most_parts = 1U << 16U;

  std::uint32_t row = 0;
  Event event;  // the conclusion
  ConnectionId stream = 0;
  Role from = Role::initiator;
  std::vector<OperationPart> parts;  // by time
  bool cut = false;                  // there were more than most_parts
  std::vector<Fact> stags;           // that it names, and who told of them
  std::optional<LatencyParts> time;  // where its latency went; nothing: it has none
  // Of a Send, Write or Immediate; nothing where octets of it were not captured, or where the next 65 536
  // frames of its connection tell nothing.
  std::optional<Delivery> delivery;
  std::optional<std::uint32_t> slower;  // row of the next slower operation of its kind that counts
  std::optional<std::uint32_t> faster;
  std::uint64_t rank = 0;   // so many of its kind are slower …
  std::uint64_t among = 0;  // … among so many that have a latency

  // From the first piece to the last; a microsecond at least, which a picture can have an axis for.
  [[nodiscard]] TimeSpan span() const;
  // A Read or atomic: others have no latency, since nothing on the wire answers them.
  [[nodiscard]] bool has_answer() const noexcept;
  // From its first segment until all of a Send, Write or Immediate stood in stream order; nothing: it did
  // not.
  [[nodiscard]] std::optional<TimeNs> arrival() const noexcept;
};

// In the log's thread; of a Read or atomic all events of its connection before it are read for `time`.
// `levels`: what counts. REQUIRES: row is below the table's size.
[[nodiscard]] OperationParts operation_parts(const Log& log, std::uint32_t row, const Levels& levels);

// What OperationPart::Kind is called in an operation of that kind: a Send is no request.
[[nodiscard]] QString part_name(OperationPart::Kind part, OperationKind operation);
// What took its time, the most first: "7.8 ms until lost or late octets of the response came (frames 14 to
// 30); …".
[[nodiscard]] QString time_spent(const OperationParts& parts);
// All of it in words: numbers first, then each part. `origin`: the capture's first frame.
[[nodiscard]] std::vector<Fact> operation_facts(const OperationParts& parts, TimeNs origin);

}  // namespace iwarp::gui
