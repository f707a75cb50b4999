// Frames that come once, of an interface or a pipe, and can be looked at nevertheless.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QTest>

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "models/kept_frames.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"
#include "views/message_view.hpp"

namespace iwarp::gui {
namespace {

const std::string reads = test::places::captures() + "/real/03d-burst-readmany.pcap";

std::vector<Byte> octets_of(FrameNumber number, std::size_t size) {
  std::vector<Byte> octets(size);
  for (std::size_t at = 0; at < size; ++at) octets[at] = static_cast<Byte>(number * 31 + at);
  return octets;
}

capture::Record record_of(FrameNumber number, const std::vector<Byte>& octets) {
  capture::Record record;
  record.number = number;
  record.time_ns = 1000 + static_cast<TimeNs>(number);
  record.has_time = true;
  record.link_type = capture::link_type::ethernet;
  record.octets = octets;
  record.wire_length = octets.size() + 4;
  return record;
}

TEST(KeptFrames, ComeBackAsTheyCame) {
  KeptFrames kept;
  for (FrameNumber number = 1; number <= 3000; ++number) {
    const std::vector<Byte> octets = octets_of(number, 60 + number % 1400);
    kept.add(record_of(number, octets));
    if (number % 500 != 0) continue;
    // The newest, which are not written yet, too.
    for (const FrameNumber asked : {FrameNumber{1}, number / 2, number}) {
      capture::Record record;
      std::string error;
      ASSERT_TRUE(kept.read(asked, record, error)) << error;
      const std::vector<Byte> expected = octets_of(asked, 60 + asked % 1400);
      EXPECT_TRUE(std::equal(record.octets.begin(), record.octets.end(), expected.begin(), expected.end()));
      EXPECT_EQ(record.number, asked);
      EXPECT_EQ(record.time_ns, 1000 + static_cast<TimeNs>(asked));
      EXPECT_TRUE(record.has_time);
      EXPECT_EQ(record.link_type, capture::link_type::ethernet);
      EXPECT_EQ(record.wire_length, expected.size() + 4);
    }
  }
  capture::Record record;
  std::string error;
  EXPECT_FALSE(kept.read(3001, record, error));
  EXPECT_EQ(error, "frame 3001 was not kept");
  EXPECT_FALSE(kept.read(0, record, error));
}

// The file takes no more than it may: the oldest make room, and whoever asks for them gets a sentence that
// says so.
TEST(KeptFrames, AreTheNewestOfMany) {
  constexpr std::uint64_t most = 1U << 20U;
  KeptFrames kept(most);
  constexpr FrameNumber count = 5000;
  constexpr std::size_t size = 1460;
  for (FrameNumber number = 1; number <= count; ++number)
    kept.add(record_of(number, octets_of(number, size)));
  FrameNumber first = 0;
  for (FrameNumber number = 1; number <= count; ++number) {
    capture::Record record;
    std::string error;
    if (!kept.read(number, record, error)) {
      EXPECT_EQ(first, 0U) << number;
      EXPECT_NE(error.find("is not kept any more"), std::string::npos) << error;
      EXPECT_NE(error.find("--follow"), std::string::npos) << error;
      continue;
    }
    if (first == 0) first = number;
    const std::vector<Byte> expected = octets_of(number, size);
    ASSERT_TRUE(std::equal(record.octets.begin(), record.octets.end(), expected.begin(), expected.end()))
        << number;
  }
  const std::uint64_t kept_octets = (count - first + 1) * size;
  EXPECT_GT(kept_octets, most * 9 / 10);
  EXPECT_LE(kept_octets, most + (512U << 10U));
}

TEST(KeptFrames, LeaveNoFileBehindAndSayWhereNoneCanBeMade) {
  const test_files::Folder folder;
  const std::string here = folder.of("");
  const char* const before = std::getenv("TMPDIR");
  const std::string was = before != nullptr ? before : "";
  ::setenv("TMPDIR", here.c_str(), 1);
  KeptFrames kept;
  kept.add(record_of(1, octets_of(1, 100)));
  EXPECT_TRUE(std::filesystem::is_empty(here));
  ::setenv("TMPDIR", "/nonexistent", 1);
  KeptFrames nowhere;
  nowhere.add(record_of(1, octets_of(1, 100)));
  capture::Record record;
  std::string error;
  EXPECT_FALSE(nowhere.read(1, record, error));
  EXPECT_EQ(error, "frame 1 was not kept: no file could be made in /nonexistent: No such file or directory");
  if (before != nullptr) {
    ::setenv("TMPDIR", was.c_str(), 1);
  } else {
    ::unsetenv("TMPDIR");
  }
}

// A named pipe, which nobody can read a second time.
TEST(KeptFrames, TheMessageOfAPipeHasItsOctets) {
  const test_files::Folder folder;
  const std::string pipe = folder.of("pipe.pcap");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ifstream from(reads, std::ios::binary);
    std::ofstream(pipe, std::ios::binary) << from.rdbuf();
  });
  std::vector<MessageOctets> shown;
  for (const std::string& path : {pipe, reads}) {
    Workspace workspace;
    MessageView view(workspace, light_theme(), nullptr);
    workspace.document().open(
        QString::fromStdString(path), file_source(path), {},
        path == pipe ? CaptureDocument::Origin::standard_input : CaptureDocument::Origin::file);
    EXPECT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled() && view.shown(); }, 20'000));
    if (view.shown()) shown.push_back(*view.shown());
  }
  writer.join();
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].error, QString());
  EXPECT_FALSE(shown[0].octets.isEmpty());
  EXPECT_EQ(shown[0].octets, shown[1].octets);
}

}  // namespace
}  // namespace iwarp::gui
