// Who is accused of a number out of sequence (MSN, MO, TO): the FPDU that fits neither what came before it
// nor what comes behind it, once, never the right one next to it (RFC 5041 §4.3, §5.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "accusation.hpp"
#include "established.hpp"

namespace iwarp::test::established {
namespace {

// Who is accused, with the wrong number in place of the frame: octets that waited for a hole to be filled or
// given up are reported in one frame.
Told accused_numbers(const Analysed& result) {
  Told lines;
  for (const Event& event : result.of(EventKind::finding)) {
    const Finding& finding = event.finding;
    if (finding.severity < Severity::warning) continue;
    const bool msn = finding.check == CheckId::ddp_msngap || finding.check == CheckId::ddp_msndup;
    const std::size_t which = finding.check == CheckId::ddp_toseq ? 0 : msn ? 1 : 2;
    lines.push_back(std::string(check_info(finding.check).id) + " " +
                    std::to_string(finding.arguments[which]));
  }
  return lines;
}
// Sends the segments of one message, each MO `shift(index)` beside the right one, and a message behind it.
// Returns their packets.
using Shift = std::function<std::int64_t(std::size_t)>;
std::vector<Packets> send_shifted(Conversation& c, const Shift& shift, std::uint32_t msn = 1,
                                  std::size_t count = pieces) {
  std::vector<Packets> sent;
  for (std::size_t i = 0; i < count; ++i) {
    const auto mo = static_cast<std::uint32_t>(static_cast<std::int64_t>(i * piece) + shift(i));
    sent.push_back(c.fpdu(a, send(msn, part(i), {.last = i + 1 == count, .mo = mo})));
  }
  return sent;
}
// The same of an RDMA Write.
std::vector<Packets> write_shifted(Conversation& c, const Shift& shift, std::uint64_t to = 0x10000,
                                   std::size_t count = pieces) {
  std::vector<Packets> sent;
  for (std::size_t i = 0; i < count; ++i) {
    sent.push_back(c.fpdu(a, write(7, to + i * piece + static_cast<std::uint64_t>(shift(i)), part(i),
                                   {.last = i + 1 == count})));
  }
  return sent;
}
Shift at(std::size_t wrong, std::int64_t by) {
  return [=](std::size_t i) { return i == wrong ? by : 0; };
}
Shift from(std::size_t first, std::int64_t by) {
  return [=](std::size_t i) { return i >= first ? by : 0; };
}

constexpr std::int64_t shifts[] = {1, -1, 4, -4, 50, -50, 99, 100, -100, 150, 200, 300, 1000, 1'000'000};

// --- MO ---------------------------------------------------------------------------------------------------

TEST(InnocentAccused, OneWrongMo) {
  for (std::size_t wrong = 1; wrong < pieces; ++wrong) {
    for (const std::int64_t by : shifts) {
      if (by < -static_cast<std::int64_t>(wrong * piece)) continue;
      SCOPED_TRACE("segment " + std::to_string(wrong) + " by " + std::to_string(by));
      Established c;
      const auto sent = send_shifted(c, at(wrong, by));
      c.fpdu(a, send(2));
      c.close();
      const Analysed result(c);
      EXPECT_EQ(accused(result), (Told{accusation("DDP-MOSEQ", c.at(sent[wrong]))})) << result.told();
      const auto found = result.findings("DDP-MOSEQ");
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found[0].finding.severity, Severity::error);
      EXPECT_EQ(found[0].finding.arguments[3], wrong * piece) << "what was due";
    }
  }
}

TEST(InnocentAccused, TheRestOfTheMessageMakesItWhole) {
  Established c;
  send_shifted(c, at(2, 1));
  c.close();
  EXPECT_EQ(messages(Analysed(c)), (Told{"send of 600, msn 1"}));
}

TEST(InnocentAccused, WrongMoThatLaterOnesKeepTo) {
  for (std::size_t first = 1; first < pieces; ++first) {
    for (const std::int64_t by : {1, -1, 50, -50, 1000}) {
      SCOPED_TRACE("from segment " + std::to_string(first) + " by " + std::to_string(by));
      Established c;
      const auto sent = send_shifted(c, from(first, by));
      c.fpdu(a, send(2));
      c.close();
      const Analysed result(c);
      EXPECT_EQ(accused(result), (Told{accusation("DDP-MOSEQ", c.at(sent[first]))})) << result.told();
    }
  }
}

TEST(InnocentAccused, WrongMoThatSomeKeepToUntilItIsRightAgain) {
  for (const std::int64_t by : {1, -1, 1000}) {
    SCOPED_TRACE(by);
    Established c;
    const auto sent = send_shifted(c, [by](std::size_t i) { return i == 2 || i == 3 ? by : 0; });
    c.fpdu(a, send(2));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(accused(result), (Told{accusation("DDP-MOSEQ", c.at(sent[2]))})) << result.told();
  }
}

TEST(InnocentAccused, SeveralWrongMos) {
  struct Row {
    std::vector<std::int64_t> shifts;
    std::vector<std::size_t> wrong;
  };
  const Row rows[] = {{{0, 1, 0, 1, 0, 0}, {1, 3}},    {{0, 1, 5, 0, 0, 0}, {1, 2}},
                      {{0, -1, 5, 0, 0, 0}, {1, 2}},   {{0, 1, -5, 0, 0, 0}, {1, 2}},
                      {{0, 1, 5, 9, 0, 0}, {1, 2, 3}}, {{0, 1, 1, 5, 1, 1}, {1, 3}},
                      {{0, 1, 0, 0, 7, 0}, {1, 4}},    {{0, -7, 0, -7, 0, -7}, {1, 3, 5}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.shifts));
    Established c;
    const auto sent = send_shifted(c, [&row](std::size_t i) { return row.shifts[i]; });
    c.fpdu(a, send(2));
    c.close();
    Told expected;
    for (const std::size_t wrong : row.wrong) expected.push_back(accusation("DDP-MOSEQ", c.at(sent[wrong])));
    Told found = accused(Analysed(c));
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(InnocentAccused, MessageThatBeginsElsewhere) {
  for (const std::int64_t by : {1, 100, 1000}) {
    for (const Shift& shift : {at(0, by), from(0, by)}) {
      Established c;
      const auto sent = send_shifted(c, shift);
      c.fpdu(a, send(2));
      c.close();
      const Analysed result(c);
      EXPECT_EQ(accused(result), (Told{accusation("DDP-MO0", c.at(sent[0]))})) << result.told();
    }
  }
}

TEST(InnocentAccused, SegmentsInAnotherOrderAreAWarning) {
  const std::vector<std::vector<std::size_t>> orders = {{0, 2, 1, 3}, {0, 3, 1, 2},    {0, 3, 2, 1},
                                                        {0, 2, 3, 1}, {0, 1, 3, 2, 4}, {0, 2, 4, 1, 3}};
  for (const auto& order : orders) {
    SCOPED_TRACE(testing::PrintToString(order));
    Established c;
    for (const std::size_t i : order) {
      const bool last = i + 1 == order.size();
      c.fpdu(a, send(1, part(i), {.last = last, .mo = static_cast<std::uint32_t>(i * piece)}));
    }
    c.fpdu(a, send(2));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::error), Ids{}) << result.told();
    EXPECT_EQ(result.findings("DDP-MOSEQ").size(), 1U);
    EXPECT_EQ(messages(result)[0], "send of " + std::to_string(order.size() * piece) + ", msn 1");
  }
}

