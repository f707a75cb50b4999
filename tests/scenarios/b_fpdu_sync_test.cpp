// Scenarios B11, B16: octets that are no FPDU, and how framing is found again behind them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

const Read sixteen{
    .sink_stag = 0xa1b2, .sink_to = 0x1000, .size = 16, .source_stag = 0xc3d4, .source_to = 0x2000};

void expect_lost(const Analysed& result, std::uint64_t at, std::uint64_t length) {
  ASSERT_EQ(result.findings("MPA-SYNC").size(), 1U) << result.told();
  const Event finding = result.findings("MPA-SYNC")[0];
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.arguments[0], at);
  EXPECT_EQ(finding.finding.arguments[1], length);
  ASSERT_EQ(result.of(EventKind::sync_lost).size(), 1U);
  EXPECT_EQ(result.of(EventKind::sync_lost)[0].sync_lost.length, length);
}

// --- B11: FPDUs that are not aligned to the markers ----------------------------------------------------

// Marked Sends of which the ones in the middle stand `shift` octets beside every place an FPDU can have:
// markers come to lie inside their ULPDU_Length, control octets and CRC.
Conversation shifted(std::size_t shift, std::uint64_t& lost_at, std::uint64_t& found_at) {
  Conversation c = operating({}, {.markers = true});
  std::uint32_t msn = 1;
  for (; msn <= 3; ++msn) c.fpdu(Side::a, send(msn, pattern(100, msn)));
  lost_at = c.stream(Side::a).position();
  c.send(Side::a, c.stream(Side::a).garbage(pattern(shift, 99)));
  for (; msn <= 63; ++msn) c.fpdu(Side::a, send(msn, pattern(99 + msn, msn)));
  c.send(Side::a, c.stream(Side::a).garbage(pattern(4 - shift, 98)));
  found_at = c.stream(Side::a).position();
  for (; msn <= 83; ++msn) c.fpdu(Side::a, send(msn, pattern(100, msn)));
  c.close();
  return c;
}

TEST(ScenarioB, B11_StreamBesideItsMarkersIsLostUntilItFits) {
  for (std::size_t shift = 1; shift <= 3; ++shift) {
    SCOPED_TRACE(shift);
    std::uint64_t lost_at = 0;
    std::uint64_t found_at = 0;
    const Conversation c = shifted(shift, lost_at, found_at);
    expect_ids(c, {"MPA-SYNC"});
    const Analysed result(c);
    expect_lost(result, lost_at, found_at - lost_at);
    EXPECT_EQ(result.messages().size(), 23U);
    EXPECT_EQ(result.messages().back().message.msn, 83U);
  }
}

TEST(ScenarioB, B11_MarkerInsideTheLengthFieldOrTheCrc) {
  // An FPDU border 1, 2 or 3 octets before the marker's place; what is there is a stream whose markers split
  // the ULPDU_Length field or the CRC, which no sender can produce.
  for (std::size_t before = 1; before <= 3; ++before) {
    SCOPED_TRACE(before);
    Conversation c = operating({}, {.markers = true});
    c.fpdu(Side::a, send(1, pattern(100)));
    const std::size_t filler = 512 - before - c.stream(Side::a).position();
    c.send(Side::a, c.stream(Side::a).garbage(pattern(filler % 4, 5)));
    c.fpdu(Side::a, send(2, pattern(filler / 4 * 4 - 24)));
    ASSERT_EQ(c.stream(Side::a).position(), 512 - before);
    c.fpdu(Side::a, send(3, pattern(200)));
    c.fpdu(Side::a, send(4, pattern(200)));
    const Analysed result(c);
    EXPECT_EQ(result.ids(), (Ids{"MPA-SYNC"})) << result.told();
    EXPECT_EQ(result.messages().size(), 1U);
  }
}

// --- B16: garbage between FPDUs ------------------------------------------------------------------------

// Three Sends, `garbage`, then Sends whose MSNs go on at 9: what is between is lost for good.
struct Script {
  bool markers = false;
  bool crc = true;
  enum class Where {
    alone,
    before,
    behind,
    packed
  } where = Where::alone;
  std::uint32_t next_msn = 9;
};

constexpr std::uint64_t before_garbage = 3 * 124;  // three FPDUs of 2 + 18 + 100 + 4

