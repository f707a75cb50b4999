// What counts as found framing: one right CRC, three headers in a row, markers of any phase; and what does
// not.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "mpa/octet_feed.hpp"

namespace iwarp::mpa {
namespace {

using test::cat;
using test::part;
using test::pattern;
using test::send;
using test::zeros;
using Lock = Synchronizer::Lock;

constexpr StreamOffset begin = 3001;  // any offset

// Pushes piece by piece, a TCP segment each, until framing is found; `pieces_used` tells how many that took.
std::optional<Lock> lock_in(Synchronizer& synchronizer, const std::vector<Bytes>& pieces,
                            std::size_t* pieces_used = nullptr) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    synchronizer.push(pieces[i], true);
    if (const std::optional<Lock> lock = synchronizer.try_lock(false)) {
      if (pieces_used != nullptr) *pieces_used = i + 1;
      return lock;
    }
  }
  return std::nullopt;
}

std::vector<Bytes> cut(const Bytes& octets, std::size_t size) {
  std::vector<Bytes> pieces;
  for (std::size_t at = 0; at < octets.size(); at += size) pieces.push_back(part(octets, at, size));
  return pieces;
}

std::vector<Bytes> behind(std::size_t first, const std::vector<Bytes>& pieces) {
  return {pieces.begin() + static_cast<std::ptrdiff_t>(first), pieces.end()};
}

// Without CRC: the field holds anything. Two of them are longer than a marker interval.
std::vector<Bytes> sends_without_crc(std::size_t count) {
  test::FpduStream stream;
  std::vector<Bytes> fpdus;
  for (std::uint32_t msn = 1; msn <= count; ++msn) {
    fpdus.push_back(stream.add(send(msn, pattern(240 + 7 * msn, msn)),
                               {.crc = test::Crc::unused, .unused_crc = 0x5a5a0000 + msn}));
  }
  return fpdus;
}

// --- one right CRC (C10) -------------------------------------------------------------------------------

TEST(Synchronizer, LocksOnTheFirstWholeFpduOfAnyStart) {
  const std::vector<Bytes> fpdus = sends(6);
  for (std::size_t missing = 0; missing < fpdus[0].size(); ++missing) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    std::vector<Bytes> pieces = fpdus;
    pieces[0] = part(fpdus[0], missing);
    std::size_t used = 0;
    const std::optional<Lock> lock = lock_in(synchronizer, pieces, &used);
    ASSERT_TRUE(lock.has_value()) << missing;
    EXPECT_EQ(lock->begin, missing == 0 ? begin : begin + pieces[0].size()) << missing;
    EXPECT_EQ(used, missing == 0 ? 1U : 2U);
    EXPECT_TRUE(lock->inferred);
    EXPECT_EQ(lock->parameters.crc, Mode::on);
    EXPECT_EQ(lock->parameters.markers, Mode::off);
    EXPECT_EQ(lock->skipped, lock->begin - begin);
  }
}

TEST(Synchronizer, LocksInAnUnalignedStream) {
  test::FpduStream stream;
  Bytes octets;
  std::vector<StreamOffset> starts;
  for (std::uint32_t msn = 1; msn <= 60; ++msn) {
    starts.push_back(octets.size());
    octets = cat(octets, stream.add(send(msn, pattern(300 + msn, msn))));
  }
  for (std::size_t missing = 1; missing < 1500; missing += 41) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    const std::optional<Lock> lock = lock_in(synchronizer, cut(part(octets, missing), 1000));
    ASSERT_TRUE(lock.has_value()) << missing;
    EXPECT_EQ(lock->begin - begin + missing, *std::ranges::lower_bound(starts, missing)) << missing;
  }
}

TEST(Synchronizer, KnownModesAreNotInferred) {
  Synchronizer synchronizer;
  synchronizer.start(begin, unmarked(), true, false);
  const std::optional<Lock> lock = lock_in(synchronizer, behind(1, sends(4)));
  ASSERT_TRUE(lock.has_value());
  EXPECT_FALSE(lock->inferred);
  EXPECT_EQ(lock->begin, begin);
}

TEST(Synchronizer, AWrongCrcIsNoFpduWhereCrcIsInUse) {
  test::FpduStream stream;
  const std::vector<Bytes> pieces = {stream.add(send(1), {.crc = test::Crc::wrong}), stream.add(send(2)),
                                     stream.add(send(3))};
  Synchronizer synchronizer;
  synchronizer.start(begin, unmarked(), true, false);
  const std::optional<Lock> lock = lock_in(synchronizer, pieces);
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(lock->begin, begin + pieces[0].size());
}

// --- three headers in a row (C11) ----------------------------------------------------------------------

