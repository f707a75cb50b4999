// Rules of the FPDU around its ULPDU: length, PAD, CRC, markers (RFC 5044 §3, §4).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judgement.hpp"

namespace iwarp::check {
namespace {

Reason reason_of_missing(const Judgement& j) noexcept {
  return j.fact.fpdu.cut ? j.side().missing_reason : Reason::mode_unknown;
}

void judge_size(const Judgement& j, const FpduFact& fpdu) {
  if (fpdu.malformed || fpdu.ulpdu_length > wire::max_ulpdu_length) {
    // Without a control octet the smaller header is the bound.
    const bool tagged = fpdu.ulpdu_length == 0 || fpdu.ddp.tagged();
    j.violated(CheckId::mpa_len,
               {fpdu.ulpdu_length, tagged ? wire::tagged_header_size : wire::untagged_header_size});
  }
  const std::uint16_t mss = j.peer().mss;
  if (mss == 0) {
    j.undecidable(CheckId::mpa_mulpdu, Reason::mss_unknown);
  } else if (fpdu.wire_size > mss && !j.said(CheckId::mpa_mulpdu)) {
    j.violated(CheckId::mpa_mulpdu, {fpdu.wire_size, mss}, {fpdu.first_frame});
  }
}

void judge_pad(const Judgement& j, const FpduFact& fpdu) {
  if (fpdu.cut) {
    if (wire::pad_size(fpdu.ulpdu_length) != 0) j.undecidable(CheckId::mpa_pad, j.side().missing_reason);
  } else if (fpdu.pad != 0) {
    j.violated(CheckId::mpa_pad, {fpdu.pad, wire::pad_size(fpdu.ulpdu_length)}, {fpdu.first_frame});
  }
}

void judge_crc(const Judgement& j, const FpduFact& fpdu) {
  switch (fpdu.crc) {
    case CrcStatus::good:
    case CrcStatus::unused: return;
    case CrcStatus::undecidable: j.undecidable(CheckId::mpa_crc, reason_of_missing(j)); return;
    case CrcStatus::bad: break;
  }
  if (!crc_in_wrong_order(j.side(), fpdu)) {
    j.violated(CheckId::mpa_crc, {fpdu.crc_field, fpdu.crc_computed}, {fpdu.first_frame});
  } else if (!j.said(CheckId::mpa_crcorder)) {
    j.violated(CheckId::mpa_crcorder, {}, {fpdu.first_frame});
  }
}

void judge_markers(const Judgement& j, const FpduFact& fpdu) {
  if ((fpdu.marker_faults & marker_pointer) != 0) {
    j.violated(CheckId::mpa_mkptr, {fpdu.marker_seen, fpdu.marker_offset, fpdu.marker_expected},
               {fpdu.first_frame});
  }
  if ((fpdu.marker_faults & marker_low_bits) != 0) {
    j.violated(CheckId::mpa_mkbits, {fpdu.marker_seen, fpdu.marker_offset}, {fpdu.first_frame});
  }
  if ((fpdu.marker_faults & marker_reserved) != 0) {
    j.violated(CheckId::mpa_mkrsv, {fpdu.marker_offset, fpdu.marker_seen}, {fpdu.first_frame});
  }
}

}  // namespace

void judge_fpdu(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  judge_crc(j, fpdu);
  if (!is_trusted(j.side(), fpdu)) return;  // damaged octets break no other rule for certain
  judge_size(j, fpdu);
  judge_pad(j, fpdu);
  if (fpdu.marker_faults != 0) judge_markers(j, fpdu);
}

}  // namespace iwarp::check
