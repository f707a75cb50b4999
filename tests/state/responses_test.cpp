// Requests and responses: matched by order, whatever STag and TO say (RFC 5040 §5.5, RFC 7306 §7).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

const OperationConclusion& last_operation(const Scene& scene) {
  return scene.operations.back();
}

TEST(Responses, ReadWithLatencies) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 3000);
  const FrameNumber asked = scene.frame;
  scene.wait(5 * milliseconds);
  scene.read_response(b, 1000, 0x2000, 0, false);
  scene.read_response(b, 1000, 0x2000, 1000, false);
  EXPECT_EQ(scene.side(a).outstanding(), 1U);
  EXPECT_EQ(scene.side(a).requests.front().received, 2000U);
  scene.read_response(b, 1000, 0x2000, 2000);
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  const OperationConclusion& read = last_operation(scene);
  EXPECT_EQ(read.kind, OperationKind::read);
  EXPECT_EQ(read.status, OperationStatus::complete);
  EXPECT_EQ(read.request.frame, asked);
  EXPECT_EQ(read.first_response.frame, asked + 1);
  EXPECT_EQ(read.response.frame, asked + 3);
  EXPECT_EQ(read.first_response.time_ns - read.request.time_ns, 6 * milliseconds);
  EXPECT_EQ(read.response.time_ns - read.request.time_ns, 8 * milliseconds);
  EXPECT_EQ(read.length, 3000U);
  EXPECT_EQ(read.outstanding, 1U);
}

TEST(Responses, ZeroLengthRead) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 0, 7, 7, 0);
  scene.read_response(b, 0, 0, 0);
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
}

TEST(Responses, WithoutRequest) {
  Scene scene;
  scene.converse();
  scene.read_response(b, 100, 8, 9);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrnone).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Opcode::read_response), 8, 9}));
  EXPECT_EQ(scene.only(CheckId::rdmap_rrnone).side, b);
}

TEST(Responses, OtherSink) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100, 0x2000, 0);
  scene.read_response(b, 100, 0x2000, 8);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrmatch).arguments, (std::vector<std::uint64_t>{0x2000, 8, 0x2000, 0}));
  EXPECT_EQ(scene.side(a).outstanding(), 0U) << "it was its turn";
}

TEST(Responses, SwappedReadsAreOneFinding) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100, 0x2000, 0);
  const FrameNumber first = scene.frame;
  scene.read_request(a, 2, 100, 0x2000, 100);
  scene.read_response(b, 100, 0x2000, 100);
  scene.read_response(b, 100, 0x2000, 0);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
  EXPECT_EQ(scene.only(CheckId::rdmap_rrorder).arguments[1], first);
  EXPECT_EQ(last_operation(scene).request.frame, first);
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST(Responses, LastOfThreeAnsweredFirst) {
  Scene scene;
  scene.converse();
  for (std::uint32_t i = 0; i < 3; ++i) scene.read_request(a, 1 + i, 100, 0x2000, i * 100);
  scene.read_response(b, 50, 0x2000, 200, false);
  scene.read_response(b, 50, 0x2000, 250);
  scene.read_response(b, 100, 0x2000, 0);
  scene.read_response(b, 100, 0x2000, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST(Responses, TooLongIsToldWhereItPassesTheSize) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 16);
  scene.read_request(a, 2, 16, 0x2000, 100);
  scene.read_response(b, 16, 0x2000, 0, false);
  EXPECT_EQ(scene.verdict(), "");
  scene.read_response(b, 8, 0x2000, 16, false);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrlong).arguments, (std::vector<std::uint64_t>{24, 16}));
  scene.read_response(b, 8, 0x2000, 24);
  scene.read_response(b, 16, 0x2000, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRLONG") << "back in step at L";
}

TEST(Responses, TooShort) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 16);
  scene.read_request(a, 2, 16, 0x2000, 100);
  scene.read_response(b, 8);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrshort).arguments, (std::vector<std::uint64_t>{8, 16}));
  EXPECT_EQ(last_operation(scene).status, OperationStatus::incomplete);
  scene.read_response(b, 16, 0x2000, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRSHORT");
}

