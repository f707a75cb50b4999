// H9, B1: the QP state machine. The table below was typed from Verbs 1.0 figures 7 to 11 for the test alone:
// every state and every event, also those that are refused or cannot matter.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "replay/rnic/two_rnics.hpp"
#include "rnic/qp_machine.hpp"
#include "support/places.hpp"

namespace iwarp::rnic::test {
namespace {

// i: Immediate Error. -: nothing happens. Else the next state: I R C T E, then what must be done:
// a attributes, b bind, q enqueue, p process, t send Terminate, k keep Terminate, f LLP Close, r LLP Reset,
// u unbind, s flush SQ, w flush RQ (wq), and the event after '!': c cause, d close complete, b bad close,
// s bad close if silent, l connection lost.
const char* const expected[qp_event_count][qp_state_count] = {
    //                     Idle    RTS        Closing     Terminate  Error
    /* modify_idle */ {"Ia", "i", "i", "i", "Ia"},
    /* modify_rts */ {"Rab", "Ra", "i", "i", "i"},
    /* modify_closing */ {"i", "Cfw", "i", "i", "i"},
    /* modify_terminate */ {"i", "Ttfsw", "i", "i", "i"},
    /* modify_error */ {"Esw", "Erusw", "i", "i", "i"},
    /* post_sq */ {"Iq", "Rq", "i", "i", "i"},
    /* post_rq */ {"Iq", "Rq", "Cw", "i", "i"},
    /* sq_wqe */ {"-", "Rp", "-", "-", "-"},
    /* sq_error */ {"-", "Ttfsw", "-", "-", "-"},
    /* rq_error */ {"-", "Ttfsw", "-", "-", "-"},
    /* local_error */ {"-", "Ttfsw!c", "-", "-", "-"},
    /* segment */ {"-", "Rp", "Erusw!b", "-", "-"},
    /* terminate */ {"-", "Tkfsw!c", "Ekrusw!b", "-", "-"},
    /* segment_error */ {"-", "Ttfsw!c", "Erusw!b", "-", "-"},
    /* startup_rejected */ {"-", "Eusw!c", "-", "-", "-"},
    /* llp_error */ {"-", "Ttfsw!c", "Erusw!b", "-", "-"},
    /* llp_reset */ {"-", "Eusw!c", "Eusw!l", "Eusw!s", "-"},
    /* llp_lost */ {"-", "Erusw!c", "Erusw!l", "Erusw!s", "-"},
    /* llp_timeout */ {"-", "-", "Erusw!l", "Erusw!s", "-"},
    /* llp_close_busy */ {"-", "Ttfsw!c", "-", "-", "-"},
    /* llp_close */ {"-", "Cfw", "-", "-", "-"},
    /* llp_close_done */ {"-", "-", "Iu!d", "Eusw", "-"},
    /* closing_with_work */ {"-", "-", "Erusw!b", "-", "-"},
};

std::string told(const QpTransition& to) {
  if ((to.actions & action::refuse) != 0) return "i";
  if ((to.actions & action::ignore) != 0) return "-";
  constexpr char states[] = "IRCTE";
  std::string text(1, states[static_cast<std::size_t>(to.next)]);
  const auto add = [&](QpActions bit, char letter) {
    if ((to.actions & bit) != 0) text += letter;
  };
  add(action::attributes, 'a');
  add(action::bind, 'b');
  add(action::enqueue, 'q');
  add(action::process, 'p');
  add(action::send_terminate, 't');
  add(action::keep_terminate, 'k');
  add(action::close_llp, 'f');
  add(action::reset_llp, 'r');
  add(action::unbind, 'u');
  add(action::flush_sq, 's');
  add(action::flush_rq, 'w');
  constexpr char reports[] = " cdbsl";
  if (to.report != QpReport::none) text += std::string("!") + reports[static_cast<std::size_t>(to.report)];
  return text;
}

TEST(H9_QpMachine, B1_EveryStateEveryEvent) {
  for (unsigned event = 0; event < qp_event_count; ++event) {
    for (unsigned state = 0; state < qp_state_count; ++state) {
      const auto from = static_cast<QpState>(state);
      const auto what = static_cast<QpEvent>(event);
      const QpTransition to = transition(from, what);
      EXPECT_EQ(told(to), expected[event][state]) << name_of(from) << ", " << name_of(what);
      // What refuses or ignores changes nothing.
      if ((to.actions & (action::refuse | action::ignore)) != 0) {
        EXPECT_EQ(to.next, from);
        EXPECT_EQ(to.report, QpReport::none);
      }
    }
  }
}

TEST(H9_QpMachine, B1_TheDocumentIsDrawnFromTheTable) {
  const std::string path = places::source() + "/docs/qp-states.md";
  const std::string wanted =
      "# QP states\n\n"
      "The state machine of a Queue Pair (RDMA Protocol Verbs 1.0 §6.2, figures 7 to 11), drawn from the "
      "table the\n"
      "soft-RNIC runs by (`replay/rnic/qp_machine.cpp`). Pairs of state and event that are not listed do "
      "nothing.\n"
      "`IWARP_UPDATE_GOLDEN=1` and the test `H9_QpMachine` write this file.\n\n" +
      draw_qp_machine();
  if (std::getenv("IWARP_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << wanted;
  std::ifstream file(path);
  std::stringstream found;
  found << file.rdbuf();
  EXPECT_EQ(found.str(), wanted);
}

// --- the same with a living QP -------------------------------------------------------------------------

// A responder in the state wanted, over a bench.
void bring_to(Bench& bench, QpState state) {
  bench.send(write(bench.end.stag, bench.end.to(0)));  // the initiator has spoken
  switch (state) {
    case QpState::rts: break;
    case QpState::closing: ASSERT_EQ(bench.end.move(QpState::closing), Status::ok); break;
    case QpState::terminate: ASSERT_EQ(bench.end.move(QpState::terminate), Status::ok); break;
    case QpState::error: ASSERT_EQ(bench.end.move(QpState::error), Status::ok); break;
    case QpState::idle:
      ASSERT_EQ(bench.end.move(QpState::error), Status::ok);
      ASSERT_EQ(bench.end.move(QpState::idle), Status::ok);
      break;
  }
  ASSERT_EQ(bench.end.state(), state);
  (void)bench.end.events();
}

TEST(H9_QpMachine, B1_VerbsInEveryState) {
  for (unsigned state = 0; state < qp_state_count; ++state) {
    const auto from = static_cast<QpState>(state);
    for (const QpState next : {QpState::idle, QpState::closing, QpState::terminate, QpState::error}) {
      SCOPED_TRACE(std::string(name_of(from)) + " to " + name_of(next));
      Bench bench;
      bring_to(bench, from);
      const auto event = static_cast<QpEvent>(next == QpState::idle        ? QpEvent::modify_idle
                                              : next == QpState::closing   ? QpEvent::modify_closing
                                              : next == QpState::terminate ? QpEvent::modify_terminate
                                                                           : QpEvent::modify_error);
      const bool refused = std::string(expected[static_cast<unsigned>(event)][state]) == "i";
      EXPECT_EQ(bench.end.move(next), refused ? Status::invalid_qp_state : Status::ok);
      EXPECT_EQ(bench.end.state(), refused ? from : next);
    }
    SCOPED_TRACE(name_of(from));
    Bench bench;
    bring_to(bench, from);
    const bool posts = from == QpState::idle || from == QpState::rts;
    EXPECT_EQ(bench.end.rnic.post_send(bench.end.qp, {.id = 1, .operation = Operation::send}).status,
              posts ? Status::ok : Status::invalid_qp_state);
    const bool receives = posts || from == QpState::closing;
    EXPECT_EQ(bench.end.rnic.post_receive(bench.end.qp, {.id = 1, .sgl = {}}).status,
              receives ? Status::ok : Status::invalid_qp_state);
    EXPECT_EQ(bench.end.receives().size(), from == QpState::closing ? 1U : 0U);  // flushed at once
    EXPECT_EQ(bench.end.state(), from);
  }
}

TEST(H9_QpMachine, B1_IdleEnqueuesAndProcessesNothing) {
  End end;
  EXPECT_EQ(end.rnic.post_send(end.qp, {.id = 1, .operation = Operation::send}).status, Status::ok);
  EXPECT_TRUE(end.sends().empty());
  EXPECT_EQ(end.move(QpState::error), Status::ok);
  const auto flushed = end.sends();
  ASSERT_EQ(flushed.size(), 1U);
  EXPECT_EQ(flushed[0].status, CompletionStatus::flushed);
  EXPECT_EQ(end.move(QpState::idle), Status::ok);
}

TEST(H9_QpMachine, B1_ErrorToIdleWaitsForTheFlush) {
  EndOptions options;
  options.rnic.flush_batch = 1;
  End end(options);
  for (std::uint64_t id = 1; id <= 3; ++id) {
    ASSERT_EQ(end.rnic.post_send(end.qp, {.id = id, .operation = Operation::send}).status, Status::ok);
  }
  ASSERT_EQ(end.move(QpState::error), Status::ok);
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = QpState::idle}), Status::still_flushing);
  EXPECT_EQ(end.state(), QpState::error);
  while (end.rnic.next_timeout() != never) end.rnic.handle_timeout(1);
  EXPECT_EQ(end.sends().size(), 3U);
  EXPECT_EQ(end.move(QpState::idle), Status::ok);
}

TEST(H9_QpMachine, B1_RtsToErrorResetsWithoutTerminate) {
  Bench bench;
  bring_to(bench, QpState::error);
  EXPECT_TRUE(bench.output().empty());
  EXPECT_TRUE(bench.reset);
  EXPECT_FALSE(bench.closed);
}

TEST(H9_QpMachine, B1_ReceivedTerminateIsNotAnswered) {
  Bench bench;
  bench.send(terminate(0x0000));
  EXPECT_EQ(bench.end.state(), QpState::terminate);
  EXPECT_EQ(bench.terminate_code(), 0);
  EXPECT_TRUE(bench.closed);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::terminate_received});
  bench.end.rnic.handle_close(bench.end.stream, StreamClose::graceful, 1);
  EXPECT_EQ(bench.end.state(), QpState::error);
  EXPECT_TRUE(bench.end.events().empty());
}

