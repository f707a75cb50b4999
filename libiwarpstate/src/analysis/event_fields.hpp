// The fields of each kind of event, in the order in which the log packs them: one list for writing and for
// reading. A field that a list forgets does not compile, for the structured binding names them all.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <iwarp/event.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp {

// A codec says how numbers go in or out:
//   number(…)         small ones cost less
//   flags(…)          bools and small enumerations, together one number
//   frame(…), time(…), placement(…)
//                     near those of the event; *_or_none: 0 stands for none and is frequent
//   same(x, as)       usually equal to `as`, which was given before
//   octets(array, n, as)
//                     the first n of them, usually equal to those; comes last
//   stream_offset(x)  as far from that of the event as the one before of the kind
//   fpdu()            what a message of one segment repeats of the FPDU event before
// Fields that differ from one event of the kind to the next come first: the mask that tells them is short.
template <typename Codec, typename Fact>
using CodecFact = std::conditional_t<Codec::writes, const Fact, Fact>;

// What a message of one segment repeats of its FPDU.
struct RepeatedFields {
  std::uint32_t payload_length = 0;
  std::uint32_t stag = 0;
  std::uint32_t queue = 0;
  std::uint32_t msn = 0;
  std::uint64_t to = 0;
  std::uint8_t rdmap_octets = 0;
  std::array<Byte, max_rdmap_header> rdmap{};

  void note(const FpduFact& fact) noexcept {
    payload_length = fact.payload_length;
    stag = fact.ddp.stag;
    queue = fact.ddp.queue;
    msn = fact.ddp.msn;
    to = fact.ddp.to;
    rdmap_octets = fact.rdmap_octets;
    rdmap = fact.rdmap;
  }
};

