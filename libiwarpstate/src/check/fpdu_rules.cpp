// Rules of the FPDU around its ULPDU: length, PAD, CRC, markers (RFC 5044 §3, §4).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judgement.hpp"
#include "state/mpa_state.hpp"

namespace iwarp::check {
namespace {

Reason reason_of_missing(const Judgement& j) noexcept {
  return j.fact.fpdu.cut ? j.side().missing_reason : Reason::mode_unknown;
}

// Where both ends are siw with its private flag, FPDUs may be as long as ULPDU_Length can say.
void judge_longest(const Judgement& j, const FpduFact& fpdu) {
  const auto& [request, reply] = j.before.mpa.frames;
  const bool other_than_siw = (request && !has_siw_flag(*request)) || (reply && !has_siw_flag(*reply));
  if (request && reply && !other_than_siw) return j.violated(CheckId::mpa_lengso, {fpdu.ulpdu_length});
  j.verdict(CheckId::mpa_len, when(!other_than_siw, Reason::mode_unknown),
            {fpdu.ulpdu_length, fpdu.ddp.tagged() ? wire::tagged_header_size : wire::untagged_header_size});
}

void judge_length(const Judgement& j, const FpduFact& fpdu) {
  if (fpdu.ulpdu_length > wire::max_ulpdu_length) return judge_longest(j, fpdu);
  const bool headless = fpdu.header_octets == 0;
  if (!fpdu.malformed && (!headless || fpdu.ulpdu_length >= wire::untagged_header_size)) return;
  // A stream that seems to have no markers, and a leading one, behind which octets are missing or a CRC of 0
  // where none is in use.
  const bool marker = fpdu.ulpdu_length == 0 && headless && fpdu.crc != CrcStatus::good && j.side().inferred;
  // Without a control octet the smaller header is the bound.
  const bool tagged = fpdu.ulpdu_length == 0 || fpdu.ddp.tagged();
  j.verdict(CheckId::mpa_len,
            first_of({when(!fpdu.malformed, j.side().missing_reason), when(marker, Reason::mode_unknown)}),
            {fpdu.ulpdu_length, tagged ? wire::tagged_header_size : wire::untagged_header_size});
}

void judge_size(const Judgement& j, const FpduFact& fpdu) {
  const std::uint16_t mss = j.peer().mss;
  if (mss == 0) {
    j.undecidable(CheckId::mpa_mulpdu, Reason::mss_unknown);
  } else if (fpdu.wire_size > mss && fpdu.ulpdu_length > wire::min_mulpdu && !j.said(CheckId::mpa_mulpdu)) {
    j.violated(CheckId::mpa_mulpdu, {fpdu.wire_size, mss}, {fpdu.first_frame});
  }
}

void judge_pad(const Judgement& j, const FpduFact& fpdu) {
  if (fpdu.cut) {
    if (wire::pad_size(fpdu.ulpdu_length) != 0) j.undecidable(CheckId::mpa_pad, j.side().missing_reason);
  } else if (fpdu.pad != 0) {
    j.violated(is_siw(j.before, j.fact.side) ? CheckId::mpa_padsiw : CheckId::mpa_pad,
               {fpdu.pad, wire::pad_size(fpdu.ulpdu_length)}, {fpdu.first_frame});
  }
}

// A start-up frame that was captured asks for CRC: both directions use it (RFC 5044 §7.1.1).
bool crc_agreed(const MpaState& mpa) noexcept {
  return (mpa.frames[0] && mpa.frames[0]->crc) || (mpa.frames[1] && mpa.frames[1]->crc);
}

void judge_crc(const Judgement& j, const FpduFact& fpdu) {
  switch (fpdu.crc) {
    case CrcStatus::good:
    case CrcStatus::unused: return;
    case CrcStatus::undecidable: j.undecidable(CheckId::mpa_crc, reason_of_missing(j)); return;
    case CrcStatus::bad: break;
  }
  // More likely one of a stream without CRC, in which FPDUs with a right one were stored, or of a later
  // connection whose start lay in a hole; or a marker of a stream that seemed to have none.
  const bool other_mode = (fpdu.crc_field == 0 && !(crc_agreed(j.before.mpa) && j.side().crc_confirmed)) ||
                          (fpdu.ulpdu_length == 0 && j.side().inferred);
  if (other_mode || !crc_in_wrong_order(j.side(), fpdu)) {
    j.verdict(CheckId::mpa_crc, when(other_mode, Reason::mode_unknown), {fpdu.crc_field, fpdu.crc_computed},
              {fpdu.first_frame});
  } else if (!j.said(CheckId::mpa_crcorder)) {
    j.violated(CheckId::mpa_crcorder, {}, {fpdu.first_frame});
  }
}

// `report(seen, offset, at)` of the first marker with this fault: its value, its stream offset, its place in
// the FPDU.
template <typename Report>
void judge_marker(const FpduFact& fpdu, MarkerFault fault, Report report) {
  if ((fpdu.marker_faults & fault) == 0) return;
  const std::uint32_t at = fpdu.marker_at[row_of(fault)];
  report(std::uint64_t{fpdu.marker_seen[row_of(fault)]}, fpdu.stream_offset + at, at);
}

void judge_markers(const Judgement& j, const FpduFact& fpdu) {
  const FrameNumber frame = fpdu.first_frame;
  judge_marker(fpdu, marker_pointer, [&](std::uint64_t seen, StreamOffset offset, std::uint32_t at) {
    j.violated(CheckId::mpa_mkptr, {seen, offset, wire::fpdu_pointer(at)}, {frame});
  });
  judge_marker(fpdu, marker_low_bits, [&](std::uint64_t seen, StreamOffset offset, std::uint32_t) {
    j.violated(CheckId::mpa_mkbits, {seen, offset}, {frame});
  });
  judge_marker(fpdu, marker_reserved, [&](std::uint64_t seen, StreamOffset offset, std::uint32_t) {
    j.violated(CheckId::mpa_mkrsv, {offset, seen}, {frame});
  });
}

// Some of its markers were not captured: only a fault of the others is certain. FPDUPTR's low bits are no
// rule of their own.
void judge_missing_markers(const Judgement& j, const FpduFact& fpdu) {
  const Reason reason = j.side().missing_reason;
  if ((fpdu.marker_faults & marker_pointer) == 0) j.undecidable(CheckId::mpa_mkptr, reason);
  if ((fpdu.marker_faults & marker_reserved) == 0) j.undecidable(CheckId::mpa_mkrsv, reason);
}

}  // namespace

void judge_fpdu(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  if (j.before.llp == Llp::sctp) return;  // nothing stands around the segment
  if (fpdu.unfinished) return judge_length(j, fpdu);
  judge_crc(j, fpdu);
  if (!is_trusted(j.side(), fpdu)) return;  // damaged octets break no other rule for certain
  judge_length(j, fpdu);
  judge_size(j, fpdu);
  judge_pad(j, fpdu);
  if (fpdu.marker_faults != 0) judge_markers(j, fpdu);
  if (fpdu.markers_missing) judge_missing_markers(j, fpdu);
}

// Said once of a direction, at the end: senders and their TCP often do otherwise, and may.
void judge_alignment(const Judgement& j) {
  for (const Side side : {Side::a, Side::b}) {
    const AlignmentCounts& counts = j.before.side(side).alignment;
    if (counts.unaligned == 0) continue;
    j.out.violated(side, CheckId::mpa_align, {counts.unaligned, counts.judged, counts.first_unaligned_frame},
                   {counts.first_unaligned_frame});
  }
}

}  // namespace iwarp::check
