// Tagged messages: put together by order, checked by STag and TO (RFC 5041 §5.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

Tagged write(std::uint32_t stag, std::uint64_t to, std::uint32_t payload, bool last = true) {
  return {Opcode::rdma_write, stag, to, payload, last};
}

TEST(TaggedMessages, SegmentsFollowEachOther) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 1000, 400, false));
  scene.send(a, 2);
  scene.tagged(a, write(5, 1400, 400, false));
  scene.tagged(a, write(5, 1800, 100));
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  const MessageConclusion& message = scene.messages.back();
  EXPECT_EQ(message.length, 900U);
  EXPECT_EQ(message.segments, 3U);
  EXPECT_EQ(message.stag, 5U);
  EXPECT_EQ(message.to, 1000U);
  EXPECT_TRUE(message.tagged);
  EXPECT_EQ(scene.operations.back().kind, OperationKind::write);
  EXPECT_EQ(scene.operations.back().length, 900U);
}

TEST(TaggedMessages, InterleavedWritesAreAmbiguous) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 0, 400, false));
  scene.tagged(a, write(6, 0, 400, false));
  EXPECT_EQ(scene.only(CheckId::ddp_toseq).arguments, (std::vector<std::uint64_t>{0, 400, 5}));
}

TEST(TaggedMessages, StagChangesWithinAMessage) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 0, 400, false));
  scene.tagged(a, write(6, 400, 400));
  EXPECT_EQ(scene.only(CheckId::ddp_const).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::stag_field), 5, 6}));
  EXPECT_EQ(scene.messages.back().length, 800U);
}

TEST(TaggedMessages, ZeroLengthNamesNothing) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(0, ~std::uint64_t{0}, 0));
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.messages[2].end, MessageEnd::complete);
}

TEST(TaggedMessages, EmptySegmentWithinAMessage) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 0, 400, false));
  scene.tagged(a, write(0, 0, 0));
  EXPECT_EQ(scene.only(CheckId::ddp_zero).arguments[0], static_cast<std::uint64_t>(Phrase::within_message));
  EXPECT_EQ(scene.messages.back().length, 400U);
}

TEST(TaggedMessages, LengthOf4GiB) {
  Scene scene;
  scene.converse();
  constexpr std::uint32_t piece = 64000;
  constexpr std::uint64_t limit = std::uint64_t{1} << 32;
  std::uint64_t to = 0;
  while (to + piece < limit) {
    scene.log.clear();
    scene.tagged(a, write(5, to, piece, false));
    to += piece;
  }
  EXPECT_EQ(scene.count(CheckId::ddp_mowrap), 0U);
  scene.tagged(a, write(5, to, static_cast<std::uint32_t>(limit - 1 - to), false));
  EXPECT_EQ(scene.count(CheckId::ddp_mowrap), 0U);
  scene.tagged(a, write(5, limit - 1, 1, false));
  scene.tagged(a, write(5, limit, 1));
  EXPECT_EQ(scene.only(CheckId::ddp_mowrap).arguments[0], limit);
  EXPECT_EQ(scene.messages.back().length, limit + 1);
}

TEST(TaggedMessages, HoleSwallowsTheEnd) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 0, 400, false));
  scene.gap(a, 1000);
  scene.tagged(a, write(6, 0, 400));
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_toseq, Reason::gap), 1U);
  EXPECT_EQ(scene.messages[2].end, MessageEnd::unknown);
  EXPECT_EQ(scene.messages[2].reason, Reason::gap);
  EXPECT_EQ(scene.messages[3].end, MessageEnd::unknown) << "its start may lie in the hole";
  scene.tagged(a, write(6, 800, 400));
  EXPECT_EQ(scene.messages.back().end, MessageEnd::complete);
}

// The first may have ended in the hole, and another one to the same buffer begun.
TEST(TaggedMessages, WhatGoesOnBehindAHoleMayBeAnotherMessage) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 0, 400, false));
  scene.gap(a, 1000);
  scene.tagged(a, write(5, 400, 400));
  EXPECT_EQ(scene.messages.back().end, MessageEnd::unknown);
  EXPECT_EQ(scene.undecided(CheckId::ddp_toseq), 0U);
}

TEST(TaggedMessages, SingleSegmentBehindAHole) {
  Scene scene;
  scene.converse();
  scene.gap(a, 1000);
  scene.tagged(a, write(5, 0, 400));
  scene.tagged(a, write(5, 0, 400));
  EXPECT_EQ(scene.messages[2].end, MessageEnd::unknown);
  EXPECT_EQ(scene.messages[3].end, MessageEnd::complete);
}

TEST(TaggedMessages, OpenMessageAtTheEnd) {
  Scene scene;
  scene.converse();
  scene.tagged(a, write(5, 0, 400, false));
  scene.close(CloseCause::capture_end);
  EXPECT_EQ(scene.messages.back().end, MessageEnd::unknown);
  EXPECT_EQ(scene.messages.back().reason, Reason::capture_end);
  EXPECT_EQ(scene.operations.back().status, OperationStatus::incomplete);
}

TEST(TaggedMessages, RecoveredSingleSegment) {
  Scene scene;
  scene.converse();
  FpduFact bad = Scene::make(write(5, 0, 400));
  FpduFact good = bad;
  bad.crc = CrcStatus::bad;
  bad.crc_computed = 9;
  scene.fpdu(a, bad);
  good.recovered = true;
  scene.fpdu(a, good);
  EXPECT_EQ(scene.messages.back().end, MessageEnd::complete);
  EXPECT_EQ(scene.verdict(), "MPA-CRC");
}

}  // namespace
}  // namespace iwarp::testing
