// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/send_octets.hpp"

#include <algorithm>
#include <utility>

#include <iwarp/wire/rdmap.hpp>

#include "bridge/marked_octets.hpp"

namespace iwarp::dissector {
namespace {

// Longer messages than this are not put together: nobody dissects them whole.
constexpr std::size_t max_message = 64U << 20U;
// Messages of a direction that lack segments. They are sent in order (RFC 5041 §5.3), so the latest one may
// go on; the others lost some.
constexpr std::size_t max_open = 16;

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

void append_frame(std::vector<std::uint32_t>& to, std::uint32_t frame) {
  if (to.empty() || to.back() != frame) to.push_back(frame);
}

bool is_sound(const FpduFact& fpdu, ByteView octets) noexcept {
  return fpdu.header_octets >= fpdu.ddp.size() && fpdu.crc != CrcStatus::bad && !fpdu.malformed &&
         octets.size() == fpdu.wire_size;
}

}  // namespace

SendOctets::Open& SendOctets::open_for(Queue& queue, std::uint32_t msn) {
  const auto found =
      std::find_if(queue.begin(), queue.end(), [msn](const Open& each) { return each.msn == msn; });
  if (found != queue.end()) return *found;
  if (queue.size() == max_open) queue.pop_front();
  Open& open = queue.emplace_back();
  open.msn = msn;
  return open;
}

void SendOctets::append(Open& open, const FpduFact& fpdu, std::span<const Slice> slices, ByteView octets) {
  const bool is_next = fpdu.ddp.mo == open.begun.octets.size();
  if (!is_next && fpdu.ddp.mo < open.begun.octets.size()) return;  // its octets came before
  Message& message = is_next ? open.begun : open.further[fpdu.ddp.mo];
  if (!is_next && !message.octets.empty()) return;
  append_payload(message.octets, fpdu, octets);
  for (const Slice& slice : slices) append_frame(message.frames, static_cast<std::uint32_t>(slice.frame));
  message.segments.push_back(static_cast<std::uint32_t>(fpdu.placed.frame));
  if (!is_next) open.further_octets += message.octets.size();
  if (fpdu.ddp.last()) open.length = std::size_t{fpdu.ddp.mo} + fpdu.payload_length;
  while (!open.further.empty() && open.further.begin()->first <= open.begun.octets.size()) {
    const auto& [mo, next] = *open.further.begin();
    open.further_octets -= next.octets.size();
    if (mo == open.begun.octets.size()) {
      open.begun.octets.insert(open.begun.octets.end(), next.octets.begin(), next.octets.end());
      for (const std::uint32_t frame : next.frames) append_frame(open.begun.frames, frame);
      open.begun.segments.insert(open.begun.segments.end(), next.segments.begin(), next.segments.end());
    }
    open.further.erase(open.further.begin());
  }
}

void SendOctets::add(const Event& event, std::span<const Slice> slices, ByteView octets) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.header_octets < 2 || !wire::is_send(ddp.opcode())) return;
  if (ddp.mo == 0 && ddp.last()) return;  // alone
  Queue& queue = open_[Direction{event.connection, event.side}.key()];
  Open& open = open_for(queue, ddp.msn);
  const std::size_t held = open.begun.octets.size() + open.further_octets;
  if (is_sound(fpdu, octets) && held < max_message) append(open, fpdu, slices, octets);
  if (!open.length || open.begun.octets.size() != *open.length) return;
  messages_[fpdu_key(event)] = std::make_unique<const Message>(std::move(open.begun));
  std::erase_if(queue, [&](const Open& each) { return each.msn == ddp.msn; });
}

ByteView SendOctets::find(const Event& last) const noexcept {
  const auto found = messages_.find(fpdu_key(last));
  return found == messages_.end() ? ByteView() : ByteView(found->second->octets);
}

std::span<const std::uint32_t> SendOctets::frames(const Event& last) const noexcept {
  const auto found = messages_.find(fpdu_key(last));
  if (found == messages_.end()) return {};
  return found->second->frames;
}

std::span<const std::uint32_t> SendOctets::segments(const Event& last) const noexcept {
  const auto found = messages_.find(fpdu_key(last));
  if (found == messages_.end()) return {};
  return found->second->segments;
}

}  // namespace iwarp::dissector
