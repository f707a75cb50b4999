// The state of the stream behind the frame, as iwarp-analyze --state-at tells it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <string>

#include <iwarp/export/names.hpp>

#include "bridge/stags.hpp"
#include "render/fields.hpp"
#include "render/render.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr std::size_t max_requests_shown = 64;

const char* mode_name(Mode mode) noexcept {
  return mode == Mode::on ? "on" : mode == Mode::off ? "off" : "not known";
}

const char* queue_title(unsigned queue) noexcept {
  static constexpr const char* titles[] = {"Sends", "Read and Atomic Requests", "Terminates",
                                           "Atomic Responses"};
  return titles[queue];
}

const char* text_of(wmem_allocator_t* pool, const Endpoint& endpoint) noexcept {
  const std::string text = to_string(endpoint);
  return wmem_strdup(pool, text.c_str());
}

struct StateTree {
  const Frame& frame;
  proto_tree* tree;
  Range nowhere;

  proto_item* number(int field, std::uint32_t value) const {
    return generated(put(tree, field, nowhere, value));
  }
  proto_item* number64(int field, std::uint64_t value) const {
    return generated(put64(tree, field, nowhere, value));
  }
  proto_item* text(int field, const char* value) const {
    return generated(put_text(tree, field, nowhere, value));
  }
  proto_item* flag(int field, bool value) const { return generated(put_flag(tree, field, nowhere, value)); }
  [[nodiscard]] StateTree below(proto_item* item, int kind) const {
    return {frame, proto_item_add_subtree(item, kind), nowhere};
  }
};

void render_negotiated(const StateTree& to, const MpaState& mpa, Llp llp) {
  const std::optional<StartupFact>& frame = mpa.frames[1] ? mpa.frames[1] : mpa.frames[0];
  if (!frame) return;
  proto_item* const heading = generated(put_octets(to.tree, hf.state_mpa, to.nowhere));
  if (!mpa.frames[1]) proto_item_set_text(heading, "Offered, not answered so far");
  const StateTree below = to.below(heading, ett.negotiated);
  if (llp == Llp::tcp) below.number(hf.state_rev, frame->revision);
  below.flag(hf.state_peer_to_peer, mpa.peer_to_peer);
  if (mpa.rtr != RtrKind::none) below.text(hf.state_rtr, rtr_kind_name(mpa.rtr));
  if (mpa.limits_source != LimitsSource::none)
    below.text(hf.state_limits_source, limits_source_name(mpa.limits_source));
}

void render_qp(const StateTree& to, const QpState& qp, Role role) {
  proto_item* const item =
      to.text(role == Role::initiator ? hf.qp_initiator : hf.qp_responder, qp_value_name(qp.value));
  proto_item_append_text(item, " (%s)", qp_evidence_words(qp.evidence));
  const StateTree below = to.below(item, ett.qp_state);
  repeated(below.text(hf.qp_evidence, qp_evidence_name(qp.evidence)));
  below.text(hf.qp_confidence, confidence_name(qp.confidence));
  if (qp.frame != 0) put_frame_number(below.tree, hf.qp_frame, to.frame, qp.frame);
}

void render_depth(const StateTree& to, int field, const Depth& depth) {
  if (depth.effective) to.number(field, *depth.effective);
}

TimeNs time_of(const Frame& frame) noexcept {
  const nstime_t& time = frame.pinfo->abs_ts;
  return static_cast<TimeNs>(time.secs) * 1'000'000'000 + time.nsecs;
}