TEST(InnocentAccused, WrongMoInAMarkedStream) {
  Established c({.markers = true}, {.markers = true});
  c.fpdu(a, send(1));
  std::vector<Packets> sent;
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto mo = static_cast<std::uint32_t>(i * 1000 + (i == 3 ? 1 : 0));
    sent.push_back(c.fpdu(a, send(2, part(i, 1000), {.last = i + 1 == pieces, .mo = mo})));
  }
  c.close();
  EXPECT_EQ(accused(Analysed(c)), (Told{accusation("DDP-MOSEQ", c.at(sent[3]))}));
}

// --- MO near a hole ---------------------------------------------------------------------------------------

// Whatever segment is lost, whichever is wrong: no right one is accused.
TEST(InnocentAccused, WrongMoNearAHole) {
  constexpr std::size_t count = 8;
  for (std::size_t lost = 0; lost < count; ++lost) {
    for (std::size_t wrong = 0; wrong < count; ++wrong) {
      for (const std::int64_t by : {1, -1, 100, -100, 250}) {
        if (wrong == lost || (by < 0 && wrong * piece < static_cast<std::size_t>(-by))) continue;
        SCOPED_TRACE("lost " + std::to_string(lost) + ", wrong " + std::to_string(wrong) + " by " +
                     std::to_string(by));
        Established c;
        c.fpdu(a, send(1, text("first")));
        const auto sent = send_shifted(c, at(wrong, by), 2, count);
        c.fpdu(a, send(3, text("behind")));
        c.drop(sent[lost]);
        c.close();
        const Analysed result(c);
        const char* const id = wrong == 0 ? "DDP-MO0" : "DDP-MOSEQ";
        const Told culprit = {accusation(id, wrong * piece + static_cast<std::uint64_t>(by))};
        const Told found = accused_numbers(result);
        // With two right ones before it on the same side of the hole it must be found, unless the hole hides
        // whether the octets that seem jumped over come.
        const bool plain = wrong != 0 && (wrong + 4 < lost || wrong > lost + 2);
        EXPECT_TRUE(found == culprit || (!plain && found.empty()))
            << testing::PrintToString(found) << result.told();
      }
    }
  }
}

