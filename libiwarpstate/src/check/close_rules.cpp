// Rules of how a connection ends (Verbs 1.0 §6.2, §6.6.2; RFC 5040 §6.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "check/judgement.hpp"
#include "state/coverage.hpp"
#include "state/messages.hpp"
#include "state/requests.hpp"
#include "state/stream_facts.hpp"

namespace iwarp::check {
namespace {

// Why `sender` may have received a Terminate that the capture shows later, or not at all.
std::optional<Reason> peer_terminate_unseen(const Judgement& j, Side sender) noexcept {
  const StreamOffset own_ack = sender == j.fact.side ? j.fact.ack : 0;
  const StreamOffset received = std::max(own_ack, j.before.side(sender).acknowledged);
  return terminate_unread(j.before, j.fact, other(sender), received);
}

// The same of one that either of them sent: it ends all requests (Verbs 1.0 §6.2.2.3).
std::optional<Reason> any_terminate_unseen(const Judgement& j) noexcept {
  return first_of({terminate_unread(j.before, j.fact, j.fact.side), peer_terminate_unseen(j, j.fact.side)});
}

// Verbs 1.0 §6.4 (1). `sender`: whose octets end, whoever ended them. `unseen`: why it may have received a
// Terminate.
void judge_cut(const Judgement& j, Side sender, Phrase by, const CutEnd& end, std::optional<Reason> unseen,
               const Culprit& culprit) {
  if (j.before.llp == Llp::sctp) return;  // TCP ends inside an FPDU, SCTP between messages of its own
  const SideState& side = j.before.side(sender);
  const bool terminated = any_terminate(j.before);
  // A Terminate of the other side ends a message wherever it is, one and a RST an FPDU, too; and one of its
  // own may come between the segments of a message (Verbs 1.0 §6.2.3).
  const bool inside = end.inside_fpdu && !(terminated && by == Phrase::rst);
  bool holed = false;
  if (!inside && (terminated || !end.inside_message || !has_open_message(side, holed))) return;
  const bool excusable = (!inside || by == Phrase::rst) && !terminated;
  j.out.verdict(sender, CheckId::mpa_cut,
                first_of({end.doubt, when(holed, side.missing_reason), when(excusable, unseen)}),
                {argument(by), argument(inside ? Phrase::in_fpdu : Phrase::in_message)}, {}, culprit);
}

void judge_settled_suspects(const Judgement& j) {
  if (any_terminate(j.before) || j.peer().fin_frame) return;
  for (const Side side : {Side::a, Side::b}) {
    const SuspectFpdu& suspect = j.before.side(side).suspect;
    if (suspect.frame == 0 || suspect.acknowledged_frame == 0) continue;
    j.out.violated(side, CheckId::cap_crcacked, {suspect.frame}, {suspect.frame, suspect.acknowledged_frame});
  }
}

// Why requests of `side` may have been answered at its end.
std::optional<Reason> answers_unread(const Judgement& j, Side side) noexcept {
  return first_of({unread_before_fin(j.before.side(other(side))), outstanding_unsure(j.before, side)});
}

// Requests of this side that are not known may be among octets that were not captured.
bool may_lack_requests(const SideState& side) noexcept {
  const bool captured = side.requests_doubt == Reason::gap || side.requests_doubt == Reason::unreadable;
  return side.requests_doubt && (!captured || side.gaps > 0);
}

void judge_lost_responses(const Judgement& j, Side side, bool ended) {
  const RequestList& requests = j.before.side(side).requests;
  const Side responder = other(side);
  if (any_terminate(j.before)) return;
  if (requests.empty()) {
    const SideState& requester = j.before.side(side);
    if (may_lack_requests(requester))
      j.out.undecidable(responder, CheckId::rdmap_rrlost, *requester.requests_doubt);
    return;
  }
  auto reason = first_of({answers_unread(j, side), any_terminate_unseen(j)});
  if (!ended && reason != Reason::one_direction) reason = Reason::capture_end;
  j.out.verdict(responder, CheckId::rdmap_rrlost, reason, {requests.size(), requests.front().placed.frame},
                {requests.front().placed.frame});
}

// The first Terminate of the connection, and who sent it.
const TerminateSeen* first_terminate(const ConnectionState& state, Side& sender) noexcept {
  const TerminateSeen* first = nullptr;
  for (const Side side : {Side::a, Side::b}) {
    const auto& terminates = state.side(side).terminates;
    if (terminates.empty() || (first != nullptr && first->frame <= terminates.front().frame)) continue;
    first = &terminates.front();
    sender = side;
  }
  return first;
}

// Verbs 1.0 §6.2.5: FPDUs that the closing side had not received when it sent the FIN, although they are told
// of before it. Those behind it: judge_position.
void judge_crossing_data(const Judgement& j) {
  const SideState& sender = j.peer();
  const FrameNumber fin = placement_of(j.fact).frame;
  if (any_terminate(j.before) || j.fact.ack == 0 || sender.alignment.end <= j.fact.ack) return;
  if (sender.violated.test(index(CheckId::verbs_closedata))) return;
  const Side side = other(j.fact.side);
  const auto doubt = terminate_unread(j.before, j.fact, j.fact.side);
  const bool damaged = sender.suspect.frame != 0 && sender.suspect.end_offset == sender.alignment.end;
  if (damaged || sender.recent_count == 0) {
    j.out.verdict(side, CheckId::verbs_closedata, doubt, {argument(Phrase::in_fpdu), fin}, {fin});
  } else {
    const RecentSegment& last = sender.recent[(sender.recent_count - 1) % max_recent_segments];
    j.out.verdict(side, CheckId::verbs_closedata, doubt, {argument(last.ddp.opcode()), fin}, {fin},
                  sender.last_fpdu);
  }
}

}  // namespace

void judge_fin(const Judgement& j) {
  if (!j.before.iwarp || j.side().fin_frame) return;
  judge_cut(j, j.fact.side, Phrase::fin, cut_end(j.before, j.fact, j.fact.side),
            peer_terminate_unseen(j, j.fact.side), {});
  judge_settled_suspects(j);
  judge_crossing_data(j);
  if (any_terminate(j.before)) return;
  const StreamOffset ack = acknowledged_at(j.before, j.fact);
  const std::size_t own = own_work(j.before, j.fact.side);
  const std::size_t inbound = inbound_work(j.before, j.fact.side, ack);
  if (own == 0 && inbound == 0) {
    for (const SideState* const side : {&j.side(), &j.peer()}) {
      if (!may_lack_requests(*side)) continue;
      return j.undecidable(CheckId::verbs_badclose, *side->requests_doubt);  // requests may be in a hole
    }
    return;
  }
  const bool waits = (own > 0 && (ack == 0 || waits_for_framing(j.peer(), ack))) ||
                     (inbound > 0 && waits_for_framing(j.side(), j.fact.offset));
  const RequestList& requests = own > 0 ? j.side().requests : j.peer().requests;
  j.verdict(CheckId::verbs_badclose,
            first_of({when(own > 0, answers_unread(j, j.fact.side)),
                      when(inbound > 0, answers_unread(j, other(j.fact.side))), any_terminate_unseen(j),
                      when(waits, Reason::skew)}),
            {own, inbound}, {requests.front().placed.frame});
}

void judge_rst(const Judgement& j) {
  if (!j.before.iwarp || j.side().rst_frame) return;
  for (const Side side : {Side::a, Side::b}) {
    if (!tells_where_it_stands(j.fact) || j.before.side(side).fin_frame) continue;
    judge_cut(j, side, Phrase::rst, cut_end(j.before, j.fact, side), peer_terminate_unseen(j, side), {});
  }
  const bool fin = j.side().fin_frame || j.peer().fin_frame;
  Side sender = j.fact.side;
  const TerminateSeen* const terminate = first_terminate(j.before, sender);
  if (terminate == nullptr || fin) return;
  j.violated(CheckId::rdmap_termfin, {terminate->frame, argument(Phrase::rst)}, {terminate->frame});
}

namespace {

// Verbs 1.0 §6.6.2.3, §6.4 (1). What comes behind a RST may show that octets before it were not captured, and
// only now nothing more comes.
void judge_reset(const Judgement& j) {
  if (!j.before.reset || any_terminate(j.before)) return;
  const Reset& reset = *j.before.reset;
  const auto unseen = first_of(
      {reset.doubt, terminate_unseen(j.before, reset.side), terminate_unseen(j.before, other(reset.side))});
  for (const Side side : {Side::a, Side::b}) {
    CutEnd end = reset.ends[index(side)];  // nothing where judge_rst() could tell
    const SideState& sender = j.before.side(side);
    if (sender.fin_frame) continue;
    // It went on, in octets that are captured behind the RST.
    if (end.inside_fpdu && end.behind != sender.alignment.end && !end.doubt) end.doubt = Reason::skew;
    judge_cut(j, side, Phrase::rst, end, unseen, reset.segment);
  }
  if (reset.abortive) j.out.verdict(reset.side, CheckId::verbs_rst, unseen, {}, {}, reset.segment);
}

}  // namespace

void judge_closed(const Judgement& j) {
  if (!j.before.iwarp) return;
  judge_reset(j);
  const CloseCause cause = j.fact.closed.cause;
  const bool ended = cause == CloseCause::fin || cause == CloseCause::rst || cause == CloseCause::reused;
  for (const Side side : {Side::a, Side::b}) judge_lost_responses(j, side, ended);
  Side sender = Side::a;
  const TerminateSeen* const terminate = first_terminate(j.before, sender);
  if (terminate == nullptr) return;
  for (const SideState& side : j.before.sides) {
    if (side.fin_frame || side.rst_frame) return;
  }
  const bool late = j.fact.time_ns - terminate->time_ns > j.limits.close_timeout_ns;
  j.out.verdict(sender, CheckId::rdmap_termfin,
                when(!late && cause != CloseCause::reused, Reason::capture_end),
                {terminate->frame, argument(Phrase::nothing)}, {terminate->frame});
}

void judge_stall(const Judgement& j) {
  // Who holds off, and by what: a closed window of its own, or the sender trying the same octets again.
  const bool window = j.fact.kind == EventKind::window;
  if (window ? !j.fact.window.closed : j.fact.retransmitted.duplicate_frame) return;
  const Side receiver = window ? j.fact.side : other(j.fact.side);
  const SideState& sender = j.before.side(other(receiver));
  if (!j.before.iwarp || any_terminate(j.before) || sender.recent_count == 0) return;
  if (j.before.side(receiver).violated.test(index(CheckId::verbs_rqstall))) return;
  const wire::DdpHeader& last = sender.recent[(sender.recent_count - 1) % max_recent_segments].ddp;
  if (last.tagged() || last.queue != wire::queue_send) return;
  constexpr std::uint32_t earlier_repeats = 2;  // one retransmission is TCP's daily bread
  if (!window && (sender.repeated_offset != j.fact.offset || sender.repeats < earlier_repeats)) return;
  j.out.violated(receiver, CheckId::verbs_rqstall,
                 {argument(window ? Phrase::zero_window : Phrase::retransmission)});
}

}  // namespace iwarp::check
