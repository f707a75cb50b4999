// The replay of a stream beside its recording, and recordings that are followed while they are written.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include "app/replay_panel.hpp"
#include "models/follow_source.hpp"
#include "processes.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"

namespace iwarp::gui {
namespace {

const std::string burst = test::places::captures() + "/real/03d-burst-readmany.pcap";
// 3.8 s of it, when it is played at its recorded times.
const std::string nvme = test::places::captures() + "/real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";

TEST(Replay, IsCalledWithFileAndStreamOrTheReasonIsTold) {
  const QString file = QString::fromStdString(burst);
  const ReplayCall call = replay_call(file, 3, QStringLiteral("/bin/iwarp-replay"), QStringLiteral("/tmp/x"));
  EXPECT_TRUE(call.why_not.isEmpty());
  EXPECT_EQ(call.arguments,
            (QStringList{"run", QFileInfo(file).absoluteFilePath(), "--stream", "3", "--loopback", "--report",
                         "/tmp/x/replay.json", "--record", "/tmp/x/replay.pcapng"}));
  EXPECT_FALSE(replay_call(file, 3, {}, "/tmp/x").why_not.isEmpty());
  EXPECT_FALSE(replay_call({}, 3, "/bin/iwarp-replay", "/tmp/x").why_not.isEmpty());
  EXPECT_FALSE(replay_call("/nonexistent.pcap", 3, "/bin/iwarp-replay", "/tmp/x").why_not.isEmpty());
  EXPECT_FALSE(replay_call(file, std::nullopt, "/bin/iwarp-replay", "/tmp/x").why_not.isEmpty());
}

class Replaying : public testing::Test {
 protected:
  void SetUp() override {
    IWARP_NEEDS_PROCESSES();
    if (test::places::replay().empty() || !QFileInfo::exists(program_))
      GTEST_SKIP() << "without iwarp-replay";
  }
  void read(const std::string& path) {
    workspace_.document().open(QString::fromStdString(path), file_source(path));
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace_.levels().settled(); }, 20'000));
    ASSERT_TRUE(QTest::qWaitFor([&] { return FlowSource::of(workspace_).flow() != nullptr; }, 20'000));
  }

  static std::uint64_t operations_of(Workspace& workspace, ConnectionId stream) {
    const StreamTable& streams = workspace.document().metrics().streams();
    for (std::size_t row = 0; row < streams.size(); ++row) {
      if (streams.connection(row) == stream) return streams.totals(row).operations.load();
    }
    return 0;
  }

  const QString program_ = QString::fromStdString(test::places::replay());
  Workspace workspace_;
};

TEST_F(Replaying, HasALadderBesideTheRecordedOne) {
  ReplayPanel panel(workspace_, light_theme(), program_, nullptr);
  EXPECT_FALSE(panel.why_not().isEmpty());  // nothing is open
  panel.resize(1280, 400);
  panel.show();
  read(burst);
  ASSERT_EQ(panel.why_not().toStdString(), "");
  for (int round = 0; round < 2; ++round) {  // the second takes the place of the first
    QSignalSpy ended(&panel, &ReplayPanel::ended);
    panel.run();
    EXPECT_FALSE(panel.why_not().isEmpty());  // one at a time
    ASSERT_TRUE(ended.count() > 0 || ended.wait(60'000)) << panel.output().toStdString();
    EXPECT_TRUE(panel.output().contains(QLatin1String("as recorded"))) << panel.output().toStdString();
    Workspace* const replayed = panel.replayed();
    ASSERT_NE(replayed, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !replayed->document().loading(); }, 20'000));
    EXPECT_EQ(replayed->document().metrics().streams().size(), 1U);
    EXPECT_EQ(operations_of(*replayed, 0),
              operations_of(workspace_, FlowSource::of(workspace_).flow()->stream));
  }
}

TEST_F(Replaying, CanBeStoppedAndClosed) {
  read(nvme);
  {
    ReplayPanel panel(workspace_, dark_theme(), program_, nullptr);
    QSignalSpy ended(&panel, &ReplayPanel::ended);
    panel.run();
    EXPECT_TRUE(panel.running());
    panel.stop();
    panel.stop();
    ASSERT_TRUE(ended.count() > 0 || ended.wait(20'000));
    EXPECT_FALSE(panel.running());
  }
  ReplayPanel panel(workspace_, dark_theme(), program_, nullptr);
  panel.run();  // and nobody waits for its end
}

TEST_F(Replaying, AProgramThatIsNoneIsASentence) {
  test_files::Folder folder;
  read(burst);
  ReplayPanel panel(workspace_, light_theme(), folder.of(QStringLiteral("none")), nullptr);
  QSignalSpy ended(&panel, &ReplayPanel::ended);
  panel.run();
  ASSERT_TRUE(ended.count() > 0 || ended.wait(20'000));
  EXPECT_TRUE(panel.output().contains(QLatin1String("could not be started"))) << panel.output().toStdString();
}

// Traffic between two soft-RNICs, at its recorded times, is shown while it goes on: all that the file had is
// read soon after its end, and both grow while the replay runs. How soon is a matter of clocks, and so a
// figure beside the result (--gtest_output=json:FILE), which docs/performance.md has.
TEST_F(Replaying, ItsRecordingIsFollowedWhileItGrows) {
  constexpr int most_looks = 100;  // behind the end of the replay
  constexpr int between_looks_ms = 50;
  test_files::Folder folder;
  ReplayCall call = replay_call(QString::fromStdString(nvme), 3, program_, folder.of(QString()));
  ASSERT_EQ(call.why_not.toStdString(), "");
  call.arguments << QStringLiteral("--timing") << QStringLiteral("original");
  ReplayRun run;
  QSignalSpy begun(&run, &ReplayRun::recording_begun);
  QSignalSpy ended(&run, &ReplayRun::ended);
  run.start(call);
  ASSERT_TRUE(begun.count() > 0 || begun.wait(20'000));
  const std::string path = call.recording.toStdString();
  workspace_.document().open(call.recording, follow_source(path));

  std::vector<std::uint64_t> sizes;  // of the file, at each look
  std::size_t reached = 0;           // of these, so many have been read
  std::uint64_t seen = 0;            // octets that had been read at the last look
  std::size_t growths = 0;           // looks at which more had been read while the replay ran
  QElapsedTimer clock;
  clock.start();
  std::vector<qint64> looked_ms;  // at `sizes`
  qint64 longest_ms = 0;          // from a size to when so much had been read
  const auto look = [&] {
    sizes.push_back(static_cast<std::uint64_t>(QFileInfo(call.recording).size()));
    looked_ms.push_back(clock.elapsed());
    const std::uint64_t read = workspace_.document().progress().octets;
    if (run.running() && read > seen) ++growths;
    seen = read;
    for (; reached < sizes.size() && sizes[reached] <= read; ++reached)
      longest_ms = std::max(longest_ms, clock.elapsed() - looked_ms[reached]);
  };
  for (int late = 0; late < most_looks && (run.running() || reached < sizes.size());
       late = run.running() ? 0 : late + 1) {
    look();
    QTest::qWait(between_looks_ms);
  }
  EXPECT_EQ(reached, sizes.size());
  EXPECT_GE(growths, 3U);
  RecordProperty("longest_delay_ms", static_cast<int>(longest_ms));
  EXPECT_EQ(ended.count(), 1);
}

}  // namespace
}  // namespace iwarp::gui
