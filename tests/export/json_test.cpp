// Records as JSON Lines.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <iwarp/export/writers.hpp>

#include "export/sample_events.hpp"

namespace iwarp {
namespace {

using nlohmann::json;
using namespace test;

json written(const Record& record) {
  TextBuffer out;
  write_json(out, record);
  EXPECT_EQ(out.view().find('\n'), out.size() - 1);
  return json::parse(out.view());
}

json written(RecordKind kind, const Event& event) {
  const ConnectionState state = connection();
  return written(record(kind, event, state));
}

TEST(JsonTest, UntaggedFpdu) {
  const Event event = send_fpdu();
  const ConnectionState state = connection();
  Record view = record(RecordKind::fpdu, event, state);
  const Slice slices[] = {{11, 1400, 48}, {12, 0, 76}};
  view.slices = slices;
  EXPECT_EQ(
      written(view),
      json::parse(R"({"type": "fpdu", "stream": 3, "fpdu": 8, "message": 6, "from": "initiator", "frame": 12,
    "first_frame": 12, "delivered_frame": 12, "time_ns": 1000012000, "stream_offset": 100, "ulpdu_length": 118, "markers": 0, "crc": "good",
    "opcode": "send", "tagged": false, "last": true, "stag": null, "to": null, "qn": 0, "msn": 5, "mo": 0,
    "invalidate_stag": null, "payload_length": 100, "slices": [[11, 1400, 48], [12, 0, 76]]})"));
}

TEST(JsonTest, TaggedFpdu) {
  const json fpdu = written(RecordKind::fpdu, write_fpdu());
  EXPECT_EQ(fpdu["opcode"], "rdma_write");
  EXPECT_EQ(fpdu["stag"], "0x0000abcd");
  EXPECT_EQ(fpdu["to"], "0x0000000000001000");
  EXPECT_TRUE(fpdu["msn"].is_null());
}

TEST(JsonTest, WhatWasCutOffAnFpduIsNull) {
  Event event = write_fpdu();
  event.fpdu.header_octets = 6;
  json fpdu = written(RecordKind::fpdu, event);
  EXPECT_EQ(fpdu["stag"], "0x0000abcd");
  EXPECT_TRUE(fpdu["to"].is_null());
  event.fpdu.header_octets = 0;
  fpdu = written(RecordKind::fpdu, event);
  EXPECT_TRUE(fpdu["opcode"].is_null());
  EXPECT_TRUE(fpdu["tagged"].is_null());
}

TEST(JsonTest, EveryMessageHasEveryKey) {
  const json send = written(RecordKind::message, message(wire::Opcode::send));
  const json write = written(RecordKind::message, message(wire::Opcode::rdma_write));
  ASSERT_EQ(send.size(), write.size());
  for (const auto& [key, value] : send.items()) EXPECT_TRUE(write.contains(key)) << key;
  EXPECT_EQ(send["qn"], 0);
  EXPECT_EQ(send["msn"], 7);
  EXPECT_TRUE(send["stag"].is_null());
  EXPECT_EQ(write["stag"], "0x00000000");
  EXPECT_TRUE(write["msn"].is_null());
  EXPECT_TRUE(send["reason"].is_null());
}

TEST(JsonTest, ReadRequest) {
  Event event = message(wire::Opcode::read_request);
  Bytes octets;
  wire::encode(wire::ReadRequest{0x11, 0x2200, 4096, 0x33, 0x4400}, octets);
  set_rdmap(event, octets);
  const json request = written(RecordKind::message, event);
  EXPECT_EQ(request["sink_stag"], "0x00000011");
  EXPECT_EQ(request["sink_to"], "0x0000000000002200");
  EXPECT_EQ(request["source_stag"], "0x00000033");
  EXPECT_EQ(request["source_to"], "0x0000000000004400");
  EXPECT_EQ(request["read_length"], 4096);
  EXPECT_TRUE(request["aopcode"].is_null());
}

TEST(JsonTest, TerminateInSiwBitOrder) {
  Event event = message(wire::Opcode::terminate);
  set_rdmap(event, {0x10, 0x00, 0x07, 0x00});
  event.message.bit_order = wire::BitOrder::siw;
  const json terminate = written(RecordKind::message, event);
  EXPECT_EQ(terminate["layer"], 0);
  EXPECT_EQ(terminate["etype"], 1);
  EXPECT_EQ(terminate["value"], "0x0100");
  EXPECT_EQ(terminate["raw"], "0x10000700");
  EXPECT_EQ(terminate["bit_order"], "siw");
}

TEST(JsonTest, AtomicsAndImmediates) {
  Event request = message(wire::Opcode::atomic_request);
  wire::AtomicRequest asked;
  asked.operation = 2;
  asked.request_id = 9;
  asked.compare_data = 1;
  Bytes octets;
  wire::encode(asked, octets);
  set_rdmap(request, octets);
  const json atomic = written(RecordKind::message, request);
  EXPECT_EQ(atomic["atomic_operation"], "cmp_swap");
  EXPECT_EQ(atomic["request_identifier"], "0x00000009");
  EXPECT_EQ(atomic["compare_data"], "0x0000000000000001");
  Event immediate = message(wire::Opcode::immediate);
  set_rdmap(immediate, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(written(RecordKind::message, immediate)["immediate_data"], "0x0102030405060708");
}

TEST(JsonTest, Operation) {
  EXPECT_EQ(
      written(RecordKind::operation, read_operation()),
      json::parse(
          R"({"type": "operation", "stream": 3, "message": 2, "response_message": 4, "op": "read", "requester": "initiator",
    "request_frame": 30, "first_response_frame": 30, "response_frame": 31, "time_ns": 5000, "length": 8192,
    "latency_ns": 4000, "first_byte_latency_ns": 1000, "delivered_ns": 1000026000, "outstanding": 2, "status": "complete",
    "request_retransmitted": false})"));
}

TEST(JsonTest, AnOperationWithoutResponseHasNoLatency) {
  Event event = read_operation();
  event.operation.first_response.frame = 0;
  event.operation.response.frame = 0;
  event.operation.status = OperationStatus::unanswered;
  const json operation = written(RecordKind::operation, event);
  EXPECT_TRUE(operation["latency_ns"].is_null());
  EXPECT_TRUE(operation["first_byte_latency_ns"].is_null());
  EXPECT_TRUE(operation["response_frame"].is_null());
}

TEST(JsonTest, Finding) {
  Event event = finding(CheckId::ddp_msngap, 40, Side::b);
  event.finding.arguments = {0, 7, 5, 0};
  event.finding.evidence = {40, 38, 0, 0};
  event.finding.evidence_count = 2;
  EXPECT_EQ(
      written(RecordKind::finding, event),
      json::parse(R"({"type": "finding", "stream": 3, "from": "responder", "frame": 40, "decided_frame": 40,
    "time_ns": 1000040000,
    "id": "DDP-MSNGAP", "severity": "error", "reference": "RFC 5041 §4.3",
    "text": "MSN 7 on queue 0 where 5 is due", "lost_ns": null, "evidence": [40, 38]})"));
}

// What could be told only later is shown by earlier frames; without any evidence its own frame is it.
TEST(JsonTest, EvidenceIsWhatShowsTheFinding) {
  Event event = finding(CheckId::cap_dupframe, 40, Side::b);
  event.finding.evidence_count = 0;
  EXPECT_EQ(written(RecordKind::finding, event)["evidence"], json::parse("[40]"));
  event.finding.evidence[0] = 4;
  event.finding.evidence_count = 1;
  const json record = written(RecordKind::finding, event);
  EXPECT_EQ(record["evidence"], json::parse("[4]"));
  EXPECT_EQ(record["frame"], 4);
  EXPECT_EQ(record["decided_frame"], 40);
}

TEST(JsonTest, AFindingAboutTheCaptureHasNoReference) {
  EXPECT_TRUE(written(RecordKind::finding, finding(CheckId::cap_gap, 40))["reference"].is_null());
}

TEST(JsonTest, Stream) {
  ConnectionState state = connection();
  state.closed = CloseCause::fin;
  state.sides[0].fpdus = 10;
  state.sides[0].messages[3] = 4;
  state.sides[1].messages[3] = 5;
  state.sides[1].messages[13] = 1;
  state.sides[0].gaps = 1;
  state.sides[0].gap_octets = 50;
  state.sides[1].terminates.push_back({80, 0, true, {0, 1, 0}, wire::BitOrder::siw, 0x10000700});
  Record view;
  view.kind = RecordKind::stream;
  view.connection = &state;
  const Bytes request_data = {0x80, 0x10, 0xc0, 0x08, 0xca, 0xfe};
  view.private_data[0] = request_data;
  const json stream = written(view);
  EXPECT_EQ(stream["initiator"], "192.0.2.1:49152");
  EXPECT_EQ(stream["responder"], "192.0.2.2:4420");
  EXPECT_EQ(stream["start"], "handshake");
  EXPECT_EQ(stream["mpa"], json::parse(R"({"rev": 2, "crc": true,
    "markers": {"from_initiator": false, "from_responder": false}, "enhanced": true, "peer_to_peer": false,
    "rtr": null, "rejected": false,
    "ird": {"initiator": {"offered": 16, "effective": 16}, "responder": {"offered": 16383, "effective": null}},
    "ord": {"initiator": {"offered": 8, "effective": 4}, "responder": {"offered": 0, "effective": 0}},
    "limits_source": "mpa", "private_data": {"initiator": "cafe", "responder": ""}})"));
  EXPECT_EQ(stream["fpdus"], json::parse(R"({"initiator": 10, "responder": 0})"));
  EXPECT_EQ(stream["messages"]["send"], 9);
  EXPECT_EQ(stream["messages"]["unknown"], 1);
  EXPECT_EQ(stream["messages"]["rdma_write"], 0);
  EXPECT_EQ(stream["gaps"], json::parse(R"({"count": 1, "octets": 50})"));
  EXPECT_EQ(stream["close"], "fin");
  ASSERT_EQ(stream["terminates"].size(), 1U);
  EXPECT_EQ(stream["terminates"][0]["from"], "responder");
  EXPECT_EQ(stream["terminates"][0]["value"], "0x0100");
  EXPECT_EQ(stream["terminates"][0]["raw"], "0x10000700");
}

TEST(JsonTest, OfAStreamPickedUpMidwayNothingIsGuessed) {
  ConnectionState state = connection();
  state.opened_by = OpenedBy::midstream;
  state.role_basis = RoleBasis::assumed;
  state.mpa = MpaState{};
  state.sides[0].crc = state.sides[1].crc = Mode::unknown;
  state.sides[0].markers = Mode::unknown;
  Record view;
  view.kind = RecordKind::stream;
  view.connection = &state;
  const json stream = written(view);
  EXPECT_EQ(stream["start"], "midstream");
  for (const char* key : {"rev", "crc", "enhanced", "peer_to_peer", "rejected", "limits_source"}) {
    EXPECT_TRUE(stream["mpa"][key].is_null()) << key;
  }
  EXPECT_TRUE(stream["mpa"]["markers"]["from_initiator"].is_null());
  EXPECT_TRUE(stream["mpa"]["private_data"]["initiator"].is_null());
  EXPECT_EQ(stream["close"], "open");
}

TEST(JsonTest, State) {
  ConnectionState state = connection();
  SideState& side = state.sides[0];
  side.queues.edit()[0].next_msn = 8;
  side.queues.edit()[1].known = false;
  side.queues.edit()[0].open.active = true;
  side.queues.edit()[0].open.msn = 7;
  side.queues.edit()[0].open.length = 1400;
  Request read;
  read.placed.frame = 50;
  read.size = 4096;
  read.sink_stag = 0xa;
  read.header_octets = wire::read_request_size;
  side.requests.push_back(read);
  side.qp = {QpValue::rts, QpEvidence::first_fpdu, Confidence::high, 7};
  const json record = written(state_record(state, 60));
  EXPECT_EQ(record["frame"], 60);
  const json& initiator = record["initiator"];
  EXPECT_EQ(initiator["phase"], "fpdu");
  EXPECT_EQ(initiator["qp_state"],
            json::parse(R"({"value": "rts", "evidence": "first_fpdu", "confidence": "high",
    "frame": 7})"));
  EXPECT_EQ(initiator["next_msn"], json::parse(R"({"0": 8, "1": null, "2": 1, "3": 1})"));
  ASSERT_EQ(initiator["open_messages"].size(), 1U);
  EXPECT_EQ(initiator["open_messages"][0]["length"], 1400);
  ASSERT_EQ(initiator["outstanding"].size(), 1U);
  EXPECT_EQ(initiator["outstanding"][0]["sink_stag"], "0x0000000a");
  EXPECT_EQ(initiator["ord"], json::parse(R"({"offered": 8, "effective": 4})"));
  EXPECT_EQ(record["responder"]["outstanding"], json::array());
}

TEST(JsonTest, Summary) {
  Summary summary;
  summary.add_frame(60, 5'000, true);
  summary.add_frame(90, 9'000, true);
  summary.add_frame(10, 0, false);
  const ConnectionState state = connection();
  summary.add(message(wire::Opcode::send), &state);
  summary.add(finding(CheckId::ddp_msngap, 3), &state);
  summary.undecidable[same_id_check(CheckId::mpa_mkbits)][static_cast<std::size_t>(Reason::mode_unknown)] = 1;
  summary.add(event(EventKind::closed, 9), &state);
  ConnectionState other = connection();
  other.iwarp = false;
  Event closed = event(EventKind::closed, 9);
  closed.closed = {};
  summary.add(closed, &other);
  closed.closed.cause = CloseCause::evicted;
  summary.add(closed, &other);
  summary.skipped["not TCP"] = 2;
  const json record = written(summary_record(summary));
  EXPECT_EQ(record["frames"], 3);
  EXPECT_EQ(record["octets"], 160);
  EXPECT_EQ(record["streams"], 1);
  EXPECT_EQ(record["messages"]["send"], 1);
  EXPECT_EQ(record["findings"], json::parse(R"({"error": 1, "warning": 0, "note": 0, "info": 0})"));
  EXPECT_EQ(record["undecidable"], json::parse(R"({"MPA-MKPTR": {"mode_unknown": 1}})"));
  EXPECT_EQ(record["skipped"], json::parse(R"({"not TCP": 2, "TCP streams without iWARP": 2,
    "TCP streams without iWARP, let go before they ended": 1})"));
  EXPECT_EQ(record["elapsed_ns"], 4000);
}

TEST(JsonTest, TheNameOfTheCaptureIsSecondAndEscaped) {
  const Event event = send_fpdu();
  const ConnectionState state = connection();
  Record view = record(RecordKind::fpdu, event, state);
  view.capture = "a \"b\"\\\n\xff\xc3\xa9.pcap";
  TextBuffer out;
  write_json(out, view);
  EXPECT_TRUE(out.view().starts_with(R"({"type":"fpdu","capture":"a \"b\"\\\u000a)"
                                     "\xEF\xBF\xBD\xC3\xA9.pcap\",\"stream\":3,"))
      << out.view();
}

TEST(JsonTest, NumbersAtTheEndsOfTheirRanges) {
  Event event = write_fpdu();
  event.fpdu.placed = {~std::uint64_t{0}, std::numeric_limits<std::int64_t>::min()};
  event.fpdu.ddp.to = ~std::uint64_t{0};
  event.fpdu.ddp.stag = ~0U;
  const json fpdu = written(RecordKind::fpdu, event);
  EXPECT_EQ(fpdu["frame"], ~std::uint64_t{0});
  EXPECT_EQ(fpdu["time_ns"], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fpdu["to"], "0xffffffffffffffff");
  EXPECT_EQ(fpdu["stag"], "0xffffffff");
}

}  // namespace
}  // namespace iwarp
