// SPDX-License-Identifier: GPL-2.0-or-later
#include "scale/ticks.hpp"

#include <array>
#include <cmath>

namespace iwarp::gui {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::array<std::uint64_t, 16> long_steps = {
    second,        2 * second,     5 * second,     10 * second,   15 * second,   30 * second,
    60 * second,   120 * second,   300 * second,   600 * second,  1800 * second, 3600 * second,
    7200 * second, 21600 * second, 43200 * second, 86400 * second};

// The least round step that is no shorter.
std::uint64_t round_step(double least) {
  for (std::uint64_t power = 1; power < second; power *= 10) {
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      if (static_cast<double>(power * factor) >= least) return power * factor;
    }
  }
  for (const std::uint64_t step : long_steps) {
    if (static_cast<double>(step) >= least) return step;
  }
  std::uint64_t step = long_steps.back();
  while (static_cast<double>(step) < least && step < (std::uint64_t{1} << 61U)) step *= 2;
  return step;
}

Wide rounded_down(Wide value, std::uint64_t step) {
  const Wide rest = value % static_cast<Wide>(step);
  return value - (rest < 0 ? rest + static_cast<Wide>(step) : rest);
}

struct Unit {
  std::uint64_t ns;
  const char* name;
};
constexpr std::array<Unit, 4> units = {{{1, "ns"}, {1000, "µs"}, {1'000'000, "ms"}, {second, "s"}}};

// The unit in which a value of this size has few digits before the point.
Unit unit_of(std::uint64_t ns) {
  Unit chosen = units[0];
  for (const Unit& unit : units) {
    if (ns >= unit.ns) chosen = unit;
  }
  return chosen;
}

// `ns` in `unit`, with the digits behind the point that multiples of `step` need.
std::string in_unit(Wide ns, Unit unit, std::uint64_t step) {
  if (ns == 0) return std::string("0 ") + unit.name;
  const bool negative = ns < 0;
  if (negative) ns = -ns;
  std::string text = std::to_string(static_cast<std::uint64_t>(ns / static_cast<Wide>(unit.ns)));
  std::uint64_t rest = static_cast<std::uint64_t>(ns % static_cast<Wide>(unit.ns));
  std::string digits;
  for (std::uint64_t place = unit.ns / 10; place > 0 && step % (place * 10) != 0; place /= 10) {
    digits += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  if (!digits.empty()) text += "." + digits;
  return (negative ? "−" : "") + text + " " + unit.name;
}

// "2:05" and "1:02:05" of hours, minutes and seconds; days in front where there are any.
std::string clock_text(Wide ns) {
  const bool negative = ns < 0;
  if (negative) ns = -ns;
  const auto seconds = static_cast<std::uint64_t>(ns / static_cast<Wide>(second));
  const auto two = [](std::uint64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  std::string text;
  if (seconds >= 86'400) text = std::to_string(seconds / 86'400) + " d ";
  if (seconds >= 3600) {
    text += std::to_string(seconds / 3600 % 24) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60);
  } else {
    text += std::to_string(seconds / 60) + ":" + two(seconds % 60);
  }
  return (negative ? "−" : "") + text;
}

}  // namespace

TimeTicks time_ticks(const TimeScale& scale, TimeNs origin, double spacing) {
  TimeTicks result;
  const TimeSpan span = scale.span();
  result.step_ns = round_step(scale.ns_per_pixel() * spacing);
  const std::uint64_t step = result.step_ns;
  const Wide begin = Wide{span.from} - origin;
  const Wide end = Wide{span.upto} - origin;
  const Wide greatest = std::max(begin < 0 ? -begin : begin, end < 0 ? -end : end);
  // More than six digits that do not change say nothing.
  Wide base = 0;
  if (greatest / static_cast<Wide>(step) > 100'000 && step < second) {
    base = rounded_down(begin, step * 1000);
    result.base = in_unit(base, units[3], step * 1000);
  }
  const Wide shown = std::max<Wide>(greatest - base, 1);
  const bool clock = base == 0 && greatest >= Wide{120} * static_cast<Wide>(second) && step >= second;
  const Unit unit = unit_of(static_cast<std::uint64_t>(shown));
  for (Wide at = rounded_down(begin, step); at < end; at += static_cast<Wide>(step)) {
    if (at < begin) continue;
    std::string label = clock ? clock_text(at) : in_unit(at - base, unit, step);
    if (!result.base.empty()) label.insert(0, "+");
    result.ticks.push_back({static_cast<TimeNs>(at + origin), std::move(label)});
  }
  return result;
}

std::vector<double> linear_ticks(double least, double greatest, int most) {
  std::vector<double> ticks;
  if (!(least < greatest) || !std::isfinite(greatest - least)) return ticks;
  const double rough = (greatest - least) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= rough * (1 - 1e-9)) {
      step = power * factor;
      break;
    }
  }
  const double first = std::ceil(least / step - 1e-9);
  const double last = std::floor(greatest / step + 1e-9);
  for (double at = first; at <= last; ++at) ticks.push_back(at * step);
  return ticks;
}

std::vector<double> log_ticks(double least, double greatest) {
  std::vector<double> ticks;
  if (!(least > 0) || !(least <= greatest) || !std::isfinite(greatest)) return ticks;
  const int first = static_cast<int>(std::floor(std::log10(least)));
  const int last = static_cast<int>(std::floor(std::log10(greatest)));
  const bool few = last - first < 3;
  const bool narrow = greatest < 10 * least;
  for (int power = first; power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}) {
      const double value = factor * std::pow(10, power);
      const bool usual = factor == 1 || (few && (factor == 2 || factor == 5));
      if ((!usual && !narrow) || value < least || value > greatest) continue;
      ticks.push_back(value);
    }
  }
  return ticks;
}

}  // namespace iwarp::gui
