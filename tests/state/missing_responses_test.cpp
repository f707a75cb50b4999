// Requests and responses where octets are missing, in a hole or before the capture: what is not sure is not
// told as known, and nobody is accused.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

const OperationConclusion& last_operation(const Scene& scene) {
  return scene.operations.back();
}

TEST(ResponseHoles, ResponseLostInTheHole) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100, 0x2000, 0);
  scene.read_request(a, 2, 100, 0x2000, 100);
  scene.gap(b, 200);
  scene.read_response(b, 100, 0x2000, 100);
  EXPECT_EQ(scene.verdict(), "");
  ASSERT_EQ(scene.operations.size(), 4U);
  EXPECT_EQ(scene.operations[2].status, OperationStatus::unknown);
  EXPECT_EQ(scene.operations[3].status, OperationStatus::complete);
  EXPECT_FALSE(scene.side(b).responses_doubt.has_value());
}

TEST(ResponseHoles, MiddleOfAResponseLost) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 3000);
  scene.read_response(b, 1000, 0x2000, 0, false);
  scene.gap(b, 1020);
  scene.read_response(b, 1000, 0x2000, 2000);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(last_operation(scene).status, OperationStatus::incomplete);
  EXPECT_EQ(last_operation(scene).length, 3000U);
  EXPECT_EQ(scene.messages.back().end, MessageEnd::unknown);
}

TEST(ResponseHoles, BeginningOfAResponseLost) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 3000);
  scene.gap(b, 1020);
  scene.read_response(b, 1000, 0x2000, 1000, false);
  scene.read_response(b, 1000, 0x2000, 2000);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(last_operation(scene).status, OperationStatus::incomplete);
}

TEST(ResponseHoles, EndOfOneResponseAndTheNext) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 3000);
  scene.read_request(a, 2, 100, 0x2000, 9000);
  scene.read_response(b, 1000, 0x2000, 0, false);
  scene.gap(b, 2040);
  scene.read_response(b, 100, 0x2000, 9000);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.operations[2].status, OperationStatus::incomplete);
  EXPECT_EQ(scene.operations[3].status, OperationStatus::complete);
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST(ResponseHoles, EqualSinksCannotBeToldApart) {
  Scene scene;
  scene.converse();
  for (std::uint32_t i = 0; i < 3; ++i) scene.read_request(a, 1 + i, 100);
  scene.gap(b, 120);  // one response
  scene.read_response(b, 100);
  scene.read_response(b, 100);
  scene.close(CloseCause::fin);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrlost, Reason::gap), 2U);
  for (std::size_t i = 2; i < scene.operations.size(); ++i) {
    EXPECT_NE(scene.operations[i].status, OperationStatus::unanswered);
  }
}

TEST(RequestHoles, MsnsTellHowManyRequestsWereMissed) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.gap(a, 120);  // requests 2 and 3
  scene.read_request(a, 4, 100);
  EXPECT_EQ(scene.side(a).requests.size(), 4U);
  EXPECT_EQ(scene.side(a).outstanding(), 2U) << "a lower bound: those that were seen";
  for (int i = 0; i < 4; ++i) scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
  EXPECT_EQ(scene.operations.size(), 4U) << "two Sends, two Reads; of the others nothing is known";
  scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRNONE") << "armed again";
}

TEST(RequestHoles, ResponsesBeforeTheNextRequestAreCounted) {
  Scene scene;
  scene.converse();
  scene.gap(a, 120);  // requests 1 and 2
  scene.read_response(b, 100);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrnone, Reason::gap), 1U);
  scene.read_request(a, 3, 100);
  EXPECT_EQ(scene.side(a).requests.size(), 2U);
  scene.read_response(b, 100);
  scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
}

TEST(RequestHoles, BadCrcOnARequest) {
  Scene scene;
  scene.converse();
  Untagged lost{Opcode::read_request, 1, 28};
  lost.header = Scene::read_header(100, 0x2000, 0, 3, 0);
  FpduFact bad = Scene::make(lost);
  FpduFact good = bad;
  bad.crc = CrcStatus::bad;
  bad.crc_computed = 5;
  scene.fpdu(a, bad);
  scene.read_request(a, 2, 100, 0x2000, 100);
  EXPECT_EQ(scene.side(a).outstanding(), 1U) << "what has a bad CRC is not applied";
  good.recovered = true;
  scene.fpdu(a, good);
  EXPECT_EQ(scene.side(a).outstanding(), 2U) << "the better copy takes its place";
  scene.read_response(b, 100, 0x2000, 0);
  scene.read_response(b, 100, 0x2000, 100);
  EXPECT_EQ(scene.verdict(), "MPA-CRC");
  EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
}

TEST(RequestHoles, MidstreamNeverAccuses) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  const LockedFact lock{Mode::off, Mode::on, true, true, 3, false, 0};
  scene.locked(a, lock);
  scene.locked(b, lock);
  scene.read_request(a, 50, 100);
  scene.read_response(b, 100);  // of a request before the capture, to the same sink
  scene.read_response(b, 100);
  scene.read_response(b, 100, 0x7777, 7);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrnone, Reason::midstream), 2U);
}

// A response that does not acknowledge a request is not its response; whether the next one is tells no one
// where both go to one sink.
TEST(RequestHoles, MidstreamResponseBeforeTheRequestCame) {
  for (const bool alike : {false, true}) {
    Scene scene;
    scene.open(OpenedBy::midstream);
    const LockedFact lock{Mode::off, Mode::on, true, true, 3, false, 0};
    scene.locked(a, lock);
    scene.locked(b, lock);
    scene.send(a, 50);
    const StreamOffset before = scene.end[0];
    scene.read_request(a, 51, 100);
    const auto reads = [&] {
      return std::ranges::count(scene.operations, OperationKind::read, &OperationConclusion::kind);
    };
    scene.ack(before);
    scene.read_response(b, 100, alike ? 0x2000 : 0x2001);  // of one before the capture
    EXPECT_EQ(reads(), 0);
    scene.read_response(b, 100);
    EXPECT_EQ(reads(), 1);
    const OperationConclusion& last = scene.operations.back();
    EXPECT_EQ(last.status, alike ? OperationStatus::unknown : OperationStatus::complete);
    EXPECT_EQ(last.response.frame, alike ? 0 : scene.frame);
  }
}

TEST(RequestHoles, MidstreamSettlesAfterSilence) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  const LockedFact lock{Mode::off, Mode::on, true, true, 3, false, 0};
  scene.locked(a, lock);
  scene.locked(b, lock);
  scene.send(a, 50);
  scene.send(b, 50);
  scene.wait(6 * seconds);
  scene.read_request(a, 9, 100);
  scene.read_response(b, 100);
  scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RRNONE");
}

TEST(RequestHoles, CutHeadersMatchByOrder) {
  Scene scene;
  scene.converse();
  Untagged cut{Opcode::read_request, 1, 28};
  FpduFact fact = Scene::make(cut);
  fact.cut = true;
  fact.crc = CrcStatus::undecidable;
  fact.rdmap_octets = 10;
  fact.header_octets = 28;
  scene.gap(a, 18, true, GapCause::snaplen);
  scene.fpdu(a, fact);
  scene.read_response(b, 100, 0x1234, 77);
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrmatch, Reason::snaplen), 1U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrshort, Reason::snaplen), 1U);
  EXPECT_EQ(last_operation(scene).status, OperationStatus::complete);
}

}  // namespace
}  // namespace iwarp::testing
