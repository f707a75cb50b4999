// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/edit.hpp"

#include <algorithm>

#include "rnic/fpdu_sender.hpp"
#include "rnic/segment.hpp"

namespace iwarp::replay {

void Edit::put() {
  Bytes octets;
  wire::encode(header, octets);
  std::copy(octets.begin(), octets.end(), ulpdu.begin());
}

std::pair<Bytes, Bytes> Edit::split(std::size_t at) const {
  wire::DdpHeader first = passing.header;
  wire::DdpHeader second = passing.header;
  first.ddp_control = static_cast<std::uint8_t>(first.ddp_control & ~0x40U);
  if (second.tagged()) {
    second.to += at;
  } else {
    second.mo += static_cast<std::uint32_t>(at);
  }
  const ByteView octets = payload();
  return {segment(first, octets.first(at)), segment(second, octets.subspan(at))};
}

Bytes segment(const wire::DdpHeader& header, ByteView payload) {
  Bytes ulpdu;
  wire::encode(header, ulpdu);
  ulpdu.insert(ulpdu.end(), payload.begin(), payload.end());
  return ulpdu;
}

Bytes terminate(std::uint16_t code, std::uint8_t header_control, ByteView rest) {
  Bytes octets = {static_cast<Byte>(code >> 8U), static_cast<Byte>(code & 0xffU), header_control, 0};
  octets.insert(octets.end(), rest.begin(), rest.end());
  return segment(rnic::untagged_header(wire::Opcode::terminate, 1, 0, true), octets);
}

Bytes empty_write() {
  return segment(rnic::tagged_header(wire::Opcode::rdma_write, 1, 0, true));
}

Bytes unmarked_fpdu(ByteView ulpdu) {
  rnic::FpduSender sender;
  sender.start({});
  Bytes& begun = sender.begin();
  begun.insert(begun.end(), ulpdu.begin(), ulpdu.end());
  const ByteView fpdu = sender.end();
  return {fpdu.begin(), fpdu.end()};
}

}  // namespace iwarp::replay
