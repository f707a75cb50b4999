// One FPDU, or over SCTP one DDP segment: length, markers, DDP and RDMAP headers, payload, PAD and CRC, each
// on the octets it came from.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/names.hpp>

#include "compat/old_names.hpp"
#include "render/fields.hpp"
#include "render/rdmap_header.hpp"
#include "render/render.hpp"
#include "render/segment_links.hpp"
#include "render/session.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr std::uint32_t length_octets = wire::length_field_size;

const char* crc_title(CrcStatus status) noexcept {
  switch (status) {
    case CrcStatus::good: return "Good";
    case CrcStatus::bad: return "Bad";
    case CrcStatus::unused: return "Unused";
    case CrcStatus::undecidable: break;
  }
  return "Undecidable";
}

std::uint32_t unmarked_size(const FpduFact& fpdu) noexcept {
  return wire::unmarked_fpdu_size(fpdu.ulpdu_length);
}

void render_heading(proto_item* item, const char* what, const FpduFact& fpdu, Role sender) {
  if (fpdu.header_octets < 2) {
    proto_item_set_text(item, "%s from %s, %u octets, header not captured", what, role_name(sender),
                        fpdu.ulpdu_length);
    return;
  }
  const wire::DdpHeader& ddp = fpdu.ddp;
  proto_item_set_text(item, "%s from %s: %s", what, role_name(sender), wire::opcode_title(ddp.opcode()));
  if (is_rdmap_header_cut(fpdu)) {
    proto_item_append_text(item, ", header cut");
  } else if (!has_rdmap_header(fpdu) && ddp.opcode() != wire::Opcode::terminate) {
    proto_item_append_text(item, ", %u octet%s of payload", fpdu.payload_length,
                           fpdu.payload_length == 1 ? "" : "s");
  }
  if (fpdu.header_octets >= ddp.size()) {
    if (ddp.tagged()) {
      proto_item_append_text(item, ", STag 0x%08x, TO 0x%016" PRIx64, ddp.stag, ddp.to);
    } else {
      proto_item_append_text(item, ", QN %u, MSN %u, MO %u", ddp.queue, ddp.msn, ddp.mo);
    }
  }
  if (!ddp.last()) proto_item_append_text(item, ", not last");
  if (fpdu.unfinished) proto_item_append_text(item, ", unfinished");
  if (fpdu.crc == CrcStatus::bad) proto_item_append_text(item, ", CRC bad");
}

void render_slices(const Frame& frame, proto_tree* tree, const Event& event) {
  const std::span<const Slice> slices = frame.bridge->analysis().slices(event);
  if (slices.empty() || (slices.size() == 1 && slices.front().frame == frame.number)) return;
  proto_item* const heading =
      generated(put(tree, hf.fpdu_slices, {frame.tvb, 0, 0}, static_cast<std::uint32_t>(slices.size())));
  proto_tree* const subtree = proto_item_add_subtree(heading, ett.slices);
  for (const Slice& slice : slices) {
    proto_item* const item = put_frame_number(subtree, hf.fpdu_slice, frame, slice.frame);
    proto_item_append_text(item, ", %u octets from octet %u of its TCP payload on", slice.length,
                           slice.payload_offset);
  }
}

void render_markers(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu) {
  if (fpdu.markers == 0) return;
  proto_tree* markers = tree;
  if (!fpdu.markers_missing) {
    proto_item* const count = generated(put(tree, hf.fpdu_markers, place.wire(0, 0), fpdu.markers));
    markers = proto_item_add_subtree(count, ett.markers);
  }
  std::uint32_t at = (wire::marker_interval - place.phase) % wire::marker_interval;
  // A marker between two FPDUs stands before the octet that all pointers count from (RFC 5044 §4.3).
  const std::uint32_t begin = at == 0 ? wire::marker_size : 0;
  for (; at < fpdu.wire_size; at += wire::marker_interval) {
    const Range range = place.wire(at, wire::marker_size);
    proto_item* const item = put_octets(markers, hf.marker, range);
    if (!place.has_wire(at, wire::marker_size)) {
      const bool elsewhere = place.available == 0 || fpdu.pieces.count > 1;  // of an FPDU that was cut
      proto_item_append_text(item, elsewhere ? ", not in this frame" : ", not captured");
      continue;
    }
    const std::uint16_t reserved = tvb_get_ntohs(place.tvb, range.start);
    const std::uint16_t pointer = tvb_get_ntohs(place.tvb, range.start + 2);
    const std::uint32_t due = at < begin ? 0 : at - begin;
    proto_item_append_text(item, ": FPDUPTR %u", pointer);
    if (pointer != due) proto_item_append_text(item, ", where %u is due", due);
    proto_tree* const subtree = proto_item_add_subtree(item, ett.marker);
    put(subtree, hf.marker_reserved, place.wire(at, 2), reserved);
    put(subtree, hf.marker_fpduptr, place.wire(at + 2, 2), pointer);
  }
}

