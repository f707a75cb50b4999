// Untagged messages: MSN, MO and L, with and without holes (RFC 5041 §4.3, §5).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

const MessageConclusion& last_message(const Scene& scene) {
  return scene.messages.back();
}

TEST(UntaggedMessages, HealthyTrafficBreaksNothing) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 2, 1000, false, 1000);
  scene.send(a, 2, 500, true, 2000);
  scene.send(a, 3, 0);
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.side(a).messages[static_cast<std::size_t>(Opcode::send)], 3U);
  EXPECT_EQ(scene.side(a).payload_octets, 2510U);
  EXPECT_EQ(scene.side(a).rq_consumed, 3U);
  ASSERT_EQ(scene.messages.size(), 4U);
  EXPECT_EQ(scene.messages[2].length, 2500U);
  EXPECT_EQ(scene.messages[2].segments, 3U);
  EXPECT_EQ(scene.messages[2].first_frame, scene.messages[1].first_frame + 1);
}

TEST(UntaggedMessages, FirstMsnIsOne) {
  for (const std::uint32_t msn : {0U, 2U}) {
    Scene scene;
    scene.start();
    scene.send(a, msn);
    EXPECT_EQ(scene.only(CheckId::ddp_msn1).arguments, (std::vector<std::uint64_t>{0, msn}));
    scene.send(a, msn + 1);
    EXPECT_EQ(scene.verdict(), "DDP-MSN1") << "the queue goes on from what it is";
  }
}

TEST(UntaggedMessages, MsnWraps) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  scene.locked(a, {Mode::off, Mode::on, true, true, 3, false, 0});
  for (const std::uint32_t msn : {0xfffffffeU, 0xffffffffU, 0U, 1U}) scene.send(a, msn);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_msn1, Reason::midstream), 1U);
  EXPECT_EQ(scene.side(a).queues[0].next_msn, 2U);
}

TEST(UntaggedMessages, MsnGap) {
  Scene scene;
  scene.converse();
  scene.send(a, 5);
  EXPECT_EQ(scene.only(CheckId::ddp_msngap).arguments, (std::vector<std::uint64_t>{0, 5, 2}));
  scene.send(a, 6);
  EXPECT_EQ(scene.verdict(), "DDP-MSNGAP");
}

TEST(UntaggedMessages, CompletedMsnAgain) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100);
  scene.send(a, 2, 100);
  EXPECT_EQ(scene.only(CheckId::ddp_msndup).arguments, (std::vector<std::uint64_t>{0, 2, 3}));
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "DDP-MSNDUP");
}

TEST(UntaggedMessages, GoesOnBehindItsLastSegment) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100);
  scene.send(a, 2, 50, true, 100);
  EXPECT_EQ(scene.only(CheckId::ddp_ldup).arguments, (std::vector<std::uint64_t>{0, 2, 100}));
  EXPECT_EQ(scene.count(CheckId::ddp_msndup), 0U);
}

TEST(UntaggedMessages, GoesOnBehindTheLastOfSeveralSegments) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, false);
  scene.send(a, 2, 100, true, 100);
  scene.send(a, 2, 100, true, 200);
  EXPECT_EQ(scene.verdict(), "DDP-LDUP");
}

TEST(UntaggedMessages, FirstMoIsZero) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, true, 4);
  EXPECT_EQ(scene.only(CheckId::ddp_mo0).arguments, (std::vector<std::uint64_t>{0, 2, 4}));
}

TEST(UntaggedMessages, MoJumpsAndTheOctetsNeverCome) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 2, 1000, false, 1000);
  scene.send(a, 2, 1000, true, 3000);
  EXPECT_EQ(scene.verdict(), "") << "the missing octets may still come";
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "DDP-MOSEQ");
  EXPECT_EQ(scene.only(CheckId::ddp_moseq).arguments, (std::vector<std::uint64_t>{0, 2, 3000, 2000}));
  EXPECT_EQ(scene.messages[2].end, MessageEnd::incomplete);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
}

TEST(UntaggedMessages, MoJumpIsToldAtTheEnd) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 2, 1000, true, 3000);
  scene.close(CloseCause::rst);
  EXPECT_EQ(scene.count(CheckId::ddp_moseq), 1U);

  Scene cut;
  cut.converse();
  cut.send(a, 2, 1000, false);
  cut.send(a, 2, 1000, true, 3000);
  cut.close(CloseCause::capture_end);
  EXPECT_EQ(cut.count(CheckId::ddp_moseq), 0U);
  EXPECT_EQ(cut.undecided(CheckId::ddp_moseq, Reason::capture_end), 1U);
}

TEST(UntaggedMessages, MoJumpIsToldAtTheFin) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 2, 1000, true, 3000);
  scene.fin(a);
  EXPECT_EQ(scene.count(CheckId::ddp_moseq), 1U);
  scene.close(CloseCause::fin);
  EXPECT_EQ(scene.count(CheckId::ddp_moseq), 1U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::incomplete);
}

