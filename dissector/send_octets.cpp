// SPDX-License-Identifier: GPL-2.0-or-later
#include "send_octets.hpp"

#include <utility>

#include <iwarp/wire/rdmap.hpp>

#include "marked_octets.hpp"

namespace iwarp::dissector {
namespace {

// Longer messages than this are not put together: nobody dissects them whole.
constexpr std::size_t max_message = 64U << 20U;

void append_payload(Bytes& to, const FpduFact& fpdu, ByteView octets) {
  const std::uint32_t begin = wire::length_field_size + fpdu.ddp.size();
  const std::size_t before = to.size();
  to.resize(before + fpdu.payload_length);
  if (fpdu.markers == 0) {
    std::memcpy(to.data() + before, octets.data() + begin, fpdu.payload_length);
    return;
  }
  const auto phase = static_cast<std::uint32_t>(fpdu.stream_offset % wire::marker_interval);
  copy_without_markers(octets.data(), phase, begin, fpdu.payload_length, to.data() + before);
}

void append_frames(std::vector<std::uint32_t>& to, std::span<const Slice> slices) {
  for (const Slice& slice : slices) {
    const auto frame = static_cast<std::uint32_t>(slice.frame);
    if (to.empty() || to.back() != frame) to.push_back(frame);
  }
}

}  // namespace

void SendOctets::add(Direction direction, const FpduFact& fpdu, std::span<const Slice> slices,
                     ByteView octets) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.header_octets < 2 || !wire::is_send(ddp.opcode())) return;
  const bool is_alone = ddp.mo == 0 && ddp.last();
  if (is_alone && open_.empty()) return;
  Open& open = open_[direction.key()];
  Message& message = open.message;
  if (ddp.mo == 0) {
    message.octets.clear();
    message.frames.clear();
    open.msn = ddp.msn;
    open.whole = !is_alone;
  }
  const bool is_next = open.whole && fpdu.header_octets >= ddp.size() && fpdu.crc != CrcStatus::bad &&
                       !fpdu.malformed && octets.size() == fpdu.wire_size && open.msn == ddp.msn &&
                       message.octets.size() == ddp.mo && message.octets.size() < max_message;
  if (!is_next) {
    open.whole = false;
    message = Message();
    return;
  }
  append_payload(message.octets, fpdu, octets);
  append_frames(message.frames, slices);
  if (!ddp.last()) return;
  messages_[fpdu.number] = std::make_unique<const Message>(std::move(message));
  open = Open();
}

ByteView SendOctets::find(const FpduFact& last) const noexcept {
  const auto found = messages_.find(last.number);
  return found == messages_.end() ? ByteView() : ByteView(found->second->octets);
}

std::span<const std::uint32_t> SendOctets::frames(const FpduFact& last) const noexcept {
  const auto found = messages_.find(last.number);
  if (found == messages_.end()) return {};
  return found->second->frames;
}

}  // namespace iwarp::dissector