TEST(Synchronizer, WithoutCrcThreeHeadersAreNeeded) {
  const std::vector<Bytes> fpdus = sends_without_crc(6);
  Synchronizer synchronizer;
  synchronizer.start(begin, unknown(), false, false);
  std::size_t used = 0;
  const std::optional<Lock> lock = lock_in(synchronizer, fpdus, &used);
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(used, 3U);
  EXPECT_EQ(lock->begin, begin);
  EXPECT_GE(lock->chained, 3U);
  EXPECT_EQ(lock->parameters.crc, Mode::off);
  EXPECT_TRUE(lock->inferred);
}

TEST(Synchronizer, WithoutCrcFromTheMiddleOfAnFpdu) {
  const std::vector<Bytes> fpdus = sends_without_crc(6);
  for (const std::size_t missing : {1U, 2U, 20U, 40U, 60U}) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    std::vector<Bytes> pieces = fpdus;
    pieces[0] = part(fpdus[0], missing);
    const std::optional<Lock> lock = lock_in(synchronizer, pieces);
    ASSERT_TRUE(lock.has_value()) << missing;
    EXPECT_EQ(lock->begin, begin + pieces[0].size());
  }
}

TEST(Synchronizer, BehindAHoleOfAKnownStreamOneThatFillsItsSegmentIsEnough) {
  Synchronizer synchronizer;
  synchronizer.start(begin, unmarked(Mode::off), true, false);
  std::size_t used = 0;
  const std::optional<Lock> lock = lock_in(synchronizer, sends_without_crc(3), &used);
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(used, 1U);
  EXPECT_EQ(lock->begin, begin);
}

TEST(Synchronizer, EarlierHeadersThatLeadToTheFoundOneAreTakenAsWell) {
  // The first FPDU's start is no segment border, so that the second one convinces first.
  const std::vector<Bytes> fpdus = sends_without_crc(3);
  Synchronizer synchronizer;
  synchronizer.start(begin, unmarked(Mode::off), true, false);
  const std::optional<Lock> lock =
      lock_in(synchronizer, {cat({pattern(7, 3), fpdus[0]}), fpdus[1], fpdus[2]});
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(lock->begin, begin + 7);
  EXPECT_EQ(lock->skipped, 7U);
}

TEST(Synchronizer, OtherProtocolsAreNotTakenForFraming) {
  Synchronizer synchronizer;
  synchronizer.start(begin, unknown(), false, false);
  std::vector<Bytes> pieces;
  for (std::uint32_t i = 0; i < 400; ++i) pieces.push_back(i % 3 == 0 ? zeros(1000) : pattern(1448, i));
  EXPECT_FALSE(lock_in(synchronizer, pieces).has_value());
  EXPECT_FALSE(synchronizer.try_lock(true).has_value());
}

// --- holes in what is searched -------------------------------------------------------------------------

TEST(Synchronizer, LocksBehindAHole) {
  const std::vector<Bytes> fpdus = sends(5);
  Synchronizer synchronizer;
  synchronizer.start(begin, unknown(), false, false);
  synchronizer.push(part(fpdus[0], 10), true);
  EXPECT_FALSE(synchronizer.try_lock(false).has_value());
  synchronizer.push_absent(fpdus[1].size());
  EXPECT_FALSE(synchronizer.try_lock(false).has_value());
  const std::optional<Lock> lock = lock_in(synchronizer, behind(2, fpdus));
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(lock->begin, begin + fpdus[0].size() - 10 + fpdus[1].size());
}

TEST(Synchronizer, HoleLargerThanTheWindow) {
  const std::vector<Bytes> fpdus = sends(5);
  Synchronizer synchronizer;
  synchronizer.start(begin, unknown(), false, false);
  synchronizer.push(part(fpdus[0], 10), true);
  synchronizer.push_absent(std::uint64_t{5} << 30);
  const std::optional<Lock> lock = lock_in(synchronizer, behind(1, fpdus));
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(lock->begin, begin + fpdus[0].size() - 10 + (std::uint64_t{5} << 30));
}

TEST(Synchronizer, KeepsNoMoreThanItsWindow) {
  Synchronizer synchronizer;
  synchronizer.start(begin, unknown(), false, false);
  std::uint64_t pushed = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Bytes piece = pattern(1448, i);
    synchronizer.push(piece, true);
    pushed += piece.size();
    (void)synchronizer.try_lock(false);
    ASSERT_LE(synchronizer.end_offset() - synchronizer.begin_offset(), Synchronizer::window);
  }
  EXPECT_EQ(synchronizer.end_offset(), begin + pushed);
  EXPECT_EQ(synchronizer.skipped(), pushed);
  const std::optional<Lock> lock = lock_in(synchronizer, sends(3));
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(lock->begin, begin + pushed);
}

