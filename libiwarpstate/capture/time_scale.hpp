// The time of a pcapng interface: what one tick is, and where tick 0 lies.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/ids.hpp>

namespace iwarp::capture {

class TimeScale {
 public:
  // `resolution` is the octet of if_tsresol: the top bit chooses powers of 2 over powers of 10, the others
  // are the negative exponent. `offset_seconds` is if_tsoffset.
  explicit TimeScale(std::uint8_t resolution = 6, std::int64_t offset_seconds = 0) noexcept;

  // Nanoseconds since the epoch, rounded down; the nearest TimeNs when it has no such value.
  [[nodiscard]] TimeNs to_ns(std::uint64_t ticks) const noexcept;

 private:
  [[nodiscard]] std::uint64_t unsigned_ns(std::uint64_t ticks) const noexcept;

  enum class Kind : std::uint8_t {
    multiply,
    divide,
    power_of_two
  };
  Kind kind_ = Kind::multiply;
  unsigned exponent_ = 0;        // of power_of_two
  std::uint64_t factor_ = 1000;  // of multiply and divide; 0: all ticks are below a nanosecond
  std::int64_t offset_ns_ = 0;
};

}  // namespace iwarp::capture
