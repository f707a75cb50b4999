// Tables and levels of operations: appended, put into order, filtered, and looked at by the pixel column.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <iwarp/export/rows.hpp>
#include <iwarp/metrics/operation_levels.hpp>

namespace {

using namespace iwarp;

constexpr TimeNs apart_ns = 1000;

ConnectionState stream() {
  ConnectionState connection;
  connection.iwarp = true;
  return connection;
}

// Reads with latencies of all sizes, concluded in the order of their responses.
Event read(std::mt19937& random, std::uint32_t number) {
  Event event;
  event.kind = EventKind::operation;
  event.frame = number + 1;
  event.time_ns = apart_ns * number;
  OperationConclusion& made = *std::construct_at(&event.operation);
  made.message = number;
  made.response_message = number;
  made.response = {event.frame, event.time_ns};
  made.request = {event.frame, event.time_ns - static_cast<TimeNs>(random() % 4096) * (number % 97 + 1)};
  made.length = 4096;
  made.outstanding = 1 + random() % 32;
  return event;
}

std::unique_ptr<Metrics> table(std::int64_t operations) {
  auto metrics = std::make_unique<Metrics>();
  const ConnectionState connection = stream();
  std::mt19937 random(1);
  for (std::int64_t number = 0; number < operations; ++number)
    metrics->add(read(random, static_cast<std::uint32_t>(number)), &connection);
  return metrics;
}

void add(benchmark::State& state) {
  const ConnectionState connection = stream();
  std::mt19937 random(1);
  std::vector<Event> events;
  for (std::uint32_t number = 0; number < 65536; ++number) events.push_back(read(random, number));
  for (auto _ : state) {
    Metrics metrics;
    for (const Event& event : events) metrics.add(event, &connection);
    benchmark::DoNotOptimize(metrics.operations().size());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(events.size()));
}

void order_and_levels(benchmark::State& state) {
  const auto metrics = table(state.range(0));
  for (auto _ : state) {
    OperationLevels levels;
    levels.extend(metrics->operations(), metrics->operations().size());
    benchmark::DoNotOptimize(levels.order().size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void filter(benchmark::State& state) {
  const auto metrics = table(state.range(0));
  std::string error;
  const Filter filter = *Filter::parse("op == read && latency_ns > 100us || status != complete", error);
  for (auto _ : state) {
    std::vector<std::uint32_t> rows;
    select(metrics->operations(), filter, 0, metrics->operations().size(), rows);
    benchmark::DoNotOptimize(rows.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// What a density plot and a curve of 1280 columns need, of the whole or of a hundredth of it.
void picture(benchmark::State& state) {
  const auto metrics = table(state.range(0));
  OperationLevels levels;
  levels.extend(metrics->operations(), metrics->operations().size());
  const TimeNs shown = apart_ns * state.range(0) / state.range(1);
  constexpr TimeNs columns = 1280;
  for (auto _ : state) {
    for (TimeNs column = 0; column < columns; ++column) {
      const PlaceRange places =
          levels.order().between(shown * column / columns, shown * (column + 1) / columns);
      DurationCounts counts;
      levels.durations().add_to(counts, places.begin, places.end);
      benchmark::DoNotOptimize(counts.total());
      benchmark::DoNotOptimize(levels.outstanding().over(places.begin, places.end));
    }
  }
}

void percentiles_of_a_range(benchmark::State& state) {
  const auto metrics = table(state.range(0));
  OperationLevels levels;
  levels.extend(metrics->operations(), metrics->operations().size());
  const auto size = static_cast<std::size_t>(state.range(0));
  std::mt19937 random(2);
  for (auto _ : state) {
    const std::size_t begin = random() % (size / 2);
    DurationCounts counts;
    levels.durations().add_to(counts, begin, begin + size / 2);
    benchmark::DoNotOptimize(counts.percentile(99.9));
  }
}

constexpr std::int64_t million = 1'000'000;
BENCHMARK(add);
BENCHMARK(order_and_levels)->Arg(million)->Unit(benchmark::kMillisecond);
BENCHMARK(filter)->Arg(million)->Unit(benchmark::kMillisecond);
BENCHMARK(picture)->ArgsProduct({{million, 10 * million}, {1, 100}})->Unit(benchmark::kMillisecond);
BENCHMARK(percentiles_of_a_range)->Arg(million)->Arg(10 * million)->Unit(benchmark::kMicrosecond);

}  // namespace
