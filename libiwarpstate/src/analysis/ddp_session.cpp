// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/ddp_session.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/fpdu_fact.hpp"
#include "state/fold.hpp"

namespace iwarp {
namespace {

using wire::SessionFunction;

// What FpduFact can tell the length of.
constexpr std::uint64_t max_segment = 0xffff;

Phrase phrase_of(SessionFunction function) noexcept {
  if (wire::is_initiate(function)) return Phrase::session_initiate;
  if (wire::is_accept(function)) return Phrase::session_accept;
  if (wire::is_reject(function)) return Phrase::session_reject;
  return function == SessionFunction::terminate ? Phrase::session_terminate : Phrase::session_control;
}

Placement placement_of(const sctp::UserMessage& message) noexcept {
  Placement placed;
  for (const sctp::Piece& piece : message.pieces) placed = later(placed, {piece.frame, piece.time_ns});
  return placed;
}

}  // namespace

DdpSession::DdpSession(ConnectionId id, const Origin& origin, const sctp::Association& association,
                       const AnalyzerOptions& options, Recorder& recorder)
    : options_(options),
      recorder_(recorder),
      association_(association),
      origin_(origin),
      log_(recorder, state_, streams_) {
  state_.id = id;
  state_.endpoints = origin.endpoints;
  if (origin.from_start) order_.begin();
}

void DdpSession::add(Side side, std::uint16_t ssn, sctp::UserMessage&& message) {
  const Placement placed = placement_of(message);
  if (placed.time_ns < last_.time_ns) {
    log_.coverage().note_shuffled();
    if (!backward_) backward_ = Backward{placed, last_.time_ns - placed.time_ns};
  }
  last_ = placed;
  const auto due = order_.due(side);
  switch (order_.add(side, ssn, std::move(message))) {
    case sctp::DeliveryOrder::Taken::waits: deliver_ready(); break;
    case sctp::DeliveryOrder::Taken::late: break;
    case sctp::DeliveryOrder::Taken::repeated:
      record_opened(side, false);
      log_.verdict(side, end(side).offset, CheckId::sctp_ssn, missing(side), {ssn, due.value_or(0) & 0xffffU},
                   {}, placed);
      break;
  }
  if (order_.waiting(side) <= options_.max_buffered_octets) return;
  release_buffers(options_.max_buffered_octets);
}

void DdpSession::add_foreign(Side side, const sctp::UserMessage& message) {
  last_ = placement_of(message);
  record_opened(side, false);
  log_.finding(side, end(side).offset, CheckId::sctp_ppid, {message.ppid}, {}, last_);
}

void DdpSession::deliver_ready(bool all) {
  while (const auto side = order_.ready()) {
    if (!all && would_accuse(*side, order_.front(*side))) {
      const std::uint64_t heard = association_.half(other(*side)).packets;
      if (!held_) held_ = Held{heard, log_.time_ns()};
      // A DATA chunk of the peer shows what was missing before it, or a SACK of the sender does: that comes
      // within half a second (RFC 9260 §6.2).
      constexpr TimeNs longest = 1'000'000'000;
      if (heard - held_->heard < options_.reorder_frames && log_.time_ns() - held_->time_ns < longest) return;
    }
    held_.reset();
    const sctp::UserMessage message = order_.take(*side);
    deliver(*side, message);
  }
}

// TCP's segments acknowledge what their sender had received, DATA chunks do not: that messages are missing
// may be seen only from those behind them.
bool DdpSession::would_accuse(Side side, const sctp::UserMessage& message) const noexcept {
  if (missing(other(side)) || message.octets.size() < wire::session_header_size) return false;
  const RequestList& requests = state_.side(other(side)).requests;
  if (message.ppid == wire::ppid_session_control) {
    const auto function = static_cast<SessionFunction>(load_be16(message.octets.data() + wire::ddp_ssn_size));
    const bool work = !requests.empty() || !state_.side(side).requests.empty();
    return function == SessionFunction::terminate && work && !missing(side);
  }
  const auto opcode = static_cast<wire::Opcode>(message.octets[wire::ddp_ssn_size + 1] & 0x0fU);
  const bool read = opcode == wire::Opcode::read_response;
  if (!read && opcode != wire::Opcode::atomic_response) return false;
  const RequestKind kind = read ? RequestKind::read : RequestKind::atomic;
  // Responses come in the order of their requests: it is among the first, or else the message merely waits.
  std::size_t left = 64;
  for (const Request& request : requests) {
    if (request.kind == kind) return false;
    if (--left == 0) break;
  }
  return true;
}

void DdpSession::deliver(Side side, const sctp::UserMessage& message) {
  const At at{side, end(side).offset, end(other(side)).offset, placement_of(message)};
  // What stood at DDP-SSN 0 shows that nothing before it was missed.
  record_opened(side, origin_.from_start && order_.due(side) == 1);
  spans_.forget_before(~StreamOffset{0});
  StreamOffset offset = at.offset;
  for (const sctp::Piece& piece : message.pieces) {
    stream::Chunk chunk;
    chunk.offset = offset;
    chunk.octets =
        ByteView(message.octets)
            .subspan(std::min<std::size_t>(offset - at.offset, message.octets.size()), piece.captured);
    chunk.absent = piece.length - piece.captured;
    chunk.segment_start = true;
    chunk.payload_offset = piece.at;
    chunk.frame = piece.frame;
    chunk.time_ns = piece.time_ns;
    chunk.ack = at.ack;
    chunk.cut = piece.cut();
    spans_.add(chunk);
    offset += piece.length;
  }
  end(side).offset = offset;
  judge_capture(at, message);
  if (message.ppid == wire::ppid_ddp_segment) {
    take_segment(at, message);
  } else {
    take_control(at, message);
  }
  Fifo<Sent>& sent = end(side).sent;
  constexpr std::size_t most = 32768;  // RFC 5043 §10 lets no more be under way
  if (sent.size() == most) sent.pop_front();
  sent.push_back({message.tsn, end(side).offset});
  acknowledge(other(side));
}

void DdpSession::take_segment(const At& at, const sctp::UserMessage& message) {
  judge_segment(at);
  const std::uint64_t length = message.length - wire::ddp_ssn_size;
  if (state_.opened_by == OpenedBy::midstream && !end(at.side).initiated && !end(at.side).locked &&
      !state_.mpa.frames[0] && !state_.mpa.frames[1]) {
    record_locked(at);
  }
  end(at.side).locked = true;
  if (length > max_segment) {
    log_.finding_at(at.placed, at.side, at.offset, CheckId::cap_limit,
                    {argument(Phrase::buffered_octets), max_segment});
    return record_unread(at, message.length);
  }
  mpa::FramedFpdu framed;
  framed.begin = at.offset;
  framed.end = at.offset + message.length;
  framed.ulpdu_length = static_cast<std::uint16_t>(length);
  framed.crc = CrcStatus::unused;
  framed.cut = message.cut();
  // A DDP-SSN is as long as the ULPDU_Length of an FPDU.
  static_assert(wire::ddp_ssn_size == wire::length_field_size);
  const ByteView segment = ByteView(message.octets).subspan(wire::ddp_ssn_size);
  framed.header_octets = static_cast<std::uint32_t>(std::min<std::size_t>(segment.size(), mpa::max_header));
  if (framed.cut) {
    std::copy_n(segment.begin(), framed.header_octets, framed.kept.begin());
  } else {
    framed.wire = message.octets;
  }
  recorder_.doubt().note(Premise::both, missing(other(at.side)));
  // A Terminate may have crossed one of the peer that is captured before it.
  const bool terminates =
      framed.header_octets >= 2 && (segment[1] & 0x0fU) == static_cast<unsigned>(wire::Opcode::terminate);
  if (terminates && has_unacknowledged(other(at.side))) recorder_.doubt().note(Premise::both, Reason::skew);
  record_fpdu(log_, at.side, framed, spans_, end(at.side).origin, {});
  const bool tagged = !segment.empty() && (segment[0] & 0x80U) != 0;
  const std::uint32_t header =
      tagged || segment.empty() ? wire::tagged_header_size : wire::untagged_header_size;
  if (length < header) out_of_sequence(at, Phrase::ddp_segment, Phrase::too_short);
}

void DdpSession::take_control(const At& at, const sctp::UserMessage& message) {
  if (message.length < wire::session_header_size)
    return out_of_sequence(at, Phrase::session_control, Phrase::too_short);
  if (message.octets.size() < wire::session_header_size) {  // what it says was not captured
    log_.coverage().note_absent(at.side);
    return record_unread(at, message.length);
  }
  const auto function = static_cast<SessionFunction>(load_be16(message.octets.data() + wire::ddp_ssn_size));
  if (!wire::is_assigned(function))
    return out_of_sequence(at, Phrase::session_control, Phrase::unassigned_function);
  judge_private_data(at, function, message.length - wire::session_header_size);
  if (end(at.side).terminated) return out_of_sequence(at, phrase_of(function), Phrase::behind_terminate);
  if (function == SessionFunction::terminate) {
    judge_terminate(at);
    return record_fin(at);
  }
  const bool counts = wire::is_initiate(function) ? judge_initiate(at) : judge_answer(at, function);
  if (counts) record_startup(at, function, message);
}

void DdpSession::record_unread(const At& at, std::uint64_t length) {
  Event gap = log_.make(EventKind::gap, at.side, at.offset, at.ack);
  std::construct_at(&gap.gap, GapFact{length, GapCause::snaplen, false, false});
  log_.fact(gap);
}

void DdpSession::record_opened(Side side, bool from_start) {
  if (std::exchange(end(side).opened, true)) return;
  end(side).from_start = from_start;
  Event opened = log_.make(EventKind::opened, side, 0);
  std::construct_at(&opened.opened,
                    OpenedFact{state_.endpoints, from_start ? OpenedBy::handshake : OpenedBy::midstream,
                               Llp::sctp, origin_.stream});
  log_.fact(opened);
  judge_adaptation(side, log_.own_placement());
}

void DdpSession::record_startup(const At& at, SessionFunction function, const sctp::UserMessage& message) {
  const ByteView data = ByteView(message.octets).subspan(wire::session_header_size);
  const auto length = static_cast<std::uint16_t>(
      std::min<std::uint64_t>(message.length - wire::session_header_size, max_segment));
  Event event = log_.make(EventKind::startup, at.side, at.offset, at.ack);
  StartupFact fact;
  fact.kind = wire::is_initiate(function) ? wire::StartupKind::request : wire::StartupKind::reply;
  fact.revision = 1;  // of the headers that follow: DV and RV are 1
  fact.rejected = wire::is_reject(function);
  fact.enhanced = wire::is_enhanced(function);
  fact.private_data_length = fact.private_data_received = length;
  fact.private_data_captured = static_cast<std::uint16_t>(std::min<std::size_t>(data.size(), length));
  const StreamSpan* const first = spans_.find(at.offset);
  fact.first_frame = first != nullptr ? first->frame : at.placed.frame;
  fact.placed = at.placed;
  constexpr std::size_t word_size = 4;
  if (fact.enhanced && data.size() >= word_size) {
    fact.has_word = true;
    fact.word = wire::parse_enhanced_word(data.data());
  }
  fact.private_data_id = private_data_.add(data);
  fact.pieces = log_.pieces(spans_, at.offset, at.offset + message.length);
  std::construct_at(&event.startup, fact);
  log_.fact(event);
  end(at.side).origin = at.offset + message.length;
  if (wire::is_initiate(function)) {
    end(at.side).initiated = true;
    initiate_ = function;
  } else {
    (fact.rejected ? rejected_ : accepted_) = true;
  }
}

void DdpSession::record_fin(const At& at) {
  if (std::exchange(end(at.side).terminated, true)) return;
  recorder_.doubt().note(Premise::both, first_of({missing(at.side), missing(other(at.side))}));
  // What came of the peer may not have reached the sender yet.
  if (has_unacknowledged(other(at.side))) recorder_.doubt().note(Premise::both, Reason::skew);
  Event fin = log_.make(EventKind::fin, at.side, at.offset, at.ack);
  std::construct_at(&fin.end, EndFact{.segment = at.placed});
  log_.fact(fin);
}

// Octets of the DDP stream before it were never captured, and nobody knows which.
void DdpSession::record_locked(const At& at) {
  Event locked = log_.make(EventKind::locked, at.side, at.offset);
  LockedFact fact;
  fact.inferred = fact.first = true;
  std::construct_at(&locked.locked, fact);
  log_.fact(locked);
}

void DdpSession::out_of_sequence(const At& at, Phrase what, Phrase why, std::optional<Reason> doubt) {
  log_.verdict(at.side, at.offset, CheckId::sctp_seq, doubt, {argument(what), argument(why)}, {}, at.placed);
}

std::optional<Reason> DdpSession::missing(Side side) const noexcept {
  const sctp::Association::Half& half = association_.half(side);
  if (!half.seen) return Reason::one_direction;
  if (half.lacks_messages()) return Reason::gap;
  if (backward_) return Reason::skew;
  // What came before the capture began may come again.
  return when(!half.tsns.begun() && !end(side).from_start, Reason::midstream);
}

std::optional<Reason> DdpSession::lacks(Side side) const noexcept {
  const bool unread = order_.waiting(side) != 0;
  return first_of(
      {when(log_.coverage().absent(side), Reason::gap), missing(side), when(unread, Reason::skew)});
}

// RFC 5043 §6.2, §6.6
void DdpSession::judge_segment(const At& at) {
  const End& own = end(at.side);
  const End& peer = end(other(at.side));
  if (own.misplaced_told || (accepted_ && !own.terminated)) return;
  if (!own.terminated && !rejected_ && own.initiated) {
    if (!early_) early_ = Early{at, Phrase::ddp_segment, Phrase::before_accept};
    return;
  }
  Phrase why = Phrase::before_initiate;
  std::optional<Reason> doubt = lacks(at.side);
  if (own.terminated) {
    why = Phrase::behind_terminate;
  } else if (rejected_) {
    why = Phrase::behind_reject;
    doubt = first_of({doubt, lacks(other(at.side))});
  } else if (peer.initiated) {
    why = Phrase::before_accept;
  } else {
    doubt = Reason::midstream;
  }
  if (doubt && std::exchange(unknown_told_, true)) return;
  end(at.side).misplaced_told = !doubt;
  out_of_sequence(at, Phrase::ddp_segment, why, doubt);
}

// The answer came, or will not come any more.
void DdpSession::settle_early(std::optional<Reason> doubt) {
  if (!early_) return;
  const Early early = *early_;
  early_.reset();
  out_of_sequence(early.at, early.what, early.why, doubt);
}

bool DdpSession::judge_initiate(const At& at) {
  const bool again = end(at.side).initiated;
  if (again || end(other(at.side)).initiated) {
    out_of_sequence(at, Phrase::session_initiate, again ? Phrase::comes_again : Phrase::not_requested,
                    first_of({lacks(Side::a), lacks(Side::b)}));
    return false;
  }
  if (origin_.last_open)
    out_of_sequence(at, Phrase::session_initiate, Phrase::session_open, origin_.doubt_of_last);
  return !accepted_ && !rejected_;
}

bool DdpSession::judge_answer(const At& at, SessionFunction function) {
  const Phrase what = phrase_of(function);
  const auto doubt = first_of({lacks(Side::a), lacks(Side::b)});
  if (end(at.side).initiated) {
    out_of_sequence(at, what, Phrase::of_its_initiator, doubt);
    return false;
  }
  if (accepted_ || rejected_) {
    out_of_sequence(at, what, Phrase::comes_again, doubt);
    return false;
  }
  settle_early(doubt);
  if (!end(other(at.side)).initiated) {
    // That nobody asked no capture can show: the Initiate may be missing, or come a little later.
    out_of_sequence(at, what, Phrase::before_initiate, first_of({doubt, Reason::skew}));
  } else {
    const bool asked = initiate_ && wire::is_enhanced(*initiate_);
    const bool given = wire::is_enhanced(function);
    // A plain Reject answers both: what would be rejected without the word, too (RFC 6581 §7).
    if (asked != given && (given || wire::is_accept(function)))
      out_of_sequence(at, what, Phrase::unlike_its_initiate, doubt);
  }
  return true;
}

// RFC 5043 §6.2, §6.4: of the side that answers it may be the answer.
void DdpSession::judge_terminate(const At& at) {
  const Side peer = other(at.side);
  const auto doubt = first_of({lacks(Side::a), lacks(Side::b)});
  if (rejected_) return out_of_sequence(at, Phrase::session_terminate, Phrase::behind_reject, doubt);
  if (accepted_) return;
  if (end(at.side).initiated) {
    if (!early_ && !end(peer).terminated)
      early_ = Early{at, Phrase::session_terminate, Phrase::before_answer};
  } else if (end(peer).initiated) {
    settle_early(doubt);
  } else {
    out_of_sequence(at, Phrase::session_terminate, Phrase::before_initiate, first_of({doubt, Reason::skew}));
  }
}

void DdpSession::judge_private_data(const At& at, SessionFunction function, std::uint64_t length) {
  constexpr std::uint64_t word_size = 4;
  Phrase why = Phrase::most_private_data;
  if (function == SessionFunction::terminate && length > 0) {
    why = Phrase::no_private_data;
  } else if (wire::is_enhanced(function) && !wire::is_reject(function) && length < word_size) {
    why = Phrase::word_of_private_data;
  } else if (length <= wire::max_private_data) {
    return;
  }
  log_.finding(at.side, at.offset, CheckId::sctp_pd, {length, argument(why)}, {}, at.placed);
}

// RFC 5043 §5.1: each end says so, in its INIT or INIT ACK. Once for each session.
void DdpSession::judge_adaptation(Side side, const Placement& placed) {
  const sctp::Association::Half& half = association_.half(side);
  if (half.init && half.init->adaptation == wire::adaptation_ddp) return;
  const auto doubt = half.init ? when(!half.init->whole, Reason::snaplen) : std::optional(Reason::midstream);
  log_.verdict(side, 0, CheckId::sctp_adapt, doubt,
               {argument(side == Side::a ? Phrase::init_chunk : Phrase::init_ack_chunk)}, {}, placed);
}

// What is said of the capture, and of the chunk around the message.
void DdpSession::judge_capture(const At& at, const sctp::UserMessage& message) {
  const SideState& side = state_.side(at.side);
  if (!message.unordered && !side.violated.test(static_cast<std::size_t>(CheckId::sctp_uflag))) {
    log_.finding(at.side, at.offset, CheckId::sctp_uflag, {message.tsn & 0xffffffffU}, {}, at.placed);
  }
  if (message.cut() && !std::exchange(end(at.side).cut_told, true)) {
    log_.finding_at(at.placed, at.side, at.offset, CheckId::cap_snap,
                    {message.octets.size(), message.length, at.placed.frame});
  }
  if (backward_ && !side.violated.test(static_cast<std::size_t>(CheckId::cap_tsrev))) {
    log_.finding_at(backward_->placed, at.side, at.offset, CheckId::cap_tsrev,
                    {static_cast<std::uint64_t>(backward_->by_ns), 0, backward_->placed.frame});
  }
  const auto& wrong = association_.half(at.side).wrong_checksum;
  if (wrong && !side.violated.test(static_cast<std::size_t>(CheckId::cap_crc32c))) {
    log_.finding_at(*wrong, at.side, at.offset, CheckId::cap_crc32c, {0, 0, wrong->frame});
  }
}

// A message that is missing was lost by the capture, where TSNs are missing that its peer had; by the
// network, where it had not, and comes again; or never sent under the DDP-SSN that was due, where no TSN is
// missing.
void DdpSession::give_up(Side side) {
  const auto hole = order_.hole(side);
  if (!hole) return;
  record_opened(side, false);
  const StreamOffset offset = end(side).offset;
  const Placement shown = log_.own_placement();
  if (const auto reason = missing(side)) {
    const std::uint64_t messages = hole->end - hole->begin;
    log_.coverage().note_absent(side);
    Event gap = log_.make(EventKind::gap, side, offset, end(other(side)).offset);
    std::construct_at(&gap.gap, GapFact{0, GapCause::uncaptured, false, false});
    log_.fact(gap);
    log_.finding_at(shown, side, offset, CheckId::cap_gapssn, {messages, hole->begin & 0xffffU});
    log_.count_undecidable(side, offset, CheckId::sctp_ssn, *reason);
    if (early_ && early_->at.side != side) settle_early(Reason::gap);
  } else {
    log_.finding(side, offset, CheckId::sctp_ssn, {hole->end & 0xffffU, hole->begin & 0xffffU}, {}, shown);
  }
  order_.give_up(side);
  deliver_ready();
}

void DdpSession::read_all() {
  for (const Side side : {Side::a, Side::b}) {
    while (order_.hole(side)) give_up(side);
  }
  deliver_ready(true);
}

void DdpSession::give_up_old_holes() {
  if (held_) deliver_ready();
  for (const Side side : {Side::a, Side::b}) {
    for (auto hole = order_.hole(side); hole; hole = order_.hole(side)) {
      const sctp::Association::Half& half = association_.half(side);
      // The network lost it, and its peer waits as we do.
      const bool comes_again =
          association_.half(other(side)).seen && half.tsns.missing_behind(half.acknowledged.value_or(0));
      const std::uint64_t packets = association_.packets() - sctp::Association::packet_of(hole->since);
      const bool old =
          packets >= options_.reorder_frames || log_.time_ns() - hole->since_ns >= options_.reorder_time_ns;
      if (comes_again || !old) break;
      give_up(side);
    }
  }
}

void DdpSession::acknowledge(Side side) {
  const sctp::Association::Half& heard = association_.half(other(side));
  End& peer = end(other(side));
  if (!heard.acknowledged) return;
  const StreamOffset before = peer.acknowledged;
  while (!peer.sent.empty() && peer.sent.front().tsn <= *heard.acknowledged) {
    peer.acknowledged = peer.sent.front().end;
    peer.sent.pop_front();
  }
  if (peer.acknowledged == before || !end(side).opened) return;
  if (log_.acknowledgements()) {
    Event received = log_.make(EventKind::received, side, end(side).offset);
    std::construct_at(&received.received, ReceivedFact{heard.acknowledged_by, peer.acknowledged});
    log_.fact(received);
  }
  const Fifo<StreamOffset>& watched = state_.side(other(side)).watched;
  if (watched.empty() || peer.acknowledged < watched.front()) return;
  Event acknowledged = log_.make(EventKind::acknowledged, side, end(side).offset, peer.acknowledged);
  std::construct_at(&acknowledged.acknowledged, AcknowledgedFact{heard.acknowledged_by, end(side).offset});
  log_.fact(acknowledged);
}

void DdpSession::abort(Side side, const Placement& packet) {
  read_all();
  last_ = packet;
  if (over()) return;
  record_opened(side, false);
  Event rst = log_.make(EventKind::rst, side, end(side).offset, end(other(side)).offset);
  std::construct_at(&rst.end, EndFact{.segment = packet});
  log_.fact(rst);
}

void DdpSession::shut_down(Side side, const Placement& packet) {
  read_all();
  last_ = packet;
  if (over() || !accepted_) return;
  const At at{side, end(side).offset, 0, packet};
  out_of_sequence(at, Phrase::session, Phrase::without_terminate, doubt_of_end());
}

void DdpSession::close(CloseCause otherwise) {
  read_all();
  const CloseCause own = end_cause();
  const CloseCause cause = own == CloseCause::capture_end ? otherwise : own;
  const bool may_go_on = cause == CloseCause::capture_end || cause == CloseCause::evicted;
  settle_early(first_of({when(may_go_on, Reason::capture_end), doubt_of_end()}));
  const Placement added = log_.own_placement();
  log_.set_own_placement(last_);
  recorder_.doubt().note(Premise::both, doubt_of_end());
  Event closed = log_.make(EventKind::closed, Side::a, 0);
  std::construct_at(&closed.closed, ClosedFact{cause, last_.frame, last_.time_ns});
  log_.fact(closed);
  log_.set_own_placement(added);
}

void DdpSession::release_buffers(std::uint64_t limit) {
  for (const Side side : {Side::a, Side::b}) {
    if (order_.waiting(side) == 0) continue;
    log_.finding_at(last_, side, end(side).offset, CheckId::cap_limit,
                    {argument(Phrase::buffered_octets), limit});
    while (order_.hole(side)) give_up(side);
  }
  deliver_ready(true);
}

void DdpSession::note_let_go(Phrase limit) {
  log_.finding_at(last_, Side::a, end(Side::a).offset, CheckId::cap_letgo, {argument(limit)});
}

CloseCause DdpSession::end_cause() const noexcept {
  if (state_.side(Side::a).rst_frame || state_.side(Side::b).rst_frame) return CloseCause::rst;
  return over() ? CloseCause::fin : CloseCause::capture_end;
}

std::optional<Reason> DdpSession::doubt_of_end() const noexcept {
  return first_of({lacks(Side::a), lacks(Side::b)});
}

}  // namespace iwarp