TEST(Responses, NextResponseBeginsWithoutLast) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 200, 0x2000, 0);
  scene.read_request(a, 2, 100, 0x2000, 5000);
  scene.read_response(b, 100, 0x2000, 0, false);
  scene.read_response(b, 100, 0x2000, 5000);
  EXPECT_EQ(scene.verdict(), "DDP-TOSEQ");
  ASSERT_EQ(scene.operations.size(), 4U);
  EXPECT_EQ(scene.operations[2].status, OperationStatus::incomplete);
  EXPECT_EQ(scene.operations[3].status, OperationStatus::complete);
}

// All octets that were asked for came: what lacks is the L, of the segment before.
TEST(Responses, WholeOneWithoutLast) {
  for (const bool atomic_next : {false, true}) {
    Scene scene;
    scene.converse();
    scene.read_request(a, 1, 200, 0x2000, 0);
    if (atomic_next) {
      scene.atomic_request(a, 2, 7);
    } else {
      scene.read_request(a, 2, 100, 0x2000, 200);  // where the first one's octets end
    }
    scene.read_response(b, 100, 0x2000, 0, false);
    scene.read_response(b, 100, 0x2000, 100, false);
    const FrameNumber culprit = scene.frame;
    if (atomic_next) {
      scene.atomic_response(b, 1, 7);
    } else {
      scene.read_response(b, 100, 0x2000, 200);
    }
    EXPECT_EQ(scene.verdict(), "DDP-LMISS");
    EXPECT_EQ(scene.only(CheckId::ddp_lmiss).frame, culprit);
    EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
  }
}

// L came too early: the segments that go on are the same response's.
TEST(Responses, LastTooEarly) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 300, 0x2000, 0);
  scene.read_request(a, 2, 100, 0x2001, 0);
  scene.read_response(b, 100, 0x2000, 0);
  const FrameNumber culprit = scene.frame;
  scene.read_response(b, 100, 0x2000, 100, false);
  scene.read_response(b, 100, 0x2000, 200);
  scene.read_response(b, 100, 0x2001, 0);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRSHORT");
  EXPECT_EQ(scene.only(CheckId::rdmap_rrshort).frame, culprit);
  EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
}

// … not those of another start-up on the same connection.
TEST(Responses, LastTooEarlyIsForgottenByAStartup) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 300, 0x2000, 0);
  scene.read_response(b, 100, 0x2000, 0);
  scene.request();
  scene.reply();
  scene.send(a, 1);
  scene.read_response(b, 100, 0x2000, 100);
  EXPECT_EQ(scene.count(CheckId::rdmap_rrnone), 1U);
}

// … but more than is asked for is no part of it.
TEST(Responses, LastTooEarlyAndTooMuchBehind) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 300, 0x2000, 0);
  scene.read_response(b, 100, 0x2000, 0);
  scene.read_response(b, 201, 0x2000, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRSHORT RDMAP-RRNONE");
}

// A segment whose opcode is none may be anything of its kind: nobody else is accused for it.
TEST(Responses, OpcodeThatIsNone) {
  constexpr std::uint8_t unassigned = 13;
  for (const bool last : {false, true}) {
    Scene scene;
    scene.converse();
    for (std::uint32_t msn = 1; msn <= 3; ++msn) scene.read_request(a, msn, 200, 0x2000 + msn);
    if (last) scene.read_response(b, 100, 0x2001, 0, false);
    FpduFact fact = Scene::make(Tagged{wire::Opcode::read_response, 0x2001, last ? 100U : 0U, 100, last});
    fact.ddp.rdmap_control = static_cast<std::uint8_t>(0x40U | unassigned);
    scene.fpdu(b, fact);
    if (!last) scene.read_response(b, 100, 0x2001, 100);
    scene.read_response(b, 200, 0x2002);
    scene.read_response(b, 200, 0x2003);
    scene.part();
    EXPECT_EQ(scene.verdict(), "RDMAP-OP") << last;
    EXPECT_EQ(scene.operations.back().status, OperationStatus::complete) << last;
  }
}

TEST(Responses, AtomicsAnsweredOnAnotherQueue) {
  Scene scene;
  scene.converse();
  for (std::uint32_t msn = 1; msn <= 3; ++msn) scene.atomic_request(a, msn, 70 + msn, 8 * msn);
  FpduFact fact = Scene::make(Untagged{wire::Opcode::atomic_response, 1, 12});
  fact.ddp.queue = wire::queue_send;
  fact.ddp.msn = 9;  // due on neither
  scene.fpdu(b, fact);
  scene.atomic_response(b, 1, 72);
  scene.atomic_response(b, 2, 73);
  EXPECT_EQ(scene.count(CheckId::rdmap_rrorder) + scene.count(CheckId::rdmap_atreqid), 0U);
  EXPECT_EQ(scene.count(CheckId::ddp_qn), 1U);
}

