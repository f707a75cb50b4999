// The fields of a `message` record: those of every message, then those of the opcodes that have more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

inline ByteView rdmap_octets(const MessageConclusion& message, bool wanted) noexcept {
  return wanted ? ByteView(message.rdmap).first(message.rdmap_octets) : ByteView();
}

template <typename V>
void describe_read_request(V& visitor, ByteView octets) {
  const auto parsed = wire::parse_read_request(octets);
  const bool there = static_cast<bool>(parsed);
  const wire::ReadRequest request = there ? *parsed : wire::ReadRequest{};
  put_if(visitor, "sink_stag", there, hex32(request.sink_stag));
  put_if(visitor, "sink_to", there, hex64(request.sink_to));
  put_if(visitor, "source_stag", there, hex32(request.source_stag));
  put_if(visitor, "source_to", there, hex64(request.source_to));
  put_if(visitor, "read_length", there, request.size);
}

inline const char* atomic_operation_name(unsigned operation) noexcept {
  switch (static_cast<wire::AtomicOperation>(operation)) {
    case wire::AtomicOperation::fetch_add: return "fetch_add";
    case wire::AtomicOperation::swap_reserved: return "swap";
    case wire::AtomicOperation::cmp_swap: return "cmp_swap";
  }
  return "unknown";
}

template <typename V>
void describe_atomic(V& visitor, ByteView request_octets, ByteView response_octets) {
  const auto parsed_request = wire::parse_atomic_request(request_octets);
  const bool asked = static_cast<bool>(parsed_request);
  const wire::AtomicRequest request = asked ? *parsed_request : wire::AtomicRequest{};
  put_if(visitor, "aopcode", asked, request.operation);
  put_if(visitor, "atomic_operation", asked, Word{atomic_operation_name(request.operation)});
  put_if(visitor, "request_identifier", asked, hex32(request.request_id));
  put_if(visitor, "remote_stag", asked, hex32(request.remote_stag));
  put_if(visitor, "remote_to", asked, hex64(request.remote_to));
  put_if(visitor, "add_or_swap_data", asked, hex64(request.add_swap_data));
  put_if(visitor, "add_or_swap_mask", asked, hex64(request.add_swap_mask));
  put_if(visitor, "compare_data", asked, hex64(request.compare_data));
  put_if(visitor, "compare_mask", asked, hex64(request.compare_mask));
  const auto parsed_response = wire::parse_atomic_response(response_octets);
  const bool answered = static_cast<bool>(parsed_response);
  const wire::AtomicResponse response = answered ? *parsed_response : wire::AtomicResponse{};
  put_if(visitor, "original_request_identifier", answered, hex32(response.original_request_id));
  put_if(visitor, "original_remote_data_value", answered, hex64(response.original_remote_data));
}

// What the stream record tells of a Terminate too.
template <typename V>
void describe_terminate_code(V& visitor, bool there, wire::TerminateCode code, std::uint32_t raw,
                             wire::BitOrder bit_order) {
  put_if(visitor, "layer", there, code.layer);
  put_if(visitor, "etype", there, code.etype);
  put_if(visitor, "code", there, code.code);
  put_if(visitor, "value", there, hex16(code.value()));
  put_if(visitor, "name", there, Word{wire::describe_terminate(code.value()).name});
  put_if(visitor, "raw", there, hex32(raw));
  put_if(visitor, "bit_order", there, Word{bit_order_name(bit_order)});
}

// The frame of the segment that the Terminate of this event quotes; 0: none, or not found.
inline FrameNumber quoted_frame(const Event& event, const ConnectionState& connection) noexcept {
  for (const TerminateSeen& seen : connection.side(event.side).terminates) {
    if (seen.frame == event.frame && seen.end_offset > event.offset) return seen.quoted_frame;
  }
  return 0;
}

template <typename V>
void describe_terminate(V& visitor, ByteView octets, wire::BitOrder bit_order) {
  const auto parsed = wire::parse_terminate(octets, bit_order);
  const bool there = static_cast<bool>(parsed);
  const wire::Terminate terminate = there ? *parsed : wire::Terminate{};
  describe_terminate_code(visitor, there, terminate.meant, terminate.raw, bit_order);
  put_if(visitor, "m", there, terminate.length_valid);
  put_if(visitor, "d", there, terminate.has_ddp_header);
  put_if(visitor, "r", there, terminate.has_rdma_header);
  put(visitor, "ddp_segment_length", terminate.ddp_segment_length);
  if (terminate.ddp_header) {
    visitor.text("terminated_ddp_header", [&] {
      Bytes header;
      wire::encode(*terminate.ddp_header, header);
      return hex_text(header);
    });
  } else {
    visitor.field("terminated_ddp_header", Null{});
  }
  if (terminate.read_request) {
    visitor.text("terminated_rdma_header", [&] {
      Bytes header;
      wire::encode(*terminate.read_request, header);
      return hex_text(header);
    });
  } else {
    visitor.field("terminated_rdma_header", Null{});
  }
}

template <typename V>
void describe_payload_hash(V& visitor, std::string_view digits) {
  put_if(visitor, "payload_sha256", !digits.empty(), Word{digits});
}

template <typename V>
void describe_message(V& visitor, const Event& event, const ConnectionState& connection) {
  const MessageConclusion& message = event.message;
  const wire::Opcode opcode = message.opcode;
  const bool complete = message.end == MessageEnd::complete;
  visitor.field("stream", event.connection);
  visitor.field("from", from(event, connection));
  visitor.field("frame", event.frame);
  put_frame(visitor, "first_frame", message.first_frame);
  visitor.field("time_ns", event.time_ns);
  visitor.field("opcode", Word{wire::opcode_name(opcode)});
  visitor.field("length", message.length);
  visitor.field("segments", message.segments);
  visitor.field("complete", complete);
  put_if(visitor, "reason", !complete, Word{reason_name(message.reason)});
  put_if(visitor, "qn", !message.tagged, message.queue);
  put_if(visitor, "msn", !message.tagged, message.msn);
  put_if(visitor, "stag", message.tagged, hex32(message.stag));
  put_if(visitor, "to", message.tagged, hex64(message.to));
  put_if(visitor, "invalidate_stag", !message.tagged && wire::invalidates(opcode), hex32(message.stag));
  visitor.field("rtr", message.rtr);
  describe_read_request(visitor, rdmap_octets(message, opcode == wire::Opcode::read_request));
  describe_atomic(visitor, rdmap_octets(message, opcode == wire::Opcode::atomic_request),
                  rdmap_octets(message, opcode == wire::Opcode::atomic_response));
  const auto immediate = wire::parse_immediate(rdmap_octets(message, wire::is_immediate(opcode)));
  put_if(visitor, "immediate_data", static_cast<bool>(immediate), hex64(immediate ? *immediate : 0));
  const bool terminate = opcode == wire::Opcode::terminate;
  describe_terminate(visitor, rdmap_octets(message, terminate), message.bit_order);
  put_frame(visitor, "refers_to_frame", terminate ? quoted_frame(event, connection) : 0);
}

}  // namespace iwarp::fields