TEST(Synchronizer, PiecesAreHandedBackAsTheyCame) {
  Synchronizer synchronizer;
  synchronizer.start(begin, unknown(), false, false);
  synchronizer.push(pattern(100, 1), true);
  synchronizer.push(pattern(50, 2), false);
  synchronizer.push_absent(30);
  synchronizer.push(pattern(70, 3), true);
  Synchronizer::Piece piece = synchronizer.piece_at(begin);
  EXPECT_EQ(Bytes(piece.octets.begin(), piece.octets.end()), cat({pattern(100, 1), pattern(50, 2)}));
  EXPECT_TRUE(piece.segment_start);
  piece = synchronizer.piece_at(begin + 150);
  EXPECT_TRUE(piece.octets.empty());
  EXPECT_EQ(piece.absent, 30U);
  piece = synchronizer.piece_at(begin + 180);
  EXPECT_EQ(Bytes(piece.octets.begin(), piece.octets.end()), pattern(70, 3));
  EXPECT_TRUE(piece.segment_start);
}

// --- a stream stored in a payload (C12) ----------------------------------------------------------------

TEST(Synchronizer, FpdusStoredInAPayloadLoseAgainstTheOnesAroundThem) {
  // Sends of 1400 octets of a stored stream, a segment each; the search begins inside one of them.
  const Bytes stored = cat(sends(60));
  test::FpduStream stream;
  std::vector<Bytes> segments;
  for (std::uint32_t i = 0; i < 10; ++i)
    segments.push_back(stream.add(send(1000 + i, part(stored, i * 1400, 1400))));
  for (std::size_t missing = 25; missing < 1400; missing += 113) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    std::vector<Bytes> pieces = segments;
    pieces[0] = part(segments[0], missing);
    const std::optional<Lock> lock = lock_in(synchronizer, pieces);
    ASSERT_TRUE(lock.has_value()) << missing;
    EXPECT_EQ((lock->begin - begin + missing) % segments[0].size(), 0U) << missing;
  }
}

// --- markers of unknown phase (C13) --------------------------------------------------------------------

// A marked stream joined at every place of a marker interval, in segments of `size`.
void join_marked(bool crc, std::size_t size) {
  test::FpduStream stream(test::Markers::on);
  Bytes octets;
  std::vector<StreamOffset> starts;
  for (std::uint32_t msn = 1; msn <= 40; ++msn) {
    starts.push_back(octets.size());
    const test::Framing framing{.crc = crc ? test::Crc::right : test::Crc::unused,
                                .unused_crc = 0x5a000000 + msn};
    octets = cat(octets, stream.add(send(msn, pattern(150 + 9 * msn, msn)), framing));
  }
  for (std::size_t missing = 1; missing <= 1025; missing += 8) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    const std::optional<Lock> lock = lock_in(synchronizer, cut(part(octets, missing), size));
    ASSERT_TRUE(lock.has_value()) << missing;
    const StreamOffset at = lock->begin - begin + missing;
    EXPECT_TRUE(std::ranges::binary_search(starts, at)) << missing << ": no FPDU begins at " << at;
    EXPECT_EQ(lock->parameters.markers, Mode::on) << missing;
    EXPECT_EQ(lock->parameters.crc, crc ? Mode::on : Mode::off) << missing;
    EXPECT_TRUE(lock->inferred);
    EXPECT_EQ(lock->parameters.phase(lock->begin), at % 512) << missing;
    EXPECT_LE(at, missing + 2048U) << missing << ": octets lost that could be decoded";
  }
}

TEST(Synchronizer, FindsThePhaseOfMarkers) {
  join_marked(true, 700);
}
TEST(Synchronizer, FindsThePhaseOfMarkersInLargeSegments) {
  join_marked(true, 4000);
}
TEST(Synchronizer, FindsThePhaseOfMarkersWithoutCrc) {
  join_marked(false, 700);
}

TEST(Synchronizer, FindsThePhaseWithinAFewMarkers) {
  test::FpduStream stream(test::Markers::on);
  Bytes octets;
  for (std::uint32_t msn = 1; msn <= 40; ++msn)
    octets = cat(octets, stream.add(send(msn, pattern(200, msn))));
  for (std::size_t missing = 1; missing < 512; missing += 7) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    std::size_t used = 0;
    ASSERT_TRUE(lock_in(synchronizer, cut(part(octets, missing), 64), &used).has_value()) << missing;
    EXPECT_LE(used * 64, 2048U + 512U) << missing;
  }
}

