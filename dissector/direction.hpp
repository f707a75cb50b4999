// One direction of a connection, as a key.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/segment.hpp>

namespace iwarp::dissector {

struct Direction {
  ConnectionId connection = 0;
  Side side = Side::a;

  [[nodiscard]] std::uint64_t key() const noexcept { return std::uint64_t{connection} << 1U | index(side); }
};

}  // namespace iwarp::dissector
