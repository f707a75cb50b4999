// SPDX-License-Identifier: GPL-2.0-or-later
#include "stags/stag_stream.hpp"

#include <algorithm>
#include <utility>

#include <iwarp/wire/rdmap.hpp>

namespace iwarp {

struct StagStream::Context {
  const Event& event;
  const Analysis& analysis;
  const ConnectionState& connection;
  std::vector<StagUse>& out;

  [[nodiscard]] Side sender() const noexcept { return event.side; }
  [[nodiscard]] Side receiver() const noexcept { return other(event.side); }

  // Of the event's side.
  [[nodiscard]] StagUse make(StagUse::Kind kind, Side owner, const Placement& where) const {
    StagUse use;
    use.kind = kind;
    use.side = event.side;
    use.owner = owner;
    use.from = connection.role_of(event.side);
    use.from_start = connection.mpa.frames[0].has_value() && connection.mpa.frames[1].has_value();
    use.stream = connection.id;
    use.where = where;
    use.decided = event.frame;
    use.endpoints = connection.endpoints;
    return use;
  }
};

namespace {

constexpr std::uint32_t atomic_size = 8;

std::uint32_t& place_of(std::vector<std::uint32_t>& places, std::uint32_t stag) noexcept {
  return places[(stag ^ stag >> 8U) % places.size()];
}

// Where its result is defined (RFC 7306 §5.1).
std::optional<StagUse::Word> word_of(const wire::AtomicRequest& request, std::uint64_t before) noexcept {
  const auto operation = static_cast<wire::AtomicOperation>(request.operation);
  if (operation != wire::AtomicOperation::fetch_add && operation != wire::AtomicOperation::cmp_swap)
    return std::nullopt;
  return StagUse::Word{before, wire::apply_atomic(request, before)};
}

ByteView without_word(const Analysis& analysis, const ConnectionState& connection, Role role) {
  constexpr std::size_t word_size = 4;
  const auto& startup = connection.mpa.frames[static_cast<std::size_t>(role)];
  if (!startup) return {};
  const ByteView all = analysis.private_data(connection.id, *startup);
  return all.subspan(std::min(all.size(), startup->has_word ? word_size : 0));
}

}  // namespace

void StagStream::add(const Event& event, const Analysis& analysis, const ConnectionState& connection,
                     std::vector<StagUse>& out) {
  const Context context{event, analysis, connection, out};
  if (!std::exchange(begun_, true)) {  // what was missing before its first FPDU
    for (const Side side : {Side::a, Side::b}) {
      if (connection.side(side).gaps != 0) note_missing(context, side);
    }
  }
  switch (event.kind) {
    case EventKind::fpdu: return take_fpdu(context);
    case EventKind::gap:
    case EventKind::sync_lost: return note_missing(context, event.side);
    case EventKind::message: return take_message(context);
    case EventKind::operation: return take_operation(context);
    case EventKind::acknowledged:
    case EventKind::fin: return note_delivered(context);
    default: return;
  }
}

void StagStream::note_missing(const Context& context, Side side) {
  context.out.push_back(
      context.make(StagUse::Kind::missing, side, {context.event.frame, context.event.time_ns}));
}

// What the event's side acknowledges, and nobody captured: its peer said it before.
void StagStream::note_uncaptured(const Context& context) {
  const Side peer = context.receiver();
  Half& half = halves_[index(peer)];
  const StreamOffset known = std::max(context.connection.side(peer).consumed_to, half.missing_to);
  if (context.event.ack <= known) return;
  // It may acknowledge a part of an FPDU.
  if (context.event.ack <= context.analysis.read_to(context.connection.id, peer)) return;
  half.missing_to = context.event.ack;
  note_missing(context, peer);
}

void StagStream::take_fpdu(const Context& context) {
  const Event& event = context.event;
  const FpduFact& fpdu = event.fpdu;
  halves_[index(event.side)].fpdu_end = event.offset + fpdu.wire_size;
  note_uncaptured(context);
  note_delivered(context);
  if (!fpdu.is_trusted()) return note_missing(context, event.side);
  if (!std::exchange(startup_read_, true)) read_startup(context);
  if (fpdu.ddp.opcode() == wire::Opcode::rdma_write && halves_[index(context.receiver())].rsockets)
    return take_write(context, context.analysis.payload(event));
  if (fpdu.ddp.tagged() || fpdu.ddp.mo != 0) return;
  if (!wire::is_known(fpdu.ddp.opcode())) return note_missing(context, event.side);  // perhaps a Send
  if (!wire::is_send(fpdu.ddp.opcode())) return;
  halves_[index(event.side)].send_begun = true;
  const ByteView octets = context.analysis.payload(event);
  if (!octets.empty()) return take_send(context, octets);
  if (fpdu.payload_length != 0) note_missing(context, event.side);
}

void StagStream::read_startup(const Context& context) {
  const ConnectionState& connection = context.connection;
  const std::array private_data = {without_word(context.analysis, connection, Role::initiator),
                                   without_word(context.analysis, connection, Role::responder)};
  const bool is_nvme = is_nvme_startup(private_data[0], private_data[1]);
  const std::array ends = {read_rsockets(private_data[0]), read_rsockets(private_data[1])};
  const bool is_rsockets = ends[0] && ends[1];
  for (const Role role : {Role::initiator, Role::responder}) {
    const std::size_t at = static_cast<std::size_t>(role);
    const Side side = connection.side_of(role);
    const auto& startup = connection.mpa.frames[at];
    Half& half = halves_[index(side)];
    if (is_nvme) half.sends.expect(Ulp::nvme);
    if (is_rsockets) {
      half.sends.expect(Ulp::rsockets);
      half.rsockets = ends[at];
      put_advertised(context, side, startup->placed, ends[at]->table);
      put_advertised(context, side, startup->placed, ends[at]->buffer);
    } else if (startup && !private_data[at].empty()) {
      hear(half, startup->placed.frame, private_data[at], private_data[at].size());
    }
  }
}

void StagStream::put_advertised(const Context& context, Side owner, const Placement& where,
                                const StagMention& told) {
  StagUse use = context.make(StagUse::Kind::advertised, owner, where);
  use.side = owner;
  use.from = context.connection.role_of(owner);
  use.ulp = halves_[index(owner)].sends.ulp();
  use.stag = told.stag;
  use.to = told.to;
  use.length = told.length;
  context.out.push_back(use);
}

// Of rsockets, whose entries of the peer's table are Writes of one FPDU.
void StagStream::take_write(const Context& context, ByteView octets) {
  const FpduFact& fpdu = context.event.fpdu;
  const auto told =
      halves_[index(context.receiver())].rsockets->told_by_write(fpdu.ddp.stag, fpdu.ddp.to, octets);
  if (!told) return;
  put_advertised(context, context.sender(), fpdu.placed, *told);
  context.out.back().opcode = wire::Opcode::rdma_write;
}

void StagStream::take_send(const Context& context, ByteView octets) {
  Half& half = halves_[index(context.sender())];
  mentions_.clear();
  switch (half.sends.read(octets, context.connection.role_of(context.sender()), mentions_)) {
    case SendReader::Told::all: break;
    case SendReader::Told::unread: note_missing(context, context.sender()); break;
    case SendReader::Told::no_ulp:
      return hear(half, context.event.fpdu.placed.frame, octets, context.event.fpdu.payload_length);
  }
  for (const StagMention& each : mentions_) {
    if (!each.by_owner) continue;
    put_advertised(context, context.sender(), context.event.fpdu.placed, each);
    context.out.back().opcode = context.event.fpdu.ddp.opcode();
  }
}

void StagStream::hear(Half& half, FrameNumber frame, ByteView octets, std::size_t length) {
  octets = octets.first(std::min(octets.size(), Heard::max_octets));
  if (half.heard.size() < max_heard) half.heard.emplace_back();
  Heard& heard = half.heard[half.heard_count++ % max_heard];
  heard.frame = frame;
  heard.size = static_cast<std::uint8_t>(octets.size());
  heard.length = static_cast<std::uint16_t>(std::min<std::size_t>(length, 0xffff));
  std::copy(octets.begin(), octets.end(), heard.octets.begin());
}

void StagStream::look_for(const Context& context, Side owner, std::uint32_t stag, const StagAccess& access) {
  Half& half = halves_[index(owner)];
  if (half.sends.ulp() != Ulp::unknown || half.heard.empty()) return;
  std::vector<std::uint32_t>& looked = half.looked;
  if (looked.empty()) looked.resize(looked_places);
  std::uint32_t& latest = place_of(looked, stag);
  if (latest == stag || half.searches >= 2 * half.heard_count + max_heard) return;
  latest = stag;
  ++half.searches;
  // The latest is the likeliest.
  std::optional<StagUse> bare;
  for (std::uint64_t at = half.heard_count; at > 0 && at + max_heard > half.heard_count; --at) {
    const Heard& heard = half.heard[(at - 1) % max_heard];
    const auto found =
        ulp::find_mention(ByteView(heard.octets).first(heard.size), heard.length, stag, access);
    if (!found) continue;
    const bool is_bare = found->layout == StagLayout::bare;
    if (bare && is_bare) continue;
    StagUse use = context.make(StagUse::Kind::advertised, owner, {heard.frame, 0});
    use.side = owner;
    use.from = context.connection.role_of(owner);
    use.confidence = is_bare ? Confidence::low : Confidence::medium;
    use.stag = stag;
    use.to = found->to;
    use.length = found->length;
    if (!is_bare) {
      context.out.push_back(use);
      return;
    }
    bare = use;
  }
  if (bare) context.out.push_back(*bare);
}

void StagStream::take_message(const Context& context) {
  const MessageConclusion& message = context.event.message;
  Half& half = halves_[index(context.sender())];
  const auto put = [&](StagUse::Kind kind, Side owner, std::uint32_t stag, std::uint64_t to,
                       std::uint64_t length) {
    if (length == 0) return;  // moves nothing; of a Read the STag is not even validated (RFC 5040 §5.2.1)
    if (context.connection.side(owner).phase == Phase::lost) note_missing(context, owner);
    if (owner != context.sender()) look_for(context, owner, stag, {to, length});
    StagUse use = context.make(kind, owner, message.placed);
    use.opcode = message.opcode;
    use.begun = message.start_seen ? message.begun.frame : 0;
    use.ulp = halves_[index(owner)].sends.ulp();
    use.stag = stag;
    use.to = to;
    use.length = length;
    context.out.push_back(use);
  };
  switch (message.opcode) {
    case wire::Opcode::rdma_write:
      put(StagUse::Kind::written, context.receiver(), message.stag, message.to, message.length);
      if (message.length != 0 && half.writes.size() < max_writes &&
          std::none_of(half.writes.begin(), half.writes.end(),
                       [&](const Write& each) { return each.stag == message.stag; })) {
        half.writes.push_back({message.stag, message.number, 0});
      }
      break;
    case wire::Opcode::read_request: {
      const auto request = wire::parse_read_request(ByteView(message.rdmap).first(message.rdmap_octets));
      if (!request) break;
      put(StagUse::Kind::read, context.receiver(), request->source_stag, request->source_to, request->size);
      if (request->size != 0) expect(half, {message.number, request->source_stag, message.opcode});
      break;
    }
    case wire::Opcode::read_response:
      put(StagUse::Kind::placed, context.receiver(), message.stag, message.to, message.length);
      break;
    case wire::Opcode::atomic_request: {
      const auto request = wire::parse_atomic_request(ByteView(message.rdmap).first(message.rdmap_octets));
      if (!request) break;
      put(StagUse::Kind::atomic, context.receiver(), request->remote_stag, request->remote_to, atomic_size);
      expect(half, {message.number, request->remote_stag, message.opcode});
      half.atomics.push_back(*request);
      break;
    }
    case wire::Opcode::atomic_response: {
      const auto response = wire::parse_atomic_response(ByteView(message.rdmap).first(message.rdmap_octets));
      half.returned.reset();
      if (response) half.returned = {message.number, response->original_remote_data};
      break;
    }
    case wire::Opcode::terminate: return note_terminate(context);
    default: break;
  }
  if (!wire::is_send(message.opcode)) return;
  if (!std::exchange(half.send_begun, false)) note_missing(context, context.sender());
  for (Write& write : half.writes) {
    if (write.covered == 0) write.covered = half.fpdu_end;
  }
  if (!wire::invalidates(message.opcode) || message.end != MessageEnd::complete) return;
  // Its owner may tell of it again.
  if (std::vector<std::uint32_t>& looked = halves_[index(context.receiver())].looked; !looked.empty()) {
    std::uint32_t& latest = place_of(looked, message.stag);
    if (latest == message.stag) latest = 0;
  }
  if (context.connection.side(context.receiver()).phase == Phase::lost)
    note_missing(context, context.receiver());
  StagUse use = context.make(StagUse::Kind::invalidated, context.receiver(), message.placed);
  use.opcode = message.opcode;
  use.ulp = halves_[index(context.receiver())].sends.ulp();
  use.stag = message.stag;
  context.out.push_back(use);
  use.kind = StagUse::Kind::delivered;
  if (half.invalidations.size() >= max_invalidations) half.invalidations.pop_front();
  half.invalidations.push_back({use, half.fpdu_end});
}

void StagStream::expect(Half& half, const Request& request) {
  if (half.requests.size() >= max_requests) (void)pop_request(half);
  half.requests.push_back(request);
}

std::optional<wire::AtomicRequest> StagStream::pop_request(Half& half) {
  const bool is_atomic = half.requests.front().opcode == wire::Opcode::atomic_request;
  half.requests.pop_front();
  if (!is_atomic) return std::nullopt;
  const wire::AtomicRequest atomic = half.atomics.front();
  half.atomics.pop_front();
  return atomic;
}

void StagStream::note_terminate(const Context& context) {
  const MessageConclusion& message = context.event.message;
  const auto terminate =
      wire::parse_terminate(ByteView(message.rdmap).first(message.rdmap_octets), message.bit_order);
  if (!terminate || !terminate->ddp_header) return;
  StagUse use = context.make(StagUse::Kind::refused, context.sender(), message.placed);
  use.code = terminate->meant.value();
  use.opcode = terminate->ddp_header->opcode();
  use.refused_frame = context.connection.referred_frame(context.event);
  if (terminate->ddp_header->tagged()) {
    use.stag = terminate->ddp_header->stag;
    use.to = terminate->ddp_header->to;
    const std::uint16_t segment = terminate->ddp_segment_length.value_or(0);
    if (segment > wire::tagged_header_size) use.length = segment - wire::tagged_header_size;
  } else if (terminate->read_request) {
    use.stag = terminate->read_request->source_stag;
    use.to = terminate->read_request->source_to;
    use.length = terminate->read_request->size;
  } else {
    return;
  }
  use.ulp = halves_[index(context.sender())].sends.ulp();
  context.out.push_back(use);
}

// A Read or Atomic that was answered succeeded, and all Writes before it (RFC 5040 §5.5).
void StagStream::take_operation(const Context& context) {
  const OperationConclusion& operation = context.event.operation;
  if (operation.kind != OperationKind::read && operation.kind != OperationKind::atomic) return;
  Half& half = halves_[index(context.sender())];
  while (!half.requests.empty() && half.requests.front().message < operation.message) (void)pop_request(half);
  if (half.requests.empty() || half.requests.front().message != operation.message) return;
  const Request request = half.requests.front();
  const auto atomic = pop_request(half);
  if (operation.status != OperationStatus::complete) return;
  const auto put = [&](std::uint32_t stag, wire::Opcode opcode) -> StagUse& {
    StagUse& use = context.out.emplace_back(
        context.make(StagUse::Kind::granted, context.receiver(), operation.response));
    use.opcode = opcode;
    use.stag = stag;
    return use;
  };
  StagUse& use = put(request.stag, request.opcode);
  const auto& returned = halves_[index(context.receiver())].returned;
  if (atomic && returned && returned->message == operation.response_message) {
    use.to = atomic->remote_to;
    use.word = word_of(*atomic, returned->word);
  }
  std::erase_if(half.writes, [&](const Write& write) {
    if (write.message >= operation.message) return false;
    put(write.stag, wire::Opcode::rdma_write);
    return true;
  });
}

// By what the event's octets acknowledge.
void StagStream::note_delivered(const Context& context) {
  const Event& event = context.event;
  Half& half = halves_[index(context.receiver())];
  if (half.invalidations.empty() && half.writes.empty()) return;
  while (!half.invalidations.empty() && half.invalidations.front().end <= event.ack) {
    StagUse use = half.invalidations.front().use;
    half.invalidations.pop_front();
    use.decided = event.frame;
    context.out.push_back(use);
  }
  if (event.kind != EventKind::fpdu || event.fpdu.ddp.opcode() == wire::Opcode::terminate) return;
  std::erase_if(half.writes, [&](const Write& write) {
    if (write.covered == 0 || write.covered > event.ack) return false;
    StagUse use = context.make(StagUse::Kind::granted, context.sender(), event.fpdu.placed);
    use.opcode = wire::Opcode::rdma_write;
    use.stag = write.stag;
    context.out.push_back(use);
    return true;
  });
}

}  // namespace iwarp