// --- TO ---------------------------------------------------------------------------------------------------

TEST(InnocentAccused, OneWrongToOfAWrite) {
  for (std::size_t wrong = 1; wrong < pieces; ++wrong) {
    for (const std::int64_t by : shifts) {
      SCOPED_TRACE("segment " + std::to_string(wrong) + " by " + std::to_string(by));
      Established c;
      const auto sent = write_shifted(c, at(wrong, by));
      c.fpdu(a, write(7, 0x20000, pattern(piece)));
      c.close();
      const Analysed result(c);
      EXPECT_EQ(accused(result), (Told{accusation("DDP-TOSEQ", c.at(sent[wrong]))})) << result.told();
      if (wrong + 1 < pieces) {
        EXPECT_EQ(messages(result),
                  (Told{"rdma_write of 600, stag 0x7 to 0x10000", "rdma_write of 100, stag 0x7 to 0x20000"}));
      }
    }
  }
}

TEST(InnocentAccused, WrongToThatLaterOnesKeepTo) {
  for (std::size_t first = 1; first < pieces; ++first) {
    for (const std::int64_t by : shifts) {
      Established c;
      const auto sent = write_shifted(c, from(first, by));
      c.fpdu(a, write(7, 0x20000, pattern(piece)));
      c.close();
      EXPECT_EQ(accused(Analysed(c)), (Told{accusation("DDP-TOSEQ", c.at(sent[first]))}));
    }
  }
}

TEST(InnocentAccused, SeveralWrongTosOfAWrite) {
  struct Row {
    std::vector<std::int64_t> shifts;
    std::vector<std::size_t> wrong;
  };
  const Row rows[] = {{{0, 1, 0, 1, 0, 0}, {1, 3}},    {{0, 1, 5, 0, 0, 0}, {1, 2}},
                      {{0, -1, 5, 0, 0, 0}, {1, 2}},   {{0, 1, 1, 0, 0, 0}, {1}},
                      {{0, 1, 5, 9, 0, 0}, {1, 2, 3}}, {{0, -7, 0, -7, 0, 0}, {1, 3}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.shifts));
    Established c;
    const auto sent = write_shifted(c, [&row](std::size_t i) { return row.shifts[i]; });
    c.fpdu(a, write(7, 0x20000, pattern(piece)));
    c.close();
    Told expected;
    for (const std::size_t wrong : row.wrong) expected.push_back(accusation("DDP-TOSEQ", c.at(sent[wrong])));
    EXPECT_EQ(accused(Analysed(c)), expected);
  }
}

TEST(InnocentAccused, OneWrongToOfAReadResponse) {
  for (std::size_t wrong = 0; wrong < pieces; ++wrong) {
    for (const std::int64_t by : shifts) {
      SCOPED_TRACE("segment " + std::to_string(wrong) + " by " + std::to_string(by));
      Established c;
      c.fpdu(a, send(1));
      c.fpdu(a,
             read_request(1, {.sink_stag = 7, .sink_to = 0x10000, .size = pieces * piece, .source_stag = 9}));
      std::vector<Packets> sent;
      for (std::size_t i = 0; i < pieces; ++i) {
        const std::uint64_t to = 0x10000 + i * piece + (i == wrong ? static_cast<std::uint64_t>(by) : 0);
        sent.push_back(c.fpdu(b, read_response(7, to, part(i), {.last = i + 1 == pieces})));
      }
      c.close();
      const Analysed result(c);
      const char* const id = wrong == 0 ? "RDMAP-RRMATCH" : "DDP-TOSEQ";
      EXPECT_EQ(accused(result), (Told{accusation(id, c.at(sent[wrong]))})) << result.told();
    }
  }
}

