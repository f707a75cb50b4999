// The lives of STags, from conversations whose ULPs' octets are written down (scenarios G1 to G10).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/stags.hpp>

#include "stags/stag_scene.hpp"
#include "support/octets.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

const char* const client = "192.0.2.1";
const char* const server = "192.0.2.2";

Bytes be32(std::uint32_t value) {
  return {static_cast<Byte>(value >> 24U), static_cast<Byte>(value >> 16U), static_cast<Byte>(value >> 8U),
          static_cast<Byte>(value)};
}

// RFC 8166: a Call with one write chunk of one segment, or a Reply with none.
Bytes rpc_call(std::uint32_t xid, std::uint32_t stag, std::uint32_t length, std::uint32_t to) {
  return cat({be32(xid), hex("00000001 00000020 00000000 00000000 00000001 00000001"), be32(stag),
              be32(length), zeros(4), be32(to), hex("00000000 00000000"), be32(xid),
              hex("00000000 00000002 000186a3")});
}
Bytes rpc_reply(std::uint32_t xid) {
  return cat({be32(xid), hex("00000001 00000020 00000000 00000000 00000000 00000000"), be32(xid),
              hex("00000001 00000000 00000000")});
}

class Lives : public testing::Test {
 protected:
  Packets call(std::uint32_t stag, std::uint32_t length = 0x1000, std::uint32_t to = 0x80000000) {
    ++calls_;
    return c.fpdu(a, send(calls_, rpc_call(calls_, stag, length, to)));
  }
  Packets write_to(std::uint32_t stag, std::uint32_t octets = 0x1000, std::uint32_t to = 0x80000000) {
    return c.fpdu(b, write(stag, to, pattern(octets)));
  }
  Packets reply() { return c.fpdu(b, send(++replies_, rpc_reply(calls_))); }
  Packets reply_and_invalidate(std::uint32_t stag) {
    return c.fpdu(b, send_inv(++replies_, stag, rpc_reply(calls_)));
  }

  Established c;
  std::uint32_t calls_ = 0;
  std::uint32_t replies_ = 0;
};

TEST_F(Lives, G1_FromAdvertisementToInvalidation) {
  const Packets told = call(0x1100);
  const Packets written = write_to(0x1100);
  const Packets invalidated = reply_and_invalidate(0x1100);
  call(0x2200);  // acknowledges the reply
  const Packets after = write_to(0x1100, 16);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts,
            (Texts{"RDMAP-INVUSE " + std::to_string(c.at(after)) +
                   " RDMA Write names STag 0x00001100, which frame " + std::to_string(c.at(invalidated)) +
                   " invalidated and nobody advertised again"}));
  const StagRecord* const record = found.record(client, 0x1100);
  ASSERT_NE(record, nullptr);
  ASSERT_TRUE(record->advertised);
  EXPECT_EQ(record->advertised->frame, c.at(told));
  EXPECT_EQ(record->advertised->ulp, Ulp::rpc_rdma);
  EXPECT_EQ(record->advertised->confidence, Confidence::high);
  EXPECT_EQ(record->advertised->to, 0x80000000U);
  EXPECT_EQ(record->advertised->length, 0x1000U);
  EXPECT_EQ(record->first_use, c.at(written));
  EXPECT_EQ(record->last_use, c.at(after));
  EXPECT_EQ(record->invalidated, c.at(invalidated));
  EXPECT_EQ(record->octets, 0x1010U);
  EXPECT_EQ(record->min_to, 0x80000000U);
  EXPECT_EQ(record->max_to, 0x80000fffU);
  EXPECT_EQ(record->write, StagRight::proven);
  EXPECT_EQ(record->read, StagRight::unknown);
  EXPECT_EQ(record->operations[static_cast<unsigned>(wire::Opcode::rdma_write)], 2U);
  EXPECT_EQ(record->operations[static_cast<unsigned>(wire::Opcode::send_inv)], 1U);
  EXPECT_EQ(record->streams, std::vector<ConnectionId>{0});
}

