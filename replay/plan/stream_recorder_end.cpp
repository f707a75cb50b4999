// How a connection ends, and what is concluded at the end: what each request had waited for, which message
// was the ready-to-receive one, what of the start-up is known.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "plan/stream_recorder.hpp"

namespace iwarp::replay {

void StreamRecorder::take_gap(const Event& event) {
  SideRecord& sender = side(event.side);
  sender.gap_reason = event.gap.cause == GapCause::snaplen ? Reason::snaplen : Reason::gap;
  if (!stream_ || event.gap.framing_kept) return;
  for (auto& [number, slot] : sender.messages) slot.adrift = true;
  stream().missing.push_back({Lack::messages, sender.gap_reason, role_of(event.side), event.frame,
                              std::nullopt, event.offset, event.gap.length});
}

void StreamRecorder::take_close(const Event& event, const Analysis& analysis, WorkKind kind) {
  if (!stream_) return;
  Event close = event;
  const ConnectionState* const state = analysis.connection(event.connection);
  // An acknowledged FIN counts as an octet here.
  if (state != nullptr && state->side(other(event.side)).fin_acknowledged) ++close.ack;
  const std::uint32_t index = begin_work(close, kind);
  work(index).outcome = OperationStatus::complete;
  arrive(event.side, event.offset + 1, WaitFor::closed, index);
}

void StreamRecorder::take_finding(const Event& event) {
  const Finding& finding = event.finding;
  const std::string id = check_info(finding.check).id;
  // Of an experimental opcode (RFC 6580 §3.4) there is no work, so a Terminate for it has to be explained.
  const bool unplanned = finding.check == CheckId::rdmap_opexp;
  if (!stream_ || (finding.severity < Severity::warning && !unplanned) || id.starts_with("CAP-")) return;
  stream().violations.push_back({id, finding.severity, role_of(event.side), event.frame, describe(finding)});
}

void StreamRecorder::finish(const Event& closed) {
  finish_stream();
  if (stream_) {
    const auto ended = [this](WorkKind kind, Role role) {
      return std::ranges::any_of(
          stream().work, [&](const PlannedWork& each) { return each.role == role && each.kind == kind; });
    };
    const bool reset = ended(WorkKind::rst, Role::initiator) || ended(WorkKind::rst, Role::responder);
    // One that came before anything of iWARP was understood is no work yet. When it came is not kept.
    if (closed.closed.cause == CloseCause::fin) {
      for (const Side which : {Side::a, Side::b}) {
        if (reset || ended(WorkKind::fin, role_of(which))) continue;
        Event close = closed;
        close.side = which;
        if (!stream().work.empty()) {
          close.frame = stream().work.back().frame;
          close.time_ns = stream().work.back().time_ns;
        }
        work(begin_work(close, WorkKind::fin)).outcome = OperationStatus::complete;
      }
    }
    // … nor is the RST that ended it, if any.
    stream().left_open = closed.closed.cause != CloseCause::fin && !reset;
  }
  stream_.reset();
}

// What came to `which` before it sent each of its requests, since the one before, in each class the last.
// Acknowledgements tell, whatever the order in the file.
void StreamRecorder::note_waits(Side which) {
  const SideRecord& peer = side(other(which));
  auto arrival = peer.arrivals.begin();
  for (const Posted& posted : side(which).posted) {
    std::optional<Wait> delivered;  // or placed, where no delivery followed
    std::optional<Wait> completed;
    for (; arrival != peer.arrivals.end() && arrival->end <= posted.ack; ++arrival) {
      const bool later = arrival->work > posted.work;
      if (later && arrival->what == WaitFor::closed) break;
      if (later && (arrival->what == WaitFor::completed || answers(peer, arrival->work, posted))) continue;
      const Wait wait{arrival->what, {*stream_, arrival->work}};
      (arrival->what == WaitFor::completed ? completed : delivered) = wait;
    }
    PlannedWork& made = work(posted.work);
    if (delivered) made.waits.push_back(*delivered);
    if (completed && std::ranges::find(made.waits, *completed) == made.waits.end())
      made.waits.push_back(*completed);
  }
}

// Both seem to answer each other where one was captured again, with what its sender knew by then.
bool StreamRecorder::answers(const SideRecord& peer, std::uint32_t work, const Posted& posted) {
  const auto found = std::ranges::lower_bound(peer.posted, work, {}, &Posted::work);
  return found != peer.posted.end() && found->work == work && found->ack > posted.offset;
}

// Behind a hole, or where start-up or Read Request were not captured whole, nobody knows what was agreed on,
// asked for, or sent first. Then an empty message that the
// initiator's first FPDU brought is taken for the ready-to-receive message that it looks like; without an
// agreement an empty Send is the ULP's (RFC 6581 §4.4).
void StreamRecorder::find_unagreed_rtr() {
  PlannedStream& made = stream();
  if (std::ranges::any_of(made.work, &PlannedWork::rtr)) return;
  const auto first = std::ranges::find_if(made.work, [](const PlannedWork& each) {
    return each.role == Role::initiator && !is_close(each.kind);
  });
  if (first == made.work.end() || first->length != 0 || (first->msn > 1 && !first->deduced)) return;
  const auto& known = made.startup[0] ? made.startup[0] : made.startup[1];
  const wire::EnhancedWord* const word =
      known && known->word && known->word->peer_to_peer ? &*known->word : nullptr;
  // Of a Request that was cut the length is not known; one that was not agreed on is not likely.
  const auto number = static_cast<std::uint32_t>(first - made.work.begin());
  const bool cut = std::ranges::any_of(made.missing, [number](const Missing& each) {
    return each.lack == Lack::request && each.work == number;
  });
  if (cut && word == nullptr && known) return;
  RtrKind kind = RtrKind::none;
  if (first->kind == WorkKind::send && word != nullptr && word->rtr_send) kind = RtrKind::send;
  if (first->kind == WorkKind::write && (word == nullptr || word->rtr_write)) kind = RtrKind::write;
  if (first->kind == WorkKind::read && (word == nullptr || word->rtr_read)) kind = RtrKind::read;
  if (kind == RtrKind::none) return;
  made.rtr = kind;
  first->rtr = true;
}

// The works behind them move up.
void StreamRecorder::drop_what_is_told_again() {
  if (told_again_.empty()) return;
  PlannedStream& made = stream();
  std::vector<std::uint32_t> places(made.work.size());
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    places[i] = place;
    if (!told_again_.contains(i)) ++place;
  }
  const auto move = [&](std::uint32_t& number) {
    const auto found = told_again_.find(number);
    number = places[found == told_again_.end() ? number : found->second];
  };
  for (PlannedWork& each : made.work) {
    for (Wait& wait : each.waits) move(wait.work.work);
    if (each.quoted) move(*each.quoted);
  }
  for (KeptFpdu& each : made.kept) {
    if (each.work) move(*each.work);
  }
  std::erase_if(made.missing, [&](Missing& each) {
    if (!each.work) return false;
    if (told_again_.contains(*each.work) && each.lack == Lack::request) return true;
    move(*each.work);
    return false;
  });
  for (const std::size_t each : effects_) move(recording_.effects[each].work.work);
  for (SideRecord& each : sides_) {
    if (each.last_work) move(*each.last_work);
  }
  std::erase_if(made.work, [&](const PlannedWork& each) {
    return told_again_.contains(static_cast<std::uint32_t>(&each - made.work.data()));
  });
  told_again_.clear();
}

