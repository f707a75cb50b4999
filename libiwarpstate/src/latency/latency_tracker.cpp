// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/latency_parts.hpp>

#include "latency/latency_stream.hpp"

namespace iwarp {

LatencyTracker::LatencyTracker() = default;
LatencyTracker::~LatencyTracker() = default;
LatencyTracker::LatencyTracker(LatencyTracker&&) noexcept = default;
LatencyTracker& LatencyTracker::operator=(LatencyTracker&&) noexcept = default;

void LatencyTracker::add(const Event& event) {
  has_parts_ = false;
  switch (event.kind) {
    case EventKind::syn: return add_syn(event);
    case EventKind::acknowledged: return add_end_of_handshake(event);
    case EventKind::closed:
      handshakes_.drop(event.connection);
      streams_.drop(event.connection);
      return;
    case EventKind::placed:
    case EventKind::revoked:
    case EventKind::fpdu:
    case EventKind::message:
    case EventKind::operation:
    case EventKind::retransmitted:
    case EventKind::window:
    case EventKind::window_full:
      if (LatencyStream* const stream = stream_of(event)) has_parts_ = stream->add(event, parts_);
      return;
    default: return;
  }
}

std::optional<TimeNs> LatencyTracker::round_trip(ConnectionId connection, Side end) const noexcept {
  const LatencyStream* const stream = streams_.find(connection);
  return stream == nullptr ? std::nullopt : stream->round_trip(end);
}

void LatencyTracker::add_syn(const Event& event) {
  Handshake* const handshake = handshakes_.find(event.connection);
  if (handshake == nullptr) {
    handshakes_.add(event.connection) = {.opener = event.side, .opened_ns = event.time_ns};
  } else if (event.side != handshake->opener && event.time_ns >= handshake->opened_ns) {
    handshake->round_trips[index(event.side)] = event.time_ns - handshake->opened_ns;
    handshake->answered_ns = event.time_ns;
  }
}

void LatencyTracker::add_end_of_handshake(const Event& event) {
  Handshake* const handshake = handshakes_.find(event.connection);
  if (handshake == nullptr || event.side != handshake->opener) return;
  TimeNs& round_trip = handshake->round_trips[index(event.side)];
  const TimeNs answered = handshake->answered_ns;
  const TimeNs over = event.acknowledged.segment.time_ns;
  const bool first = answered != Handshake::unknown && round_trip == Handshake::unknown;
  if (first && over >= answered) round_trip = over - answered;
}

// A connection has one from its first FPDU on.
LatencyStream* LatencyTracker::stream_of(const Event& event) {
  if (LatencyStream* const stream = streams_.find(event.connection)) return stream;
  if (event.kind != EventKind::fpdu && event.kind != EventKind::placed) return nullptr;
  const Handshake* const handshake = handshakes_.find(event.connection);
  LatencyStream& stream = streams_.add(event.connection, handshake == nullptr ? Handshake() : *handshake);
  handshakes_.drop(event.connection);
  return &stream;
}

}  // namespace iwarp
