// shrink, by a program and by a run in memory.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using ShrinkCommand = CommandTest;

TEST_F(ShrinkCommand, ShrinkingKeepsWhatFails) {
  // By a program: the plan fails as long as the word is in it.
  const Ended by_program = call({"shrink", capture("real/03d-burst-readmany.pcap"), "-o", file("small"),
                                 "--text", "--command", "! grep -q 'kind: READ' {}"});
  ASSERT_EQ(by_program.status, 0) << by_program.err;
  EXPECT_THAT(by_program.err, HasSubstr("exit status 1: 1 of "));
  EXPECT_THAT(by_program.err, HasSubstr(" 1 of "));
  // In memory, with a fault in it; the same every time.
  for (const char* const name : {"once", "again"}) {
    const Ended shrunk = call({"shrink", capture(rping_capture), "-o", file(name), "--inject", "DDP-MSNGAP"});
    ASSERT_EQ(shrunk.status, 0) << shrunk.err;
    EXPECT_THAT(shrunk.err, HasSubstr("1 of 1 streams, 2 of 32 requests are left"));
  }
  const Ended same = call({"compare", file("once"), file("again")});
  EXPECT_EQ(same.status, 0) << same.out;
  const Ended run = call({"run", file("once"), "--loopback", "--inject", "DDP-MSNGAP"});
  EXPECT_EQ(run.status, 1);
  const Ended sound = call({"shrink", capture(rping_capture), "-o", file("none")});
  EXPECT_EQ(sound.status, 1);
  EXPECT_THAT(sound.err, HasSubstr("does not fail, there is nothing to shrink"));
}

TEST_F(ShrinkCommand, WhatCannotBeInjectedSaysWhy) {
  const Ended ended =
      call({"shrink", capture(rping_capture), "-o", file("small"), "--inject", "RDMAP-ATLEN@0,initiator"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("RDMAP-ATLEN"));
  EXPECT_THAT(ended.err, Not(HasSubstr("nothing to shrink")));
}

TEST_F(ShrinkCommand, WhatIsIgnoredIsNoFailure) {
  const Ended run = call({"shrink", capture(rping_capture), "-o", file("small"), "--inject", "DDP-MSNGAP",
                          "--ignore", "role:initiator", "--ignore", "role:responder"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.err, HasSubstr("does not fail, there is nothing to shrink"));
  EXPECT_THAT(call({"shrink", "x", "-o", file("small"), "--ignore", "nonsense"}).err, HasSubstr("nonsense"));
}

TEST_F(ShrinkCommand, ACommandThatCannotBeRunTellsNothingOfAPlan) {
  const auto refused = [&](const std::string& command, const char* why) {
    const Ended ended = call({"shrink", capture(rping_capture), "-o", file("small"), "--command", command});
    EXPECT_EQ(ended.status, 2) << command;
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(file("small"))) << command;
  };
  refused("/nonexist 2>/dev/null", "--command was not found (exit status 127)");
  refused("/ 2>/dev/null", "--command cannot be executed (exit status 126)");
  refused("kill -9 $$; true", "--command was ended by signal 9 at the whole plan; '|| exit 1' behind it");
  // It is there for the whole plan, and gone later.
  refused("test -e " + file("ran") + " && exit 127; touch " + file("ran") + "; exit 1; true",
          "--command was not found (exit status 127)");
  // What fails always, fails without a request: that was tried, and is told.
  const Ended always = call({"shrink", capture(rping_capture), "-o", file("small"), "--text", "--command",
                             "grep -q 'kind: ' {} || touch " + file("without") + "; false"});
  EXPECT_EQ(always.status, 0) << always.err;
  EXPECT_TRUE(std::filesystem::exists(file("without")));
  EXPECT_THAT(always.err, HasSubstr("it fails in the same way without any request"));
}

}  // namespace
}  // namespace iwarp::replay
