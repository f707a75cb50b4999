// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/fpdu_fact.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace iwarp {
namespace {

// What MPA says of it.
void note_framing(FpduFact& fact, const mpa::FramedFpdu& framed, StreamOffset origin) noexcept {
  fact.stream_offset = framed.begin - std::min(origin, framed.begin);
  fact.wire_size = static_cast<std::uint32_t>(framed.end - framed.begin);
  fact.ulpdu_length = framed.ulpdu_length;
  fact.markers = framed.markers;
  fact.crc = framed.crc;
  fact.cut = framed.cut;
  fact.unfinished = framed.unfinished;
  fact.markers_missing = framed.markers_missing;
  fact.marker_faults = framed.marker_faults;
  if (framed.marker_faults != 0) {
    fact.marker_seen = framed.marker_seen;
    fact.marker_at = framed.marker_at;
  }
  fact.pad = framed.pad;
  fact.crc_field = framed.crc_field;
  fact.crc_computed = framed.crc_computed;
}

// Octets behind the DDP header that are no payload. Only untagged messages have them; of a Terminate as many
// as there are, and of an FPDU that was cut, which has no payload to ask for, what there is of that.
std::size_t rdmap_octets_of(const wire::DdpHeader& ddp, bool cut) noexcept {
  if (ddp.tagged()) return 0;
  const bool all = cut || ddp.opcode() == wire::Opcode::terminate;
  return all ? max_rdmap_header : wire::rdmap_header_size(ddp.opcode());
}

// Of a header that was cut, the fields before the cut are right; those behind it read as zero.
wire::DdpHeader parse_cut(ByteView header) noexcept {
  std::array<Byte, wire::untagged_header_size> octets{};
  std::copy_n(header.data(), header.size(), octets.begin());
  return wire::read_ddp(octets.data());
}

// Its DDP and RDMAP headers, as far as captured.
void note_headers(FpduFact& fact, const mpa::FramedFpdu& framed) noexcept {
  const ByteView header = framed.header();
  const bool tagged = !header.empty() && (header[0] & 0x80U) != 0;
  const std::uint32_t ddp_size = tagged ? wire::tagged_header_size : wire::untagged_header_size;
  // Where not even the T bit was captured the header may be the shorter one.
  fact.malformed = framed.ulpdu_length < (header.empty() ? wire::tagged_header_size : ddp_size);
  if (header.size() >= ddp_size) {
    fact.ddp = wire::read_ddp(header.data());
  } else if (!header.empty()) {
    fact.ddp = parse_cut(header);
  }
  if (!header.empty() && !fact.malformed) fact.payload_length = framed.ulpdu_length - ddp_size;
  if (header.size() >= ddp_size) {
    const std::size_t behind = rdmap_octets_of(fact.ddp, framed.cut);
    fact.rdmap_octets = static_cast<std::uint8_t>(std::min<std::size_t>(header.size() - ddp_size, behind));
    std::copy_n(header.data() + ddp_size, fact.rdmap_octets, fact.rdmap.begin());
  }
  fact.header_octets =
      static_cast<std::uint8_t>(std::min<std::size_t>(header.size(), ddp_size + fact.rdmap_octets));
}

// What is recorded next.
[[gnu::always_inline]] inline Event& draft_fpdu(ConnectionLog& log, EventKind kind, Side side,
                                                const mpa::FramedFpdu& framed, const SpanMap& spans,
                                                StreamOffset origin) {
  const StreamSpan* const first = spans.find(framed.begin);
  // As it is with most: one segment brought all of it.
  const bool whole = first != nullptr && first->begin <= framed.begin && first->end() >= framed.end;
  Event& event = log.draft(kind, side, framed.begin, first ? first->ack : 0);
  FpduFact& fact = *::new (static_cast<void*>(&event.fpdu)) FpduFact;
  fact.first_frame = first ? first->frame : 0;
  fact.placed = whole ? first->placement() : spans.placement(framed.begin, framed.end);
  if (fact.placed.frame == 0) fact.placed = log.own_placement();
  fact.aligned = first != nullptr && first->segment_start && first->begin == framed.begin;
  note_framing(fact, framed, origin);
  note_headers(fact, framed);
  if (whole) {
    fact.pieces.count = 1;
    fact.pieces.only = first->slice(framed.begin, framed.end);
  } else {
    fact.pieces = log.pieces(spans, framed.begin, framed.end);
    fact.end_missing = spans.lacks_segment_of(framed.end - 1);
  }
  return event;
}

}  // namespace

void record_fpdu(ConnectionLog& log, Side side, const mpa::FramedFpdu& framed, const SpanMap& spans,
                 StreamOffset origin, const Delivery& delivery) {
  Event& event = draft_fpdu(log, EventKind::fpdu, side, framed, spans, origin);
  FpduFact& fact = event.fpdu;
  fact.recovered = delivery.recovered;
  if (framed.header_octets >= fact.ddp.size()) fact.payload_id = log.add_payload(framed, fact.ddp);
  fact.ahead = delivery.number != 0;
  fact.number = fact.ahead ? delivery.number : log.count_fpdu();
  if (log.coverage().unverified() && spans.any_cut(framed.begin, framed.end)) {
    log.record_draft(event, Reason::snaplen);
  } else {
    log.record_draft(event, delivery.doubt);
  }
}

FpduFact record_placed(ConnectionLog& log, Side side, const mpa::FramedFpdu& framed, const SpanMap& spans,
                       StreamOffset origin) {
  Event& event = draft_fpdu(log, EventKind::placed, side, framed, spans, origin);
  event.fpdu.number = log.count_fpdu();
  const FpduFact fact = event.fpdu;
  log.record_draft(event);
  return fact;
}

FpduFact fact_of_begun(const mpa::FramedFpdu& framed, const SpanMap& spans, StreamOffset origin) noexcept {
  FpduFact fact;
  const StreamSpan* const first = spans.find(framed.begin);
  fact.first_frame = first ? first->frame : 0;
  fact.aligned = first != nullptr && first->segment_start && first->begin == framed.begin;
  note_framing(fact, framed, origin);
  note_headers(fact, framed);
  return fact;
}

}  // namespace iwarp
