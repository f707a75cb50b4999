// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/ddp_messages.hpp"

#include <algorithm>

namespace iwarp::dissector {
namespace {

// A DATA chunk (RFC 9260 §3.3.1): type, flags, length, TSN, Stream Identifier, Stream Sequence Number,
// Payload Protocol Identifier.
constexpr std::size_t chunk_header_size = 4;
constexpr std::size_t data_header_size = 16;
constexpr Byte data_type = 0;
constexpr unsigned begins = 0x02;
constexpr unsigned ends = 0x01;
constexpr std::size_t stream_at = 8;
constexpr std::size_t ppid_at = 12;

constexpr std::size_t last_offset = 0xffff;

// Chunks begin at multiples of four octets (RFC 9260 §3.2).
constexpr std::size_t padded(std::size_t length) noexcept {
  return (length + 3) & ~std::size_t{3};
}

}  // namespace

void DdpMessages::add(const SctpPacket& packet) {
  const ByteView octets = packet.octets;
  std::size_t at = SctpPacket::header_size;
  while (at + chunk_header_size <= octets.size() && at <= last_offset - data_header_size) {
    const Byte* const chunk = octets.data() + at;
    const std::size_t length = load_be16(chunk + 2);
    if (length < chunk_header_size) return;
    const std::size_t here = std::min(length, octets.size() - at);
    const bool is_data = chunk[0] == data_type && (chunk[1] & begins) != 0;
    if (is_data && here >= data_header_size + wire::ddp_ssn_size) {
      const Byte* const data = chunk + data_header_size;
      const std::uint32_t ppid = load_be32(chunk + ppid_at);
      DdpMessage message;
      message.frame = static_cast<std::uint32_t>(packet.frame);
      message.at = static_cast<std::uint16_t>(at + data_header_size);
      message.stream = load_be16(chunk + stream_at);
      message.ssn = load_be16(data);
      message.length = static_cast<std::uint16_t>(here - data_header_size);
      message.whole = (chunk[1] & ends) != 0;
      if (ppid == wire::ppid_session_control && message.length >= wire::session_header_size)
        message.function = load_be16(data + wire::ddp_ssn_size);
      if (ppid == wire::ppid_ddp_segment || message.function != 0) messages_.push_back(message);
    }
    at += padded(length);
  }
}

std::span<const DdpMessage> DdpMessages::of(FrameNumber frame) const noexcept {
  const auto begin =
      std::lower_bound(messages_.begin(), messages_.end(), frame,
                       [](const DdpMessage& each, FrameNumber wanted) { return each.frame < wanted; });
  const auto end =
      std::find_if(begin, messages_.end(), [&](const DdpMessage& each) { return each.frame != frame; });
  return {begin, end};
}

const DdpMessage* DdpMessages::find(FrameNumber frame, std::uint32_t at) const noexcept {
  for (const DdpMessage& message : of(frame)) {
    if (message.at == at) return &message;
  }
  return nullptr;
}

const DdpMessage* DdpMessages::find_terminate(FrameNumber frame, std::uint16_t stream) const noexcept {
  constexpr auto terminate = static_cast<std::uint16_t>(wire::SessionFunction::terminate);
  for (const DdpMessage& message : of(frame)) {
    if (message.stream == stream && message.function == terminate) return &message;
  }
  return nullptr;
}

}  // namespace iwarp::dissector
