// What a recording says of itself is read back, and nothing is believed of what others wrote.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/recording_comment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iwarp/bytes.hpp>
#include <sstream>

#include "transport/capture_writer.hpp"

namespace iwarp::replay {
namespace {

class Recording : public testing::Test {
 protected:
  Recording() : path_(testing::TempDir() + "recording-" + std::to_string(getpid())) {}
  ~Recording() override { std::filesystem::remove(path_); }

  // "4: A = B", for each.
  [[nodiscard]] std::vector<std::string> read(const std::string& octets) const {
    std::ofstream(path_, std::ios::binary) << octets;
    std::vector<std::string> lines;
    for (const ReplayedStream& each : replayed_streams(path_))
      lines.push_back(std::to_string(each.number) + ": " + each.recorded + " = " + each.live);
    return lines;
  }

 private:
  std::string path_;
};

using Lines = std::vector<std::string>;

std::string written(const std::vector<std::string>& comments) {
  std::ostringstream out;
  CaptureWriter writer(out);
  for (std::size_t i = 0; i < comments.size(); ++i) {
    const Bytes frame(60 + i, Byte{7});  // each length modulo 4
    EXPECT_TRUE(writer.write(1, frame, comments[i]));
  }
  return out.str();
}

TEST_F(Recording, TellsWhichStreamAConnectionReplays) {
  const ReplayedStream one{0, "10.1.1.2:55625 to 10.1.1.1:7174", "127.0.0.1:4000 to 127.0.0.1:5000"};
  const ReplayedStream two{17, "[2001:db8::2]:1 to [2001:db8::1]:2", "[::1]:3 to [::1]:4"};
  EXPECT_EQ(comment_of(one),
            "stream 0: 10.1.1.2:55625 to 10.1.1.1:7174, replayed by 127.0.0.1:4000 to 127.0.0.1:5000");
  EXPECT_EQ(read(written({"", comment_of(one), "", comment_of(two), ""})),
            (Lines{"0: 10.1.1.2:55625 to 10.1.1.1:7174 = 127.0.0.1:4000 to 127.0.0.1:5000",
                   "17: [2001:db8::2]:1 to [2001:db8::1]:2 = [::1]:3 to [::1]:4"}));
}

TEST_F(Recording, OfSomebodyElseTellsNothing) {
  EXPECT_EQ(read(written({"a note", "stream x: a, replayed by b", "stream 4294967296: a, replayed by b",
                          "stream 1, replayed by b", ""})),
            Lines{});
  std::string other = written({"stream 1: a, replayed by b"});
  EXPECT_EQ(read(other), Lines{"1: a = b"});
  other[other.find("iwarp-replay")] = 'I';
  EXPECT_EQ(read(other), Lines{});
  EXPECT_EQ(read(""), Lines{});
}

// Cut or wrong anywhere, it is read up to there.
TEST_F(Recording, ThatIsDamagedIsReadAsFarAsItGoes) {
  const std::string whole = written({"stream 1: a, replayed by b", "stream 2: c, replayed by d"});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_LE(read(whole.substr(0, length)).size(), 2U);
  const std::size_t first = whole.find("stream 1");
  EXPECT_EQ(read(whole.substr(0, first + 40)), Lines{"1: a = b"});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char octet : {'\0', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = octet;
      EXPECT_LE(read(damaged).size(), 2U);
    }
  }
}

}  // namespace
}  // namespace iwarp::replay
