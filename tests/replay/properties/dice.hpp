// Choices from a seed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace iwarp::rnic::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // 0 … limit - 1
  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint32_t count) { return below(count) == 0; }
  std::uint64_t word() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace iwarp::rnic::test
