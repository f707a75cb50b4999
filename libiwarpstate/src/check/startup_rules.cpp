// Rules of the MPA start-up frames (RFC 5044 §7.1, RFC 6581 §6, §9, §10).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judgement.hpp"
#include "state/coverage.hpp"
#include "state/mpa_state.hpp"

namespace iwarp::check {
namespace {

bool is_request(const StartupFact& frame) noexcept {
  return frame.kind == wire::StartupKind::request;
}

Phrase phrase_of(const StartupFact& frame) noexcept {
  return is_request(frame) ? Phrase::request : Phrase::reply;
}

// The Request that this Reply answers.
const StartupFact* answered(const Judgement& j) noexcept {
  const auto& request = j.before.mpa.frames[0];
  return !is_request(j.fact.startup) && request ? &*request : nullptr;
}

void judge_revision(const Judgement& j, const StartupFact& frame) {
  const StartupFact* const request = answered(j);
  const std::uint8_t asked = request != nullptr ? request->revision : frame.revision;
  const bool standard = frame.revision == 1 || frame.revision == 2;
  const bool in_use = frame.revision == 0 || frame.revision == 129;
  // Revision 0 frames mean other headers (RFC 5044 appendix C), and who asked with revision 1 need not
  // know 2.
  const bool together = frame.revision <= asked && (frame.revision == 0) == (asked == 0);
  if (together && in_use) j.violated(CheckId::mpa_revknown, {frame.revision, argument(phrase_of(frame))});
  if (together && (standard || in_use)) return;
  constexpr std::uint64_t highest = 2;
  const Phrase why = together ? Phrase::highest_revision : Phrase::request_revision;
  j.violated(CheckId::mpa_rev,
             {frame.revision, argument(phrase_of(frame)), argument(why), together ? highest : asked},
             {request != nullptr ? j.before.mpa.frame_numbers[0] : 0});
}

void judge_flags(const Judgement& j, const StartupFact& frame) {
  if (frame.reserved_flags != 0) j.violated(CheckId::mpa_res, {frame.reserved_flags});
  if (is_request(frame) && frame.rejected) j.violated(CheckId::mpa_reqr);
}

void judge_length(const Judgement& j, const StartupFact& frame) {
  constexpr std::uint64_t word_size = 4;  // of RFC 6581's IRD/ORD word
  const std::uint64_t length = frame.private_data_length;
  const std::uint64_t received = frame.private_data_received;
  if (length > wire::max_private_data) {
    j.violated(CheckId::mpa_pdlen, {length, wire::max_private_data, argument(Phrase::are_the_most)});
  } else if (frame.enhanced && length < word_size) {
    j.violated(CheckId::mpa_pdlen, {length, word_size, argument(Phrase::are_for_the_word)});
  } else if (received < length && j.side().fin_frame) {
    j.verdict(CheckId::mpa_pdlen, lacks_octets(j.side()),
              {length, received, argument(Phrase::came_before_fin)});
  }
  // A Request cut short by its Reply.
  const StartupFact* const request = answered(j);
  if (request == nullptr || request->private_data_received >= request->private_data_length ||
      request->private_data_length > wire::max_private_data) {
    return;
  }
  // The responder had the rest: it is captured later.
  const bool later = j.fact.ack != 0 && j.fact.ack >= j.before.mpa.frame_ends[0];
  j.out.verdict(
      other(j.fact.side), CheckId::mpa_pdlen, first_of({lacks_octets(j.peer()), when(later, Reason::skew)}),
      {request->private_data_length, request->private_data_received, argument(Phrase::came_before_reply)},
      {j.before.mpa.frame_numbers[0]});
}

// Rules on the peer's frame and on the pair, for a frame of `side` without the peer's.
void count_unpaired(const Judgement& j, Side side) {
  j.out.undecidable(side,
                    {CheckId::mpa_key, CheckId::mpa_rev, CheckId::mpa_pdlen, CheckId::mpa_early,
                     CheckId::mpa_srev, CheckId::mpa_abcd, CheckId::mpa_irdord, CheckId::mpa_irdlow},
                    reason_of_missing(j.before, other(side)));
}

void judge_enhanced(const Judgement& j, const StartupFact& frame) {
  const StartupFact* const request = answered(j);
  const bool asked = request != nullptr ? request->enhanced : frame.enhanced;
  const bool too_early = frame.enhanced && frame.revision < 2;
  if (too_early || frame.enhanced != asked) {
    const Phrase why = too_early ? Phrase::s_needs_revision
                       : asked   ? Phrase::request_has_s
                                 : Phrase::request_lacks_s;
    j.violated(CheckId::mpa_srev, {argument(phrase_of(frame)), frame.revision, frame.enhanced, argument(why)},
               {request != nullptr ? j.before.mpa.frame_numbers[0] : 0});
  }
}

void judge_model(const Judgement& j, const StartupFact& frame) {
  if (frame.word_missing()) j.undecidable(CheckId::mpa_abcd, j.side().missing_reason);
  if (!frame.enhanced || !frame.has_word) return;
  const StartupFact* const request = answered(j);
  const bool pair = request != nullptr && request->enhanced && request->has_word && !frame.rejected;
  const bool a = frame.word.peer_to_peer;
  const unsigned bits = rtr_bits(frame.word);
  const bool asked = pair ? request->word.peer_to_peer : a;
  const bool names_none = pair && a && bits == 0;
  if ((a || bits == 0) && a == asked && !names_none) return;
  const Phrase why = a != asked ? (asked ? Phrase::request_has_a : Phrase::request_lacks_a)
                     : a        ? Phrase::kind_needed
                                : Phrase::kinds_need_a;
  j.violated(CheckId::mpa_abcd, {argument(phrase_of(frame)), a, bits, argument(why)},
             {pair ? j.before.mpa.frame_numbers[0] : 0});
}

void judge_words(const Judgement& j, const StartupFact& request, const StartupFact& reply) {
  constexpr unsigned open_value = wire::depth_not_negotiated;
  const wire::EnhancedWord& asked = request.word;
  const wire::EnhancedWord& given = reply.word;
  const bool above = asked.ird != open_value && given.ord != open_value && given.ord > asked.ird;
  const bool not_in_kind = (asked.ord == open_value && given.ird != open_value) ||
                           (asked.ird == open_value && given.ord != open_value);
  if (above || not_in_kind) {
    j.violated(CheckId::mpa_irdord, {asked.ird, asked.ord, given.ird, given.ord},
               {j.before.mpa.frame_numbers[0]});
  }
  const bool lowers = asked.ord != open_value && given.ird != open_value && given.ird < asked.ord;
  if (lowers) j.violated(CheckId::mpa_irdlow, {given.ird, asked.ord}, {j.before.mpa.frame_numbers[0]});
}

// MS-SMBD: neither end gets along without RDMA Reads.
void judge_smbd_words(const Judgement& j, const StartupFact& frame) {
  if (!frame.has_smbd || frame.rejected || (frame.smbd_ird != 0 && frame.smbd_ord != 0)) return;
  j.violated(CheckId::mpa_smbdzero, {argument(phrase_of(frame)), frame.smbd_ird, frame.smbd_ord});
}

void judge_limits(const Judgement& j, const StartupFact& reply) {
  const StartupFact* const request = answered(j);
  if (request == nullptr || reply.rejected) return;
  if (request->word_missing() || reply.word_missing()) {
    const Reason reason = reply.word_missing() ? j.side().missing_reason : j.peer().missing_reason;
    j.undecidable({CheckId::mpa_irdord, CheckId::mpa_irdlow}, reason);
  }
  if (request->enhanced && request->has_word && reply.enhanced && reply.has_word) {
    judge_words(j, *request, reply);
  }
}

// RFC 6581 §9 of session control messages: their place and length are judged where they are read.
void judge_words_of_session(const Judgement& j, const StartupFact& frame) {
  judge_model(j, frame);
  judge_limits(j, frame);
}

}  // namespace

void judge_startup(const Judgement& j) {
  const StartupFact& frame = j.fact.startup;
  if (j.before.llp == Llp::sctp) return judge_words_of_session(j, frame);
  judge_revision(j, frame);
  judge_flags(j, frame);
  judge_length(j, frame);
  judge_enhanced(j, frame);
  judge_model(j, frame);
  judge_limits(j, frame);
  judge_smbd_words(j, frame);
  if (is_request(frame)) {
    if (crosses(j.before, j.fact)) {
      j.violated(CheckId::mpa_initinit, {}, {j.before.mpa.frame_numbers[0]});
    } else if (j.before.mpa.startups > 0 || j.before.mpa.frames[1]) {
      j.violated(CheckId::verbs_restart, {}, {j.before.mpa.frame_numbers[0]});
    }
  } else if (!j.before.mpa.frames[0]) {
    count_unpaired(j, j.fact.side);
  }
}

void judge_unanswered(const Judgement& j) {
  const MpaState& mpa = j.before.mpa;
  const Side initiator = j.before.initiator;
  if (j.before.llp == Llp::sctp) return;
  if (!mpa.frames[0] || mpa.frames[1] || j.before.side(initiator).first_fpdu_frame == 0) return;
  if (mpa.crossed || j.before.side(other(initiator)).violated.test(index(CheckId::mpa_key)))
    return;  // there was none
  count_unpaired(j, initiator);
}

void judge_startup_time(const Judgement& j) {
  if (j.before.llp == Llp::sctp) return;
  const MpaState& mpa = j.before.mpa;
  // A connection that ended waits for nothing any longer, however late it is let go.
  const bool ended = j.fact.kind == EventKind::closed &&
                     (j.fact.closed.cause == CloseCause::fin || j.fact.closed.cause == CloseCause::rst);
  const TimeNs now = ended ? j.fact.closed.last_time_ns : placement_of(j.fact).time_ns;
  const auto late = [&j, now](TimeNs since) { return now - since > j.limits.startup_timeout_ns; };
  const auto judge = [&j, now](Side side, Phrase what, TimeNs since, FrameNumber frame) {
    const SideState& silent = j.before.side(side);
    if (silent.violated.test(index(CheckId::mpa_tmo))) return;
    if (what == Phrase::request && silent.violated.test(index(CheckId::mpa_key)))
      return;  // it answered, wrongly
    const auto doubt = first_of({when(!silent.captured, Reason::one_direction), lacks_octets(silent)});
    if (doubt && j.fact.kind != EventKind::closed) return;  // it may be found still
    const auto waited = static_cast<std::uint64_t>((now - since) / 1'000'000);
    j.out.verdict(side, CheckId::mpa_tmo, doubt, {argument(what), waited}, {frame});
  };
  if (mpa.frames[0] && !mpa.frames[1]) {
    if (!mpa.crossed && late(mpa.frame_times[0])) {
      judge(other(j.before.initiator), Phrase::request, mpa.frame_times[0], mpa.frame_numbers[0]);
    }
  } else if (mpa.accepted && j.before.side(j.before.initiator).first_fpdu_frame == 0 &&
             late(mpa.frame_times[1])) {
    judge(j.before.initiator, Phrase::reply, mpa.frame_times[1], mpa.frame_numbers[1]);
  }
}

}  // namespace iwarp::check
