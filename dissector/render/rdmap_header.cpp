// RDMAP headers (RFC 5040 §4, RFC 7306 §5 and §6).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/rdmap_header.hpp"

#include <iwarp/export/names.hpp>

#include "render/fields.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

// Octets behind the DDP header, by their position there.
struct HeaderPlace {
  const FpduPlace& fpdu;
  std::uint32_t begin;

  [[nodiscard]] Range at(std::uint32_t position, std::uint32_t length) const noexcept {
    return fpdu.octets(begin + position, length);
  }
};

// Of a header that was cut, the fields before the cut.
void render_read_request(proto_tree* tree, const HeaderPlace& place, ByteView octets) {
  const auto request = wire::parse_cut_read_request(octets);
  if (request.has(4)) put(tree, hf.read_sink_stag, place.at(0, 4), request.header.sink_stag);
  if (request.has(12)) put64(tree, hf.read_sink_to, place.at(4, 8), request.header.sink_to);
  if (request.has(16)) put(tree, hf.read_size, place.at(12, 4), request.header.size);
  if (request.has(20)) put(tree, hf.read_source_stag, place.at(16, 4), request.header.source_stag);
  if (request.has(28)) put64(tree, hf.read_source_to, place.at(20, 8), request.header.source_to);
}

void render_atomic_request(proto_tree* tree, const HeaderPlace& place, ByteView octets) {
  const auto request = wire::parse_cut_atomic_request(octets);
  if (request.has(4)) put(tree, hf.atomic_reserved, place.at(0, 4), request.header.reserved << 4U);
  if (request.has(4)) put(tree, hf.atomic_operation, place.at(3, 1), request.header.operation);
  if (request.has(8)) put(tree, hf.atomic_request_id, place.at(4, 4), request.header.request_id);
  if (request.has(12)) put(tree, hf.atomic_remote_stag, place.at(8, 4), request.header.remote_stag);
  if (request.has(20)) put64(tree, hf.atomic_remote_to, place.at(12, 8), request.header.remote_to);
  if (request.has(28)) put64(tree, hf.atomic_data, place.at(20, 8), request.header.add_swap_data);
  if (request.has(36)) put64(tree, hf.atomic_mask, place.at(28, 8), request.header.add_swap_mask);
  if (request.has(44)) put64(tree, hf.atomic_compare_data, place.at(36, 8), request.header.compare_data);
  if (request.has(52)) put64(tree, hf.atomic_compare_mask, place.at(44, 8), request.header.compare_mask);
}

void render_atomic_response(proto_tree* tree, const HeaderPlace& place, ByteView octets) {
  const auto response = wire::parse_cut_atomic_response(octets);
  if (response.has(4)) put(tree, hf.atomic_request_id, place.at(0, 4), response.header.original_request_id);
  if (response.has(12))
    put64(tree, hf.atomic_original_value, place.at(4, 8), response.header.original_remote_data);
}

void render_terminated_header(proto_tree* tree, const HeaderPlace& place, const wire::DdpHeader& ddp) {
  proto_item* const item = put_octets(tree, hf.terminated_header, place.at(0, ddp.size()));
  proto_item_append_text(item, ": %s", wire::opcode_title(ddp.opcode()));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.terminated);
  put_bit(subtree, hf.terminated_tagged, place.at(0, 1), ddp.ddp_control);
  put_bit(subtree, hf.terminated_last, place.at(0, 1), ddp.ddp_control);
  put(subtree, hf.terminated_opcode, place.at(1, 1), ddp.rdmap_control);
  if (ddp.tagged() || wire::invalidates(ddp.opcode()))
    put(subtree, hf.terminated_stag, place.at(2, 4), ddp.stag);
  if (ddp.tagged()) {
    put64(subtree, hf.terminated_to, place.at(6, 8), ddp.to);
    return;
  }
  put(subtree, hf.terminated_qn, place.at(6, 4), ddp.queue);
  put(subtree, hf.terminated_msn, place.at(10, 4), ddp.msn);
  put(subtree, hf.terminated_mo, place.at(14, 4), ddp.mo);
}

void render_terminated_read(proto_tree* tree, const HeaderPlace& place, const wire::ReadRequest& request) {
  proto_item* const item = put_octets(tree, hf.terminated_read, place.at(0, wire::read_request_size));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.terminated);
  put(subtree, hf.terminated_sink_stag, place.at(0, 4), request.sink_stag);
  put64(subtree, hf.terminated_sink_to, place.at(4, 8), request.sink_to);
  put(subtree, hf.terminated_size, place.at(12, 4), request.size);
  put(subtree, hf.terminated_source_stag, place.at(16, 4), request.source_stag);
  put64(subtree, hf.terminated_source_to, place.at(20, 8), request.source_to);
}

