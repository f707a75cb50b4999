// Plots: the arithmetic behind them, what they find in captures, and what they cost.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "many_reads.hpp"
#include "models/latency_curve.hpp"
#include "models/plot_data.hpp"
#include "pictures.hpp"
#include "support/places.hpp"
#include "views/latency_panel.hpp"
#include "views/picture.hpp"
#include "views/registry.hpp"
#include "views/wait_bands.hpp"

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

TEST(LatencyCurve, CountsEachOnceAndClimbsToAll) {
  DurationCounts counts;
  counts.add(duration_bucket(10), 3);
  counts.add(duration_bucket(1'000), 1);
  counts.add(duration_bucket(90'000'000'000), 4);  // beyond the axis: in the last bar
  const LatencyCurve curve = latency_curve(counts, {1, 4}, 31);
  ASSERT_EQ(curve.bars.size(), 31U);
  EXPECT_EQ(curve.bars.front(), 3U);
  EXPECT_EQ(curve.bars[20], 1U);  // two of three powers of ten
  EXPECT_EQ(curve.bars.back(), 4U);
  EXPECT_DOUBLE_EQ(curve.until[19], 3.0 / 8);
  EXPECT_DOUBLE_EQ(curve.until[20], 0.5);
  EXPECT_DOUBLE_EQ(curve.until.back(), 1);
  EXPECT_TRUE(latency_curve(DurationCounts(), {1, 4}, 31).bars.empty());
}

struct Opened {
  explicit Opened(const std::string& name) {
    const std::string path = test::places::captures() + "/real/" + name;
    builder = &PlotBuilder::of(workspace);
    builder->want_traffic();
    workspace.document().open(QString::fromStdString(path), file_source(path));
    settled = QTest::qWaitFor([this] { return builder->settled(); }, 20'000);
  }
  Workspace workspace;
  PlotBuilder* builder = nullptr;
  bool settled = false;
};

// As the table of operations says it, of any range.
TEST(LatencyParts, AreOfEachOperationAndSizeInTheRange) {
  Opened opened("05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  ASSERT_TRUE(opened.settled);
  const PlotData& data = *opened.builder->data();
  const OperationTable& table = opened.workspace.document().metrics().operations();
  const TimeSpan all{0, std::numeric_limits<TimeNs>::max()};
  const auto counted = [&](TimeSpan range, std::optional<std::size_t> size) {
    std::uint64_t count = 0;
    for (std::uint32_t row = 0; row < table.size(); ++row) {
      if (table.latency_ns(row) == OperationTable::unknown || !range.contains(table.time_ns(row))) continue;
      if (!size || size_class_of(table.length(row)) == *size) ++count;
    }
    return count;
  };
  const auto parts = latency_groups(data.latencies, all);
  ASSERT_EQ(parts.size(), 3U);  // Reads of two sizes, and all of them
  EXPECT_FALSE(parts[0].of);
  EXPECT_EQ(parts[0].sample.summary().count, counted(all, std::nullopt));
  EXPECT_EQ(parts[1].of, std::pair(OperationKind::read, std::size_t{1}));
  EXPECT_EQ(parts[1].sample.summary().count, counted(all, 1));
  EXPECT_EQ(parts[2].of, std::pair(OperationKind::read, std::size_t{2}));
  EXPECT_EQ(parts[2].sample.summary().count, counted(all, 2));
  EXPECT_LT(parts[1].sample.summary().max, parts[2].sample.summary().p50);
  // From the slowest on there is one size: that is all of it.
  const auto slowest = data.levels->slowest[static_cast<std::size_t>(OperationKind::read)];
  ASSERT_TRUE(slowest);
  const TimeSpan later{table.time_ns(*slowest), all.upto};
  const auto some = latency_groups(data.latencies, later);
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0].of, std::pair(OperationKind::read, std::size_t{2}));
  EXPECT_EQ(some[0].sample.summary().count, counted(later, std::nullopt));
  EXPECT_TRUE(latency_groups(data.latencies, {0, 1}).empty());
}

// Where 25 classes have no room, the first ones stand there, and how many more there are.
TEST(LatencyPanel, StaysWithinItsPlace) {
  std::vector<LatencyGroup> parts;
  for (std::size_t kind = 0; kind < 5; ++kind) {
    for (std::size_t size = 0; size < size_classes; ++size) {
      LatencyClass one;
      one.times.push_back(1);
      one.durations.push_back(std::uint64_t{1000} << kind);
      one.latency.push_back(std::uint64_t{1000} << kind);
      parts.push_back({std::pair(static_cast<OperationKind>(kind), size), {}});
      parts.back().sample.add(one, {0, 1});
    }
  }
  const QColor around(Qt::magenta);
  for (const int height : {60, 200, 440, 740}) {
    const QRect where(20, 20, 218, height);
    QImage picture(260, height + 60, QImage::Format_RGB32);
    picture.fill(around);
    QPainter painter(&picture);
    EXPECT_GT(paint_latency_panel(painter, where, QStringLiteral("Seen: 1 s"), parts, {2, 6}, light_theme())
                  .primitives,
              0U);
    painter.end();
    for (int y = 0; y < picture.height(); ++y) {
      EXPECT_EQ(picture.pixelColor(10, y), around);
      EXPECT_EQ(picture.pixelColor(250, y), around);
    }
    if (height < 200) continue;
    for (int x = 0; x < picture.width(); ++x) EXPECT_EQ(picture.pixelColor(x, height + 40), around) << height;
  }
}

TEST(Waits, OfACaptureWithLossAreHoles) {
  const Opened opened("08a-rping-loss2-notso-S20000.pcap.gz");
  ASSERT_TRUE(opened.settled);
  Work work;
  const WaitShares shares =
      opened.builder->data()->together->over({0, std::numeric_limits<TimeNs>::max()}, work);
  EXPECT_GT(shares.ns[static_cast<std::size_t>(WaitKind::hole)], 0);
  EXPECT_EQ(shares.ns[static_cast<std::size_t>(WaitKind::window)], 0);
  // Each of its Reads is the only one that ORD 1 allows, and the next comes when the peer has said so.
  EXPECT_EQ(shares.ns[static_cast<std::size_t>(WaitKind::at_limit)], 0);
}

// At ORD and without credits is what iwarp-analyze calls a stall of that cause.
TEST(Waits, AtOrdAreTheStallsOfThatCause) {
  Opened opened("02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst");
  ASSERT_TRUE(opened.settled);
  Work work;
  const WaitShares shares =
      opened.builder->data()->together->over({0, std::numeric_limits<TimeNs>::max()}, work);
  // From frame 740, the eighth request, to frame 874, and until that had reached the requester: by the
  // handshake some 114 µs from here and back.
  const OperationTable& table = opened.workspace.document().metrics().operations();
  TimeNs from = 0;
  TimeNs upto = 0;
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    const OperationConclusion operation = table.event(row).operation;
    if (operation.request.frame == 740) from = operation.request.time_ns;
    if (operation.response.frame == 874) upto = operation.response.time_ns;
  }
  ASSERT_GT(from, 0);
  constexpr TimeNs way = 114'000;
  EXPECT_EQ(static_cast<TimeNs>(shares.ns[static_cast<std::size_t>(WaitKind::at_limit)]), upto + way - from);
}

Event late_fpdu(TimeNs placed, TimeNs delivered) {
  Event event;
  event.kind = EventKind::fpdu;
  event.frame = 9;
  event.time_ns = delivered;
  std::construct_at(&event.fpdu)->placed = {3, placed};
  return event;
}

Event window_of(Side side, TimeNs time, bool closed) {
  Event event;
  event.kind = EventKind::window;
  event.side = side;
  event.time_ns = time;
  std::construct_at(&event.window)->closed = closed;
  return event;
}

TEST(WaitSpans, AHoleIsOneSpanWhateverStandsBehindIt) {
  WaitSpans spans;
  Event in_time = late_fpdu(10, 10);
  in_time.fpdu.placed.frame = in_time.frame;
  spans.add(in_time);
  EXPECT_EQ(spans.of(0), nullptr);
  for (const TimeNs placed : {20, 15, 25}) spans.add(late_fpdu(placed, 40));
  spans.add(late_fpdu(50, 60));
  ASSERT_NE(spans.of(0), nullptr);
  EXPECT_EQ(spans.of(0)->holes, (std::vector<TimeSpan>{{15, 40}, {50, 60}}));
}

TEST(WaitSpans, WindowsAreEachSides) {
  WaitSpans spans;
  spans.add(window_of(Side::a, 10, true));
  spans.add(window_of(Side::b, 20, true));
  spans.add(window_of(Side::a, 30, true));  // still
  spans.add(window_of(Side::a, 40, false));
  spans.add(window_of(Side::a, 50, false));
  ASSERT_NE(spans.of(0), nullptr);
  EXPECT_EQ(spans.of(0)->windows, (std::vector<TimeSpan>{{10, 40}}));
  EXPECT_EQ(spans.of(0)->closed_since[index(Side::a)], std::nullopt);
  EXPECT_EQ(spans.of(0)->closed_since[index(Side::b)], TimeNs{20});
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

// Several requests in one segment are as many, in whatever order they are sorted.
TEST(Waits, TheDepthAtAnyTimeIsOfWhatWasAskedAndNotAnswered) {
  for (const char* const name :
       {"05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"}) {
    Opened opened(name);
    ASSERT_TRUE(opened.settled);
    const OperationTable& table = opened.workspace.document().metrics().operations();
    for (const DepthCurve& curve : opened.builder->data()->waits->depths) {
      for (std::size_t at = 0; at < curve.size(); ++at) {
        if (at + 1 < curve.size() && curve.time(at + 1) == curve.time(at))
          continue;  // another at that moment
        std::uint64_t open = 0;
        for (std::size_t row = 0; row < table.size(); ++row) {
          if (table.kind(row) != OperationKind::read || table.connection(row) != curve.stream ||
              table.from(row) != curve.requester)
            continue;
          const TimeNs asked = table.time_ns(row);
          if (asked <= curve.time(at) && curve.time(at) < asked + table.latency_ns(row)) ++open;
        }
        ASSERT_EQ(curve.value(at), open) << name << ", " << at;
      }
    }
  }
}

TEST(Waits, OfStreamsTogetherAreTheirSum) {
  for (const char* const name :
       {"05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", "06c-smb-direct-mtu1500-tso-crc.pcap.zst"}) {
    Opened opened(name);
    ASSERT_TRUE(opened.settled);
    const Waits& waits = *opened.builder->data()->waits;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < waits.streams.size(); ++row) {
      rows.push_back(row);  // an odd number of them, and an even one
      const auto together = waits.together(rows);
      ASSERT_TRUE(std::ranges::is_sorted(together->changes(), {}, &WaitTrack::Change::time));
      const TimeSpan all{together->changes().front().time, together->changes().back().time};
      for (int part = 1; part <= 20; ++part) {
        const TimeSpan span{all.from, all.from + static_cast<TimeNs>(all.length() / 20) * part};
        Work work;
        WaitShares sum;
        for (const std::uint32_t each : rows) {
          const WaitShares shares = waits.streams[each].track->over(span, work);
          for (std::size_t kind = 0; kind < wait_kinds; ++kind) sum.ns[kind] += shares.ns[kind];
        }
        const WaitShares found = together->over(span, work);
        for (std::size_t kind = 0; kind < wait_kinds; ++kind) EXPECT_NEAR(found.ns[kind], sum.ns[kind], 10);
      }
    }
  }
}

// What the filter does not speak of is not worked out once more.
TEST(Plots, AFilterOfOperationsLeavesTheTrafficAsItIs) {
  Opened opened("03d-burst-readmany.pcap");
  ASSERT_TRUE(opened.settled);
  const auto all = opened.builder->data();
  EXPECT_GT(all->traffic->messages(), 0U);
  QString error;
  const auto filter = [&](const char* words) {
    EXPECT_TRUE(opened.workspace.session().set_filter(words, error));
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return opened.workspace.levels().settled() && opened.builder->settled(); }, 5000));
    return opened.builder->data();
  };
  const auto reads = filter("op == read");
  EXPECT_NE(reads, all);
  EXPECT_EQ(reads->traffic, all->traffic);
  // Nor the waits, where the same streams count.
  const auto most = filter("op == read or op == write or op == send");
  EXPECT_EQ(most->stream_rows, all->stream_rows);
  EXPECT_NE(most->together, all->together);  // fewer counted meanwhile
  EXPECT_EQ(filter("op == send or op == write or op == read")->together, most->together);
  const auto terminates = filter("opcode == terminate");
  EXPECT_NE(terminates->traffic, all->traffic);
  EXPECT_LT(terminates->traffic->messages(), all->traffic->messages());
  EXPECT_EQ(filter("")->traffic->messages(), all->traffic->messages());
}

