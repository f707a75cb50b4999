// Which stream is shown where none is selected.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QTest>

#include <gtest/gtest.h>

#include "models/flow_source.hpp"
#include "support/places.hpp"
#include "views/message_view.hpp"
#include "views/operation_view.hpp"
#include "views/state_view.hpp"

namespace iwarp::gui {
namespace {

const std::string folder = test::places::captures() + "/real/";
const std::string nvme = folder + "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";  // stream 0 is of discovery
const std::string reads = folder + "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst";
const std::string sends = folder + "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz";

void read(Workspace& workspace, const std::string& path) {
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
}

TEST(Foremost, HasTheSlowestOperationWhateverItsPlace) {
  for (const auto& [path, stream] : {std::pair(nvme, 3U), {reads, 1U}}) {
    Workspace workspace;
    read(workspace, path);
    ASSERT_TRUE(workspace.foremost()) << path;
    EXPECT_EQ(workspace.foremost()->stream, stream) << path;
    EXPECT_EQ(workspace.foremost()->reason, Foremost::slowest) << path;
  }
}

// Both warn, of no Send the latency is known.
TEST(Foremost, CarriedTheMostWhereNoLatencyIsKnown) {
  Workspace workspace;
  read(workspace, sends);
  EXPECT_EQ(workspace.foremost(), (Foremost{1, Foremost::busiest}));
}

TEST(Foremost, IsOneThatCounts) {
  Workspace workspace;
  read(workspace, nvme);
  QString error;
  ASSERT_TRUE(workspace.session().set_filter("stream == 1", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 5000));
  EXPECT_EQ(workspace.stream(), 1U);
  EXPECT_EQ(workspace.why_stream(), QString());  // there is no other
  ASSERT_TRUE(workspace.session().set_filter("stream == 77", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 5000));
  EXPECT_FALSE(workspace.stream());
}

TEST(Foremost, ErrorsComeFirst) {
  Workspace workspace;
  read(workspace, nvme);
  const StreamTable& streams = workspace.document().metrics().streams();
  Levels levels = *workspace.levels().levels();
  levels.streams[2].findings[static_cast<std::size_t>(Severity::error)] = 1;
  EXPECT_EQ(foremost_stream(levels, streams, std::nullopt), (Foremost{2, Foremost::error}));
}

// While a capture is read the picture does not go to and fro between streams that are as slow.
TEST(Foremost, StaysWhileTheCaptureIsRead) {
  Workspace workspace;
  read(workspace, nvme);
  const StreamTable& streams = workspace.document().metrics().streams();
  Levels levels = *workspace.levels().levels();
  levels.streams[0].longest_ns = levels.streams[3].longest_ns / 2 + 1;
  levels.complete = false;
  EXPECT_EQ(foremost_stream(levels, streams, 0)->stream, 0U);
  EXPECT_EQ(foremost_stream(levels, streams, 1)->stream, 3U);  // far faster
  levels.complete = true;
  EXPECT_EQ(foremost_stream(levels, streams, 0)->stream, 3U);
}

TEST(Foremost, IsWhatAllViewsShowUntilAnotherOneIsSelected) {
  Workspace workspace;
  StateView state(workspace, light_theme(), nullptr);
  OperationView operation(workspace, light_theme(), nullptr);
  MessageView message(workspace, light_theme(), nullptr);
  FlowSource& flow = FlowSource::of(workspace);
  read(workspace, nvme);
  const Metrics& metrics = workspace.document().metrics();
  const auto all_show = [&](ConnectionId stream) {
    return QTest::qWaitFor(
        [&] {
          return flow.flow() != nullptr && flow.flow()->stream == stream && state.shown() &&
                 state.shown()->stream == stream && operation.shown() &&
                 metrics.operations().connection(*operation.shown()) == stream && message.shown() &&
                 metrics.messages().connection(message.shown()->row) == stream;
        },
        5000);
  };
  EXPECT_TRUE(all_show(3));
  EXPECT_NE(workspace.why_stream(), QString());
  Selection selection;
  selection.stream = 0;
  workspace.session().select(selection);
  EXPECT_TRUE(all_show(0));
  EXPECT_EQ(workspace.why_stream(), QString());
}

}  // namespace
}  // namespace iwarp::gui
