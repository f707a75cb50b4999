// One stream as its two ends see it: order, causes, counts, where it was captured, and what its pictures
// cost.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QKeyEvent>
#include <QTest>

#include <gtest/gtest.h>

#include <set>

#include "models/flow_source.hpp"
#include "support/places.hpp"
#include "views/ladder_view.hpp"
#include "views/ladder_words.hpp"
#include "views/picture.hpp"
#include "views/tcp_view.hpp"

namespace iwarp::gui {
namespace {

const std::string real = test::places::captures() + "/real/";

void read(Workspace& workspace, const std::string& path) {
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  ASSERT_TRUE(QTest::qWaitFor([&] { return FlowSource::of(workspace).settled(); }, 20'000));
}

TEST(Tap, IsBesideTheEndThatAnswersFarSooner) {
  EXPECT_FALSE(tap_of({{{5'000, 9}, {7'000, 9}}}).at);
  EXPECT_FALSE(tap_of({{{5'000, 3}, {900'000, 9}}}).at);  // too few
  EXPECT_FALSE(tap_of({{{900'000, 9}, {0, 9}}}).at);      // the clock of a replay
  const Tap tap = tap_of({{{900'000, 9}, {5'000, 9}}});
  EXPECT_EQ(tap.at, Role::responder);
  EXPECT_EQ(tap.one_way_ns, 447'500);
}

// A million messages a microsecond apart, every 5000th slow.
Flow large() {
  Flow flow;
  for (std::uint32_t at = 0; at < 1'000'000; ++at) {
    FlowMessage message;
    message.placed_ns = message.begun_ns = TimeNs{at} * 1000;
    message.row = at;
    message.length = at % 3;
    message.opcode = at % 2 == 0 ? wire::Opcode::send : wire::Opcode::rdma_write;
    flow.messages.push_back(message);
    flow.latency.push_back(at % 5000 == 2500 ? 50'000'000 : 1000);
  }
  flow.arrange();
  return flow;
}

TEST(Flow, CountsAndFindsTheSlowestOfAnyRange) {
  const Flow flow = large();
  const PlaceRange places = flow.between(100'000, 7'100'000);
  EXPECT_EQ(places, (PlaceRange{100, 7100}));
  const Flow::GroupCounts counts = flow.count(places);
  EXPECT_EQ(counts[0][static_cast<unsigned>(MessageGroup::send)], 3500U);
  EXPECT_EQ(counts[0][static_cast<unsigned>(MessageGroup::write)], 3500U);
  EXPECT_EQ(flow.slowest(places), 2500U);
  EXPECT_FALSE(flow.slowest({5, 5}));
}

TEST(Ladder, CostsNoMoreThanItsRows) {
  const Flow flow = large();
  const Metrics metrics;
  constexpr QSize size(1280, 800);
  for (const LadderOrder order : {LadderOrder::time, LadderOrder::folded}) {
    for (const TimeSpan span :
         {TimeSpan{0, 1'000'000'000}, TimeSpan{0, 200'000}, TimeSpan{999'000'000, 1'000'000'000}}) {
      LadderLook look;
      look.visible = span;
      look.order = order;
      Work work;
      const auto paint = [&](QPainter& painter, QSize of) {
        return paint_ladder(painter, of, flow, metrics, look, light_theme());
      };
      const QImage picture = picture_of(paint, size, 1, &work);
      EXPECT_LE(work.primitives, 8U * 800U);
      EXPECT_LE(work.visited, 800U * 400U);
      if (span.length() < 1'000'000'000 || order != LadderOrder::time) continue;
      // All 200 outliers: each has its row lit up to the end of the lane.
      const LadderLayout layout(size);
      const LadderScale scale(flow, span, order, layout.plot);
      const QRgb surface = light_theme().surface.rgb();
      for (std::size_t place = 2500; place < flow.messages.size(); place += 5000) {
        const int y = layout.plot.top() + (static_cast<int>(scale.y(place)) - layout.plot.top()) / 3 * 3;
        EXPECT_NE(picture.pixel(layout.waits.right() - 4, y), surface) << place;
      }
    }
  }
}

// Each row is a message, a run of equal ones or a step; what lies between two of them is the lower one's.
TEST(Ladder, StepsOfTheConnectionHaveRowsOfTheirOwn) {
  Flow flow;
  for (std::uint32_t at = 0; at < 6; ++at) {  // at 1000 to 6000; the last four are a run
    FlowMessage message;
    message.placed_ns = message.begun_ns = TimeNs{1000} * (at + 1);
    message.row = at;
    message.opcode = at < 2 ? wire::Opcode::send : wire::Opcode::rdma_write;
    flow.messages.push_back(message);
    flow.latency.push_back(no_value);
  }
  flow.arrange();
  for (const TimeNs time : {10, 20, 4500, 9000}) flow.steps.emplace_back().time_ns = time;
  const QRect plot(0, 0, 100, 80);
  const LadderScale folded(flow, {0, 10'000}, LadderOrder::folded, plot);
  const auto row = [&](double y) { return static_cast<int>(y / folded.row_height()); };
  ASSERT_GT(folded.row_height(), 0);
  EXPECT_EQ(row(folded.step_y(0)), 0);
  EXPECT_EQ(row(folded.step_y(1)), 1);
  EXPECT_EQ(row(folded.y(0)), 2);
  EXPECT_EQ(row(folded.y(1)), 3);
  for (std::size_t place = 2; place < 6; ++place) EXPECT_EQ(row(folded.y(place)), 4);
  EXPECT_EQ(row(folded.step_y(2)), 5);  // in the middle of the run
  EXPECT_EQ(row(folded.step_y(3)), 6);
  EXPECT_EQ(folded.places(), (PlaceRange{0, 6}));
  EXPECT_EQ(folded.places(0, 2 * folded.row_height()).size(), 0U);
  EXPECT_EQ(folded.row_of(3), (PlaceRange{2, 6}));
  for (const TimeNs time : {10, 20, 1000, 2000, 3000, 9000})
    EXPECT_EQ(folded.time(folded.y_of(time)), time) << time;
  EXPECT_EQ(folded.y_of(15), folded.step_y(1) - folded.row_height() / 2);
  EXPECT_EQ(folded.y_of(500), folded.y(0) - folded.row_height() / 2);

  const LadderScale ordered(flow, {0, 10'000}, LadderOrder::order, plot);
  EXPECT_GT(ordered.step_y(2), ordered.y(3));
  EXPECT_LT(ordered.step_y(2), ordered.y(4));
  const LadderScale ends(flow, {8000, 10'000}, LadderOrder::folded, plot);  // no message there
  EXPECT_EQ(ends.steps(), (PlaceRange{3, 4}));
  EXPECT_EQ(ends.places().size(), 0U);
  EXPECT_GT(ends.row_height(), 0);
}

TEST(Ladder, ShowsHowAConnectionBeganAndEndedWithoutAMessage) {
  Workspace workspace;
  LadderView view(workspace, light_theme(), nullptr);
  view.resize(900, 600);
  view.show();
  read(workspace, real + "03g-reject.pcap");
  const auto flow = FlowSource::of(workspace).flow();
  ASSERT_NE(flow, nullptr);
  std::vector<std::string> words;
  for (const FlowStep& step : flow->steps) words.push_back(step.words);
  EXPECT_EQ(words,
            (std::vector<std::string>{
                "SYN", "SYN, ACK", "MPA Request rev 2 · CRC · IRD 16, ORD 16 · 36 B of Private Data",
                "MPA Reply rev 2 · rejected · CRC · IRD 16, ORD 16 · 13 B of Private Data", "FIN", "FIN"}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.sharp(); }, 5000));
  const LadderLayout layout(view.size());
  const LadderScale scale(*flow, workspace.visible(), view.order(), layout.plot);
  QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(layout.left + 40, static_cast<int>(scale.step_y(2))));
  EXPECT_EQ(workspace.session().selection().frame, flow->steps[2].frame);
  EXPECT_EQ(workspace.session().selection().stream, flow->stream);
}

TEST(Ladder, LinksAnswersAndTerminatesToTheirCauses) {
  Workspace workspace;
  read(workspace, real + "03e-term-read_badrkey.pcap");
  const auto flow = FlowSource::of(workspace).flow();
  ASSERT_NE(flow, nullptr);
  ASSERT_EQ(flow->messages.size(), 2U);
  EXPECT_EQ(flow->messages[0].opcode, wire::Opcode::read_request);
  EXPECT_EQ(flow->messages[1].opcode, wire::Opcode::terminate);
  EXPECT_EQ(flow->messages[1].cause, 0U);
  EXPECT_EQ(flow->messages[0].effect, 1U);
}

// Eight responses in a row, which are one row: how long the shortest and the longest took, and no single one.
TEST(Ladder, ARunOfResponsesSaysItsLatencies) {
  Workspace workspace;
  read(workspace, real + "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst");
  const auto flow = FlowSource::of(workspace).flow();
  ASSERT_NE(flow, nullptr);
  std::size_t last = flow->messages.size();
  while (last > 0 && flow->messages[last - 1].opcode != wire::Opcode::read_response) --last;
  ASSERT_GE(last, 8U);
  const Metrics& metrics = workspace.document().metrics();
  const std::string run = message_words(*flow, metrics, {last - 8, last}).toStdString();
  EXPECT_NE(run.find("57.1 ms to 122 ms"), std::string::npos) << run;
  const std::string one = message_words(*flow, metrics, {last - 1, last}).toStdString();
  EXPECT_EQ(one.find(" to "), std::string::npos) << one;
}

// Two segments of a Read Response were lost before the capture point, frames 27 and 30 bring them; two of the
// responder's Writes lost one each, and a later Response one.
TEST(Ladder, MarksWhatWasLostBeforeTheCapturePointAndCameLate) {
  Workspace workspace;
  read(workspace, real + "08a-rping-loss2-notso-S20000.pcap.gz");
  const auto flow = FlowSource::of(workspace).flow();
  ASSERT_NE(flow, nullptr);
  const auto frames_of = [](const FlowTrack& track) {
    std::vector<std::uint32_t> frames;
    for (const FlowPiece& piece : track.late) frames.push_back(piece.frame);
    return frames;
  };
  const std::vector<std::uint32_t> first = frames_of(flow->tracks[0]);
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0], 27U);
  EXPECT_EQ(first[1], 30U);
  EXPECT_EQ(frames_of(flow->tracks[1]).size(), 2U);
  EXPECT_TRUE(flow->tracks[0].again.empty());
  EXPECT_TRUE(flow->tracks[0].holes.empty());
  // … in the minimap, too.
  std::uint64_t octets = 0;
  for (const FlowTrack& track : flow->tracks) {
    for (const FlowPiece& piece : track.late) octets += piece.length;
  }
  const auto& bins = workspace.document().overview().bins;
  std::uint64_t shown = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) shown += bins[bin].late;
  EXPECT_EQ(shown, octets);
}

// It names a frame in the middle of a Write of 40 segments, the last of which comes behind it.
TEST(Ladder, LinksATerminateToTheMessageThatItBroke) {
  Workspace workspace;
  read(workspace, real + "03e-term-write_big_oob.pcap");
  const auto flow = FlowSource::of(workspace).flow();
  ASSERT_NE(flow, nullptr);
  ASSERT_EQ(flow->messages.size(), 2U);
  EXPECT_EQ(flow->messages[0].opcode, wire::Opcode::terminate);
  EXPECT_EQ(flow->messages[1].opcode, wire::Opcode::rdma_write);
  EXPECT_EQ(flow->messages[0].cause, 1U);
  EXPECT_EQ(flow->messages[1].effect, 0U);
}

TEST(Ladder, SelectsByKeysAndBecomesSharp) {
  Workspace workspace;
  LadderView view(workspace, light_theme(), nullptr);
  view.resize(900, 600);
  view.show();
  read(workspace, real + "03d-burst-readmany.pcap");
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.sharp(); }, 5000));
  QTest::keyClick(&view, Qt::Key_Down);
  const auto first = workspace.session().selection();
  EXPECT_TRUE(first.operation || first.message);
  QTest::keyClick(&view, Qt::Key_Down);
  EXPECT_FALSE(workspace.session().selection() == first);
  QTest::keyClick(&view, Qt::Key_O);
  EXPECT_EQ(view.order(), LadderOrder::time);
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.sharp(); }, 5000));
}

// A Read Request and the Terminate that answers it: each arrow selects its own message.
TEST(Ladder, AClickSelectsTheMessageOfItsArrowAndADoubleClickAsksForItsOctets) {
  Workspace workspace;
  LadderView view(workspace, light_theme(), nullptr);
  view.resize(900, 600);
  view.show();
  read(workspace, real + "03e-term-read_badrkey.pcap");
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.sharp(); }, 5000));
  const LadderLayout layout(view.size());
  QString asked;
  QObject::connect(&view, &View::view_asked, &view, [&](const QString& name) { asked = name; });
  std::set<std::uint32_t> selected;
  const int middle = (layout.left + layout.right) / 2;
  for (int y = layout.plot.top(); y < layout.plot.bottom(); y += 3) {
    QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(middle, y));
    if (workspace.session().selection().message) selected.insert(*workspace.session().selection().message);
    if (selected.size() == 1 && asked.isEmpty())
      QTest::mouseDClick(&view, Qt::LeftButton, {}, QPoint(middle, y));
  }
  EXPECT_EQ(selected, (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(asked, QLatin1String("message"));
}

TEST(Tcp, PaintsEachDirectionOrWhyThereIsNone) {
  Workspace workspace;
  TcpView view(workspace, light_theme(), nullptr);
  read(workspace, real + "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  const auto paint = [&](QPainter& painter, QSize size) { return view.paint(painter, size); };
  Work work;
  const QImage both = picture_of(paint, {1280, 800}, 1, &work);
  EXPECT_GT(work.primitives, 20U);
  EXPECT_LE(work.primitives, 8U * 1280U);
  QTest::keyClick(&view, Qt::Key_1);
  EXPECT_EQ(view.direction(), Role::initiator);
  EXPECT_NE(picture_of(paint, {1280, 800}, 1), both);
}

}  // namespace
}  // namespace iwarp::gui
