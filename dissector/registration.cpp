// How frames come in, and how a conversation is claimed. docs/dissector.md tells what was tried and why it is
// so.
//
// Every frame is added to the bridge once, in the first pass: by our dissector when TCP calls it, else by the
// post-dissector, which epan calls at the end of every frame. So each segment is seen, whatever TCP's
// preferences are. A frame is rendered where TCP calls us; the post-dissector renders those that TCP keeps to
// itself.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "registration.hpp"

#include <algorithm>

#include "compat/column_fields.hpp"
#include "compat/epan.hpp"
#include "compat/old_names.hpp"
#include "host/carriers.hpp"
#include "host/dependencies.hpp"
#include "host/link_type.hpp"
#include "host/preferences.hpp"
#include "render/expert.hpp"
#include "render/fields.hpp"
#include "render/render.hpp"
#include "statistics/statistics.hpp"
#include "ulp/ulps.hpp"

namespace iwarp::dissector {
namespace {

int proto = -1;
dissector_handle_t claimed_handle;    // for conversations: takes what is iWARP and leaves the rest to others
dissector_handle_t decode_as_handle;  // for people who know that it is iWARP

// One capture file at a time is open; epan says when.
CaptureBridge* bridge = nullptr;

// Wireshark dissects a file anew when a preference changes or a frame is ignored, and says nothing at its end
// then. A frame that is not visited but displayed tells that; the last frame is that of the time before, if
// the file had been read whole.
std::uint32_t last_of_whole = 0;
bool is_anew = false;

// The frame under dissection, while it is: whether our dissector has rendered it already.
struct Present {
  const packet_info* pinfo = nullptr;
  std::uint32_t number = 0;
  bool called = false;
  bool rendered = false;

