// The members of a ConnectionState, for base::Packer: a connection that FPDUs were seen of cannot be packed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/state.hpp>

#include "base/packing.hpp"
#include "base/segment_members.hpp"

namespace iwarp {

template <typename Codec>
void members(Codec& codec, QpState& qp) {
  auto& [value, evidence, confidence, frame] = qp;
  codec(value, evidence, confidence, frame);
}

template <typename Codec>
void members(Codec& codec, Depth& depth) {
  auto& [offered, effective] = depth;
  codec(offered, effective);
}

template <typename Codec>
void members(Codec& codec, StartupFact& fact) {
  auto& [kind, revision, markers, crc, rejected, enhanced, reserved_flags, has_word, has_smbd, delayed,
         private_data_length, private_data_received, private_data_captured, early_octets, word, smbd_ird,
         smbd_ord, first_frame, placed, private_data_id, pieces] = fact;
  auto& [peer_to_peer, rtr_send, rtr_write, rtr_read, ird, ord] = word;
  codec(kind, revision, markers, crc, rejected, enhanced, reserved_flags, has_word, has_smbd, delayed,
        private_data_length, private_data_received, private_data_captured, early_octets, peer_to_peer,
        rtr_send, rtr_write, rtr_read, ird, ord, smbd_ird, smbd_ord, first_frame, placed, private_data_id);
}

template <typename Codec>
void members(Codec& codec, MpaState& mpa) {
  auto& [frames, frame_numbers, frame_times, frame_ends, startups, crossed, accepted, rejected, peer_to_peer,
         rtr, limits_source, ird, ord] = mpa;
  codec(frames, frame_numbers, frame_times, frame_ends, startups, crossed, accepted, rejected, peer_to_peer,
        rtr, limits_source, ird, ord);
}

// One that no FPDU began: octets are missing, and the next segment may be in the middle of a message.
template <typename Codec>
void members(Codec& codec, OpenMessage& open) {
  codec(open.adrift, open.hole_reason);
  codec.absent(open.active, open.segments);
}

template <typename Codec>
void members(Codec& codec, SideState& side) {
  auto& [phase, markers, crc, inferred, unmarked, captured, window_closed, crc_confirmed, pairing_doubtful,
         missing_reason, requests_doubt, responses_doubt, mss, unmarked_since, first_fpdu_frame, last_fpdu,
         fpdus, crc_counts, alignment, payload_octets, rq_consumed, holes, hole_end, acknowledged,
         consumed_to, queues, write, interrupted_write, read_response, short_response, recent, recent_count,
         alike_requests, mistaken_requests, answered_last, requests, max_outstanding, unseen_requests,
         suspect, messages, first_fpdu_end, gaps, gap_octets, retransmitted_octets, repeated_offset, repeats,
         duplicate_frames, placed_ahead, strays, early_strays, presumed_answered, broken_requests, terminates,
         terminate_segments, fin_frame, fin_offset, fin_ack, fin_acknowledged, fin_acknowledged_frame,
         fin_acknowledged_at, rst_frame, watched, crc_recovery, violated, violated_frame, qp] = side;
  codec(phase, markers, crc, inferred, captured, mss, gaps, gap_octets, holes, missing_reason,
        retransmitted_octets, repeated_offset, repeats, duplicate_frames, requests_doubt, pairing_doubtful,
        strays, early_strays, presumed_answered, hole_end, broken_requests, responses_doubt, fin_frame,
        fin_offset, fin_ack, fin_acknowledged, fin_acknowledged_frame, fin_acknowledged_at, rst_frame,
        acknowledged, consumed_to, watched, window_closed, crc_confirmed, violated, violated_frame, qp);
  // FPDUs make these.
  codec.absent(first_fpdu_frame, first_fpdu_end, last_fpdu.frame, fpdus, crc_counts.good, crc_counts.bad,
               crc_counts.unchecked, alignment.judged, messages, payload_octets, rq_consumed, requests,
               max_outstanding, unseen_requests, alike_requests, mistaken_requests, answered_last, terminates,
               terminate_segments, placed_ahead, unmarked, unmarked_since, suspect.frame, crc_recovery,
               recent, recent_count, short_response);
  // The queues and messages, too, but their beginning is told by the start-up already, or by a hole.
  codec(queues, write, interrupted_write, read_response);
}

template <typename Codec>
void members(Codec& codec, QueueState& queue) {
  auto& [known, baseline, baseline_reason, next_msn, messages, also_due, given_up, open] = queue;
  auto& [resumed, counted, aside, strayed, vouched] = also_due;
  codec(known, baseline, baseline_reason, next_msn, strayed, vouched, open.hole_reason);
  // The same number, most often.
  for (std::uint32_t* const due : {&resumed, &counted, &aside}) *due -= next_msn;
  codec(resumed, counted, aside);
  for (std::uint32_t* const due : {&resumed, &counted, &aside}) *due += next_msn;
  codec.absent(messages, given_up, open.active);
}

template <typename Codec>
void members(Codec& codec, CutEnd& end) {
  auto& [inside_fpdu, inside_message, doubt, behind] = end;
  codec(inside_fpdu, inside_message, doubt, behind);
}

template <typename Codec>
void members(Codec& codec, Reset& reset) {
  auto& [side, segment, abortive, doubt, ends] = reset;
  codec(side, segment, abortive, doubt, ends);
}

template <typename Codec>
void members(Codec& codec, ConnectionState& state) {
  auto& [id, endpoints, llp, sctp, first_frame, last_frame, first_time_ns, last_time_ns, messages,
         fpdu_message, opened_by, iwarp, initiator, role_basis, mpa, sides, reset, closed, findings] = state;
  codec(id, endpoints, first_frame, last_frame, first_time_ns, last_time_ns, opened_by, iwarp, initiator,
        role_basis, mpa, sides, reset, closed, findings);
  codec.absent(messages, fpdu_message, llp, sctp.id, sctp.session);  // only those over TCP come to rest
}

}  // namespace iwarp
