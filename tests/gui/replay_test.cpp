// The replay of a stream beside its recording, and recordings that are followed while they are written.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include "app/replay_panel.hpp"
#include "models/follow_source.hpp"
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
    if (test::places::replay().empty() || !QFileInfo::exists(program_))
      GTEST_SKIP() << "without iwarp-replay";
  }
  void read(const std::string& path) {
    workspace_.document().open(QString::fromStdString(path), file_source(path));
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace_.levels().settled(); }, 20'000));
    ASSERT_TRUE(QTest::qWaitFor([&] { return FlowSource::of(workspace_).flow() != nullptr; }, 20'000));
  }

  static std::uint64_t operations_of(Workspace& workspace, ConnectionId stream) {
    const Metrics& metrics = workspace.document().metrics();
    const auto row = row_of_stream(metrics, stream);
    return row ? metrics.streams().totals(*row).operations.load() : 0;
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

// Traffic between two soft-RNICs, at its recorded times, is shown while it goes on, at most a second behind:
// what the file had at one look is read twenty looks later, with 50 ms between two; and the file grows while
// the replay runs.
TEST_F(Replaying, ItsRecordingIsFollowedWithinASecond) {
  constexpr int most_looks_behind = 20;
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
  std::size_t growths = 0;           // looks at which it had grown while the replay ran
  std::size_t farthest = 0;          // looks behind
  const auto look = [&] {
    sizes.push_back(static_cast<std::uint64_t>(QFileInfo(call.recording).size()));
    if (run.running() && sizes.size() > 1 && sizes.back() > sizes[sizes.size() - 2]) ++growths;
    const std::uint64_t read = workspace_.document().progress().octets;
    while (reached < sizes.size() && sizes[reached] <= read) ++reached;
    farthest = std::max(farthest, sizes.size() - reached);
  };
  for (int behind = 0; behind < most_looks_behind; behind = run.running() ? 0 : behind + 1) {
    look();
    QTest::qWait(between_looks_ms);
  }
  look();
  EXPECT_EQ(reached, sizes.size());
  EXPECT_LE(farthest, static_cast<std::size_t>(most_looks_behind));
  EXPECT_GE(growths, 3U);
  EXPECT_EQ(ended.count(), 1);
}

}  // namespace
}  // namespace iwarp::gui