// What has no room in one line stands in the next one, and the plot gives way.
TEST(Plots, ANarrowPictureHasItsWholeLegend) {
  Opened opened("05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  ASSERT_TRUE(opened.settled);
  const std::unique_ptr<View> view(find_view("throughput")->make(opened.workspace, light_theme(), nullptr));
  for (const int width : {300, 420, 640}) {
    const QImage picture = picture_of_view(*view, {width, 400});
    const QRect above(0, 0, width, 70);
    for (const OperationKind kind : {OperationKind::write, OperationKind::send, OperationKind::read,
                                     OperationKind::immediate, OperationKind::atomic}) {
      EXPECT_TRUE(has_color(picture, above, light_theme().of(kind))) << width << " pixels";
    }
  }
}

void expect_bands(const char* capture, WaitKind shown) {
  SCOPED_TRACE(capture);
  Opened opened(capture);
  ASSERT_TRUE(opened.settled);
  const WaitTrack& track = *opened.builder->data()->together;
  const auto time_of = [&](WaitKind kind) {  // in the middle of the longest one
    TimeSpan longest;
    for (std::size_t at = 0; at + 1 < track.changes().size(); ++at) {
      const TimeSpan span{track.changes()[at].time, track.changes()[at + 1].time};
      if (track.changes()[at].after == static_cast<std::uint8_t>(kind) && span.length() > longest.length())
        longest = span;
    }
    EXPECT_FALSE(longest.empty());
    return longest.from + static_cast<TimeNs>(longest.length() / 2);
  };
  const QSize size(1280, 800);
  for (const char* const name : {"latency", "throughput"}) {
    const std::unique_ptr<View> view(find_view(name)->make(opened.workspace, light_theme(), nullptr));
    const QImage picture = picture_of_view(*view, size);
    const int left = std::string(name) == "latency" ? 72 : 96;
    const TimeScale scale(opened.workspace.visible(), left, size.width() - left - 250);
    const auto lit = [&](WaitKind kind) {
      int pixels = 0;  // between the curve and the title of the plot
      const int x = static_cast<int>(scale.x(time_of(kind)));
      for (int y = 60; y < 100; ++y) pixels += picture.pixelColor(x, y) != light_theme().surface ? 1 : 0;
      return pixels;
    };
    EXPECT_GT(lit(shown), shown == WaitKind::hole ? 30 : 2) << name;
    if (shown == WaitKind::hole) {
      EXPECT_EQ(lit(WaitKind::idle), 0) << name;
    }
  }
}

TEST(Plots, TheWireStoodStillBehindTheCurves) {
  expect_bands("08a-rping-loss2-notso-S20000.pcap.gz", WaitKind::hole);
  expect_bands("02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst", WaitKind::at_limit);
}

// M goes to the moment with the most outstanding: the request whose state shows all of them.
TEST(Outstanding, TheMomentWithTheMostIsOneKeyAway) {
  Opened opened("02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst");
  ASSERT_TRUE(opened.settled);
  const std::unique_ptr<View> view(find_view("outstanding")->make(opened.workspace, light_theme(), nullptr));
  view->resize(1000, 400);
  view->show();
  QTest::keyClick(view.get(), Qt::Key_M);
  const auto row = opened.workspace.session().selection().operation;
  ASSERT_TRUE(row);
  EXPECT_EQ(opened.workspace.document().metrics().operations().outstanding(*row), 8U);
  // So does a click there.
  opened.workspace.session().select({});
  const TimeScale scale(opened.workspace.visible(), 72, 1000 - 72 - 250);
  const TimeNs time = opened.workspace.document().metrics().operations().time_ns(*row);
  QTest::mouseClick(view.get(), Qt::LeftButton, {}, QPoint(static_cast<int>(scale.x(time)), 200));
  const auto clicked = opened.workspace.session().selection().operation;
  ASSERT_TRUE(clicked);
  EXPECT_EQ(opened.workspace.document().metrics().operations().outstanding(*clicked), 8U);
}

// In the whole capture a column is some milliseconds, and what was waited less than a row of it.
TEST(Waits, AShortOneIsSeenInTheWholePicture) {
  Opened opened("09d-50-parallel-rping-crc-S1000-ok.pcap.gz");
  ASSERT_TRUE(opened.settled);
  const std::unique_ptr<View> view(find_view("time")->make(opened.workspace, light_theme(), nullptr));
  const QSize size(1280, 800);
  const QImage picture = picture_of_view(*view, size);
  const TimeScale scale(opened.workspace.visible(), 72, size.width() - 72 - 250);
  const WaitTrack& track = *opened.builder->data()->together;
  int found = 0;
  for (int column = 0; column < scale.columns(); ++column) {
    Work work;
    const WaitShares shares = track.over(scale.column(column), work);
    const double waited = shares.ns[static_cast<std::size_t>(WaitKind::response)];
    if (waited == 0 || 1000 * waited > shares.total()) continue;
    ++found;
    const QRect together(72 + column, 48, 1, 230);
    EXPECT_TRUE(has_color(picture, together, color_of(light_theme(), WaitKind::response))) << column;
  }
  EXPECT_GT(found, 0);
}

// A limit far above the curve is told at the top, and no line.
TEST(Outstanding, AnOrdThatIsNeverComeCloseIsTold) {
  const QSize size(1280, 800);
  const auto lines_of_limit = [&](const char* name) {
    Opened opened(name);
    EXPECT_TRUE(opened.settled);
    const std::unique_ptr<View> view(
        find_view("outstanding")->make(opened.workspace, light_theme(), nullptr));
    const QImage picture = picture_of_view(*view, size);
    const QColor color = light_theme().of(Severity::error);
    int lines = 0;
    for (int y = 0; y < size.height(); ++y) {
      int lit = 0;
      for (int x = 72; x < size.width() - 250; ++x) lit += picture.pixelColor(x, y) == color ? 1 : 0;
      lines += lit > (size.width() - 72 - 250) / 2 ? 1 : 0;
    }
    EXPECT_TRUE(has_color(picture, {400, 30, size.width() - 250 - 400, 200}, color)) << name;
    return lines;
  };
  EXPECT_EQ(lines_of_limit("05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst"), 0);  // 2 of 128
  EXPECT_GT(lines_of_limit("03d-burst-readmany.pcap"), 0);
}

// While a capture is read the reader works plots out for those that are seen.
TEST(Plots, AreNotWorkedOutWhileNobodySeesThem) {
  Workspace workspace;
  workspace.document().open(QStringLiteral("reads"), source_of({200'000, 1, 0}));
  PlotBuilder& builder = PlotBuilder::of(workspace);
  QSignalSpy changed(&builder, &PlotBuilder::changed);
  int while_it_was_read = 0;
  QObject::connect(&builder, &PlotBuilder::changed, &builder,
                   [&] { while_it_was_read += builder.data()->complete ? 0 : 1; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return builder.settled(); }, 60'000));
  EXPECT_EQ(while_it_was_read, 0);
  EXPECT_EQ(changed.count(), 1);
  const QObject who;
  Workspace seen;
  PlotBuilder& other = PlotBuilder::of(seen);
  other.set_seen(&who, true);
  QObject::connect(&other, &PlotBuilder::changed, &other,
                   [&] { while_it_was_read += other.data()->complete ? 0 : 1; });
  seen.document().open(QStringLiteral("reads"), source_of({200'000, 1, 0}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return other.settled(); }, 60'000));
  EXPECT_GT(while_it_was_read, 0);
}

// Who looks at the traffic later gets it then, and what was there stays.
TEST(Plots, HaveTheTrafficOnceItIsWanted) {
  const std::string path = test::places::captures() + "/real/08a-rping-loss2-notso-S20000.pcap.gz";
  Workspace workspace;
  PlotBuilder& builder = PlotBuilder::of(workspace);
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return builder.settled(); }, 20'000));
  const auto before = builder.data();
  EXPECT_FALSE(before->with_traffic);
  EXPECT_EQ(before->traffic->messages(), 0U);
  builder.want_traffic();
  EXPECT_FALSE(builder.settled());
  ASSERT_TRUE(QTest::qWaitFor([&] { return builder.settled(); }, 20'000));
  EXPECT_EQ(builder.data()->traffic->messages(), workspace.document().metrics().messages().size());
  EXPECT_EQ(builder.data()->waits, before->waits);
}

// What counts together is the stream's own track where only one counts.
TEST(Waits, OfOneStreamTogetherAreItsOwn) {
  Opened opened("08a-rping-loss2-notso-S20000.pcap.gz");
  ASSERT_TRUE(opened.settled);
  const PlotData& data = *opened.builder->data();
  ASSERT_EQ(data.waits->streams.size(), 1U);
  EXPECT_EQ(data.together, data.waits->streams.front().track);
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

// Sends have no latency, and so no point: keys pass them by.
TEST(Latency, KeysStepThroughWhatIsDrawn) {
  Opened opened("08a-rping-loss2-notso-S20000.pcap.gz");
  ASSERT_TRUE(opened.settled);
  const std::unique_ptr<View> view(find_view("latency")->make(opened.workspace, light_theme(), nullptr));
  view->resize(900, 600);
  view->show();
  const OperationTable& table = opened.workspace.document().metrics().operations();
  std::size_t known = 0;
  for (std::size_t row = 0; row < table.size(); ++row) known += table.latency_ns(row) >= 0 ? 1U : 0U;
  ASSERT_GT(known, 2U);
  ASSERT_LT(known, table.size());
  QTest::keyClick(view->focusProxy() != nullptr ? view->focusProxy() : view.get(), Qt::Key_M);
  const auto selected = [&] { return opened.workspace.session().selection().operation; };
  ASSERT_TRUE(selected());
  std::set<std::uint32_t> seen{*selected()};
  for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Right}) {
    for (std::size_t step = 0; step < table.size(); ++step) {
      QTest::keyClick(view->focusProxy() != nullptr ? view->focusProxy() : view.get(), key);
      ASSERT_GE(table.latency_ns(*selected()), 0);
      seen.insert(*selected());
    }
  }
  EXPECT_EQ(seen.size(), known);
}

}  // namespace
}  // namespace iwarp::gui
