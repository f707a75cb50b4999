// Rules of RDMAP messages that have a header of their own (RFC 5040 §4.4, RFC 7306 §5, §6).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judgement.hpp"

namespace iwarp::check {
namespace {

// Such a message is one segment of a length that its opcode fixes.
bool is_single(const wire::DdpHeader& ddp) noexcept {
  return ddp.mo == 0 && ddp.last();
}

bool has_size(const FpduFact& fpdu, std::uint32_t header) noexcept {
  return fpdu.ulpdu_length == wire::untagged_header_size + header;
}

void judge_read_request(const Judgement& j, const FpduFact& fpdu) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (!has_size(fpdu, wire::read_request_size) || !is_single(ddp)) {
    j.violated(CheckId::rdmap_rreq, {fpdu.ulpdu_length, ddp.mo, ddp.last()});
  }
  const auto request = wire::parse_read_request(rdmap_view(fpdu));
  if (!request) {
    // The header is not there although the ULPDU holds it.
    if (payload_of(fpdu) >= wire::read_request_size)
      j.undecidable(CheckId::rdmap_stag0, j.side().missing_reason);
  } else if (request->size > 0 && request->source_stag == 0) {
    j.violated(CheckId::rdmap_stag0, {argument(ddp.opcode())});
  }
}

void judge_atomic_length(const Judgement& j, const FpduFact& fpdu, std::uint32_t header) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (has_size(fpdu, header) && is_single(ddp)) return;
  j.violated(CheckId::rdmap_atlen, {argument(ddp.opcode()), fpdu.ulpdu_length, ddp.mo, ddp.last()});
}

void judge_atomic_request(const Judgement& j, const FpduFact& fpdu) {
  judge_atomic_length(j, fpdu, wire::atomic_request_size);
  const auto request = wire::parse_atomic_request(rdmap_view(fpdu));
  if (!request) {
    if (payload_of(fpdu) >= wire::atomic_request_size) {
      j.undecidable({CheckId::rdmap_atop, CheckId::rdmap_atrsv, CheckId::rdmap_stag0},
                    j.side().missing_reason);
    }
    return;
  }
  const auto operation = static_cast<wire::AtomicOperation>(request->operation);
  if (operation != wire::AtomicOperation::fetch_add && operation != wire::AtomicOperation::cmp_swap) {
    j.violated(CheckId::rdmap_atop, {request->operation});
  }
  const bool defaults = operation != wire::AtomicOperation::fetch_add ||
                        (request->compare_data == 0 && request->compare_mask == ~std::uint64_t{0});
  if (request->reserved != 0 || !defaults) {
    j.violated(CheckId::rdmap_atrsv, {request->reserved, request->compare_data, request->compare_mask});
  }
  if (request->remote_stag == 0) j.violated(CheckId::rdmap_stag0, {argument(fpdu.ddp.opcode())});
  // A TO that is no address counts from a base that may make up for it.
  constexpr std::uint64_t lowest_address = std::uint64_t{1} << 32U;
  if (request->remote_to % 8 != 0)
    j.verdict(CheckId::rdmap_atalign, when(request->remote_to < lowest_address, Reason::ulp_unknown),
              {request->remote_to});
}

void judge_immediate(const Judgement& j, const FpduFact& fpdu) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (has_size(fpdu, wire::immediate_size) && is_single(ddp)) return;
  j.violated(CheckId::rdmap_imm8, {argument(ddp.opcode()), fpdu.ulpdu_length, ddp.mo, ddp.last()});
}

}  // namespace

void judge_rdmap(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  switch (fpdu.ddp.opcode()) {
    case wire::Opcode::read_request: judge_read_request(j, fpdu); break;
    case wire::Opcode::atomic_request: judge_atomic_request(j, fpdu); break;
    case wire::Opcode::atomic_response: judge_atomic_length(j, fpdu, wire::atomic_response_size); break;
    case wire::Opcode::immediate:
    case wire::Opcode::immediate_se: judge_immediate(j, fpdu); break;
    default: break;
  }
}

}  // namespace iwarp::check
