// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/message_segments.hpp"

#include "bridge/keys.hpp"

namespace iwarp::dissector {

void MessageSegments::add(const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  if (fpdu.message == 0) return;
  const std::uint64_t key = key_of(event.connection, fpdu.message);
  if (fpdu.ddp.last() && !messages_.contains(key)) return;  // alone
  messages_[key].frames.push_back(static_cast<std::uint32_t>(fpdu.placed.frame));
}

void MessageSegments::conclude(const Event& event) {
  const MessageConclusion& message = event.message;
  const auto found = messages_.find(key_of(event.connection, message.number));
  if (found == messages_.end()) return;
  const std::size_t segments = found->second.frames.size();
  if (message.end != MessageEnd::complete || segments != message.segments || segments < 2) {
    messages_.erase(found);
    return;
  }
  found->second.completed_in = static_cast<std::uint32_t>(message.placed.frame);
  found->second.frames.shrink_to_fit();
}

SegmentFrames MessageSegments::find(ConnectionId connection, std::uint32_t number) const noexcept {
  const auto found = messages_.find(key_of(connection, number));
  if (found == messages_.end() || found->second.completed_in == 0) return {};
  return {found->second.completed_in, found->second.frames};
}

}  // namespace iwarp::dissector
