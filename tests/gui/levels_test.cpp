// Levels of a filter: what is taken over from those before is what would be counted anew.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QTest>

#include <gtest/gtest.h>

#include "models/levels_growth.hpp"
#include "models/workspace.hpp"
#include "support/places.hpp"

namespace iwarp::gui {
namespace {

std::unique_ptr<Levels> levels_of(const Metrics& metrics, const std::string& words, const Levels* like) {
  std::string error;
  const auto filter = words.empty() ? std::nullopt : Filter::parse(words, error);
  EXPECT_EQ(error, "");
  const Filter* const asked = filter ? &*filter : nullptr;
  auto levels = LevelsGrowth::begin({words, std::nullopt}, asked, like);
  while (LevelsGrowth::grow(*levels, metrics, asked)) {
  }
  return levels;
}

template <typename Cell>
std::vector<std::pair<TimeNs, Cell>> cells_of(const TimeBins<Cell>& bins) {
  std::vector<std::pair<TimeNs, Cell>> cells;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) cells.emplace_back(bins.span(bin).from, bins[bin]);
  return cells;
}

std::vector<std::uint32_t> rows_of(const RowList& list) {
  std::vector<std::uint32_t> rows;
  for (std::size_t at = 0; at < list.size(); ++at) rows.push_back(list[at]);
  return rows;
}

void expect_same(const Levels& one, const Levels& other) {
  EXPECT_EQ(rows_of(one.operation_rows), rows_of(other.operation_rows));
  EXPECT_EQ(rows_of(one.message_rows), rows_of(other.message_rows));
  EXPECT_EQ(rows_of(one.finding_rows), rows_of(other.finding_rows));
  EXPECT_EQ(rows_of(one.stream_rows), rows_of(other.stream_rows));
  EXPECT_EQ(one.slowest, other.slowest);
  EXPECT_EQ(one.rows_of_streams, other.rows_of_streams);
  EXPECT_EQ(one.operations.order().size(), other.operations.order().size());
  ASSERT_EQ(one.streams.size(), other.streams.size());
  for (std::size_t row = 0; row < one.streams.size(); ++row) {
    const StreamCounts& mine = one.streams[row];
    const StreamCounts& its = other.streams[row];
    EXPECT_EQ(mine.operations, its.operations);
    EXPECT_EQ(mine.messages, its.messages);
    EXPECT_EQ(mine.octets, its.octets);
    EXPECT_EQ(mine.findings, its.findings);
    EXPECT_EQ(mine.longest_ns, its.longest_ns);
    EXPECT_EQ(mine.slowest, its.slowest);
    EXPECT_EQ(mine.first_operation, its.first_operation);
    EXPECT_EQ(mine.first_message, its.first_message);
    EXPECT_EQ(cells_of(mine.octets_over_time), cells_of(its.octets_over_time));
    const auto longest = cells_of(mine.latency_over_time);
    const auto its_longest = cells_of(its.latency_over_time);
    ASSERT_EQ(longest.size(), its_longest.size());
    for (std::size_t at = 0; at < longest.size(); ++at)
      EXPECT_EQ(longest[at].second.ns, its_longest[at].second.ns);
  }
}

TEST(Levels, OfAFilterAreTheSameFromWhateverTheyBegin) {
  const std::string path = test::places::captures() + "/real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";
  Workspace workspace;
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  const Metrics& metrics = workspace.document().metrics();
  const std::vector<std::string> filters{"",
                                         "op == read",
                                         "opcode == send",
                                         "stream == 3",
                                         "severity == note",
                                         "op == read and length > 5000",
                                         "length > 60",
                                         "latency_ns > 400us",
                                         "op == atomic"};
  for (const std::string& before : filters) {
    const auto like = levels_of(metrics, before, nullptr);
    for (const std::string& words : filters) {
      SCOPED_TRACE("\"" + words + "\" behind \"" + before + "\"");
      expect_same(*levels_of(metrics, words, like.get()), *levels_of(metrics, words, nullptr));
    }
  }
}

// What RDMAP says itself, as in a Terminate, is no payload: iwarp-analyze counts as much.
TEST(Levels, CountTheUlpsOctetsAlone) {
  const std::string path = test::places::captures() + "/real/03e-term-write_oob.pcap";
  Workspace workspace;
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  const auto levels = levels_of(workspace.document().metrics(), "", nullptr);
  ASSERT_EQ(levels->streams.size(), 1U);
  EXPECT_EQ(levels->streams[0].octets, 100U);
}

// A filter that speaks of operations alone lets all messages through: these are not counted once more.
TEST(Levels, WhatTheFilterDoesNotSpeakOfIsNotCountedAgain) {
  const std::string path = test::places::captures() + "/real/03d-burst-readmany.pcap";
  Workspace workspace;
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  const Metrics& metrics = workspace.document().metrics();
  std::string error;
  const auto filter = Filter::parse("op == read", error);
  ASSERT_TRUE(filter);
  const auto levels =
      LevelsGrowth::begin({"op == read", std::nullopt}, &*filter, workspace.levels().levels().get());
  EXPECT_EQ(levels->message_rows.taken(), metrics.messages().size());
  EXPECT_EQ(levels->operation_rows.taken(), 0U);
}

}  // namespace
}  // namespace iwarp::gui
