// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/live_log.hpp"

namespace iwarp::replay {

LiveLog::LiveLog(CapturePoint* next, std::uint64_t kept_payload, TimeNs epoch, FrameNumber frames_before)
    : next_(next),
      epoch_(epoch),
      analyzer_({.keep_payload = kept_payload != 0 ? KeepPayload::all : KeepPayload::none}),
      builder_(kept_payload),
      frame_(frames_before) {}

TcpSegment segment_of(const Packet& packet, FrameNumber frame, TimeNs now) {
  TcpSegment segment;
  segment.frame = frame;
  segment.time_ns = now;
  segment.source = packet.source;
  segment.destination = packet.destination;
  segment.sequence = packet.sequence;
  segment.acknowledgement = packet.has(tcp::ack) ? packet.acknowledgement : 0;
  segment.window = packet.window;
  segment.flags = packet.flags;
  segment.mss = packet.max_segment;
  if (packet.window_shift) segment.window_scale = static_cast<std::int8_t>(*packet.window_shift);
  segment.checksum = packet.checksum_wrong ? ChecksumStatus::bad : ChecksumStatus::good;
  segment.payload = packet.payload;
  segment.wire_length = static_cast<std::uint32_t>(packet.payload.size());
  return segment;
}

void LiveLog::captured(const Packet& packet, TimeNs now) {
  if (sealed_) return;
  if (next_ != nullptr) next_->captured(packet, now);
  if (watches_actions_) actions_.note(packet);
  take(analyzer_.add(segment_of(packet, ++frame_, epoch_ + now)));
}

void LiveLog::take(Events events) {
  for (const Event& event : events) {
    if (watches_actions_) actions_.note(event, analyzer_.analysis().connection(event.connection));
    if (event.kind != EventKind::finding || event.finding.severity < Severity::warning) continue;
    found_.push_back(
        {check_info(event.finding.check).id, event.finding.severity, describe(event.finding), event.frame});
  }
  builder_.add(analyzer_.analysis(), events);
}

std::vector<StreamLog> LiveLog::finish() {
  sealed_ = true;
  take(analyzer_.finish());
  std::vector<StreamLog> logs = builder_.finish();
  // The run is over, not only its capture: what did not come is missing.
  for (StreamLog& log : logs) {
    log.left_open = false;
    log.begun -= epoch_;
    for (std::optional<Reason>& each : log.lacking) {
      if (each == Reason::capture_end) each.reset();
    }
  }
  return logs;
}

}  // namespace iwarp::replay
