// Why a frame gave no TCP segment, and no SCTP packet.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace iwarp::capture {

enum class SkipReason : std::uint8_t {
  none,  // there is one
  unknown_link_type,
  link_header_cut,
  not_ip,
  ip_header_cut,
  malformed_ipv4,
  malformed_ipv6,
  malformed_extension,
  incomplete_datagram,
  duplicate_fragment,
  malformed_fragment,
  not_tcp,
  tunnel_header_cut,
  malformed_tunnel,
  tcp_header_cut,
  malformed_tcp,
  sctp_header_cut,
  malformed_sctp,
  nested_too_deep,
};

inline constexpr std::size_t skip_reason_count = static_cast<std::size_t>(SkipReason::nested_too_deep) + 1;

[[nodiscard]] constexpr const char* to_text(SkipReason reason) noexcept {
  switch (reason) {
    case SkipReason::none: return "";
    case SkipReason::unknown_link_type: return "unknown link type";
    case SkipReason::link_header_cut: return "link header cut";
    case SkipReason::not_ip: return "not IP";
    case SkipReason::ip_header_cut: return "IP header cut";
    case SkipReason::malformed_ipv4: return "malformed IPv4 header";
    case SkipReason::malformed_ipv6: return "malformed IPv6 header";
    case SkipReason::malformed_extension: return "malformed IPv6 extension header";
    case SkipReason::incomplete_datagram: return "fragment of an incomplete datagram";
    case SkipReason::duplicate_fragment: return "duplicate fragment";
    case SkipReason::malformed_fragment: return "malformed fragment";
    case SkipReason::not_tcp: return "not TCP";
    case SkipReason::tunnel_header_cut: return "tunnel header cut";
    case SkipReason::malformed_tunnel: return "malformed tunnel header";
    case SkipReason::tcp_header_cut: return "TCP header cut";
    case SkipReason::malformed_tcp: return "malformed TCP header";
    case SkipReason::sctp_header_cut: return "SCTP header cut";
    case SkipReason::malformed_sctp: return "malformed SCTP header";
    case SkipReason::nested_too_deep: return "nested too deep";
  }
  return "";
}

}  // namespace iwarp::capture