TEST(H9_QpMachine, B1_LlpEventsInRts) {
  {
    Bench bench;
    bench.end.rnic.handle_close(bench.end.stream, StreamClose::reset, 1);
    EXPECT_EQ(bench.end.state(), QpState::error);
    EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::llp_connection_reset});
    EXPECT_TRUE(bench.output().empty());
    EXPECT_FALSE(bench.reset);
  }
  {
    Bench bench;
    bench.end.rnic.handle_close(bench.end.stream, StreamClose::lost, 1);
    EXPECT_EQ(bench.end.state(), QpState::error);
    EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::llp_connection_lost});
    EXPECT_TRUE(bench.output().empty());
    EXPECT_TRUE(bench.reset);
  }
}

TEST(H9_QpMachine, B1_PeersCloseWithNothingOpen) {
  Bench bench;
  bring_to(bench, QpState::rts);
  bench.end.rnic.handle_close(bench.end.stream, StreamClose::graceful, 1);
  EXPECT_EQ(bench.end.state(), QpState::closing);
  EXPECT_TRUE(bench.output().empty());
  EXPECT_TRUE(bench.closed);
  EXPECT_EQ(bench.end.state(), QpState::idle);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::llp_close_complete});
}

TEST(H9_QpMachine, B1_PeersCloseInsideAMessage) {
  Bench bench;
  ASSERT_EQ(bench.end.rnic.post_receive(bench.end.qp, {.id = 1, .sgl = {bench.end.at(0, 100)}}).status,
            Status::ok);
  bench.send(send(1, pattern(10), {.last = false}));
  bench.end.rnic.handle_close(bench.end.stream, StreamClose::graceful, 1);
  EXPECT_EQ(bench.terminate_code() & 0xffff, 0x0207);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::bad_llp_close});
  const auto received = bench.end.receives();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].status, CompletionStatus::flushed);
}

