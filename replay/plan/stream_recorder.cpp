// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/stream_recorder.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::replay {
namespace {

using wire::Opcode;

// Of a request: what is posted to send it.
WorkKind kind_of(const FpduFact& fpdu) noexcept {
  return work_kind_of(fpdu.ddp.opcode()).value_or(WorkKind::send);
}

// Of Reads that a hole separated from their Responses, oldest first.
constexpr std::size_t max_looked_at = 64;

// A hole that leaves a message open is shorter than the longest message (RFC 5041 §5.2).
constexpr std::uint64_t max_lacking = 0xffff'ffff;

StreamOffset end_of(const Event& fpdu) noexcept {
  return fpdu.offset + fpdu.fpdu.wire_size;
}
FrameNumber first_frame_of(const Event& fpdu) noexcept {
  return fpdu.fpdu.first_frame != 0 ? fpdu.fpdu.first_frame : fpdu.frame;
}
ByteView rdmap_of(const FpduFact& fpdu) noexcept {
  return ByteView(fpdu.rdmap).first(fpdu.rdmap_octets);
}

}  // namespace

void StreamRecorder::add(const Event& event, const Analysis& analysis) {
  SideRecord& sender = side(event.side);
  switch (event.kind) {
    case EventKind::opened:
      sender.captured = true;
      sender.midstream = event.opened.by == OpenedBy::midstream;
      break;
    case EventKind::syn: sender.mss = event.syn.mss; break;
    case EventKind::startup: take_startup(event, analysis); break;
    case EventKind::locked:
      sender.crc = event.locked.crc;
      sender.markers = event.locked.markers;
      break;
    case EventKind::fpdu: take_fpdu(event, analysis.payload(event)); break;
    case EventKind::gap: take_gap(event); break;
    case EventKind::fin: take_close(event, analysis, WorkKind::fin); break;
    case EventKind::rst: take_close(event, analysis, WorkKind::rst); break;
    case EventKind::message: take_message(event); break;
    case EventKind::operation: take_operation(event); break;
    case EventKind::finding: take_finding(event); break;
    case EventKind::closed: finish(event); break;
    default: break;
  }
}

// --- the stream -----------------------------------------------------------------------------------------

void StreamRecorder::begin_stream(Side initiator, RoleBasis basis) {
  finish_stream();
  if (stream_) stream().left_open = true;  // another one began in its place
  effects_.clear();
  initiator_ = initiator;
  for (SideRecord& each : sides_) {
    each.messages.clear();
    each.requests.clear();
    each.arrivals.clear();
    each.posted.clear();
    each.unanswered.clear();
    each.deduced.clear();
    each.unread.clear();
    each.last_work.reset();
    each.last_message = 0;
    each.terminated = false;
  }
  stream_ = static_cast<std::uint32_t>(recording_.plan.streams.size());
  PlannedStream& made = recording_.plan.streams.emplace_back();
  made.number = number_;
  made.attempt = attempts_++;
  made.role_basis = basis;
  made.opened_by = role_of(Side::a);
  for (const Side each : {Side::a, Side::b}) {
    made.endpoints[static_cast<std::size_t>(role_of(each))] = endpoints_[index(each)];
    made.mss[static_cast<std::size_t>(role_of(each))] = side(each).mss;
  }
}

void StreamRecorder::ensure_stream() {
  if (stream_) return;
  const bool joined = side(Side::a).midstream || side(Side::b).midstream;
  begin_stream(Side::a, joined ? RoleBasis::assumed : RoleBasis::syn);
  stream().midstream = true;
}

