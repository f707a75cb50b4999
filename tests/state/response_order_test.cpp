// A responder that repeats, leaves out or delays a whole response, or sends one that nobody asked for: one
// finding, where it did so, and the other responses are paired as if nothing had happened (RFC 5040 §5.5
// (20), RFC 7306 §5.4 (8)).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

constexpr std::uint32_t reads = 8;

std::uint32_t sink_of(std::uint32_t read) {
  return 0x100 + read;
}

// Eight Reads open at once, each of another length, or all of one, into a sink of its own.
class ResponseOrder : public ::testing::TestWithParam<bool> {
 protected:
  ResponseOrder() {
    scene.converse();
    for (std::uint32_t read = 1; read <= reads; ++read) {
      scene.read_request(a, read, length_of(read), sink_of(read), 0x1000 * read);
      asked_[read] = scene.frame;
    }
  }

  [[nodiscard]] std::uint32_t length_of(std::uint32_t read) const { return GetParam() ? 64 : 16 * read; }
  void answer(std::uint32_t read) {
    scene.read_response(b, length_of(read), sink_of(read), 0x1000 * read);
    answered_[read] = scene.frame;
  }
  void answer_from(std::uint32_t first) {
    for (std::uint32_t read = first; read <= reads; ++read) answer(read);
  }
  // All but these are complete, with their own response; of those nothing is claimed, or the same.
  void expect_paired(std::uint32_t but = 0) {
    std::map<FrameNumber, const OperationConclusion*> found;
    for (const OperationConclusion& each : scene.operations) found[each.request.frame] = &each;
    for (std::uint32_t read = 1; read <= reads; ++read) {
      const auto known = found.find(asked_[read]);
      if (read == but && (known == found.end() || known->second->status != OperationStatus::complete))
        continue;
      ASSERT_NE(known, found.end()) << read;
      EXPECT_EQ(known->second->status, OperationStatus::complete) << read;
      EXPECT_EQ(known->second->response.frame, answered_[read]) << read;
      EXPECT_EQ(known->second->length, length_of(read)) << read;
    }
  }

  static constexpr Side a = Side::a;
  static constexpr Side b = Side::b;
  Scene scene;
  std::map<std::uint32_t, FrameNumber> asked_, answered_;
};

TEST_P(ResponseOrder, Repeated) {
  answer(1);
  answer(2);
  scene.read_response(b, length_of(2), sink_of(2), 0x2000);
  const FrameNumber culprit = scene.frame;
  answer_from(3);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrmatch).frame, culprit);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRMATCH");
  expect_paired(3);
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST_P(ResponseOrder, RepeatedTwice) {
  answer(1);
  for (int i = 0; i < 2; ++i) scene.read_response(b, length_of(1), sink_of(1), 0x1000);
  answer_from(2);
  EXPECT_EQ(scene.count(CheckId::rdmap_rrmatch), 2U);
  EXPECT_EQ(scene.findings.size(), 2U);
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST_P(ResponseOrder, NobodyAskedForIt) {
  answer(1);
  scene.read_response(b, 24, 0x999, 0);
  const FrameNumber culprit = scene.frame;
  answer_from(2);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrmatch).frame, culprit);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRMATCH");
  expect_paired(2);
}

TEST_P(ResponseOrder, ToAnotherSink) {
  answer(1);
  scene.read_response(b, length_of(2), 0x999, 0);
  const FrameNumber culprit = scene.frame;
  answer_from(3);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrmatch).frame, culprit);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRMATCH");
  expect_paired(2);
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST_P(ResponseOrder, LeftOut) {
  answer(1);
  answer_from(3);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrorder).frame, answered_[3]);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
  expect_paired(2);
  EXPECT_EQ(scene.side(a).outstanding(), 1U);
  EXPECT_EQ(scene.side(a).requests.front().placed.frame, asked_[2]);
}

TEST_P(ResponseOrder, LeftOutTwice) {
  answer(1);
  for (const std::uint32_t read : {3U, 4U, 6U, 7U, 8U}) answer(read);
  EXPECT_EQ(scene.count(CheckId::rdmap_rrorder), 2U);
  EXPECT_EQ(scene.findings.size(), 2U);
  EXPECT_EQ(scene.side(a).outstanding(), 2U);
}