// A segment of a Write with the opcode of a Read Response: the others of that Write are right.
TEST(Responses, OpcodeOfAWritesSegment) {
  for (const std::uint64_t wrong : {0U, 100U, 200U}) {
    Scene scene;
    scene.converse();
    FrameNumber culprit = 0;
    for (const std::uint64_t to : {0U, 100U, 200U}) {
      const auto opcode = to == wrong ? wire::Opcode::read_response : wire::Opcode::rdma_write;
      scene.tagged(a, {opcode, 0x1000, to, 100, to == 200});
      if (to == wrong) culprit = scene.frame;
    }
    scene.part();
    EXPECT_EQ(scene.verdict(), "RDMAP-RRNONE") << wrong;
    EXPECT_EQ(scene.only(CheckId::rdmap_rrnone).frame, culprit) << wrong;
  }
}

// An Atomic Response with the MSN of the one before: its identifier tells that it is the next one.
TEST(Responses, AtomicResponseWithAnEarlierMsn) {
  Scene scene;
  scene.converse();
  for (std::uint32_t msn = 1; msn <= 3; ++msn) scene.atomic_request(a, msn, 70 + msn, 8 * msn);
  scene.atomic_response(b, 1, 71);
  scene.atomic_response(b, 1, 72);
  scene.atomic_response(b, 3, 73);
  EXPECT_EQ(scene.verdict(), "DDP-MSNDUP");
  EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
}

// A request that broke a rule may be answered all the same: nobody else's answer is.
TEST(Responses, AtomicThatBrokeARuleIsAnswered) {
  Scene scene;
  scene.converse();
  scene.atomic_request(a, 1, 71, 8);
  scene.atomic_request(a, 2, 72, 16, 9);  // an operation that is none
  scene.atomic_request(a, 3, 73, 24);
  for (std::uint32_t msn = 1; msn <= 3; ++msn) scene.atomic_response(b, msn, 70 + msn);
  EXPECT_EQ(scene.count(CheckId::rdmap_rrorder) + scene.count(CheckId::rdmap_atreqid), 0U);
  EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
}

TEST(Responses, ReadsAndAtomicsShareOneOrder) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100, 0x2000, 0);
  scene.atomic_request(a, 2, 0xa1);
  scene.read_request(a, 3, 100, 0x2000, 100);
  scene.read_response(b, 100, 0x2000, 0);
  scene.atomic_response(b, 1, 0xa1);
  scene.read_response(b, 100, 0x2000, 100);
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.side(a).max_outstanding, 3U);
}

TEST(Responses, AtomicAnsweredBeforeAnEarlierRead) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.atomic_request(a, 2, 0xa1);
  scene.atomic_response(b, 1, 0xa1);
  scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
}

TEST(Responses, ReadAnsweredBeforeAnEarlierAtomic) {
  Scene scene;
  scene.converse();
  scene.atomic_request(a, 1, 0xa1);
  scene.read_request(a, 2, 100);
  scene.read_response(b, 100);
  scene.atomic_response(b, 1, 0xa1);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
}

TEST(Responses, IdentifierOfAnotherAtomic) {
  Scene scene;
  scene.converse();
  scene.atomic_request(a, 1, 0xa1);
  scene.atomic_request(a, 2, 0xa2);
  scene.atomic_response(b, 1, 0xa2);
  scene.atomic_response(b, 2, 0xa1);
  EXPECT_EQ(scene.verdict(), "RDMAP-ATREQID");
  EXPECT_EQ(scene.only(CheckId::rdmap_atreqid).arguments, (std::vector<std::uint64_t>{0xa2, 0xa1}));
  scene.atomic_request(a, 3, 0xa3);
  scene.atomic_response(b, 3, 0xff);
  EXPECT_EQ(scene.count(CheckId::rdmap_atreqid), 2U);
}

TEST(Responses, AtomicResponseWithoutAtomic) {
  Scene scene;
  scene.converse();
  scene.atomic_response(b, 1, 5);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRNONE");
  scene.read_request(a, 1, 100);
  scene.atomic_response(b, 2, 5);
  EXPECT_EQ(scene.count(CheckId::rdmap_atnone), 2U);
}

