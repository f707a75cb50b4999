// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/capture_bridge.hpp"

#include <algorithm>
#include <cstring>

namespace iwarp::dissector {
namespace {

AnalyzerOptions analyzer_options(bool strict) {
  AnalyzerOptions chosen;
  chosen.keep_log = true;
  chosen.keep_payload = KeepPayload::beginnings;
  chosen.strict = strict;
  return chosen;
}

constexpr std::uint16_t max_offset = 0xffff;

// A segment that came before is looked for in so many frames: more than a window of TCP's on a busy link, and
// less work than rendering a tree.
constexpr FrameNumber max_searched = 65536;

bool begins_with(ByteView payload, const Byte* key) noexcept {
  return payload.size() >= wire::startup_key_size &&
         std::memcmp(payload.data(), key, wire::startup_key_size) == 0;
}

// Of the same direction. Sequence numbers wrap (RFC 9293 §3.4).
bool overlap(const FrameFacts& a, const FrameFacts& b) noexcept {
  return b.sequence - a.sequence < a.payload_length || a.sequence - b.sequence < b.payload_length;
}

// Where octets begin in the frame; nothing: they were put together from IP fragments.
std::optional<std::uint16_t> offset_in(const capture::Record& record, ByteView octets) noexcept {
  const Byte* const begin = record.octets.data();
  const bool is_there = octets.data() >= begin && octets.data() <= begin + record.octets.size() &&
                        octets.data() - begin <= max_offset;
  return is_there ? std::optional(static_cast<std::uint16_t>(octets.data() - begin)) : std::nullopt;
}

// `frames` ascend. nullptr: it is not among them.
template <typename Frames>
auto* find_facts(Frames& frames, FrameNumber frame) noexcept {
  const auto found =
      std::lower_bound(frames.begin(), frames.end(), frame,
                       [](const SctpFacts& each, FrameNumber wanted) { return each.frame < wanted; });
  return found == frames.end() || found->frame != frame ? nullptr : &*found;
}

}  // namespace

CaptureBridge::CaptureBridge(const BridgeOptions& options)
    : options_(options),
      analyzer_(analyzer_options(options.strict)),
      timeline_(analyzer_.analysis()),
      shown_events_(analyzer_.analysis(), sctp_streams_),
      derived_findings_(options.strict) {}

void CaptureBridge::add(const capture::Record& record) noexcept {
  if (finished_ || record.number < last_frame_) return;
  last_frame_ = record.number;
  present_ = {};
  derived_findings_.note(present_, analysis());
  shown_frame_ = 0;
  TcpSegment segment;
  SctpPacket packet;
  switch (decoder_.decode(record, segment, packet)) {
    case capture::PacketDecoder::Decoded::nothing: return;
    case capture::PacketDecoder::Decoded::tcp: return add(record, segment);
    case capture::PacketDecoder::Decoded::sctp: return add(record, packet);
  }
}

void CaptureBridge::take(Events events) {
  present_ = events;
  sctp_streams_.note(events);
  shown_events_.note(events);
  derived_findings_.note(events, analysis());
}

void CaptureBridge::add(const capture::Record& record, const TcpSegment& segment) {
  if (options_.is_port_tried != nullptr &&
      !options_.is_port_tried(segment.source.port, segment.destination.port))
    return;
  last_segment_frame_ = record.number;
  if (frames_.size() <= record.number) frames_.resize(record.number + 1);
  FrameFacts& facts = frames_[record.number];
  const auto offset = offset_in(record, segment.payload);
  facts.segment = true;
  facts.sequence = segment.sequence + ((segment.flags & tcp::syn) != 0 ? 1U : 0U);
  facts.payload_length = static_cast<std::uint32_t>(segment.payload.size());
  facts.in_frame = offset.has_value();
  facts.payload_offset = offset.value_or(0);
  take(analyzer_.add(segment));
  note(segment, facts, present_);
}

void CaptureBridge::add(const capture::Record& record, const SctpPacket& packet) {
  last_segment_frame_ = record.number;
  const auto offset = offset_in(record, packet.octets);
  SctpFacts facts;
  facts.frame = static_cast<std::uint32_t>(record.number);
  facts.packet_length = static_cast<std::uint32_t>(packet.octets.size());
  facts.in_frame = offset.has_value();
  facts.packet_offset = offset.value_or(0);
  sctp_frames_.push_back(facts);
  ddp_messages_.add(packet);
  take(analyzer_.add(packet));
  note_events({}, present_);
  note_segments(present_);
}

void CaptureBridge::finish() noexcept {
  if (finished_) return;
  present_ = {};
  shown_frame_ = 0;
  derived_findings_.note(analyzer_.finish(), analysis());
  const Events last = analysis().events_of(end_of_capture, elsewhere_);
  sctp_streams_.note(last);
  shown_events_.note_end(last);
  note_segments(last);
  for (const Event& event : last) {
    if (sctp_streams_.find(event.connection) != nullptr) {
      note_session(event);
      continue;
    }
    if (event.kind == EventKind::fpdu && !event.fpdu.ahead) note_fpdu({}, event);
    if (event.kind == EventKind::operation) answers_.add(event);
    if (event.kind == EventKind::startup) note_startup(event);
    if (event.kind == EventKind::sync_lost) note_skipped(event);
  }
  shown_events_.at_end(end_);
  octets_.forget_unused();
  finished_ = true;
}

void CaptureBridge::note(const TcpSegment& segment, FrameFacts& facts, Events events) {
  const ConnectionState* const connection = analysis().connection_of_last_segment();
  if (connection == nullptr) {
    facts = {};
    return;
  }
  facts.connection = connection->id;
  facts.side = connection->endpoints[0] == segment.source ? Side::a : Side::b;
  note_events(segment, events);
  for (const Event& event : events) {
    if (event.kind == EventKind::retransmitted && event.connection == facts.connection &&
        event.side == facts.side)
      facts.retransmission = true;
  }
  note_segments(events);
  facts.iwarp = speaks_iwarp(facts, events);
  facts.request = begins_with(segment.payload, wire::request_key);
  facts.key = facts.request || begins_with(segment.payload, wire::reply_key);
  const bool may_be = connection->iwarp || connection->opened_by == OpenedBy::midstream;
  if (may_be) octets_.keep({facts.connection, facts.side}, segment, facts.sequence, connection->iwarp);
}

void CaptureBridge::note_events(const TcpSegment& segment, Events events) {
  for (const Event& event : events) {
    if (sctp_streams_.find(event.connection) != nullptr) {
      note_session(event);
      continue;
    }
    if (event.kind == EventKind::placed || (event.kind == EventKind::fpdu && !event.fpdu.ahead))
      note_fpdu(segment, event);
    if (event.kind == EventKind::fpdu) note_delivered(event);
    if (event.kind == EventKind::operation) answers_.add(event);
    if (event.kind == EventKind::startup) note_startup(event);
    if (event.kind == EventKind::sync_lost) note_skipped(event);
  }
}

// Of messages in several DATA chunks, where they end.
void CaptureBridge::note_session(const Event& event) {
  if (event.kind == EventKind::operation) answers_.add(event);
  if (event.kind != EventKind::fpdu && event.kind != EventKind::startup) return;
  const FrameNumber ends_in =
      event.kind == EventKind::fpdu ? event.fpdu.placed.frame : event.startup.placed.frame;
  for (const Slice& slice : analysis().slices(event)) {
    SctpFacts* const facts = find_facts(sctp_frames_, slice.frame);
    if (facts != nullptr && slice.frame != ends_in)
      facts->reassembled_in = static_cast<std::uint32_t>(ends_in);
  }
}

void CaptureBridge::note_segments(Events events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::fpdu) segments_.add(event);
    if (event.kind == EventKind::message) segments_.conclude(event);
  }
}

