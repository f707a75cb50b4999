// What every part of the fold works on: the state, the event at hand, and who hears of conclusions.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include <iwarp/state.hpp>
#include <iwarp/wire/session.hpp>

#include "state/conclusions.hpp"

namespace iwarp {

struct Fold {
  ConnectionState& state;
  const Event& event;
  Conclusions& out;

  // The side the event is about, and the other one.
  [[nodiscard]] SideState& side() const noexcept { return state.side(event.side); }
  [[nodiscard]] SideState& peer() const noexcept { return state.side(other(event.side)); }
};

// The number of the message that the event's segment belongs to: a new one where it belongs to none so far.
inline std::uint32_t number_of_message(const Fold& fold) noexcept {
  if (fold.state.fpdu_message == 0) fold.state.fpdu_message = ++fold.state.messages;
  return fold.state.fpdu_message;
}

[[nodiscard]] constexpr std::uint64_t argument(Phrase phrase) noexcept {
  return static_cast<std::uint64_t>(phrase);
}
// AcknowledgedFact::sent where nobody knows what had been sent before: the capture began on the way, and no
// octet of that side had come.
inline constexpr StreamOffset sent_unknown = ~StreamOffset{0};

// The first sixteen phrases are the opcodes.
[[nodiscard]] constexpr std::uint64_t argument(wire::Opcode opcode) noexcept {
  return static_cast<std::uint64_t>(opcode);
}

// Serial arithmetic modulo 2^32 (RFC 1982 in spirit): whether `msn` comes before `reference`.
[[nodiscard]] constexpr bool serial_before(std::uint32_t msn, std::uint32_t reference) noexcept {
  return static_cast<std::int32_t>(msn - reference) < 0;
}

[[nodiscard]] constexpr std::uint32_t octets_reversed(std::uint32_t value) noexcept {
  return value << 24 | (value & 0xff00U) << 8 | (value >> 8 & 0xff00U) | value >> 24;
}

// The CRC is right, but was sent most significant octet first. Among right CRCs of its sender it is just
// wrong.
[[nodiscard]] inline bool crc_in_wrong_order(const SideState& sender, const FpduFact& fpdu) noexcept {
  return fpdu.crc == CrcStatus::bad && octets_reversed(fpdu.crc_field) == fpdu.crc_computed &&
         sender.crc_counts.good == 0;
}
// Whether the octets of the FPDU may be believed.
[[nodiscard]] inline bool is_trusted(const SideState& sender, const FpduFact& fpdu) noexcept {
  return fpdu.crc != CrcStatus::bad || crc_in_wrong_order(sender, fpdu);
}
// Whether the whole DDP header is there.
[[nodiscard]] inline bool has_ddp_header(const FpduFact& fpdu) noexcept {
  return !fpdu.malformed && fpdu.header_octets >= fpdu.ddp.size();
}
// Whether it is a Terminate, by as much of the header as there is: RDMAP's control octet tells.
[[nodiscard]] inline bool is_terminate(const FpduFact& fpdu) noexcept {
  return !fpdu.malformed && fpdu.header_octets >= 2 && !fpdu.ddp.tagged() &&
         fpdu.ddp.opcode() == wire::Opcode::terminate;
}
// Octets behind the DDP header, captured or not. REQUIRES: has_ddp_header(fpdu).
[[nodiscard]] inline std::uint32_t payload_of(const FpduFact& fpdu) noexcept {
  return fpdu.ulpdu_length - std::min<std::uint32_t>(fpdu.ulpdu_length, fpdu.ddp.size());
}
[[nodiscard]] inline StreamOffset end_of(const Event& fpdu) noexcept {
  return fpdu.offset + fpdu.fpdu.wire_size;
}
// Where a start-up frame ends, or the session control message that stands for one, with all the Private Data
// that it promises.
[[nodiscard]] inline StreamOffset end_of_startup(const ConnectionState& state,
                                                 const Event& startup) noexcept {
  const std::size_t header = state.llp == Llp::sctp ? wire::session_header_size : wire::startup_header_size;
  return startup.offset + header + startup.startup.private_data_length;
}
// The RDMAP header's captured octets.
[[nodiscard]] inline ByteView rdmap_view(const FpduFact& fpdu) noexcept {
  return {fpdu.rdmap.data(), std::min<std::size_t>(fpdu.rdmap_octets, fpdu.rdmap.size())};
}

[[nodiscard]] constexpr std::size_t index(Role role) noexcept {
  return static_cast<std::size_t>(role);
}
[[nodiscard]] constexpr std::size_t index(wire::StartupKind kind) noexcept {
  return static_cast<std::size_t>(kind);
}
[[nodiscard]] constexpr std::size_t index(CheckId check) noexcept {
  return static_cast<std::size_t>(check);
}

[[nodiscard]] inline bool any_terminate(const ConnectionState& state) noexcept {
  return !state.sides[0].terminates.empty() || !state.sides[1].terminates.empty();
}

// Where a fact lies in the capture: its own octets, or the segment that it is about; else the frame that was
// being added.
[[nodiscard]] inline Placement placement_of(const Event& fact) noexcept {
  Placement placed;
  switch (fact.kind) {
    case EventKind::fpdu:
    case EventKind::placed: placed = fact.fpdu.placed; break;
    case EventKind::startup: placed = fact.startup.placed; break;
    case EventKind::acknowledged: placed = fact.acknowledged.segment; break;
    case EventKind::fin:
    case EventKind::rst: placed = fact.end.segment; break;
    default: break;
  }
  return placed.frame != 0 ? placed : Placement{fact.frame, fact.time_ns};
}
// The frame that brought the first octet of this FPDU, as far as any was captured.
[[nodiscard]] inline FrameNumber sent_frame(const Event& fpdu) noexcept {
  return fpdu.fpdu.first_frame != 0 ? fpdu.fpdu.first_frame : fpdu.frame;
}
// Whether this FPDU came so long after an acknowledgement that whoever acknowledged had acted on what it got:
// ten milliseconds, or eight frames. Told by when both were captured, however long they waited for others.
[[nodiscard]] inline bool well_after(const Event& fpdu, FrameNumber frame, TimeNs time_ns) noexcept {
  return fpdu.fpdu.placed.time_ns - time_ns >= 10'000'000 || sent_frame(fpdu) >= frame + 8;
}
// Whether this FPDU shows that the receiver of a suspect one took it and went on. `by_receiver`: it is the
// receiver's own; the sender's tells only when much later, a Terminate may be on its way.
[[nodiscard]] inline bool lived_on(const SuspectFpdu& suspect, const Event& fpdu, bool by_receiver) noexcept {
  if (suspect.frame == 0 || suspect.acknowledged_frame == 0) return false;
  if (by_receiver) return well_after(fpdu, suspect.acknowledged_frame, suspect.acknowledged_time_ns);
  return fpdu.fpdu.placed.time_ns - suspect.acknowledged_time_ns >= 1'000'000'000;
}

// The analysis is to tell when the peer acknowledged this side's octets up to `offset`.
inline void watch(SideState& side, StreamOffset offset) {
  constexpr std::size_t max_watched = 1024;
  if (side.watched.size() >= max_watched || (!side.watched.empty() && side.watched.back() >= offset)) return;
  side.watched.push_back(offset);
}

}  // namespace iwarp