void StreamRecorder::take_startup(const Event& event, const Analysis& analysis) {
  const StartupFact& fact = event.startup;
  const bool request = fact.kind == wire::StartupKind::request;
  const Side initiator = request ? event.side : other(event.side);
  if (!stream_ || (request && (stream().startup[0] || !stream().work.empty()))) {
    begin_stream(initiator, RoleBasis::mpa);
  }
  if (!request && stream().startup[1]) return;  // a second Reply is a finding
  PlannedStartup startup;
  startup.revision = fact.revision;
  startup.markers = fact.markers;
  startup.crc = fact.crc;
  startup.rejected = fact.rejected;
  startup.reserved_flags = fact.reserved_flags;
  if (fact.has_word) startup.word = fact.word;
  if (fact.has_smbd) startup.smbd = std::array<std::uint32_t, 2>{fact.smbd_ird, fact.smbd_ord};
  const ByteView data = analysis.private_data(event.connection, fact);
  const std::size_t word = fact.has_word ? std::min<std::size_t>(4, data.size()) : 0;
  const bool whole = data.size() == fact.private_data_length;
  const ByteView own = data.subspan(word);
  const std::size_t room = wire::private_data_room(fact.has_word);  // what is beyond breaks MPA-PDLEN
  startup.private_data.assign(own.begin(),
                              own.begin() + static_cast<std::ptrdiff_t>(std::min(own.size(), room)));
  startup.private_data_known = whole && own.size() <= room;
  startup.frame = event.frame;
  startup.time_ns = event.time_ns;
  if (!whole) {
    stream().missing.push_back(
        {Lack::private_data, side(event.side).gap_reason, role_of(event.side), event.frame, std::nullopt,
         data.size(),
         fact.private_data_length - std::min<std::uint64_t>(data.size(), fact.private_data_length)});
  }
  if (!request) stream().accepted = !fact.rejected && stream().startup[0].has_value();
  stream().startup[request ? 0 : 1] = std::move(startup);
}

// --- FPDUs ------------------------------------------------------------------------------------------------

void StreamRecorder::take_fpdu(const Event& event, ByteView payload) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.unfinished) return;
  if (stream_ && (fpdu.malformed || !fpdu.is_trusted())) {
    keep_unread(event, payload);
    return take_unread(event, Reason::bad_crc);
  }
  if (fpdu.malformed || !fpdu.is_trusted()) return;
  ensure_stream();
  if (fpdu.header_octets < ddp.size()) return take_unread(event, Reason::snaplen);
  // Of a payload that was cut, the first octets are among the headers.
  const ByteView captured = payload.size() == fpdu.payload_length ? payload : rdmap_of(fpdu);
  const Opcode opcode = ddp.opcode();
  const bool fits = wire::is_known(opcode) && ddp.tagged() == wire::is_tagged(opcode) &&
                    (ddp.tagged() || ddp.queue == wire::queue_of(opcode));
  if (!fits || fpdu.message == 0) {
    keep_unread(event, payload);
    return take_unread(event, side(event.side).gap_reason);  // findings tell
  }
  for (auto& [number, slot] : side(event.side).messages) {
    if (slot.adrift && !slot.ended && !slot.rest_end) slot.rest_end = event.offset;
  }
  switch (opcode) {
    case Opcode::read_request:
    case Opcode::atomic_request: take_request(event); break;
    case Opcode::immediate:
    case Opcode::immediate_se: take_immediate(event); break;
    case Opcode::terminate: take_terminate(event); break;
    default: take_segment(event, captured); break;
  }
  keep_fpdu(event, payload);
}

// Nobody knows of what message it was.
void StreamRecorder::take_unread(const Event& event, Reason reason) {
  std::vector<Missing>& missing = stream().missing;
  const auto [place, first] = side(event.side).unread.try_emplace(reason, missing.size());
  if (!first) {
    missing[place->second].length += event.fpdu.wire_size;
    return;
  }
  missing.push_back({Lack::messages, reason, role_of(event.side), event.frame, std::nullopt, event.offset,
                     event.fpdu.wire_size});
}

std::uint32_t StreamRecorder::begin_work(const Event& event, WorkKind kind) {
  const auto index = static_cast<std::uint32_t>(stream().work.size());
  PlannedWork made;
  made.role = role_of(event.side);
  made.kind = kind;
  const bool fpdu = event.kind == EventKind::fpdu;
  made.first_frame = fpdu ? first_frame_of(event) : event.frame;
  made.frame = event.frame;
  made.time_ns = fpdu ? event.fpdu.placed.time_ns : event.time_ns;
  if (fpdu && !event.fpdu.ddp.tagged()) made.msn = event.fpdu.ddp.msn;
  SideRecord& sender = side(event.side);
  sender.posted.push_back({index, event.offset, event.ack});
  stream().work.push_back(std::move(made));
  sender.last_work = index;
  sender.last_message = fpdu ? event.fpdu.message : 0;
  return index;
}

