// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/offending_field.hpp"

#include "render/fields.hpp"

namespace iwarp::dissector {
namespace {

struct Culprit {
  CheckId check;
  int Fields::*field;
};

// A check that reads several fields stands at the one that differs from what is due.
constexpr Culprit culprits[] = {
    {CheckId::mpa_rev, &Fields::mpa_rev},
    {CheckId::mpa_revknown, &Fields::mpa_rev},
    {CheckId::mpa_res, &Fields::mpa_reserved},
    {CheckId::mpa_reqr, &Fields::mpa_rejected},
    {CheckId::mpa_pdlen, &Fields::mpa_private_data_length},
    {CheckId::mpa_srev, &Fields::mpa_enhanced},
    {CheckId::mpa_abcd, &Fields::mpa_peer_to_peer},
    {CheckId::mpa_irdord, &Fields::mpa_ord},
    {CheckId::mpa_smbdzero, &Fields::mpa_ird},
    {CheckId::mpa_irdlow, &Fields::mpa_ird},
    {CheckId::mpa_initinit, &Fields::mpa_kind},
    {CheckId::mpa_rtr, &Fields::rdmap_opcode},
    {CheckId::mpa_rtrunneg, &Fields::rdmap_opcode},
    {CheckId::mpa_rtrterm, &Fields::terminate_control},
    {CheckId::mpa_len, &Fields::fpdu_ulpdu_length},
    {CheckId::mpa_lengso, &Fields::fpdu_ulpdu_length},
    {CheckId::mpa_mulpdu, &Fields::fpdu_ulpdu_length},
    {CheckId::mpa_pad, &Fields::fpdu_pad},
    {CheckId::mpa_padsiw, &Fields::fpdu_pad},
    {CheckId::mpa_crc, &Fields::fpdu_crc},
    {CheckId::mpa_crcorder, &Fields::fpdu_crc},
    {CheckId::mpa_mkptr, &Fields::marker_fpduptr},
    {CheckId::mpa_mkbits, &Fields::marker_fpduptr},
    {CheckId::mpa_mkrsv, &Fields::marker_reserved},
    {CheckId::ddp_dv, &Fields::ddp_version},
    {CheckId::ddp_rsvd, &Fields::ddp_reserved},
    {CheckId::ddp_top, &Fields::ddp_tagged},
    {CheckId::ddp_qn, &Fields::ddp_qn},
    {CheckId::ddp_msn1, &Fields::ddp_msn},
    {CheckId::ddp_msngap, &Fields::ddp_msn},
    {CheckId::ddp_msndup, &Fields::ddp_msn},
    {CheckId::ddp_lmiss, &Fields::ddp_msn},
    {CheckId::ddp_mo0, &Fields::ddp_mo},
    {CheckId::ddp_moseq, &Fields::ddp_mo},
    {CheckId::ddp_moorder, &Fields::ddp_mo},
    {CheckId::ddp_ldup, &Fields::ddp_mo},
    {CheckId::ddp_toseq, &Fields::ddp_to},
    {CheckId::ddp_towrap, &Fields::ddp_to},
    {CheckId::rdmap_rv, &Fields::rdmap_version},
    {CheckId::rdmap_rsv, &Fields::rdmap_reserved},
    {CheckId::rdmap_op, &Fields::rdmap_opcode},
    {CheckId::rdmap_opexp, &Fields::rdmap_opcode},
    {CheckId::rdmap_ext, &Fields::rdmap_opcode},
    {CheckId::rdmap_rrnone, &Fields::ddp_stag},
    {CheckId::rdmap_atnone, &Fields::ddp_msn},
    {CheckId::rdmap_rrmatch, &Fields::ddp_stag},
    {CheckId::rdmap_ord, &Fields::rdmap_opcode},
    {CheckId::rdmap_ird, &Fields::rdmap_opcode},
    {CheckId::rdmap_atop, &Fields::atomic_operation},
    {CheckId::rdmap_atrsv, &Fields::atomic_reserved},
    {CheckId::rdmap_atreqid, &Fields::atomic_request_id},
    {CheckId::rdmap_termcode, &Fields::terminate_control},
    {CheckId::rdmap_termunreg, &Fields::terminate_control},
    {CheckId::rdmap_termref, &Fields::terminated_header},
    {CheckId::rdmap_termquote, &Fields::terminated_msn},
};

// Of an FPDU's markers the one whose half has the value that the finding tells.
bool is_meant(field_info* info, const Finding& finding) noexcept {
  switch (finding.check) {
    case CheckId::mpa_mkptr:
    case CheckId::mpa_mkbits: return fvalue_get_uinteger(value_of(info->value)) == finding.arguments[0];
    case CheckId::mpa_mkrsv: return fvalue_get_uinteger(value_of(info->value)) == finding.arguments[1];
    default: return true;
  }
}

proto_item* item_below(proto_tree* tree, int field, const Finding& finding) noexcept {
  for (proto_node* node = tree->first_child; node != nullptr; node = node->next) {
    if (node->finfo != nullptr && node->finfo->hfinfo->id == field && is_meant(node->finfo, finding))
      return node;
    if (proto_item* const found = item_below(node, field, finding)) return found;
  }
  return nullptr;
}

}  // namespace

proto_item* offending_item(proto_tree* tree, const Finding& finding) {
  if (tree == nullptr) return nullptr;
  for (const Culprit& culprit : culprits) {
    if (culprit.check == finding.check) return item_below(tree, hf.*culprit.field, finding);
  }
  return nullptr;
}

}  // namespace iwarp::dissector
