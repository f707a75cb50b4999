// How a pcap file begins, by the unit of its times.
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iwarp::capture {

inline constexpr std::uint32_t magic_microseconds = 0xa1b2c3d4;
inline constexpr std::uint32_t magic_nanoseconds = 0xa1b23c4d;

}  // namespace iwarp::capture