void StreamRecorder::arrive(Side which, StreamOffset end, WaitFor what, std::uint32_t index) {
  side(which).arrivals.push_back({end, what, index});
}

void StreamRecorder::note_effect(Effect::Kind kind, std::uint32_t index) {
  effects_.push_back(recording_.effects.size());
  recording_.effects.push_back({kind, {*stream_, index}});
}

// Its first segment came.
MessageSlot& StreamRecorder::begin_message(const Event& event) {
  const wire::DdpHeader& ddp = event.fpdu.ddp;
  MessageSlot& slot = side(event.side).messages[event.fpdu.message];
  slot.first_frame = first_frame_of(event);
  if (ddp.tagged()) slot.stag = ddp.stag;
  if (ddp.tagged()) slot.start = ddp.to;
  if (ddp.opcode() == Opcode::read_response || ddp.opcode() == Opcode::atomic_response) return slot;
  slot.work = begin_work(event, kind_of(event.fpdu));
  PlannedWork& made = work(*slot.work);
  if (ddp.tagged() || invalidates(made.kind)) made.stag = ddp.stag;
  if (ddp.tagged()) made.to = ddp.to;
  return slot;
}

// Of a Send, a Write or a response.
void StreamRecorder::take_segment(const Event& event, ByteView captured) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  std::map<std::uint32_t, MessageSlot>& messages = side(event.side).messages;
  const auto found = messages.find(fpdu.message);
  MessageSlot& slot = found != messages.end() ? found->second : begin_message(event);
  // Tagged segments are a message by their order (RFC 5041 §5.3); behind a hole TO tells how much it lacks.
  std::uint64_t position = ddp.tagged() ? slot.length() : ddp.mo;
  const std::uint64_t lacking = ddp.to - slot.start - slot.length();
  if (ddp.tagged() && slot.adrift && fpdu.payload_length != 0 && lacking <= max_lacking) position += lacking;
  slot.uneven = position != slot.length();
  slot.add(recording_, position, fpdu.payload_length, captured);
  slot.ended = slot.ended || ddp.last();
  slot.end = end_of(event);
  slot.rest_end.reset();
  slot.frame = event.frame;
  if (ddp.opcode() != Opcode::atomic_response) return;
  const auto response = wire::parse_atomic_response(rdmap_of(fpdu));
  if (response) slot.original = response->original_remote_data;
}

void StreamRecorder::take_request(const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  const std::uint32_t index = begin_work(event, kind_of(fpdu));
  PlannedWork& made = work(index);
  if (made.kind == WorkKind::read) {
    const auto request = wire::parse_read_request(rdmap_of(fpdu));
    if (request) {
      made.length = request->size;
      made.stag = request->sink_stag;
      made.to = request->sink_to;
      made.source_stag = request->source_stag;
      made.source_to = request->source_to;
      if (is_told_by_response(event.side, index)) return;
    } else {
      made.deduced = true;
    }
  } else {
    const auto request = wire::parse_atomic_request(rdmap_of(fpdu));
    made.length = wire::immediate_size;
    if (request) {
      made.atomic = *request;
      made.stag = request->remote_stag;
      made.to = request->remote_to;
    } else {
      made.atomic.emplace();
      made.deduced = true;
    }
  }
  if (made.deduced) {
    stream().missing.push_back(
        {Lack::request, side(event.side).gap_reason, made.role, event.frame, index, 0, 0});
  }
  side(event.side).requests.emplace(fpdu.message, index);
}

