// Who is accused where one segment of a longer message has a wrong header: that segment, once, and the
// message stays whole (RFC 5041 §4.3, §5.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "accusation.hpp"
#include "established.hpp"

namespace iwarp::test::established {
namespace {

// Messages 1 to 4 of one segment, message 5 of several, message 6 of as many, and a Read. Segment `wrong` of
// message 5 is made by `make`, of its payload and what its header should say.
struct Segment {
  std::uint32_t msn = 5;
  Ddp ddp;
};
Packets one_wrong_header(Established& c, std::size_t wrong, const std::function<void(Segment&)>& change) {
  Packets culprit;
  for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(a, send(msn, part(msn)));
  for (std::size_t i = 0; i < 2 * pieces; ++i) {
    Segment segment;
    segment.msn = i < pieces ? 5 : 6;
    segment.ddp.last = i % pieces + 1 == pieces;
    segment.ddp.mo = static_cast<std::uint32_t>(i % pieces * piece);
    if (i == wrong) change(segment);
    const Packets sent = c.fpdu(a, send(segment.msn, part(i), segment.ddp));
    if (i == wrong) culprit = sent;
  }
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0, pattern(64)));
  c.close();
  return culprit;
}

// "5: 600 of 6", MSN, octets and segments of each complete Send of several segments.
Told long_messages(const Analysed& result) {
  Told lines;
  for (const Event& event : result.of(EventKind::message)) {
    const MessageConclusion& message = event.message;
    if (message.opcode != wire::Opcode::send || message.segments < 2) continue;
    lines.push_back(std::to_string(message.msn) + ": " + std::to_string(message.length) + " of " +
                    std::to_string(message.segments) +
                    (message.end == MessageEnd::complete ? "" : ", not complete"));
  }
  return lines;
}

// Which of two is wrong nobody knows where nothing was captured before them.
TEST(HeaderAccused, WrongMsnOfTheFirstSegmentCaptured) {
  Established c;
  std::vector<Packets> sent;
  for (std::size_t i = 0; i < 2 * pieces; ++i) {
    const auto msn = static_cast<std::uint32_t>(1 + i / pieces + (i == 2 ? 1 : 0));
    const auto mo = static_cast<std::uint32_t>(i % pieces * piece);
    sent.push_back(c.fpdu(a, send(msn, part(i), {.last = i % pieces + 1 == pieces, .mo = mo})));
  }
  c.close();
  c.drop({0, sent[2].first});
  const Analysed result(c);
  EXPECT_EQ(accused(result), Told{}) << result.told();
  EXPECT_EQ(result.undecidable("DDP-CONST", Reason::midstream), 1U);
}

// The one before it, or behind it, was not captured: what comes after is right.
TEST(HeaderAccused, WrongMsnOfOneSegmentNearAHole) {
  for (std::size_t wrong = 0; wrong < pieces; ++wrong) {
    for (const int lost : {-2, -1, 1, 2}) {
      for (const std::int64_t by : {1, -1, 2, 100, -100}) {
        const auto gone = static_cast<std::int64_t>(wrong) + lost;
        if (gone < 0 || gone >= static_cast<std::int64_t>(2 * pieces)) continue;
        SCOPED_TRACE("wrong " + std::to_string(wrong) + " by " + std::to_string(by) + ", lost " +
                     std::to_string(gone));
        Established c;
        std::vector<Packets> sent;
        for (std::size_t i = 0; i < 5 * pieces; ++i) {
          const auto msn = static_cast<std::int64_t>(1 + i / pieces) + (i == wrong + pieces ? by : 0);
          sent.push_back(c.fpdu(a, send(static_cast<std::uint32_t>(msn), part(i),
                                        {.last = i % pieces + 1 == pieces,
                                         .mo = static_cast<std::uint32_t>(i % pieces * piece)})));
        }
        c.drop(sent[pieces + static_cast<std::size_t>(gone)]);
        c.close();
        const Analysed result(c);
        const auto told = static_cast<std::uint32_t>(2 + by);
        for (const Event& event : result.of(EventKind::finding)) {
          if (event.finding.severity < Severity::warning) continue;
          const auto& arguments = event.finding.arguments;
          EXPECT_NE(std::find(arguments.begin(), arguments.end(), told), arguments.end()) << result.told();
        }
        EXPECT_LE(accused(result).size(), 1U) << result.told();
      }
    }
  }
}

TEST(HeaderAccused, WrongMsnOfOneSegment) {
  for (std::size_t wrong = 0; wrong < pieces; ++wrong) {
    for (const std::int64_t by : {1, -1, 2, -2, -3, -5, -6, 100}) {
      SCOPED_TRACE("segment " + std::to_string(wrong) + " by " + std::to_string(by));
      Established c;
      const Packets culprit = one_wrong_header(c, wrong, [by](Segment& segment) {
        segment.msn = static_cast<std::uint32_t>(static_cast<std::int64_t>(segment.msn) + by);
      });
      const Analysed result(c);
      const char* const id = wrong > 0 ? "DDP-CONST" : by > 0 ? "DDP-MSNGAP" : "DDP-MSNDUP";
      EXPECT_EQ(accused(result), (Told{accusation(id, c.at(culprit))})) << result.told();
      EXPECT_EQ(long_messages(result), (Told{"5: 600 of 6", "6: 600 of 6"}));
    }
  }
}