TEST(InnocentAccused, WrongToNearAHole) {
  constexpr std::size_t count = 8;
  for (std::size_t lost = 0; lost < count; ++lost) {
    for (std::size_t wrong = 1; wrong < count; ++wrong) {
      for (const std::int64_t by : {1, -1, 100, -100, 250}) {
        if (wrong == lost) continue;
        SCOPED_TRACE("lost " + std::to_string(lost) + ", wrong " + std::to_string(wrong) + " by " +
                     std::to_string(by));
        Established c;
        c.fpdu(a, send(1, text("first")));
        const auto sent = write_shifted(c, at(wrong, by), 0x10000, count);
        c.fpdu(a, write(7, 0x90000, text("behind")));
        c.drop(sent[lost]);
        c.close();
        const Analysed result(c);
        const Told culprit = {
            accusation("DDP-TOSEQ", 0x10000 + wrong * piece + static_cast<std::uint64_t>(by))};
        const Told found = accused_numbers(result);
        const bool plain = wrong + 1 < lost || wrong > lost + 2;
        EXPECT_TRUE(found == culprit || (!plain && found.empty()))
            << testing::PrintToString(found) << result.told();
      }
    }
  }
}

// Of a Read Response, too: what lies in the hole is not known, however the wrong TO and the right ones add
// up.
TEST(InnocentAccused, WrongToOfAReadResponseNearAHole) {
  for (std::size_t lost = 1; lost < pieces; ++lost) {
    for (std::size_t wrong = 1; wrong < pieces; ++wrong) {
      for (const std::int64_t by : {1, -1, 4, 100, -100, 250}) {
        if (wrong == lost) continue;
        SCOPED_TRACE("lost " + std::to_string(lost) + ", wrong " + std::to_string(wrong) + " by " +
                     std::to_string(by));
        Established c;
        c.fpdu(a, send(1));
        const std::uint64_t sink = 0x10000;
        const auto at = [](std::size_t i) { return i * piece; };
        const std::size_t lost_size = static_cast<std::size_t>(by > 0 ? by : piece);
        // The lost segment has as many octets as the wrong TO is too far.
        const auto to = [&](std::size_t i) { return sink + at(i) + (i > lost ? lost_size - piece : 0); };
        const auto size = static_cast<std::uint32_t>(at(pieces) + lost_size - piece);
        c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = sink, .size = size, .source_stag = 9}));
        std::vector<Packets> sent;
        for (std::size_t i = 0; i < pieces; ++i) {
          const std::uint64_t shifted = to(i) + (i == wrong ? static_cast<std::uint64_t>(by) : 0);
          const Bytes octets = part(i, static_cast<std::uint32_t>(i == lost ? lost_size : piece));
          sent.push_back(c.fpdu(b, read_response(7, shifted, octets, {.last = i + 1 == pieces})));
        }
        c.drop(sent[lost]);
        c.close();
        const Analysed result(c);
        const Told culprit = {accusation("DDP-TOSEQ", to(wrong) + static_cast<std::uint64_t>(by))};
        const Told found = accused_numbers(result);
        EXPECT_TRUE(found == culprit || found.empty()) << testing::PrintToString(found) << result.told();
      }
    }
  }
}

// --- MSN --------------------------------------------------------------------------------------------------

std::vector<Packets> messages_shifted(Conversation& c, const Shift& shift, std::size_t count = 8,
                                      std::size_t segments = 1) {
  std::vector<Packets> sent;
  for (std::size_t i = 0; i < count; ++i) {
    const auto msn = static_cast<std::uint32_t>(static_cast<std::int64_t>(i + 1) + shift(i));
    for (std::size_t s = 0; s < segments; ++s) {
      const Packets one = c.fpdu(
          a,
          send(msn, part(i + s), {.last = s + 1 == segments, .mo = static_cast<std::uint32_t>(s * piece)}));
      if (s == 0) sent.push_back(one);
    }
  }
  return sent;
}

