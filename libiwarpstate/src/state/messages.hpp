// DDP messages: segments put together, untagged ones by QN, MSN and MO, tagged ones by order, STag and TO
// (RFC 5041 §4, §5). Sequence rules are judged here, since only the fold knows what is due.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include <iwarp/wire/rdmap.hpp>

#include "state/fold.hpp"

namespace iwarp {

// RDMAP messages that are one segment with L and MO 0. Their own rules say so (RDMAP-RREQ, -ATLEN, -IMM8,
// -TERM1), with the length.
[[nodiscard]] constexpr bool is_single_segment(wire::Opcode opcode) noexcept {
  return wire::rdmap_header_size(opcode) > 0 || opcode == wire::Opcode::terminate;
}

// An FPDU's segment goes to its message. `rtr`: it is the ready-to-receive message.
// REQUIRES: is_trusted and has_ddp_header of the event's FPDU.
void take_untagged(const Fold& fold, bool rtr);
void take_tagged(const Fold& fold, bool rtr);

// A better copy of a segment that was passed over: taken without judging sequence, if its message can use it.
void take_recovered(const Fold& fold);

// No further segment of `side` is followed: its open messages are concluded. `judged`: none was sent, so
// octets that were jumped over are missing for good.
void end_messages(const Fold& fold, Side side, Reason reason, bool judged);

// No further segment of the event's side can come: octets jumped over are missing for good.
void judge_missing(const Fold& fold);

// Octets of an untagged message that were jumped over did not come: DDP-MOSEQ accuses the segments that
// jumped. With `doubt` it is undecidable.
void judge_jumps(const Fold& fold, Side side, OpenMessage& open, std::optional<Reason> doubt);

// --- shared by the untagged and the tagged half ---------------------------------------------------------

// Whether the last segment of a message of this side has not come. `holed`: it may have, in a hole.
// A Write that another one interrupted does not count: DDP-TOSEQ was reported, whichever of the two was
// wrong.
[[nodiscard]] bool has_open_message(const SideState& side, bool& holed) noexcept;

// Makes `open` the message that begins with the event's segment.
void open_message(const Fold& fold, OpenMessage& open);
// The event's segment is one of it.
inline void count_segment(const Fold& fold, OpenMessage& open) noexcept {
  const FpduFact& fpdu = fold.event.fpdu;
  fold.state.fpdu_message = open.number;
  open.length += payload_of(fpdu);
  ++open.segments;
  open.placed = later(open.placed, fpdu.placed);
}
// The end of a message whose last segment came.
[[nodiscard]] inline MessageEnd end_of(const OpenMessage& open) noexcept {
  return open.holed ? MessageEnd::unknown : MessageEnd::complete;
}
// Concludes `open`, of the event's side unless told otherwise. MessageEnd::incomplete where octets of it are
// missing counts as unknown.
// The second segment of a tagged message has another STag than the first: the one of them is wrong whose STag
// the third one has not. `third`: its STag; nothing: the message ends without it.
void settle_stag(const Fold& fold, Side side, OpenMessage& open, std::optional<std::uint32_t> third);

void conclude_message(const Fold& fold, Side side, OpenMessage& open, MessageEnd end, Reason reason,
                      bool rtr = false);
// Concludes a message of one segment without storing it first.
void conclude_single(const Fold& fold, MessageEnd end, Reason reason, bool rtr);

}  // namespace iwarp
