// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hash.hpp"

#include <exception>
#include <random>

namespace iwarp::base {

const std::array<std::uint64_t, 2>& hash_secrets() noexcept {
  static const std::array<std::uint64_t, 2> secrets = [] {
    std::array<std::uint64_t, 2> made{0x9e3779b97f4a7c15U, 0xd1b54a32d192ed03U};
    try {
      std::random_device random;
      for (std::uint64_t& secret : made) secret ^= std::uint64_t{random()} << 32U ^ random();
    } catch (const std::exception&) {
      // No source of randomness: tables work all the same.
    }
    return made;
  }();
  return secrets;
}

}  // namespace iwarp::base