// Events of the two directions may come in another order than they were sent in: where the event of a Read
// comes behind that of its Response, although it stands before it in the file, the Response has made a Read
// already. It is in the wrong place among the others of its poster, so that the new one takes its octets.
bool StreamRecorder::is_told_by_response(Side requester, std::uint32_t index) {
  PlannedWork& made = work(index);
  std::deque<Deduced>& deduced = side(requester).deduced;
  while (!deduced.empty() && work(deduced.front().work).first_frame < made.first_frame) deduced.pop_front();
  const auto fits = [&](const Deduced& each) {
    const PlannedWork& read = work(each.work);
    return read.stag == made.stag && read.to == made.to && read.length == made.length;
  };
  const auto end = deduced.begin() + static_cast<std::ptrdiff_t>(std::min(deduced.size(), max_looked_at));
  const auto found = std::find_if(deduced.begin(), end, fits);
  if (found == end) return false;
  const Deduced before = *found;
  deduced.erase(found);
  made.content = std::move(work(before.work).content);
  made.outcome = work(before.work).outcome;
  told_again_.emplace(before.work, index);
  side(other(requester)).arrivals[before.arrival].work = index;
  return true;
}

void StreamRecorder::take_immediate(const Event& event) {
  const std::uint32_t index = begin_work(event, kind_of(event.fpdu));
  const auto data = wire::parse_immediate(rdmap_of(event.fpdu));
  work(index).length = event.fpdu.payload_length;
  if (data) work(index).immediate = *data;
  arrive(event.side, end_of(event), WaitFor::received, index);
  if (data) return;
  stream().missing.push_back(
      {Lack::octets, side(event.side).gap_reason, work(index).role, event.frame, index, 0, 8});
}

void StreamRecorder::take_terminate(const Event& event) {
  const std::uint32_t index = begin_work(event, WorkKind::terminate);
  const ByteView octets = rdmap_of(event.fpdu);
  work(index).terminate.assign(octets.begin(), octets.end());
  work(index).length = event.fpdu.payload_length;
  arrive(event.side, end_of(event), WaitFor::received, index);
}

// --- conclusions ---------------------------------------------------------------------------------------

void StreamRecorder::take_message(const Event& event) {
  if (!stream_) return;
  const MessageConclusion& message = event.message;
  SideRecord& sender = side(event.side);
  if (const auto found = sender.messages.find(message.number); found == sender.messages.end()) {
    if (sender.last_message == message.number) conclude_single(event);
  } else if (found->second.work) {
    const std::uint32_t index = *found->second.work;
    finish_transfer(event.side, found->second, message.reason);
    if (recording_.options.keep_faults) settle_kept(index, found->second);
    sender.messages.erase(found);
    const bool complete = message.end == MessageEnd::complete;
    work(index).outcome = complete ? OperationStatus::complete : OperationStatus::incomplete;
    work(index).rtr = message.rtr;
  } else if (message.opcode == Opcode::read_response && found->second.ended) {
    deduce_read(event);
    sender.messages.erase(found);
  }
  if (message.rtr) {
    const Opcode opcode = message.opcode;
    stream().rtr = opcode == Opcode::read_request ? RtrKind::read
                   : opcode == Opcode::rdma_write ? RtrKind::write
                                                  : RtrKind::send;
  }
}

// Of one segment: a request, an Immediate, a Terminate.
void StreamRecorder::conclude_single(const Event& event) {
  const MessageConclusion& message = event.message;
  PlannedWork& made = work(*side(event.side).last_work);
  made.rtr = message.rtr;
  if (made.kind == WorkKind::terminate) {
    const auto terminate = wire::parse_terminate(made.terminate, message.bit_order);
    if (terminate) {
      made.terminate_code = terminate->meant.value();
      find_quoted(made, *terminate);
    }
    made.outcome = OperationStatus::complete;
  } else if (wire::is_immediate(message.opcode)) {
    made.outcome =
        message.end == MessageEnd::complete ? OperationStatus::complete : OperationStatus::incomplete;
  }
}

