// Ctrl-C while something is read, and while a program tells whether a plan fails.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

class Interrupt : public CommandTest {
 protected:
  // Whole group: as of a terminal; else the program alone.
  static int end_by_signal(pid_t process, bool group) {
    ::kill(group ? -process : process, SIGINT);
    return end_of(process);
  }
  static void lead_a_group() { ::setpgid(0, 0); }
  void wait_for(const std::string& name) const {
    for (int i = 0; i < 500 && !std::filesystem::exists(file(name)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(std::filesystem::exists(file(name)));
  }
  // Until nothing that was written into the pipe is left in it.
  static void wait_until_read(int pipe) {
    int left = 1;
    for (int i = 0; i < 2000 && ::ioctl(pipe, FIONREAD, &left) == 0 && left != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_EQ(left, 0);
  }
  [[nodiscard]] pid_t begin_shrink(const std::string& command) const {
    return begin_apart({"shrink", capture(rping_capture), "-o", file("small"), "--command", command},
                       file("out"), file("err"), lead_a_group);
  }
};

TEST_F(Interrupt, EndsTheReadingOfAPipe) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"plan", "-", "-o", file("plan")},
                                                {"run", "-", "--loopback", "--report", file("plan")},
                                                {"compare", "-", capture(rping_capture)},
                                                {"compare", capture(rping_capture), "-"},
                                                {"shrink", "-", "-o", file("plan")},
                                                {"campaign", "-"}}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string begin = octets_of(capture(rping_capture)).substr(0, 1000);
    ASSERT_EQ(::write(ends[1], begin.data(), begin.size()), 1000);
    const pid_t process =
        begin_apart(words, file("out"), file("err"), [&] { ::dup2(ends[0], STDIN_FILENO); });
    wait_until_read(ends[0]);
    EXPECT_EQ(end_by_signal(process, false), 2) << words[0];
    EXPECT_THAT(octets_of(file("err")), HasSubstr("interrupted\n")) << words[0];
    EXPECT_EQ(octets_of(file("out")), "");
    EXPECT_FALSE(std::filesystem::exists(file("plan")));
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

TEST_F(Interrupt, AtTheFirstTrialTellsNothing) {
  for (const bool group : {true, false}) {
    std::filesystem::remove(file("begun"));
    const pid_t process = begin_shrink("touch " + file("begun") + "; sleep 20; exit 1; true");
    wait_for("begun");
    EXPECT_EQ(end_by_signal(process, group), 2);
    EXPECT_THAT(octets_of(file("err")), HasSubstr("iwarp-replay: interrupted\n"));
    EXPECT_THAT(octets_of(file("err")), Not(HasSubstr("|| exit 1")));
    EXPECT_FALSE(std::filesystem::exists(file("small")));
  }
}

// The trial that it comes in fails, by its exit status, as all before did: it is no verdict all the same.
TEST_F(Interrupt, EndsAShrinkWithTheSmallestPlanSoFar) {
  for (const bool group : {true, false}) {
    for (const char* const name : {"begun", "small", "whole"}) std::filesystem::remove(file(name));
    const pid_t process = begin_shrink("test -e " + file("whole") + " || { touch " + file("whole") +
                                       "; exit 1; }; trap 'exit 1' INT TERM; touch " + file("begun") +
                                       "; sleep 0.5; exit 1; true");
    wait_for("begun");
    EXPECT_EQ(end_by_signal(process, group), 0);
    EXPECT_THAT(octets_of(file("err")),
                HasSubstr("exit status 1: 1 of 1 streams, 32 of 32 requests are left, after 2 trials; "
                          "interrupted: it may not be the smallest"));
    EXPECT_EQ(call({"compare", capture(rping_capture), file("small")}).status, 0);
  }
}

}  // namespace
}  // namespace iwarp::replay