TEST(Responses, AtomicResponsesFirstMsnIsOne) {
  Scene scene;
  scene.converse();
  scene.atomic_request(a, 1, 0xa1);
  scene.atomic_response(b, 0, 0xa1);
  EXPECT_EQ(scene.verdict(), "DDP-MSN1");
}

TEST(Responses, RetransmittedRequestIsFlagged) {
  Scene scene;
  scene.converse();
  const StreamOffset begin = scene.end[0];
  scene.read_request(a, 1, 100);
  scene.retransmitted(a, begin, scene.end[0] - begin);
  scene.read_response(b, 100);
  EXPECT_TRUE(last_operation(scene).request_retransmitted);
  scene.read_request(a, 2, 100);
  scene.read_response(b, 100);
  EXPECT_FALSE(last_operation(scene).request_retransmitted);
}

// --- depth ---------------------------------------------------------------------------------------------

Scene& with_limits(Scene& scene, std::uint16_t ird, std::uint16_t ord) {
  scene.open();
  scene.negotiate({false, false, false, false, 16, ord}, {false, false, false, false, ird, 16});
  scene.send(a, 1);
  return scene;
}

TEST(Depth, OverOrdOncePerExcursion) {
  Scene scene;
  with_limits(scene, 8, 4);
  for (std::uint32_t i = 0; i < 4; ++i) scene.read_request(a, 1 + i, 100);
  EXPECT_EQ(scene.verdict(), "");
  scene.read_request(a, 5, 100);
  scene.read_request(a, 6, 100);
  EXPECT_EQ(scene.only(CheckId::rdmap_ord).arguments, (std::vector<std::uint64_t>{5, 4}));
  EXPECT_EQ(scene.only(CheckId::rdmap_ord).side, a);
  EXPECT_EQ(scene.side(a).max_outstanding, 6U);
  scene.read_response(b, 100);
  scene.read_response(b, 100);
  scene.read_request(a, 7, 100);
  EXPECT_EQ(scene.count(CheckId::rdmap_ord), 2U);
}

TEST(Depth, OverIrdAndTheOrdItCaps) {
  Scene scene;
  with_limits(scene, 2, 8);
  for (std::uint32_t i = 0; i < 3; ++i) scene.read_request(a, 1 + i, 100);
  EXPECT_EQ(scene.count(CheckId::rdmap_ird), 1U);
  EXPECT_EQ(scene.count(CheckId::rdmap_ord), 1U);
}

TEST(Depth, ResponderHasItsOwn) {
  Scene scene;
  scene.open();
  scene.negotiate({false, false, false, false, 1, 16}, {false, false, false, false, 16, 1});
  scene.send(a, 1);
  scene.read_request(b, 1, 100);
  EXPECT_EQ(scene.verdict(), "");
  scene.read_request(b, 2, 100);
  EXPECT_EQ(scene.only(CheckId::rdmap_ord).side, b);
}

TEST(Depth, NotNegotiated) {
  Scene scene;
  with_limits(scene, 0x3fff, 0x3fff);
  for (std::uint32_t i = 0; i < 20; ++i) scene.read_request(a, 1 + i, 100);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_ord, Reason::not_negotiated), 20U);
  EXPECT_EQ(scene.side(a).max_outstanding, 20U);
}

TEST(Depth, UndecidableWhereResponsesWereMissed) {
  Scene scene;
  with_limits(scene, 2, 2);
  scene.read_request(a, 1, 100);
  scene.read_request(a, 2, 100);
  scene.gap(b, 500);
  scene.read_request(a, 3, 100);
  EXPECT_EQ(scene.count(CheckId::rdmap_ord), 0U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_ord, Reason::gap), 1U);
  EXPECT_EQ(scene.side(a).outstanding(), 2U) << "the oldest was answered in the hole";
  EXPECT_EQ(last_operation(scene).status, OperationStatus::unknown);
}

TEST(Depth, CapIsReportedOnce) {
  Scene scene;
  scene.converse();
  for (std::uint32_t i = 0; i < (1U << 16) + 3; ++i) {
    scene.log.clear();
    scene.read_request(a, 1 + i, 100, 0x2000, i * 100);
  }
  EXPECT_EQ(scene.count(CheckId::cap_limit), 1U);
  EXPECT_EQ(scene.side(a).outstanding(), 1U << 16);
  EXPECT_TRUE(scene.side(a).requests_doubt.has_value());
}

}  // namespace
}  // namespace iwarp::testing