// The peer's work whose headers a Terminate quotes.
void StreamRecorder::find_quoted(PlannedWork& terminate, const wire::Terminate& fields) {
  const auto fits = [&](const PlannedWork& each) {
    if (each.role == terminate.role || is_close(each.kind)) return false;
    if (!fields.ddp_header) return false;
    const wire::DdpHeader& ddp = *fields.ddp_header;
    if (ddp.tagged()) {
      return ddp.opcode() == Opcode::rdma_write && each.kind == WorkKind::write && each.stag == ddp.stag &&
             ddp.to >= each.to;
    }
    if (each.kind == WorkKind::read && fields.read_request) {  // siw quotes another MSN than the request's
      return each.source_stag == fields.read_request->source_stag &&
             each.stag == fields.read_request->sink_stag;
    }
    return each.msn == ddp.msn && each.kind != WorkKind::write && work_kind_of(ddp.opcode()) == each.kind;
  };
  const std::vector<PlannedWork>& works = stream().work;
  // What a Read brought came before, captured or not.
  const bool response = fields.ddp_header && fields.ddp_header->opcode() == Opcode::read_response;
  for (std::size_t i = works.size(); i > 0 && response; --i) {
    const PlannedWork& each = works[i - 1];
    if (each.role != terminate.role || each.kind != WorkKind::read || each.stag != fields.ddp_header->stag)
      continue;
    terminate.waits.push_back({WaitFor::completed, {*stream_, static_cast<std::uint32_t>(i - 1)}});
    return;
  }
  // Of several Writes to one STag the one whose octets these are.
  const auto surely_fits = [&](const PlannedWork& each) {
    return fits(each) && (each.kind != WorkKind::write ||
                          fields.ddp_header->to - each.to < std::max<std::uint64_t>(each.length, 1));
  };
  const auto last = [&](const auto& wanted) {
    std::size_t i = works.size();
    while (i > 0 && !wanted(works[i - 1])) --i;
    return i;
  };
  std::size_t found = last(surely_fits);
  if (found == 0) found = last(fits);
  if (found == 0) return;
  terminate.quoted = static_cast<std::uint32_t>(found - 1);
  if (works[found - 1].kind == WorkKind::write) terminate.quoted_to = fields.ddp_header->to;
}

void StreamRecorder::take_operation(const Event& event) {
  const OperationConclusion& operation = event.operation;
  const bool read = operation.kind == OperationKind::read;
  if (!stream_ || (!read && operation.kind != OperationKind::atomic)) return;
  std::map<std::uint32_t, std::uint32_t>& requests = side(event.side).requests;
  const auto found = requests.find(operation.message);
  if (found == requests.end()) return;
  const std::uint32_t index = found->second;
  requests.erase(found);
  PlannedWork& request = work(index);
  request.outcome = operation.status;
  if (operation.status == OperationStatus::unknown) side(event.side).unanswered.push_back(index);
  const Side responder = other(event.side);
  std::map<std::uint32_t, MessageSlot>& responses = side(responder).messages;
  const auto response = responses.find(operation.response_message);
  if (operation.answered() && response != responses.end()) {
    request.original = response->second.original;
    if (read) fill_response(responder, index, response->second);
    if (operation.status == OperationStatus::complete) {
      arrive(responder, response->second.end, WaitFor::completed, index);
    }
    responses.erase(response);
  }
  note_effect(Effect::Kind::read, index);
}

// The Read that a Response answers, where a hole between the two leaves that open, and they fit.
std::optional<std::uint32_t> StreamRecorder::asked_before(Side requester, const MessageSlot& response) {
  const auto fits = [&](std::uint32_t index) {
    const PlannedWork& each = work(index);
    return each.kind == WorkKind::read && each.length != 0 && each.stag == response.stag &&
           each.to == response.start && each.length == response.length() &&
           each.first_frame <= response.first_frame;
  };
  std::deque<std::uint32_t>& asked = side(requester).unanswered;
  const auto end = asked.begin() + static_cast<std::ptrdiff_t>(std::min(asked.size(), max_looked_at));
  const auto found = std::find_if(asked.begin(), end, fits);
  if (found == end) return std::nullopt;
  const std::uint32_t index = *found;
  asked.erase(found);
  return index;
}

