// Rules of DDP and RDMAP control fields, each segment by itself (RFC 5041 §4, RFC 5040 §4.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judgement.hpp"
#include "state/mpa_state.hpp"

namespace iwarp::check {
namespace {

// The control octets of nearly every segment: version 1 twice, nothing reserved set.
constexpr bool plain(const wire::DdpHeader& ddp) noexcept {
  return (ddp.ddp_control & 0x3fU) == 0x01U && (ddp.rdmap_control & 0xf0U) == 0x40U;
}

void judge_control(const Judgement& j, const wire::DdpHeader& ddp) {
  const MpaState& mpa = j.before.mpa;
  if (ddp.ddp_reserved() != 0) j.violated(CheckId::ddp_rsvd, {ddp.ddp_control});
  if (ddp.rdmap_reserved() != 0) j.violated(CheckId::rdmap_rsv, {ddp.rdmap_control});
  const unsigned version = is_revision_zero(mpa) ? 0 : 1;
  const bool told = mpa.frames[0] || mpa.frames[1];
  if (!told && ddp.ddp_version() == 0 && ddp.rdmap_version() == 0) {
    // A stream of revision 0, perhaps.
    return j.undecidable({CheckId::ddp_dv, CheckId::rdmap_rv}, Reason::midstream);
  }
  if (ddp.ddp_version() != version) j.violated(CheckId::ddp_dv, {ddp.ddp_version(), version});
  if (ddp.rdmap_version() != version) j.violated(CheckId::rdmap_rv, {ddp.rdmap_version(), version});
}

void judge_tagged(const Judgement& j, const wire::DdpHeader& ddp, std::uint32_t payload) {
  if (payload == 0) return;  // neither STag nor TO are checked (RFC 5041 §5.2)
  if (ddp.to > ~std::uint64_t{0} - (payload - 1)) j.violated(CheckId::ddp_towrap, {ddp.to, payload});
  if (ddp.stag == 0) j.violated(CheckId::rdmap_stag0, {argument(ddp.opcode())});
}

void judge_untagged(const Judgement& j, const wire::DdpHeader& ddp, std::uint32_t payload) {
  const wire::Opcode opcode = ddp.opcode();
  const std::uint64_t end = std::uint64_t{ddp.mo} + payload;
  if (end > 0xffffffffU) j.violated(CheckId::ddp_mowrap, {end});
  if (!wire::is_known(opcode) || wire::is_tagged(opcode)) return;
  const std::uint32_t queue = wire::queue_of(opcode);
  if (ddp.queue != queue) j.violated(CheckId::ddp_qn, {argument(opcode), ddp.queue, queue});
  if (wire::invalidates(opcode)) {
    if (ddp.stag == 0) j.violated(CheckId::rdmap_stag0, {argument(opcode)});
  } else if (ddp.stag != 0) {
    j.violated(CheckId::rdmap_inv0, {argument(opcode), ddp.stag});
  }
}

void judge_opcode(const Judgement& j, const wire::DdpHeader& ddp) {
  const wire::Opcode opcode = ddp.opcode();
  if (!wire::is_known(opcode)) {
    if (argument(opcode) == 15) {
      j.violated(CheckId::rdmap_opexp);
    } else {
      j.violated(CheckId::rdmap_op, {argument(opcode)});
    }
  } else if (wire::is_tagged(opcode) != ddp.tagged()) {
    const Phrase kind = ddp.tagged() ? Phrase::tagged_segment : Phrase::untagged_segment;
    j.violated(CheckId::ddp_top, {argument(opcode), argument(kind)});
  }
}

}  // namespace

void judge_headers(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  const std::uint32_t payload = payload_of(fpdu);
  if (!plain(ddp) || is_revision_zero(j.before.mpa)) judge_control(j, ddp);
  judge_opcode(j, ddp);
  if (payload == 0 && !ddp.last()) j.violated(CheckId::ddp_zero, {argument(Phrase::not_last)});
  if (ddp.tagged()) {
    judge_tagged(j, ddp, payload);
  } else {
    judge_untagged(j, ddp, payload);
  }
}

}  // namespace iwarp::check
