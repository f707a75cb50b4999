// Rows of tables tell what the events told that they were made of.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/export/names.hpp>
#include <iwarp/export/rows.hpp>
#include <iwarp/export/writers.hpp>
#include <iwarp/metrics/operation_levels.hpp>

#include "support/capture_damage.hpp"
#include "support/capture_read.hpp"

namespace iwarp::test {
namespace {

using Lines = std::vector<std::string>;

std::string line_of(const Record& record) {
  TextBuffer text;
  write_json(text, record);
  return std::string(text.view());
}

// Of messages, operations and findings, and which of these the filters match.
struct Written {
  std::array<Lines, 3> lines;
  std::array<std::vector<std::uint32_t>, 3> matched;
};

const Filter& filter_of(std::size_t table) {
  static const auto parsed = [](const char* expression) {
    std::string error;
    return Filter::parse(expression, error).value();
  };
  static const std::array filters{
      parsed("opcode == send && length > 20 || source_stag != null || refers_to_frame > 0"),
      parsed("from == initiator || latency_ns > 100us && requester == responder || status != complete"),
      parsed("severity >= warning && from == responder")};
  return filters[table];
}

template <typename Table>
void write_rows(const Table& table, std::size_t place, Written& out) {
  Event event;
  for (std::size_t row = 0; row < table.size(); ++row)
    out.lines[place].push_back(line_of(record_of(table, row, event)));
  select(table, filter_of(place), 0, table.size(), out.matched[place]);
}

// Takes the events as Metrics' user does.
class Both {
 public:
  void take(const Analysis& analysis, Events events) {
    for (const Event& event : events) {
      metrics.add(event, analysis.connection(event.connection));
      const auto record = record_of(analysis, event);
      if (!record) continue;
      const std::size_t place = record->kind == RecordKind::message     ? 0
                                : record->kind == RecordKind::operation ? 1
                                : record->kind == RecordKind::finding   ? 2
                                                                        : 3;
      if (place == 3) continue;
      if (place == 0) begun.push_back(event.message.begun);
      if (filter_of(place).matches(*record))
        told.matched[place].push_back(static_cast<std::uint32_t>(told.lines[place].size()));
      told.lines[place].push_back(line_of(*record));
    }
  }

  Metrics metrics;
  Written told;
  std::vector<Placement> begun;  // messages, which no record tells
};

void analyse(Both& both, const Segments& segments) {
  Analyzer analyzer;
  for (const OwnedSegment& each : segments) both.take(analyzer.analysis(), analyzer.add(each.segment()));
  both.take(analyzer.analysis(), analyzer.finish());
}

TEST(Metrics, RowsAreTheRecordsOfTheirEvents) {
#ifdef IWARP_SANITIZED
  constexpr std::size_t every = 5;  // sanitizers take ten to twenty times as long
#else
  constexpr std::size_t every = 1;
#endif
  std::array<std::size_t, 3> rows{};
  std::size_t captures = 0;
  std::size_t spread = 0;  // messages of several segments that came one after the other
  for (const CaptureDamage& damage : capture_damages()) {
    SCOPED_TRACE(damage.name);
    for_each_damaged_capture(damage, [&](const Segments& segments) {
      if (captures++ % every != 0) return;
      Both both;
      analyse(both, segments);
      Written written;
      write_rows(both.metrics.messages(), 0, written);
      write_rows(both.metrics.operations(), 1, written);
      write_rows(both.metrics.findings(), 2, written);
      const MessageTable& messages = both.metrics.messages();
      ASSERT_EQ(messages.size(), both.begun.size());
      for (std::size_t row = 0; row < messages.size(); ++row) {
        const Placement begun = messages.event(row).message.begun;
        ASSERT_EQ(begun.frame, both.begun[row].frame);
        ASSERT_EQ(begun.time_ns, both.begun[row].time_ns);
        ASSERT_EQ(messages.begun_ns(row), both.begun[row].time_ns);
        if (begun.time_ns != messages.time_ns(row)) ++spread;
      }
      for (std::size_t place = 0; place < 3; ++place) {
        ASSERT_EQ(written.lines[place], both.told.lines[place]);
        ASSERT_EQ(written.matched[place], both.told.matched[place]);
        rows[place] += written.lines[place].size();
      }
      EXPECT_EQ(both.metrics.left_out(), 0U);
    });
    if (HasFailure()) return;
  }
  for (const std::size_t count : rows) EXPECT_GT(count, 1000U / every);
  EXPECT_GT(spread, 100U / every);
}

TEST(Metrics, TotalsOfAStreamAreThoseOfItsState) {
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    Analyzer analyzer;
    Metrics metrics;
    std::vector<const ConnectionState*> states;
    const auto take = [&](Events events) {
      for (const Event& event : events) {
        const ConnectionState* const state = analyzer.analysis().connection(event.connection);
        metrics.add(event, state);
        if (event.kind != EventKind::closed || !state->iwarp) continue;
        const StreamTable& streams = metrics.streams();
        std::size_t row = 0;
        while (row < streams.size() && streams.connection(row) != event.connection) ++row;
        ASSERT_LT(row, streams.size());
        const StreamTotals& totals = streams.totals(row);
        EXPECT_EQ(streams.endpoints(row), state->endpoints);
        const std::string_view close = close_name(*state);
        if (totals.end < StreamEnd::rejected) {
          EXPECT_EQ(totals.end, close == "fin"   ? StreamEnd::fin
                                : close == "rst" ? StreamEnd::rst
                                                 : StreamEnd::open);
        }
        for (const Side side : {Side::a, Side::b}) {
          const auto role = static_cast<std::size_t>(state->role_of(side));
          EXPECT_EQ(totals.fpdus[role], state->side(side).fpdus);
        }
        EXPECT_EQ(totals.gaps, state->sides[0].gaps + state->sides[1].gaps);
      }
    };
    for (const OwnedSegment& each : read_capture(path).segments) take(analyzer.add(each.segment()));
    take(analyzer.finish());
  }
}

TEST(OperationLevels, AreThoseOfTheRowsInTheirOrderOfTime) {
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    Both both;
    analyse(both, read_capture(path).segments);
    const OperationTable& table = both.metrics.operations();
    OperationLevels whole;
    for (std::size_t end = 0; end < table.size(); end += 7) whole.extend(table, end);
    whole.extend(table, table.size());
    ASSERT_EQ(whole.order().size(), table.size());
    Extent latency;
    Extent length;
    for (std::size_t row = 0; row < table.size(); ++row) {
      const TimeNs each = table.latency_ns(row);
      latency.add(each == OperationTable::unknown ? no_value : static_cast<std::uint64_t>(each));
      length.add(table.length(row));
    }
    const Extent seen = whole.latency().over(0, table.size());
    EXPECT_EQ(seen.count, latency.count);
    EXPECT_EQ(seen.least, latency.least);
    EXPECT_EQ(seen.greatest, latency.greatest);
    EXPECT_EQ(whole.length().over(0, table.size()).sum, length.sum);
    DurationCounts counts;
    whole.durations().add_to(counts, 0, table.size());
    EXPECT_EQ(counts.total(), latency.count);

    OperationLevels some;
    some.extend(table, both.told.matched[1]);
    EXPECT_EQ(some.order().size(), both.told.matched[1].size());
    for (std::size_t place = 0; place < some.order().size(); ++place) {
      EXPECT_EQ(some.length()[place], table.length(some.order().row(place)));
      EXPECT_EQ(some.order().time_ns(place), table.time_ns(some.order().row(place)));
    }
  }
}

}  // namespace
}  // namespace iwarp::test