Conversation with_garbage(const Bytes& garbage, const Script& script) {
  Conversation c = operating({.crc = script.crc}, {.markers = script.markers, .crc = script.crc});
  c.fpdu(Side::a, send(1, pattern(100, 1)));
  c.fpdu(Side::a, send(2, pattern(100, 2)));
  std::vector<Bytes> pieces = {c.frame(Side::a, send(3, pattern(100, 3)))};
  pieces.push_back(c.stream(Side::a).garbage(garbage));
  for (std::uint32_t i = 0; i < 5; ++i) {
    pieces.push_back(c.frame(Side::a, send(script.next_msn + i, pattern(60 + i, i))));
  }
  switch (script.where) {
    case Script::Where::alone: break;
    case Script::Where::before:
      pieces[2] = cat(pieces[1], pieces[2]);
      pieces.erase(pieces.begin() + 1);
      break;
    case Script::Where::behind:
      pieces[0] = cat(pieces[0], pieces[1]);
      pieces.erase(pieces.begin() + 1);
      break;
    case Script::Where::packed: pieces = {cat(pieces)}; break;
  }
  for (const Bytes& piece : pieces) c.send(Side::a, piece);
  c.close();
  return c;
}

TEST(ScenarioB, B16_SevenOctetsOfGarbage) {
  using Where = Script::Where;
  for (const Where where : {Where::alone, Where::before, Where::behind, Where::packed}) {
    SCOPED_TRACE(static_cast<int>(where));
    const Conversation c = with_garbage(pattern(7, 42), {.where = where});
    expect_ids(c, {"MPA-SYNC"});
    const Analysed result(c);
    expect_lost(result, before_garbage, 7);
    const std::vector<Event> sends = result.messages(wire::Opcode::send);
    ASSERT_EQ(sends.size(), 8U);
    EXPECT_EQ(sends[3].message.msn, 9U);
    EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 14U);
    EXPECT_GT(result.undecidable("DDP-MSNGAP"), 0U);
    ASSERT_EQ(result.of(EventKind::locked).size(), 1U);
    EXPECT_EQ(result.of(EventKind::locked)[0].locked.skipped, 7U);
    EXPECT_FALSE(result.of(EventKind::locked)[0].locked.inferred);
    EXPECT_EQ(result.fpdus()[3].fpdu.stream_offset, before_garbage + 7);
  }
}

TEST(ScenarioB, B16_SevenOctetsOfGarbageWithoutCrc) {
  using Where = Script::Where;
  for (const Where where : {Where::alone, Where::before, Where::behind, Where::packed}) {
    SCOPED_TRACE(static_cast<int>(where));
    const Conversation c = with_garbage(pattern(7, 42), {.crc = false, .where = where});
    expect_ids(c, {"MPA-SYNC"});
    const Analysed result(c);
    expect_lost(result, before_garbage, 7);
    EXPECT_EQ(result.messages(wire::Opcode::send).size(), 8U);
  }
}

TEST(ScenarioB, B16_GarbageOfEverySize) {
  for (std::size_t size = 1; size <= 64; ++size) {
    for (const bool crc : {true, false}) {
      SCOPED_TRACE(size);
      const Conversation c = with_garbage(pattern(size, static_cast<std::uint32_t>(size)), {.crc = crc});
      expect_ids(c, {"MPA-SYNC"});
      const Analysed result(c);
      expect_lost(result, before_garbage, size);
      EXPECT_EQ(result.messages().size(), 8U);
    }
  }
}

TEST(ScenarioB, B16_GarbageInAMarkedStream) {
  for (std::size_t size = 4; size <= 64; size += 4) {  // other sizes put the stream beside its markers: B11
    SCOPED_TRACE(size);
    const Conversation c = with_garbage(pattern(size, static_cast<std::uint32_t>(size)), {.markers = true});
    expect_ids(c, {"MPA-SYNC"});
    const Analysed result(c);
    expect_lost(result, 4 + before_garbage, size);
    EXPECT_EQ(result.messages().size(), 8U);
  }
}

