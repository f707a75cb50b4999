// What directions, FPDUs and messages are found again by.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/event.hpp>

namespace iwarp::dissector {

// One direction of a connection.
struct Direction {
  ConnectionId connection = 0;
  Side side = Side::a;

  [[nodiscard]] std::uint64_t key() const noexcept { return std::uint64_t{connection} << 1U | index(side); }
};

// An FPDU, or a message, among those of all connections: `number` is FpduFact::number or
// MessageConclusion::number.
[[nodiscard]] constexpr std::uint64_t key_of(ConnectionId connection, std::uint32_t number) noexcept {
  return std::uint64_t{connection} << 32U | number;
}
[[nodiscard]] inline std::uint64_t fpdu_key(const Event& fpdu) noexcept {
  return key_of(fpdu.connection, fpdu.fpdu.number);
}

}  // namespace iwarp::dissector
