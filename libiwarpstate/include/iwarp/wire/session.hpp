// DDP stream sessions over SCTP: what stands in front of a DDP segment, and session control messages.
// RFC 5043 §5, RFC 6581 §7.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>

#pragma GCC visibility push(default)
namespace iwarp::wire {

// Payload Protocol Identifiers (RFC 5043 §5.2).
inline constexpr std::uint32_t ppid_ddp_segment = 16;
inline constexpr std::uint32_t ppid_session_control = 17;

// The Adaptation Indication of DDP (RFC 5043 §5.1).
inline constexpr std::uint32_t adaptation_ddp = 1;

inline constexpr std::uint32_t ddp_ssn_size = 2;         // before a DDP segment
inline constexpr std::uint32_t session_header_size = 4;  // DDP-SSN and Function Code

// Function Codes (RFC 5043 §5.2.3, RFC 6581 §7). Others are not assigned.
enum class SessionFunction : std::uint16_t {
  initiate = 1,
  accept = 2,
  reject = 3,
  terminate = 4,
  enhanced_initiate = 5,
  enhanced_accept = 6,
  enhanced_reject = 7,
};

[[nodiscard]] constexpr bool is_assigned(SessionFunction function) noexcept {
  return function >= SessionFunction::initiate && function <= SessionFunction::enhanced_reject;
}
[[nodiscard]] constexpr bool is_enhanced(SessionFunction function) noexcept {
  return function >= SessionFunction::enhanced_initiate && function <= SessionFunction::enhanced_reject;
}
[[nodiscard]] constexpr bool is_initiate(SessionFunction function) noexcept {
  return function == SessionFunction::initiate || function == SessionFunction::enhanced_initiate;
}
[[nodiscard]] constexpr bool is_accept(SessionFunction function) noexcept {
  return function == SessionFunction::accept || function == SessionFunction::enhanced_accept;
}
[[nodiscard]] constexpr bool is_reject(SessionFunction function) noexcept {
  return function == SessionFunction::reject || function == SessionFunction::enhanced_reject;
}

}  // namespace iwarp::wire
#pragma GCC visibility pop
