// H9, B1 with a living QP: each event is brought about in each state, as far as the world outside the RNIC
// can bring it about, and state, Terminate, FIN, RST, flush and asynchronous event are as Verbs 1.0 figures 7
// to 11 have it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

enum class Said : std::uint8_t {
  nothing,
  terminate,  // a Terminate, then FIN
  fin,
  reset
};

struct Row {
  const char* name;
  QpState from;
  // Brings the event about; the verb's status, where it is a verb.
  Status (*act)(Bench&);
  QpState next;
  Status status = Status::ok;
  Said said = Said::nothing;
  std::vector<AsyncEventKind> events = {};
  bool work = false;              // a Send waits in the SQ, and a WQE is in the RQ: they are flushed
  bool keeps = false;             // … no: the WQE in the RQ stays where it is
  unsigned receives_flushed = 0;  // where there is no work
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

using Q = QpState;
using E = AsyncEventKind;
constexpr Status refused = Status::invalid_qp_state;

template <QpState next>
Status modify(Bench& b) {
  return b.end.move(next);
}
// … while a Read of the peer is there, of whose response so many segments went out.
template <unsigned answered>
Status modify_to_closing_with_read(Bench& b) {
  b.send(read_request(1, {.size = 3000, .source_stag = b.end.stag, .source_to = b.end.to(0)}));
  for (unsigned count = 0; count < answered; ++count) {
    EXPECT_EQ(b.end.rnic.poll_output(b.end.stream, 0).kind, OutputKind::octets);
  }
  return b.end.move(Q::closing);
}
Status post_sq(Bench& b) {
  return b.end.rnic.post_send(b.end.qp, {.id = 9, .sgl = {b.end.at(0, 4)}}).status;
}
Status post_rq(Bench& b) {
  return b.end.rnic.post_receive(b.end.qp, {.id = 9, .sgl = {b.end.at(0, 4)}}).status;
}
Status segment(Bench& b) {
  b.send(write(b.end.stag, b.end.to(100), pattern(4)));
  return Status::ok;
}
Status bad_segment(Bench& b) {
  b.send(write(0xbad00001, 0, pattern(4)));
  return Status::ok;
}
Status terminate_arrives(Bench& b) {
  b.send(terminate(0x0100));
  return Status::ok;
}
Status crc_error(Bench& b) {
  b.input(b.peer().add(write(b.end.stag, b.end.to(100), pattern(4)), {.crc = Crc::wrong}));
  return Status::ok;
}
template <StreamClose how>
Status close(Bench& b) {
  b.end.rnic.handle_close(b.end.stream, how, 1);
  return Status::ok;
}
Status timeout(Bench& b) {
  b.end.rnic.handle_timeout(TimeNs{1} << 62U);
  return Status::ok;
}
// A Send from memory that is not there, and it is its turn.
Status sq_error(Bench& b) {
  const Status status = b.end.rnic.post_send(b.end.qp, {.id = 9, .sgl = {Sge{0xdeadbe00, 4, 0}}}).status;
  return status;
}
// The peer's Send for a buffer that is not there.
Status rq_error(Bench& b) {
  const Status status = b.end.rnic.post_receive(b.end.qp, {.id = 9, .sgl = {Sge{0xdeadbe00, 4, 0}}}).status;
  b.send(send(1, pattern(4)));
  return status;
}
// The receive CQ has no room for the completion.
Status local_error(Bench& b) {
  EXPECT_EQ(b.end.rnic.modify_cq(b.end.receive_cq, 0), Status::ok);
  const Status status = b.end.rnic.post_receive(b.end.qp, {.id = 9, .sgl = {b.end.at(0, 4)}}).status;
  b.send(send(1, pattern(4)));
  return status;
}

const Row rows[] = {
    {"Idle_ModifyToIdle", Q::idle, modify<Q::idle>, Q::idle},
    {"Idle_ModifyToClosing", Q::idle, modify<Q::closing>, Q::idle, refused},
    {"Idle_ModifyToTerminate", Q::idle, modify<Q::terminate>, Q::idle, refused},
    {"Idle_ModifyToError", Q::idle, modify<Q::error>, Q::error, Status::ok, Said::nothing, {}, true},
    {"Idle_PostSq", Q::idle, post_sq, Q::idle},
    {"Idle_PostRq", Q::idle, post_rq, Q::idle},
    {"Idle_SqWqeThatWouldFail", Q::idle, sq_error, Q::idle},
    {"Idle_RqWqeThatWouldFail", Q::idle, rq_error, Q::idle},
    {"Idle_CqWithoutRoom", Q::idle, local_error, Q::idle},
    {"Idle_SegmentOfTheLastStream", Q::idle, segment, Q::idle},
    {"Idle_BadSegment", Q::idle, bad_segment, Q::idle},
    {"Idle_Terminate", Q::idle, terminate_arrives, Q::idle},
    {"Idle_MpaError", Q::idle, crc_error, Q::idle},
    {"Idle_LlpReset", Q::idle, close<StreamClose::reset>, Q::idle},
    {"Idle_LlpLost", Q::idle, close<StreamClose::lost>, Q::idle},
    {"Idle_LlpClose", Q::idle, close<StreamClose::graceful>, Q::idle},
    {"Idle_Timeout", Q::idle, timeout, Q::idle},

    {"Rts_ModifyToIdle", Q::rts, modify<Q::idle>, Q::rts, refused},
    {"Rts_ModifyToRts", Q::rts, modify<Q::rts>, Q::rts},
    {"Rts_ModifyToClosing",
     Q::rts,
     modify<Q::closing>,
     Q::closing,
     Status::ok,
     Said::fin,
     {},
     false,
     false,
     1},
    {"Rts_ModifyToClosingWithWork",
     Q::rts,
     modify<Q::closing>,
     Q::error,
     Status::ok,
     Said::reset,
     {E::bad_close},
     true},
    {"Rts_ModifyToClosingWithAnInboundRead",
     Q::rts,
     modify_to_closing_with_read<0>,
     Q::error,
     Status::ok,
     Said::reset,
     {E::bad_close},
     false,
     false,
     1},
    {"Rts_ModifyToClosingWithAnInboundReadPartlyAnswered",
     Q::rts,
     modify_to_closing_with_read<1>,
     Q::error,
     Status::ok,
     Said::reset,
     {E::bad_close},
     false,
     false,
     1},
    {"Rts_ModifyToClosingBehindAnInboundRead",
     Q::rts,
     modify_to_closing_with_read<3>,
     Q::closing,
     Status::ok,
     Said::fin,
     {},
     false,
     false,
     1},
    {"Rts_ModifyToTerminate",
     Q::rts,
     modify<Q::terminate>,
     Q::terminate,
     Status::ok,
     Said::terminate,
     {},
     true},
    {"Rts_ModifyToError", Q::rts, modify<Q::error>, Q::error, Status::ok, Said::reset, {}, true},
    {"Rts_PostRq", Q::rts, post_rq, Q::rts},
    {"Rts_Segment", Q::rts, segment, Q::rts},
    {"Rts_RqWqeFails", Q::rts, rq_error, Q::terminate, Status::ok, Said::terminate, {}, false, false, 0},
    {"Rts_LocalError",
     Q::rts,
     local_error,
     Q::terminate,
     Status::ok,
     Said::terminate,
     {E::cq_overflow, E::cq_rq_error}},
    {"Rts_Terminate",
     Q::rts,
     terminate_arrives,
     Q::terminate,
     Status::ok,
     Said::fin,
     {E::terminate_received},
     true},
    {"Rts_BadSegment",
     Q::rts,
     bad_segment,
     Q::terminate,
     Status::ok,
     Said::terminate,
     {E::tagged_stag},
     true},
    {"Rts_MpaError", Q::rts, crc_error, Q::terminate, Status::ok, Said::terminate, {E::llp_crc}, true},
    {"Rts_LlpReset",
     Q::rts,
     close<StreamClose::reset>,
     Q::error,
     Status::ok,
     Said::nothing,
     {E::llp_connection_reset},
     true},
    {"Rts_LlpLost",
     Q::rts,
     close<StreamClose::lost>,
     Q::error,
     Status::ok,
     Said::reset,
     {E::llp_connection_lost},
     true},
    {"Rts_Timeout", Q::rts, timeout, Q::rts},
    {"Rts_LlpCloseWithWork",
     Q::rts,
     close<StreamClose::graceful>,
     Q::terminate,
     Status::ok,
     Said::terminate,
     {E::bad_llp_close},
     true},
    {"Rts_LlpClose",
     Q::rts,
     close<StreamClose::graceful>,
     Q::closing,
     Status::ok,
     Said::fin,
     {E::llp_close_complete},
     false,
     false,
     1},

    {"Closing_ModifyToIdle", Q::closing, modify<Q::idle>, Q::closing, refused},
    {"Closing_ModifyToRts", Q::closing, modify<Q::rts>, Q::closing, refused},
    {"Closing_ModifyToClosing", Q::closing, modify<Q::closing>, Q::closing, refused},
    {"Closing_ModifyToTerminate", Q::closing, modify<Q::terminate>, Q::closing, refused},
    {"Closing_ModifyToError", Q::closing, modify<Q::error>, Q::closing, refused},
    {"Closing_PostSq", Q::closing, post_sq, Q::closing, refused},
    {"Closing_PostRq", Q::closing, post_rq, Q::closing, Status::ok, Said::nothing, {}, false, false, 1},
    {"Closing_Segment", Q::closing, segment, Q::error, Status::ok, Said::reset, {E::bad_close}},
    {"Closing_BadSegment", Q::closing, bad_segment, Q::error, Status::ok, Said::reset, {E::bad_close}},
    {"Closing_Terminate", Q::closing, terminate_arrives, Q::error, Status::ok, Said::reset, {E::bad_close}},
    {"Closing_MpaError", Q::closing, crc_error, Q::error, Status::ok, Said::reset, {E::bad_close}},
    {"Closing_LlpReset",
     Q::closing,
     close<StreamClose::reset>,
     Q::error,
     Status::ok,
     Said::nothing,
     {E::llp_connection_lost}},
    {"Closing_LlpLost",
     Q::closing,
     close<StreamClose::lost>,
     Q::error,
     Status::ok,
     Said::reset,
     {E::llp_connection_lost}},
    {"Closing_Timeout", Q::closing, timeout, Q::error, Status::ok, Said::reset, {E::llp_connection_lost}},
    {"Closing_LlpCloseDone",
     Q::closing,
     close<StreamClose::graceful>,
     Q::idle,
     Status::ok,
     Said::nothing,
     {E::llp_close_complete}},

    {"Terminate_ModifyToIdle", Q::terminate, modify<Q::idle>, Q::terminate, refused},
    {"Terminate_ModifyToRts", Q::terminate, modify<Q::rts>, Q::terminate, refused},
    {"Terminate_ModifyToClosing", Q::terminate, modify<Q::closing>, Q::terminate, refused},
    {"Terminate_ModifyToTerminate", Q::terminate, modify<Q::terminate>, Q::terminate, refused},
    {"Terminate_ModifyToError", Q::terminate, modify<Q::error>, Q::terminate, refused},
    {"Terminate_PostSq", Q::terminate, post_sq, Q::terminate, refused},
    {"Terminate_PostRq", Q::terminate, post_rq, Q::terminate, refused},
    {"Terminate_Segment", Q::terminate, segment, Q::terminate},
    {"Terminate_BadSegment", Q::terminate, bad_segment, Q::terminate},
    {"Terminate_Terminate", Q::terminate, terminate_arrives, Q::terminate},
    {"Terminate_MpaError", Q::terminate, crc_error, Q::terminate},
    {"Terminate_LlpReset",
     Q::terminate,
     close<StreamClose::reset>,
     Q::error,
     Status::ok,
     Said::nothing,
     {E::bad_close}},
    {"Terminate_LlpLost",
     Q::terminate,
     close<StreamClose::lost>,
     Q::error,
     Status::ok,
     Said::reset,
     {E::bad_close}},
    {"Terminate_Timeout", Q::terminate, timeout, Q::error, Status::ok, Said::reset, {E::bad_close}},
    {"Terminate_LlpCloseDone", Q::terminate, close<StreamClose::graceful>, Q::error},

    {"Error_ModifyToIdle", Q::error, modify<Q::idle>, Q::idle},
    {"Error_ModifyToRts", Q::error, modify<Q::rts>, Q::error, refused},
    {"Error_ModifyToClosing", Q::error, modify<Q::closing>, Q::error, refused},
    {"Error_ModifyToTerminate", Q::error, modify<Q::terminate>, Q::error, refused},
    {"Error_ModifyToError", Q::error, modify<Q::error>, Q::error, refused},
    {"Error_PostSq", Q::error, post_sq, Q::error, refused},
    {"Error_PostRq", Q::error, post_rq, Q::error, refused},
    {"Error_Segment", Q::error, segment, Q::error},
    {"Error_BadSegment", Q::error, bad_segment, Q::error},
    {"Error_Terminate", Q::error, terminate_arrives, Q::error},
    {"Error_MpaError", Q::error, crc_error, Q::error},
    {"Error_LlpReset", Q::error, close<StreamClose::reset>, Q::error},
    {"Error_LlpLost", Q::error, close<StreamClose::lost>, Q::error},
    {"Error_LlpClose", Q::error, close<StreamClose::graceful>, Q::error},
    {"Error_Timeout", Q::error, timeout, Q::error},
};

// Into the state, with nothing left to be said, told or completed.
void bring_to(Bench& bench, QpState state) {
  bench.send(write(bench.end.stag, bench.end.to(0)));  // the initiator has spoken
  if (state == Q::closing || state == Q::terminate) {
    ASSERT_EQ(bench.end.move(state), Status::ok);
  } else if (state != Q::rts) {
    ASSERT_EQ(bench.end.move(Q::error), Status::ok);
    if (state == Q::idle) {
      ASSERT_EQ(bench.end.move(Q::idle), Status::ok);
    }
  }
  (void)bench.output();
  bench.closed = bench.reset = false;
  ASSERT_EQ(bench.end.state(), state);
  ASSERT_TRUE(bench.end.events().empty());
}

class B1_LivingQp : public ::testing::TestWithParam<Row> {};

TEST_P(B1_LivingQp, DoesWhatTheFigureSays) {
  const Row& row = GetParam();
  Bench bench;
  bring_to(bench, row.from);
  if (HasFatalFailure()) return;
  End& end = bench.end;
  const bool one_receive = !row.work && row.receives_flushed != 0 && row.from == Q::rts;
  if (row.work || one_receive) {
    ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = 7, .sgl = {end.at(0, 4)}}).status, Status::ok);
  }
  if (row.work) {
    ASSERT_EQ(end.rnic.post_send(end.qp, {.id = 8, .sgl = {end.at(0, 4)}}).status, Status::ok);
  }
  const Bytes before = end.memory;
  EXPECT_EQ(name_of(row.act(bench)), name_of(row.status));
  EXPECT_EQ(std::string(name_of(end.state())), name_of(row.next));
  const auto said = bench.terminate_code();
  EXPECT_EQ(said != 0, row.said == Said::terminate);
  EXPECT_EQ(bench.closed, row.said == Said::terminate || row.said == Said::fin);
  EXPECT_EQ(bench.reset, row.said == Said::reset);
  EXPECT_EQ(end.events(), row.events);
  const auto sends = end.sends();
  ASSERT_EQ(sends.size(), row.work ? 1U : 0U);
  if (row.work) {
    EXPECT_EQ(sends[0].status, CompletionStatus::flushed);
    EXPECT_EQ(sends[0].id, 8U);
  }
  const auto receives = end.receives();
  const bool failed = row.act == rq_error && row.from == Q::rts;
  ASSERT_EQ(receives.size(), row.work || failed ? 1U : row.receives_flushed);
  if (!receives.empty()) {
    EXPECT_EQ(receives[0].status, failed ? CompletionStatus::invalid_stag : CompletionStatus::flushed);
  }
  // Only RTS takes segments.
  const bool places = row.from == Q::rts && (row.act == segment || row.act == local_error);
  EXPECT_EQ(end.memory == before, !places);
  // A QP in Idle has no LLP Stream (Verbs 1.0 §9.2.5.2).
  const auto query = end.rnic.query_qp(end.qp).value;
  if (row.from != Q::idle) {
    EXPECT_EQ(query.stream == StreamId::none, query.state == Q::idle);
  }
  const bool terminated = row.next == Q::terminate || (row.next == Q::error && row.from == Q::terminate) ||
                          (row.from == Q::closing && row.act == terminate_arrives);
  EXPECT_EQ(query.terminate.has_value(), terminated);
}

