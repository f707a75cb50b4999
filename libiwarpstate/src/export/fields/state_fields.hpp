// The fields of a `state` record.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename Items>
void describe_open_message(Items& items, const OpenMessage& message, bool tagged) {
  if (!message.active) return;
  items.object([&](auto& object) {
    object.field("opcode", Word{wire::opcode_name(message.opcode)});
    put_if(object, "qn", !tagged, message.queue);
    put_if(object, "msn", !tagged, message.msn);
    put_if(object, "stag", tagged, hex32(message.stag));
    put_if(object, "to", tagged && message.start_seen, hex64(message.to));
    put_if(object, "invalidate_stag", !tagged && wire::invalidates(message.opcode), hex32(message.stag));
    put_if(object, "length", !message.holed && !message.adrift, message.length);
    object.field("segments", message.segments);
    put_frame(object, "first_frame", message.start_seen ? message.first_frame : 0);
    put_if(object, "incomplete", message.holed || !message.adrift, message.holed);
  });
}

template <typename Items>
void describe_request(Items& items, const Request& request) {
  // As far as its header was captured: RFC 5040 §4.4, RFC 7306 §5.2.1.
  const bool read = !request.unseen && request.kind == RequestKind::read;
  const bool atomic = !request.unseen && request.kind == RequestKind::atomic;
  const unsigned have = request.header_octets;
  const bool paired = request.response_start_seen && !request.ambiguous;
  items.object([&](auto& object) {
    put_if(object, "op", !request.unseen, Word{request_kind_name(request.kind)});
    put_frame(object, "request_frame", request.placed.frame);
    put_if(object, "time_ns", !request.unseen, request.placed.time_ns);
    object.field("msn", request.msn);
    put(object, "length", request.known_size());
    put_if(object, "sink_stag", read && have >= 4, hex32(request.sink_stag));
    put_if(object, "sink_to", read && have >= 12, hex64(request.sink_to));
    put_if(object, "source_stag", read && have >= 20, hex32(request.source_stag));
    put_if(object, "source_to", read && have >= 28, hex64(request.source_to));
    put_if(object, "remote_stag", atomic && have >= 12, hex32(request.source_stag));
    put_if(object, "remote_to", atomic && have >= 20, hex64(request.source_to));
    put_if(object, "request_identifier", atomic && have >= 8, hex32(request.request_id));
    put_frame(object, "first_response_frame", paired ? request.first_response.frame : 0);
    put_if(object, "received", !request.ambiguous, request.received);
    put_if(object, "outstanding", request.outstanding != 0, request.outstanding);
  });
}

template <typename V>
void describe_counters(V& visitor, const SideState& side, bool outstanding_known) {
  visitor.object("counters", [&](V& object) {
    object.field("fpdus", side.fpdus);
    describe_crc_counts(object, "crc", side.crc_counts);
    describe_counts(object, "messages", side.messages);
    object.field("payload_octets", side.payload_octets);
    put_if(object, "max_outstanding", outstanding_known, side.max_outstanding);
    object.field("receive_buffers_used", side.rq_consumed);
    object.field("terminates", static_cast<std::uint64_t>(side.terminates.size()));
    object.field("gaps", side.gaps);
    object.field("gap_octets", side.gap_octets);
    object.field("retransmitted_octets", side.retransmitted_octets);
    object.field("duplicate_frames", side.duplicate_frames);
    object.field("placed_ahead", side.placed_ahead);
  });
}

template <typename V>
void describe_side(V& visitor, Key key, const ConnectionState& connection, Role role) {
  const SideState& side = connection.side(connection.side_of(role));
  const auto at = static_cast<std::size_t>(role);
  visitor.object(key, [&](V& object) {
    object.field("phase", Word{phase_name(side.phase)});
    describe_qp_state(object, "qp_state", side.qp);
    object.object("next_msn", [&](V& queues) {
      static constexpr Key names[wire::queue_count] = {"0", "1", "2", "3"};
      for (unsigned queue = 0; queue < wire::queue_count; ++queue) {
        put_if(queues, names[queue], side.queues[queue].known && !side.queues[queue].baseline,
               side.queues[queue].next_msn);
      }
    });
    object.list("open_messages", [&](auto& items) {
      for (const QueueState& queue : side.queues) describe_open_message(items, queue.open, false);
      describe_open_message(items, *side.interrupted_write, true);
      describe_open_message(items, *side.write, true);
      describe_open_message(items, *side.read_response, true);
    });
    if (connection.outstanding_known()) {
      object.list("outstanding", [&](auto& items) {
        for (const Request& request : side.requests) describe_request(items, request);
      });
    } else {
      object.field("outstanding", Null{});
    }
    put_mode(object, "crc", side.crc);
    put_mode(object, "markers", side.known_markers());
    describe_depth(object, "ird", connection.mpa.ird[at]);
    describe_depth(object, "ord", connection.mpa.ord[at]);
    describe_counters(object, side, connection.outstanding_known());
  });
}

template <typename V>
void describe_state(V& visitor, const ConnectionState& connection, FrameNumber frame) {
  visitor.field("frame", frame);
  describe_side(visitor, "initiator", connection, Role::initiator);
  describe_side(visitor, "responder", connection, Role::responder);
}

}  // namespace iwarp::fields
