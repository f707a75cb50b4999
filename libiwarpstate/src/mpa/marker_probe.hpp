// Whether a stream is marked can be told by one FPDU: its first marker stands so many octets behind the
// FPDU's beginning as its FPDUPTR says, so that the word 0000|FPDUPTR is its own distance (RFC 5044 §4.3).
// The leading marker, 0000 0000 at distance 0, is no exception.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp::mpa {

// The farthest from its FPDU's beginning that a first marker can stand: FPDUs and markers are aligned to four
// octets.
inline constexpr std::uint32_t farthest_first_marker = wire::marker_interval - wire::marker_size;

// The first distance from `from` to `farthest` at which a word of `octets`, which begin with an FPDU, is its
// distance.
[[nodiscard]] inline std::optional<std::uint32_t> probe_marker(ByteView octets, std::uint32_t from,
                                                               std::uint32_t farthest) noexcept {
  for (std::uint32_t at = from; at <= farthest && at + wire::marker_size <= octets.size();
       at += wire::marker_size) {
    if (load_be32(octets.data() + at) == at) return at;
  }
  return std::nullopt;
}

}  // namespace iwarp::mpa
