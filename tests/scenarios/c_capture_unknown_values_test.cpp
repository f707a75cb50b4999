// What octets that were not captured would tell is not known: no 0, no guess, and the same where the same is
// missing.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;

constexpr Read long_read{.sink_stag = 7, .size = 3000, .source_stag = 8};
constexpr Read short_read{.sink_stag = 17, .size = 50, .source_stag = 8};

std::vector<OperationConclusion> reads_of(const Conversation& c) {
  return Analysed(c).operations(OperationKind::read);
}

Packets answer(Established& c, const Read& read) {
  return c.fpdus(b, read_response_segments(read.sink_stag, read.sink_to, pattern(read.size), 1000));
}

// So that nobody waits for what is missing.
void go_on(Established& c, std::uint32_t msn = 2) {
  c.ack(a);
  c.wait(200'000'000);
  c.ack(a);
  c.fpdu(a, read_request(msn, short_read));
  c.fpdu(b, read_response(17, 0, pattern(50)));
  c.ack(a);
  c.close();
}

TEST(UnknownValues, AReadWhoseLastSegmentWasLostHasNoLatency) {
  Established c;
  const Packets request = c.fpdu(a, read_request(1, long_read));
  const Packets response = answer(c, long_read);
  c.drop(response[2]);
  go_on(c);
  const auto reads = reads_of(c);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].status, OperationStatus::incomplete);
  EXPECT_EQ(reads[0].latency(), std::nullopt);
  EXPECT_EQ(reads[0].response.frame, 0U);
  EXPECT_EQ(reads[0].known_length(), std::nullopt);
  EXPECT_EQ(reads[0].first_byte_latency(), c.time(response[0]) - c.time(request)) << "that was captured";
  EXPECT_EQ(reads[1].known_length(), 50U);
  EXPECT_TRUE(reads[1].latency().has_value());
}

// The last segment has no more than the CRC, as siw's often do: when it came is not known. That the snapshot
// length cut the segment before does not change it.
TEST(UnknownValues, AReadWhoseCrcWasLostHasNoLatency) {
  for (const bool cut : {false, true}) {
    Established c;
    c.fpdu(a, read_request(1, long_read));
    const Packets response = c.fpdu(b, read_response(7, 0, pattern(3000)), {3016});
    ASSERT_EQ(response.count, 2U);
    if (cut) c.cut(response[0], 30);
    c.drop(response[1]);
    go_on(c);
    const auto reads = reads_of(c);
    ASSERT_EQ(reads.size(), 2U);
    EXPECT_EQ(reads[0].status, OperationStatus::complete) << cut;
    EXPECT_EQ(reads[0].known_length(), 3000U) << cut;
    EXPECT_EQ(reads[0].response.frame, 0U) << cut;
    EXPECT_EQ(reads[0].latency(), std::nullopt) << cut;
    EXPECT_EQ(reads[0].first_byte_latency(), std::nullopt) << cut;
  }
}

TEST(UnknownValues, AReadWhoseFirstSegmentWasLostHasNoFirstByteLatency) {
  Established c;
  const Packets request = c.fpdu(a, read_request(1, long_read));
  const Packets response = answer(c, long_read);
  c.drop(response[0]);
  go_on(c);
  const auto reads = reads_of(c);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].first_byte_latency(), std::nullopt);
  EXPECT_EQ(reads[0].known_length(), std::nullopt);
  EXPECT_EQ(reads[0].latency(), c.time(response[2]) - c.time(request)) << "that was captured";
}

TEST(UnknownValues, ResponsesThatLackTheSameSayTheSame) {
  for (const std::size_t lost : {0U, 1U, 2U}) {
    Established c;
    c.fpdu(a, read_request(1, long_read));
    const Packets response = answer(c, long_read);
    c.drop(response[lost]);
    go_on(c);
    const Analysed result(c);
    const auto reads = result.operations(OperationKind::read);
    ASSERT_EQ(reads.size(), 2U) << lost;
    EXPECT_EQ(reads[0].status, OperationStatus::incomplete) << lost;
    EXPECT_EQ(reads[0].known_length(), std::nullopt) << lost;
    const std::vector<Event> responses = result.messages(wire::Opcode::read_response, false);
    ASSERT_EQ(responses.size(), 2U) << lost;
    EXPECT_EQ(responses[0].message.end, MessageEnd::unknown) << lost;
    EXPECT_EQ(responses[0].message.known_length(), std::nullopt) << lost;
    EXPECT_EQ(responses[0].message.start_seen, lost != 0) << lost;
  }
}

