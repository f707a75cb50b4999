// What a capture point shows of two soft-RNICs that keep the rules: random work, a random way for the
// connection to end, a network that loses, repeats, reorders, damages, cuts and joins packets. The same seed
// gives the same octets at the same nanoseconds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "support/capture_damage.hpp"

namespace iwarp::rnic::test {

struct ConformingTraffic {
  iwarp::test::Segments segments;
  const char* end;      // in words: how the connections end
  const char* content;  // … and what is sent
};

[[nodiscard]] ConformingTraffic conforming_traffic(std::uint64_t seed);
// … that a Terminate or a RST ends while both ends are at work: what they had sent by then crosses it.
[[nodiscard]] ConformingTraffic crossing_traffic(std::uint64_t seed);

}  // namespace iwarp::rnic::test
