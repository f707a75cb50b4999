// Start-up frames by field, cut short, wrong; FPDU geometry against a walk octet by octet.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/mpa.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/octets.hpp"

namespace iwarp::wire {
namespace {

using test::cat;
using test::hex;
using test::pattern;
using test::text;
using test::to_hex;
using test::zeros;

const Bytes request_rev1 = hex("4d504120 49442052 65712046 72616d65 40010000");
const Bytes reply_rev1 = hex("4d504120 49442052 65702046 72616d65 40010000");
const Bytes request_rev2 = hex("4d504120 49442052 65712046 72616d65 50020008 8010c008 70726976");
const Bytes reply_rev2 = hex("4d504120 49442052 65702046 72616d65 50020004 80084010");

Bytes with_flags(unsigned flags) {
  Bytes octets = request_rev1;
  octets[16] = static_cast<Byte>(flags);
  return octets;
}

std::string encoded(const StartupFrame& frame) {
  Bytes out;
  encode(frame, out);
  return to_hex(out);
}

TEST(StartupFrameTest, ReadsRequestRevision1) {
  const auto frame = parse_startup(request_rev1);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, StartupKind::request);
  EXPECT_TRUE(frame->crc);
  EXPECT_FALSE(frame->markers);
  EXPECT_FALSE(frame->rejected);
  EXPECT_FALSE(frame->enhanced);
  EXPECT_EQ(frame->reserved_flags, 0);
  EXPECT_EQ(frame->revision, 1);
  EXPECT_EQ(frame->private_data_length, 0);
  EXPECT_EQ(frame->size(), 20U);
  EXPECT_FALSE(frame->enhanced_word().has_value());
  EXPECT_EQ(encoded(*frame), to_hex(request_rev1));
}

TEST(StartupFrameTest, ReadsReplyRevision1) {
  const auto frame = parse_startup(reply_rev1);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, StartupKind::reply);
  EXPECT_EQ(encoded(*frame), to_hex(reply_rev1));
}

TEST(StartupFrameTest, ReadsRevision2WithItsWord) {
  const auto request = parse_startup(request_rev2);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->enhanced);
  EXPECT_EQ(request->revision, 2);
  EXPECT_EQ(request->private_data_length, 8);
  EXPECT_EQ(request->private_data.data(), request_rev2.data() + 20);
  EXPECT_EQ(request->enhanced_word(), (EnhancedWord{.peer_to_peer = true,
                                                    .rtr_send = false,
                                                    .rtr_write = true,
                                                    .rtr_read = true,
                                                    .ird = 16,
                                                    .ord = 8}));
  EXPECT_EQ(encoded(*request), to_hex(request_rev2));

  const auto reply = parse_startup(reply_rev2);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->enhanced_word(), (EnhancedWord{.peer_to_peer = true,
                                                  .rtr_send = false,
                                                  .rtr_write = false,
                                                  .rtr_read = true,
                                                  .ird = 8,
                                                  .ord = 16}));
  EXPECT_EQ(encoded(*reply), to_hex(reply_rev2));
}

TEST(StartupFrameTest, TellsFlagsApart) {
  EXPECT_TRUE(parse_startup(with_flags(0x80))->markers);
  EXPECT_TRUE(parse_startup(with_flags(0x40))->crc);
  EXPECT_TRUE(parse_startup(with_flags(0x20))->rejected);
  EXPECT_TRUE(parse_startup(with_flags(0x10))->enhanced);
  EXPECT_EQ(parse_startup(with_flags(0x48))->reserved_flags, 8);  // siw
  for (unsigned flags = 0; flags < 256; ++flags) {
    const auto frame = parse_startup(with_flags(flags));
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->markers + frame->crc + frame->rejected + frame->enhanced,
              __builtin_popcount(flags & 0xf0U));
    EXPECT_EQ(encoded(*frame), to_hex(with_flags(flags)));
  }
}

TEST(StartupFrameTest, KeepsAnyRevision) {
  for (const unsigned revision : {0U, 1U, 2U, 129U, 255U}) {
    Bytes octets = request_rev1;
    octets[17] = static_cast<Byte>(revision);
    EXPECT_EQ(parse_startup(octets)->revision, revision);
  }
}

TEST(StartupFrameTest, LeavesOctetsBehindIt) {
  const Bytes octets = cat(request_rev2, text("more"));
  const auto frame = parse_startup(octets);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->size(), request_rev2.size());
  EXPECT_EQ(frame->private_data.size(), 8U);
}

TEST(StartupFrameTest, IsCutShortAtEveryLengthBelowItsOwn) {
  for (std::size_t length = 0; length < request_rev2.size(); ++length) {
    const auto frame = parse_startup(ByteView(request_rev2).first(length));
    ASSERT_FALSE(frame) << length;
    EXPECT_STREQ(frame.error().reason, "start-up frame is cut short");
    EXPECT_EQ(frame.error().offset, length);
  }
}

TEST(StartupFrameTest, NeedsAKey) {
  const auto garbage = parse_startup(text("GET / HTTP/1.1\r\n\r\n      "));
  ASSERT_FALSE(garbage);
  EXPECT_STREQ(garbage.error().reason, "no start-up key");
  EXPECT_EQ(garbage.error().offset, 0U);
  for (std::size_t i = 0; i < 16; ++i) {
    Bytes octets = reply_rev1;
    octets[i] ^= 0x80U;
    const auto frame = parse_startup(octets);
    ASSERT_FALSE(frame);
    EXPECT_STREQ(frame.error().reason, "no start-up key");
    EXPECT_EQ(frame.error().offset, i);
  }
  EXPECT_STREQ(parse_startup(text("MPA ID Rx")).error().reason, "no start-up key");
}

