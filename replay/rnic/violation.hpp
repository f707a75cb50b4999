// A rule that was broken, and everything that follows from it: the Terminate code (RFC 6580, which wins over
// Verbs 1.0), what the Terminate carries, and how the Consumer is told.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/wire/rdmap.hpp>

#include "rnic/memory_table.hpp"
#include "rnic/status.hpp"

namespace iwarp::rnic {

// Terminate codes this RNIC sends: layer, error type, error code (RFC 6580 §3, RFC 6581 §8).
namespace code {
inline constexpr std::uint16_t local_catastrophic = 0x0000;
inline constexpr std::uint16_t remote_invalid_stag = 0x0100;
inline constexpr std::uint16_t remote_bounds = 0x0101;
inline constexpr std::uint16_t remote_access = 0x0102;
inline constexpr std::uint16_t remote_association = 0x0103;
inline constexpr std::uint16_t remote_wrap = 0x0104;
inline constexpr std::uint16_t cannot_invalidate = 0x0109;
inline constexpr std::uint16_t rdmap_version = 0x0205;
inline constexpr std::uint16_t unexpected_opcode = 0x0206;
inline constexpr std::uint16_t stream_catastrophic = 0x0207;
inline constexpr std::uint16_t invalidate_operation = 0x0209;
inline constexpr std::uint16_t ddp_catastrophic = 0x1000;
inline constexpr std::uint16_t tagged_invalid_stag = 0x1100;
inline constexpr std::uint16_t tagged_bounds = 0x1101;
inline constexpr std::uint16_t tagged_association = 0x1102;
inline constexpr std::uint16_t tagged_wrap = 0x1103;
inline constexpr std::uint16_t tagged_version = 0x1104;
inline constexpr std::uint16_t untagged_queue = 0x1201;
inline constexpr std::uint16_t no_buffer = 0x1202;
inline constexpr std::uint16_t msn_range = 0x1203;
inline constexpr std::uint16_t invalid_mo = 0x1204;
inline constexpr std::uint16_t too_long = 0x1205;
inline constexpr std::uint16_t untagged_version = 0x1206;
inline constexpr std::uint16_t mpa_crc = 0x2002;
inline constexpr std::uint16_t mpa_marker = 0x2003;
inline constexpr std::uint16_t insufficient_ird = 0x2006;
inline constexpr std::uint16_t no_common_rtr = 0x2007;
}  // namespace code

struct Violation {
  std::uint16_t code = code::local_catastrophic;
  AsyncEventKind event = AsyncEventKind::none;
  // A receive WQE completes with it instead of the event.
  std::optional<CompletionStatus> receive_status = {};
};

// Of tagged segments (RFC 5041 §7.2: there is no code for access rights), of Read and Atomic sources, and of
// the STag a Send wants invalidated.
[[nodiscard]] Violation tagged_violation(MemoryFault fault) noexcept;
[[nodiscard]] Violation source_violation(MemoryFault fault) noexcept;
[[nodiscard]] Violation invalidate_violation(InvalidateFault fault) noexcept;

// The segment a Terminate is about.
struct Offender {
  std::uint16_t segment_length = 0;  // as DDP handed it up: the ULPDU's
  std::optional<wire::DdpHeader> header = {};
  std::optional<wire::ReadRequest> read_request = {};
};

// The Terminate for it: M, D and R are set where the layer that failed can tell (RFC 5040 §4.8).
[[nodiscard]] wire::Terminate compose_terminate(std::uint16_t code,
                                                const std::optional<Offender>& offender) noexcept;

}  // namespace iwarp::rnic
