// What a window remembers: bookmarks and their notes, the session of a capture, the theme; and how streams
// are grouped, and what is to be left out of what was too large.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "app/bookmarks_panel.hpp"
#include "app/main_window.hpp"
#include "models/leave_out.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"
#include "views/flows_view.hpp"

namespace iwarp::gui {
namespace {

const std::string burst = test::places::captures() + "/real/03d-burst-readmany.pcap";
const std::string parallel = test::places::captures() + "/real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz";

void read(Workspace& workspace, const std::string& path) {
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
}

TEST(Bookmarks, AreEditedAndRemovedByKeys) {
  Workspace workspace;
  BookmarksPanel panel(workspace, nullptr);
  QAbstractItemModelTester tester(panel.table().model(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  panel.show();
  workspace.session().set_range(TimeSpan{10, 20});
  workspace.session().add_bookmark(QStringLiteral("slow"));
  workspace.session().set_range(std::nullopt);
  workspace.session().add_bookmark(QStringLiteral("all"));
  ASSERT_EQ(panel.table().model()->rowCount(), 2);
  EXPECT_TRUE(panel.table().model()->setData(panel.table().model()->index(0, BookmarkModel::note), "slower"));
  EXPECT_EQ(workspace.session().bookmarks()[0].note, QLatin1String("slower"));
  EXPECT_FALSE(panel.table().model()->setData(panel.table().model()->index(0, BookmarkModel::filter), "x"));

  panel.table().setCurrentIndex(panel.table().model()->index(0, 0));
  QTest::keyClick(&panel.table(), Qt::Key_Return);
  EXPECT_EQ(workspace.session().range(), (TimeSpan{10, 20}));
  QTest::keyClick(&panel.table(), Qt::Key_Delete);
  ASSERT_EQ(workspace.session().bookmarks().size(), 1U);
  EXPECT_EQ(workspace.session().bookmarks()[0].note, QLatin1String("all"));
  QTest::keyClick(&panel.table(), Qt::Key_Delete);
  QTest::keyClick(&panel.table(), Qt::Key_Delete);  // of nothing
  EXPECT_TRUE(workspace.session().bookmarks().empty());
}

class Remembered : public testing::Test {
 protected:
  Remembered() {
    QCoreApplication::setOrganizationName(QStringLiteral("iwarpstate"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.of(QStringLiteral("settings")));
    qputenv("XDG_DATA_HOME", folder_.of(QStringLiteral("data")).toUtf8());
    QStandardPaths::setTestModeEnabled(false);
    EXPECT_TRUE(QFile::copy(QString::fromStdString(burst), path_));
  }
  ~Remembered() override {
    QStandardPaths::setTestModeEnabled(true);
    qunsetenv("XDG_DATA_HOME");
  }
  void open(Workspace& workspace) const { read(workspace, path_.toStdString()); }

  test_files::Folder folder_;
  const QString path_ = folder_.of(QStringLiteral("capture.pcap"));
};

// Without being closed: who pulls the plug loses no note.
TEST_F(Remembered, ASessionIsSavedWhileOneWorks) {
  Workspace workspace;
  MainWindow window(workspace, light_theme(), MainWindow::Memory::settings);
  open(workspace);
  workspace.session().add_bookmark(QStringLiteral("here"));
  auto* const autosave = window.findChild<QTimer*>(QStringLiteral("autosave"));
  ASSERT_NE(autosave, nullptr);
  EXPECT_TRUE(autosave->isActive());
  // Changes do not put it off, however many come.
  const int before = autosave->remainingTime();
  const TimeNs begin = workspace.document().span().from;
  const TimeSpan seen{begin + 10, begin + 20};
  workspace.session().set_range(seen);
  EXPECT_LE(autosave->remainingTime(), before);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !autosave->isActive(); }, 20'000));

  Workspace again;
  MainWindow other(again, light_theme(), MainWindow::Memory::settings);
  open(again);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !again.session().bookmarks().empty(); }, 5000));
  EXPECT_EQ(again.session().bookmarks()[0].note, QLatin1String("here"));
  EXPECT_EQ(again.session().range(), seen);
}

// What is marked while the capture is still read comes behind what was marked when it was open before.
TEST_F(Remembered, BookmarksOfBeforeAndOfNowAreKept) {
  {
    Workspace workspace;
    MainWindow window(workspace, light_theme(), MainWindow::Memory::settings);
    open(workspace);
    workspace.session().add_bookmark(QStringLiteral("before"));
    ASSERT_TRUE(window.close());
  }
  Workspace again;
  const MainWindow window(again, light_theme(), MainWindow::Memory::settings);
  again.document().open(path_, file_source(path_.toStdString()));
  again.session().add_bookmark(
      QStringLiteral("now"));  // the end of reading is an event that has not come yet
  ASSERT_TRUE(QTest::qWaitFor([&] { return again.session().bookmarks().size() == 2; }, 5000));
  EXPECT_EQ(again.session().bookmarks()[0].note, QLatin1String("before"));
  EXPECT_EQ(again.session().bookmarks()[1].note, QLatin1String("now"));
}

TEST_F(Remembered, TheThemeIsThatOfTheLastChoice) {
  QSettings().clear();
  const bool desktop_dark = MainWindow::remembered_theme().dark;
  {
    Workspace workspace;
    MainWindow window(workspace, light_theme(), MainWindow::Memory::settings);
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_T, Qt::ControlModifier);
  }
  EXPECT_TRUE(MainWindow::remembered_theme().dark);
  QSettings().clear();
  EXPECT_EQ(MainWindow::remembered_theme().dark, desktop_dark);
}

