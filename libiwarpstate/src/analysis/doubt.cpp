// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/doubt.hpp"

namespace iwarp {
namespace {

enum class Needs {
  nothing,    // a note about the capture, or about what is there for certain
  fpdu,       // one FPDU tells
  direction,  // with those before it
  both,       // with those of the other side
  order       // … and which came first
};

Needs needs_of(CheckId check) noexcept {
  using enum CheckId;
  switch (check) {
    case mpa_len:
    case mpa_lengso:
    case mpa_pad:
    case mpa_padsiw:
    case mpa_crc:
    case mpa_crcorder:
    case mpa_mkptr:
    case mpa_mkbits:
    case mpa_mkrsv:
    case ddp_dv:
    case ddp_rsvd:
    case ddp_top:
    case ddp_qn:
    case ddp_towrap:
    case rdmap_rv:
    case rdmap_rsv:
    case rdmap_inv0:
    case rdmap_op:
    case rdmap_rreq:
    case rdmap_stag0:
    case rdmap_atlen:
    case rdmap_atop:
    case rdmap_atrsv:
    case rdmap_imm8:
    case rdmap_termcode:
    case rdmap_termunreg:
    case rdmap_termlen:
    case rdmap_termrest: return Needs::fpdu;
    case mpa_sync:
    case ddp_msn1:
    case ddp_msngap:
    case ddp_msndup:
    case ddp_mo0:
    case ddp_moseq:
    case ddp_moorder:
    case ddp_mowrap:
    case ddp_lmiss:
    case ddp_ldup:
    case ddp_const:
    case ddp_toseq:
    case ddp_zero:
    case ddp_mix:
    case rdmap_term1:
    case rdmap_termend: return Needs::direction;
    case mpa_cut:
    case mpa_respfirst:
    case rdmap_rrnone:
    case rdmap_atnone:
    case rdmap_rrmatch:
    case rdmap_rrlong:
    case rdmap_rrshort:
    case rdmap_rrorder:
    case rdmap_rrlost:
    case rdmap_rrzero:
    case rdmap_ord:
    case rdmap_ird:
    case rdmap_atreqid:
    case rdmap_termref:
    case rdmap_termwhy:
    case verbs_badclose:
    case verbs_rst: return Needs::both;
    case rdmap_termterm:
    case rdmap_afterterm:
    case rdmap_afterfin:
    case verbs_closedata: return Needs::order;
    default: return Needs::nothing;
  }
}

}  // namespace

std::optional<Reason> Doubt::of(CheckId check) const noexcept {
  const Needs needs = needs_of(check);
  if (needs == Needs::nothing) return std::nullopt;
  if (octets) return octets;
  if (needs == Needs::fpdu) return std::nullopt;
  if (before) return before;
  if (needs == Needs::direction) return std::nullopt;
  if (other) return other;
  return needs == Needs::order ? order : std::nullopt;
}

}  // namespace iwarp
