// Plots: the arithmetic behind them, what they find in captures, and what they cost.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QTest>

#include <gtest/gtest.h>

#include "models/plot_data.hpp"
#include "support/places.hpp"
#include "views/picture.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

TEST(SpanTrack, SharesOfAnyRangeAreThoseOfItsSpans) {
  SpanTrack<2> track;
  // 0 and 1 take turns every 10 ns, from 1000 on.
  for (int at = 0; at < 1000; ++at) {
    const auto after = static_cast<std::uint8_t>(at % 2);
    track.add(
        {1000 + at * 10, at == 0 ? SpanTrack<2>::nothing : static_cast<std::uint8_t>(1 - after), after});
  }
  track.add({11'000, 1, SpanTrack<2>::nothing});
  Work work;
  EXPECT_EQ(track.over({0, 1000}, work).total(), 0);
  EXPECT_EQ(track.over({0, 20'000}, work).ns, (std::array<double, 2>{5000, 5000}));
  EXPECT_EQ(track.over({1005, 1015}, work).ns, (std::array<double, 2>{5, 5}));
  EXPECT_EQ(track.over({5000, 5013}, work).ns, (std::array<double, 2>{10, 3}));
  work = {};
  (void)track.over({10'900, 10'950}, work);
  EXPECT_LE(work.visited, 2 * (SpanTrack<2>::stride + 6));
}

TEST(LatencyClasses, TheGreatestIsFoundWhereverItIs) {
  for (const std::size_t where : {0U, 1U, 63U, 64U, 4999U}) {
    ValueLevels values;
    for (std::size_t at = 0; at < 5000; ++at) values.push_back(at == where ? 9000 : at % 100);
    EXPECT_EQ(place_of_greatest(values, {0, 5000}), where);
  }
  ValueLevels none;
  none.push_back(no_value);
  EXPECT_EQ(place_of_greatest(none, {0, 1}), std::nullopt);
  EXPECT_EQ(size_class_of(256), 0U);
  EXPECT_EQ(size_class_of(257), 1U);
  EXPECT_EQ(size_class_of(1'048'577), 4U);
}

struct Opened {
  explicit Opened(const std::string& name) {
    const std::string path = test::places::captures() + "/real/" + name;
    builder = &PlotBuilder::of(workspace);
    workspace.document().open(QString::fromStdString(path), file_source(path));
    settled = QTest::qWaitFor([this] { return builder->settled(); }, 20'000);
  }
  Workspace workspace;
  PlotBuilder* builder = nullptr;
  bool settled = false;
};

TEST(Waits, OfACaptureWithLossAreHolesAndTimeAtOrd) {
  const Opened opened("08a-rping-loss2-notso-S20000.pcap.gz");
  ASSERT_TRUE(opened.settled);
  Work work;
  const WaitShares shares =
      opened.builder->data()->together.over({0, std::numeric_limits<TimeNs>::max()}, work);
  EXPECT_GT(shares.ns[static_cast<std::size_t>(WaitKind::hole)], 0);
  EXPECT_GT(shares.ns[static_cast<std::size_t>(WaitKind::at_limit)], 0);
  EXPECT_EQ(shares.ns[static_cast<std::size_t>(WaitKind::window)], 0);
}

TEST(Waits, TheDepthIsWhatOperationsSay) {
  Opened opened("03d-burst-readmany.pcap");
  ASSERT_TRUE(opened.settled);
  std::uint64_t most = 0;
  const OperationTable& table = opened.workspace.document().metrics().operations();
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.kind(row) == OperationKind::read) most = std::max<std::uint64_t>(most, table.outstanding(row));
  }
  std::uint64_t drawn = 0;
  for (const DepthCurve& curve : opened.builder->data()->waits->depths) drawn = std::max(drawn, curve.most());
  EXPECT_GT(most, 1U);
  EXPECT_EQ(drawn, most);
}

TEST(Plots, PaintWithoutACaptureAndNoMoreThanEightPrimitivesAColumn) {
  for (const char* const name : {"outstanding", "latency", "throughput", "time"}) {
    const ViewKind* const kind = find_view(name);
    ASSERT_NE(kind, nullptr) << name;
    Workspace nothing;
    const std::unique_ptr<View> empty(kind->make(nothing, light_theme(), nullptr));
    EXPECT_FALSE(empty->accessibleName().isEmpty());
    (void)picture_of([&](QPainter& painter, QSize size) { return empty->paint(painter, size); }, {640, 400},
                     1);
    Opened opened("09d-50-parallel-rping-crc-S1000-ok.pcap.gz");
    if (!opened.settled) opened.workspace.document().cancel();
    const std::unique_ptr<View> view(kind->make(opened.workspace, dark_theme(), nullptr));
    Work work;
    (void)picture_of([&](QPainter& painter, QSize size) { return view->paint(painter, size); }, {1280, 800},
                     1, &work);
    EXPECT_GT(work.primitives, 0U) << name;
    EXPECT_LE(work.primitives, 8U * 1280) << name;
  }
}

}  // namespace
}  // namespace iwarp::gui
