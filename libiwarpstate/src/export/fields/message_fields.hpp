// The fields of a `message` record: those of every message, then those of the opcodes that have more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

inline ByteView rdmap_octets(const MessageConclusion& message, bool wanted) noexcept {
  return wanted ? ByteView(message.rdmap).first(message.rdmap_octets) : ByteView();
}

// Of headers that were cut, the fields that end before the cut (RFC 5040 §4.4; RFC 7306 §5.2).
template <typename V>
void describe_read_request(V& visitor, ByteView octets) {
  const auto request = wire::parse_cut_read_request(octets);
  put_if(visitor, "sink_stag", request.has(4), hex32(request.header.sink_stag));
  put_if(visitor, "sink_to", request.has(12), hex64(request.header.sink_to));
  put_if(visitor, "source_stag", request.has(20), hex32(request.header.source_stag));
  put_if(visitor, "source_to", request.has(28), hex64(request.header.source_to));
  put_if(visitor, "read_length", request.has(16), request.header.size);
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
  const auto request = wire::parse_cut_atomic_request(request_octets);
  put_if(visitor, "aopcode", request.has(4), request.header.operation);
  put_word(visitor, "atomic_operation",
           request.has(4) ? atomic_operation_name(request.header.operation) : nullptr);
  put_if(visitor, "request_identifier", request.has(8), hex32(request.header.request_id));
  put_if(visitor, "remote_stag", request.has(12), hex32(request.header.remote_stag));
  put_if(visitor, "remote_to", request.has(20), hex64(request.header.remote_to));
  put_if(visitor, "add_or_swap_data", request.has(28), hex64(request.header.add_swap_data));
  put_if(visitor, "add_or_swap_mask", request.has(36), hex64(request.header.add_swap_mask));
  put_if(visitor, "compare_data", request.has(44), hex64(request.header.compare_data));
  put_if(visitor, "compare_mask", request.has(52), hex64(request.header.compare_mask));
  const auto response = wire::parse_cut_atomic_response(response_octets);
  put_if(visitor, "original_request_identifier", response.has(4), hex32(response.header.original_request_id));
  put_if(visitor, "original_remote_data_value", response.has(12),
         hex64(response.header.original_remote_data));
}

// What the stream record tells of a Terminate too.
template <typename V>
void describe_terminate_code(V& visitor, bool there, wire::TerminateCode code, std::uint32_t raw,
                             wire::BitOrder bit_order) {
  put_if(visitor, "layer", there, code.layer);
  put_if(visitor, "etype", there, code.etype);
  put_if(visitor, "code", there, code.code);
  put_if(visitor, "value", there, hex16(code.value()));
  put_word(visitor, "name", there ? wire::describe_terminate(code.value()).name : nullptr);
  put_if(visitor, "raw", there, hex32(raw));
  put_word(visitor, "bit_order", there ? bit_order_name(bit_order) : nullptr);
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
void describe_message(V& visitor, const Event& event, Role from, FrameNumber refers_to) {
  const MessageConclusion& message = event.message;
  const wire::Opcode opcode = message.opcode;
  const bool known = message.end != MessageEnd::unknown;
  visitor.field("from", Word{role_name(from)});
  visitor.field("frame", message.placed.frame);
  put_frame(visitor, "first_frame", message.start_seen ? message.first_frame : 0);
  put_frame(visitor, "delivered_frame", message.end == MessageEnd::complete ? event.frame : 0);
  visitor.field("time_ns", message.placed.time_ns);
  visitor.field("opcode", Word{wire::opcode_name(opcode)});
  put(visitor, "length", message.known_length());
  visitor.field("segments", message.segments);
  put_if(visitor, "complete", known, message.end == MessageEnd::complete);
  put_word(visitor, "reason", known ? nullptr : reason_name(message.reason));
  put_if(visitor, "qn", !message.tagged, message.queue);
  put_if(visitor, "msn", !message.tagged, message.msn);
  put_if(visitor, "stag", message.tagged, hex32(message.stag));
  put_if(visitor, "to", message.tagged && message.start_seen, hex64(message.to));
  put_if(visitor, "invalidate_stag", !message.tagged && wire::invalidates(opcode), hex32(message.stag));
  put_if(visitor, "rtr", message.rtr_known, message.rtr);
  describe_read_request(visitor, rdmap_octets(message, opcode == wire::Opcode::read_request));
  describe_atomic(visitor, rdmap_octets(message, opcode == wire::Opcode::atomic_request),
                  rdmap_octets(message, opcode == wire::Opcode::atomic_response));
  const auto immediate = wire::parse_immediate(rdmap_octets(message, wire::is_immediate(opcode)));
  put_if(visitor, "immediate_data", static_cast<bool>(immediate), hex64(immediate ? *immediate : 0));
  const bool terminate = opcode == wire::Opcode::terminate;
  describe_terminate(visitor, rdmap_octets(message, terminate), message.bit_order);
  put_frame(visitor, "refers_to_frame", refers_to);
  visitor.field("message", message.number);
}

}  // namespace iwarp::fields