// One of the first FPDUs is missing, or two: too few before the hole to tell, so those behind it do.
TEST(Synchronizer, FindsThePhaseOfMarkersWithoutCrcBehindAHole) {
  for (const std::size_t size : {300U, 1000U, 3000U}) {
    test::FpduStream stream(test::Markers::on);
    std::vector<Bytes> fpdus;
    for (std::uint32_t msn = 1; msn <= 20; ++msn) {
      fpdus.push_back(stream.add(send(msn, pattern(size + msn, msn)),
                                 {.crc = test::Crc::unused, .unused_crc = 0x5a000000 + msn}));
    }
    for (std::size_t first = 1; first <= 3; ++first) {
      for (std::size_t second = first; second <= 7; ++second) {
        Synchronizer synchronizer;
        synchronizer.start(begin, unknown(), false, false);
        std::optional<Lock> lock;
        for (std::size_t i = 0; i < fpdus.size() && !lock; ++i) {
          if (i == first || i == second) {
            synchronizer.push_absent(fpdus[i].size());
          } else {
            synchronizer.push(fpdus[i], true);
          }
          lock = synchronizer.try_lock(false);
        }
        ASSERT_TRUE(lock.has_value()) << size << ", without " << first << " and " << second;
        EXPECT_EQ(lock->parameters.markers, Mode::on);
        EXPECT_EQ(lock->parameters.crc, Mode::off);
        StreamOffset expected = begin;  // of an FPDU
        for (std::size_t i = 0; i < fpdus.size() && begin + lock->skipped > expected; ++i)
          expected += fpdus[i].size();
        EXPECT_EQ(lock->begin, expected) << size << ", without " << first << " and " << second;
        EXPECT_LE(lock->skipped, cat({fpdus.begin(), fpdus.begin() + 9}).size());
      }
    }
  }
}

// A hole takes a marker with it, so pointers behind it do not go on from those before.
TEST(Synchronizer, FindsThePhaseOfMarkersWhereOneOfThemIsAbsent) {
  for (const bool crc : {false, true}) {
    for (const std::size_t piece : {700U, 1448U}) {
      test::FpduStream stream(test::Markers::on);
      Bytes octets;
      for (std::uint32_t msn = 1; msn <= 10; ++msn) {
        octets = cat(octets, stream.add(send(msn, pattern(4000, msn)),
                                        {.crc = crc ? test::Crc::right : test::Crc::unused,
                                         .unused_crc = 0x5a000000 + msn}));
      }
      const std::vector<Bytes> pieces = cut(part(octets, 8), piece);  // of the first FPDU the rest
      for (std::size_t lost = 1; lost < 8; ++lost) {
        Synchronizer synchronizer;
        synchronizer.start(begin, unknown(), false, false);
        std::optional<Lock> lock;
        for (std::size_t i = 0; i < pieces.size() && !lock; ++i) {
          if (i == lost) {
            synchronizer.push_absent(pieces[i].size());
          } else {
            synchronizer.push(pieces[i], true);
          }
          lock = synchronizer.try_lock(i + 1 == pieces.size());
        }
        ASSERT_TRUE(lock.has_value()) << crc << ' ' << piece << ", without " << lost;
        EXPECT_EQ(lock->parameters.markers, Mode::on);
        EXPECT_EQ(lock->parameters.phase(lock->begin), (lock->begin - begin + 8) % 512);
      }
    }
  }
}

// The first marker stands in the second FPDU or behind it.
TEST(Synchronizer, FpdusBeforeTheFirstMarkerAreTakenAsWell) {
  test::FpduStream stream(test::Markers::on);
  std::vector<Bytes> fpdus;
  for (std::uint32_t msn = 1; msn <= 60; ++msn) {
    fpdus.push_back(stream.add(send(msn, pattern(40 + msn, msn)),
                               {.crc = test::Crc::unused, .unused_crc = 0x5a000000 + msn}));
  }
  for (const std::size_t first : {1U, 3U, 9U}) {
    Synchronizer synchronizer;
    synchronizer.start(begin, unknown(), false, false);
    const std::optional<Lock> lock = lock_in(synchronizer, behind(first, fpdus));
    ASSERT_TRUE(lock.has_value()) << first;
    EXPECT_EQ(lock->begin, begin) << first;
    EXPECT_EQ(lock->parameters.markers, Mode::on) << first;
  }
}

TEST(Synchronizer, KnownMarkersAreFollowedBehindAHole) {
  test::FpduStream stream(test::Markers::on);
  const Bytes octets = cat(sends(60, stream));
  Synchronizer synchronizer;
  FramerParameters parameters = marked(begin);
  synchronizer.start(begin + 1000, parameters, true, false);
  const std::optional<Lock> lock = lock_in(synchronizer, cut(part(octets, 1000), 500));
  ASSERT_TRUE(lock.has_value());
  EXPECT_FALSE(lock->inferred);
  EXPECT_EQ(lock->parameters.origin, begin);
  Framer framer;
  Framed told;
  framer.begin(marked(begin), begin);
  feed(framer, octets, 0, told);
  EXPECT_TRUE(
      std::ranges::any_of(told.fpdus, [&](const Framed::Fpdu& fpdu) { return fpdu.begin == lock->begin; }));
}

}  // namespace
}  // namespace iwarp::mpa
