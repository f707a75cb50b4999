// SPDX-License-Identifier: GPL-2.0-or-later
#include "compat/old_names.hpp"

#include <algorithm>

namespace iwarp::dissector {
namespace {

struct OldNames {
#define IWARP_OLD_NAME(name, abbreviation) int name = -1;
#include "compat/old_names.def"
#undef IWARP_OLD_NAME
};
OldNames old;

// Types differ between versions of Wireshark: what epan registered counts. A field with a bit mask takes the
// octets around it. `range` may be empty: the octets are another frame's.
void put_known(proto_tree* tree, int field, Range range, std::uint64_t value) {
  if (field < 0) return;
  proto_item* item = nullptr;
  const auto narrow = static_cast<std::uint32_t>(value);
  switch (proto_registrar_get_nth(static_cast<unsigned>(field))->type) {
    case FT_BOOLEAN:
      item = proto_tree_add_boolean(tree, field, range.tvb, range.start, range.length, narrow);
      break;
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
    case FT_FRAMENUM:
      item = proto_tree_add_uint(tree, field, range.tvb, range.start, range.length, narrow);
      break;
    case FT_UINT64:
      item = proto_tree_add_uint64(tree, field, range.tvb, range.start, range.length, value);
      break;
    case FT_NONE:
    case FT_BYTES:
    case FT_PROTOCOL:
      item = proto_tree_add_item(tree, field, range.tvb, range.start, range.length, ENC_NA);
      break;
    default: return;
  }
  proto_item_set_hidden(item);
}

void put_hidden(proto_tree* tree, int field, Range range, std::uint64_t value) {
  if (range.length > 0) put_known(tree, field, range, value);
}

// The octets as they were without markers between them.
void put_hidden_octets(proto_tree* tree, int field, Range range, ByteView octets) {
  if (field < 0 || range.length <= 0 || octets.empty()) return;
  proto_item_set_hidden(proto_tree_add_bytes_with_length(tree, field, range.tvb, range.start, range.length,
                                                         octets.data(), static_cast<int>(octets.size())));
}

bool is_wanted(proto_tree* tree, int field) {
  return field >= 0 && proto_field_is_referenced(tree, field) != 0;
}

bool has_finding(Events events, CheckId check) noexcept {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return event.kind == EventKind::finding && event.finding.check == check;
  });
}

void put_ddp(proto_tree* tree, const FpduPlace& place, const wire::DdpHeader& ddp) {
  constexpr std::uint32_t at = wire::length_field_size;
  const Range control = place.octets(at, 1);
  put_hidden(tree, old.ddp, place.octets(at, ddp.size()), 0);
  for (const int field :
       {old.ddp_control, old.ddp_tagged_flag, old.ddp_last_flag, old.ddp_reserved, old.ddp_version})
    put_hidden(tree, field, control, ddp.ddp_control);
  if (!ddp.tagged()) put_hidden(tree, old.ddp_ulp, place.octets(at + 1, 5), 0);
  if (ddp.tagged()) {
    put_hidden(tree, old.ddp_tagged, place.octets(at + 2, 12), 0);
    put_hidden(tree, old.ddp_stag, place.octets(at + 2, 4), ddp.stag);
    put_hidden(tree, old.ddp_to, place.octets(at + 6, 8), ddp.to);
    return;
  }
  put_hidden(tree, old.ddp_untagged, place.octets(at + 6, 12), 0);
  put_hidden(tree, old.ddp_qn, place.octets(at + 6, 4), ddp.queue);
  put_hidden(tree, old.ddp_msn, place.octets(at + 10, 4), ddp.msn);
  put_hidden(tree, old.ddp_mo, place.octets(at + 14, 4), ddp.mo);
}

void put_rdma_control(proto_tree* tree, const FpduPlace& place, const wire::DdpHeader& ddp) {
  const Range control = place.octets(wire::length_field_size + 1, 1);
  for (const int field : {old.rdma, old.rdma_control, old.rdma_version, old.rdma_reserved, old.rdma_opcode})
    put_hidden(tree, field, control, ddp.rdmap_control);
  if (wire::invalidates(ddp.opcode()))
    put_hidden(tree, old.rdma_invalidate_stag, place.octets(wire::length_field_size + 2, 4), ddp.stag);
  if (!ddp.tagged() && !wire::invalidates(ddp.opcode()))
    put_hidden(tree, old.rdma_no_stag, place.octets(wire::length_field_size + 2, 4), 0);
}

