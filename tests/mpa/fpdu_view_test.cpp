// Where the octets of an FPDU stand between markers, and which octets can be an FPDU at all.
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
using test::write;
using test::zeros;

TEST(FpduView, SizeAndPlacesAgreeWithAMarkedStream) {
  for (std::uint32_t phase = 0; phase < 512; phase += 4) {
    if (phase == 4) continue;  // no FPDU begins right behind a marker
    for (const std::size_t length : {14U, 15U, 46U, 500U, 507U, 1001U, 1600U}) {
      test::FpduStream stream(test::Markers::on, phase);
      const Bytes ulpdu = write(0x1234ab01, 0x1000, pattern(length - 14, phase));
      const Bytes octets = stream.add(ulpdu);
      const FramerParameters parameters = marked();
      ASSERT_EQ(wire_size(parameters, phase, static_cast<std::uint32_t>(length)), octets.size())
          << phase << ' ' << length;
      const Bytes bare = test::fpdu(ulpdu);
      for (std::uint32_t i = 0; i + 4 < bare.size(); ++i) {  // the CRC differs
        ASSERT_EQ(octets[wire::marked_position(i, phase)], bare[i]) << phase << ' ' << length << ' ' << i;
      }
    }
  }
}

TEST(FpduView, LengthIsReadBehindTheLeadingMarker) {
  const Bytes octets = hex("00000000 0017");
  std::uint16_t length = 0;
  EXPECT_TRUE(read_ulpdu_length(marked(), 0, octets, length));
  EXPECT_EQ(length, 0x17U);
  EXPECT_TRUE(read_ulpdu_length(marked(), 8, octets, length)) << "no marker there";
  EXPECT_EQ(length, 0U);
  EXPECT_FALSE(read_ulpdu_length(marked(), 512, part(octets, 0, 5), length));
  EXPECT_FALSE(read_ulpdu_length(unmarked(), 0, part(octets, 0, 1), length));
  EXPECT_FALSE(read_ulpdu_length(unmarked(), 0, {}, length));
}

TEST(FpduView, HeaderIsCopiedAroundAMarkerAsFarAsItGoes) {
  test::FpduStream stream(test::Markers::on, 500);
  const Bytes ulpdu = send(0x01020304, pattern(60));
  const Bytes octets = stream.add(ulpdu);  // the marker stands behind 12 octets
  std::array<Byte, max_header> header{};
  for (std::size_t there = 0; there <= 40; ++there) {
    const std::uint32_t copied = copy_header(marked(), 500, part(octets, 0, there), 18, header.data());
    const std::size_t data = there <= 12 ? there : there <= 16 ? 12 : there - 4;
    const std::size_t expected = std::min<std::size_t>(data < 2 ? 0 : data - 2, 18);
    ASSERT_EQ(copied, expected) << there;
    EXPECT_EQ(Bytes(header.begin(), header.begin() + copied), part(ulpdu, 0, copied));
  }
}

TEST(FpduView, ExamineTellsCrcPadAndMarkers) {
  test::FpduStream stream(test::Markers::on, 400);
  const Bytes octets = stream.add(send(1, pattern(101)), {.pad = 0xab});
  FramedFpdu fpdu;
  examine(marked(), 400, octets, 119, fpdu);
  EXPECT_EQ(fpdu.begin, 400U);
  EXPECT_EQ(fpdu.end, 400U + octets.size());
  EXPECT_EQ(fpdu.markers, 1U);
  EXPECT_EQ(fpdu.marker_faults, 0U);
  EXPECT_EQ(fpdu.pad, 0xabababU);
  EXPECT_EQ(fpdu.crc, CrcStatus::good);
  EXPECT_EQ(fpdu.crc_field, fpdu.crc_computed);

  Bytes damaged = octets;
  damaged[30] ^= 1;
  examine(marked(), 400, damaged, 119, fpdu);
  EXPECT_EQ(fpdu.crc, CrcStatus::bad);
  examine(marked(0, Mode::unknown), 400, damaged, 119, fpdu);
  EXPECT_EQ(fpdu.crc, CrcStatus::undecidable);
  examine(marked(0, Mode::off), 400, damaged, 119, fpdu);
  EXPECT_EQ(fpdu.crc, CrcStatus::unused);
}

