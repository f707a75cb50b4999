// SPDX-License-Identifier: GPL-2.0-or-later
#include "scale/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace iwarp::gui {
namespace {

// With that many digits behind the point; no locale has a say.
std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

// Three significant digits of a value below 1000, or just below it.
std::string three_digits(double value) {
  if (value >= 99.95) return fixed(value, 0);
  return fixed(value, value >= 9.995 ? 1 : 2);
}

// REQUIRES: value >= 0. The first unit is one of whole things: "512 B", not "512.0 B".
std::string scaled(double value, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return (unit == 0 ? fixed(value, 0) : three_digits(value)) + " " + units[unit];
}

std::string two_parts(std::uint64_t great, const char* great_unit, std::uint64_t small,
                      const char* small_unit) {
  std::string text = std::to_string(great) + " " + great_unit;
  if (small > 0) text += (small < 10 ? " 0" : " ") + std::to_string(small) + " " + small_unit;
  return text;
}

}  // namespace

std::string duration_text(TimeNs duration_ns) {
  static constexpr std::array units = {"ns", "µs", "ms", "s"};
  const bool negative = duration_ns < 0;
  const std::uint64_t ns =
      negative ? 0 - static_cast<std::uint64_t>(duration_ns) : static_cast<std::uint64_t>(duration_ns);
  const std::uint64_t seconds = ns / 1'000'000'000;
  std::string text;
  if (seconds < 120) {
    text = scaled(static_cast<double>(ns), units);
  } else if (seconds < 7200) {
    text = two_parts(seconds / 60, "min", seconds % 60, "s");
  } else if (seconds < 172'800) {
    text = two_parts(seconds / 3600, "h", seconds / 60 % 60, "min");
  } else {
    text = two_parts(seconds / 86'400, "d", seconds / 3600 % 24, "h");
  }
  return negative ? "−" + text : text;
}

std::string octets_text(std::uint64_t octets) {
  static constexpr std::array units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  return scaled(static_cast<double>(octets), units);
}

std::string rate_text(double octets_per_second) {
  static constexpr std::array units = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"};
  return scaled(octets_per_second * 8, units);
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, "\u202f");
  return text;
}

std::string hex_text(std::uint64_t value, unsigned digits) {
  std::string text(digits, '0');
  for (unsigned at = digits; at > 0; --at, value >>= 4U) text[at - 1] = "0123456789abcdef"[value & 0xfU];
  return "0x" + text;
}

}  // namespace iwarp::gui