TEST_F(Lives, G1_BeforeTheInvalidationIsDeliveredItIsNoUseAfterIt) {
  call(0x1100);
  reply_and_invalidate(0x1100);
  write_to(0x1100, 16);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

// Its receiver says nothing more, but acknowledges it.
TEST_F(Lives, G1_ABareAcknowledgementDeliversIt) {
  call(0x1100);
  const Packets invalidated = reply_and_invalidate(0x1100);
  c.ack(a);
  const Packets after = write_to(0x1100, 16);
  EXPECT_EQ(follow(c.segments()).texts,
            (Texts{"RDMAP-INVUSE " + std::to_string(c.at(after)) +
                   " RDMA Write names STag 0x00001100, which frame " + std::to_string(c.at(invalidated)) +
                   " invalidated and nobody advertised again"}));
}

TEST_F(Lives, AdvertisedAgainItLivesAgain) {
  call(0x1100);
  write_to(0x1100);
  reply_and_invalidate(0x1100);
  call(0x1100);
  write_to(0x1100);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, Texts());
  ASSERT_NE(found.record(client, 0x1100, 1), nullptr);
  ASSERT_NE(found.record(client, 0x1100, 2), nullptr);
  EXPECT_EQ(found.record(client, 0x1100, 2)->invalidated, 0U);
}

// A segment of the peer acknowledges the first half of an FPDU: nothing is missing.
TEST_F(Lives, G1_AnAcknowledgementInsideAnFpduShowsNoHole) {
  call(0x1100);
  const Packets invalidated = reply_and_invalidate(0x1100);
  call(0x2200);
  const Bytes half = c.frame(a, send(++calls_, pattern(200)));
  c.send(a, part(half, 0, 100));
  const Packets after = write_to(0x1100, 16);
  c.send(a, part(half, 100, half.size() - 100));
  c.ack(b);
  EXPECT_EQ(follow(c.segments()).texts,
            (Texts{"RDMAP-INVUSE " + std::to_string(c.at(after)) +
                   " RDMA Write names STag 0x00001100, which frame " + std::to_string(c.at(invalidated)) +
                   " invalidated and nobody advertised again"}));
}

TEST_F(Lives, G2_TheNextKeyIsAnotherLife) {
  call(0x1101);
  write_to(0x1101);
  reply_and_invalidate(0x1101);
  call(0x1102);
  write_to(0x1102);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, Texts());
  EXPECT_NE(found.record(client, 0x1101, 1), nullptr);
  EXPECT_NE(found.record(client, 0x1102, 2), nullptr);
}

TEST_F(Lives, G2_TheKeyBeforeIsOver) {
  call(0x1101);
  const Packets invalidated = reply_and_invalidate(0x1101);
  call(0x1102);
  const Packets stale = write_to(0x1101, 16);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts,
            (Texts{"RDMAP-INVUSE " + std::to_string(c.at(stale)) +
                   " RDMA Write names STag 0x00001101, which frame " + std::to_string(c.at(invalidated)) +
                   " invalidated and nobody advertised again"}));
}

TEST_F(Lives, G3_TheSameNumberAtBothEndsIsTwoStags) {
  c.fpdu(a, write(0x1100, 0, pattern(16)));
  c.fpdu(b, write(0x1100, 0, pattern(32)));
  const Found found = follow(c.segments());
  ASSERT_NE(found.record(client, 0x1100), nullptr);
  ASSERT_NE(found.record(server, 0x1100), nullptr);
  EXPECT_EQ(found.record(client, 0x1100)->octets, 32U);
  EXPECT_EQ(found.record(server, 0x1100)->octets, 16U);
  EXPECT_EQ(found.record(client, 0x1100)->is_virtual(), false);
}

TEST_F(Lives, G4_OneStagOnFourConnections) {
  Established other;
  other.fpdu(a, send(1, rpc_call(1, 0x3300, 0x1000, 0x80000000)));
  other.fpdu(b, write(0x1100, 0x80000000, pattern(16)));
  const std::size_t before = other.segments().size();
  other.fpdu(b, write(0x1100, 0x80000000, pattern(16)));
  const std::size_t after = other.segments().size();
  call(0x1100);
  write_to(0x1100, 16);
  const std::size_t told = c.segments().size();
  reply_and_invalidate(0x1100);
  call(0x2200);
  const std::size_t invalidated = c.segments().size();
  constexpr std::uint16_t ports[] = {40001, 40002, 40003};
  std::vector<std::vector<OwnedSegment>> all = {piece(c, 40000, 0, told)};
  for (const std::uint16_t port : ports) all.push_back(piece(other, port, 0, before));
  all.push_back(piece(c, 40000, told, invalidated));
  for (const std::uint16_t port : ports) all.push_back(piece(other, port, before, after));
  const Found found = follow(together(all));
  const StagRecord* const record = found.record(client, 0x1100);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->streams, (std::vector<ConnectionId>{0, 1, 2, 3}));
  EXPECT_EQ(record->operations[static_cast<unsigned>(wire::Opcode::rdma_write)], 7U);
  EXPECT_EQ(found.texts.size(), 3U) << "invalidated on one, used on three others";
}

