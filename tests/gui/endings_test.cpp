// The ways in which reading ends before its time, and files that change under who shows them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QTest>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "app/main_window.hpp"
#include "app/pages.hpp"
#include "models/follow_source.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"

namespace iwarp::gui {
namespace {

const std::string burst = test::places::captures() + "/real/03d-burst-readmany.pcap";

std::string octets_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void append(const std::string& path, std::string_view octets) {
  std::ofstream(path, std::ios::binary | std::ios::app) << octets;
}

class Endings : public testing::Test {
 protected:
  void copy_burst() const { std::filesystem::copy_file(burst, path_); }
  void read(Workspace& workspace, const LoadOptions& options = {}) const {
    workspace.document().open(QString::fromStdString(path_), file_source(path_), options);
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  }
  // What reading a frame again says: empty where it is there.
  static std::string why_not(Workspace& workspace, FrameNumber frame) {
    std::string error = "no answer";
    workspace.document().ask<std::string>(
        &workspace, "frame",
        [frame](const Log& log) {
          capture::Record record;
          std::string why;
          static_cast<void>(log.frame(frame, record, why));
          return why;
        },
        [&error](const std::string& answer) { error = answer; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
    return error;
  }

  test_files::Folder folder_;
  const std::string path_ = folder_.of("capture.pcap");
};

TEST_F(Endings, AFileReplacedUnderItIsNoticedAndWhatWasReadStays) {
  copy_burst();
  Workspace workspace;
  read(workspace);
  const std::size_t operations = workspace.document().metrics().operations().size();
  ASSERT_GT(operations, 0U);
  const std::string other = path_ + ".new";
  std::filesystem::copy_file(burst, other, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::rename(other, path_);
  EXPECT_NE(why_not(workspace, 1).find("is another file"), std::string::npos);
  EXPECT_EQ(workspace.document().metrics().operations().size(), operations);
}

TEST_F(Endings, AFileDeletedOrCutUnderItSaysSo) {
  copy_burst();
  {
    Workspace workspace;
    read(workspace);
    std::filesystem::remove(path_);
    EXPECT_EQ(why_not(workspace, 1).find(path_), 0U);
  }
  copy_burst();
  Workspace workspace;
  read(workspace);
  std::filesystem::resize_file(path_, 200);
  EXPECT_EQ(why_not(workspace, workspace.document().result().summary.frames).find(path_), 0U);
}

TEST_F(Endings, TheMemoryCapEndsItWithASentenceThatTellsWhatToDo) {
  copy_burst();
  Workspace workspace;
  read(workspace, {.strict = false, .max_memory = 1});
  const LoadResult& result = workspace.document().result();
  EXPECT_EQ(result.end, LoadEnd::memory_cap);
  EXPECT_NE(result.sentence.find("memory"), std::string::npos) << result.sentence;
  EXPECT_TRUE(notice_of(result).contains(QLatin1String("--max-memory")));
}

// The frames of an ARP exchange: Ethernet, and nothing that TCP is in.
TEST_F(Endings, ACaptureWithoutIwarpSaysWhatIsThereInstead) {
  std::string octets("\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0", 24);
  octets += std::string("\x01\0\0\0\0\0\0\0\x2a\0\0\0\x2a\0\0\0", 16);
  octets += std::string(12, '\xff') + std::string("\x08\x06", 2) + std::string(28, '\0');
  append(path_, octets);
  Workspace workspace;
  MainWindow window(workspace, light_theme(), MainWindow::Memory::none);
  window.show();
  read(workspace);
  const PageText page = no_iwarp_page(workspace.document().name(), workspace.document().result());
  EXPECT_TRUE(page.title.contains(QLatin1String("no iWARP")));
  EXPECT_TRUE(page.text.contains(QLatin1String("1 frame"))) << page.text.toStdString();
  const auto* const shown = window.findChild<Page*>();
  ASSERT_NE(shown, nullptr);
  EXPECT_TRUE(shown->isVisible());
  EXPECT_EQ(shown->shown().title, page.title);
}

TEST_F(Endings, AFileThatGrowsIsFollowed) {
  const std::string octets = octets_of(burst);
  append(path_, std::string_view(octets).substr(0, octets.size() / 3));  // in the middle of a record
  Workspace workspace;
  workspace.document().open(QString::fromStdString(path_), follow_source(path_));
  const auto frames = [&] { return workspace.document().progress().frames; };
  ASSERT_TRUE(QTest::qWaitFor([&] { return frames() > 0; }, 5000));
  QTest::qWait(300);
  const std::uint64_t before = frames();
  EXPECT_TRUE(workspace.document().loading());
  EXPECT_EQ(why_not(workspace, 1), "");  // questions are answered while it waits

  append(path_, std::string_view(octets).substr(octets.size() / 3));
  Workspace whole;
  whole.document().open(QString::fromStdString(burst), file_source(burst));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !whole.document().loading(); }, 5000));
  const std::uint64_t all = whole.document().result().summary.frames;
  ASSERT_TRUE(QTest::qWaitFor([&] { return frames() == all; }, 5000));
  EXPECT_LT(before, all);
  EXPECT_EQ(why_not(workspace, static_cast<FrameNumber>(all)), "");

  workspace.document().cancel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !workspace.document().loading(); }, 5000));
  EXPECT_EQ(workspace.document().result().end, LoadEnd::cancelled);
  EXPECT_EQ(workspace.document().metrics().operations().size(),
            whole.document().metrics().operations().size());
}

TEST_F(Endings, FollowingEndsWhereTheFileIsNoLongerTheSame) {
  const auto ends_with = [this](const std::string& words, const std::function<void()>& happens) {
    SCOPED_TRACE(words);
    copy_burst();
    Workspace workspace;
    MainWindow window(workspace, light_theme(), MainWindow::Memory::none);
    window.show();
    workspace.document().open(QString::fromStdString(path_), follow_source(path_));
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().progress().frames > 0; }, 5000));
    happens();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !workspace.document().loading(); }, 5000));
    EXPECT_EQ(workspace.document().result().end, LoadEnd::damaged);
    EXPECT_EQ(workspace.document().result().sentence, path_ + ": " + words);
    EXPECT_GT(workspace.document().metrics().operations().size(), 0U);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.findChild<Notice*>()->isVisible(); }, 5000));
    std::filesystem::remove(path_);
  };
  ends_with("was removed or renamed while it was followed", [this] { std::filesystem::remove(path_); });
  ends_with("was cut while it was followed", [this] { std::filesystem::resize_file(path_, 24); });
  ends_with("was replaced by another file while it was followed", [this] {
    std::filesystem::copy_file(burst, path_ + ".new");
    std::filesystem::rename(path_ + ".new", path_);
  });
}

TEST_F(Endings, FollowingMayBeClosedWhileItWaits) {
  copy_burst();
  for (int round = 0; round < 3; ++round) {
    Workspace workspace;
    workspace.document().open(QString::fromStdString(path_), follow_source(path_));
    QTest::qWait(round * 100);
  }
}

TEST_F(Endings, WhatCannotBeFollowedIsNamed) {
  Workspace workspace;
  workspace.document().open(QString::fromStdString(path_), follow_source(path_));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !workspace.document().loading(); }, 5000));
  EXPECT_EQ(workspace.document().result().end, LoadEnd::unreadable);
  EXPECT_EQ(workspace.document().result().sentence.find(path_), 0U);
}

}  // namespace
}  // namespace iwarp::gui
