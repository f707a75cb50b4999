// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/mpa_state.hpp"

#include "state/qp_state.hpp"
#include "state/stream_facts.hpp"

namespace iwarp {
namespace {

// RFC 6581 §9.1: the smaller of what one side asks for and the other allows; unknown where either is left to
// the ULP.
std::optional<std::uint32_t> agreed(const std::optional<std::uint32_t>& wanted,
                                    const std::optional<std::uint32_t>& allowed,
                                    std::uint32_t open_value) noexcept {
  if (!wanted || !allowed || *wanted == open_value || *allowed == open_value) return std::nullopt;
  return std::min(*wanted, *allowed);
}

void offer(MpaState& mpa, Role role, std::uint32_t ird, std::uint32_t ord) noexcept {
  mpa.ird[index(role)].offered = ird;
  mpa.ord[index(role)].offered = ord;
}

void offer_limits(MpaState& mpa, const StartupFact& frame) noexcept {
  const Role role = frame.kind == wire::StartupKind::request ? Role::initiator : Role::responder;
  if (frame.enhanced && frame.has_word) {
    offer(mpa, role, frame.word.ird, frame.word.ord);
  } else if (frame.has_smbd) {
    offer(mpa, role, frame.smbd_ird, frame.smbd_ord);
  }
}

void settle_limits(MpaState& mpa) noexcept {
  const StartupFact& request = *mpa.frames[0];
  const StartupFact& reply = *mpa.frames[1];
  const bool words = request.enhanced && request.has_word && reply.enhanced && reply.has_word;
  const bool smbd = !words && request.has_smbd && reply.has_smbd;
  if (!words && !smbd) return;
  mpa.limits_source = words ? LimitsSource::mpa : LimitsSource::smbd;
  constexpr std::uint32_t no_value = 0xffffffff;
  const std::uint32_t open_value = words ? wire::depth_not_negotiated : no_value;
  for (const Role role : {Role::initiator, Role::responder}) {
    Depth& ord = mpa.ord[index(role)];
    Depth& ird = mpa.ird[index(role)];
    ord.effective = agreed(ord.offered, mpa.ird[index(other(role))].offered, open_value);
    ird.effective = ird.offered == open_value ? std::nullopt : ird.offered;
  }
  mpa.peer_to_peer = words && request.word.peer_to_peer && reply.word.peer_to_peer;
}

// M is a demand on the peer; CRC is in use when either frame has C. SCTP has neither.
void settle_modes(ConnectionState& state) noexcept {
  if (state.llp == Llp::sctp) return;
  const MpaState& mpa = state.mpa;
  SideState& initiator = state.side(state.side_of(Role::initiator));
  SideState& responder = state.side(state.side_of(Role::responder));
  const auto mode = [](bool on) { return on ? Mode::on : Mode::off; };
  if (mpa.frames[0]) responder.markers = mode(mpa.frames[0]->markers);
  if (mpa.frames[1]) initiator.markers = mode(mpa.frames[1]->markers);
  const bool either = (mpa.frames[0] && mpa.frames[0]->crc) || (mpa.frames[1] && mpa.frames[1]->crc);
  const Mode crc = either ? Mode::on : mpa.frames[0] && mpa.frames[1] ? Mode::off : Mode::unknown;
  for (SideState& side : state.sides) {
    side.crc = crc;
    side.inferred = false;
  }
}

void note_frame(const Fold& fold) noexcept {
  MpaState& mpa = fold.state.mpa;
  const StartupFact& frame = fold.event.startup;
  const std::size_t kind = index(frame.kind);
  mpa.frames[kind] = frame;
  mpa.frames[kind]->pieces = {};
  const Placement placed = placement_of(fold.event);
  mpa.frame_numbers[kind] = placed.frame;
  mpa.frame_times[kind] = placed.time_ns;
  mpa.frame_ends[kind] = end_of_startup(fold.state, fold.event);
  offer_limits(mpa, frame);
}

void fold_request(const Fold& fold) {
  ConnectionState& state = fold.state;
  if (crosses(state, fold.event)) {
    ++state.mpa.startups;
    state.mpa.crossed = true;
    fold.side().phase = Phase::startup;
    begin_anew(fold.side());
    // C in either frame puts CRC in use, the peer's Reply would not matter (RFC 5044 §7.1.1).
    if (fold.event.startup.crc) state.sides[0].crc = state.sides[1].crc = Mode::on;
    infer(state, fold.event.side, QpTrigger::startup_sent, placement_of(fold.event).frame);
    return;
  }
  if (state.mpa.startups > 0 || state.mpa.frames[1]) restart(fold);
  const std::uint32_t startups = state.mpa.startups;
  state.mpa = MpaState();
  state.mpa.startups = startups + 1;
  state.initiator = fold.event.side;
  state.role_basis = RoleBasis::mpa;
  note_frame(fold);
  fold.side().phase = Phase::startup;
  begin_anew(fold.side());
  settle_modes(state);
  infer(state, fold.event.side, QpTrigger::startup_sent, placement_of(fold.event).frame);
}

void fold_reply(const Fold& fold) {
  ConnectionState& state = fold.state;
  MpaState& mpa = state.mpa;
  if (!mpa.frames[0] || state.role_basis != RoleBasis::mpa) {
    state.initiator = other(fold.event.side);
    state.role_basis = RoleBasis::mpa;
  }
  note_frame(fold);
  if (fold.event.startup.rejected) {
    mpa.rejected = true;
    mpa.accepted = false;
    for (const Side side : {Side::a, Side::b}) {
      SideState& end = state.side(side);
      if (end.phase != Phase::closed) end.phase = Phase::streaming;
      end.markers = end.crc = Mode::unknown;
      infer(state, side, QpTrigger::startup_rejected, placement_of(fold.event).frame);
    }
    return;
  }
  fold.side().phase = Phase::startup;
  begin_anew(fold.side());
  settle_modes(state);
  if (mpa.frames[0]) {
    mpa.accepted = true;
    settle_limits(mpa);
  }
  infer(state, fold.event.side, QpTrigger::accept_sent, placement_of(fold.event).frame);
}

}  // namespace

void fold_startup(const Fold& fold) {
  fold.state.iwarp = true;
  if (fold.event.startup.kind == wire::StartupKind::request) {
    fold_request(fold);
  } else {
    fold_reply(fold);
  }
}

unsigned common_rtr_bits(const MpaState& mpa) noexcept {
  if (!mpa.frames[0] || !mpa.frames[1]) return 0;
  return rtr_bits(mpa.frames[0]->word) & rtr_bits(mpa.frames[1]->word);
}

unsigned rtr_bit_of(const FpduFact& fpdu, bool& known) noexcept {
  known = true;
  const wire::Opcode opcode = fpdu.ddp.opcode();
  if (opcode == wire::Opcode::send && !fpdu.ddp.tagged()) return payload_of(fpdu) == 0 ? 4U : 0U;
  if (opcode == wire::Opcode::rdma_write && fpdu.ddp.tagged()) return payload_of(fpdu) == 0 ? 2U : 0U;
  if (opcode != wire::Opcode::read_request || fpdu.ddp.tagged()) return 0;
  const auto request = wire::parse_read_request(rdmap_view(fpdu));
  if (!request) {
    known = payload_of(fpdu) < wire::read_request_size;  // too short on the wire: no Read Request at all
    return 0;
  }
  return request->size == 0 ? 1U : 0U;
}

RtrKind rtr_kind_of(const MpaState& mpa, const FpduFact& fpdu) noexcept {
  bool known = false;
  const unsigned bit = rtr_bit_of(fpdu, known);
  // Without negotiation a zero-length Send is taken for what the ULP sends (RFC 6581 §4.4).
  const bool counts = mpa.peer_to_peer ? (bit & common_rtr_bits(mpa)) != 0 : bit == 1U || bit == 2U;
  if (!counts || !mpa.accepted) return RtrKind::none;
  return bit == 4U ? RtrKind::send : bit == 2U ? RtrKind::write : RtrKind::read;
}

}  // namespace iwarp