TEST(HostPairs, HaveEachStreamOnceAndFollowItsOrder) {
  Workspace workspace;
  StreamModel streams(workspace);
  HostPairModel pairs(streams);
  QAbstractItemModelTester tester(&pairs, QAbstractItemModelTester::FailureReportingMode::Fatal);
  read(workspace, parallel);
  ASSERT_GT(streams.rowCount(), 40);
  for (const int column : {-1, static_cast<int>(StreamModel::longest)}) {
    pairs.sort(column, Qt::DescendingOrder);
    std::set<std::uint32_t> seen;
    for (int pair = 0; pair < pairs.rowCount(); ++pair) {
      const QModelIndex top = pairs.index(pair, 0);
      EXPECT_FALSE(pairs.stream_row(top));
      int before = -1;
      for (int child = 0; child < pairs.rowCount(top); ++child) {
        const auto row = pairs.stream_row(pairs.index(child, 0, top));
        ASSERT_TRUE(row);
        EXPECT_TRUE(seen.insert(*row).second);
        EXPECT_EQ(pairs.index_of(*row), pairs.index(child, 0, top));
        const int place = *streams.place_of(*row);
        EXPECT_GT(place, before);
        before = place;
      }
    }
    EXPECT_EQ(static_cast<int>(seen.size()), streams.rowCount());
  }
  QString error;
  ASSERT_TRUE(workspace.session().set_filter("stream == 3", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 5000));
  EXPECT_EQ(pairs.rowCount(), 1);
  EXPECT_EQ(pairs.rowCount(pairs.index(0, 0)), 1);
}

TEST(HostPairs, AreShownAndSelectedByKeys) {
  Workspace workspace;
  FlowsView view(workspace, light_theme(), nullptr);
  view.show();
  read(workspace, parallel);
  view.set_grouped(true);
  ASSERT_NE(view.tree(), nullptr);
  EXPECT_TRUE(view.tree()->isVisible());
  EXPECT_FALSE(view.widget().isVisible());
  Selection third;
  third.stream = workspace.document().metrics().streams().connection(3);
  workspace.session().select(third);
  EXPECT_TRUE(view.tree()->currentIndex().parent().isValid());
  QTest::keyClick(view.tree(), Qt::Key_Down);
  EXPECT_NE(workspace.session().selection().stream, third.stream);
  view.set_grouped(false);
  EXPECT_TRUE(view.widget().isVisible());
}

TEST(LeaveOut, NamesTheBusiestStreamsAndTheTimeThatWasRead) {
  Workspace workspace;
  read(workspace, parallel);
  const Metrics& metrics = workspace.document().metrics();
  const std::vector<BusyStream> all = busiest_streams(metrics, 1000);
  for (std::size_t at = 1; at < all.size(); ++at) EXPECT_GE(all[at - 1].share, all[at].share);
  EXPECT_LE(std::accumulate(all.begin(), all.end(), 0.0,
                            [](double sum, const BusyStream& one) { return sum + one.share; }),
            1.001);
  const QString words = leave_out_words(metrics, workspace.document().span(), QStringLiteral("it's.pcap"));
  EXPECT_TRUE(words.contains(QStringLiteral("stream %1 took").arg(all.front().connection)))
      << words.toStdString();
  EXPECT_TRUE(words.contains(QLatin1String("tcpdump -r 'it'\\''s.pcap' -w smaller.pcap 'not (host ")))
      << words.toStdString();
  EXPECT_TRUE(words.contains(QLatin1String("editcap -A "))) << words.toStdString();
  EXPECT_EQ(leave_out_words(Metrics(), {}, {}), QString());
  // Where no stream took much, other times are left all the same.
  EXPECT_EQ(leave_out_words(Metrics(), {0, 2'000'000'000}, QStringLiteral("a.pcap")),
            QLatin1String("The first 2.00 s were read. What comes behind them:\n"
                          "editcap -A 2 'a.pcap' later.pcapng"));
  EXPECT_TRUE(
      leave_out_words(metrics, {}, QStringLiteral("a.pcap.zst"))
          .contains(QLatin1String("zstdcat 'a.pcap.zst' | tcpdump -r - -w smaller.pcap 'not (host ")));
}

}  // namespace
}  // namespace iwarp::gui