TEST(UntaggedMessages, SegmentsOutOfOrderComplete) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 2, 500, true, 2000);
  scene.send(a, 2, 1000, false, 1000);
  EXPECT_EQ(scene.count(CheckId::ddp_moorder), 1U);
  EXPECT_EQ(scene.count(CheckId::ddp_moseq), 0U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
  EXPECT_EQ(last_message(scene).length, 2500U);
  scene.send(a, 3);
  EXPECT_EQ(scene.findings.size(), 1U);
}

TEST(UntaggedMessages, MoGoesBack) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 2, 1000, true, 500);
  EXPECT_EQ(scene.only(CheckId::ddp_moseq).arguments, (std::vector<std::uint64_t>{0, 2, 500, 1000}));
}

TEST(UntaggedMessages, NextMsnWithoutLast) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.send(a, 3);
  EXPECT_EQ(scene.only(CheckId::ddp_lmiss).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(wire::Opcode::send),
                                        scene.messages[2].first_frame}));
  EXPECT_EQ(scene.messages[2].end, MessageEnd::incomplete);
  EXPECT_EQ(scene.verdict(), "DDP-LMISS");
}

// The field of a Send that invalidates nothing was wrong in the first segment: the second is not.
TEST(UntaggedMessages, InvalidateStagOfTheFirstSegmentOnly) {
  Scene scene;
  scene.converse();
  scene.untagged(a, {wire::Opcode::send, 2, 100, false, 0, 0x1234});
  scene.untagged(a, {wire::Opcode::send, 2, 100, true, 100});
  EXPECT_EQ(scene.count(CheckId::ddp_const), 0U);
  EXPECT_EQ(scene.messages.back().end, MessageEnd::complete);
}

TEST(UntaggedMessages, OpcodeAndInvalidateStagStayTheSame) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.untagged(a, {Opcode::send_se, 2, 100, false, 1000});
  scene.untagged(a, {Opcode::send_se, 2, 100, true, 1100});
  EXPECT_EQ(scene.only(CheckId::ddp_const).arguments[0], static_cast<std::uint64_t>(Phrase::opcode_field));

  Scene other_stag;
  other_stag.converse();
  other_stag.untagged(a, {Opcode::send_inv, 2, 100, false, 0, 7});
  other_stag.untagged(a, {Opcode::send_inv, 2, 100, true, 100, 8});
  EXPECT_EQ(other_stag.only(CheckId::ddp_const).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::invalidate_stag_field), 7, 8}));
}

TEST(UntaggedMessages, MixedWithTheMessageBefore) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, false);
  scene.send(a, 3, 100, false);
  scene.send(a, 2, 100, true, 100);
  scene.send(a, 3, 100, true, 100);
  EXPECT_EQ(scene.count(CheckId::ddp_mix), 1U);
  EXPECT_EQ(scene.count(CheckId::ddp_lmiss), 1U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
}

TEST(UntaggedMessages, EmptySegmentWithinAMessage) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, false);
  scene.send(a, 2, 0, true, 100);
  EXPECT_EQ(scene.only(CheckId::ddp_zero).arguments[0], static_cast<std::uint64_t>(Phrase::within_message));
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
}

TEST(UntaggedMessages, ImmediateSharesTheSendQueue) {
  Scene scene;
  scene.converse();
  scene.untagged(a, {Opcode::immediate, 2, 8});
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.side(a).rq_consumed, 3U);
  EXPECT_EQ(scene.operations[2].kind, OperationKind::immediate);
}

TEST(UntaggedMessages, NoMessageOnAnUnknownQueue) {
  Scene scene;
  scene.converse();
  scene.untagged(a, {Opcode::send, 9, 10, true, 0, 0, 4});
  EXPECT_EQ(scene.verdict(), "DDP-QN");
  EXPECT_EQ(scene.messages.size(), 2U);
}

// --- holes ------------------------------------------------------------------------------------------------

TEST(UntaggedMessages, HoleSuspendsAndTheNextMessageRearms) {
  Scene scene;
  scene.converse();
  scene.gap(a, 5000);
  scene.send(a, 9);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_msngap, Reason::gap), 1U);
  scene.send(a, 10);
  scene.send(a, 12);
  EXPECT_EQ(scene.verdict(), "DDP-MSNGAP") << "armed again";
}

TEST(UntaggedMessages, OfTwoMsnsBehindAHoleEitherMayBeWrong) {
  Scene scene;
  scene.converse();
  scene.gap(a, 5000);
  scene.send(a, 9);
  scene.send(a, 11);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_msngap, Reason::gap), 2U);
  scene.send(a, 12);
  scene.send(a, 14);
  EXPECT_EQ(scene.only(CheckId::ddp_msngap).arguments, (std::vector<std::uint64_t>{0, 14, 13}));
}