// `usual`: how long it is that is in one piece.
template <typename Codec>
void piece_fields(Codec& codec, CodecFact<Codec, Pieces>& pieces, std::uint32_t usual) {
  auto& [count, begin, only] = pieces;
  auto& [frame, payload_offset, length] = only;
  codec.number(count);
  if (count == 1) {
    codec.frame(frame);
    codec.number(payload_offset);
    codec.same(length, usual);
  } else {
    codec.number(begin);
  }
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, OpenedFact>& fact) {
  auto& [endpoints, by, llp, sctp] = fact;
  auto& [id, session] = sctp;
  codec.flags(by, llp);
  codec.number(id, session);
  for (auto& [address, port] : endpoints) {
    auto& [octets, version] = address;
    codec.number(version, port);
    for (auto& octet : octets) codec.number(octet);
  }
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, SynFact>& fact) {
  auto& [mss] = fact;
  codec.number(mss);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, StartupFact>& fact) {
  auto& [kind, revision, markers, crc, rejected, enhanced, reserved_flags, has_word, has_smbd, delayed,
         private_data_length, private_data_received, private_data_captured, early_octets, word, smbd_ird,
         smbd_ord, first_frame, placed, private_data_id, pieces] = fact;
  auto& [peer_to_peer, rtr_send, rtr_write, rtr_read, ird, ord] = word;
  codec.flags(kind, revision, markers, crc, rejected, enhanced, reserved_flags, has_word, has_smbd, delayed,
              peer_to_peer, rtr_send, rtr_write, rtr_read);
  codec.number(private_data_length, private_data_received, private_data_captured, early_octets, ird, ord,
               smbd_ird, smbd_ord, private_data_id);
  codec.frame(first_frame);
  codec.placement(placed);
  piece_fields(codec, pieces, private_data_captured);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, FpduFact>& fact) {
  auto& [first_frame, placed, stream_offset, wire_size, ulpdu_length, markers, crc, header_octets, malformed,
         cut, aligned, recovered, markers_missing, unfinished, ahead, rdmap_octets, marker_faults,
         marker_seen, marker_at, pad, crc_field, crc_computed, ddp, rdmap, payload_length, number, message,
         payload_id, end_missing, pieces] = fact;
  auto& [ddp_control, rdmap_control, stag, queue, msn, mo, to] = ddp;
  codec.flags(ddp_control, rdmap_control, rdmap_octets);
  codec.number(number, message, payload_id, ulpdu_length, crc_field, stag, queue, msn, to);
  codec.flags(aligned, malformed, cut, recovered, unfinished, end_missing, ahead, markers_missing, crc,
              marker_faults);
  codec.number(markers, mo, pad);
  codec.same(crc_computed, crc_field);
  const std::uint32_t ddp_octets = ddp.size();
  codec.same(header_octets, ddp_octets + rdmap_octets);
  codec.same(payload_length, ulpdu_length - ddp_octets);
  codec.same(wire_size, wire::unmarked_fpdu_size(ulpdu_length) + markers * wire::marker_size);
  codec.stream_offset(stream_offset);
  codec.frame(first_frame);
  codec.placement(placed);
  piece_fields(codec, pieces, wire_size);
  if (marker_faults != 0) {
    for (std::size_t row = 0; row < marker_fault_kinds; ++row) codec.number(marker_seen[row], marker_at[row]);
  }
  codec.octets(rdmap, rdmap_octets, {});
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, RevokedFact>& fact) {
  auto& [number] = fact;
  codec.number(number);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, GapFact>& fact) {
  auto& [length, cause, framing_kept, restated] = fact;
  codec.number(length);
  codec.flags(cause, framing_kept, restated);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, SyncLostFact>& fact) {
  auto& [length, doubted, pieces] = fact;
  codec.number(length);
  codec.flags(doubted);
  piece_fields(codec, pieces, 0);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, LockedFact>& fact) {
  auto& [markers, crc, inferred, first, chained, after_gap, skipped] = fact;
  codec.flags(markers, crc, inferred, first, chained, after_gap);
  codec.number(skipped);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, AcknowledgedFact>& fact) {
  auto& [segment, sent] = fact;
  codec.placement(segment);
  codec.number(sent);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, ReceivedFact>& fact) {
  auto& [segment, upto] = fact;
  codec.placement(segment);
  codec.number(upto);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, RetransmittedFact>& fact) {
  auto& [length, duplicate_frame] = fact;
  codec.number(length);
  codec.flags(duplicate_frame);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, WindowFact>& fact) {
  auto& [closed] = fact;
  codec.flags(closed);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, WindowFullFact>& fact) {
  auto& [since, opened] = fact;
  codec.placement(since);
  codec.placement(opened);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, EndFact>& fact) {
  auto& [inside_fpdu, missing, peer_inside_fpdu, peer_missing, segment] = fact;
  codec.flags(inside_fpdu, missing, peer_inside_fpdu, peer_missing);
  codec.placement(segment);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, ClosedFact>& fact) {
  auto& [cause, last_frame, last_time_ns] = fact;
  codec.flags(cause);
  codec.frame(last_frame);
  codec.time(last_time_ns);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, MessageConclusion>& fact) {
  auto& [number, first_frame, begun, placed, length, segments, opcode, end, reason, start_seen, tagged, rtr,
         rtr_known, stag, queue, msn, to, rdmap_octets, rdmap, bit_order] = fact;
  const RepeatedFields& fpdu = codec.fpdu();
  codec.number(number);
  codec.flags(opcode, tagged, rtr, rtr_known, start_seen, end, bit_order, reason);
  codec.number(segments);
  codec.same(length, fpdu.payload_length);
  codec.same(stag, fpdu.stag);
  codec.same(queue, fpdu.queue);
  codec.same(msn, fpdu.msn);
  codec.same(to, fpdu.to);
  codec.same(rdmap_octets, fpdu.rdmap_octets);
  codec.frame(first_frame);
  codec.placement(begun);
  codec.placement(placed);
  codec.octets(rdmap, rdmap_octets, fpdu.rdmap);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, OperationConclusion>& fact) {
  auto& [message, response_message, kind, status, request, first_response, response, response_start_seen,
         length, length_known, outstanding, request_retransmitted] = fact;
  codec.flags(kind, request_retransmitted, response_start_seen, length_known, status);
  codec.placement_or_none(request);
  codec.placement_or_none(first_response);
  codec.placement_or_none(response);
  codec.number(message, response_message, length, outstanding);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, Finding>& fact) {
  auto& [check, severity, evidence_count, arguments, evidence, time_ns, fpdu] = fact;
  codec.number(check, severity, evidence_count, fpdu);
  for (auto& argument : arguments) codec.number(argument);
  for (auto& frame : evidence) codec.frame_or_none(frame);
  codec.time(time_ns);
}

template <typename Codec>
void event_fields(Codec& codec, CodecFact<Codec, Undecidable>& fact) {
  auto& [check, reason] = fact;
  codec.flags(check, reason);
}

}  // namespace iwarp
