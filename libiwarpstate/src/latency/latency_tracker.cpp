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
    case EventKind::closed:
      handshakes_.erase(event.connection);
      streams_.erase(event.connection);
      if (latest_ == event.connection) latest_stream_ = nullptr;
      return;
    case EventKind::placed:
    case EventKind::revoked:
    case EventKind::fpdu:
    case EventKind::message:
    case EventKind::operation:
    case EventKind::retransmitted:
    case EventKind::window:
      if (LatencyStream* const stream = stream_of(event)) has_parts_ = stream->add(event, parts_);
      return;
    default: return;
  }
}

void LatencyTracker::add_syn(const Event& event) {
  const auto [place, is_first] = handshakes_.try_emplace(event.connection);
  Handshake& handshake = place->second;
  if (is_first) {
    handshake = {event.side, event.time_ns, {}};
  } else if (event.side != handshake.opener && event.time_ns >= handshake.opened_ns) {
    handshake.round_trip = event.time_ns - handshake.opened_ns;
  }
}

// A connection has one from its first FPDU on.
LatencyStream* LatencyTracker::stream_of(const Event& event) {
  if (latest_ == event.connection && latest_stream_ != nullptr) return latest_stream_;
  const auto found = streams_.find(event.connection);
  LatencyStream* stream = found == streams_.end() ? nullptr : found->second.get();
  if (stream == nullptr) {
    if (event.kind != EventKind::fpdu && event.kind != EventKind::placed) return nullptr;
    const auto handshake = handshakes_.find(event.connection);
    auto made =
        std::make_unique<LatencyStream>(handshake == handshakes_.end() ? Handshake() : handshake->second);
    stream = made.get();
    streams_.emplace(event.connection, std::move(made));
    if (handshake != handshakes_.end()) handshakes_.erase(handshake);
  }
  latest_ = event.connection;
  latest_stream_ = stream;
  return stream;
}

}  // namespace iwarp