// What the octets are in RFC order, whatever was meant: so the built-in reads them, too.
void put_terminate(proto_tree* tree, const FpduPlace& place, std::uint32_t at, ByteView octets) {
  const unsigned layer = octets[0] >> 4U;
  const unsigned type = octets[0] & 0x0fU;
  const bool tagged = type == 1;
  int type_field = old.rdma_terminate_type;
  int code_field = old.rdma_terminate_code;
  if (layer == 0) {
    type_field = old.rdma_terminate_type_rdma;
    if (type != 0) code_field = old.rdma_terminate_code_rdma;
  } else if (layer == 1) {
    type_field = old.rdma_terminate_type_ddp;
    if (type == 1 || type == 2)
      code_field = tagged ? old.rdma_terminate_code_tagged : old.rdma_terminate_code_untagged;
  } else if (layer == 2) {
    type_field = old.rdma_terminate_type_llp;
    code_field = old.rdma_terminate_code_llp;
  }
  put_hidden(tree, old.rdma_terminate_control, place.octets(at, 4), 0);
  put_hidden(tree, old.rdma_terminate_layer, place.octets(at, 1), octets[0]);
  put_hidden(tree, type_field, place.octets(at, 1), octets[0]);
  put_hidden(tree, code_field, place.octets(at + 1, 1), octets[1]);
  put_hidden(tree, old.rdma_terminate_headers, place.octets(at + 2, 1), 0);
  for (const int field : {old.rdma_terminate_m, old.rdma_terminate_d, old.rdma_terminate_r})
    put_hidden(tree, field, place.octets(at + 2, 1), octets[2]);
  put_hidden(tree, old.rdma_terminate_reserved, place.octets(at + 2, 2), load_be16(octets.data() + 2));
  const auto terminate = wire::parse_terminate(octets);
  if (!terminate) return;
  std::uint32_t behind = 4;
  const auto put_next = [&](int field, std::uint32_t size) {
    put_hidden_octets(tree, field, place.octets(at + behind, size), octets.subspan(behind, size));
    behind += size;
  };
  if (terminate->ddp_segment_length) put_next(old.rdma_terminated_length, 2);
  if (terminate->ddp_header) put_next(old.rdma_terminated_ddp, terminate->ddp_header->size());
  if (terminate->read_request) put_next(old.rdma_terminated_rdma, wire::read_request_size);
}

// Of a segment of a Send that later frames completed.
void put_send_in(const Frame& frame, proto_tree* tree, Range payload, const Event& event) {
  if (!frame.later_pass || !wire::is_send(event.fpdu.ddp.opcode())) return;
  if (!is_wanted(tree, old.rdma_send_in)) return;
  const FrameNumber completed_in = frame.bridge->segments(event.connection, event.fpdu.message).completed_in;
  if (completed_in > frame.number)
    put_known(tree, old.rdma_send_in, payload, frame.bridge->numbers().shown(completed_in));
}

// What a Send of several FPDUs, which ends here, was put together from.
void put_send(const Frame& frame, proto_tree* tree, const FpduPlace& place, const Event& last) {
  const FpduFact& fpdu = last.fpdu;
  const ByteView send = frame.bridge->send_octets(last);
  if (send.empty()) return;
  const Range payload = place.octets(wire::length_field_size + fpdu.ddp.size(), fpdu.payload_length);
  put_hidden(tree, old.rdma_send_fragments, payload, 0);
  if (is_wanted(tree, old.rdma_send_fragment)) {
    for (const std::uint32_t segment : frame.bridge->send_segments(last))
      put_known(tree, old.rdma_send_fragment, payload, frame.bridge->numbers().shown(segment));
  }
  put_hidden(tree, old.rdma_send_count, payload,
             static_cast<std::uint32_t>(frame.bridge->send_segments(last).size()));
  put_hidden(tree, old.rdma_send_length, payload, send.size());
  if (is_wanted(tree, old.rdma_send_data)) put_hidden_octets(tree, old.rdma_send_data, payload, send);
}

void put_atomic_operands(proto_tree* tree, const FpduPlace& place, std::uint32_t at,
                         const wire::AtomicRequest& request) {
  const bool adds = request.operation == static_cast<unsigned>(wire::AtomicOperation::fetch_add);
  put_hidden(tree, adds ? old.rdma_atomic_add_data : old.rdma_atomic_swap_data, place.octets(at, 8),
             request.add_swap_data);
  put_hidden(tree, adds ? old.rdma_atomic_add_mask : old.rdma_atomic_swap_mask, place.octets(at + 8, 8),
             request.add_swap_mask);
  put_hidden(tree, old.rdma_atomic_compare_data, place.octets(at + 16, 8), request.compare_data);
  put_hidden(tree, old.rdma_atomic_compare_mask, place.octets(at + 24, 8), request.compare_mask);
}