// Which segment the Terminate of this frame quotes, as the state has it.
FrameNumber quoted_frame(const Frame& frame, const Event& event) noexcept {
  const ConnectionState* const state = frame.bridge->state_after(event.connection, told_by(frame, event));
  if (state == nullptr) return 0;
  for (const TerminateSeen& seen : state->side(event.side).terminates) {
    if (seen.frame == event.fpdu.placed.frame) return seen.quoted_frame;
  }
  return 0;
}

void render_terminate(const Frame& frame, proto_tree* above, const HeaderPlace& place, const Event& event,
                      const wire::Terminate& terminate) {
  constexpr std::uint32_t control_octets = 4;
  const Range control = place.at(0, control_octets);
  const std::uint16_t value = terminate.meant.value();
  proto_item* const item = put_octets(above, hf.terminate, place.at(0, event.fpdu.rdmap_octets));
  proto_item_append_text(item, " 0x%04x: %s", value, wire::describe_terminate(value).name);
  proto_tree* const tree = proto_item_add_subtree(item, ett.terminate);
  put(tree, hf.terminate_control, control, terminate.raw);
  generated(put_text(tree, hf.terminate_bit_order, control, bit_order_name(terminate.bit_order)));
  // In either order of bits each stands in the same octet.
  put(tree, hf.terminate_layer, place.at(0, 1), terminate.meant.layer);
  put(tree, hf.terminate_etype, place.at(0, 1), terminate.meant.etype);
  put(tree, hf.terminate_code, place.at(1, 1), terminate.meant.code);
  generated(put(tree, hf.terminate_value, place.at(0, 2), value));
  generated(put_text(tree, hf.terminate_name, place.at(0, 2), wire::describe_terminate(value).name));
  put_flag(tree, hf.terminate_m, place.at(2, 1), terminate.length_valid);
  put_flag(tree, hf.terminate_d, place.at(2, 1), terminate.has_ddp_header);
  put_flag(tree, hf.terminate_r, place.at(2, 1), terminate.has_rdma_header);
  std::uint32_t at = control_octets;
  if (terminate.ddp_segment_length) {
    put(tree, hf.terminate_segment_length, place.at(at, 2), *terminate.ddp_segment_length);
    at += 2;
  }
  if (terminate.ddp_header) {
    render_terminated_header(tree, {place.fpdu, place.begin + at}, *terminate.ddp_header);
    at += terminate.ddp_header->size();
  }
  if (terminate.read_request)
    render_terminated_read(tree, {place.fpdu, place.begin + at}, *terminate.read_request);
  if (const FrameNumber quoted = quoted_frame(frame, event); quoted != 0) {
    put_frame_number(tree, hf.terminated_in, frame, quoted);
  }
}

}  // namespace

bool has_rdmap_header(const FpduFact& fpdu) noexcept {
  return !fpdu.ddp.tagged() && fpdu.ddp.mo == 0 && wire::rdmap_header_size(fpdu.ddp.opcode()) != 0;
}

bool is_rdmap_header_cut(const FpduFact& fpdu) noexcept {
  return has_rdmap_header(fpdu) && fpdu.rdmap_octets < wire::rdmap_header_size(fpdu.ddp.opcode());
}

void render_rdmap_header(const Frame& frame, proto_tree* tree, const FpduPlace& fpdu, const Event& event,
                         std::optional<wire::BitOrder> order) {
  const FpduFact& fact = event.fpdu;
  const ByteView octets = ByteView(fact.rdmap).first(fact.rdmap_octets);
  if (fact.ddp.mo != 0) return;  // a later segment of the message: what stands here is no header
  const HeaderPlace place{fpdu, wire::length_field_size + fact.ddp.size()};
  switch (fact.ddp.opcode()) {
    case wire::Opcode::read_request: render_read_request(tree, place, octets); return;
    case wire::Opcode::atomic_request: render_atomic_request(tree, place, octets); return;
    case wire::Opcode::atomic_response: render_atomic_response(tree, place, octets); return;
    case wire::Opcode::immediate:
    case wire::Opcode::immediate_se:
      if (const auto immediate = wire::parse_immediate(octets))
        put64(tree, hf.immediate, place.at(0, 8), *immediate);
      return;
    case wire::Opcode::terminate:
      if (const auto terminate = wire::parse_terminate(octets, order)) {
        render_terminate(frame, tree, place, event, *terminate);
      }
      return;
    default: return;
  }
}

}  // namespace iwarp::dissector