  [[nodiscard]] bool is(const packet_info* other) const noexcept {
    return pinfo == other && number == other->num;
  }
};
Present present;

void close_file() noexcept {
  if (bridge == nullptr) return;
  last_of_whole = bridge->finished() ? bridge->numbers().shown(bridge->last_frame()) : 0;
  delete bridge;
  bridge = nullptr;
}

void open_file() noexcept {
  close_file();
  bridge = new CaptureBridge({preferences().strict, is_port_tried});
}

void end_of_first_pass() noexcept {
  if (bridge != nullptr) bridge->finish();
}

// The whole frame: the first of its data sources.
tvbuff_t* frame_octets(const packet_info* pinfo) noexcept {
  if (pinfo->data_src == nullptr) return nullptr;
  return get_data_source_tvb(static_cast<const data_source*>(pinfo->data_src->data));
}

void add_frame(packet_info* pinfo, tvbuff_t* tvb) {
  if (bridge == nullptr || PINFO_FD_VISITED(pinfo) || present.is(pinfo)) return;
  const FrameNumber number = bridge->next_frame(pinfo->num);
  if (pinfo->rec == nullptr || pinfo->rec->rec_type != REC_TYPE_PACKET) return;
  const auto captured = tvb_captured_length(tvb);
  capture::Record record;
  record.number = number;
  record.has_time = (pinfo->presence_flags & PINFO_HAS_TS) != 0;
  record.time_ns = static_cast<TimeNs>(pinfo->abs_ts.secs) * 1'000'000'000 + pinfo->abs_ts.nsecs;
  record.link_type = link_type_of(pinfo->rec->rec_header.packet_header.pkt_encap);
  if (captured != 0) record.octets = {tvb_get_ptr(tvb, 0, static_cast<int>(captured)), captured};
  record.wire_length = pinfo->fd->pkt_len;
  bridge->add(record);
}

// In a first pass, behind add_frame().
void notice_end(const packet_info* pinfo) noexcept {
  is_anew = pinfo->fd->passed_dfilter != 0 || (is_anew && pinfo->num > 1);
  if (is_anew && pinfo->num == last_of_whole) bridge->finish();
}

// Starts the frame when nobody did. The frame's first caller adds it.
void begin_frame(packet_info* pinfo, tvbuff_t* tvb) {
  add_frame(pinfo, tvb);
  if (!present.is(pinfo)) present = {pinfo, pinfo->num, false, false};
}

Frame frame_of(packet_info* pinfo, tvbuff_t* tvb) noexcept {
  Frame frame;
  frame.tvb = tvb;
  frame.pinfo = pinfo;
  frame.bridge = bridge;
  frame.number = bridge->numbers().in_file(pinfo->num);
  frame.facts = bridge->facts(frame.number);
  frame.sctp = bridge->sctp_facts(frame.number);
  frame.events = bridge->events(frame.number);
  frame.events_at_end = bridge->events_at_end(frame.number);
  frame.protocol = proto;
  frame.later_pass = PINFO_FD_VISITED(pinfo) != 0;
  return frame;
}

// Whether anybody will look at the tree: it is shown, or a filter, a column or a tap asks for one of our
// fields.
bool is_tree_wanted(proto_tree* tree) noexcept {
  return tree != nullptr && (proto_field_is_referenced(tree, proto) || are_old_names_wanted(tree));
}

bool brings(const Frame& frame, bool (*wanted)(const Event&)) noexcept {
  return std::any_of(frame.events.begin(), frame.events.end(), wanted) ||
         (frame.later_pass && std::any_of(frame.events_at_end.begin(), frame.events_at_end.end(), wanted));
}

// A packet with messages of DDP, or a part of one.
bool has_session(const Frame& frame) noexcept {
  return sctp_rest_in(frame) != 0 ||
         (frame.sctp != nullptr &&
          std::any_of(frame.events.begin(), frame.events.end(),
                      [&](const Event& event) { return is_sctp_message(frame, event); }));
}

// What a frame of another protocol brings of iWARP: it may end a connection that it does not belong to (an
// old one of its ports), and so conclude what was open there.
bool has_iwarp(const Frame& frame) noexcept {
  return brings(frame, [](const Event& event) {
    return event.kind == EventKind::finding || event.kind == EventKind::fpdu ||
           event.kind == EventKind::startup || event.kind == EventKind::message ||
           event.kind == EventKind::operation;
  });
}

void render_items(const Frame& frame, proto_tree* tree) {
  present.rendered = true;
  if (is_tree_wanted(tree)) {
    render_tree(frame, tree);
  } else {
    // Filters of epan's own fields (_ws.expert.severity) find what stands below an item.
    proto_item* const item = tree == nullptr ? nullptr : render_protocol(frame, tree);
    add_expert_items(frame, item, frame.events);
    if (frame.later_pass) add_expert_items(frame, item, frame.events_at_end);
    add_data_sources(frame);
  }
}

void render(const Frame& frame, proto_tree* tree, bool has_items = false) {
  render_columns(frame);
  if (!has_items) render_items(frame, tree);
  render_expert_column(frame);
  name_dependencies(frame);
  call_ulps(frame, tree);
  render_findings_column(frame);
  tap_frame(frame);
}

// TCP's conversation of this segment is the one that the bridge has in mind: not, for example, an outer or
// quoted one.
bool is_segment_of(const packet_info* pinfo, const FrameFacts& facts) noexcept {
  if (pinfo->flags.in_error_pkt) return false;
  const ConnectionState* const connection = bridge->analysis().connection(facts.connection);
  if (connection == nullptr) return false;
  const auto& ends = connection->endpoints;
  return pinfo->srcport == ends[index(facts.side)].port &&
         pinfo->destport == ends[index(other(facts.side))].port;
}

// The octets that TCP gives us. 0: not ours, let others try.
int dissect(packet_info* pinfo, proto_tree* tree, int captured) {
  tvbuff_t* const whole = frame_octets(pinfo);
  if (bridge == nullptr || whole == nullptr) return 0;
  begin_frame(pinfo, whole);
  const FrameFacts* const facts = bridge->facts(bridge->numbers().in_file(pinfo->num));
  if (facts == nullptr || !is_segment_of(pinfo, *facts)) return 0;
  present.called = true;
  const bool is_startup_part = PINFO_FD_VISITED(pinfo) != 0 && facts->startup_part;
  if (!facts->iwarp && !facts->key && !is_startup_part) return 0;
  if (!present.rendered) render(frame_of(pinfo, whole), proto_tree_get_root(tree));
  return captured;
}

int dissect_claimed(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  return dissect(pinfo, tree, static_cast<int>(tvb_captured_length(tvb)));
}

HeuristicResult dissect_unclaimed(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  return dissect(pinfo, tree, static_cast<int>(tvb_captured_length(tvb))) != 0;
}

// User data of a DATA chunk whose Payload Protocol Identifier is DDP's (RFC 5043 §5.2). The first of a frame
// renders all of it; columns wait for its end, since SCTP writes into Info with every chunk.
int dissect_user_data(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  tvbuff_t* const whole = frame_octets(pinfo);
  if (bridge == nullptr || whole == nullptr) return 0;
  begin_frame(pinfo, whole);
  const Frame frame = frame_of(pinfo, whole);
  if (frame.sctp == nullptr || (!has_session(frame) && !has_iwarp(frame))) return 0;
  if (!present.rendered) render_items(frame, proto_tree_get_root(tree));
  return static_cast<int>(tvb_captured_length(tvb));
}

// Somebody says that this is iWARP. Where its framing is not known (yet) there is nothing to show.
int dissect_decode_as(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  const int captured = static_cast<int>(tvb_captured_length(tvb));
  if (dissect(pinfo, tree, captured) != 0) return captured;
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "iWARP");
  proto_item* const item = proto_tree_add_item(tree, proto, tvb, 0, -1, ENC_NA);
  const bool is_read = bridge != nullptr && bridge->facts(bridge->numbers().in_file(pinfo->num)) != nullptr;
  proto_item_append_text(item, "%s",
                         is_read || pinfo->flags.in_error_pkt
                             ? ", neither start-up frame nor FPDUs found so far"
                             : ", not read: this link layer or tunnel is not known");
  return captured;
}

void set_address(address& to, const IpAddress& from) noexcept {
  if (from.version == 4) {
    set_address(&to, AT_IPv4, 4, from.octets.data());
  } else {
    set_address(&to, AT_IPv6, 16, from.octets.data());
  }
}

// Our dissector goes first on every TCP conversation that no other has claimed: ports that belong to others
// (80, 445, 4420 …) may carry iWARP, and TCP asks conversations before ports. What it leaves goes on to those
// others. Once iWARP was seen, it takes the conversation whoever had it; from the next frame on where this
// one has gone to others.
void claim_conversation(const packet_info* pinfo, const FrameFacts& facts) {
  const ConnectionState* const connection = bridge->analysis().connection(facts.connection);
  if (connection == nullptr) return;
  address ends[2];
  set_address(ends[0], connection->endpoints[0].address);
  set_address(ends[1], connection->endpoints[1].address);
  conversation_t* const conversation =
      find_conversation(pinfo->num, &ends[0], &ends[1], CONVERSATION_TCP, connection->endpoints[0].port,
                        connection->endpoints[1].port, 0);
  if (conversation == nullptr) return;
  const dissector_handle_t owner = conversation_get_dissector(conversation, pinfo->num);
  if (owner == nullptr) {
    conversation_set_dissector(conversation, claimed_handle);
  } else if (facts.iwarp && owner != claimed_handle && owner != decode_as_handle) {
    conversation_set_dissector_from_frame_number(conversation, pinfo->num + 1, claimed_handle);
  }
}

int end_of_frame(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
  if (bridge == nullptr) return 0;
  begin_frame(pinfo, tvb);
  const Present done = present;
  present = {};
  if (PINFO_FD_VISITED(pinfo) == 0) notice_end(pinfo);
  const Frame frame = frame_of(pinfo, tvb);
  if (frame.facts != nullptr && !frame.later_pass && !done.called) claim_conversation(pinfo, *frame.facts);
  const bool is_ours = frame.facts != nullptr && (frame.facts->iwarp || startup_of_part(frame) != nullptr);
  const bool is_done = done.rendered && frame.sctp == nullptr;
  if (is_done || (!is_ours && !has_session(frame) && !has_iwarp(frame)) || !are_carriers_enabled(frame))
    return 0;
  render(frame, tree, done.rendered);
  renew_column_fields(pinfo, tree);
  present = {};
  return static_cast<int>(tvb_captured_length(tvb));
}

}  // namespace

void register_protocol() {
  proto = proto_register_protocol("Internet Wide Area RDMA Protocol", "iWARP", "iwarp");
  register_fields(proto);
  register_expert(proto);
  register_statistics();
  register_preferences(proto);
  decode_as_handle = register_dissector("iwarp", dissect_decode_as, proto);
  register_postdissector(create_dissector_handle(end_of_frame, proto));
  register_init_routine(open_file);
  register_cleanup_routine(close_file);
  register_postseq_cleanup_routine(end_of_first_pass);
}

void register_handoff() {
  claimed_handle = create_dissector_handle(dissect_claimed, proto);
  heur_dissector_add("tcp", dissect_unclaimed, "iWARP over TCP", "iwarp_tcp", proto, HEURISTIC_ENABLE);
  dissector_add_for_decode_as("tcp.port", decode_as_handle);
  const dissector_handle_t user_data_handle = create_dissector_handle(dissect_user_data, proto);
  for (const std::uint32_t ppid : {wire::ppid_ddp_segment, wire::ppid_session_control})
    dissector_add_uint("sctp.ppi", ppid, user_data_handle);
  find_carriers();
  find_ulps();
  find_old_names();
}

}  // namespace iwarp::dissector