TEST(ScenarioB, B16_ManyOctetsOfGarbage) {
  for (const std::size_t size : {std::size_t{1000}, std::size_t{5000}, std::size_t{60000}}) {
    const Conversation c = with_garbage(pattern(size, 3), {.where = Script::Where::behind});
    expect_ids(c, {"MPA-SYNC"});
    const Analysed result(c);
    expect_lost(result, before_garbage, size);
    EXPECT_EQ(result.messages().size(), 8U);
  }
}

TEST(ScenarioB, B16_GarbageThatBeginsLikeAnFpdu) {
  const Conversation c = with_garbage(hex("0017 4143 000000"), {});
  expect_ids(c, {"MPA-SYNC"});
  expect_lost(Analysed(c), before_garbage, 7);
  EXPECT_EQ(Analysed(c).messages().size(), 8U);
}

TEST(ScenarioB, B16_GarbageOfZeros) {
  const Conversation c = with_garbage(zeros(7), {});
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-SYNC"})) << result.told();
  EXPECT_EQ(result.messages().size(), 8U);
}

TEST(ScenarioB, B16_ChecksGoOnBehindTheBaseline) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, pattern(100)));
  c.send(Side::a, c.stream(Side::a).garbage(pattern(7, 42)));
  for (const std::uint32_t msn : {9U, 10U, 12U}) c.fpdu(Side::a, send(msn, pattern(100)));
  c.close();
  expect_ids(c, {"MPA-SYNC", "DDP-MSNGAP"});
  EXPECT_EQ(Analysed(c).findings("DDP-MSNGAP").at(0).finding.arguments[1], 12U);
}

TEST(ScenarioB, B16_OtherQueuesAndTheOtherDirectionAreNotTouched) {
  Conversation c = operating();
  c.fpdu(Side::a, read_request(1, sixteen));
  c.send(Side::a, c.stream(Side::a).garbage(pattern(7, 42)));
  c.fpdu(Side::b, read_response(0xa1b2, 0x1000, pattern(16)));
  c.fpdu(Side::a, read_request(2, sixteen));
  c.fpdu(Side::b, read_response(0xa1b2, 0x1000, pattern(16)));
  c.fpdu(Side::b, send(1, text("hello")));
  c.fpdu(Side::b, send(3, text("gap")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-SYNC", "DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.findings("DDP-MSNGAP").at(0).side, Side::b);
}

TEST(ScenarioB, B16_MessageThatWasOpenIsIncomplete) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, pattern(100), {.last = false}));
  c.send(Side::a, c.stream(Side::a).garbage(pattern(7, 42)));
  for (std::uint32_t msn = 5; msn < 9; ++msn) c.fpdu(Side::a, send(msn, pattern(100)));
  c.close();
  expect_ids(c, {"MPA-SYNC"});
  const Analysed result(c);
  EXPECT_EQ(result.messages(true).size(), 4U);
  EXPECT_EQ(result.messages(false).size(), 5U);
}

TEST(ScenarioB, B16_GarbageBeforeTheFirstFpdu) {
  Conversation c = operating();
  c.send(Side::a, c.stream(Side::a).garbage(pattern(7, 42)));
  for (std::uint32_t msn = 1; msn < 5; ++msn) c.fpdu(Side::a, send(msn, pattern(100)));
  c.close();
  expect_ids(c, {"MPA-SYNC"});
  expect_lost(Analysed(c), 0, 7);
  EXPECT_EQ(Analysed(c).messages().size(), 4U);
}

TEST(ScenarioB, B16_GarbageAtTheEnd) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, pattern(100)));
  c.send(Side::a, pattern(70, 42));
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("MPA-SYNC")) << result.told();
  expect_lost(result, 124, 70);
  EXPECT_EQ(result.messages().size(), 1U);
}

TEST(ScenarioB, B16_GarbageTwice) {
  Conversation c = operating();
  std::uint32_t msn = 1;
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned k = 0; k < 4; ++k) c.fpdu(Side::a, send(msn++, pattern(100)));
    if (i < 2) c.send(Side::a, c.stream(Side::a).garbage(pattern(7, i)));
  }
  c.close();
  expect_ids(c, {"MPA-SYNC", "MPA-SYNC"});
  EXPECT_EQ(Analysed(c).messages().size(), 12U);
}

}  // namespace
}  // namespace iwarp::test