void render_controls(proto_tree* tree, const FpduPlace& place, const wire::DdpHeader& ddp) {
  const Range range = place.octets(length_octets, 1);
  proto_item* const item = put(tree, hf.ddp_control, range, ddp.ddp_control);
  proto_item_append_text(item, " (%s%s, DV %u)", ddp.tagged() ? "tagged" : "untagged",
                         ddp.last() ? ", last" : "", ddp.ddp_version());
  proto_tree* const bits = proto_item_add_subtree(item, ett.control);
  put_bit(bits, hf.ddp_tagged, range, ddp.ddp_control);
  put_bit(bits, hf.ddp_last, range, ddp.ddp_control);
  put(bits, hf.ddp_reserved, range, ddp.ddp_control);
  put(bits, hf.ddp_version, range, ddp.ddp_control);
}

// Of a header that was cut, what came before the cut.
void render_ddp(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu) {
  const wire::DdpHeader& ddp = fpdu.ddp;
  const auto has = [&](std::uint32_t octets) { return fpdu.header_octets >= octets; };
  const auto at = [&](std::uint32_t position, std::uint32_t length) {
    return place.octets(length_octets + position, length);
  };
  proto_item* const item = put_octets(tree, hf.ddp, at(0, ddp.size()));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.ddp);
  render_controls(subtree, place, ddp);
  if (!has(ddp.size())) proto_item_append_text(item, ", the rest was not captured");
  if (ddp.tagged()) {
    if (has(6)) put(subtree, hf.ddp_stag, at(2, 4), ddp.stag);
    if (has(14)) put64(subtree, hf.ddp_to, at(6, 8), ddp.to);
  } else {
    if (has(10)) put(subtree, hf.ddp_qn, at(6, 4), ddp.queue);
    if (has(14)) put(subtree, hf.ddp_msn, at(10, 4), ddp.msn);
    if (has(18)) put(subtree, hf.ddp_mo, at(14, 4), ddp.mo);
  }
}

std::optional<wire::BitOrder> bit_order_of(Events behind) noexcept {
  for (const Event& event : behind) {
    if (event.kind == EventKind::message && event.message.opcode == wire::Opcode::terminate)
      return event.message.bit_order;
  }
  return std::nullopt;
}

void render_rdmap(const Frame& frame, proto_tree* tree, const FpduPlace& place, const Event& event,
                  Events behind) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  const Range range = place.octets(length_octets + 1, 1);
  proto_item* const item = put_octets(tree, hf.rdmap, range);
  proto_item_append_text(item, ": %s", wire::opcode_title(ddp.opcode()));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.rdmap);
  proto_item* const control = put(subtree, hf.rdmap_control, range, ddp.rdmap_control);
  proto_item_append_text(control, " (%s, RV %u)", wire::opcode_title(ddp.opcode()), ddp.rdmap_version());
  proto_tree* const bits = proto_item_add_subtree(control, ett.control);
  put(bits, hf.rdmap_version, range, ddp.rdmap_control);
  put(bits, hf.rdmap_reserved, range, ddp.rdmap_control);
  put(bits, hf.rdmap_opcode, range, ddp.rdmap_control);
  repeated(put(subtree, hf.opcode, range, static_cast<unsigned>(ddp.opcode())));
  if (ddp.tagged()) return;
  constexpr std::uint32_t stag_end = 6;
  if (wire::invalidates(ddp.opcode()) && fpdu.header_octets >= stag_end)
    put(subtree, hf.invalidate_stag, place.octets(length_octets + 2, 4), ddp.stag);
  if (fpdu.header_octets < ddp.size()) return;
  render_rdmap_header(frame, subtree, place, event, bit_order_of(behind));
}