void CaptureBridge::note_fpdu(const TcpSegment& segment, const Event& event) {
  const std::span<const Slice> slices = analysis().slices(event);
  if (slices.empty()) {
    sends_.add(event, slices, {});
    return;
  }
  for (const Slice& slice : slices) {
    const FrameNumber ends_in = event.fpdu.placed.frame;
    if (slice.frame == ends_in || slice.frame >= frames_.size()) continue;
    std::uint32_t& completing = frames_[slice.frame].reassembled_in;
    if (frames_[slice.frame].skipped) completing = 0;
    frames_[slice.frame].skipped = false;
    if (completing != 0 && completing != ends_in)
      completions_.push_back({static_cast<std::uint32_t>(slice.frame), completing});
    completing = static_cast<std::uint32_t>(ends_in);
  }
  const Slice& only = slices.front();
  const bool lies_there = slices.size() == 1 && only.frame < frames_.size() && frames_[only.frame].in_frame;
  if (!lies_there || only.frame != segment.frame) octets_.put_together(event, slices, segment);
  const bool is_there = lies_there && only.frame == segment.frame &&
                        std::size_t{only.payload_offset} + only.length <= segment.payload.size();
  sends_.add(event, slices,
             is_there ? segment.payload.subspan(only.payload_offset, only.length) : octets(event));
}

// Its octets, and those before them, are waited for no longer.
void CaptureBridge::note_delivered(const Event& event) {
  const std::span<const Slice> slices = analysis().slices(event);
  if (slices.empty() || slices.back().frame >= frames_.size()) return;
  const Slice& last = slices.back();
  const std::uint32_t end = frames_[last.frame].sequence + last.payload_offset + last.length;
  octets_.used({event.connection, event.side}, end);
}

// A start-up frame that came in several pieces, or was put off.
void CaptureBridge::note_startup(const Event& event) {
  const std::span<const Slice> slices = analysis().slices(event);
  if (slices.empty() || (slices.size() == 1 && slices.front().frame == event.frame)) return;
  const FrameNumber ends_in = event.startup.placed.frame;
  for (const Slice& slice : slices) {
    if (slice.frame == ends_in || slice.frame >= frames_.size()) continue;
    frames_[slice.frame].reassembled_in = static_cast<std::uint32_t>(ends_in);
    frames_[slice.frame].startup_part = true;
  }
  const auto pieces = std::make_shared<const StartupPieces>(
      StartupPieces{ends_in, event.startup.kind, std::vector<Slice>(slices.begin(), slices.end())});
  for (const FrameNumber shown_in : {event.frame, ends_in})
    startups_[{shown_in, event.connection, event.side}] = pieces;
}