TEST(UnknownValues, AnUnansweredCutReadHasNoLength) {
  for (const std::size_t kept : {21U, 35U, 36U, 47U}) {  // of 48: the size ends behind 36
    Established c;
    c.cut(c.fpdu(a, read_request(1, long_read)), kept);
    c.ack(b);
    const auto reads = reads_of(c);
    ASSERT_EQ(reads.size(), 1U) << kept;
    EXPECT_EQ(reads[0].known_length(), kept < 36 ? std::nullopt : std::optional<std::uint64_t>(3000)) << kept;
  }
}

TEST(UnknownValues, OutstandingIsNotKnownWhereAResponseMayBeMissing) {
  Established c;
  c.fpdu(a, read_request(1, long_read));
  c.drop(answer(c, long_read));
  c.fpdu(a, read_request(2, short_read));  // with or without the first one
  c.fpdu(b, read_response(17, 0, pattern(50)));
  c.ack(a);
  c.close();
  for (const OperationConclusion& read : reads_of(c)) EXPECT_EQ(read.outstanding, 0U);
}

// Of two Reads into one sink, as rping's are, the response to the first and the request of the second were
// lost: the response that was captured is not the first one's.
TEST(UnknownValues, AReadIsNotPairedAcrossHolesInBothDirections) {
  Established c;
  const Packets first = c.fpdu(a, read_request(1, long_read));
  c.drop(answer(c, long_read));
  c.ack(a);
  c.drop(c.fpdu(a, read_request(2, long_read)));
  answer(c, long_read);
  go_on(c, 3);
  const auto reads = reads_of(c);
  ASSERT_FALSE(reads.empty());
  EXPECT_EQ(reads[0].request.frame, c.at(first));
  EXPECT_EQ(reads[0].status, OperationStatus::unknown);
  EXPECT_EQ(reads[0].latency(), std::nullopt);
  EXPECT_EQ(reads[0].first_byte_latency(), std::nullopt);
  EXPECT_EQ(reads.back().status, OperationStatus::complete);
  EXPECT_TRUE(reads.back().latency().has_value()) << "what comes behind both holes is known";
}

// The middle of a response is found by what it lies within: that is both Reads of one sink.
TEST(UnknownValues, TheMiddleOfAResponseIsNotPairedWithOneOfTwoAlikeReads) {
  Established c;
  c.fpdu(a, read_request(1, long_read));
  c.fpdu(a, read_request(2, long_read));
  c.drop(answer(c, long_read));
  c.drop(answer(c, long_read)[0]);
  go_on(c, 3);
  const auto reads = reads_of(c);
  ASSERT_EQ(reads.size(), 3U);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(reads[i].status, OperationStatus::unknown) << i;
    EXPECT_EQ(reads[i].latency(), std::nullopt) << i;
  }
}

// Where the capture begins in the middle, a hole in one direction casts no doubt on the Reads behind it.
TEST(UnknownValues, AfterAMidStreamBeginAHoleInOneDirectionLeavesTheOthersPaired) {
  Established c;
  c.fpdu(a, read_request(1, long_read));
  answer(c, long_read);
  const std::size_t unseen = c.segments().size();
  Packets lost;
  for (std::uint32_t msn = 2; msn < 7; ++msn) {
    c.fpdu(a, read_request(msn, long_read));
    const Packets response = answer(c, long_read);
    if (msn == 3) lost = response[1];
    c.ack(a);
  }
  c.close();
  c.drop(lost);
  std::vector<OwnedSegment> late = c.segments();
  late.erase(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(unseen));
  const auto reads = Analysed(late).operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 5U);
  for (const std::size_t i : {0U, 2U, 3U, 4U}) {
    EXPECT_EQ(reads[i].status, OperationStatus::complete) << i;
    EXPECT_TRUE(reads[i].latency().has_value()) << i;
  }
}

// The responder sent these packets before it had all the requests that were on their way.
void without_the_latest(Conversation& c, Packets answer, Packets request) {
  for (std::size_t i = 0; i < answer.count; ++i)
    c.packet(answer[i]).meta.acknowledgement -= static_cast<std::uint32_t>(c.packet(request).octets.size());
}

