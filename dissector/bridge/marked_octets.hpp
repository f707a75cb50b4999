// Octets of an FPDU with the markers between them left out (RFC 5044 §4.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <iwarp/bytes.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp::dissector {

// Copies `length` octets from `position` on, counted without markers, out of the FPDU `wire`, whose first
// octet is `phase` octets behind a marker position. REQUIRES: `wire` has them.
inline void copy_without_markers(const Byte* wire, std::uint32_t phase, std::uint32_t position,
                                 std::uint32_t length, Byte* out) noexcept {
  while (length != 0) {
    const std::uint32_t from = wire::marked_position(position, phase);
    const std::uint32_t until_marker = wire::marker_interval - (phase + from) % wire::marker_interval;
    const std::uint32_t count = std::min(length, until_marker);
    std::memcpy(out, wire + from, count);
    out += count;
    position += count;
    length -= count;
  }
}

}  // namespace iwarp::dissector
