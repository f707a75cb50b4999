// Responses whose requests the capture does not show, or shows too late: faults that a review of the running
// program found. Healthy traffic throughout, so no finding may be above a note.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/analysed.hpp"

namespace iwarp::test {
namespace {

class Pairing : public testing::Test {
 protected:
  void begin() {
    c.handshake();
    c.startup();
    c.fpdu(Side::a, send(1));
    c.fpdu(Side::b, send(1));
  }
  Packets ask(std::uint32_t msn, std::uint32_t stag, std::uint32_t size) {
    return c.fpdu(Side::a, request(msn, stag, size));
  }
  static Bytes request(std::uint32_t msn, std::uint32_t stag, std::uint32_t size) {
    return read_request(msn, {.sink_stag = stag, .size = size, .source_stag = 0x77});
  }
  void expect_no_fault() {
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
  }

  Conversation c;
};

TEST_F(Pairing, C10_RequestsFromBeforeTheCaptureBehindABareAcknowledgement) {
  c.unseen([&] {
    begin();
    for (std::uint32_t msn = 1; msn <= 3; ++msn) ask(msn, msn, 8);
  });
  c.ack(Side::a);
  for (std::uint32_t stag = 1; stag <= 3; ++stag) c.fpdu(Side::b, read_response(stag, 0, pattern(8)));
  c.ack(Side::a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-RRNONE", Reason::midstream), 3U);
}

TEST_F(Pairing, C4_AHoleFromInsideOneRequestOverTheNext) {
  begin();
  const Bytes requests = cat({c.frame(Side::a, request(1, 1, 8)), c.frame(Side::a, request(2, 2, 8))});
  const Packets pieces = c.send(Side::a, requests, {44});
  c.drop(pieces[1]);
  for (std::uint32_t stag = 1; stag <= 2; ++stag) c.fpdu(Side::b, read_response(stag, 0, pattern(8)));
  c.ack(Side::a);
  c.close();
  expect_no_fault();
}

TEST_F(Pairing, C4_AHoleFromInsideOneResponseOverTheNext) {
  begin();
  ask(1, 1, 40);
  ask(2, 2, 40);
  const Bytes responses = cat({c.frame(Side::b, read_response(1, 0, pattern(40))),
                               c.frame(Side::b, read_response(2, 0, pattern(40)))});
  const Packets pieces = c.send(Side::b, responses, {44});
  c.drop(pieces[1]);
  c.ack(Side::a);
  c.close();
  expect_no_fault();
}

TEST_F(Pairing, C4_AHoleWithTheEndOfAWriteBeforeAnEmptyOne) {
  begin();
  const auto segments = write_segments(0x10, 0, pattern(200), 100);
  c.fpdu(Side::a, segments[0]);
  c.drop(c.fpdu(Side::a, segments[1]));
  c.fpdu(Side::a, write_segments(0x20, 0, {}, 100).at(0));
  c.ack(Side::b);
  c.close();
  expect_no_fault();
}

TEST_F(Pairing, C4_AHoleWithTheEndOfAResponseBeforeOneThatSeemsToGoOn) {
  begin();
  ask(1, 5, 200);
  c.fpdu(Side::a, read_request(2, {.sink_stag = 5, .sink_to = 100, .size = 150, .source_stag = 0x77}));
  const auto first = read_response_segments(5, 0, pattern(200), 100);
  c.fpdu(Side::b, first[0]);
  c.drop(c.fpdu(Side::b, first[1]));
  c.fpdu(Side::b, read_response(5, 100, pattern(150)));
  c.ack(Side::a);
  c.close();
  expect_no_fault();
}

TEST_F(Pairing, C4_ASingleLostOctetInsideARequestIsNoFin) {
  begin();
  const Bytes octets = c.frame(Side::a, request(1, 1, 8));
  const Packets pieces = c.send(Side::a, octets, {octets.size() - 1});
  c.drop(pieces[1]);
  c.fpdu(Side::b, read_response(1, 0, pattern(8)));
  for (int i = 0; i < 20; ++i) c.ack(Side::b);  // longer than anything waits for a FIN
  for (std::uint32_t msn = 2; msn <= 4; ++msn) {
    ask(msn, msn, 8);
    c.fpdu(Side::b, read_response(msn, 0, pattern(8)));
  }
  c.close();
  expect_no_fault();
}

// The lost octets were acknowledged by a segment that itself waits for the other direction.
TEST_F(Pairing, C22_AHoleBehindASwapOfTheDirections) {
  begin();
  c.drop(c.fpdu(Side::b, read_request(1, {.sink_stag = 9, .size = 8, .source_stag = 0x77})));
  const Packets answer = c.fpdu(Side::a, read_response(9, 0, pattern(8)));
  const Packets next = c.fpdu(Side::b, send(2, pattern(300)));
  c.move_before(next, answer);
  for (std::uint32_t msn = 2; msn < 20; ++msn) {
    c.fpdu(Side::a, send(msn));
    c.fpdu(Side::b, send(msn + 1));
  }
  c.close();
  expect_no_fault();
}

TEST_F(Pairing, C4_ALostRequestAmongOthersForTheSameSink) {
  begin();
  ask(1, 5, 3000);
  c.drop(ask(2, 5, 3000));
  for (std::uint32_t msn = 3; msn <= 5; ++msn) ask(msn, 5, 3000);
  for (int i = 0; i < 5; ++i) {
    std::vector<Packets> sent;
    for (const Bytes& each : read_response_segments(5, 0, pattern(3000), 1000))
      sent.push_back(c.fpdu(Side::b, each));
    if (i == 1) c.drop(sent[1]);
    c.ack(Side::a);
  }
  c.close();
  expect_no_fault();
}

// Two directions, of which b's is captured behind all that a had sent until then.
class LatePairing : public testing::Test {
 protected:
  LatePairing() {
    const Packets opening = c.handshake();
    const Packets startup = c.startup({.word = depth}, {.word = depth});
    syn_ack = opening[1];
    for (const Packets early : {opening[2], startup[0], c.fpdu(Side::a, send(1))}) come_early(early);
    c.fpdu(Side::b, send(1));
  }
  void come_early(Packets packets) { c.move_before(packets, syn_ack); }
  static Bytes ask(std::uint32_t msn) { return fetch_add(msn, {.id = msn, .stag = 7}); }
  static Bytes answer(std::uint32_t msn) { return atomic_response(msn, msn, 5); }
  void expect_no_fault() {
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
  }

  static constexpr Depths depth = {.ird = 1, .ord = 1};
  Conversation c;
  Packets syn_ack;
};

TEST_F(LatePairing, C22_ResponseToALostRequestOfASideThatIsNotCapturedYet) {
  c.drop(c.fpdu(Side::b, ask(1)));
  come_early(c.fpdu(Side::a, answer(1)));
  for (std::uint32_t msn = 2; msn <= 4; ++msn) {
    c.fpdu(Side::b, ask(msn));
    c.fpdu(Side::a, answer(msn));
  }
  c.close();
  expect_no_fault();
}

// The last that it had acknowledged before is not the most: segments swapped places on their way.
TEST_F(LatePairing, C22_ResponseBeforeAnOlderAcknowledgement) {
  const StreamOffset before = c.sent(Side::b);
  c.fpdu(Side::b, ask(1));
  come_early(c.fpdu(Side::a, answer(1)));
  come_early(c.ack(Side::a, before));
  for (std::uint32_t msn = 2; msn <= 4; ++msn) {
    c.fpdu(Side::b, ask(msn));
    c.fpdu(Side::a, answer(msn));
  }
  c.close();
  expect_no_fault();
}

// Depth 1: the second request tells that the first one was answered, but not that the response is lost. It
// waits, cut by the snapshot length, for framing to be found behind the hole.
TEST_F(Pairing, C4_ResponsesThatWaitBehindALostFirstFpdu) {
  const Depths depth = {.ird = 1, .ord = 1};
  c.handshake();
  c.startup({.crc = false, .word = depth}, {.crc = false, .word = depth});
  c.fpdu(Side::a, send(1));
  c.drop(c.fpdu(Side::b, send(1)));
  for (std::uint32_t msn = 1; msn <= 6; ++msn) {
    c.cut(c.fpdu(Side::a, fetch_add(msn, {.id = msn, .stag = 7})), 24);
    c.cut(c.fpdu(Side::b, atomic_response(msn, msn, 5)), 33);
  }
  c.close();
  expect_no_fault();
}

// Of the only request no identifier was captured: still it is an Atomic's, and no Read Response answers it.
TEST_F(Pairing, C4_AReadResponseBehindAHoleWhereAnAtomicIsOutstanding) {
  begin();
  c.cut(c.fpdu(Side::a, fetch_add(1, {.id = 1, .stag = 7})), 24);
  c.drop(c.fpdu(Side::b, send(2)));
  c.fpdu(Side::b, read_response(9, 0, pattern(8)));
  c.fpdu(Side::b, atomic_response(1, 1, 5));
  c.ack(Side::a);
  c.close();
  expect_no_fault();
}

// A request behind a hole is reported when that is given up, seconds later: nobody was silent for so long.
TEST_F(Pairing, C10_ARequestThatWaitsForAHoleIsNoneBehindASilence) {
  c.unseen([&] {
    begin();
    c.fpdu(Side::a, fetch_add(1, {.id = 1, .stag = 7}));
  });
  c.fpdu(Side::a, send(2));
  c.fpdu(Side::b, send(2));
  c.drop(c.fpdu(Side::a, send(3)));
  const StreamOffset received = c.sent(Side::a);
  ask(2, 2, 8);
  const Packets response = c.fpdu(Side::b, atomic_response(1, 1, 5));
  c.packet(response).meta.acknowledgement -= static_cast<std::uint32_t>(c.sent(Side::a) - received);
  c.wait(17'000'000'000);
  c.ack(Side::a);
  c.fpdu(Side::b, read_response(2, 0, pattern(8)));
  c.ack(Side::a);
  expect_no_fault();
}

// What stands behind the hole lies in the sinks of two requests: it may end the second one's response.
TEST_F(Pairing, C4_AHoleBetweenResponsesForOverlappingSinks) {
  begin();
  const auto ask_for = [this](std::uint32_t msn, std::uint64_t to) {
    c.fpdu(Side::a, read_request(msn, {.sink_stag = 5, .sink_to = to, .size = 3000, .source_stag = 0x77}));
  };
  ask_for(1, 0);
  ask_for(2, 100);
  const auto first = read_response_segments(5, 0, pattern(3000), 1000);
  const auto second = read_response_segments(5, 100, pattern(3000), 1000);
  c.fpdu(Side::b, first[0]);
  for (const Bytes& lost : {first[1], first[2], second[0]}) c.drop(c.fpdu(Side::b, lost));
  c.fpdu(Side::b, second[1]);
  c.fpdu(Side::b, second[2]);
  c.ack(Side::a);
  c.close();
  expect_no_fault();
}

}  // namespace
}  // namespace iwarp::test
