// Connections and events made by hand for the tests of this folder.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/record.hpp>
#include <iwarp/state.hpp>

namespace iwarp::test {

inline Endpoint endpoint(std::uint8_t host, std::uint16_t port) {
  Endpoint endpoint;
  endpoint.address.octets[0] = 192;
  endpoint.address.octets[2] = 2;
  endpoint.address.octets[3] = host;
  endpoint.port = port;
  return endpoint;
}

// 192.0.2.1:49152 is the initiator, 192.0.2.2:4420 the responder; revision 2 with CRC, IRD and ORD
// negotiated.
inline ConnectionState connection(ConnectionId id = 3) {
  ConnectionState state;
  state.id = id;
  state.endpoints = {endpoint(1, 49152), endpoint(2, 4420)};
  state.first_frame = 1;
  state.last_frame = 90;
  state.first_time_ns = 1'000'000'000;
  state.last_time_ns = 1'500'000'000;
  state.iwarp = true;
  for (SideState& side : state.sides) side.captured = true;
  state.role_basis = RoleBasis::mpa;
  StartupFact request;
  request.revision = 2;
  request.enhanced = true;
  request.crc = true;
  request.has_word = true;
  state.mpa.frames[0] = request;
  StartupFact reply = request;
  reply.kind = wire::StartupKind::reply;
  state.mpa.frames[1] = reply;
  state.mpa.frame_numbers = {4, 6};
  state.mpa.frame_ends = {24, 24};
  state.mpa.accepted = true;
  state.mpa.limits_source = LimitsSource::mpa;
  state.mpa.ird = {Depth{16, 16}, Depth{0x3FFF, std::nullopt}};
  state.mpa.ord = {Depth{8, 4}, Depth{0, 0}};
  for (SideState& side : state.sides) {
    side.phase = Phase::fpdu;
    side.crc = Mode::on;
    side.markers = Mode::off;
    for (QueueState& queue : side.queues.edit()) queue.known = true;
  }
  return state;
}

inline Event event(EventKind kind, FrameNumber frame, Side side = Side::a) {
  Event event;
  event.kind = kind;
  event.connection = 3;
  event.frame = frame;
  event.time_ns = 1'000'000'000 + static_cast<TimeNs>(frame) * 1000;
  event.side = side;
  return event;
}

// A Send of `payload` octets, MSN 5, at stream offset 100.
inline Event send_fpdu(FrameNumber frame = 12, std::uint16_t payload = 100) {
  Event made = event(EventKind::fpdu, frame);
  made.offset = 124;
  made.fpdu = FpduFact{};
  made.fpdu.first_frame = frame;
  made.fpdu.placed = {made.frame, made.time_ns};
  made.fpdu.stream_offset = 100;
  made.fpdu.ulpdu_length = static_cast<std::uint16_t>(payload + 18);
  made.fpdu.payload_length = payload;
  made.fpdu.header_octets = 18;
  made.fpdu.crc = CrcStatus::good;
  made.fpdu.ddp.ddp_control = 0x41;
  made.fpdu.ddp.rdmap_control = 0x43;
  made.fpdu.ddp.msn = 5;
  made.fpdu.number = 8;
  made.fpdu.message = 6;
  return made;
}

inline Event write_fpdu(FrameNumber frame = 13) {
  Event made = send_fpdu(frame);
  made.fpdu.ddp.ddp_control = 0xc1;
  made.fpdu.ddp.rdmap_control = 0x40;
  made.fpdu.ddp.stag = 0xabcd;
  made.fpdu.ddp.to = 0x1000;
  made.fpdu.header_octets = 14;
  return made;
}

inline Event message(wire::Opcode opcode, FrameNumber frame = 20) {
  Event made = event(EventKind::message, frame);
  made.message = MessageConclusion{};
  made.message.opcode = opcode;
  made.message.tagged = wire::is_tagged(opcode);
  made.message.queue = made.message.tagged ? 0 : wire::queue_of(opcode);
  made.message.msn = 7;
  made.message.number = 6;
  made.message.first_frame = frame - 1;
  made.message.placed = {made.frame, made.time_ns};
  made.message.length = 4096;
  made.message.segments = 3;
  return made;
}

inline void set_rdmap(Event& message, const Bytes& octets) {
  message.message.rdmap_octets = static_cast<std::uint8_t>(octets.size());
  for (std::size_t at = 0; at < octets.size(); ++at) message.message.rdmap[at] = octets[at];
}

inline Event read_operation() {
  Event made = event(EventKind::operation, 31);
  made.operation = OperationConclusion{};
  made.operation.message = 2;
  made.operation.response_message = 4;
  made.operation.request.frame = 30;
  made.operation.first_response.frame = 30;
  made.operation.response_start_seen = true;
  made.operation.response.frame = 31;
  made.operation.request.time_ns = 5'000;
  made.operation.first_response.time_ns = 6'000;
  made.operation.response.time_ns = 9'000;
  made.operation.length = 8192;
  made.operation.outstanding = 2;
  return made;
}

inline Event finding(CheckId check, FrameNumber frame, Side side = Side::a) {
  Event made = event(EventKind::finding, frame, side);
  made.finding = Finding{};
  made.finding.check = check;
  made.finding.severity = severity_of(check, false);
  made.finding.time_ns = made.time_ns;
  return made;
}

inline Record record(RecordKind kind, const Event& event, const ConnectionState& connection) {
  Record record;
  record.kind = kind;
  record.stream = event.connection;
  record.event = &event;
  record.connection = &connection;
  record.from = connection.role_of(event.side);
  return record;
}

}  // namespace iwarp::test
