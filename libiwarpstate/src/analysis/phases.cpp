// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/phases.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/startup_fact.hpp"

namespace iwarp {
namespace {

constexpr Side sides[] = {Side::a, Side::b};

// Octets of one direction looked through for framing when nothing shows that it is iWARP at all.
constexpr std::uint64_t max_sought = 4U << 20U;
constexpr std::uint32_t max_startups = 1024;

}  // namespace

bool Phases::may_end(Side side) const noexcept {
  const Direction& direction = directions_[index(side)];
  if (direction.framing()) return direction.between_fpdus();
  const mpa::StartupScanner& scanner = negotiation_.scanner(side);
  return !direction.streaming() || !scanner.has_candidate() || scanner.complete();
}

void Phases::take(Side side, const stream::Chunk& chunk, bool syn_seen) {
  marks_[index(side)].syn_seen = syn_seen;
  if (!std::exchange(marks_[index(side)].opened, true)) {
    marks_[index(side)].first = {chunk.frame, chunk.time_ns};
    negotiation_.open(side, chunk.offset, syn_seen && chunk.offset == 0 && !chunk.octets.empty());
    if (!syn_seen) seek(side, chunk.offset);
  }
  if (!chunk.octets.empty()) {
    if (!std::exchange(marks_[index(side)].captured, true)) direction(side).count_from(chunk.offset);
    direction(side).arrived(chunk);
    take_octets(side, chunk.octets, chunk.segment_start);
  }
  if (chunk.absent > 0) take_absent(side, chunk);
}

void Phases::take_octets(Side side, ByteView octets, bool segment_start) {
  Direction& direction = this->direction(side);
  if (direction.abandoned()) return direction.forget_before(~StreamOffset{0});
  if (direction.framing()) {
    direction.push(octets, segment_start);
    run_framer(side);
    if (!direction.framing()) return settle();
    if (direction.seeking_behind_hole()) direction.forget_before(direction.needed_from());
    return;
  }
  const bool refused = marks_[index(side)].refused && !direction.seeking();  // a search finds FPDUs itself
  if (refused && segment_start) judge_refused(side, octets);
  if (direction.seeking()) {
    direction.push(octets, segment_start);
    run_framer(side);
    if (direction.framing()) return;
    if (!direction.seeking()) return settle();
    if (direction.sought() > max_sought && !log_.state().iwarp) direction.back_to_streaming();
  }
  mpa::StartupScanner& scanner = negotiation_.scanner(side);
  scanner.push(octets, segment_start);
  negotiation_due_ = true;
  settle();
  if (!direction.streaming()) return;
  const StreamOffset held = scanner.held_from();
  direction.forget_before(direction.seeking() ? std::min(held, direction.needed_from()) : held);
}

void Phases::take_absent(Side side, const stream::Chunk& chunk) {
  Direction& direction = this->direction(side);
  const bool uncaptured = chunk.cause == stream::Absence::uncaptured;
  const StreamOffset at = chunk.offset + chunk.octets.size();
  const bool kept = direction.framed() && direction.push_absent(chunk.absent);
  if (direction.streaming()) {
    mpa::StartupScanner& scanner = negotiation_.scanner(side);
    // Even a small snapshot length shows streaming data well enough, but for the frame that they may begin
    // with.
    const bool short_start = scanner.seen() < wire::startup_header_size;
    const bool had_candidate = scanner.has_candidate();
    scanner.push_absent(chunk.absent);
    if (uncaptured || short_start || (had_candidate && !scanner.has_candidate())) {
      negotiation_.missing(side);
      if (!direction.seeking()) seek(side, at + chunk.absent);
    }
  }
  if (uncaptured) {
    log_.coverage().note_absent(side);
    this->direction(other(side)).expect_reply(true);  // a Request may have been there
  }
  Event gap = log_.make(EventKind::gap, side, at, chunk.ack);
  std::construct_at(&gap.gap,
                    GapFact{chunk.absent, uncaptured ? GapCause::uncaptured : GapCause::snaplen, kept});
  log_.fact(gap);
  if (uncaptured) {
    const Placement shown = chunk.frame != 0 ? Placement{chunk.frame, chunk.time_ns} : log_.own_placement();
    capture_findings_.each(shown, side, at, CheckId::cap_gap, chunk.absent, direction.from_origin(at));
  }
  negotiation_due_ = true;
  settle();
}

void Phases::finish_framing(Side side, bool by_sender) {
  direction(side).finish();
  settle();
  direction(side).tell_end(by_sender);
}

void Phases::ended(Side side) {
  if (!direction(side).streaming()) return;
  const mpa::StartupScanner& scanner = negotiation_.scanner(side);
  if (scanner.header_complete() && !scanner.complete()) negotiation_.finish();
  negotiation_.ended(side);
  negotiation_due_ = true;
  settle();
}

void Phases::finish() {
  negotiation_.finish();
  negotiation_due_ = true;
  settle();
  judge_unanswered();
  const ConnectionState& state = log_.state();
  const bool reset = state.side(Side::a).rst_frame || state.side(Side::b).rst_frame;
  for (const Side side : sides) {
    if (direction(side).framed()) finish_framing(side, state.side(side).fin_frame || reset);
  }
  for (Direction& each : directions_) {
    each.settle_all_conflicts();
    each.revoke_placed();
  }
}

// Full Operation may be under way: its start was not captured.
void Phases::seek(Side side, StreamOffset at) {
  mpa::FramerParameters parameters;
  parameters.markers = Mode::unknown;
  parameters.crc = Mode::unknown;
  direction(side).seek(parameters, at, mpa::Framer::Loss::start_missing);
}

// Asks framers and negotiation in turn until none of them has anything to say: one may hand octets to the
// other, as often as a hostile stream has start-up frames in it.
void Phases::settle() {
  for (;;) {
    for (const Side side : sides) {
      if (direction(side).due()) run_framer(side);
    }
    if (std::exchange(negotiation_due_, false)) {
      run_negotiation();
    } else if (!directions_[0].due() && !directions_[1].due()) {
      return;
    }
  }
}

void Phases::run_framer(Side side) {
  if (!direction(side).run()) leave_operation(side);
}

void Phases::run_negotiation() {
  for (;;) {
    const mpa::Decision decision = negotiation_.poll();
    switch (decision.kind) {
      case mpa::Decision::Kind::none: return;
      case mpa::Decision::Kind::startup: take_startup(decision); break;
      case mpa::Decision::Kind::operate: operate(decision); break;
      case mpa::Decision::Kind::seek: {
        Direction& sender = direction(decision.side);
        if (sender.streaming() && !sender.seeking()) seek(decision.side, decision.at);
        sender.learn(decision.parameters);
        break;
      }
      case mpa::Decision::Kind::rejected: take_rejection(); break;
      case mpa::Decision::Kind::nonsense_answer: answer_nonsense(decision); break;
      case mpa::Decision::Kind::broken_reply: take_broken_reply(decision); break;
    }
  }
}

void Phases::take_startup(const mpa::Decision& decision) {
  record_startup(log_, decision.side, negotiation_.scanner(decision.side), direction(decision.side).spans(),
                 decision.early_octets, private_data_);
  if (log_.state().mpa.frames[1]) {
    judge_early_reply(decision.side);
    judge_early(other(decision.side), decision);
  }
  if (decision.wrong_key) {
    const mpa::StartupScanner& request = negotiation_.scanner(decision.side);
    log_.finding(decision.side, request.begin(), CheckId::mpa_key,
                 {request.first_word(), static_cast<std::uint64_t>(Phrase::request)}, {},
                 marks_[index(decision.side)].first);
  }
  if (!negotiation_.crossed()) return;
  for (const Side side : sides) seek_behind_request(side, Mode::off);
}

// The responder sends nothing before it has the Request (RFC 5044 §7.1.2): what its Reply acknowledged tells.
void Phases::judge_early_reply(Side responder) {
  const MpaState& mpa = log_.state().mpa;
  const Side initiator = other(responder);
  const mpa::StartupScanner& reply = negotiation_.scanner(responder);
  const StreamSpan* const span = direction(responder).spans().find(reply.begin());
  if (!mpa.frames[0] || span == nullptr) return;  // its Request was not captured: check::judge_startup
  const StartupFact& request = *mpa.frames[0];
  const StreamOffset missing = request.private_data_length - request.private_data_received;
  if (span->ack + missing >= mpa.frame_ends[0]) return;
  const Marks& marks = marks_[index(initiator)];
  const bool unknown = (span->ack == 0 && !marks.syn_seen) || span->frame < marks.begun_frame;
  log_.verdict(responder, reply.begin(), CheckId::mpa_early,
               first_of({when(log_.coverage().absent(initiator), Reason::gap), when(unknown, Reason::skew)}),
               {reply.end() - reply.begin()}, {mpa.frame_numbers[0]}, span->placement());
}

// Octets behind the frame of `side` that stood there before its peer answered. FPDUs are too early, unless
// nothing of the peer was captured when they came (RFC 5044 §7.1.2); others are Private Data that PD_Length
// does not count (RFC 5044 §7.1.1).
void Phases::judge_early(Side side, const mpa::Decision& decision) {
  if (decision.early_fpdus > 0) judge_early_fpdus(side, decision.early_fpdus);
  if (decision.excess_octets == 0) return;
  const mpa::StartupScanner& frame = negotiation_.scanner(side);
  std::optional<Reason> doubt = when(log_.coverage().absent(side), Reason::gap);
  if (!doubt && side == log_.state().initiator && negotiation_.scanner(other(side)).header_complete()) {
    const StreamSpan* const behind = direction(side).spans().find(frame.end());
    if (behind != nullptr && behind->ack >= negotiation_.scanner(other(side)).end()) return;
    doubt = when(ack_unknown(side, behind, frame.end()), Reason::skew);
  }
  const StreamSpan* const span = direction(side).spans().find(frame.begin());
  const std::uint64_t length = frame.private_data_length();
  const Phrase before = side == log_.state().initiator ? Phrase::came_before_reply : Phrase::came_with_it;
  log_.verdict(side, frame.begin(), CheckId::mpa_pdlen, doubt,
               {length, length + decision.excess_octets, static_cast<std::uint64_t>(before)}, {},
               span != nullptr ? span->placement() : Placement());
}

// What the initiator had acknowledged when it sent the octets at `at`, which `span` should have. Without a
// span they were read as FPDUs before: nothing of the responder had been captured then, either. Nor is it
// known where the responder's SYN was not captured.
bool Phases::ack_unknown(Side initiator, const StreamSpan* span, StreamOffset at) const noexcept {
  const Marks& responder = marks_[index(other(initiator))];
  if (span == nullptr || span->begin > at) return true;
  return (span->ack == 0 && !responder.syn_seen) || span->frame < responder.begun_frame;
}

void Phases::judge_early_fpdus(Side initiator, std::uint32_t octets) {
  const StreamOffset at = negotiation_.scanner(initiator).end();
  const StreamSpan* const span = direction(initiator).spans().find(at);
  // Behind a hole octets wait for others; their sender may have had the Reply.
  if (span != nullptr && span->ack >= negotiation_.scanner(other(initiator)).end()) return;
  log_.verdict(initiator, at, CheckId::mpa_early,
               first_of({when(log_.coverage().absent(initiator), Reason::gap),
                         when(ack_unknown(initiator, span, at), Reason::skew)}),
               {octets}, {}, span != nullptr ? span->placement() : Placement());
}

// A responder that closes the connection for what stands behind the Request never says a word.
void Phases::judge_unanswered() {
  const ConnectionState& state = log_.state();
  if (!state.mpa.frames[0] || state.mpa.frames[1] || state.mpa.crossed) return;
  const Side initiator = state.initiator;
  const Marks& responder = marks_[index(other(initiator))];
  const mpa::StartupScanner& request = negotiation_.scanner(initiator);
  if (!direction(initiator).streaming() || !request.complete() || request.behind().empty()) return;
  if (state.side(initiator).violated.test(static_cast<std::size_t>(CheckId::mpa_key)))
    return;  // no wonder that nobody answered
  const bool gapped = log_.coverage().absent(Side::a) || log_.coverage().absent(Side::b);
  const auto doubt = first_of(
      {when(!state.side(other(initiator)).captured, Reason::one_direction), when(gapped, Reason::gap)});
  if (!doubt && (state.opened_by != OpenedBy::handshake || responder.opened)) return;
  const StreamSpan* const span = direction(initiator).spans().find(request.end());
  log_.verdict(initiator, request.end(), CheckId::mpa_early, doubt, {request.behind().size()}, {},
               span != nullptr ? span->placement() : Placement());
}

void Phases::operate(const mpa::Decision& decision) {
  judge_early(decision.side, decision);
  marks_[index(decision.side)].refused = false;
  // A search had found the FPDUs before the frames came that tell of them.
  const Direction& sender = direction(decision.side);
  if (sender.framing() && sender.framer().position() > decision.at) return;
  direction(decision.side).operate(decision.parameters, decision.at);
  const auto& [request, reply] = log_.state().mpa.frames;
  if (request && reply) direction(decision.side).expect_reply(false);
  direction(decision.side).hand_over(decision.behind);
}

// A start-up key stands where an FPDU should begin: another start-up on this connection.
void Phases::leave_operation(Side side) {
  const ByteView rest = direction(side).framer().rest();
  const Bytes octets(rest.begin(), rest.end());
  const StreamOffset at = direction(side).framer().position();
  back_to_streaming(side, at, octets);
  direction(other(side)).expect_reply(true);
  if (log_.state().mpa.startups < max_startups) return;
  direction(side).abandon();
  capture_findings_.once(log_.own_placement(), side, at + octets.size(), CheckId::cap_limit,
                         static_cast<std::uint64_t>(Phrase::startups), max_startups);
}

void Phases::back_to_streaming(Side side, StreamOffset at, ByteView octets) {
  direction(side).back_to_streaming();
  negotiation_.reopen(side, at);
  if (octets.empty()) return;
  if (marks_[index(side)].refused) judge_refused(side, octets);
  negotiation_.scanner(side).push(octets, true);
  negotiation_due_ = true;
}

void Phases::take_rejection() {
  for (const Side side : sides) {
    const mpa::StartupScanner& scanner = negotiation_.scanner(side);
    if (!scanner.complete()) continue;
    marks_[index(side)].refused = true;
    const Bytes behind(scanner.behind().begin(), scanner.behind().end());
    back_to_streaming(side, scanner.end(), behind);
  }
}

void Phases::answer_nonsense(const mpa::Decision& decision) {
  const mpa::StartupScanner& answer = negotiation_.scanner(decision.side);
  const StreamOffset begin = answer.position() - answer.seen();
  const StreamSpan* const span = direction(decision.side).spans().find(begin);
  log_.finding(decision.side, begin, CheckId::mpa_key,
               {answer.first_word(), static_cast<std::uint64_t>(Phrase::reply)},
               {log_.state().mpa.frame_numbers[0]}, span != nullptr ? span->placement() : Placement());
  seek_behind_request(other(decision.side), Mode::off);
}

// The initiator may have taken what it got for a Reply all the same.
void Phases::take_broken_reply(const mpa::Decision& decision) {
  const Side initiator = other(decision.side);
  mpa::StartupScanner& scanner = negotiation_.scanner(decision.side);
  if (scanner.malformed().asks_for_markers() && direction(initiator).seeking()) {
    seek_behind_request(initiator, Mode::unknown);
  }
  if (direction(decision.side).streaming()) {
    direction(decision.side).seek(decision.parameters, decision.at, mpa::Framer::Loss::not_agreed);
    direction(decision.side).count_from(decision.at);
    direction(decision.side).hand_over(decision.behind);
  }
  scanner.forget_malformed();
}

// The start-up failed: what `side` still sends in Full Operation's form is most likely a Terminate.
void Phases::seek_behind_request(Side side, Mode markers) {
  const mpa::StartupScanner& request = negotiation_.scanner(side);
  if (!request.complete() || !direction(side).streaming()) return;
  mpa::FramerParameters parameters;
  parameters.markers = markers;
  parameters.crc = Mode::unknown;
  direction(side).seek(parameters, request.end(), mpa::Framer::Loss::not_agreed);
  direction(side).count_from(request.end());
  if (!request.behind().empty()) direction(side).hand_over(request.behind());
}

// Behind a rejected start-up another protocol goes on; an FPDU there breaks the rule, with a marker before it
// or without.
void Phases::judge_refused(Side side, ByteView octets) {
  const StreamOffset at = negotiation_.scanner(side).position();
  for (const Mode markers : {Mode::off, Mode::on}) {
    mpa::FramerParameters parameters;
    parameters.markers = markers;
    parameters.crc = Mode::unknown;
    parameters.origin = at;
    std::uint16_t length = 0;
    if (!mpa::read_ulpdu_length(parameters, at, octets, length)) continue;
    const std::uint32_t size = mpa::wire_size(parameters, at, length);
    if (octets.size() < size) continue;
    mpa::FramedFpdu fpdu;
    mpa::examine(parameters, at, octets.first(size), length, fpdu);
    if (!mpa::plausible(parameters, length, fpdu.header())) continue;
    if (markers == Mode::on && load_be32(octets.data()) != 0) continue;
    marks_[index(side)].refused = false;  // said once
    direction(side).record(fpdu);
    return;
  }
}

}  // namespace iwarp
