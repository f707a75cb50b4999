// What pictures of a million operations cost, counted: it depends on their size in pixels, not on how much
// they show.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QTest>

#include <gtest/gtest.h>

#include <bit>
#include <memory>

#include "many_reads.hpp"
#include "models/flow_source.hpp"
#include "models/plot_data.hpp"
#include "processes.hpp"
#include "views/latency_view.hpp"
#include "views/picture.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

constexpr QSize size(1280, 800);

#ifdef IWARP_SANITIZED
constexpr std::uint32_t operations = 100'000;
constexpr std::uint32_t streams = 1000;
#else
constexpr std::uint32_t operations = 1'000'000;
constexpr std::uint32_t streams = 10'000;
#endif

bool opens(Workspace& workspace, const ManyReads& reads) {
  workspace.document().open(QStringLiteral("many Reads"), source_of(reads));
  return QTest::qWaitFor([&] { return workspace.levels().settled(); }, 60'000);
}

// What is seen: the whole, ever less of it, at its beginning, its end, and between.
std::vector<TimeSpan> ranges(TimeSpan all) {
  std::vector<TimeSpan> spans{all};
  for (const double part : {0.3, 0.01, 1e-4, 1e-6}) {
    const auto length = std::max<std::int64_t>(
        TimeScale::least_length, static_cast<std::int64_t>(part * static_cast<double>(all.length())));
    spans.push_back({all.from, all.from + length});
    spans.push_back({all.from + static_cast<TimeNs>(all.length() / 3),
                     all.from + static_cast<TimeNs>(all.length() / 3) + length});
    spans.push_back({all.upto - length, all.upto});
  }
  return spans;
}

TEST(PicturesOfAMillionOperations, CostWhatTheirPixelsDoAndLoseNoOutlier) {
#ifdef IWARP_THREAD_SANITIZER
  GTEST_SKIP() << "work is counted, whatever threads do";
#endif
  constexpr std::uint32_t outliers = 200;
  const ManyReads reads{operations, 1, outliers};
  Workspace workspace;
  ASSERT_TRUE(opens(workspace, reads));
  const OperationTable& table = workspace.document().metrics().operations();
  ASSERT_EQ(table.size(), operations);

  // Of each level of 64 a column's range has the nodes at its two ends, at most 126, which it shares with the
  // columns beside it; times are found by halving. All columns together visit far less than there are
  // operations.
  const auto levels = static_cast<std::size_t>(std::bit_width(operations) / 6 + 1);
  const std::size_t a_column = 64 * (levels + 1);
#ifndef IWARP_SANITIZED
  ASSERT_LT(a_column * size.width(), operations / 2);
#endif
  for (const ViewKind& kind : view_kinds()) {
    SCOPED_TRACE(kind.name);
    const std::unique_ptr<View> view(kind.make(workspace, light_theme(), nullptr));
    ASSERT_TRUE(QTest::qWaitFor([&] { return view->settled(); }, 60'000));
    for (const TimeSpan range : ranges(workspace.document().span())) {
      SCOPED_TRACE(range.length());
      workspace.session().set_range(range, Session::Step::gesture);
      Work work;
      (void)picture_of([&](QPainter& painter, QSize of) { return view->paint(painter, of); }, size, 1, &work);
      EXPECT_LE(work.primitives, 8U * size.width());
      EXPECT_LE(work.visited, a_column * size.width() + LatencyView::most_points);
    }
    workspace.session().set_range(std::nullopt);
  }

  LatencyView view(workspace, light_theme(), nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.settled(); }, 60'000));
  const QImage picture =
      picture_of([&](QPainter& painter, QSize of) { return view.paint(painter, of); }, size, 1);
  // Few pixels are lit near its upper end, where outliers alone are: each would be lit otherwise.
  int lit_above = 0;
  for (int x = 80; x < size.width() - 260; ++x)
    lit_above += picture.pixel(x, 40) != light_theme().surface.rgb() ? 1 : 0;
  EXPECT_LT(lit_above, 200);
  std::uint32_t found = 0;
  for (std::uint32_t read = 0; read < operations; ++read) {
    if (!reads.is_outlier(read)) continue;
    ++found;
    ASSERT_GT(table.latency_ns(read), 1'000'000);
    const QPoint place(static_cast<int>(view.place_of(read, size).x()),
                       static_cast<int>(std::lround(view.place_of(read, size).y())));
    // Known to a sixteenth: a pixel more or less.
    const auto lit = [&](int y) { return picture.pixel(place.x(), y) != light_theme().surface.rgb(); };
    EXPECT_TRUE(lit(place.y()) || lit(place.y() - 1) || lit(place.y() + 1)) << "Read " << read;
  }
  EXPECT_EQ(found, outliers);
}

TEST(PicturesOfTenThousandStreams, CostWhatTheirPixelsDo) {
#ifdef IWARP_THREAD_SANITIZER
  GTEST_SKIP() << "work is counted, whatever threads do";
#endif
  Workspace workspace;
  ASSERT_TRUE(opens(workspace, {3 * streams, streams, 0}));
  EXPECT_EQ(workspace.document().metrics().streams().size(), streams);
  for (const ViewKind& kind : view_kinds()) {
    SCOPED_TRACE(kind.name);
    const std::unique_ptr<View> view(kind.make(workspace, dark_theme(), nullptr));
    ASSERT_TRUE(QTest::qWaitFor([&] { return view->settled(); }, 60'000));
    Work work;
    (void)picture_of([&](QPainter& painter, QSize of) { return view->paint(painter, of); }, size, 1, &work);
    EXPECT_LE(work.primitives, 8U * size.width());
  }
}

}  // namespace
}  // namespace iwarp::gui
