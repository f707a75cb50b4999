// Comparisons: what is measured, what is said of it, as a table, a file and a picture.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>

#include "app/compare_window.hpp"
#include "support/places.hpp"
#include "views/compare_picture.hpp"
#include "views/picture.hpp"

namespace iwarp::gui {
namespace {

const std::string clean = test::places::captures() + "/real/01g-rping-v4-mtu1500-notso-crc-S5000.pcap";
const std::string lossy = test::places::captures() + "/real/08a-rping-loss2-notso-S20000.pcap.gz";

std::optional<CompareRow> find_row(const std::vector<CompareRow>& rows, const char* subject,
                                   const char* measure) {
  for (const CompareRow& row : rows) {
    if (row.subject == QString::fromUtf8(subject) && row.measure == QString::fromUtf8(measure)) return row;
  }
  return std::nullopt;
}

Measured some_reads(std::initializer_list<std::uint64_t> latencies) {
  Measured side;
  side.span = {0, 1'000'000'000};
  MeasuredClass& reads = side.classes.emplace_back();
  reads.size_class = 1;
  LatencyClass one;
  for (const std::uint64_t latency : latencies) {
    one.times.push_back(0);
    one.durations.push_back(latency);
    one.latency.push_back(latency);
    side.outstanding.add(2);
  }
  LatencySample sample;
  sample.add(one, {0, latencies.size()});
  side.counts = reads.counts = sample.counts();
  side.latency = reads.latency = sample.summary();
  side.operations = latencies.size();
  return side;
}

TEST(Compare, SaysWhatEachSideHasAndHowTheyDiffer) {
  Measured a = some_reads({1000, 1000, 1000, 4000});
  Measured b = some_reads({2000, 2000, 2000, 4000});
  a.findings[CheckId::mpa_key] = 3;
  b.classes.push_back({OperationKind::write, 0, a.counts, a.latency});
  const std::vector<CompareRow> rows = compare(a, b);
  const auto most = find_row(rows, "read ≤ 4 KiB", "max");
  ASSERT_TRUE(most);
  EXPECT_EQ(most->values[0], 4000U);
  EXPECT_EQ(change_text(*most), QLatin1String("same"));
  EXPECT_EQ(most->of_class, (std::pair<OperationKind, std::size_t>(OperationKind::read, 1)));
  const auto half = find_row(rows, "read ≤ 4 KiB", "p50");
  ASSERT_TRUE(half);
  EXPECT_EQ(change_text(*half), QString::fromUtf8("×2.00"));
  const auto writes = find_row(rows, "write ≤ 256 B", "p99");
  ASSERT_TRUE(writes);
  EXPECT_EQ(change_text(*writes), QLatin1String("only in B"));
  const auto found = find_row(rows, "findings", check_info(CheckId::mpa_key).id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, (std::array<std::optional<std::uint64_t>, 2>{3, 0}));
  EXPECT_EQ(change_text(*found), QString::fromUtf8("−3"));
  const auto depth = find_row(rows, "outstanding Reads and atomics", "mean when issued");
  ASSERT_TRUE(depth);
  EXPECT_EQ(value_text(depth->unit, depth->values[0]), QLatin1String("2.00"));
}

TEST(Compare, NothingWithNothingIsSaidToo) {
  for (const CompareRow& row : compare({}, {})) {
    EXPECT_FALSE(row.measure.isEmpty());
    EXPECT_FALSE(value_text(row.unit, row.values[0]).isEmpty());
  }
  const QImage picture = picture_of(
      [](QPainter& painter, QSize size) {
        return paint_comparison(painter, size, {}, {}, std::nullopt, {}, light_theme());
      },
      {300, 200}, 1);
  EXPECT_FALSE(picture.isNull());
}

struct Opened {
  explicit Opened(const std::string& path) : workspace(std::make_unique<Workspace>()) {
    workspace->document().open(QString::fromStdString(path), file_source(path));
  }
  std::unique_ptr<Workspace> workspace;
};

// Nothing is called the same, or none, of what is not there to be compared.
TEST(Compare, WhatCannotBeComparedIsSaid) {
  for (const auto& [path, words] :
       {std::pair(std::string("/nonexistent.pcap"), "B cannot be read: "),
        std::pair(test::places::captures() + "/real/07a-negative-plain-tcp-rstream.pcap",
                  "There is no iWARP in B.")}) {
    Opened a(clean);
    Opened b(path);
    CompareWindow window(*a.workspace, std::move(b.workspace), light_theme(), nullptr);
    window.show();
    const auto said = [&, wanted = words] {
      const auto labels = window.findChildren<QLabel*>();
      return std::ranges::any_of(labels, [&](const QLabel* label) {
        return label->isVisible() && label->text().startsWith(QLatin1String(wanted));
      });
    };
    EXPECT_TRUE(QTest::qWaitFor(said, 20'000)) << path;
    EXPECT_FALSE(window.table().isVisible()) << path;
  }
}

TEST(Compare, TwoCapturesAreWhatTheirTablesHave) {
  Opened a(clean);
  Opened b(lossy);
  Workspace& second = *b.workspace;
  CompareWindow window(*a.workspace, std::move(b.workspace), light_theme(), nullptr);
  QAbstractItemModelTester tester(&window.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  window.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.comparison().settled(); }, 20'000));
  EXPECT_EQ(window.comparison().side(0)->operations, a.workspace->document().metrics().operations().size());
  EXPECT_EQ(window.comparison().side(1)->operations, second.document().metrics().operations().size());
  EXPECT_GT(window.comparison().side(0)->latency.count, 0U);

  // The filter of the window says what counts on both sides.
  QString error;
  ASSERT_TRUE(a.workspace->session().set_filter("op == read", error));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return window.comparison().settled() && second.session().filter() == "op == read"; }, 20'000));
  for (const std::size_t side : {0U, 1U}) {
    for (const MeasuredClass& one : window.comparison().side(side)->classes) {
      EXPECT_EQ(one.kind, OperationKind::read);
    }
  }
  Work work;
  (void)picture_of(
      [&](QPainter& painter, QSize size) {
        return paint_comparison(painter, size, *window.comparison().side(0), *window.comparison().side(1),
                                std::nullopt, {"a", "b"}, dark_theme());
      },
      {640, 400}, 1, &work);
  EXPECT_LE(work.primitives, 640U);
}

TEST(Compare, ClosesByKey) {
  for (const bool escape : {false, true}) {
    Opened opened(clean);
    const TimeSpan all = opened.workspace->document().span();
    CompareWindow window(*opened.workspace, all, all, light_theme(), nullptr);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, escape ? Qt::Key_Escape : Qt::Key_W,
                    escape ? Qt::NoModifier : Qt::ControlModifier);
    EXPECT_FALSE(window.isVisible()) << escape;
  }
}

TEST(Compare, TwoRangesAreThePartsOfTheWhole) {
  Opened opened(clean);
  ASSERT_TRUE(QTest::qWaitFor([&] { return PlotBuilder::of(*opened.workspace).settled(); }, 20'000));
  const TimeSpan all = opened.workspace->document().span();
  const TimeNs middle = all.from + static_cast<TimeNs>(all.length() / 2);
  CompareWindow window(*opened.workspace, {all.from, middle}, {middle, all.upto}, dark_theme(), nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.comparison().settled(); }, 20'000));
  const Measured& a = *window.comparison().side(0);
  const Measured& b = *window.comparison().side(1);
  EXPECT_EQ(a.operations + b.operations, opened.workspace->document().metrics().operations().size());
  EXPECT_FALSE(window.comparison().name(0) == window.comparison().name(1));
  // As files: a line each.
  const QByteArray csv = window.model().to_octets(TableFormat::csv);
  EXPECT_EQ(csv.count('\n'), window.model().rowCount() + 1);
  EXPECT_TRUE(csv.startsWith("type,subject,measure,unit,a,b\r\n"));
  const QList<QByteArray> lines = window.model().to_octets(TableFormat::json_lines).trimmed().split('\n');
  ASSERT_EQ(lines.size(), window.model().rowCount());
  for (const QByteArray& line : lines) {
    EXPECT_EQ(QJsonDocument::fromJson(line).object()["type"].toString(), QLatin1String("comparison"));
  }
}

TEST(Compare, IsAskedForByTwoRanges) {
  Session session;
  std::optional<std::pair<TimeSpan, TimeSpan>> asked;
  QObject::connect(&session, &Session::compare_asked, &session,
                   [&](TimeSpan a, TimeSpan b) { asked = std::pair(a, b); });
  session.mark(TimeSpan{1, 5});
  EXPECT_FALSE(session.can_go_back());  // no step
  session.compare_with_marked({7, 9});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->first, (TimeSpan{1, 5}));
  EXPECT_EQ(asked->second, (TimeSpan{7, 9}));
}

TEST(Compare, ACaptureThatCannotBeReadIsASentence) {
  Opened a(clean);
  Opened b("/nonexistent/b.pcap");
  Workspace& second = *b.workspace;
  CompareWindow window(*a.workspace, std::move(b.workspace), light_theme(), nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.comparison().settled(); }, 20'000));
  EXPECT_EQ(second.document().result().end, LoadEnd::unreadable);
  EXPECT_EQ(window.comparison().side(1)->operations, 0U);
}

}  // namespace
}  // namespace iwarp::gui