TEST(H9_QpMachine, B1_ClosingWithWorkIsABadClose) {
  Bench bench;
  bring_to(bench, QpState::rts);
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, {.id = 1, .operation = Operation::send}).status,
            Status::ok);
  EXPECT_EQ(bench.end.move(QpState::closing), Status::ok);
  EXPECT_EQ(bench.end.state(), QpState::error);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::bad_close});
  EXPECT_TRUE(bench.output().empty());
  EXPECT_TRUE(bench.reset);
  const auto flushed = bench.end.sends();
  ASSERT_EQ(flushed.size(), 1U);
  EXPECT_EQ(flushed[0].status, CompletionStatus::flushed);
}

// Work that is left may be the peer's, too: a Read or Atomic in the IRRQ until its answer was handed out
// whole (figure 11, §6.6.2.1).
TEST(H9_QpMachine, B1_ClosingWithAnInboundRequestIsABadClose) {
  for (const bool atomic : {false, true}) {
    for (const bool begun : {false, true}) {
      if (atomic && begun) continue;  // its answer is one segment
      SCOPED_TRACE(std::string(atomic ? "Atomic" : "Read") + (begun ? ", partly answered" : ""));
      Bench bench;
      bring_to(bench, QpState::rts);
      ASSERT_EQ(bench.end.rnic.post_receive(bench.end.qp, {.id = 1, .sgl = {bench.end.at(0, 4)}}).status,
                Status::ok);
      const std::uint32_t stag = bench.end.stag;
      bench.send(atomic
                     ? fetch_add(1, {.id = 1, .stag = stag, .to = bench.end.to(0), .data = 1})
                     : read_request(1, {.size = 30000, .source_stag = stag, .source_to = bench.end.to(0)}));
      if (begun) {
        EXPECT_EQ(bench.end.rnic.poll_output(bench.end.stream, 0).kind, OutputKind::octets);
      }
      EXPECT_EQ(bench.end.move(QpState::closing), Status::ok);
      EXPECT_EQ(bench.end.state(), QpState::error);
      EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::bad_close});
      EXPECT_TRUE(bench.output().empty());
      EXPECT_TRUE(bench.reset);
      EXPECT_FALSE(bench.closed);
      EXPECT_EQ(part(bench.end.memory, 0, 8), zeros(8));
      const auto flushed = bench.end.receives();
      ASSERT_EQ(flushed.size(), 1U);
      EXPECT_EQ(flushed[0].status, CompletionStatus::flushed);
    }
  }
}

