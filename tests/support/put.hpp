// Big-endian fields appended to octets: all that the makers of test octets share.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>

namespace iwarp::test {

inline void put8(Bytes& out, unsigned value) {
  out.push_back(static_cast<Byte>(value));
}

inline void put16(Bytes& out, unsigned value) {
  put8(out, value >> 8U);
  put8(out, value);
}

inline void put32(Bytes& out, std::uint32_t value) {
  put16(out, value >> 16U);
  put16(out, value & 0xffffU);
}

inline void put64(Bytes& out, std::uint64_t value) {
  put32(out, static_cast<std::uint32_t>(value >> 32U));
  put32(out, static_cast<std::uint32_t>(value));
}

}  // namespace iwarp::test
