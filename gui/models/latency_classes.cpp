// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/latency_classes.hpp"

#include <algorithm>
#include <array>

namespace iwarp::gui {
namespace {

constexpr std::size_t kinds = 5;
constexpr std::array<std::uint64_t, size_classes - 1> borders{256, 4096, 65'536, 1'048'576};

}  // namespace

std::size_t size_class_of(std::uint64_t octets) noexcept {
  return static_cast<std::size_t>(std::lower_bound(borders.begin(), borders.end(), octets) - borders.begin());
}

const char* size_class_name(std::size_t size_class) noexcept {
  constexpr std::array<const char*, size_classes> names{"≤ 256 B", "≤ 4 KiB", "≤ 64 KiB", "≤ 1 MiB",
                                                        "> 1 MiB"};
  return names[size_class];
}

PlaceRange LatencyClass::between(TimeSpan span) const noexcept {
  const std::size_t begin = times.first_at(span.from);
  return {begin, times.first_at(std::max(span.from, span.upto), begin)};
}

std::vector<LatencyClass> latency_classes(const OperationTable& table, const OperationLevels& levels) {
  std::array<LatencyClass, kinds * size_classes> all;
  for (std::size_t place = 0; place < levels.order().size(); ++place) {
    const std::uint64_t latency = levels.latency()[place];
    if (latency == no_value) continue;
    const std::uint32_t row = levels.order().row(place);
    const std::size_t size = size_class_of(table.length(row));
    LatencyClass& one = all[static_cast<std::size_t>(table.kind(row)) * size_classes + size];
    one.kind = table.kind(row);
    one.size_class = size;
    one.times.push_back(levels.order().time_ns(place));
    one.durations.push_back(latency);
    one.latency.push_back(latency);
  }
  std::vector<LatencyClass> there;
  for (LatencyClass& one : all) {
    if (one.times.size() > 0) there.push_back(std::move(one));
  }
  return there;
}

void LatencySample::add(const LatencyClass& from, PlaceRange places) {
  if (places.size() == 0) return;
  from.durations.add_to(counts_, places.begin, places.end);
  greatest_ = std::max(greatest_, from.latency.over(places.begin, places.end).greatest);
  count_ += places.size();
  if (count_ > few) return values_.clear();
  for (std::size_t place = places.begin; place < places.end; ++place) values_.push_back(from.latency[place]);
}

LatencySummary LatencySample::summary() const {
  LatencySummary summary;
  summary.count = count_;
  if (count_ == 0) return summary;
  summary.exact = values_.size() == count_;
  std::vector<std::uint64_t> values = values_;
  const auto at = [&](unsigned percent) {
    if (!summary.exact) return std::min(greatest_, counts_.percentile(percent));
    const auto wanted = values.begin() + static_cast<std::ptrdiff_t>((count_ * percent + 99) / 100 - 1);
    std::nth_element(values.begin(), wanted, values.end());
    return *wanted;
  };
  summary.p50 = at(50);
  summary.p90 = at(90);
  summary.p99 = at(99);
  summary.max = greatest_;
  return summary;
}

std::optional<std::size_t> place_of_greatest(const ValueLevels& values, PlaceRange places) {
  const Extent all = values.over(places.begin, places.end);
  if (all.count == 0) return std::nullopt;
  while (places.size() > 1) {
    const std::size_t middle = places.begin + places.size() / 2;
    const Extent first = values.over(places.begin, middle);
    if (first.count > 0 && first.greatest == all.greatest) {
      places.end = middle;
    } else {
      places.begin = middle;
    }
  }
  return places.begin;
}

}  // namespace iwarp::gui
