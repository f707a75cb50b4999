// Names of files with control characters or octets that are no UTF-8, in what iwarp-replay reports and says.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "program/printable.hpp"
#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using program::printable;
using testing::HasSubstr;
using testing::Not;

class FileNames : public CommandTest {
 protected:
  FileNames() { std::filesystem::copy_file(capture(rping_capture), odd_); }
  const std::string odd_ = file("a\x1b[31m\xff\n.pcap");
};

TEST_F(FileNames, AreEscapedInReports) {
  const Ended ended = call({"run", odd_, "--in-memory", "--report", file("report.json")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json_of("report.json")["source"], printable(odd_));
}

TEST_F(FileNames, AreEscapedInSentences) {
  const std::vector<std::vector<std::string>> failing = {
      {"plan", odd_, "-o", odd_},
      {"plan", file("no\x1b\xff.pcap"), "-o", "-"},
      {"compare", odd_, file("no\x1b\xff.pcap")},
      {"run", odd_, "--in-memory", "--stream", "7"},
      {"run", odd_, "--in-memory", "--report", file("none\x1b\xff/report")},
      {"shrink", odd_, "-o", file("smaller"), "--inject", "MPA-TMO\x1b"},
      {"\x1b"},
  };
  for (const auto& words : failing) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.status, 2) << words[0];
    EXPECT_THAT(ended.err, HasSubstr("\\x1b")) << words[0];
    EXPECT_THAT(ended.err, Not(HasSubstr("\x1b"))) << words[0];
    EXPECT_THAT(ended.err, Not(HasSubstr("\xff"))) << words[0];
    EXPECT_THAT(ended.out, Not(HasSubstr("\x1b"))) << words[0];
  }
}

}  // namespace
}  // namespace iwarp::replay
