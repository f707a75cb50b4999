// Healthy iWARP traffic by a seed: all opcodes, both directions, and the same octets carried by TCP in
// different ways. The same seed gives the same messages whatever the carriage.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "support/conversation.hpp"

namespace iwarp::test {

// A small generator of numbers, the same everywhere (SplitMix64).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // 0 … count − 1
  [[nodiscard]] std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(next() % count);
  }
  [[nodiscard]] bool one_in(std::uint32_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

struct Carriage {
  std::uint64_t seed = 0;   // 0: an FPDU a segment, in order, once
  bool retransmit = false;  // some octets again, cut otherwise; some lost before they arrive
  bool reorder = false;     // segments some places later in the capture
};

struct Traffic {
  bool markers_a = false;  // in what a sends
  bool markers_b = false;
  bool crc = true;
  bool alike = false;  // the same few buffers and lengths again and again, zero among them
};

// Handshake, start-up, some dozens of messages by seed, close. Modes are drawn from the seed.
[[nodiscard]] Traffic traffic_of(std::uint64_t seed);
[[nodiscard]] Conversation random_traffic(std::uint64_t seed, const Traffic& traffic,
                                          const Carriage& carriage = {});

}  // namespace iwarp::test
