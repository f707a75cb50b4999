// A frame that brings octets again has no FPDUs of its own: those are in the frame that brought them first.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/retransmissions.hpp"

#include "render/fields.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr unsigned max_listed = 4;

// Octets of a direction, by sequence number.
struct Octets {
  std::uint32_t sequence = 0;
  std::uint32_t length = 0;

  [[nodiscard]] bool overlap(const Octets& others) const noexcept {
    return others.sequence - sequence < length || sequence - others.sequence < others.length;
  }
};

const Event* retransmission_of(const Frame& frame) noexcept {
  for (const Event& event : frame.events) {
    if (event.kind == EventKind::retransmitted && event.connection == frame.facts->connection &&
        event.side == frame.facts->side)
      return &event;
  }
  return nullptr;
}

// Whether `fpdu` has octets in `first` that `own` brings again.
bool has_octets(const Frame& frame, const Event& fpdu, FrameNumber first, const Octets& own) noexcept {
  const FrameFacts* const facts = frame.bridge->facts(first);
  if (facts == nullptr) return false;
  for (const Slice& slice : frame.bridge->analysis().slices(fpdu)) {
    if (slice.frame == first && own.overlap({facts->sequence + slice.payload_offset, slice.length}))
      return true;
  }
  return false;
}

void tell_fpdu(const Frame& frame, proto_tree* tree, const FpduFact& fpdu) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  const char* const title = fpdu.header_octets < 2 ? "FPDU" : wire::opcode_title(ddp.opcode());
  proto_item* const item = generated(put_text(tree, hf.retransmission_of, {frame.tvb, 0, 0}, title));
  if (fpdu.header_octets < 2 || fpdu.header_octets < ddp.size()) return;
  if (ddp.tagged()) {
    proto_item_append_text(item, ", STag 0x%08x, TO 0x%016" PRIx64, ddp.stag, ddp.to);
  } else {
    proto_item_append_text(item, ", QN %u, MSN %u, MO %u", ddp.queue, ddp.msn, ddp.mo);
  }
}

// What the frame `completing` has completed of the octets. Counts.
void tell_completed(const Frame& frame, proto_tree* tree, FrameNumber first, FrameNumber completing,
                    unsigned& listed) {
  const Octets own{frame.facts->sequence, frame.facts->payload_length};
  for (const Event& event : frame.bridge->events_elsewhere(completing)) {
    if (listed == max_listed) return;
    if (event.connection != frame.facts->connection || event.side != frame.facts->side) continue;
    if (event.kind == EventKind::startup && frame.facts->key) {
      const bool is_request = event.startup.kind == wire::StartupKind::request;
      generated(
          put_text(tree, hf.retransmission_of, {frame.tvb, 0, 0}, is_request ? "MPA Request" : "MPA Reply"));
      ++listed;
    }
    if (event.kind == EventKind::fpdu && has_octets(frame, event, first, own)) {
      tell_fpdu(frame, tree, event.fpdu);
      ++listed;
    }
  }
}

}  // namespace

void render_retransmission(const Frame& frame, proto_tree* tree) {
  const Event* const event = retransmission_of(frame);
  if (event == nullptr) return;
  const RetransmittedFact& fact = event->retransmitted;
  const std::uint64_t length = fact.duplicate_frame ? frame.facts->payload_length : fact.length;
  if (length == 0) return;  // a second copy of an acknowledgement
  proto_item* const item = generated(put64(tree, hf.retransmission, {frame.tvb, 0, 0}, length));
  if (fact.duplicate_frame) proto_item_append_text(item, ", a second copy of a packet");
  const FrameNumber first = frame.bridge->first_copy_of(frame.number);
  if (first == 0) return;
  proto_tree* const subtree = proto_item_add_subtree(item, ett.retransmission);
  put_frame_number(subtree, hf.retransmission_first, frame, first);
  unsigned listed = 0;
  tell_completed(frame, subtree, first, first, listed);
  // What began there and was complete when this frame came.
  const FrameNumber later = frame.bridge->completed_before(first, frame.number);
  if (later != 0) tell_completed(frame, subtree, first, later, listed);
}

}  // namespace iwarp::dissector