void StreamRecorder::finish_stream() {
  if (!stream_) return;
  for (const Side which : {Side::a, Side::b}) {
    SideRecord& sender = side(which);
    for (auto& [number, slot] : sender.messages) {
      if (slot.work) finish_transfer(which, slot, Reason::capture_end);
    }
    sender.messages.clear();
    for (const auto& [number, request] : sender.requests) note_effect(Effect::Kind::read, request);
    sender.requests.clear();
    if (!sender.captured) {
      stream().missing.push_back(
          {Lack::direction, Reason::one_direction, role_of(which), 0, std::nullopt, 0, 0});
    }
  }
  for (SideRecord& each : sides_) std::ranges::stable_sort(each.arrivals, {}, &Arrival::end);
  for (const Side which : {Side::a, Side::b}) note_waits(which);
  drop_what_is_told_again();
  drop_kept_of_healthy();
  find_unagreed_rtr();
  PlannedStream& made = stream();
  const auto& startup = made.startup;
  for (const Role role : {Role::initiator, Role::responder}) {
    if (startup[static_cast<std::size_t>(role)] || made.work.empty()) continue;
    if (role == Role::responder && startup[0] && !made.midstream &&
        std::ranges::all_of(made.work, [](const PlannedWork& each) { return is_close(each.kind); })) {
      continue;  // never answered
    }
    made.missing.push_back(
        {Lack::startup, made.midstream ? Reason::midstream : Reason::gap, role, 0, std::nullopt, 0, 0});
  }
  if (startup[0] || startup[1]) {
    made.midstream = !startup[0] || (!startup[1] && made.midstream);
    made.crc = (startup[0] && startup[0]->crc) || (startup[1] && startup[1]->crc);
    // M is a demand on the peer (RFC 5044 §7.1.1).
    made.markers = {startup[1] && startup[1]->markers, startup[0] && startup[0]->markers};
  }
  for (const Side which : {Side::a, Side::b}) {
    const auto role = static_cast<std::size_t>(role_of(which));
    if (side(which).crc != Mode::unknown && !(startup[0] && startup[1]))
      made.crc = made.crc || side(which).crc == Mode::on;
    if (side(which).markers != Mode::unknown && !startup[1 - role])
      made.markers[role] = side(which).markers == Mode::on;
  }
  // FPDUs of an initiator whose answer was not captured show that there was one.
  const bool answered = !startup[1] && std::ranges::any_of(made.work, [](const PlannedWork& each) {
    return !is_close(each.kind);
  });
  const bool rejected = startup[1] && startup[1]->rejected;
  if ((made.midstream || answered) && !rejected) made.accepted = true;
}

}  // namespace iwarp::replay
