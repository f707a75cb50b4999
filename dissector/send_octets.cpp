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

}  // namespace

void SendOctets::add(Direction direction, const FpduFact& fpdu, ByteView octets) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.header_octets < 2 || !wire::is_send(ddp.opcode())) return;
  const bool is_alone = ddp.mo == 0 && ddp.last();
  if (is_alone && open_.empty()) return;
  Open& open = open_[direction.key()];
  if (ddp.mo == 0) {
    open.octets.clear();
    open.msn = ddp.msn;
    open.whole = !is_alone;
  }
  const bool is_next = open.whole && fpdu.header_octets >= ddp.size() && fpdu.crc != CrcStatus::bad &&
                       !fpdu.malformed && octets.size() == fpdu.wire_size && open.msn == ddp.msn &&
                       open.octets.size() == ddp.mo && open.octets.size() < max_message;
  if (!is_next) {
    open.whole = false;
    Bytes().swap(open.octets);
    return;
  }
  append_payload(open.octets, fpdu, octets);
  if (!ddp.last()) return;
  messages_[fpdu.number] = std::make_unique<const Bytes>(std::move(open.octets));
  open = Open();
}

ByteView SendOctets::find(const FpduFact& last) const noexcept {
  const auto found = messages_.find(last.number);
  return found == messages_.end() ? ByteView() : ByteView(*found->second);
}

}  // namespace iwarp::dissector
