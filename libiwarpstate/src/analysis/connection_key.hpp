// ConnectionKey: both endpoints of a TCP connection, whichever sent a segment, and the network they are in.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include <iwarp/segment.hpp>

#include "base/hash.hpp"

namespace iwarp {

// Two words for an address, one for its version and the port: they compare and hash at once.
using EndpointWords = std::array<std::uint64_t, 3>;

inline EndpointWords words_of(const Endpoint& endpoint) noexcept {
  EndpointWords words;
  std::memcpy(words.data(), endpoint.address.octets.data(), endpoint.address.octets.size());
  words[2] = std::uint64_t{endpoint.address.version} << 16U | endpoint.port;
  return words;
}

// What == says; that of std::array calls memcmp().
template <std::size_t N>
bool equal(const std::array<std::uint64_t, N>& one, const std::array<std::uint64_t, N>& another) noexcept {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < N; ++i) difference |= one[i] ^ another[i];
  return difference == 0;
}

inline bool equal(const Endpoint& one, const Endpoint& another) noexcept {
  return equal(words_of(one), words_of(another));
}

struct ConnectionKey {
  std::array<std::uint64_t, 6> words{};  // the lower endpoint first; the network above its port

  ConnectionKey() = default;
  ConnectionKey(const Endpoint& one, const Endpoint& another, std::uint32_t network) noexcept {
    EndpointWords low = words_of(one);
    EndpointWords high = words_of(another);
    if (high < low) std::swap(low, high);
    words = {low[0], low[1], low[2] | std::uint64_t{network} << 32U, high[0], high[1], high[2]};
  }

  bool operator==(const ConnectionKey& another) const noexcept { return equal(words, another.words); }

  // Not noexcept: so hash tables keep hashes and need not make them again for each key they pass.
  struct Hash {
    std::size_t operator()(const ConnectionKey& key) const {
      const auto& [a, b, c, d, e, f] = key.words;
      return base::hash_on(base::hash_on(base::hash_of(a, b), c, d), e, f);
    }
  };
};

}  // namespace iwarp