// The octets of the Read Response under way are what `read` asked for.
void StreamRecorder::fill_response(Side responder, std::uint32_t read, MessageSlot& slot) {
  PlannedWork& request = work(read);
  const std::uint64_t start = slot.start;
  const Content came = slot.finish(recording_);
  if (request.deduced) {
    request.stag = slot.stag;
    request.to = start;
    request.length = length_of(came);
  }
  if (request.length == 0) return;
  // Behind a hole it begins later than it should.
  const std::uint64_t before = start - request.to < request.length ? start - request.to : 0;
  Content content;
  if (before > 0) append(content, recording_.seeded(before));
  for (const Piece& piece : slice(came, 0, request.length - before)) append(content, piece);
  const std::uint64_t length = length_of(content);
  if (length < request.length) append(content, recording_.seeded(request.length - length));
  request.content = std::move(content);
  note_seeded(role_of(responder), read);
}

// A Read Response whose request was not captured.
void StreamRecorder::deduce_read(const Event& event) {
  const Side requester = other(event.side);
  MessageSlot& slot = side(event.side).messages.at(event.message.number);
  const bool excusable =
      !side(requester).captured || side(requester).midstream || stream().midstream ||
      std::ranges::any_of(stream().missing, [](const Missing& each) { return each.lack == Lack::messages; });
  if (!excusable) return keep_unasked(event);                                          // RDMAP-RRNONE
  if (side(requester).last_work && is_close(work(*side(requester).last_work).kind)) {  // too late to ask
    stream().missing.push_back(
        {Lack::messages, side(requester).gap_reason, role_of(requester), event.frame, std::nullopt, 0, 0});
    return;
  }
  if (const auto asked = asked_before(requester, slot)) {
    fill_response(event.side, *asked, slot);
    work(*asked).outcome = OperationStatus::complete;
    arrive(event.side, slot.end, WaitFor::completed, *asked);
    return;
  }
  Event imagined = event;
  imagined.side = requester;
  imagined.ack = 0;
  const std::uint32_t index = begin_work(imagined, WorkKind::read);
  PlannedWork& made = work(index);
  made.deduced = true;
  made.outcome = OperationStatus::complete;
  made.first_frame = slot.first_frame;
  made.time_ns = event.message.begun.time_ns;
  fill_response(event.side, index, slot);
  const Reason reason = side(requester).captured ? side(requester).gap_reason : Reason::one_direction;
  stream().missing.push_back({Lack::request, reason, role_of(requester), event.frame, index, 0, 0});
  arrive(event.side, slot.end, WaitFor::completed, index);
  side(requester).deduced.push_back({index, side(event.side).arrivals.size() - 1});
  note_effect(Effect::Kind::read, index);
}

// A Send or Write is over, as far as it came. `reason`: why its end did not.
void StreamRecorder::finish_transfer(Side which, MessageSlot& slot, Reason reason) {
  const std::uint32_t index = *slot.work;
  const bool ended = slot.ended;
  PlannedWork& made = work(index);
  made.content = slot.finish(recording_);
  made.length = length_of(made.content);
  made.segments = slot.segments;
  made.frame = slot.frame;
  made.outcome = OperationStatus::incomplete;
  note_seeded(made.role, index);
  if (!ended) {
    stream().missing.push_back({Lack::rest, reason, made.role, made.frame, index, made.length, 0});
  }
  // Who acknowledges what was lost had the rest, too.
  if (ended || slot.rest_end) {
    const StreamOffset end = ended ? slot.end : *slot.rest_end;
    arrive(which, end, is_send(made.kind) ? WaitFor::received : WaitFor::placed, index);
  }
  if (made.kind == WorkKind::write) note_effect(Effect::Kind::written, index);
  if (invalidates(made.kind)) note_effect(Effect::Kind::invalidated, index);
}

void StreamRecorder::note_seeded(Role role, std::uint32_t index) {
  const Side sender = role == Role::initiator ? initiator_ : other(initiator_);
  std::uint64_t at = 0;
  for (const Piece& piece : work(index).content) {
    if (piece.seeded) {
      const Reason reason =
          recording_.limited.contains(piece.source) ? Reason::limit : side(sender).gap_reason;
      stream().missing.push_back({Lack::octets, reason, role, work(index).frame, index, at, piece.length});
    }
    at += piece.length;
  }
}

}  // namespace iwarp::replay
