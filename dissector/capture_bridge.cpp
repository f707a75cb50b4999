// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture_bridge.hpp"

#include <algorithm>
#include <cstring>

namespace iwarp::dissector {
namespace {

AnalyzerOptions options() {
  AnalyzerOptions chosen;
  chosen.keep_log = true;
  return chosen;
}

constexpr std::uint16_t max_offset = 0xffff;
constexpr std::uint32_t no_link = 0xffffffff;

bool begins_with_key(ByteView payload) noexcept {
  if (payload.size() < wire::startup_key_size) return false;
  return std::memcmp(payload.data(), wire::request_key, wire::startup_key_size) == 0 ||
         std::memcmp(payload.data(), wire::reply_key, wire::startup_key_size) == 0;
}

}  // namespace

CaptureBridge::CaptureBridge() : analyzer_(options()), timeline_(analyzer_.analysis()) {}

void CaptureBridge::add(const capture::Record& record) noexcept {
  if (finished_ || record.number < last_frame_) return;
  last_frame_ = record.number;
  TcpSegment segment;
  if (!decoder_.decode(record, segment)) return;
  last_segment_frame_ = record.number;
  if (frames_.size() <= record.number) frames_.resize(record.number + 1);
  FrameFacts& facts = frames_[record.number];
  const Byte* const payload = segment.payload.data();
  const Byte* const begin = record.octets.data();
  facts.segment = true;
  facts.sequence = segment.sequence + ((segment.flags & tcp::syn) != 0 ? 1U : 0U);
  facts.payload_length = static_cast<std::uint32_t>(segment.payload.size());
  facts.in_frame =
      payload >= begin && payload <= begin + record.octets.size() && payload - begin <= max_offset;
  facts.payload_offset = facts.in_frame ? static_cast<std::uint16_t>(payload - begin) : std::uint16_t{0};
  const std::size_t before = analysis().events().size();
  (void)analyzer_.add(segment);
  note(segment, facts, analysis().events().subspan(before));
}

void CaptureBridge::finish() noexcept {
  if (finished_) return;
  events_before_end_ = analysis().events().size();
  (void)analyzer_.finish();
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
  for (const Event& event : events) {
    if (event.kind == EventKind::fpdu) note_fpdu(segment, event);
    if (event.kind == EventKind::operation) note_operation(event);
  }
  facts.iwarp = speaks_iwarp(facts, events);
  facts.key = begins_with_key(segment.payload);
  const bool may_be = connection->iwarp || connection->opened_by == OpenedBy::midstream;
  if (may_be) octets_.keep({facts.connection, facts.side}, segment, facts.sequence, connection->iwarp);
}

void CaptureBridge::note_fpdu(const TcpSegment& segment, const Event& event) {
  const std::span<const Slice> slices = analysis().slices(event);
  if (slices.empty()) {
    sends_.add({event.connection, event.side}, event.fpdu, {});
    return;
  }
  for (const Slice& slice : slices) {
    if (slice.frame == event.frame || slice.frame >= frames_.size()) continue;
    frames_[slice.frame].reassembled_in = static_cast<std::uint32_t>(event.frame);
  }
  const bool lies_here =
      slices.size() == 1 && slices.front().frame == event.frame && frames_[event.frame].in_frame;
  if (!lies_here) octets_.put_together(event, slices, segment);
  const Slice& only = slices.front();
  const bool is_there = lies_here && std::size_t{only.payload_offset} + only.length <= segment.payload.size();
  sends_.add({event.connection, event.side}, event.fpdu,
             is_there ? segment.payload.subspan(only.payload_offset, only.length) : octets(event));
  const Slice& last = slices.back();
  if (last.frame >= frames_.size()) return;
  const std::uint32_t end = frames_[last.frame].sequence + last.payload_offset + last.length;
  octets_.used({event.connection, event.side}, end);
}

void CaptureBridge::note_operation(const Event& event) {
  if (event.operation.kind != OperationKind::read && event.operation.kind != OperationKind::atomic) return;
  const auto link = static_cast<std::uint32_t>(links_.size());
  links_.push_back({static_cast<std::uint32_t>(&event - analysis().events().data()), no_link});
  const auto [chain, is_new] = chains_.try_emplace(event.operation.request_frame, Chain{link, link});
  if (is_new) return;
  links_[chain->second.last].next = link;
  chain->second.last = link;
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

Events CaptureBridge::events(FrameNumber frame) const noexcept {
  const Events all = analysis().events_of(frame);
  return all.first(all.size() - events_at_end(frame).size());
}

Events CaptureBridge::events_at_end(FrameNumber frame) const noexcept {
  if (!finished_ || frame != last_segment_frame_) return {};
  return analysis().events().subspan(events_before_end_);
}

const ConnectionState* CaptureBridge::state_after(ConnectionId connection, FrameNumber frame) noexcept {
  if (!finished_ && frame >= last_frame_) return analysis().connection(connection);
  timeline_.extend(finished_ ? events_before_end_ : analysis().events().size());
  state_.reset();  // the timeline moves a state on in place where nobody holds it
  state_ = timeline_.state_after(connection, frame);
  return state_.get();
}

const Event* CaptureBridge::operation_of(FrameNumber request_frame, ConnectionId connection, Side requester,
                                         OperationKind kind, std::size_t nth) const noexcept {
  const auto chain = chains_.find(request_frame);
  if (chain == chains_.end()) return nullptr;
  for (std::uint32_t at = chain->second.first; at != no_link; at = links_[at].next) {
    const Event& event = analysis().events()[links_[at].event];
    if (event.connection != connection || event.side != requester || event.operation.kind != kind) continue;
    if (nth-- == 0) return &event;
  }
  return nullptr;
}

}  // namespace iwarp::dissector