void render_requests(const StateTree& to, const SideState& side, const Depth& ord) {
  proto_item* const item = to.number(hf.state_outstanding, side.outstanding());
  if (ord.effective) proto_item_append_text(item, " of ORD %u", *ord.effective);
  if (side.unseen_requests != 0) proto_item_append_text(item, ", %u more not captured", side.unseen_requests);
  const StateTree below = to.below(item, ett.requests);
  std::size_t shown = 0;
  for (const Request& request : side.requests) {
    if (request.unseen) continue;
    if (shown++ == max_requests_shown) {
      proto_item_append_text(item, ", the oldest %u shown", static_cast<unsigned>(max_requests_shown));
      return;
    }
    proto_item* const each = put_frame_number(below.tree, hf.state_request, to.frame, request.placed.frame);
    const TimeNs age = time_of(to.frame) - request.placed.time_ns;
    proto_item_append_text(each, ", %s, MSN %u", request.kind == RequestKind::read ? "Read" : "Atomic",
                           request.msn);
    if (!request.partial) {  // else its header was cut
      proto_item_append_text(each, ", %u octets of 0x%08x:0x%016" PRIx64, request.size, request.source_stag,
                             request.source_to);
    }
    proto_item_append_text(each, ", %.3f ms ago", in_ms(age));
    const StateTree details = below.below(each, ett.request);
    put_duration(details.tree, hf.state_request_age, to.frame, age);
  }
}

void render_open_message(const StateTree& to, const OpenMessage& message, bool tagged) {
  if (!message.active) return;
  proto_item* const item = put_frame_number(to.tree, hf.state_open, to.frame, message.first_frame);
  proto_item_append_text(item, ", %s", wire::opcode_title(message.opcode));
  if (tagged) {
    proto_item_append_text(item, ", 0x%08x:0x%016" PRIx64, message.stag, message.to);
  } else {
    proto_item_append_text(item, ", QN %u, MSN %u", message.queue, message.msn);
  }
  proto_item_append_text(item, ", %" PRIu64 " octets so far", message.length);
  if (message.holed) proto_item_append_text(item, ", octets missing");
  const StateTree below = to.below(item, ett.message);
  if (!message.holed && !message.adrift) below.number64(hf.state_open_length, message.length);
}

// "source of 7 Reads, 458752 octets"
void tell_use(proto_item* item, const StagUse& use) {
  const char* const plural = use.count == 1 ? "" : "s";
  switch (use.part) {
    case StagPart::written: proto_item_append_text(item, ", written to"); break;
    case StagPart::placed: proto_item_append_text(item, ", where a Read Response is placed"); break;
    case StagPart::read_source:
      proto_item_append_text(item, ", source of %u Read%s", use.count, plural);
      break;
    case StagPart::read_sink: proto_item_append_text(item, ", sink of %u Read%s", use.count, plural); break;
    case StagPart::atomic_target: proto_item_append_text(item, ", of %u atomic%s", use.count, plural); return;
    case StagPart::invalidated: proto_item_append_text(item, ", invalidated"); return;
  }
  proto_item_append_text(item, ", %" PRIu64 " octets", use.octets);
}

void render_stags_in_use(const StateTree& to, const ConnectionState& state, Side owner) {
  StagUses uses;
  uses.add_under_way(state);
  for (const StagUse& use : uses.all()) {
    if (use.owner == owner) tell_use(to.number(hf.state_stag, use.stag), use);
  }
}

// By the FPDUs of this stream that the frame completes.
void render_stags_touched(const StateTree& to, const ConnectionState& state) {
  StagUses uses;
  for (const Event& event : to.frame.events) {
    if (event.kind == EventKind::fpdu && event.connection == state.id) uses.add(event.fpdu, event.side);
  }
  for (const StagUse& use : uses.all()) {
    proto_item* const item = to.number(hf.state_stag_touched, use.stag);
    proto_item_append_text(item, " of the %s", role_name(state.role_of(use.owner)));
    tell_use(item, use);
  }
}

void render_counters(const StateTree& to, const SideState& side) {
  std::uint64_t messages = 0;
  for (const std::uint64_t count : side.messages) messages += count;
  to.number64(hf.state_fpdus, side.fpdus);
  to.number64(hf.state_messages, messages);
  to.number64(hf.state_payload, side.payload_octets);
  if (side.crc_counts.bad != 0) to.number64(hf.state_crc_bad, side.crc_counts.bad);
  if (side.gaps != 0) to.number64(hf.state_gap_octets, side.gap_octets);
  if (side.retransmitted_octets != 0) to.number64(hf.state_retransmitted, side.retransmitted_octets);
}

