// A search goes on where it stopped: asked after each piece of a stream, it finds what one finds that gets
// the same octets at once and looks at all of them for the first time. Streams of all that it looks for, and
// of what resembles it, from seeds.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <random>

#include "mpa/octet_feed.hpp"

namespace iwarp::mpa {
namespace {

using Lock = Synchronizer::Lock;

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t roll(std::uint32_t sides) { return static_cast<std::uint32_t>(random_() % sides); }
  bool one_in(std::uint32_t sides) { return roll(sides) == 0; }

 private:
  std::mt19937 random_;
};

void append(Bytes& octets, const Bytes& more) {
  octets.insert(octets.end(), more.begin(), more.end());
}

// FPDUs, good, broken and without a CRC, between octets that may begin some.
Bytes stream_of(Dice& dice) {
  test::FpduStream stream(dice.one_in(3) ? test::Markers::on : test::Markers::off, dice.roll(512) & ~3U);
  std::uint32_t msn = dice.one_in(4) ? 0x40000000U : 1;
  Bytes octets;
  const std::uint32_t parts = 3 + dice.roll(12);
  for (std::uint32_t i = 0; i < parts; ++i) {
    switch (dice.roll(7)) {
      case 0: append(octets, stream.garbage(test::zeros(dice.roll(1500)))); break;
      case 1: append(octets, stream.garbage(test::pattern(dice.roll(300), dice.roll(1000)))); break;
      case 2: {  // headers that lead to each other
        Bytes run;
        for (std::uint32_t n = dice.roll(120); n > 0; --n) append(run, test::hex("000ec140"));
        append(octets, stream.garbage(run));
        break;
      }
      case 3: {  // long ones, at every second octet
        Bytes run;
        for (std::uint32_t n = dice.roll(200); n > 0; --n) append(run, test::hex("0140"));
        if (dice.one_in(2)) append(run, test::hex("c140c140c140"));
        append(octets, stream.garbage(run));
        break;
      }
      default:
        for (std::uint32_t n = 1 + dice.roll(12); n > 0; --n) {
          const test::Crc crc = dice.one_in(8)   ? test::Crc::wrong
                                : dice.one_in(8) ? test::Crc::unused
                                                 : test::Crc::right;
          const Bytes payload = test::pattern(dice.one_in(5) ? dice.roll(1400) : dice.roll(60), msn);
          const Bytes ulpdu = dice.one_in(3) ? test::write(7, 8 * msn, payload) : test::send(msn++, payload);
          append(octets, stream.add(ulpdu, {.crc = crc}));
        }
    }
  }
  return octets;
}

struct Piece {
  Bytes octets;
  std::size_t absent = 0;
  bool segment_start = true;
};

std::vector<Piece> pieces_of(Dice& dice, const Bytes& octets) {
  std::vector<Piece> pieces;
  const std::uint32_t longest = dice.one_in(3) ? 3 : dice.one_in(2) ? 60 : 1448;
  for (std::size_t at = 0; at < octets.size();) {
    const std::size_t size = 1 + dice.roll(longest);
    const Bytes part = test::part(octets, at, size);
    if (dice.one_in(60)) {
      pieces.push_back({{}, part.size(), false});
    } else {
      pieces.push_back({part, 0, !dice.one_in(4)});
    }
    at += size;
  }
  return pieces;
}

struct Start {
  FramerParameters parameters;
  bool known_stream = false;
  bool doubted = false;
  std::optional<std::uint32_t> expects_marker;
  bool else_unmarked = false;
};

Start start_of(Dice& dice) {
  Start start;
  const auto mode = [&] { return dice.one_in(2) ? Mode::unknown : dice.one_in(2) ? Mode::on : Mode::off; };
  start.parameters.markers = mode();
  start.parameters.crc = mode();
  start.parameters.origin = dice.roll(512) & ~3U;
  start.known_stream = dice.one_in(2);
  start.doubted = dice.one_in(3);
  if (dice.one_in(4) && start.parameters.markers == Mode::unknown)
    start.expects_marker = dice.roll(509) & ~3U;
  start.else_unmarked = dice.one_in(2);
  return start;
}

void begin(Synchronizer& synchronizer, const Start& start) {
  constexpr StreamOffset at = 3004;
  synchronizer.start(at, start.parameters, start.known_stream, start.doubted);
  if (start.known_stream) {
    Sequence sequence;
    sequence.begin(at);
    synchronizer.expect(sequence);
  }
  if (start.expects_marker) synchronizer.expect_marker(*start.expects_marker, start.else_unmarked);
}

void push(Synchronizer& synchronizer, const Piece& piece) {
  if (piece.absent > 0) {
    synchronizer.push_absent(piece.absent);
  } else {
    synchronizer.push(piece.octets, piece.segment_start);
  }
}

bool equal(const std::optional<Lock>& one, const std::optional<Lock>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->begin == other->begin && one->parameters.markers == other->parameters.markers &&
         one->parameters.crc == other->parameters.crc && one->parameters.origin == other->parameters.origin &&
         one->chained == other->chained && one->good == other->good && one->skipped == other->skipped;
}

// What is refused while more may come is refused for good, also when that was all.
std::optional<Lock> look(Synchronizer& synchronizer, bool last) {
  std::optional<Lock> found = synchronizer.try_lock(false);
  if (!found && last) found = synchronizer.try_lock(true);
  return found;
}

// The same at once. Not quite always: where more candidates wait than are kept, those that came together keep
// others than those that came one after the other.
TEST(SynchronizerResumption, FindsWhatAFirstLookFinds) {
  constexpr std::uint32_t streams = 400;
  std::size_t locked = 0;
  std::size_t unlike = 0;
  for (std::uint32_t seed = 1; seed <= streams; ++seed) {
    Dice dice(seed);
    const Start start = start_of(dice);
    const std::vector<Piece> pieces = pieces_of(dice, stream_of(dice));
    Synchronizer resumed;
    begin(resumed, start);
    const std::size_t every = 1 + pieces.size() / 40;  // a first look at all costs all again
    bool alike = true;
    std::optional<Lock> found;
    for (std::size_t i = 0; i < pieces.size() && !found; ++i) {
      const bool last = i + 1 == pieces.size();
      push(resumed, pieces[i]);
      found = look(resumed, last);
      if (!found && !last && i % every != 0) continue;
      Synchronizer fresh;
      begin(fresh, start);
      for (std::size_t k = 0; k <= i; ++k) push(fresh, pieces[k]);
      alike = alike && equal(found, look(fresh, last));
    }
    locked += found.has_value() ? 1U : 0U;
    unlike += alike ? 0U : 1U;
  }
  EXPECT_GT(locked, streams / 4);
  EXPECT_LE(unlike, streams / 50);
}

// --- what a search costs -------------------------------------------------------------------------------

// Steps for each octet of a search that finds nothing, or not soon.
double steps_for_each_octet(const Bytes& octets, std::size_t piece, const Start& start) {
  Synchronizer synchronizer;
  begin(synchronizer, start);
  for (std::size_t at = 0; at < octets.size(); at += piece) {
    synchronizer.push(test::part(octets, at, piece), true);
    if (synchronizer.try_lock(false)) begin(synchronizer, start);
  }
  return static_cast<double>(synchronizer.steps()) / static_cast<double>(octets.size());
}

Bytes many(const Bytes& once, std::size_t count) {
  Bytes all;
  while (all.size() < count) append(all, once);
  return all;
}

Start nothing_known() {
  Start start;
  start.parameters = unknown();
  return start;
}

Start behind_hole(Mode crc) {
  Start start;
  start.parameters = unmarked(crc);
  start.known_stream = true;
  return start;
}

constexpr std::size_t long_search = 600000;  // octets: the window is full, and was, several times

TEST(SynchronizerCost, ZerosAreLookedAtOnceOrTwice) {
  EXPECT_LT(steps_for_each_octet(test::zeros(long_search), 1448, nothing_known()), 3);
}

// A snapshot of 96 octets of segments of 60 000: what was not captured is passed over.
TEST(SynchronizerCost, OctetsThatAreAbsentAreNotLookedAt) {
  constexpr std::uint64_t absent = 60'000;
  for (const Mode markers : {Mode::unknown, Mode::on}) {
    Start start = nothing_known();
    start.parameters.markers = markers;
    Synchronizer synchronizer;
    begin(synchronizer, start);
    constexpr int segments = 200;
    const Bytes captured = test::zeros(42);
    for (int i = 0; i < segments; ++i) {
      synchronizer.push(captured, true);
      synchronizer.push_absent(absent);
      ASSERT_FALSE(synchronizer.try_lock(false));
    }
    EXPECT_LT(synchronizer.steps(), 100U * segments) << static_cast<int>(markers);
  }
}

// Those inside one that begins a segment are kept in small number, and looked for from the end.
TEST(SynchronizerCost, OfHeadersAtEverySecondOctetFewAreLookedAt) {
  const Bytes octets = many(test::hex("8140"), long_search);
  EXPECT_LT(steps_for_each_octet(octets, 1448, nothing_known()), 0.3);
  EXPECT_LT(steps_for_each_octet(octets, 1448, behind_hole(Mode::on)), 0.3);
}

TEST(SynchronizerCost, HeadersThatLeadToEachOtherAndBreakOffAreFollowedOnce) {
  const Bytes octets = many(test::cat(many(test::hex("000ec140"), 400), Bytes(100, Byte{0xff})), long_search);
  EXPECT_LT(steps_for_each_octet(octets, 1448, nothing_known()), 3);
  EXPECT_LT(steps_for_each_octet(octets, 1448, behind_hole(Mode::off)), 3);
}

// FPDUs of another stream, which break off: they wait until they are longer than any payload.
Bytes stored_run() {
  Bytes octets;
  for (std::uint32_t msn = 0x40000000; octets.size() < 40000; ++msn)
    append(octets, test::fpdu(test::send(msn)));
  append(octets, Bytes(300, Byte{0xff}));
  return octets;
}

TEST(SynchronizerCost, CandidatesThatWaitAreNotFollowedAnewForEachSegment) {
  const Bytes octets = stored_run();
  // Up to 64 of them wait, each for its next FPDU of 24 octets.
  EXPECT_LT(steps_for_each_octet(many(octets, 200000), 2, behind_hole(Mode::on)), 20);
}

// Each FPDU of a run may be the first one when those before are refused, whichever of them leads there.
TEST(SynchronizerCost, AtTheEndEachIsJudgedOnce) {
  const Bytes octets = many(stored_run(), 240000);
  Synchronizer synchronizer;
  begin(synchronizer, behind_hole(Mode::on));
  for (std::size_t at = 0; at < octets.size(); at += 1448) {
    synchronizer.push(test::part(octets, at, 1448), true);
    ASSERT_FALSE(synchronizer.try_lock(false));
  }
  const std::uint64_t before = synchronizer.steps();
  EXPECT_FALSE(synchronizer.try_lock(true));
  EXPECT_LT(static_cast<double>(synchronizer.steps() - before) / static_cast<double>(octets.size()), 3);
}

}  // namespace
}  // namespace iwarp::mpa