TEST(HeaderAccused, WrongQueueOfOneSegment) {
  for (std::size_t wrong = 0; wrong < pieces; ++wrong) {
    for (const std::uint32_t queue : {1U, 2U, 3U, 4U, 0x80000000U}) {
      SCOPED_TRACE("segment " + std::to_string(wrong) + " on queue " + std::to_string(queue));
      Established c;
      const Packets culprit =
          one_wrong_header(c, wrong, [queue](Segment& segment) { segment.ddp.queue = queue; });
      const Analysed result(c);
      EXPECT_EQ(accused(result), (Told{accusation("DDP-QN", c.at(culprit))})) << result.told();
      EXPECT_EQ(long_messages(result), (Told{"5: 600 of 6", "6: 600 of 6"}));
    }
  }
}

TEST(HeaderAccused, WrongQueueOfAWholeMessage) {
  Established c;
  for (const std::uint32_t msn : {1U, 2U}) c.fpdu(a, send(msn));
  const Packets culprit = c.fpdu(a, send(3, {}, {.queue = 1}));
  c.fpdu(a, send(4));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0, pattern(64)));
  c.close();
  EXPECT_EQ(accused(Analysed(c)), (Told{accusation("DDP-QN", c.at(culprit))}));
}

// On a queue where the same MSN is due, too.
TEST(HeaderAccused, WrongQueueOfTheVeryFirstSegment) {
  for (const std::uint32_t queue : {1U, 2U, 3U}) {
    Established c;
    const Packets culprit = c.fpdu(a, send(1, part(0), {.last = false, .queue = queue}));
    c.fpdu(a, send(1, part(1), {.mo = piece}));
    c.fpdu(a, send(2));
    c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 9}));
    c.fpdu(b, read_response(7, 0, pattern(64)));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(accused(result), (Told{accusation("DDP-QN", c.at(culprit))})) << result.told();
  }
}

// The same the other way round: a Read Request under the opcode of a Send, which the peer answers.
TEST(HeaderAccused, WrongOpcodeOfTheVeryFirstRequest) {
  for (const wire::Opcode wrong : {wire::Opcode::send, wire::Opcode::send_se, wire::Opcode{15}}) {
    Established c;
    Bytes request = read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 9});
    request[1] = static_cast<Byte>((request[1] & 0xf0U) | static_cast<unsigned>(wrong));
    const Packets culprit = c.fpdu(a, request);
    c.fpdu(b, read_response(7, 0, pattern(64)));
    c.fpdu(a, send(1));
    c.fpdu(a, send(2));
    c.fpdu(a, read_request(2, {.sink_stag = 7, .size = 64, .source_stag = 9}));
    c.fpdu(b, read_response(7, 0, pattern(64)));
    c.close();
    const Analysed result(c);
    const std::string frame = std::to_string(c.at(culprit));
    for (const std::string& line : accused(result)) EXPECT_TRUE(line.ends_with(" " + frame)) << result.told();
    EXPECT_FALSE(result.of(EventKind::finding).empty());  // an opcode that nobody uses is a note
  }
}

// A Send on the Read Requests' queue is no request, as the next request shows: nobody answers it.
TEST(HeaderAccused, WrongQueueOfASendExcusesNoResponse) {
  for (const std::uint32_t before : {0U, 2U}) {  // Sends; with none the same MSN is due on both queues
    Established c;
    for (std::uint32_t msn = 1; msn <= before; ++msn) c.fpdu(a, send(msn));
    const Packets culprit = c.fpdu(a, send(before + 1, {}, {.queue = 1}));
    c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 9}));
    const Packets wrong = c.fpdu(b, read_response(8, 0, pattern(64)));
    c.fpdu(a, send(before + 2));
    c.close();
    EXPECT_EQ(accused(Analysed(c)),
              (Told{accusation("DDP-QN", c.at(culprit)), accusation("RDMAP-RRMATCH", c.at(wrong))}));
  }
}

// A segment whose T says that it is tagged: what its queue lacks by it nobody knows.
TEST(HeaderAccused, TaggedFlagOfOneSegment) {
  for (std::size_t wrong = 0; wrong < pieces; ++wrong) {
    Established c;
    const Packets culprit = one_wrong_header(c, wrong, [](Segment& segment) { segment.ddp.tagged = true; });
    const Analysed result(c);
    const std::string frame = std::to_string(c.at(culprit));
    for (const std::string& line : accused(result)) EXPECT_TRUE(line.ends_with(" " + frame)) << result.told();
    EXPECT_FALSE(accused(result).empty());
  }
}

// How much goes on behind the segment with L does not matter: it is one thing that is wrong.
TEST(HeaderAccused, LastFlagWithinAMessage) {
  for (std::size_t wrong = 0; wrong + 1 < pieces; ++wrong) {
    Established c;
    const Packets culprit = one_wrong_header(c, wrong, [](Segment& segment) { segment.ddp.last = true; });
    const Analysed result(c);
    ASSERT_EQ(accused(result).size(), 1U) << result.told();
    const Finding found = result.of(EventKind::finding)[0].finding;
    EXPECT_EQ(found.check, CheckId::ddp_ldup);
    EXPECT_NE(std::find(found.evidence.begin(), found.evidence.end(), c.at(culprit)), found.evidence.end());
  }
}

// The FPDU with L is named by its own frame, also where it was delivered later, behind a hole.
TEST(HeaderAccused, LastFlagThatWaitedForAHole) {
  Established c;
  const Packets lost = c.lose(a, c.frame(a, send(1)));
  const Packets culprit = c.fpdu(a, send(2, part(0)));
  c.fpdu(a, send(2, part(1), {.mo = piece}));
  c.resend(lost);
  c.close();
  const Analysed result(c);
  ASSERT_EQ(result.ids(), Ids{"DDP-LDUP"}) << result.told();
  EXPECT_EQ(result.of(EventKind::finding)[0].finding.evidence[1], c.at(culprit));
}

}  // namespace
}  // namespace iwarp::test::established