// Behind one address another host uses an STag of that value, which it told of where the capture does not
// show it, or by another key.
TEST_F(Lives, G10_AnAddressIsNoHostForCertain) {
  Established other;
  other.fpdu(a, send(1, rpc_call(1, 0x1101, 0x100, 0x90000000)));
  const std::size_t told_other = other.segments().size();
  other.fpdu(b, write(0x1100, 0x80000000, pattern(0x2000)));
  other.fpdu(b, write(0x1101, 0x90000000, pattern(16)));
  const std::size_t after = other.segments().size();
  call(0x1100);
  write_to(0x1100, 16);
  reply_and_invalidate(0x1100);
  call(0x2200);
  const std::size_t invalidated = c.segments().size();
  EXPECT_EQ(follow(together({piece(c, 40000, 0, invalidated), piece(other, 40001, 0, after)})).texts,
            Texts());
  EXPECT_EQ(follow(together({piece(other, 40001, 0, told_other), piece(c, 40000, 0, invalidated),
                             piece(other, 40001, told_other, after)}))
                .texts,
            Texts());
}

TEST_F(Lives, G5_LittleEndianAdvertisementsAreFoundToo) {
  c.fpdu(a, send(1, hex("0000008000000000 00110000 00100000")));  // offset, token, length
  const Packets chance = c.fpdu(b, send(1, cat(hex("ffffffffffffffff 0000bb00 ffffffff"), zeros(40))));
  write_to(0x1100, 16);
  c.fpdu(a, write(0xbb00, 0x70000000, pattern(16)));
  const Found found = follow(c.segments());
  ASSERT_NE(found.record(client, 0x1100), nullptr);
  ASSERT_TRUE(found.record(client, 0x1100)->advertised);
  EXPECT_EQ(found.record(client, 0x1100)->advertised->confidence, Confidence::medium);
  EXPECT_EQ(found.record(client, 0x1100)->advertised->length, 0x1000U);
  ASSERT_NE(found.record(server, 0xbb00), nullptr);
  ASSERT_TRUE(found.record(server, 0xbb00)->advertised);
  EXPECT_EQ(found.record(server, 0xbb00)->advertised->confidence, Confidence::low);
  EXPECT_EQ(found.record(server, 0xbb00)->advertised->frame, c.at(chance));
}

TEST_F(Lives, G6_OneOctetPastTheEnd) {
  const Packets told = call(0x1100);
  const Packets beyond = write_to(0x1100, 0x1001);
  const Packets refusal = c.fpdu(a, terminate(0x1101, about(write(0x1100, 0x80000000, pattern(0x1001)))));
  const Found found = follow(c.segments());
  const std::string told_frame = std::to_string(c.at(told));
  EXPECT_EQ(
      found.texts,
      (Texts{"RDMAP-BOUNDS " + std::to_string(c.at(beyond)) +
                 " RDMA Write to STag 0x00001100 reaches 1 octet outside what frame " + told_frame +
                 " advertised",
             "RDMAP-TERMWHY " + std::to_string(c.at(refusal)) +
                 " Terminate 0x1101 (tagged: base or bounds violation) because the access to STag 0x00001100 "
                 "reaches 1 octet outside what frame " +
                 told_frame + " advertised"}));
}

TEST_F(Lives, G6_BesideEachOtherRegionsAreOne) {
  call(0x1100, 0x1000, 0x80000000);
  call(0x1100, 0x1000, 0x80001000);
  write_to(0x1100, 0x2000);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(Lives, G6_WhatIsMissingMayHaveAdvertisedMore) {
  call(0x1100);
  c.drop(call(0x3300));
  call(0x2200);
  write_to(0x1100, 0x1001);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, Texts());
  EXPECT_GT(found.undecided, 0U);
}

// What the Write acknowledges was said before it, whether it was captured or not.
// One STag for all memory, told piece by piece, of which the capture lacks the first.
TEST_F(Lives, TheFirstThatWasCapturedMayNotBeTheFirst) {
  c.unseen([&] { call(0x1100, 0x2000); });
  reply();
  call(0x1100, 0x1000, 0x90000000);
  write_to(0x1100, 0x2000);
  reply();
  call(0x2200);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, Texts());
  EXPECT_NE(found.undecided, 0U);
}

