// How many seeds a test plays: an environment variable says more, or fewer, than its default.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace iwarp::test {

// Of a test whose seeds each stand for themselves a quarter: sanitizers take three to five times as long.
constexpr std::uint64_t fewer_if_sanitized(std::uint64_t seeds) {
#ifdef IWARP_SANITIZED
  return std::max<std::uint64_t>(seeds / 4, 1);
#else
  return seeds;
#endif
}

// Throws when the variable is there and is no number above 0: with no seed a test would pass untested.
inline std::uint64_t seeds_from(const char* variable, std::uint64_t otherwise) {
  const char* const set = std::getenv(variable);
  if (set == nullptr) return otherwise;
  const std::string wanted = set;
  std::uint64_t seeds = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [rest, error] = std::from_chars(wanted.data(), end, seeds);
  if (error != std::errc() || rest != end || seeds == 0) {
    throw std::invalid_argument(std::string(variable) + " is '" + wanted + "', no number of seeds");
  }
  return seeds;
}

}  // namespace iwarp::test
