// The SCTP common header (RFC 9260 §3.1). Chunks are the library's.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "endpoint.hpp"
#include "frame_decoder.hpp"

namespace iwarp::capture {

SkipReason FrameDecoder::sctp(const Position& position) noexcept {
  if (sctp_ == nullptr) return SkipReason::not_tcp;
  if (position.wire < SctpPacket::header_size) return SkipReason::malformed_sctp;
  if (position.captured < SctpPacket::header_size) return SkipReason::sctp_header_cut;
  SctpPacket& packet = *sctp_;
  packet.time_ns = position.time_ns;
  set_endpoint(packet.source, position.source, position.version, position.at);
  set_endpoint(packet.destination, position.destination, position.version, position.at + 2);
  packet.network = position.network;
  packet.octets = {position.at, position.captured};
  packet.wire_length = static_cast<std::uint32_t>(position.wire);
  is_sctp_ = true;
  return SkipReason::none;
}

}  // namespace iwarp::capture
