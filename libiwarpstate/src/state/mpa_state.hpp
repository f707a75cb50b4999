// MPA start-up frames folded: roles, modes, IRD and ORD (RFC 5044 §7.1, RFC 6581 §9).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

void fold_startup(const Fold& fold);

// Bits of the ready-to-receive kinds a start-up frame names: 4 Send, 2 Write, 1 Read.
[[nodiscard]] constexpr unsigned rtr_bits(const wire::EnhancedWord& word) noexcept {
  return (word.rtr_send ? 4U : 0U) | (word.rtr_write ? 2U : 0U) | (word.rtr_read ? 1U : 0U);
}
// … that both frames name.
[[nodiscard]] unsigned common_rtr_bits(const MpaState& mpa) noexcept;

// The bit of the zero-length operation that this FPDU is; 0 when it cannot be a ready-to-receive message.
// `known`: false where the octets that would tell were not captured.
[[nodiscard]] unsigned rtr_bit_of(const FpduFact& fpdu, bool& known) noexcept;

// What the first FPDU of the initiator is as a ready-to-receive message, negotiated or not.
[[nodiscard]] RtrKind rtr_kind_of(const MpaState& mpa, const FpduFact& fpdu) noexcept;

// A Request of the other side crossed the first one: no start-up comes of it.
[[nodiscard]] inline bool crosses(const ConnectionState& before, const Event& startup) noexcept {
  const MpaState& mpa = before.mpa;
  return startup.startup.kind == wire::StartupKind::request && mpa.frames[0] && !mpa.frames[1] &&
         before.initiator != startup.side;
}

// Whether what the start-up frames negotiate is not known because a word of theirs was not captured.
[[nodiscard]] inline bool lacks_words(const MpaState& mpa) noexcept {
  return (mpa.frames[0] && mpa.frames[0]->word_missing()) || (mpa.frames[1] && mpa.frames[1]->word_missing());
}

// siw's private flag, among the reserved ones of a start-up frame: FPDUs may be longer than a segment. It
// alone sets it.
[[nodiscard]] inline bool has_siw_flag(const StartupFact& frame) noexcept {
  constexpr std::uint8_t siw_flag = 0x08;
  return (frame.reserved_flags & siw_flag) != 0;
}

// Whether a start-up frame of `side` shows that it is siw.
[[nodiscard]] inline bool is_siw(const ConnectionState& state, Side side) noexcept {
  const auto& own = state.mpa.frames[index(state.role_of(side))];
  return own && has_siw_flag(*own);
}

// The revision that both directions keep to: 0 only where the start-up says so (RFC 5044 appendix C).
[[nodiscard]] inline bool is_revision_zero(const MpaState& mpa) noexcept {
  const bool request_zero = mpa.frames[0] && mpa.frames[0]->revision == 0;
  if (!mpa.frames[1]) return request_zero;
  return mpa.frames[1]->revision == 0 && (!mpa.frames[0] || request_zero);
}

}  // namespace iwarp