TEST(FpduView, ExamineTellsWhatIsWrongWithAMarker) {
  test::FpduStream stream(test::Markers::on, 400);
  stream.break_marker({.pointer_delta = 9, .reserved = 0x1234});
  const Bytes octets = stream.add(send(1, pattern(101)));
  FramedFpdu fpdu;
  examine(marked(), 400, octets, 119, fpdu);
  EXPECT_EQ(fpdu.marker_faults, marker_pointer | marker_reserved);
  EXPECT_EQ(fpdu.marker_seen[row_of(marker_pointer)], 112U + 9U);
  EXPECT_EQ(fpdu.marker_seen[row_of(marker_reserved)], 0x1234U);
  EXPECT_EQ(fpdu.marker_at[row_of(marker_pointer)], 112U);
  EXPECT_EQ(fpdu.marker_at[row_of(marker_reserved)], 112U);
  EXPECT_EQ(fpdu.crc, CrcStatus::good);
}

TEST(FpduView, SmallestFpdus) {
  for (std::size_t length = 0; length < 20; ++length) {
    const Bytes octets = test::fpdu(zeros(length));
    FramedFpdu fpdu;
    examine(unmarked(), 0, octets, static_cast<std::uint16_t>(length), fpdu);
    EXPECT_EQ(fpdu.crc, CrcStatus::good) << length;
    EXPECT_EQ(fpdu.header_octets, length);
    EXPECT_EQ(fpdu.pad, 0U);
  }
}

bool is_plausible(const Bytes& ulpdu, const FramerParameters& parameters = unmarked()) {
  return plausible(parameters, static_cast<std::uint16_t>(ulpdu.size()),
                   ByteView(ulpdu).first(std::min<std::size_t>(ulpdu.size(), 18)));
}

TEST(FpduView, EveryMessageIsPlausible) {
  EXPECT_TRUE(is_plausible(send(1)));
  EXPECT_TRUE(is_plausible(test::send_se_inv(1, 7, pattern(5))));
  EXPECT_TRUE(is_plausible(write(1, 0)));
  EXPECT_TRUE(is_plausible(test::read_response(1, 0, pattern(3))));
  EXPECT_TRUE(is_plausible(test::read_request(1, {})));
  EXPECT_TRUE(is_plausible(test::fetch_add(1, {})));
  EXPECT_TRUE(is_plausible(test::atomic_response(1, 0, 0)));
  EXPECT_TRUE(is_plausible(test::immediate(1, 0)));
  EXPECT_TRUE(is_plausible(test::terminate(0x2002)));
  EXPECT_TRUE(is_plausible(test::terminate(0x0100, test::about(test::read_request(1, {}), true))));
}

TEST(FpduView, WhatCannotBeASegmentIsNot) {
  EXPECT_FALSE(is_plausible({}));
  EXPECT_FALSE(is_plausible(hex("41")));
  EXPECT_FALSE(is_plausible(zeros(40)));
  EXPECT_FALSE(is_plausible(test::text("GET / HTTP/1.1\r\nHost: example\r\n")));
  EXPECT_FALSE(is_plausible(send(1, {}, {.queue = 1})));
  EXPECT_FALSE(is_plausible(send(1, {}, {.opcode = 12})));
  EXPECT_FALSE(is_plausible(send(1, {}, {.ddp_version = 2})));
  EXPECT_FALSE(is_plausible(send(1, {}, {.rdmap_version = 0})));
  EXPECT_FALSE(is_plausible(send(1, {}, {.tagged = true})));
  EXPECT_FALSE(is_plausible(part(send(1), 0, 17)));
  EXPECT_FALSE(is_plausible(part(write(1, 0), 0, 13)));
  EXPECT_FALSE(is_plausible(cat(test::read_request(1, {}), zeros(1))));
  EXPECT_FALSE(is_plausible(cat(test::immediate(1, 0), zeros(1))));
  EXPECT_FALSE(is_plausible(part(test::terminate(0x2002), 0, 20)));
}

TEST(FpduView, RevisionZeroTurnsTheVersions) {
  FramerParameters rdmac = unmarked();
  rdmac.revision_zero = true;
  const Bytes zero = send(1, {}, {.ddp_version = 0, .rdmap_version = 0});
  EXPECT_TRUE(is_plausible(zero, rdmac));
  EXPECT_FALSE(is_plausible(zero));
  EXPECT_FALSE(is_plausible(send(1), rdmac));
}

}  // namespace
}  // namespace iwarp::mpa