TEST(UntaggedMessages, HoleWithinAMessage) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.gap(a, 1024);
  scene.send(a, 2, 1000, false, 2000);
  scene.send(a, 2, 1000, true, 3000);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_moseq, Reason::gap), 1U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::unknown);
  EXPECT_EQ(last_message(scene).reason, Reason::gap);
  scene.send(a, 3);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
  EXPECT_EQ(scene.undecided(CheckId::ddp_msngap), 0U) << "the same MSN went on: none was missed";
}

TEST(UntaggedMessages, HoleElsewhereLeavesTheMessageWhole) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.gap(a, 1024);
  scene.send(a, 2, 1000, true, 1000);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(UntaggedMessages, HoleSwallowsTheLastSegment) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 1000, false);
  scene.gap(a, 1024);
  scene.send(a, 3, 10);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_lmiss, Reason::gap), 1U);
  EXPECT_EQ(scene.messages[2].end, MessageEnd::unknown);
  EXPECT_EQ(scene.messages[3].end, MessageEnd::complete);
}

TEST(UntaggedMessages, HoleSwallowsTheFirstSegment) {
  Scene scene;
  scene.converse();
  scene.gap(a, 1024);
  scene.send(a, 2, 1000, true, 1000);
  EXPECT_EQ(scene.undecided(CheckId::ddp_mo0, Reason::gap), 1U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::unknown);
}

TEST(UntaggedMessages, KeptFramingSuspendsNothing) {
  Scene scene;
  scene.converse();
  scene.gap(a, 800, true, GapCause::snaplen);
  FpduFact cut = Scene::make(Untagged{Opcode::send, 2, 1000});
  cut.cut = true;
  cut.crc = CrcStatus::undecidable;
  scene.fpdu(a, cut);
  scene.send(a, 4);
  EXPECT_EQ(scene.verdict(), "DDP-MSNGAP");
  EXPECT_EQ(scene.side(a).gap_octets, 800U);
  EXPECT_EQ(scene.messages[2].length, 1000U) << "lengths come from ULPDU_Length";
}

TEST(UntaggedMessages, CutHeaderIsAHole) {
  Scene scene;
  scene.converse();
  FpduFact cut = Scene::make(Untagged{Opcode::send, 2, 1000});
  cut.cut = true;
  cut.crc = CrcStatus::undecidable;
  cut.header_octets = 10;
  scene.gap(a, 1000, true, GapCause::snaplen);
  scene.fpdu(a, cut);
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_msngap, Reason::snaplen), 1U);
}

TEST(UntaggedMessages, BadCrcIsNotApplied) {
  Scene scene;
  scene.converse();
  FpduFact bad = Scene::make(Untagged{Opcode::send, 2, 100});
  bad.crc = CrcStatus::bad;
  bad.crc_field = 1;
  bad.crc_computed = 2;
  scene.fpdu(a, bad);
  EXPECT_EQ(scene.messages.size(), 2U);
  EXPECT_EQ(scene.side(a).crc_counts.bad, 1U);
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "MPA-CRC");
  EXPECT_EQ(scene.undecided(CheckId::ddp_msngap, Reason::bad_crc), 1U);
}

TEST(UntaggedMessages, RecoveredCopyIsTakenLate) {
  Scene scene;
  scene.converse();
  FpduFact bad = Scene::make(Untagged{Opcode::send, 2, 100});
  FpduFact good = bad;
  bad.crc = CrcStatus::bad;
  bad.crc_field = 1;
  bad.crc_computed = 2;
  scene.fpdu(a, bad);
  good.recovered = true;
  scene.fpdu(a, good);
  EXPECT_EQ(last_message(scene).msn, 2U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "MPA-CRC");
  EXPECT_EQ(scene.messages.size(), 4U);
}

TEST(UntaggedMessages, RecoveredCopyGoesOnWithItsMessage) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, false);
  FpduFact bad = Scene::make(Untagged{Opcode::send, 2, 100, true, 100});
  FpduFact good = bad;
  bad.crc = CrcStatus::bad;
  bad.crc_field = 1;
  bad.crc_computed = 2;
  scene.fpdu(a, bad);
  good.recovered = true;
  scene.fpdu(a, good);
  EXPECT_EQ(last_message(scene).length, 200U);
  EXPECT_EQ(last_message(scene).end, MessageEnd::complete);
}

TEST(UntaggedMessages, MidstreamPickupWithinAMessage) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  scene.locked(a, {Mode::off, Mode::on, true, true, 3, false, 100});
  scene.send(a, 77, 100, true, 5000);
  scene.send(a, 78, 100);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.messages[0].end, MessageEnd::unknown);
  EXPECT_EQ(scene.messages[0].reason, Reason::midstream);
  EXPECT_EQ(scene.messages[1].end, MessageEnd::complete);
}

}  // namespace
}  // namespace iwarp::testing