void render_payload(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu) {
  if (fpdu.malformed) return;
  // What an RDMAP header tells is not payload of the ULP; whether there is one is known behind the whole DDP
  // header.
  const bool whole = fpdu.header_octets >= fpdu.ddp.size();
  const bool terminates = fpdu.ddp.opcode() == wire::Opcode::terminate;
  const std::uint32_t header =
      fpdu.ddp.tagged() || fpdu.ddp.mo != 0 ? 0 : wire::rdmap_header_size(fpdu.ddp.opcode());
  const std::uint32_t begin = length_octets + fpdu.ddp.size();
  const bool is_shown = whole && !terminates && fpdu.payload_length > header;
  if (is_shown) {
    proto_item* const item =
        put_octets(tree, hf.payload, place.octets(begin + header, fpdu.payload_length - header));
    proto_item_append_text(item, " (%u octets)", fpdu.payload_length - header);
  }
  proto_item* const length =
      generated(put(tree, hf.payload_length, place.octets(begin, fpdu.payload_length), fpdu.payload_length));
  if (is_shown && header == 0) repeated(length);
}

void render_trailer(proto_tree* tree, const FpduPlace& place, const FpduFact& fpdu) {
  const std::uint32_t pad = wire::pad_size(fpdu.ulpdu_length);
  const std::uint32_t crc_at = unmarked_size(fpdu) - wire::crc_size;
  if (const Range range = place.octets(crc_at - pad, pad); range.length > 0)
    put_octets(tree, hf.fpdu_pad, range);
  const Range range = place.octets(crc_at, wire::crc_size);
  const char* const status = crc_title(fpdu.crc);
  const bool is_shown = range.length > 0 && !fpdu.cut;
  if (is_shown) {
    proto_item* const item = put(tree, hf.fpdu_crc, range, fpdu.crc_field);
    proto_item_append_text(item, " [%s]", status);
  }
  proto_item* const verdict = generated(put_text(tree, hf.fpdu_crc_status, range, status));
  if (is_shown) repeated(verdict);
  if (fpdu.crc == CrcStatus::bad) generated(put(tree, hf.fpdu_crc_computed, range, fpdu.crc_computed));
}

}  // namespace

void render_fpdu(const Frame& frame, proto_tree* tree, const Event& event, Events behind) {
  const FpduFact& fpdu = event.fpdu;
  const FpduPlace place = place_of(frame, event);
  // Over SCTP a DDP-SSN stands where MPA has ULPDU_Length, and there are no markers, PAD and CRC (RFC 5043
  // §5.2).
  const bool is_framed = sctp_stream_of(frame, event) == nullptr;
  proto_item* const item =
      put_octets(tree, is_framed ? hf.fpdu : hf.sctp_segment, place.wire(0, fpdu.wire_size));
  render_heading(item, is_framed ? "FPDU" : "DDP segment", fpdu, role_of(frame, event));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.fpdu);
  put_sender(frame, subtree, event);
  if (!is_framed) put_session(frame, subtree, event);
  generated(put64(subtree, hf.fpdu_stream_offset, place.wire(0, 0), fpdu.stream_offset));
  is_framed ? render_slices(frame, subtree, event) : render_fragments(frame, subtree, event);
  if (event.frame > frame.number) put_frame_number(subtree, hf.delivered_in, frame, event.frame);
  if (is_framed) put(subtree, hf.fpdu_ulpdu_length, place.octets(0, length_octets), fpdu.ulpdu_length);
  render_markers(subtree, place, fpdu);
  if (fpdu.header_octets >= 1) {
    render_ddp(subtree, place, fpdu);
    if (fpdu.header_octets >= 2) render_rdmap(frame, subtree, place, event, behind);
    render_payload(subtree, place, fpdu);
  }
  if (is_framed) render_trailer(subtree, place, fpdu);
  put_old_names(frame, subtree, place, event, behind);
  render_segment_links(frame, subtree, event);
  render_conclusions(frame, subtree, behind);
}

}  // namespace iwarp::dissector
