// What is captured on addresses and ports that another connection had before, where its SYN is missing.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>

#include <iwarp/export/summary.hpp>

#include "established.hpp"
#include "support/capture_damage.hpp"

namespace iwarp::test {
namespace {

using established::Established;
using established::talk;

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr TimeNs second = 1'000'000'000;
// Both of them more than 2^31 behind those before.
constexpr Handshake again{.isn_a = 3'000'000'000, .isn_b = 3'600'000'000};

// How the first connection of a port ends, as far as it was captured.
enum class End {
  fin,
  rst,
  uncaptured
};

void end(Conversation& c, End how) {
  if (how == End::fin) c.close();
  if (how == End::rst) c.rst(a);
  if (how == End::uncaptured) c.unseen([&] { c.close(); });
}

Ids of_end(End how) {
  return how == End::rst ? Ids{"VERBS-RST"} : Ids{};
}

// The numbers of another connection: so far behind the octets that each side has sent.
Handshake further_on(const Conversation& c, std::uint32_t of_a, std::uint32_t of_b) {
  const Handshake first;
  return {.isn_a = first.isn_a + static_cast<std::uint32_t>(c.sent(a)) + of_a,
          .isn_b = first.isn_b + static_cast<std::uint32_t>(c.sent(b)) + of_b};
}

TEST(OtherConnection, StartUpFramesBeginOneWhereSynsWereNotCaptured) {
  for (const End how : {End::fin, End::rst, End::uncaptured}) {
    for (const TimeNs pause : {second, 3 * second, 40 * second, 500 * second}) {
      SCOPED_TRACE(testing::Message() << "end " << static_cast<int>(how) << ", pause " << pause / second);
      Established c;
      talk(c);
      end(c, how);
      c.wait(pause);
      c.unseen([&] { c.handshake(again); });
      c.startup();
      talk(c);
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), of_end(how)) << result.told();
      ASSERT_EQ(result.analysis().connection_count(), 2U);
      EXPECT_EQ(result.fpdus().size(), 10U);
      EXPECT_EQ(result.messages().size(), 10U);
      EXPECT_EQ(result.state(1).mpa.startups, 1U);
      EXPECT_TRUE(result.state(1).mpa.accepted);
      EXPECT_EQ(result.side(a).gaps + result.side(b).gaps, 0U);
      EXPECT_EQ(result.side(a, 1).gaps + result.side(b, 1).gaps, 0U);
      EXPECT_EQ(result.analysis().late_segments(), 0U);
    }
  }
}

TEST(OtherConnection, NumbersFarOffBeginOneInItsMiddle) {
  for (const End how : {End::fin, End::rst}) {
    for (const TimeNs pause : {3 * second, 40 * second}) {
      Established c;
      talk(c);
      end(c, how);
      c.wait(pause);
      c.unseen([&] {
        c.handshake(again);
        c.startup();
      });
      talk(c);
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), of_end(how)) << result.told();
      ASSERT_EQ(result.analysis().connection_count(), 2U);
      EXPECT_EQ(result.fpdus().size(), 10U);
      EXPECT_EQ(result.state(1).opened_by, OpenedBy::midstream);
      EXPECT_EQ(result.side(a).gap_octets, 0U);
    }
  }
}

// A server that forgot a half-open connection answers the SYN again, with another number; or two hosts
// answer. Of the answers the one that counts was captured first, or last, or not at all.
TEST(OtherConnection, ASynThatWasAnsweredAgainWithAnotherNumber) {
  enum class Captured {
    first,
    last,
    lost
  };
  for (const Captured captured : {Captured::first, Captured::last, Captured::lost}) {
    for (const std::uint32_t behind :
         {1U, 1U << 16U, 1U << 24U, 0x7fff0000U, 0x80010000U, 0xc0000000U, 0xff000000U}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(captured)) + ", " + std::to_string(behind));
      Established c;
      talk(c);
      c.close();
      Segments segments = c.segments();
      const auto answer = std::find_if(segments.begin(), segments.end(), [](const OwnedSegment& each) {
        return (each.meta.flags & tcp::syn) != 0 && (each.meta.flags & tcp::ack) != 0;
      });
      ASSERT_NE(answer, segments.end());
      OwnedSegment another = *answer;
      another.meta.sequence += behind;
      if (captured == Captured::first) segments.insert(std::next(answer), another);
      if (captured == Captured::last) segments.insert(answer, another);
      if (captured == Captured::lost) *answer = another;
      number_frames(segments);
      const Analysed result(segments);
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      EXPECT_EQ(result.analysis().connection_count(), 1U);
      EXPECT_EQ(result.fpdus().size(), 5U);
      EXPECT_EQ(result.side(a).gaps + result.side(b).gaps, 0U);
      EXPECT_TRUE(result.state(0).mpa.accepted);
    }
  }
}