// The frames before that brought octets of no FPDU, unless others of their octets were an FPDU's.
void CaptureBridge::note_skipped(const Event& event) {
  for (const Slice& slice : analysis().slices(event)) {
    if (slice.frame == event.frame || slice.frame >= frames_.size()) continue;
    FrameFacts& facts = frames_[slice.frame];
    if (facts.reassembled_in != 0) continue;
    facts.reassembled_in = static_cast<std::uint32_t>(event.frame);
    facts.skipped = true;
  }
}

const StartupPieces* CaptureBridge::startup_pieces(FrameNumber frame, ConnectionId connection,
                                                   Side side) const noexcept {
  const auto found = startups_.find({frame, connection, side});
  if (found == startups_.end()) return nullptr;
  const std::vector<Slice>& slices = found->second->slices;
  return slices.size() == 1 && slices.front().frame == frame ? nullptr : found->second.get();
}

bool CaptureBridge::speaks_iwarp(const FrameFacts& facts, Events events) const noexcept {
  const ConnectionState* const connection = analysis().connection(facts.connection);
  if (connection == nullptr || !connection->iwarp) return false;
  if (connection->side(facts.side).phase != Phase::streaming) return true;
  // A rejecting Reply leads back to streaming, and is iWARP itself; so is an acknowledgement while starting
  // up.
  if (connection->side(other(facts.side)).phase != Phase::streaming) return true;
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return event.connection == facts.connection && event.kind == EventKind::startup;
  });
}

const FrameFacts* CaptureBridge::facts(FrameNumber frame) const noexcept {
  return frame < frames_.size() && frames_[frame].segment ? &frames_[frame] : nullptr;
}

const SctpFacts* CaptureBridge::sctp_facts(FrameNumber frame) const noexcept {
  return find_facts(sctp_frames_, frame);
}

Events CaptureBridge::events(FrameNumber frame) noexcept {
  if (frame == 0 || frame > last_frame_) return {};
  if (frame == shown_frame_) return shown_;
  shown_frame_ = frame;
  shown_.clear();
  if (!finished_ && frame == last_frame_) {
    shown_events_.as_added(present_, shown_);
    derived_findings_.as_added(shown_);
  } else {
    shown_events_.of(frame, shown_);
    derived_findings_.of(frame, shown_);
  }
  return shown_;
}

Events CaptureBridge::events_at_end(FrameNumber frame) const noexcept {
  if (!finished_ || frame != last_segment_frame_) return {};
  return end_;
}

Events CaptureBridge::events_elsewhere(FrameNumber frame) noexcept {
  if (frame == 0 || frame > last_frame_) return {};
  elsewhere_.clear();
  shown_events_.of(frame, elsewhere_);
  derived_findings_.of(frame, elsewhere_);
  return elsewhere_;
}

std::optional<FpduFact> CaptureBridge::begun_in(FrameNumber frame) const noexcept {
  const FrameFacts* const facts = this->facts(frame);
  if (finished_ || frame != last_frame_ || facts == nullptr) return std::nullopt;
  return analysis().begun_in(facts->connection, facts->side, frame);
}

FrameNumber CaptureBridge::latest_copy_of(FrameNumber frame, FrameNumber least) const noexcept {
  const FrameFacts& own = frames_[frame];
  for (FrameNumber at = frame - 1; at >= least; --at) {
    const FrameFacts& other = frames_[at];
    if (!other.segment || other.connection != own.connection || other.side != own.side) continue;
    if (other.payload_length != 0 && overlap(own, other)) return at;
  }
  return 0;
}

FrameNumber CaptureBridge::first_copy_of(FrameNumber frame) const noexcept {
  const FrameNumber least = frame > max_searched ? frame - max_searched : 1;
  FrameNumber found = 0;
  for (FrameNumber at = frame; at < frames_.size() && frames_[at].retransmission;) {
    const FrameNumber copy = latest_copy_of(at, least);
    if (copy == 0) break;
    found = at = copy;
  }
  return found;
}

FrameNumber CaptureBridge::completed_before(FrameNumber frame, FrameNumber limit) const noexcept {
  if (frame >= frames_.size()) return 0;
  if (frames_[frame].reassembled_in < limit) return frames_[frame].reassembled_in;
  const auto found = std::find_if(completions_.rbegin(), completions_.rend(), [&](const Completion& each) {
    return each.frame == frame && each.completing < limit;
  });
  return found == completions_.rend() ? 0 : found->completing;
}

const ConnectionState* CaptureBridge::state_after(ConnectionId connection, FrameNumber frame) noexcept {
  if (!finished_ && frame >= last_frame_) return analysis().connection(connection);
  state_.reset();  // the timeline moves a state on in place where nobody holds it
  state_ = timeline_.state_after(connection, frame);
  return state_.get();
}

}  // namespace iwarp::dissector