TEST(StartupFrameTest, ParsesPrivateDataOfAnyLength) {
  for (const unsigned length : {512U, 513U, 65535U}) {
    const Bytes octets = test::request_frame({.private_data = pattern(length)});
    const auto frame = parse_startup(octets);
    ASSERT_TRUE(frame) << length;
    EXPECT_EQ(frame->private_data_length, length);
    EXPECT_EQ(encoded(*frame), to_hex(octets));
  }
}

TEST(EnhancedWordTest, NeedsSAndFourOctets) {
  EXPECT_FALSE(parse_startup(test::request_frame({.enhanced = true, .private_data = zeros(3)}))
                   ->enhanced_word()
                   .has_value());
  EXPECT_TRUE(parse_startup(test::request_frame({.enhanced = true, .private_data = zeros(4)}))
                  ->enhanced_word()
                  .has_value());
  EXPECT_FALSE(parse_startup(test::request_frame({.enhanced = false, .private_data = zeros(4)}))
                   ->enhanced_word()
                   .has_value());
}

TEST(EnhancedWordTest, PutsEachBitInItsPlace) {
  const auto octets_of = [](const EnhancedWord& word) {
    Bytes out(4);
    encode(word, out.data());
    EXPECT_EQ(parse_enhanced_word(out.data()), word);
    return to_hex(out);
  };
  EXPECT_EQ(octets_of({}), "00000000");
  EXPECT_EQ(octets_of({.peer_to_peer = true}), "80000000");
  EXPECT_EQ(octets_of({.rtr_send = true}), "40000000");
  EXPECT_EQ(octets_of({.rtr_write = true}), "00008000");
  EXPECT_EQ(octets_of({.rtr_read = true}), "00004000");
  EXPECT_EQ(octets_of({.ird = depth_not_negotiated}), "3fff0000");
  EXPECT_EQ(octets_of({.ord = depth_not_negotiated}), "00003fff");
}

// --- geometry --------------------------------------------------------------------------------------------

// Markers met when `size` octets are laid out one by one from `phase` on, a marker before each octet that
// stands at a multiple of 512.
std::uint32_t walk(std::uint32_t size, std::uint32_t phase) {
  std::uint32_t markers = 0;
  std::uint32_t position = phase;
  for (std::uint32_t octet = 0; octet < size; ++octet) {
    if (position % 512 == 0) {
      ++markers;
      position += 4;
    }
    ++position;
  }
  return markers;
}

TEST(GeometryTest, CountsMarkersAsTheWalkDoes) {
  for (std::uint32_t phase = 0; phase < marker_interval; ++phase) {
    std::uint32_t markers = 0;
    std::uint32_t position = phase;
    for (std::uint32_t size = 0; size <= 2600; ++size) {
      ASSERT_EQ(marker_count(size, phase), markers) << size << " octets at " << phase;
      if (position % 512 == 0) {
        ++markers;
        position += 4;
      }
      ++position;
    }
  }
}

TEST(GeometryTest, CountsMarkersOfTheLongestFpdu) {
  const std::uint32_t size = unmarked_fpdu_size(max_ulpdu_length);
  for (std::uint32_t phase = 0; phase < marker_interval; phase += 4) {
    ASSERT_EQ(marker_count(size, phase), walk(size, phase)) << phase;
    ASSERT_EQ(marker_count(size - 4, phase), walk(size - 4, phase)) << phase;
  }
  EXPECT_EQ(marker_count(size, 0), 128U);
}

TEST(GeometryTest, PadsToFour) {
  EXPECT_EQ(pad_size(0), 2U);
  EXPECT_EQ(pad_size(14), 0U);
  EXPECT_EQ(pad_size(23), 3U);
  EXPECT_EQ(pad_size(0xffff), 3U);
  for (std::uint32_t length = 0; length <= 0xffff; ++length) {
    ASSERT_LT(pad_size(length), 4U);
    ASSERT_EQ(unmarked_fpdu_size(length), 2 + length + pad_size(length) + 4);
    ASSERT_EQ(unmarked_fpdu_size(length) % 4, 0U);
  }
}

// Sizes of FPDUs that the independent generator makes.
TEST(GeometryTest, AgreesWithGeneratedStreams) {
  for (std::uint64_t phase = 0; phase < 512; phase += 4) {
    for (const std::size_t payload : {0U, 5U, 480U, 484U, 1400U, 5000U}) {
      const Bytes ulpdu = test::send(1, zeros(payload));
      const auto length = static_cast<std::uint32_t>(ulpdu.size());
      const std::uint32_t size = unmarked_fpdu_size(length);
      const std::uint32_t markers = marker_count(size, static_cast<std::uint32_t>(phase));
      test::FpduStream stream(test::Markers::on, phase);
      ASSERT_EQ(stream.add(ulpdu).size(), size + markers * marker_size) << phase << ' ' << payload;
    }
  }
}

TEST(GeometryTest, MasksFpduPointers) {
  EXPECT_EQ(masked_fpdu_pointer(0x1f), 0x1cU);
  EXPECT_EQ(masked_fpdu_pointer(0xfffc), 0xfffcU);
}

}  // namespace
}  // namespace iwarp::wire