TEST_P(ResponseOrder, Late) {
  answer(1);
  for (const std::uint32_t read : {3U, 4U, 5U, 6U, 2U, 7U, 8U}) answer(read);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrorder).frame, answered_[3]);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
  expect_paired();
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

// Those overtaken at once have their order, too.
TEST_P(ResponseOrder, NewestFirst) {
  for (std::uint32_t read = reads; read > 0; --read) answer(read);
  EXPECT_EQ(scene.count(CheckId::rdmap_rrorder), reads - 1);
  expect_paired();
}

INSTANTIATE_TEST_SUITE_P(Lengths, ResponseOrder, ::testing::Values(false, true),
                         [](const auto& of) { return of.param ? "OfOneLength" : "OfTheirOwn"; });

TEST(AtomicResponseOrder, LeftOut) {
  Scene scene;
  scene.converse();
  for (std::uint32_t msn = 1; msn <= 6; ++msn) scene.atomic_request(Side::a, msn, 70 + msn, 8 * msn);
  scene.atomic_response(Side::b, 1, 71);
  for (std::uint32_t msn = 2; msn <= 5; ++msn) scene.atomic_response(Side::b, msn, 71 + msn);
  EXPECT_EQ(scene.verdict(), "RDMAP-ATREQID");
  EXPECT_EQ(scene.count(CheckId::rdmap_atreqid), 1U);
  EXPECT_EQ(scene.side(Side::a).outstanding(), 1U);
}

TEST(AtomicResponseOrder, Late) {
  Scene scene;
  scene.converse();
  for (std::uint32_t msn = 1; msn <= 4; ++msn) scene.atomic_request(Side::a, msn, 70 + msn, 8 * msn);
  std::uint32_t msn = 0;
  for (const std::uint32_t identifier : {71U, 73U, 74U, 72U})
    scene.atomic_response(Side::b, ++msn, identifier);
  EXPECT_EQ(scene.count(CheckId::rdmap_atreqid), 1U);
  EXPECT_EQ(scene.findings.size(), 1U);
  EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
}

// The repeated one has an MSN of its own, as a responder that sends it twice counts.
TEST(AtomicResponseOrder, Repeated) {
  Scene scene;
  scene.converse();
  for (std::uint32_t msn = 1; msn <= 6; ++msn) scene.atomic_request(Side::a, msn, 70 + msn, 8 * msn);
  std::uint32_t msn = 0;
  FrameNumber culprit = 0;
  for (const std::uint32_t identifier : {71U, 72U, 71U, 73U, 74U, 75U, 76U}) {
    scene.atomic_response(Side::b, ++msn, identifier);
    if (msn == 3) culprit = scene.frame;
  }
  EXPECT_EQ(scene.only(CheckId::rdmap_atreqid).frame, culprit);
  EXPECT_EQ(scene.findings.size(), 1U);
  EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
}

// A Read Response that is repeated when one Read is open: that one's own response passes, too.
TEST(ReadResponseOrder, RepeatedBeforeTheLast) {
  Scene scene;
  scene.converse();
  for (std::uint32_t read = 1; read <= 2; ++read)
    scene.read_request(Side::a, read, 64, sink_of(read), 0x1000);
  scene.read_response(Side::b, 64, sink_of(1), 0x1000);
  scene.read_response(Side::b, 64, sink_of(1), 0x1000);
  scene.read_response(Side::b, 64, sink_of(2), 0x1000);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRMATCH");
}

// Sinks are used in turn. What repeats a response into a sink that a later Read uses again may be an early
// response to that as well: its own one passes, and nothing about the pair is claimed.
TEST(ReadResponseOrder, RepeatedIntoASinkUsedAgain) {
  Scene scene;
  scene.converse();
  scene.read_request(Side::a, 1, 64, 0x101, 0x1000);
  scene.read_request(Side::a, 2, 64, 0x102, 0x1000);
  scene.read_response(Side::b, 64, 0x101, 0x1000);
  scene.read_request(Side::a, 3, 64, 0x101, 0x1000);
  scene.read_response(Side::b, 64, 0x101, 0x1000);
  const FrameNumber culprit = scene.frame;
  scene.read_response(Side::b, 64, 0x102, 0x1000);
  scene.read_response(Side::b, 64, 0x101, 0x1000);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrorder).frame, culprit);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRORDER");
  std::size_t claimed = 0;
  for (const OperationConclusion& each : scene.operations) {
    if (each.response.frame == 0) continue;
    EXPECT_NE(each.response.frame, culprit);
    ++claimed;
  }
  EXPECT_EQ(claimed, 2U);
  EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
}