TEST(OtherConnection, WhatComesLateIsCounted) {
  Established c;
  talk(c);
  c.close();
  c.wait(40 * second);
  c.ack(a);
  c.ack(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  // The first one only lets the connection go.
  EXPECT_EQ(result.analysis().late_segments(), 2U);
}

TEST(OtherConnection, LateOctetsOfAnEndedOneAreNone) {
  Established c;
  const Packets first = c.fpdu(a, send(1, pattern(200)));
  talk(c);
  c.rst(b);
  c.resend(first);
  const Packets reply = c.resend(b, 0, 20);  // begins with a key
  ASSERT_GT(reply.count, 0U);
  const Analysed result(c);
  EXPECT_EQ(result.analysis().connection_count(), 1U) << result.told();
}

TEST(OtherConnection, AHoleOfAMegabyteIsOne) {
  Established c;
  talk(c);
  c.unseen([&] {
    for (std::uint32_t msn = 4; msn < 24; ++msn) c.fpdu(a, send(msn, pattern(60'000)), Cuts::every(1448));
  });
  c.fpdu(a, send(24, pattern(100)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
}

// Sequence numbers of a clock (RFC 9293 §3.4.1; Linux' counts every 64 ns): those of a connection that begins
// 100 ms later seem to go on behind a hole, as long in both directions.
TEST(OtherConnection, NumbersOfAClockBeginOneThatIsCapturedInItsMiddle) {
  constexpr std::uint32_t ticks = 1'562'500;
  for (const End how : {End::fin, End::rst, End::uncaptured}) {
    Established c;
    talk(c);
    end(c, how);
    c.wait(second / 10);
    c.unseen([&] {
      c.handshake({.isn_a = Handshake{}.isn_a + ticks, .isn_b = Handshake{}.isn_b + ticks});
      c.startup();
    });
    talk(c);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), of_end(how)) << result.told();
    EXPECT_EQ(result.analysis().connection_count(), 2U);
    EXPECT_EQ(result.fpdus().size(), 10U);
  }
}

// Random numbers of one direction are near those before once in a thousand times; the other direction's are
// not.
TEST(OtherConnection, NumbersNearInOneDirectionByChanceBeginOne) {
  constexpr std::uint32_t far_off = 1'425'643'599;
  for (const std::int32_t distance : {-2'778'872, -1'186'301, -70'000, 70'000, 1'000'000, 3'000'000}) {
    for (const bool much : {false, true}) {
      for (const Side near : {a, b}) {
        SCOPED_TRACE(testing::Message() << distance << (much ? " of much" : "") << (near == a ? " a" : " b"));
        Established c;
        talk(c);
        for (std::uint32_t msn = 0; much && msn < 20; ++msn) {
          c.fpdu(a, send(4 + msn, pattern(60'000)), Cuts::every(1448));
          c.fpdu(b, send(3 + msn, pattern(60'000)), Cuts::every(1448));
        }
        const std::uint32_t carried = much ? 1'200'000 : 0;
        const std::uint32_t near_by = carried + static_cast<std::uint32_t>(distance);
        c.wait(second);
        c.unseen([&] {
          c.close();
          c.handshake({.isn_a = Handshake{}.isn_a + (near == a ? near_by : far_off),
                       .isn_b = Handshake{}.isn_b + (near == b ? near_by : far_off)});
        });
        c.ack(a);
        c.startup();
        talk(c);
        c.close();
        const Analysed result(c);
        EXPECT_EQ(result.ids(), Ids{}) << result.told();
        ASSERT_EQ(result.analysis().connection_count(), 2U);
        EXPECT_TRUE(result.state(1).mpa.accepted);
      }
    }
  }
}

TEST(OtherConnection, HolesOfAMegabyteInBothDirectionsOfOneThatCarriedMuchAreOfOne) {
  Established c;
  const auto exchange = [&c](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t msn = first; msn <= last; ++msn) {
      c.fpdu(a, send(msn, pattern(60'000)), Cuts::every(1448));
      c.fpdu(b, send(msn, pattern(60'000)), Cuts::every(1448));
    }
  };
  exchange(1, 4);
  c.unseen([&] { exchange(5, 24); });
  exchange(25, 26);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
}

// What waits for octets that it acknowledges was captured, and what continues it belongs to it, however much
// that is, and however little was sent before.
TEST(OtherConnection, WhatContinuesSegmentsThatWaitIsOfOne) {
  for (const std::uint32_t skipped : {0U, 3U}) {
    Established c;
    c.fpdu(a, send(1, pattern(1400)));
    c.fpdu(b, send(1, pattern(100)));
    c.unseen([&] {
      for (std::uint32_t msn = 2; msn < 5; ++msn) c.fpdu(a, send(msn, pattern(1400)));
      for (std::uint32_t msn = 2; msn < 52; ++msn) c.fpdu(b, send(msn, pattern(1400)));
    });
    for (std::uint32_t msn = 5; msn < 100; ++msn)
      c.fpdu(a, send(msn < 90 ? msn : msn + skipped, pattern(1400)));
    c.fpdu(b, send(52, pattern(100)));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.analysis().connection_count(), 1U);
    EXPECT_EQ(result.ids(), skipped > 0 ? Ids{"DDP-MSNGAP"} : Ids{}) << result.told();
    EXPECT_EQ(result.fpdus().size(), 1U + 1 + 95 + 1);
  }
}

// Nothing new comes behind a FIN: a start-up frame there is another connection's, wherever its numbers lie;
// it may be sent again itself, late.
TEST(OtherConnection, AStartUpFrameBehindAFinBeginsOne) {
  for (const std::uint32_t distance : {1000U, 64'000U, 0U - 3000U}) {
    for (const bool both : {true, false}) {
      SCOPED_TRACE(testing::Message() << static_cast<std::int32_t>(distance) << (both ? " both" : " one"));
      Established c;
      c.capture(b, both);
      for (std::uint32_t msn = 1; msn < 40; ++msn) c.fpdu(a, send(msn, pattern(500)));
      c.fpdu(b, send(1, pattern(100)));
      c.close();
      c.wait(second);
      c.unseen([&] { c.handshake(further_on(c, distance, distance)); });
      c.startup();
      talk(c);
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      EXPECT_EQ(result.analysis().connection_count(), 2U);
      EXPECT_EQ(result.fpdus().size(), both ? 45U : 42U) << result.told();
    }
  }
}

// What its sender says was due is near, but what it acknowledges was never sent, or the other way round: no
// octet comes from before the connection began.
TEST(OtherConnection, NumbersFromBeforeItsBeginningAreOfAnother) {
  for (const Side near : {a, b}) {
    for (const std::uint32_t before : {200'000U, 1'000'000'000U}) {
      SCOPED_TRACE(testing::Message() << (near == a ? "a" : "b") << before);
      Established c;
      talk(c);
      c.wait(second);
      c.unseen([&] {
        c.handshake(further_on(c, near == a ? 30'000 : 0U - before, near == b ? 30'000 : 0U - before));
      });
      c.startup();
      talk(c);
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      ASSERT_EQ(result.analysis().connection_count(), 2U);
      EXPECT_EQ(result.fpdus().size(), 10U);
      EXPECT_TRUE(result.state(1).mpa.accepted);
    }
  }
}

TEST(OtherConnection, AStartUpFrameBehindAHoleOfAStreamIsAnother) {
  Established c;
  talk(c);
  c.wait(second);
  const Handshake numbers;
  c.unseen([&] {  // whose numbers go on where those of the first were, as a clock's may
    c.handshake({.isn_a = numbers.isn_a + 3000, .isn_b = numbers.isn_b + 3000});
  });
  c.startup();
  talk(c);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.fpdus().size(), 10U);
}

// Linux takes 65 537 numbers more where it uses ports again that are in TIME-WAIT.
TEST(OtherConnection, OctetsBehindAnAcknowledgedFinBeginOne) {
  for (const std::uint32_t step : {200U, 65'537U}) {
    for (const TimeNs pause : {second / 1000, 3 * second, 40 * second}) {
      SCOPED_TRACE(testing::Message() << "step " << step << ", pause " << pause);
      Established c;
      talk(c);
      c.close();
      c.wait(pause);
      c.unseen([&] {
        c.handshake(further_on(c, step + 1, step + 1));
        c.startup();
      });
      talk(c);
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      ASSERT_EQ(result.analysis().connection_count(), 2U);
      EXPECT_EQ(result.fpdus().size(), 10U);
      EXPECT_EQ(result.state(1).opened_by, OpenedBy::midstream);
      EXPECT_EQ(result.analysis().late_segments(), 0U);
    }
  }
}

// … and behind the FIN of one side, where that of the other one was not captured. The first side that speaks
// acknowledges octets behind that FIN, or sends them.
TEST(OtherConnection, OctetsBehindTheOnlyFinCapturedBeginOne) {
  for (const Side first : {a, b}) {
    for (const std::uint32_t step : {200U, 73'000U}) {
      SCOPED_TRACE(testing::Message() << "first " << static_cast<int>(first) << ", step " << step);
      Established c;
      talk(c);
      c.fin(a);
      c.unseen([&] {
        c.ack(b);
        c.fin(b);
        c.ack(a);
      });
      c.wait(70 * second);
      c.unseen([&] {
        c.handshake(further_on(c, step + 1, step + 1));
        c.startup();
        c.fpdu(a, send(1));
        c.fpdu(b, send(1));
      });
      c.fpdu(first, send(2));
      c.fpdu(other(first), send(2));
      for (std::uint32_t msn = 3; msn < 6; ++msn) {
        c.fpdu(a, send(msn));
        c.fpdu(b, send(msn));
      }
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      ASSERT_EQ(result.analysis().connection_count(), 2U);
      EXPECT_EQ(result.fpdus().size(), 13U);
    }
  }
}

// … which may wait for octets that were not captured when these come.
TEST(OtherConnection, OctetsBehindAFinThatWaitsBeginOne) {
  Established c;
  talk(c);
  c.unseen([&] { c.fpdu(b, send(3, pattern(2000))); });
  c.fpdu(a, send(4, pattern(300)));
  c.fin(a);
  c.unseen([&] {
    c.ack(b);
    c.fin(b);
    c.ack(a);
  });
  c.unseen([&] {
    c.handshake(further_on(c, 1105, 1'000'000));
    c.startup();
    c.fpdu(a, send(1));
  });
  c.fpdu(b, send(1));
  for (std::uint32_t msn = 2; msn < 6; ++msn) {
    c.fpdu(a, send(msn));
    c.fpdu(b, send(msn));
  }
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  ASSERT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.fpdus().size(), 6U + 9U);
}

TEST(OtherConnection, OctetsBehindTheFinOfTheirSenderAreCounted) {
  Established c;
  talk(c);
  c.fin(a);
  c.inject(a, c.sent(a) + 1, Bytes(100));
  const Analysed result(c);
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_EQ(result.analysis().segments_behind_fin(), 1U);
  Summary summary;
  summary.add_undecidable(result.analysis());
  EXPECT_EQ(summary.skipped.count("TCP segments with octets behind the FIN of their stream"), 1U);
}

// A SYN whose numbers are not those of what was captured of the same addresses and ports before, of whichever
// direction.
TEST(OtherConnection, ASynWithForeignNumbersBeginsOne) {
  enum class First {
    joined,
    joined_of_a,
    of_b
  };
  for (const First first : {First::joined, First::joined_of_a, First::of_b}) {
    for (const bool syn_lost : {true, false}) {
      for (const std::uint32_t step : {64'000U, 1'000'000U, 1U << 30U, 1U << 31U}) {
        SCOPED_TRACE(testing::Message()
                     << static_cast<int>(first) << ", SYN lost " << syn_lost << ", step " << step);
        Conversation c;
        const std::size_t opened = c.handshake().count + c.startup().count;
        talk(c);
        const std::size_t before = c.segments().size();
        c.wait(second);
        c.handshake(further_on(c, step, step));
        c.startup();
        talk(c);
        c.close();
        const Segments all = c.segments();
        Segments kept;
        for (std::size_t at = 0; at < all.size(); ++at) {
          const OwnedSegment& each = all[at];
          const bool of_a = each.meta.source == all.front().meta.source;
          if (at < before && (first == First::joined_of_a && !of_a)) continue;
          if (at < before && (first == First::of_b && of_a)) continue;
          if (at < opened && first != First::of_b) continue;
          if (at == before && syn_lost) continue;
          kept.push_back(each);
        }
        number_frames(kept);
        const Analysed result(kept);
        EXPECT_EQ(result.ids(), Ids{}) << result.told();
        ASSERT_EQ(result.analysis().connection_count(), 2U);
        EXPECT_EQ(result.fpdus().size(), (first == First::joined ? 5U : first == First::of_b ? 2U : 3U) + 5U);
        EXPECT_TRUE(result.state(1).mpa.accepted);
      }
    }
  }
}

// What goes on in the other direction behind a FIN is of the same one, however long its hole.
TEST(OtherConnection, AHoleBehindTheFinOfThePeerIsOne) {
  Established c;
  talk(c);
  c.fin(a);
  c.unseen([&] {
    for (std::uint32_t msn = 3; msn < 60; ++msn) c.fpdu(b, send(msn, pattern(1000)));
  });
  c.fpdu(b, send(60, pattern(100)));
  c.fin(b);
  c.ack(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_EQ(result.fpdus().size(), 6U);
}

// The initiator says nothing between its Request and the Reply: what that acknowledges is another Request.
TEST(OtherConnection, AReplyBehindHolesOfBothDirectionsIsAnothers) {
  const Startup none{.word = Depths{.ird = 0, .ord = 0}};
  const Startup many{.word = Depths{.ird = 16, .ord = 16}};
  Conversation c;
  c.handshake();
  const Packets first = c.startup(none, none);
  for (std::size_t i = 1; i < first.count; ++i) c.drop(first[i]);
  c.unseen([&] {
    talk(c);
    c.close();
  });
  c.wait(second);
  const Handshake numbers;
  c.unseen([&] { c.handshake({.isn_a = numbers.isn_a + 3000, .isn_b = numbers.isn_b + 3000}); });
  c.drop(c.startup(many, many)[0]);
  talk(c);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.fpdus().size(), 5U);
}

TEST(OtherConnection, AStartUpFrameBehindLostStreamingDataIsNot) {
  Conversation c;
  c.handshake();
  c.send(a, text("Login: "));
  c.unseen([&] { c.send(b, text("Password: ")); });
  c.unseen([&] { c.send(a, text("secret")); });
  c.startup();
  talk(c);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_EQ(result.fpdus().size(), 5U);
}

// --- an end that was not captured ------------------------------------------------------------------------

TEST(OtherConnection, RequestsOfOneWhoseEndWasNotCapturedMayHaveBeenAnswered) {
  for (const bool syn_captured : {true, false}) {
    SCOPED_TRACE(syn_captured);
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 10, .source_stag = 8}));
    c.unseen([&] {
      c.fpdu(b, read_response(7, 0, pattern(10)));
      c.close();
    });
    c.wait(2 * second);
    const Packets handshake = c.handshake(again);
    if (!syn_captured) c.drop(handshake);
    c.startup();
    talk(c);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_EQ(result.analysis().connection_count(), 2U);
    EXPECT_EQ(result.undecidable("RDMAP-RRLOST", Reason::gap), 1U);
  }
}

TEST(OtherConnection, RequestsLeftWhenOneEndedByResetAreLost) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 10, .source_stag = 8}));
  c.ack(b);
  c.fin(b);
  c.ack(a);
  c.fin(a);
  c.ack(b);
  c.wait(2 * second);
  c.handshake(again);
  c.startup();
  talk(c);
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("RDMAP-RRLOST") || result.has("VERBS-BADCLOSE")) << result.told();
}

// --- copies ----------------------------------------------------------------------------------------------

// Out of order just where the capture begins: they are not read, and counted.
TEST(OtherConnection, OctetsFromBeforeTheFirstSegmentAreCounted) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
  });
  talk(c);
  std::vector<OwnedSegment> segments = c.segments();
  std::swap(segments[0].octets, segments[1].octets);
  std::swap(segments[0].meta.sequence, segments[1].meta.sequence);
  const Analysed result(segments);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.fpdus().size(), 4U);
  EXPECT_EQ(result.analysis().early_segments(), 1U);
  Summary summary;
  summary.add_undecidable(result.analysis());
  EXPECT_EQ(summary.skipped, (std::map<std::string, std::uint64_t>{
                                 {"TCP segments with octets from before the first one captured of their "
                                  "stream",
                                  1}}));
}

}  // namespace
}  // namespace iwarp::test
