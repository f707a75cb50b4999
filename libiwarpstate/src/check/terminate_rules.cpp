// Rules of the Terminate message (RFC 5040 §4.8, §5.4, §7; RFC 6580 §3; RFC 6581 §8).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "check/judgement.hpp"
#include "state/coverage.hpp"
#include "state/mpa_state.hpp"
#include "state/terminate_reading.hpp"

namespace iwarp::check {
namespace {

constexpr std::uint32_t shortest = 22;  // ULPDU_Length with the control word alone
constexpr std::uint32_t longest = 70;   // … and with an untagged DDP header and a Read Request header

// Octets of the headers that a Terminate has room for were not captured.
bool is_cut(const FpduFact& fpdu) noexcept {
  return rdmap_view(fpdu).size() + wire::untagged_header_size <
         std::min<std::uint32_t>(fpdu.ulpdu_length, longest);
}

void judge_form(const Judgement& j, const FpduFact& fpdu) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  const auto broken = [&](Phrase what, FrameNumber evidence) {
    j.violated(CheckId::rdmap_term1, {argument(what), ddp.msn, ddp.mo, fpdu.ulpdu_length}, {evidence});
  };
  if (!j.side().terminates.empty()) {
    broken(Phrase::second_terminate, j.side().terminates.front().frame);
  } else if (ddp.queue != wire::queue_terminate || ddp.msn != 1 || ddp.mo != 0 || !ddp.last()) {
    broken(Phrase::wrong_terminate_header, 0);
  } else if (fpdu.ulpdu_length < shortest || fpdu.ulpdu_length > longest) {
    broken(Phrase::wrong_terminate_length, 0);
  }
}

// Octets of the Terminate that the fields found in it take.
std::size_t told_octets(const wire::Terminate& terminate) noexcept {
  return 4 + (terminate.ddp_segment_length ? 2U : 0U) +
         (terminate.ddp_header ? terminate.ddp_header->size() : 0U) +
         (terminate.read_request ? wire::read_request_size : 0U) + terminate.leftover;
}

// Header control bits against what is there.
void judge_parts(const Judgement& j, const FpduFact& fpdu, const wire::Terminate& terminate) {
  const std::uint32_t length = fpdu.ulpdu_length;
  if (length < shortest || length > longest || !fpdu.ddp.last()) return;
  if (is_cut(fpdu)) {
    j.undecidable(CheckId::rdmap_termlen, j.side().missing_reason);
    return;
  }
  const bool lacks = (terminate.length_valid && !terminate.ddp_segment_length) ||
                     (terminate.has_ddp_header && !terminate.ddp_header) ||
                     (terminate.has_rdma_header && !terminate.read_request);
  const bool unannounced = (!terminate.has_ddp_header && terminate.ddp_header) ||
                           (!terminate.has_rdma_header && terminate.read_request);
  if (terminate.leftover > 0) {
    j.violated(CheckId::rdmap_termrest, {length, terminate.leftover});
    return;
  }
  Phrase what = Phrase::count;
  if (unannounced) {
    what = Phrase::header_without_bit;
  } else if (rdmap_view(fpdu).size() > told_octets(terminate)) {
    what = Phrase::zero_filled;
  } else if (lacks) {
    what = Phrase::bit_without_header;
  }
  if (what == Phrase::count) return;
  const unsigned bits = (terminate.length_valid ? 4U : 0U) | (terminate.has_ddp_header ? 2U : 0U) |
                        (terminate.has_rdma_header ? 1U : 0U);
  j.violated(CheckId::rdmap_termlen, {length, bits, argument(what)});
}

void judge_code(const Judgement& j, const wire::Terminate& terminate) {
  const std::uint16_t value = terminate.meant.value();
  Phrase what = Phrase::iana_code;
  switch (wire::describe_terminate(value).origin) {
    case wire::TerminateOrigin::iana: break;
    case wire::TerminateOrigin::verbs: what = Phrase::verbs_code; break;
    case wire::TerminateOrigin::vendor: what = Phrase::vendor_code; break;
    case wire::TerminateOrigin::unregistered: what = Phrase::unregistered_code; break;
  }
  if (what == Phrase::iana_code && terminate.bit_order == wire::BitOrder::rfc) return;
  if (what == Phrase::iana_code) what = Phrase::siw_bit_order;
  const CheckId check =
      what == Phrase::unregistered_code ? CheckId::rdmap_termunreg : CheckId::rdmap_termcode;
  j.violated(check, {value, argument(what), terminate.raw});
}

const wire::DdpHeader* quoted_header(const wire::Terminate& terminate) noexcept {
  return terminate.ddp_header ? &*terminate.ddp_header : nullptr;
}

// Why a header that was not found may have been sent all the same.
std::optional<Reason> doubt_of_quoted(const Judgement& j) noexcept {
  const SideState& peer = j.peer();
  return first_of({lacks(j.before, other(j.fact.side), 0, j.fact.ack),
                   when(peer.recent_count > peer.recent.size(), Reason::limit),
                   when(j.fact.ack == 0, Reason::skew)});
}

void judge_reference(const Judgement& j, const wire::Terminate& terminate) {
  const wire::DdpHeader* const quoted = quoted_header(terminate);
  const bool cut = is_cut(j.fact.fpdu);
  if (quoted == nullptr) {
    if (cut && terminate.has_ddp_header) j.undecidable(CheckId::rdmap_termref, j.side().missing_reason);
    return;
  }
  if (quoted_segment(j.before, j.fact.side, terminate) != nullptr) return;
  if (const Request* const refused = refused_request(j.before, j.fact.side, terminate)) {
    if (refused->msn != quoted->msn) {
      j.violated(CheckId::rdmap_termquote, {refused->msn, quoted->msn}, {refused->placed.frame});
    }
    return;  // the request itself is known, whatever else of its header is odd
  }
  const Reason of_cut = cut ? j.side().missing_reason : j.peer().missing_reason;
  j.verdict(CheckId::rdmap_termref,
            first_of({doubt_of_quoted(j), when(may_quote_request(j.before, j.fact.side, terminate), of_cut)}),
            {std::uint64_t{quoted->ddp_control} << 8U | quoted->rdmap_control,
             quoted->tagged() ? quoted->stag : quoted->msn});
}

void judge_reason(const Judgement& j, const wire::Terminate& terminate) {
  if (explains(j.before, j.fact.side, terminate)) return;
  const SideState& peer = j.peer();
  const std::uint16_t value = terminate.meant.value();
  const bool unchecked = is_crc_code(value) && peer.crc_counts.unchecked > 0 && peer.crc != Mode::off;
  const bool header_cut = value == 0x0104 && is_cut(j.fact.fpdu);  // the header sent back tells
  const RecentSegment* const quoted = quoted_segment(j.before, j.fact.side, terminate);
  j.verdict(CheckId::rdmap_termwhy,
            first_of({lacks(j.before, other(j.fact.side), 0),
                      when(unchecked, peer.crc == Mode::on ? peer.missing_reason : Reason::mode_unknown),
                      when(header_cut, j.side().missing_reason)}),
            {value, argument(Phrase::unexplained)}, {quoted != nullptr ? quoted->frame : 0});
}

// RFC 6581 §8, §9: the initiator's first FPDU is a Terminate.
void judge_startup_failure(const Judgement& j, const wire::Terminate& terminate) {
  const MpaState& mpa = j.before.mpa;
  if (!mpa.accepted || j.fact.side != j.before.initiator || j.side().first_fpdu_frame != 0) return;
  if (mpa.limits_source != LimitsSource::mpa || j.side().holes > 0) return;
  const wire::EnhancedWord& request = mpa.frames[0]->word;
  const wire::EnhancedWord& reply = mpa.frames[1]->word;
  const bool no_rtr = mpa.peer_to_peer && common_rtr_bits(mpa) == 0;
  const bool no_ird = request.ird != wire::depth_not_negotiated && reply.ord != wire::depth_not_negotiated &&
                      reply.ord > request.ird;
  if (!no_rtr && !no_ird) return;
  const std::uint16_t value = terminate.meant.value();
  if ((no_rtr && value == 0x2007) || (no_ird && value == 0x2006)) return;
  j.violated(CheckId::mpa_rtrterm, {value, no_rtr ? 0x2007U : 0x2006U},
             {mpa.frame_numbers[0], mpa.frame_numbers[1]});
}

// RFC 7306 §1.1
void judge_extension(const Judgement& j, const wire::Terminate& terminate) {
  if (terminate.meant.value() != 0x0206) return;
  const wire::DdpHeader* header = quoted_header(terminate);
  const SideState& peer = j.peer();
  if (header == nullptr && peer.recent_count > 0) {
    header = &peer.recent[(peer.recent_count - 1) % max_recent_segments].ddp;
  }
  if (header == nullptr) return;
  const auto opcode = argument(header->opcode());
  if (opcode < argument(wire::Opcode::immediate) || opcode > argument(wire::Opcode::atomic_response)) return;
  j.violated(CheckId::rdmap_ext, {opcode});
}

// RFC 5040 §5.2.1: a zero-length Read's source is never checked.
void judge_zero_read(const Judgement& j, const wire::Terminate& terminate) {
  if (terminate.meant.layer != 0 || terminate.meant.etype != 1) return;
  const Request* const refused = refused_request(j.before, j.fact.side, terminate);
  if (refused == nullptr && terminate.read_request && terminate.read_request->size == 0) {
    if (const auto reason = doubt_of_quoted(j)) j.undecidable(CheckId::rdmap_rrzero, *reason);
  }
  if (refused == nullptr || refused->kind != RequestKind::read || refused->partial || refused->size != 0)
    return;
  j.verdict(CheckId::rdmap_rrzero, when(terminate.cut_request.has_value(), j.side().missing_reason),
            {terminate.meant.value()}, {refused->placed.frame});
}

// Verbs 1.0 §6.2.2.3
void judge_crossing(const Judgement& j) {
  if (j.peer().terminates.empty()) return;
  const TerminateSeen& received = j.peer().terminates.front();
  if (j.fact.ack < received.end_offset) return;  // they crossed
  const bool acknowledged = received.acknowledged_frame != 0;
  const bool unknown = acknowledged && received.acknowledged_at == sent_unknown;
  // Sent before the peer's was acknowledged, though captured when it was sent again.
  if (acknowledged && !unknown && j.fact.offset < received.acknowledged_at) return;
  j.verdict(
      CheckId::rdmap_termterm,
      first_of({when(unknown, Reason::midstream), when(may_have_been_due(j.fact, received), Reason::skew)}),
      {received.frame}, {j.fact.fpdu.first_frame, received.frame});
}

// A further segment of a Terminate, which should have been one: its first one was judged.
bool continues_terminate(const Judgement& j, const wire::DdpHeader& ddp) noexcept {
  if (ddp.queue != wire::queue_terminate || ddp.mo == 0) return false;
  const OpenMessage& open = j.side().queues[wire::queue_terminate].open;
  return open.active && open.msn == ddp.msn;
}

// Verbs 1.0 figure 24
void judge_bad_close(const Judgement& j, const wire::Terminate& terminate) {
  if (!j.peer().fin_frame || terminate.meant.value() != 0x0207) return;
  j.violated(CheckId::verbs_closeterm, {terminate.meant.value(), *j.peer().fin_frame}, {*j.peer().fin_frame});
}

}  // namespace

void judge_terminate(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  if (continues_terminate(j, fpdu.ddp)) return;
  judge_form(j, fpdu);
  judge_crossing(j);
  const auto terminate = read_terminate(j.before, j.fact.side, rdmap_view(fpdu), payload_of(fpdu));
  if (!terminate) {
    if (payload_of(fpdu) < 4) return;
    return j.undecidable(
        {CheckId::rdmap_termlen, CheckId::rdmap_termcode, CheckId::rdmap_termref, CheckId::rdmap_termwhy},
        j.side().missing_reason);
  }
  judge_parts(j, fpdu, *terminate);
  judge_code(j, *terminate);
  judge_startup_failure(j, *terminate);
  judge_extension(j, *terminate);
  judge_bad_close(j, *terminate);
  if (too_many_terminates(j.side()))
    return j.undecidable({CheckId::rdmap_termref, CheckId::rdmap_termwhy}, Reason::limit);
  judge_reference(j, *terminate);
  judge_reason(j, *terminate);
  judge_zero_read(j, *terminate);
}

}  // namespace iwarp::check
