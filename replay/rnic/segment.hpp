// DDP segments as this RNIC sends them: DV = RV = 1, reserved bits 0 (RFC 5041 §4, RFC 5040 §4.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/wire/ddp.hpp>

namespace iwarp::rnic {

[[nodiscard]] constexpr wire::DdpHeader ddp_header(wire::Opcode opcode, bool tagged, bool last) noexcept {
  wire::DdpHeader header;
  header.ddp_control = static_cast<std::uint8_t>((tagged ? 0x80U : 0U) | (last ? 0x40U : 0U) | 0x01U);
  header.rdmap_control = static_cast<std::uint8_t>(0x40U | static_cast<unsigned>(opcode));
  return header;
}

[[nodiscard]] constexpr wire::DdpHeader tagged_header(wire::Opcode opcode, std::uint32_t stag,
                                                      std::uint64_t to, bool last) noexcept {
  wire::DdpHeader header = ddp_header(opcode, true, last);
  header.stag = stag;
  header.to = to;
  return header;
}

[[nodiscard]] constexpr wire::DdpHeader untagged_header(wire::Opcode opcode, std::uint32_t msn,
                                                        std::uint32_t mo, bool last,
                                                        std::uint32_t invalidate = 0) noexcept {
  wire::DdpHeader header = ddp_header(opcode, false, last);
  header.stag = invalidate;
  header.queue = wire::queue_of(opcode);
  header.msn = msn;
  header.mo = mo;
  return header;
}

}  // namespace iwarp::rnic