void put_read_request(proto_tree* tree, const FpduPlace& place, std::uint32_t at,
                      const wire::ReadRequest& request) {
  put_hidden(tree, old.rdma_read, place.octets(at, wire::read_request_size), 0);
  put_hidden(tree, old.rdma_sink_stag, place.octets(at, 4), request.sink_stag);
  put_hidden(tree, old.rdma_sink_to, place.octets(at + 4, 8), request.sink_to);
  put_hidden(tree, old.rdma_read_size, place.octets(at + 12, 4), request.size);
  put_hidden(tree, old.rdma_source_stag, place.octets(at + 16, 4), request.source_stag);
  put_hidden(tree, old.rdma_source_to, place.octets(at + 20, 8), request.source_to);
}

void put_rdmap(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu) {
  const ByteView octets = ByteView(fpdu.rdmap).first(fpdu.rdmap_octets);
  const std::uint32_t at = wire::length_field_size + fpdu.ddp.size();
  switch (fpdu.ddp.opcode()) {
    case wire::Opcode::read_request:
      if (const auto request = wire::parse_read_request(octets)) put_read_request(tree, place, at, *request);
      return;
    case wire::Opcode::terminate:
      if (octets.empty()) return;
      put_hidden(tree, old.rdma_terminate, place.octets(at, fpdu.payload_length), 0);
      if (octets.size() >= 4) put_terminate(tree, place, at, octets);
      return;
    case wire::Opcode::atomic_request:
      if (const auto request = wire::parse_atomic_request(octets)) {
        put_hidden(tree, old.rdma_atomic_operation, place.octets(at, 4), request->operation);
        put_hidden(tree, old.rdma_atomic_request_id, place.octets(at + 4, 4), request->request_id);
        put_hidden(tree, old.rdma_atomic_stag, place.octets(at + 8, 4), request->remote_stag);
        put_hidden(tree, old.rdma_atomic_to, place.octets(at + 12, 8), request->remote_to);
        put_hidden(tree, old.rdma_atomic_reserved, place.octets(at, 4), request->reserved << 4U);
        put_atomic_operands(tree, place, at + 20, *request);
      }
      return;
    case wire::Opcode::atomic_response:
      if (const auto response = wire::parse_atomic_response(octets)) {
        put_hidden(tree, old.rdma_atomic_original_id, place.octets(at, 4), response->original_request_id);
        put_hidden(tree, old.rdma_atomic_original_value, place.octets(at + 4, 8),
                   response->original_remote_data);
      }
      return;
    default: return;
  }
}

// M, C, R, S and reserved bits as they stand in the start-up frame (RFC 5044 §7.1.1, RFC 6581 §9).
unsigned flag_octet(const StartupFact& startup) noexcept {
  return (startup.markers ? 0x80U : 0U) | (startup.crc ? 0x40U : 0U) | (startup.rejected ? 0x20U : 0U) |
         (startup.enhanced ? 0x10U : 0U) | startup.reserved_flags;
}

// The IRD/ORD word (RFC 6581 §9), in four octets of `range`.
void put_word(proto_tree* tree, Range range, const wire::EnhancedWord& word) {
  Byte octets[4];
  wire::encode(word, octets);
  const Range first{range.tvb, range.start, std::min(range.length, 2)};
  const Range second{range.tvb, range.start + first.length, range.length - first.length};
  put_known(tree, old.mpa_enhanced, range, 0);
  for (const int field : {old.mpa_enhanced_a, old.mpa_enhanced_b}) put_known(tree, field, first, octets[0]);
  put_known(tree, old.mpa_enhanced_ird, first, load_be16(octets));
  for (const int field : {old.mpa_enhanced_c, old.mpa_enhanced_d}) put_known(tree, field, second, octets[2]);
  put_known(tree, old.mpa_enhanced_ord, second, load_be16(octets + 2));
}

void put_markers(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu) {
  if (fpdu.markers == 0) return;
  put_hidden(tree, old.mpa_markers, place.wire(0, fpdu.wire_size), 0);
  std::uint32_t at = (wire::marker_interval - place.phase) % wire::marker_interval;
  for (; at < fpdu.wire_size; at += wire::marker_interval) {
    if (!place.has_wire(at, wire::marker_size)) return;
    const Range reserved = place.wire(at, 2);
    const Range pointer = place.wire(at + 2, 2);
    put_hidden(tree, old.mpa_marker_reserved, reserved, tvb_get_ntohs(place.tvb, reserved.start));
    put_hidden(tree, old.mpa_marker_pointer, pointer, tvb_get_ntohs(place.tvb, pointer.start));
  }
}

