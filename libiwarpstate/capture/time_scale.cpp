// SPDX-License-Identifier: GPL-2.0-or-later
#include "time_scale.hpp"

#include <limits>

namespace iwarp::capture {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t max_time = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t min_time = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t max_unsigned_time = static_cast<std::uint64_t>(max_time);

// 0 when the power does not fit.
constexpr std::uint64_t power_of_ten(unsigned exponent) {
  if (exponent > 19) return 0;
  std::uint64_t power = 1;
  while (exponent-- != 0) power *= 10;
  return power;
}

constexpr std::int64_t seconds_to_ns(std::int64_t seconds) {
  if (seconds > max_time / ns_per_second) return max_time;
  if (seconds < min_time / ns_per_second) return min_time;
  return seconds * ns_per_second;
}

}  // namespace

TimeScale::TimeScale(std::uint8_t resolution, std::int64_t offset_seconds) noexcept
    : exponent_(resolution & 0x7fU), offset_ns_(seconds_to_ns(offset_seconds)) {
  if ((resolution & 0x80U) != 0) {
    kind_ = Kind::power_of_two;
  } else if (exponent_ <= 9) {
    factor_ = power_of_ten(9 - exponent_);
  } else {
    kind_ = Kind::divide;
    factor_ = power_of_ten(exponent_ - 9);
  }
}

// Values beyond TimeNs come out as some value beyond TimeNs.
std::uint64_t TimeScale::unsigned_ns(std::uint64_t ticks) const noexcept {
  constexpr std::uint64_t too_large = std::numeric_limits<std::uint64_t>::max();
  switch (kind_) {
    case Kind::multiply: return ticks > max_unsigned_time / factor_ ? too_large : ticks * factor_;
    case Kind::divide: return factor_ == 0 ? 0 : ticks / factor_;
    case Kind::power_of_two: break;
  }
  const std::uint64_t seconds = exponent_ < 64 ? ticks >> exponent_ : 0;
  std::uint64_t fraction = exponent_ < 64 ? ticks & ((std::uint64_t{1} << exponent_) - 1) : ticks;
  unsigned fraction_bits = exponent_;
  // 10^9 has 30 bits: 34 bits of fraction can be multiplied by it, and are finer than a nanosecond.
  if (fraction_bits > 34) {
    const unsigned surplus = fraction_bits - 34;
    fraction = surplus < 64 ? fraction >> surplus : 0;
    fraction_bits = 34;
  }
  constexpr auto scale = static_cast<std::uint64_t>(ns_per_second);
  if (seconds > max_unsigned_time / scale) return too_large;
  return seconds * scale + (fraction * scale >> fraction_bits);
}

TimeNs TimeScale::to_ns(std::uint64_t ticks) const noexcept {
  const std::uint64_t since_offset = unsigned_ns(ticks);
  const auto time = since_offset > max_unsigned_time ? max_time : static_cast<std::int64_t>(since_offset);
  if (offset_ns_ > 0 && time > max_time - offset_ns_) return max_time;
  return time + offset_ns_;  // time is not negative, so it cannot fall below the least value
}

}  // namespace iwarp::capture