INSTANTIATE_TEST_SUITE_P(H9, B1_LivingQp, ::testing::ValuesIn(rows),
                         [](const auto& test) { return std::string(test.param.name); });

// What needs an RTS that lives on, or output, to be seen.
TEST(B1_LivingQp_Rts, SqWqeIsProcessed) {
  Bench bench;
  bring_to(bench, Q::rts);
  ASSERT_EQ(post_sq(bench), Status::ok);
  EXPECT_EQ(bench.output().size(), 1U);
  EXPECT_EQ(bench.end.state(), Q::rts);
  EXPECT_EQ(bench.end.sends().size(), 1U);
}

TEST(B1_LivingQp_Rts, SqWqeFails) {
  Bench bench;
  bring_to(bench, Q::rts);
  ASSERT_EQ(post_rq(bench), Status::ok);
  ASSERT_EQ(sq_error(bench), Status::ok);
  EXPECT_EQ(bench.terminate_code(), 0x10000);  // 0000
  EXPECT_EQ(bench.end.state(), Q::terminate);
  EXPECT_TRUE(bench.closed);
  EXPECT_TRUE(bench.end.events().empty());  // the completion tells
  EXPECT_EQ(bench.end.sends().at(0).status, CompletionStatus::invalid_stag);
  EXPECT_EQ(bench.end.receives().at(0).status, CompletionStatus::flushed);
}