void put_mpa(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu, Events behind) {
  const Range whole = place.wire(0, fpdu.wire_size);
  put_hidden(tree, old.mpa, whole, 0);
  put_hidden(tree, old.mpa_fpdu, whole, 0);
  put_hidden(tree, old.mpa_ulpdu_length, place.octets(0, wire::length_field_size), fpdu.ulpdu_length);
  if (has_finding(behind, CheckId::mpa_len) || has_finding(behind, CheckId::mpa_lengso))
    put_hidden(tree, old.mpa_bad_length, place.octets(0, wire::length_field_size), 0);
  put_markers(tree, place, fpdu);
  const std::uint32_t pad = wire::pad_size(fpdu.ulpdu_length);
  const std::uint32_t crc_at = wire::unmarked_fpdu_size(fpdu.ulpdu_length) - wire::crc_size;
  put_hidden(tree, old.mpa_pad, place.octets(crc_at - pad, pad), 0);
  if (!fpdu.cut) {  // they read it most significant octet first
    const int field = fpdu.crc == CrcStatus::unused ? old.mpa_crc : old.mpa_crc_check;
    put_hidden(tree, field, place.octets(crc_at, wire::crc_size), __builtin_bswap32(fpdu.crc_field));
  }
}

}  // namespace

void find_old_names() {
#define IWARP_OLD_NAME(name, abbreviation) old.name = proto_registrar_get_id_byname(abbreviation);
#include "compat/old_names.def"
#undef IWARP_OLD_NAME
}

bool are_old_names_wanted(proto_tree* tree) {
  return is_wanted(tree, old.mpa) || is_wanted(tree, old.ddp_rdmap);
}

void put_old_names(const Frame& frame, proto_tree* tree, const FpduPlace& place, const Event& event,
                   Events behind) {
  if (!are_old_names_wanted(tree)) return;
  const FpduFact& fpdu = event.fpdu;
  if (sctp_stream_of(frame, event) == nullptr) put_mpa(tree, place, fpdu, behind);
  if (fpdu.header_octets < 2 || fpdu.header_octets < fpdu.ddp.size()) return;
  put_hidden(tree, old.ddp_rdmap, place.octets(wire::length_field_size, fpdu.ulpdu_length), 0);
  put_ddp(tree, place, fpdu.ddp);
  put_rdma_control(tree, place, fpdu.ddp);
  if (!fpdu.ddp.tagged() && fpdu.ddp.mo == 0) put_rdmap(tree, place, fpdu);
  put_send(frame, tree, place, event);
  const std::uint32_t payload_at = wire::length_field_size + fpdu.ddp.size();
  put_send_in(frame, tree, place.octets(payload_at, fpdu.payload_length), event);
}

void put_old_names(proto_tree* tree, Range frame_octets, const StartupFact& startup, Events behind) {
  if (!are_old_names_wanted(tree)) return;
  const auto at = [&](int position, int length) {
    const int begin = std::min(position, frame_octets.length);
    return Range{frame_octets.tvb, frame_octets.start + begin, std::min(length, frame_octets.length - begin)};
  };
  const bool is_request = startup.kind == wire::StartupKind::request;
  constexpr int key = static_cast<int>(wire::startup_key_size);
  const unsigned flags = flag_octet(startup);
  put_known(tree, old.mpa, frame_octets, 0);
  put_known(tree, is_request ? old.mpa_request : old.mpa_reply, frame_octets, 0);
  put_known(tree, is_request ? old.mpa_request_key : old.mpa_reply_key, at(0, key), 0);
  for (const int field :
       {old.mpa_marker_flag, old.mpa_crc_flag, old.mpa_reject_flag, old.mpa_enhanced_flag, old.mpa_reserved})
    put_known(tree, field, at(key, 1), flags);
  put_known(tree, old.mpa_revision, at(key + 1, 1), startup.revision);
  // The IRD/ORD word is Private Data to Wireshark before 4.6.
  const int word = startup.has_word && old.mpa_enhanced >= 0 ? 4 : 0;
  if (word != 0) put_word(tree, at(key + 4, word), startup.word);
  const int private_data = startup.private_data_length - word;
  put_known(tree, old.mpa_private_data_length, at(key + 2, 2), static_cast<std::uint32_t>(private_data));
  put_hidden(tree, old.mpa_private_data, at(key + 4 + word, private_data), 0);
  if (startup.reserved_flags != 0) put_known(tree, old.mpa_reserved_not_zero, at(key, 1), 0);
  if (!is_request && startup.rejected) put_known(tree, old.mpa_rejected, at(key, 1), 0);
  if (has_finding(behind, CheckId::mpa_pdlen)) put_known(tree, old.mpa_bad_length, at(key + 2, 2), 0);
}

}  // namespace iwarp::dissector