// As long as it is not known whether a request from before the capture is being answered: the first answer
// was sent before the request that was seen had come.
TEST(UnknownValues, ReadsOfOneSinkAreNotPairedWhereTheCaptureBeginsBetweenThem) {
  for (const bool alike : {true, false}) {
    Established c;
    const Packets unseen = c.fpdu(a, read_request(1, long_read));
    const Packets seen = c.fpdu(a, read_request(2, alike ? long_read : short_read));
    without_the_latest(c, answer(c, long_read), seen);
    c.fpdu(a, read_request(3, long_read));
    answer(c, alike ? long_read : short_read);
    c.ack(a);
    answer(c, long_read);
    c.ack(a);
    c.close();
    std::vector<OwnedSegment> late = c.segments();
    late.erase(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(c.at(unseen)));
    const auto reads = Analysed(late).operations(OperationKind::read);
    ASSERT_EQ(reads.size(), 2U) << alike;
    for (const OperationConclusion& read : reads) {
      if (!alike && read.status == OperationStatus::complete) continue;
      EXPECT_EQ(read.status, OperationStatus::unknown) << alike;
      EXPECT_EQ(read.latency(), std::nullopt) << alike;
      EXPECT_EQ(read.first_byte_latency(), std::nullopt) << alike;
    }
    EXPECT_EQ(reads[1].status, alike ? OperationStatus::unknown : OperationStatus::complete) << alike;
  }
}

// Nothing shows that one of them waits while the next is asked for.
TEST(UnknownValues, ReadsOfOneSinkOneAfterTheOtherArePairedWhereTheCaptureBeginsBetweenThem) {
  Established c;
  c.fpdu(a, read_request(1, long_read));
  answer(c, long_read);
  const std::size_t unseen = c.segments().size();
  for (std::uint32_t msn = 2; msn < 6; ++msn) {
    c.fpdu(a, read_request(msn, long_read));
    answer(c, long_read);
  }
  c.close();
  std::vector<OwnedSegment> late = c.segments();
  late.erase(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(unseen));
  const auto reads = Analysed(late).operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 4U);
  for (const OperationConclusion& read : reads) {
    EXPECT_EQ(read.status, OperationStatus::complete);
    EXPECT_TRUE(read.latency().has_value());
    EXPECT_TRUE(read.first_byte_latency().has_value());
  }
}

TEST(UnknownValues, AMessageThatItsSenderDidNotFinishIsNoneOfWhichOctetsAreMissing) {
  Established c;
  c.fpdu(a, send(1, pattern(100), {.last = false}));
  c.close();
  const auto sent = Analysed(c).messages(false);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].message.end, MessageEnd::incomplete);
  EXPECT_EQ(sent[0].message.known_length(), 100U);

  Established cut_off;
  cut_off.fpdu(a, send(1, pattern(100), {.last = false}));
  const auto open = Analysed(cut_off).messages(false);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].message.end, MessageEnd::unknown) << "the capture ends first";
  EXPECT_EQ(open[0].message.known_length(), std::nullopt);
}

TEST(UnknownValues, WhatMayBeTheReadyToReceiveMessageIsNotSaidToBeNone) {
  const Startup word{.word = Depths{.peer_to_peer = true, .rtr_write = true, .ird = 1, .ord = 1}};
  for (const bool startup_captured : {true, false}) {
    Conversation c;
    c.handshake();
    const Packets frames = c.startup(word, word);
    if (!startup_captured) c.drop(frames);
    c.fpdu(a, write(0, 0));
    c.fpdu(a, send(1, text("hello")));
    c.fpdu(b, send(1, text("hello")));
    c.fpdu(a, write(5, 0x1000, pattern(600)));
    c.close();
    const auto messages = Analysed(c).messages(false);
    ASSERT_GE(messages.size(), 1U);
    EXPECT_EQ(messages[0].message.rtr_known, startup_captured);
    EXPECT_EQ(messages[0].message.rtr, startup_captured);
    for (std::size_t i = 1; i < messages.size(); ++i) EXPECT_TRUE(messages[i].message.rtr_known);
  }
}

}  // namespace
}  // namespace iwarp::test