// Idle to RTS takes an LLP Stream that is established.
TEST(B1_LivingQp_Idle, ModifyToRts) {
  End end(rev1(Role::responder));
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = Q::rts}), Status::invalid_llp_stream);
  EXPECT_EQ(end.state(), Q::idle);
  end.open();
  EXPECT_EQ(end.ready(), Status::ok);
  EXPECT_EQ(end.state(), Q::rts);
  EXPECT_EQ(end.rnic.query_qp(end.qp).value.stream, end.stream);
}

// Unsignaled Work Requests that are done hold their places until a completion behind them is reaped - or
// until the QP begins anew.
TEST(B1_LivingQp_Idle, UnsignaledWorkHoldsNoPlaces) {
  EndOptions options;
  options.qp.max_send_wrs = 2;
  Bench bench(Role::responder, options);
  bring_to(bench, Q::rts);
  End& end = bench.end;
  const WorkRequest quiet{.id = 1, .signaled = false};
  ASSERT_EQ(end.rnic.post_send(end.qp, std::vector{quiet, quiet}).posted, 2U);
  EXPECT_EQ(bench.output().size(), 2U);
  EXPECT_EQ(end.rnic.post_send(end.qp, quiet).status, Status::too_many_posted);
  ASSERT_EQ(end.move(Q::closing), Status::ok);
  (void)bench.output();
  end.rnic.handle_close(end.stream, StreamClose::graceful, 1);
  ASSERT_EQ(end.state(), Q::idle);
  EXPECT_EQ(end.rnic.post_send(end.qp, std::vector{quiet, quiet}).posted, 2U);
}

}  // namespace
}  // namespace iwarp::rnic::test