TEST(H9_QpMachine, B1_ClosingBehindAnAnsweredReadIsClean) {
  Bench bench;
  bring_to(bench, QpState::rts);
  bench.send(read_request(1, {.size = 30000, .source_stag = bench.end.stag, .source_to = bench.end.to(0)}));
  EXPECT_FALSE(bench.output().empty());
  EXPECT_EQ(bench.end.move(QpState::closing), Status::ok);
  EXPECT_EQ(bench.end.state(), QpState::closing);
  EXPECT_TRUE(bench.output().empty());
  EXPECT_TRUE(bench.closed);
  bench.end.rnic.handle_close(bench.end.stream, StreamClose::graceful, 1);
  EXPECT_EQ(bench.end.state(), QpState::idle);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::llp_close_complete});
}

TEST(H9_QpMachine, B1_SegmentInClosingResets) {
  for (const bool terminates : {false, true}) {
    Bench bench;
    bring_to(bench, QpState::closing);
    EXPECT_TRUE(bench.output().empty());
    EXPECT_TRUE(bench.closed);
    bench.send(terminates ? terminate(0x1100) : write(bench.end.stag, bench.end.to(0), pattern(4)));
    EXPECT_EQ(bench.end.state(), QpState::error);
    EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::bad_close});
    EXPECT_EQ(part(bench.end.memory, 0, 4), zeros(4));
    EXPECT_TRUE(bench.output().empty());
    EXPECT_TRUE(bench.reset);
    EXPECT_EQ(bench.end.rnic.query_qp(bench.end.qp).value.terminate.has_value(), terminates);
  }
}

TEST(H9_QpMachine, B1_CloseIsBoundedInTime) {
  for (const QpState state : {QpState::closing, QpState::terminate}) {
    Bench bench;
    bring_to(bench, state);
    (void)bench.output();
    const TimeNs due = bench.end.rnic.next_timeout();
    ASSERT_NE(due, never);
    bench.end.rnic.handle_timeout(due - 1);
    EXPECT_EQ(bench.end.state(), state);
    bench.end.rnic.handle_timeout(due);
    EXPECT_EQ(bench.end.state(), QpState::error);
    // Terminate was entered by Modify QP, so nothing has told yet (§6.2.3).
    EXPECT_EQ(bench.end.events(), std::vector{state == QpState::closing ? AsyncEventKind::llp_connection_lost
                                                                        : AsyncEventKind::bad_close});
    EXPECT_TRUE(bench.output().empty());
    EXPECT_TRUE(bench.reset);
  }
}

// A Verb tells no time, and the last one told may be long ago.
TEST(H9_QpMachine, B1_CloseAfterASilenceIsGivenItsTime) {
  for (const QpState state : {QpState::closing, QpState::terminate}) {
    Bench bench;
    bring_to(bench, state);
    const TimeNs late = bench.end.rnic.next_timeout() + 1'000'000'000;
    bench.end.rnic.handle_timeout(late);
    EXPECT_EQ(bench.end.state(), state);
    EXPECT_EQ(bench.output().empty(), state == QpState::closing);
    EXPECT_TRUE(bench.closed);
    EXPECT_FALSE(bench.reset);
    EXPECT_GT(bench.end.rnic.next_timeout(), late);
  }
}

TEST(H9_QpMachine, B1_TheQpServesASecondConnection) {
  End a;
  End b;
  for (int round = 0; round < 2; ++round) {
    Wire wire(a, b);
    connect(a, b, wire);
    ASSERT_EQ(b.rnic.post_receive(b.qp, {.id = 1, .sgl = {b.at(0, 10)}}).status, Status::ok);
    ASSERT_EQ(a.rnic.post_send(a.qp, {.id = 2, .sgl = {a.at(0, 10)}}).status, Status::ok);
    wire.run();
    EXPECT_EQ(a.sends().size(), 1U);
    EXPECT_EQ(b.receives().size(), 1U);
    ASSERT_EQ(a.move(QpState::closing), Status::ok);
    wire.run();
    EXPECT_EQ(a.state(), QpState::idle);
    EXPECT_EQ(b.state(), QpState::idle);
    EXPECT_EQ(a.rnic.destroy_stream(a.stream), Status::ok);
    EXPECT_EQ(b.rnic.destroy_stream(b.stream), Status::ok);
  }
}

}  // namespace
}  // namespace iwarp::rnic::test