// A Write whose beginning is missing is known when the next message shows that it is over: behind the
// advertisement of the STag's next life.
TEST_F(Lives, AWriteIsNotJudgedByWhatWasToldLater) {
  call(0x1100, 0x2000);
  const std::vector<Bytes> segments = write_segments(0x1100, 0x80000000, pattern(0x2000), 1000);
  c.unseen([&] { c.fpdu(b, segments[0]); });
  for (std::size_t at = 1; at + 1 < segments.size(); ++at) c.fpdu(b, segments[at]);
  c.unseen([&] {
    c.fpdu(b, segments.back());
    reply_and_invalidate(0x1100);
  });
  call(0x1100, 0x800);
  write_to(0x1100, 0x800);
  reply_and_invalidate(0x1100);
  call(0x2200);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

// Of the Send that invalidates the first life the capture lacks what comes before it, so it is known behind
// the Call that it was an answer to the next of.
TEST_F(Lives, AnInvalidationThatIsKnownLateEndsTheLifeBefore) {
  call(0x1100);
  c.unseen([&] { c.fpdu(b, send(++replies_, pattern(100))); });
  const Packets named = reply_and_invalidate(0x1100);
  const Packets again = call(0x1100);
  write_to(0x1100, 16);
  reply();
  call(0x2200);
  write_to(0x1100, 16);
  ASSERT_LT(c.at(named), c.at(again));
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

// The Call that tells of it again is missing; what it acknowledges shows that the invalidation came.
TEST_F(Lives, WhatIsMissingBehindAnInvalidationMayHaveToldOfItAgain) {
  call(0x1100);
  write_to(0x1100);
  reply_and_invalidate(0x1100);
  c.unseen([&] { call(0x1100); });
  write_to(0x1100, 16);  // acknowledges the Call
  call(0x2200);
  write_to(0x1100, 16);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

// A Call whose opcode is none tells of memory all the same, perhaps.
TEST_F(Lives, AMessageOfNoOpcodeMayHaveAdvertisedItAgain) {
  call(0x1100);
  write_to(0x1100);
  reply_and_invalidate(0x1100);
  ++calls_;
  c.fpdu(a, untagged_segment(0xC, 0, calls_, rpc_call(calls_, 0x1100, 0x1000, 0x80000000)));
  write_to(0x1100, 16);
  reply();
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

// … and one that does not begin at MO 0 (DDP-MO0).
TEST_F(Lives, ACallThatBeginsLateMayHaveAdvertisedItAgain) {
  call(0x1100);
  write_to(0x1100);
  reply_and_invalidate(0x1100);
  ++calls_;
  c.fpdu(a, send(calls_, rpc_call(calls_, 0x1100, 0x1000, 0x80000000), {.mo = 4}));
  write_to(0x1100, 16);
  reply();
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(Lives, WhatAMirrorLostMayHaveAdvertisedItAgain) {
  call(0x1100);
  write_to(0x1100);
  reply_and_invalidate(0x1100);
  call(0x2200);
  reply();
  c.drop(call(0x1100, 0x2000));
  write_to(0x1100, 0x2000);
  reply_and_invalidate(0x1100);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, Texts());
  EXPECT_GT(found.undecided, 0U);
}

TEST_F(Lives, WhatBeganBeforeTheCaptureMayHaveAdvertisedMore) {
  call(0x1100);
  write_to(0x1100, 0x1001);
  reply_and_invalidate(0x7700);
  std::vector<OwnedSegment> segments = c.segments();
  segments.erase(segments.begin(), segments.begin() + 5);  // the handshake and both start-up frames
  const Found found = follow(segments);
  EXPECT_EQ(found.texts, Texts());
  EXPECT_GT(found.undecided, 0U);
}

// The client's next Call stands before the Reply that it answers.
TEST_F(Lives, DirectionsOutOfStep) {
  call(0x1100);
  write_to(0x1100);
  const Packets invalidated = reply_and_invalidate(0x1100);
  const Packets next = call(0x1100);
  write_to(0x1100);
  reply();
  call(0x2200);
  write_to(0x1100);
  c.move_before(next, invalidated);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

// Each told its own client's, behind one address.
TEST_F(Lives, TwoHostsBehindOneAddress) {
  call(0x1100);
  Established other;
  other.fpdu(a, send(1, rpc_call(1, 0x1100, 0x1000, 0x80000000)));
  reply_and_invalidate(0x1100);
  call(0x2200);
  std::vector<OwnedSegment> first = c.segments();
  std::vector<OwnedSegment> second = on_port(other, 40001);
  other.fpdu(b, write(0x1100, 0x80000000, pattern(16)));
  const std::vector<OwnedSegment> whole = on_port(other, 40001);
  const std::vector<OwnedSegment> rest(whole.begin() + static_cast<std::ptrdiff_t>(second.size()),
                                       whole.end());
  EXPECT_EQ(follow(together({second, first, rest})).texts, Texts());
}

TEST_F(Lives, AnotherKeyThanTheOneToldEndsNoLife) {
  const Packets told = call(0x1102);
  write_to(0x1103, 16);
  reply_and_invalidate(0x1104);
  const Packets beyond = write_to(0x1102, 0x1001);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, (Texts{"RDMAP-BOUNDS " + std::to_string(c.at(beyond)) +
                                " RDMA Write to STag 0x00001102 reaches 1 octet outside what frame " +
                                std::to_string(c.at(told)) + " advertised"}));
  EXPECT_EQ(found.records.size(), 1U);
}

TEST_F(Lives, AMessageThatItsReaderDoesNotUnderstandMayAdvertise) {
  call(0x1100);
  c.fpdu(a, send(++calls_, pattern(100)));
  write_to(0x1100, 0x1001);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(Lives, G9_AnUnseenAdvertisementIsNoError) {
  write_to(0x1100, 0x1001);
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, Texts());
  ASSERT_NE(found.record(client, 0x1100), nullptr);
  EXPECT_FALSE(found.record(client, 0x1100)->advertised);
}

TEST_F(Lives, AnUnknownStagIsInvalidated) {
  call(0x1100);
  const Packets unknown = reply_and_invalidate(0x7700);
  EXPECT_EQ(follow(c.segments()).texts,
            (Texts{"RDMAP-INVUNK " + std::to_string(c.at(unknown)) +
                   " the Send with Invalidate names STag 0x00007700, of which its receiver never told"}));
}

TEST_F(Lives, ATerminateForAnInvalidatedStagSaysSo) {
  call(0x1100);
  const Packets invalidated = reply_and_invalidate(0x1100);
  write_to(0x1100, 16);
  const Packets refused = c.fpdu(a, terminate(0x1100, about(write(0x1100, 0x80000000, pattern(16)))));
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, (Texts{"RDMAP-TERMWHY " + std::to_string(c.at(refused)) +
                                " Terminate 0x1100 (tagged: invalid STag) because STag 0x00001100 was "
                                "invalidated in frame " +
                                std::to_string(c.at(invalidated))}));
}

// Its owner may have ended it alone, or never have let it be written to; siw says invalid for both.
TEST_F(Lives, ATerminateForAnStagThatNobodyInvalidatedSaysSo) {
  const Packets told = call(0x1100);
  write_to(0x1100, 16);
  const Packets refused = c.fpdu(a, terminate(0x1100, about(write(0x1100, 0x80000000, pattern(16)))));
  EXPECT_EQ(follow(c.segments()).texts,
            (Texts{"RDMAP-TERMWHY " + std::to_string(c.at(refused)) +
                   " Terminate 0x1100 (tagged: invalid STag): STag 0x00001100 was advertised in frame " +
                   std::to_string(c.at(told)) +
                   ", and no captured message invalidated it: its owner did, or does not allow the access"}));
}

TEST_F(Lives, G8_StagsThatCanBeGuessed) {
  for (std::uint32_t i = 1; i <= 110; ++i) call(i << 8U);
  const Texts texts = follow(c.segments()).texts;
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0].substr(0, texts[0].find(' ')), "CAP-STAGPRED");
}

TEST_F(Lives, G8_KeysThatCountUpAreNoGuess) {
  for (std::uint32_t i = 1; i <= 200; ++i) {
    call(0x1100 + i);
    reply_and_invalidate(0x1100 + i);
  }
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(Lives, G8_OthersCannot) {
  std::uint32_t stag = 1;
  for (std::uint32_t i = 1; i <= 300; ++i) call((stag = stag * 1664525 + 1013904223) | 1U);
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(Lives, G10_HostsByName) {
  call(0x1100);
  StagOptions options;
  options.hosts[endpoint(client, 1).address] = "one";
  options.hosts[endpoint(server, 1).address] = "one";
  EXPECT_NE(follow(c.segments(), options).record("one", 0x1100), nullptr);
}

TEST_F(Lives, ThoseNotUsedForLongGo) {
  for (std::uint32_t i = 1; i <= 40; ++i) call(i << 8U);
  StagOptions options;
  options.max_stags = 10;
  const Found found = follow(c.segments(), options);
  EXPECT_EQ(found.records.size(), 40U);
  ASSERT_EQ(found.texts.size(), 1U);
  EXPECT_EQ(found.texts[0].substr(0, 9), "CAP-LIMIT");
}

}  // namespace
}  // namespace iwarp::test