void render_side(const StateTree& to, const ConnectionState& state, Role role) {
  const SideState& side = state.side(state.side_of(role));
  const auto which = static_cast<std::size_t>(role);
  proto_item* const item = generated(put_octets(to.tree, hf.state_side, to.nowhere));
  proto_item_set_text(item, "%s's side: queue pair %s, phase %s",
                      role == Role::initiator ? "Initiator" : "Responder", qp_value_name(side.qp.value),
                      phase_name(side.phase));
  const bool known = state.outstanding_known();
  if (known) proto_item_append_text(item, ", %u of its requests outstanding", side.outstanding());
  const StateTree below = to.below(item, ett.side);
  render_qp(below, side.qp, role);
  repeated(below.text(hf.state_phase, phase_name(side.phase)));
  if (state.llp == Llp::tcp) {  // as MPA's
    below.text(hf.state_markers, mode_name(side.known_markers()));
    below.text(hf.state_crc, mode_name(side.crc));
  }
  render_depth(below, hf.state_ird, state.mpa.ird[which]);
  render_depth(below, hf.state_ord, state.mpa.ord[which]);
  for (unsigned queue = 0; queue < wire::queue_count; ++queue) {
    const QueueState& of = side.queues[queue];
    const bool never_used = of.next_msn == 1 && !of.open.active;
    if (!of.known || of.baseline || never_used) continue;
    proto_item* const next = below.number(hf.state_next_msn, of.next_msn);
    proto_item_append_text(next, " on queue %u (%s)", queue, queue_title(queue));
    repeated(below.below(next, ett.queue).number(hf.state_queue, queue));
  }
  if (known) {
    render_requests(below, side, state.mpa.ord[which]);
    proto_item* const most = below.number(hf.state_max_outstanding, side.max_outstanding);
    if (side.max_outstanding == 0) repeated(most);
  }
  for (const QueueState& queue : side.queues) render_open_message(below, queue.open, false);
  render_open_message(below, *side.write, true);
  render_open_message(below, *side.read_response, true);
  render_stags_in_use(below, state, state.side_of(role));
  for (const TerminateSeen& terminate : side.terminates) {
    proto_item* const each = put_frame_number(below.tree, hf.state_terminate, to.frame, terminate.frame);
    const char* const name = wire::describe_terminate(terminate.meant.value()).name;
    proto_item_append_text(each, ", %s", terminate.code_captured ? name : "its code was not captured");
  }
  render_counters(below, side);
}

// What most people look for, with the subtree still closed: "initiator rts, 3/8 outstanding; responder rts"
void summarise(proto_item* heading, const ConnectionState& state) {
  for (const Role role : {Role::initiator, Role::responder}) {
    const SideState& side = state.side(state.side_of(role));
    proto_item_append_text(heading, "%s %s %s", role == Role::initiator ? ":" : ";", role_name(role),
                           qp_value_name(side.qp.value));
    if (side.outstanding() == 0 || !state.outstanding_known()) continue;
    proto_item_append_text(heading, ", %u", side.outstanding());
    const Depth& ord = state.mpa.ord[static_cast<std::size_t>(role)];
    if (ord.effective) proto_item_append_text(heading, "/%u", *ord.effective);
    proto_item_append_text(heading, " outstanding");
  }
}

}  // namespace

void render_state(const Frame& frame, proto_tree* tree, const ConnectionState& state) {
  const StateTree root{frame, tree, {frame.tvb, 0, 0}};
  proto_item* const heading = generated(put_octets(tree, hf.state, root.nowhere));
  if (state.llp == Llp::sctp) append_session(heading, state.id, state.sctp);
  summarise(heading, state);
  const StateTree to = root.below(heading, ett.state);
  const Side initiator = state.initiator;
  to.text(hf.state_initiator, text_of(frame.pinfo->pool, state.endpoints[index(initiator)]));
  to.text(hf.state_responder, text_of(frame.pinfo->pool, state.endpoints[index(other(initiator))]));
  to.text(hf.state_role_basis, role_basis_name(state.role_basis));
  to.text(hf.state_start, start_name(state));
  render_negotiated(to, state.mpa, state.llp);
  render_side(to, state, Role::initiator);
  render_side(to, state, Role::responder);
  render_stags_touched(to, state);
}

}  // namespace iwarp::dissector
