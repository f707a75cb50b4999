// Octets, durations and counts in words.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/quantities.hpp"

#include <iterator>

namespace iwarp {

namespace {

// To three significant digits.
std::uint64_t rounded(std::uint64_t value) noexcept {
  std::uint64_t step = 1;
  while (value / step >= 1000) step *= 10;
  const std::uint64_t digits = value / step + (value % step >= step - step / 2 ? 1 : 0);
  return step == 1 ? value : digits * step;
}

// Three significant digits of value / unit, for value >= unit that has no more: "1.23", "12.3", "123".
std::string three_digits(std::uint64_t value, std::uint64_t unit) {
  const std::uint64_t whole = value / unit;
  std::string text = std::to_string(whole);
  if (whole >= 100) return text;
  const std::uint64_t hundredths = (value % unit) / (unit / 100);
  text += '.';
  text += static_cast<char>('0' + hundredths / 10);
  if (whole < 10) text += static_cast<char>('0' + hundredths % 10);
  return text;
}

}  // namespace

std::string octets_text(std::uint64_t octets) {
  static constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (octets < 1000) return std::to_string(octets) + " B";
  constexpr std::uint64_t most = 9'990'000'000'000'000'000U;
  octets = octets < most ? rounded(octets) : octets;
  std::size_t at = 0;
  std::uint64_t unit = 1000;
  while (octets / unit >= 1000 && at + 1 < std::size(units)) unit *= 1000, ++at;
  return three_digits(octets, unit) + " " + units[at];
}

std::string duration_text(std::uint64_t duration_ns) {
  if (duration_ns < 1000) return std::to_string(duration_ns) + " ns";
  const std::uint64_t seconds = duration_ns / 1'000'000'000;
  if (seconds < 1000) {
    const std::uint64_t digits = rounded(duration_ns);
    if (digits < 1'000'000) return three_digits(digits, 1000) + " µs";
    if (digits < 1'000'000'000) return three_digits(digits, 1'000'000) + " ms";
    return three_digits(digits, 1'000'000'000) + " s";
  }
  const std::uint64_t minutes = seconds / 60;
  if (minutes < 60) return std::to_string(minutes) + " min " + std::to_string(seconds % 60) + " s";
  const std::uint64_t hours = minutes / 60;
  if (hours < 48) return std::to_string(hours) + " h " + std::to_string(minutes % 60) + " min";
  return std::to_string(hours / 24) + " d " + std::to_string(hours % 24) + " h";
}

std::string rough_duration_text(std::uint64_t duration_ns) {
  std::uint64_t step = 1;
  while (duration_ns / step >= 100) step *= 10;
  std::string text = duration_text((duration_ns + step / 2) / step * step);
  if (const std::size_t point = text.find('.'); point != std::string::npos) {
    const std::size_t digits = point >= 2 ? point : point + 2;  // "12.0" is "12", "1.20" is "1.2"
    text.erase(digits, text.find(' ') - digits);
  }
  return "≈ " + text;
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::size_t text_width(std::string_view text) noexcept {
  std::size_t width = 0;
  for (const char octet : text) width += (static_cast<unsigned char>(octet) & 0xC0U) != 0x80 ? 1U : 0U;
  return width;
}

}  // namespace iwarp
