// Tables are read while they grow. What is read by one thread was all written before by the other:
// ThreadSanitizer looks on (preset tsan).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <iwarp/metrics.hpp>
#include <iwarp/metrics/operation_levels.hpp>

namespace iwarp::test {
namespace {

constexpr std::uint32_t operations = 1'000'000;

// Whose values follow from its number.
Event operation(std::uint32_t number) {
  Event event;
  event.kind = EventKind::operation;
  event.connection = 3;
  event.side = number % 3 == 0 ? Side::b : Side::a;
  event.frame = number + 2;
  event.time_ns = 10 * TimeNs{number} + 9;
  OperationConclusion& made = *std::construct_at(&event.operation);
  made.message = number;
  made.request = {number + 1, 10 * TimeNs{number}};
  made.response = {number + 2, 10 * TimeNs{number} + number % 1000};
  made.length = 7 * std::uint64_t{number};
  made.outstanding = number % 16 + 1;
  return event;
}

TEST(MetricsThreads, AMillionOperationsAreReadWhileTheyAreAdded) {
  ConnectionState connection;
  connection.id = 3;
  connection.iwarp = true;
  Metrics metrics;
  std::atomic<bool> wrong{false};
  std::atomic<std::size_t> looks{0};
  std::thread reader([&] {
    const OperationTable& table = metrics.operations();
    OperationLevels levels;
    std::size_t read = 0;
    while (read < operations) {
      const std::size_t size = table.size();
      for (; read < size; ++read) {
        const bool right = table.length(read) == 7 * read && table.latency_ns(read) == TimeNs(read % 1000) &&
                           table.event(read).operation.message == read &&
                           table.outstanding(read) == read % 16 + 1;
        if (!right) wrong = true;
      }
      levels.extend(table, size);
      if (levels.latency().over(0, size).count != size) wrong = true;
      if (metrics.streams().size() == 1 && metrics.streams().totals(0).operations < size / 2) wrong = true;
      ++looks;
    }
  });
  for (std::uint32_t number = 0; number < operations; ++number) metrics.add(operation(number), &connection);
  reader.join();
  EXPECT_FALSE(wrong);
  EXPECT_GT(looks, 1U);
  EXPECT_EQ(metrics.operations().size(), operations);
  EXPECT_EQ(metrics.streams().totals(0).operations, operations);
}

}  // namespace
}  // namespace iwarp::test
