// The Framer by itself: octets in any pieces, holes, modes, and the end of Full Operation.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "mpa/octet_feed.hpp"

namespace iwarp::mpa {
namespace {

using test::cat;
using test::hex;
using test::part;
using test::pattern;
using test::send;
using test::text;
using Output = Framer::Output;

constexpr StreamOffset start = 1020;  // any offset

Framed frame_all(const FramerParameters& parameters, const Bytes& octets, std::size_t size) {
  Framer framer;
  Framed told;
  framer.begin(parameters, start);
  feed(framer, octets, size, told);
  return told;
}

TEST(Framer, AnyPiecesGiveTheSameFpdus) {
  for (const bool markers : {false, true}) {
    const std::vector<Bytes> fpdus =
        sends(30, test::FpduStream(markers ? test::Markers::on : test::Markers::off));
    FramerParameters parameters = markers ? marked(start) : unmarked();
    for (const std::size_t size : {0U, 1U, 2U, 3U, 4U, 5U, 19U, 64U, 511U, 512U, 513U, 1448U}) {
      const Framed told = frame_all(parameters, cat(fpdus), size);
      EXPECT_EQ(msns(told), numbers(1, 30)) << size;
      StreamOffset expected = start;
      for (std::size_t i = 0; i < told.fpdus.size(); ++i) {
        EXPECT_EQ(told.fpdus[i].begin, expected);
        EXPECT_EQ(told.fpdus[i].crc, CrcStatus::good);
        EXPECT_FALSE(told.fpdus[i].cut);
        expected += fpdus[i].size();
        EXPECT_EQ(told.fpdus[i].end, expected);
      }
      EXPECT_EQ(told.outputs, std::vector<Output>(30, Output::fpdu));
    }
  }
}

TEST(Framer, KnowsWhetherItIsInsideAnFpdu) {
  const Bytes octets = test::fpdu(send(1, pattern(100)));
  for (std::size_t there = 1; there < octets.size(); ++there) {
    Framer framer;
    Framed told;
    framer.begin(unmarked(), start);
    EXPECT_FALSE(framer.inside_fpdu());
    feed(framer, part(octets, 0, there), 0, told);
    EXPECT_TRUE(framer.inside_fpdu()) << there;
    EXPECT_TRUE(told.outputs.empty());
    feed(framer, part(octets, there), 0, told);
    EXPECT_FALSE(framer.inside_fpdu()) << there;
    EXPECT_EQ(framer.position(), start + octets.size());
  }
}

TEST(Framer, WrongCrcIsToldAndFramingGoesOn) {
  test::FpduStream stream;
  const std::vector<Bytes> fpdus = {
      stream.add(send(1)), stream.add(send(2, pattern(9)), {.crc = test::Crc::wrong}), stream.add(send(3))};
  const Framed told = frame_all(unmarked(), cat(fpdus), 0);
  EXPECT_EQ(msns(told), numbers(1, 3));
  EXPECT_EQ(told.fpdus[1].crc, CrcStatus::bad);
  EXPECT_EQ(told.outputs, std::vector<Output>(3, Output::fpdu));
}

TEST(Framer, UnknownCrcUseIsUndecidableUntilOneIsRight) {
  test::FpduStream stream;
  const std::vector<Bytes> fpdus = {stream.add(send(1), {.crc = test::Crc::wrong}), stream.add(send(2)),
                                    stream.add(send(3), {.crc = test::Crc::wrong})};
  Framer framer;
  Framed told;
  framer.begin(unmarked(Mode::unknown), start);
  feed(framer, cat({fpdus[0], fpdus[1]}), 0, told);
  ASSERT_EQ(told.fpdus.size(), 2U);
  EXPECT_EQ(told.fpdus[0].crc, CrcStatus::undecidable);
  EXPECT_EQ(told.fpdus[1].crc, CrcStatus::good);
  framer.set_crc(Mode::on);
  feed(framer, fpdus[2], 0, told);
  EXPECT_EQ(told.fpdus.at(2).crc, CrcStatus::bad);
}

TEST(Framer, StrangeHeaderWithTheRightCrcIsAnFpdu) {
  test::FpduStream stream;
  const Bytes octets = cat({stream.add(send(1)), stream.add(send(2, {}, {.ddp_version = 3})),
                            stream.add(test::zeros(30)), stream.add(send(3))});
  for (const std::size_t size : {0U, 1U, 10U, 40U}) {
    const Framed told = frame_all(unmarked(), octets, size);
    EXPECT_EQ(told.fpdus.size(), 4U) << size;
    EXPECT_EQ(told.fpdus.back().msn, 3U);
  }
}

TEST(Framer, StrangeHeaderWithoutCrcIsBelievedByTheNextOne) {
  test::FpduStream stream(test::Markers::off, 0, {.crc = test::Crc::unused});
  const Bytes octets = cat({stream.add(send(1)), stream.add(send(2, {}, {.queue = 9})), stream.add(send(3))});
  const Framed told = frame_all(unmarked(Mode::off), octets, 0);
  EXPECT_EQ(msns(told), numbers(1, 3));
}

// --- markers that are used otherwise -------------------------------------------------------------------

TEST(Framer, FirstFpduTellsThatMarkersAreUsed) {
  const std::vector<Bytes> fpdus = sends(8, test::FpduStream(test::Markers::on));
  FramerParameters parameters = unmarked();
  parameters.origin = start;
  for (const std::size_t size : {0U, 1U, 3U, 7U, 100U}) {
    const Framed told = frame_all(parameters, cat(fpdus), size);
    EXPECT_EQ(msns(told), numbers(1, 8)) << size;
    EXPECT_EQ(told.outputs.front(), Output::marker_use);
    EXPECT_EQ(std::ranges::count(told.outputs, Output::marker_use), 1);
    EXPECT_EQ(told.fpdus.front().markers, 1U);
  }
}

TEST(Framer, FirstFpduTellsThatMarkersAreNotUsed) {
  const std::vector<Bytes> fpdus = sends(8);
  for (const std::size_t size : {0U, 1U, 3U, 7U, 100U}) {
    const Framed told = frame_all(marked(start), cat(fpdus), size);
    EXPECT_EQ(msns(told), numbers(1, 8)) << size;
    EXPECT_EQ(told.outputs.front(), Output::marker_use);
  }
}

TEST(Framer, ShortestFpdusAreEnoughToTell) {
  test::FpduStream stream;
  const Bytes octets = cat({stream.add(test::write(1, 0)), stream.add(send(1))});
  for (const std::size_t size : {0U, 1U, 8U, 20U}) {
    const Framed told = frame_all(marked(start), octets, size);
    EXPECT_EQ(told.outputs, (std::vector<Output>{Output::marker_use, Output::fpdu, Output::fpdu})) << size;
  }
}

// --- holes ---------------------------------------------------------------------------------------------

TEST(Framer, HoleInsideAnFpduOfKnownLength) {
  for (const bool markers : {false, true}) {
    const std::vector<Bytes> fpdus =
        sends(3, test::FpduStream(markers ? test::Markers::on : test::Markers::off));
    const Bytes octets = cat(fpdus);
    const std::size_t first = fpdus[0].size();
    const std::size_t hole_begin = first + 30;
    const std::size_t hole_end = first + fpdus[1].size() - 10;
    Framer framer;
    Framed told;
    framer.begin(markers ? marked(start) : unmarked(), start);
    feed(framer, part(octets, 0, hole_begin), 0, told);
    EXPECT_TRUE(framer.push_absent(hole_end - hole_begin));
    poll(framer, told);
    EXPECT_TRUE(framer.synchronized());
    feed(framer, part(octets, hole_end), 0, told);
    ASSERT_EQ(told.fpdus.size(), 3U);
    EXPECT_TRUE(told.fpdus[1].cut);
    EXPECT_EQ(told.fpdus[1].crc, CrcStatus::undecidable);
    EXPECT_EQ(told.fpdus[1].end, start + first + fpdus[1].size());
    EXPECT_GE(told.fpdus[1].header_octets, 18U);
    EXPECT_EQ(msns(told), numbers(1, 3));
    EXPECT_EQ(told.fpdus[2].crc, CrcStatus::good);
    EXPECT_EQ(told.outputs, std::vector<Output>(3, Output::fpdu));
  }
}

TEST(Framer, HoleThatEndsWhereTheFpduDoes) {
  const std::vector<Bytes> fpdus = sends(2);
  Framer framer;
  Framed told;
  framer.begin(unmarked(), start);
  feed(framer, part(fpdus[0], 0, 25), 0, told);
  EXPECT_TRUE(framer.push_absent(fpdus[0].size() - 25));
  poll(framer, told);
  ASSERT_EQ(told.fpdus.size(), 1U);
  EXPECT_TRUE(told.fpdus[0].cut);
  feed(framer, fpdus[1], 0, told);
  EXPECT_EQ(msns(told), numbers(1, 2));
}

TEST(Framer, HeaderInTheHoleIsTakenAsFarAsItCame) {
  const std::vector<Bytes> fpdus = sends(2);
  Framer framer;
  Framed told;
  framer.begin(unmarked(), start);
  feed(framer, part(fpdus[0], 0, 9), 0, told);
  EXPECT_TRUE(framer.push_absent(20));
  poll(framer, told);
  feed(framer, cat({part(fpdus[0], 29), fpdus[1]}), 0, told);
  ASSERT_EQ(told.fpdus.size(), 2U);
  EXPECT_EQ(told.fpdus[0].header_octets, 7U);
  EXPECT_TRUE(told.fpdus[0].cut);
  EXPECT_EQ(told.fpdus[1].crc, CrcStatus::good);
}

TEST(Framer, HoleOverALengthFieldIsSearchedThrough) {
  const std::vector<Bytes> fpdus = sends(8);
  Framer framer;
  Framed told;
  framer.begin(unmarked(), start);
  feed(framer, fpdus[0], 0, told);
  // The second FPDU's first 40 octets are missing: 16 of its payload remain.
  EXPECT_FALSE(framer.push_absent(40));
  poll(framer, told);
  EXPECT_FALSE(framer.synchronized());
  EXPECT_EQ(framer.why(), Framer::Loss::gap);
  feed(framer, part(fpdus[1], 40), 0, told);
  for (std::size_t i = 2; i < 8; ++i) feed(framer, fpdus[i], 0, told);
  EXPECT_TRUE(framer.synchronized());
  ASSERT_EQ(told.locks.size(), 1U);
  EXPECT_EQ(told.locks[0].begin, start + fpdus[0].size() + fpdus[1].size());
  EXPECT_FALSE(told.locks[0].inferred);
  std::vector<std::uint32_t> expected = numbers(3, 8);
  expected.insert(expected.begin(), 1);
  EXPECT_EQ(msns(told), expected);
}

TEST(Framer, HoleFromOneFpduIntoAnother) {
  const std::vector<Bytes> fpdus = sends(8);
  Framer framer;
  Framed told;
  framer.begin(unmarked(), start);
  feed(framer, part(fpdus[0], 0, 40), 0, told);
  EXPECT_FALSE(framer.push_absent(fpdus[0].size() - 40 + 50));
  poll(framer, told);
  ASSERT_EQ(told.fpdus.size(), 1U);  // its length is known all the same
  EXPECT_TRUE(told.fpdus[0].cut);
  EXPECT_EQ(told.fpdus[0].end, start + fpdus[0].size());
  feed(framer, part(fpdus[1], 50), 0, told);
  for (std::size_t i = 2; i < 8; ++i) feed(framer, fpdus[i], 0, told);
  EXPECT_EQ(msns(told).back(), 8U);
  EXPECT_EQ(told.fpdus.size(), 7U);
}

// A Send of 1400 octets with markers at 0, 512 and 1024, and one behind it.
std::vector<Bytes> three_markers(const test::MarkerError& error) {
  test::FpduStream stream(test::Markers::on);
  stream.break_marker(error);
  return {stream.add(send(1, pattern(1400))), stream.add(send(2))};
}

// Of the first FPDU `absent` octets from `at` on were not captured.
Framed with_hole(const std::vector<Bytes>& fpdus, std::size_t at, std::size_t absent) {
  Framer framer;
  Framed told;
  framer.begin(marked(start), start);
  feed(framer, part(fpdus[0], 0, at), 0, told);
  EXPECT_TRUE(framer.push_absent(absent));
  poll(framer, told);
  feed(framer, cat({part(fpdus[0], at + absent), fpdus[1]}), 0, told);
  EXPECT_EQ(told.fpdus.size(), 2U);
  return told;
}

TEST(Framer, MarkersOfACutFpduFollowFromItsLength) {
  const std::vector<Bytes> fpdus = three_markers({});
  struct Hole {
    std::size_t at, absent;
    bool missing;
  };
  for (const Hole& hole :
       {Hole{100, 412, false}, Hole{100, 413, true}, Hole{515, 1, true}, Hole{516, 508, false},
        Hole{516, 509, true}, Hole{100, 1000, true}, Hole{1028, 100, false}}) {
    SCOPED_TRACE(testing::Message() << hole.absent << " from " << hole.at);
    const Framed told = with_hole(fpdus, hole.at, hole.absent);
    EXPECT_EQ(told.fpdus.at(0).markers, 3U);
    EXPECT_EQ(told.fpdus.at(0).markers_missing, hole.missing);
    EXPECT_EQ(told.fpdus.at(0).marker_faults, 0U);
    EXPECT_FALSE(told.fpdus.at(1).markers_missing);
  }
}

TEST(Framer, WrongMarkerOfACutFpduIsToldWhereItWasCaptured) {
  const std::vector<Bytes> fpdus = three_markers({.pointer_delta = 8, .reserved = 5, .skip = 1});
  for (const std::size_t at : {100U, 300U, 520U, 1020U, 1200U}) {  // before the marker and behind it
    SCOPED_TRACE(at);
    const Framed told = with_hole(fpdus, at, 100);
    EXPECT_EQ(told.fpdus.at(0).marker_faults, marker_pointer | marker_reserved);
    EXPECT_EQ(told.fpdus.at(0).marker_at[row_of(marker_pointer)], 512U);
    EXPECT_EQ(told.fpdus.at(0).markers_missing, at == 1020U);
  }
  EXPECT_EQ(with_hole(fpdus, 500, 100).fpdus.at(0).marker_faults, 0U);
}

TEST(Framer, WhereMarkersAreNotInUseACutFpduHasNone) {
  const std::vector<Bytes> fpdus = sends(2);
  Framer framer;
  Framed told;
  framer.begin(unmarked(), start);
  feed(framer, part(fpdus[0], 0, 25), 0, told);
  EXPECT_TRUE(framer.push_absent(fpdus[0].size() - 25));
  poll(framer, told);
  EXPECT_EQ(told.fpdus.at(0).markers, 0U);
  EXPECT_FALSE(told.fpdus.at(0).markers_missing);
}

// --- a marked stream joined on the way -------------------------------------------------------------------

TEST(Framer, FirstFpduWithAMarkerTellsThatTheStreamIsMarked) {
  // Short FPDUs, which only now and then have a marker in them.
  const std::vector<Bytes> fpdus = sends(12, test::FpduStream(test::Markers::on));
  for (std::size_t missing = 1; missing < 6; ++missing) {
    for (const std::size_t size : {0U, 1U, 7U, 30U}) {
      Framer framer;
      Framed told;
      framer.seek(unknown(), start, Framer::Loss::start_missing);
      for (std::size_t i = missing; i < fpdus.size(); ++i) feed(framer, fpdus[i], size, told);
      framer.finish();
      poll(framer, told);
      const auto first = static_cast<std::uint32_t>(missing) + 1;
      EXPECT_TRUE(size != 0 || msns(told) == numbers(first, 12)) << missing;
      EXPECT_EQ(framer.parameters().markers, Mode::on) << missing;
      ASSERT_FALSE(told.fpdus.empty());
      for (const Framed::Fpdu& fpdu : told.fpdus) EXPECT_EQ(fpdu.crc, CrcStatus::good) << fpdu.msn;
    }
  }
}

// Nothing shows that the stream is marked until an FPDU of which the middle is missing. Its second marker
// stands where the next FPDU would begin without any, and reads like one of length 0.
TEST(Framer, AMarkerBehindAnFpduThatWasCutIsNoFpdu) {
  test::FpduStream stream(test::Markers::on);
  const auto add = [&](std::uint32_t msn, std::size_t payload) {
    return stream.add(send(msn, pattern(payload, msn)), {.crc = test::Crc::unused, .unused_crc = 0});
  };
  (void)add(1, 280);
  std::vector<Bytes> fpdus;
  for (std::uint32_t msn = 2; msn < 5; ++msn) fpdus.push_back(add(msn, 28));
  const Bytes large = add(5, 533);  // markers stand 48 and 560 octets behind its beginning
  ASSERT_EQ(large.size(), 568U);
  Framer framer;
  Framed told;
  framer.seek(unknown(), start, Framer::Loss::start_missing);
  for (const Bytes& fpdu : fpdus) feed(framer, fpdu, 0, told);
  feed(framer, part(large, 0, 61), 0, told);
  (void)framer.push_absent(560 - 61);
  poll(framer, told);
  feed(framer, part(large, 560), 0, told);
  framer.finish();
  poll(framer, told);
  EXPECT_GE(told.fpdus.size(), 3U);
  for (const Framed::Fpdu& fpdu : told.fpdus) EXPECT_NE(fpdu.length, 0U);
}

TEST(Framer, MarkerAtTheEndOfAnFpduThatComesInPieces) {
  // The marker makes the FPDU four octets longer than it seems; they come later, or never.
  test::FpduStream stream(test::Markers::on);
  Bytes octets;
  std::vector<std::size_t> ends;
  for (std::uint32_t msn = 1; msn <= 12; ++msn) {
    octets = cat(octets, stream.add(send(msn, pattern(40 + 7 * msn, msn))));
    ends.push_back(octets.size());
  }
  for (std::size_t end = ends[0]; end <= octets.size(); ++end) {
    Framer framer;
    Framed told;
    framer.seek(unknown(), start, Framer::Loss::start_missing);
    feed(framer, part(octets, ends[0], ends[1] - ends[0]), 0, told);
    if (end > ends[1]) feed(framer, part(octets, ends[1], end - ends[1]), 0, told);
    framer.finish();
    poll(framer, told);
    for (const Framed::Fpdu& fpdu : told.fpdus) {
      EXPECT_TRUE(fpdu.cut || fpdu.crc == CrcStatus::good) << end << ' ' << fpdu.msn;
    }
  }
}

// --- octets that are no FPDU ---------------------------------------------------------------------------

TEST(Framer, GarbageIsSkippedAndCounted) {
  for (const std::size_t garbage : {1U, 7U, 33U, 500U}) {
    const std::vector<Bytes> fpdus = sends(8);
    Framer framer;
    Framed told;
    framer.begin(unmarked(), start);
    feed(framer, fpdus[0], 0, told);
    feed(framer, pattern(garbage, 77), 0, told);
    for (std::size_t i = 1; i < 8; ++i) feed(framer, fpdus[i], 0, told);
    EXPECT_EQ(msns(told), numbers(1, 8)) << garbage;
    ASSERT_EQ(told.locks.size(), 1U);
    EXPECT_EQ(framer.why(), Framer::Loss::nonsense);
    EXPECT_EQ(framer.lost_at(), start + fpdus[0].size());
    EXPECT_EQ(told.locks[0].skipped, garbage);
  }
}

TEST(Framer, GarbageAtTheEndIsUnframed) {
  Framer framer;
  Framed told;
  framer.begin(unmarked(), start);
  feed(framer, cat(sends(2)), 0, told);
  feed(framer, pattern(300, 7), 0, told);
  framer.finish();
  poll(framer, told);
  EXPECT_FALSE(framer.synchronized());
  EXPECT_EQ(framer.unframed(), 300U);
  EXPECT_EQ(told.fpdus.size(), 2U);
}

// --- the end of Full Operation -------------------------------------------------------------------------

TEST(Framer, StartupKeyInsteadOfAnFpdu) {
  const Bytes request = test::request_frame({.private_data = text("again")});
  for (const std::size_t size : {0U, 1U, 5U, 16U, 20U}) {
    Framer framer;
    Framed told;
    framer.begin(unmarked(), start);
    const std::vector<Bytes> fpdus = sends(2);
    feed(framer, cat(fpdus), 0, told);
    const std::size_t step = size == 0 ? request.size() : size;
    for (std::size_t at = 0; at < request.size(); at += step) {
      const Bytes piece = part(request, at, step);
      framer.push(piece, true);
      poll(framer, told);
      if (told.outputs.back() != Output::startup) continue;
      const ByteView rest = framer.rest();
      ASSERT_GE(rest.size(), 16U);
      EXPECT_EQ(Bytes(rest.begin(), rest.end()), part(request, 0, at + step));
      break;
    }
    EXPECT_EQ(told.outputs.back(), Output::startup) << size;
    EXPECT_EQ(told.fpdus.size(), 2U);
    EXPECT_EQ(framer.position(), start + fpdus[0].size() + fpdus[1].size());
  }
}

TEST(Framer, KeyInsideAPayloadIsPayload) {
  test::FpduStream stream;
  const Bytes octets =
      cat({stream.add(send(1, test::request_frame())), stream.add(send(2, test::reply_frame()))});
  EXPECT_EQ(msns(frame_all(unmarked(), octets, 38)), numbers(1, 2));  // a segment begins with the key
}

TEST(Framer, BeginForgetsWhatWas) {
  Framer framer;
  Framed told;
  framer.begin(marked(start), start);
  feed(framer, pattern(100), 0, told);
  framer.begin(unmarked(), 5000);
  Framed again;
  feed(framer, cat(sends(3)), 0, again);
  EXPECT_EQ(msns(again), numbers(1, 3));
  EXPECT_EQ(again.fpdus[0].begin, 5000U);
}

}  // namespace
}  // namespace iwarp::mpa