// As long as the Read that is due, and not as the later one whose sink it names.
TEST(ReadResponseOrder, IntoTheSinkOfALaterOne) {
  Scene scene;
  scene.converse();
  for (std::uint32_t read = 1; read <= 3; ++read)
    scene.read_request(Side::a, read, 16 * read, sink_of(read), 0x1000);
  scene.read_response(Side::b, 16, sink_of(1), 0x1000);
  scene.read_response(Side::b, 32, sink_of(3), 0x1000);
  const FrameNumber culprit = scene.frame;
  scene.read_response(Side::b, 48, sink_of(3), 0x1000);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrmatch).frame, culprit);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRMATCH");
  EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
}

// Atomics behind a Read that is due.
class AtomicBehindARead : public ::testing::Test {
 protected:
  AtomicBehindARead() {
    scene.converse();
    scene.atomic_request(Side::a, 1, 71, 8);
    scene.read_request(Side::a, 2, 64, 0x102, 0x1000);
    scene.atomic_request(Side::a, 3, 73, 8);
    scene.atomic_response(Side::b, 1, 71);
  }
  void expect_only(CheckId check, const char* verdict, FrameNumber culprit) {
    scene.read_response(Side::b, 64, 0x102, 0x1000);
    scene.atomic_response(Side::b, 3, 73);
    EXPECT_EQ(scene.only(check).frame, culprit);
    EXPECT_EQ(scene.verdict(), verdict);
    EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
  }
  Scene scene;
};

TEST_F(AtomicBehindARead, RepeatedBeforeIt) {
  scene.atomic_response(Side::b, 2, 71);
  expect_only(CheckId::rdmap_atnone, "RDMAP-RRNONE", scene.frame);
}

TEST_F(AtomicBehindARead, NobodyAskedForIt) {
  scene.atomic_response(Side::b, 2, 999);
  expect_only(CheckId::rdmap_atnone, "RDMAP-RRNONE", scene.frame);
}

// Two rules, one fault: it comes before a Read Response and before an older Atomic's.
TEST(AtomicResponseOrder, BeforeAReadAndAnOlderAtomic) {
  Scene scene;
  scene.converse();
  scene.read_request(Side::a, 1, 64, 0x101, 0x1000);
  scene.atomic_request(Side::a, 2, 72, 8);
  scene.atomic_request(Side::a, 3, 73, 16);
  scene.atomic_response(Side::b, 1, 73);
  const FrameNumber culprit = scene.frame;
  scene.read_response(Side::b, 64, 0x101, 0x1000);
  scene.atomic_response(Side::b, 2, 72);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrorder).frame, culprit);
  EXPECT_EQ(scene.findings.size(), 1U);
  EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
}

// A Read Response that fits none of the Reads, where an Atomic is due: nobody asked for it.
TEST(AtomicResponseOrder, ReadResponseRepeatedBeforeAnAtomic) {
  Scene scene;
  scene.converse();
  scene.read_request(Side::a, 1, 64, 0x101, 0x1000);
  scene.atomic_request(Side::a, 2, 71, 8);
  scene.read_request(Side::a, 3, 64, 0x103, 0x3000);
  scene.read_response(Side::b, 64, 0x101, 0x1000);
  scene.read_response(Side::b, 64, 0x101, 0x1000);
  const FrameNumber culprit = scene.frame;
  scene.atomic_response(Side::b, 1, 71);
  scene.read_response(Side::b, 64, 0x103, 0x3000);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrnone).frame, culprit);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRNONE");
  EXPECT_EQ(scene.side(Side::a).outstanding(), 0U);
}

}  // namespace
}  // namespace iwarp::testing
