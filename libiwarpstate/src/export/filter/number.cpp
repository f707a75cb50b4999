// Numbers of filter expressions.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <charconv>
#include <limits>

#include "export/filter/program.hpp"

namespace iwarp::filter {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};
constexpr Unit units[] = {{"", 1}, {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

}  // namespace

int compare(Number a, Number b) noexcept {
  const bool a_negative = a.negative && a.magnitude != 0;
  const bool b_negative = b.negative && b.magnitude != 0;
  if (a_negative != b_negative) return a_negative ? -1 : 1;
  if (a.magnitude == b.magnitude) return 0;
  return (a.magnitude < b.magnitude) != a_negative ? -1 : 1;
}

std::optional<Number> parse_number(std::string_view text) noexcept {
  Number number;
  if (text.starts_with('-')) {
    number.negative = true;
    text.remove_prefix(1);
  }
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number.magnitude, hex ? 16 : 10);
  if (error != std::errc() || rest == text.data()) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : units) {
    if (suffix != unit.name) continue;
    if (number.magnitude > std::numeric_limits<std::uint64_t>::max() / unit.nanoseconds) return std::nullopt;
    number.magnitude *= unit.nanoseconds;
    return number;
  }
  return std::nullopt;
}

}  // namespace iwarp::filter
