// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/fpdu_place.hpp"

namespace iwarp::dissector {

tvbuff_t* octets_source(const Frame& frame, ByteView octets, std::uint32_t key, const char* name) {
  if (void* const known = p_get_proto_data(frame.pinfo->pool, frame.pinfo, frame.protocol, key)) {
    return static_cast<tvbuff_t*>(known);
  }
  const auto size = static_cast<unsigned>(octets.size());
  tvbuff_t* const tvb = tvb_new_child_real_data(frame.tvb, octets.data(), size, static_cast<int>(size));
  add_new_data_source(frame.pinfo, tvb, name);
  p_add_proto_data(frame.pinfo->pool, frame.pinfo, frame.protocol, key, tvb);
  return tvb;
}

FpduPlace place_of(const Frame& frame, const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  FpduPlace place;
  place.tvb = frame.tvb;
  place.marked = fpdu.markers != 0;
  place.phase = static_cast<std::uint32_t>(fpdu.stream_offset % wire::marker_interval);

  const std::span<const Slice> slices = frame.bridge->analysis().slices(event);
  const auto begin = slices_begin(frame);
  const bool lies_here = begin && slices.size() == 1 && slices.front().frame == frame.number;
  if (const ByteView whole = frame.bridge->octets(event); !whole.empty() && !lies_here) {
    place.tvb = octets_source(frame, whole, fpdu.number, "Reassembled FPDU");
    place.available = static_cast<std::uint32_t>(whole.size());
    return place;
  }
  if (slices.empty() || !begin) return place;
  // Whole in this frame, or begun in it and cut.
  const Slice& first = slices.front();
  const std::uint32_t captured = tvb_captured_length(frame.tvb);
  if (first.frame != frame.number || (fpdu.header_octets == 0 && fpdu.cut)) return place;
  place.start = std::min(*begin + first.payload_offset, captured);
  place.available = std::min(first.length, captured - place.start);
  return place;
}

void add_data_sources(const Frame& frame) {
  for (const Event& event : frame.events) {
    if (event.kind == EventKind::fpdu) (void)place_of(frame, event);
  }
}

}  // namespace iwarp::dissector
