// Payloads on their way to the dissectors of ULPs, which ask for them by the heuristic list "iwarp_ddp_rdmap"
// as with Wireshark's own RDMAP dissector: RPC-over-RDMA, SMB Direct, whatever registered there.
//
// Sends are handed over whole, by the frame that ends them; RDMA Writes and Read Responses a segment at a
// time, as those dissectors place them by STag and TO themselves; Read Requests because those responses are
// understood by them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/ulps.hpp"

#include <algorithm>
#include <cstring>

#include "bridge/marked_octets.hpp"
#include "host/fpdu_place.hpp"
#include "host/frame.hpp"
#include "ulp/guarded_call.hpp"
#include "ulp/iser.hpp"
#include "ulp/nvme.hpp"

namespace iwarp::dissector {
namespace {

heur_dissector_list_t ulps = nullptr;

// No ULP has shorter messages, and some dissectors do not look before they read.
constexpr std::uint32_t shortest_message = 16;

// epan counts layers in one octet.
constexpr unsigned max_layers = 100;

// Key of the data source; those of FPDUs count from 0 up.
std::uint32_t message_key(const FpduFact& last) noexcept {
  return ~last.number;
}

tvbuff_t* without_markers(const Frame& frame, const FpduPlace& place, const FpduFact& fpdu,
                          std::uint32_t begin) {
  if (!place.has_wire(0, fpdu.wire_size)) return nullptr;
  const std::uint32_t length = fpdu.payload_length;
  auto* const octets = static_cast<Byte*>(wmem_alloc(frame.pinfo->pool, length));
  const std::uint8_t* const wire =
      tvb_get_ptr(place.tvb, static_cast<int>(place.start), static_cast<int>(fpdu.wire_size));
  copy_without_markers(wire, place.phase, begin, length, octets);
  return octets_source(frame, {octets, length}, message_key(fpdu), "Payload without markers");
}

// What the FPDU carries, as far as it was captured; of one that ends a Send of several FPDUs, all of the
// Send.
tvbuff_t* payload_of(const Frame& frame, const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  if (const ByteView send = frame.bridge->send_octets(event); !send.empty()) {
    return octets_source(frame, send, message_key(fpdu), "RDMAP message");
  }
  const FpduPlace place = place_of(frame, event);
  const std::uint32_t begin = wire::length_field_size + fpdu.ddp.size();
  if (place.marked) return without_markers(frame, place, fpdu, begin);
  if (place.available <= begin) return nullptr;
  const std::uint32_t captured = std::min(fpdu.payload_length, place.available - begin);
  return tvb_new_subset_length_caplen(place.tvb, static_cast<int>(place.start + begin),
                                      static_cast<int>(captured), static_cast<int>(fpdu.payload_length));
}

// ULPs know no Solicited Event: it tells a receiver to wake up, and changes nothing in the message.
std::uint8_t opcode_for_ulps(wire::Opcode opcode) noexcept {
  if (opcode == wire::Opcode::send_se) return RDMA_SEND;
  if (opcode == wire::Opcode::send_se_inv) return RDMA_SEND_INVALIDATE;
  return static_cast<std::uint8_t>(opcode);
}

rdmap_info_t info_of(const FpduFact& fpdu) noexcept {
  rdmap_info_t info = {};
  info.opcode = opcode_for_ulps(fpdu.ddp.opcode());
  info.is_tagged = fpdu.ddp.tagged();
  info.last_flag = fpdu.ddp.last();
  if (fpdu.ddp.tagged()) {
    info.steering_tag = fpdu.ddp.stag;
    info.tagged_offset = fpdu.ddp.to;
  } else {
    info.queue_number = fpdu.ddp.queue;
    info.message_seq_num = fpdu.ddp.msn;
    info.message_offset = 0;  // whole messages
  }
  return info;
}

bool ask_heuristics(tvbuff_t* payload, packet_info* pinfo, proto_tree* tree, void* info) {
  heur_dtbl_entry_t* entry = nullptr;
  return dissector_try_heuristic(ulps, payload, pinfo, tree, &entry, info) != 0;
}

bool is_for_ulps(const FpduFact& fpdu) noexcept {
  if (fpdu.header_octets < 2 || fpdu.header_octets < fpdu.ddp.size()) return false;
  if (fpdu.malformed || fpdu.crc == CrcStatus::bad) return false;
  switch (fpdu.ddp.opcode()) {
    case wire::Opcode::rdma_write:
    case wire::Opcode::read_response: return fpdu.ddp.tagged() && fpdu.payload_length != 0;
    case wire::Opcode::read_request: return !fpdu.ddp.tagged() && fpdu.ddp.mo == 0;
    default: return wire::is_send(fpdu.ddp.opcode()) && !fpdu.ddp.tagged();
  }
}

bool hand_over(const Frame& frame, proto_tree* tree, const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  if (!is_for_ulps(fpdu)) return false;
  const bool is_alone = fpdu.ddp.mo == 0 && fpdu.ddp.last();
  if (wire::is_send(fpdu.ddp.opcode()) && !is_alone && frame.bridge->send_octets(event).empty()) return false;
  rdmap_info_t info = info_of(fpdu);
  rdmap_request_t request = {};
  if (fpdu.ddp.opcode() == wire::Opcode::read_request) {
    const auto parsed = wire::parse_read_request(ByteView(fpdu.rdmap).first(fpdu.rdmap_octets));
    if (!parsed) return false;
    request = {parsed->sink_stag, parsed->sink_to, parsed->source_stag, parsed->source_to, parsed->size};
    info.read_request = &request;
    return call_guarded(frame, tree, tvb_new_subset_length(frame.tvb, 0, 0), ask_heuristics, &info);
  }
  tvbuff_t* const payload = payload_of(frame, event);
  if (payload == nullptr) return false;
  if (wire::is_send(fpdu.ddp.opcode()) && tvb_captured_length(payload) < shortest_message) return false;
  // First those that are sure: RPC-over-RDMA takes more than its own.
  const bool is_send = wire::is_send(fpdu.ddp.opcode());
  if (is_send && call_nvme(frame, tree, payload, event)) return true;
  if (is_send && call_iser(frame, tree, payload)) return true;
  return call_guarded(frame, tree, payload, ask_heuristics, &info);
}

// ULPs find their conversation by the packet's addresses, so only what the frame's sender sent is theirs.
bool is_of_sender(const Frame& frame, const Event& event) noexcept {
  const ConnectionState* const connection = frame.bridge->analysis().connection(event.connection);
  if (connection == nullptr || frame.facts == nullptr || event.side != frame.facts->side) return false;
  const auto& ends = connection->endpoints;
  return frame.pinfo->srcport == ends[index(event.side)].port &&
         frame.pinfo->destport == ends[index(other(event.side))].port;
}

// Hands a further message of the frame over: what those before it wrote into Info stays, and what it writes
// is set apart from that.
bool hand_over_next(const Frame& frame, proto_tree* tree, const Event& event) {
  column_info* const columns = frame.pinfo->cinfo;
  const char* const before = col_get_text(columns, COL_INFO);
  const char* const kept = before == nullptr ? nullptr : wmem_strdup(frame.pinfo->pool, before);
  col_append_str(columns, COL_INFO, "; ");
  col_set_fence(columns, COL_INFO);
  const char* const set_apart = col_get_text(columns, COL_INFO);
  const std::size_t length = set_apart == nullptr ? 0 : std::strlen(set_apart);
  const bool taken = hand_over(frame, tree, event);
  const char* const after = col_get_text(columns, COL_INFO);
  if (kept != nullptr && after != nullptr && std::strlen(after) == length) {  // it wrote nothing
    col_clear_fence(columns, COL_INFO);
    col_add_str(columns, COL_INFO, kept);
    col_set_fence(columns, COL_INFO);
  }
  return taken;
}

}  // namespace

void call_ulps(const Frame& frame, proto_tree* tree) {
  if (ulps == nullptr) return;
  packet_info* const pinfo = frame.pinfo;
  const auto layer = pinfo->curr_layer_num;
  unsigned fpdus = 0;
  bool claimed = false;
  for (const Event& event : frame.events) {
    if (event.kind != EventKind::fpdu || !is_of_sender(frame, event)) continue;
    // Reassembly knows by the layer's number which of a frame's calls completed the whole.
    pinfo->curr_layer_num =
        static_cast<decltype(pinfo->curr_layer_num)>(layer + std::min(++fpdus, max_layers));
    const bool is_next = claimed && wire::is_send(event.fpdu.ddp.opcode());
    if (is_next ? hand_over_next(frame, tree, event) : hand_over(frame, tree, event)) claimed = true;
  }
  pinfo->curr_layer_num = layer;
}

void find_ulps() {
  ulps = find_heur_dissector_list("iwarp_ddp_rdmap");
  find_iser();
  find_nvme();
}

}  // namespace iwarp::dissector