TEST(InnocentAccused, OneWrongMsn) {
  for (const std::size_t segments : {1U, 3U}) {
    for (std::size_t wrong = 0; wrong < 8; ++wrong) {
      for (const std::int64_t by : {1, -1, 2, -2, 3, 100}) {
        if (by < -static_cast<std::int64_t>(wrong)) continue;
        SCOPED_TRACE("message " + std::to_string(wrong) + " of " + std::to_string(segments) + " by " +
                     std::to_string(by));
        Established c;
        const auto sent = messages_shifted(c, at(wrong, by), 8, segments);
        c.close();
        const Analysed result(c);
        const char* const id = wrong == 0 ? "DDP-MSN1" : by > 0 ? "DDP-MSNGAP" : "DDP-MSNDUP";
        EXPECT_EQ(accused(result), (Told{accusation(id, c.at(sent[wrong]))})) << result.told();
      }
    }
  }
}

TEST(InnocentAccused, WrongMsnThatLaterOnesKeepTo) {
  for (std::size_t first = 1; first < 8; ++first) {
    for (const std::int64_t by : {1, 2, 100, -1}) {
      SCOPED_TRACE("from message " + std::to_string(first) + " by " + std::to_string(by));
      Established c;
      const auto sent = messages_shifted(c, from(first, by));
      c.close();
      const char* const id = by > 0 ? "DDP-MSNGAP" : "DDP-MSNDUP";
      EXPECT_EQ(accused(Analysed(c)), (Told{accusation(id, c.at(sent[first]))}));
    }
  }
}

TEST(InnocentAccused, TwoMessagesInTheOtherOrder) {
  Established c;
  for (const std::uint32_t msn : {1U, 2U}) c.fpdu(a, send(msn));
  const Packets early = c.fpdu(a, send(4));
  for (const std::uint32_t msn : {3U, 5U, 6U}) c.fpdu(a, send(msn));
  c.close();
  EXPECT_EQ(accused(Analysed(c)), (Told{accusation("DDP-MSNGAP", c.at(early))}));
}

TEST(InnocentAccused, AMessageSentTwiceAndLaterOneLeftOut) {
  Established c;
  for (const std::uint32_t msn : {1U, 2U}) c.fpdu(a, send(msn, text("x")));
  const Packets again = c.fpdu(a, send(2, text("x")));
  c.fpdu(a, send(3));
  const Packets jump = c.fpdu(a, send(5));
  c.fpdu(a, send(6));
  c.close();
  EXPECT_EQ(accused(Analysed(c)),
            (Told{accusation("DDP-MSNDUP", c.at(again)), accusation("DDP-MSNGAP", c.at(jump))}));
}

TEST(InnocentAccused, WrongMsnOfARequest) {
  Established c;
  c.fpdu(a, send(1));
  Packets wrong;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    const Packets request = c.fpdu(
        a, read_request(i == 3 ? 4 : i, {.sink_stag = 7, .sink_to = i * 64, .size = 64, .source_stag = 9}));
    if (i == 3) wrong = request;
    c.fpdu(b, read_response(7, i * 64, pattern(64)));
  }
  c.close();
  EXPECT_EQ(accused(Analysed(c)), (Told{accusation("DDP-MSNGAP", c.at(wrong))}));
}

TEST(InnocentAccused, WrongMsnNearAHole) {
  constexpr std::size_t count = 9;
  for (std::size_t lost = 0; lost < count; ++lost) {
    for (std::size_t wrong = 1; wrong < count; ++wrong) {
      for (const std::int64_t by : {1, -1, 2, 100}) {
        if (wrong == lost) continue;
        SCOPED_TRACE("lost " + std::to_string(lost) + ", wrong " + std::to_string(wrong) + " by " +
                     std::to_string(by));
        Established c;
        const auto sent = messages_shifted(c, at(wrong, by), count);
        c.drop(sent[lost]);
        c.close();
        const Analysed result(c);
        const Told culprit = {
            accusation(by > 0 ? "DDP-MSNGAP" : "DDP-MSNDUP", wrong + 1 + static_cast<std::uint64_t>(by))};
        const Told found = accused_numbers(result);
        const bool plain = wrong + 1 < lost || wrong > lost + 2;
        EXPECT_TRUE(found == culprit || (!plain && found.empty()))
            << testing::PrintToString(found) << result.told();
      }
    }
  }
}

}  // namespace
}  // namespace iwarp::test::established
