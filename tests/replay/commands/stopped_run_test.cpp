// run, step by step, stopped before its end, or never begun.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "program/interrupt.hpp"
#include "replay/commands/command_called.hpp"
#include "support/json_schema.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using StoppedRun = CommandTest;

TEST_F(StoppedRun, StepWaitsForALineBeforeEachRequest) {
  const auto step = [&](const std::string& typed) {
    const TypedInput input(typed);
    return call({"run", capture(rping_capture), "--loopback", "--timing", "step"});
  };
  const Ended two = step("\n\nq\n");
  EXPECT_EQ(two.status, 0) << two.out << two.err;
  EXPECT_THAT(two.err, HasSubstr("next: stream 0 initiator: send 16 octets (work 0, frame 8, recorded at "));
  EXPECT_THAT(two.err, HasSubstr("next: stream 0 responder: read 64 octets of STag 0xa2824d00 TO "));
  EXPECT_THAT(two.err, HasSubstr("  2 posted, 2 complete"));
  EXPECT_THAT(two.out, HasSubstr("; 2 posted in "));
  EXPECT_THAT(two.out, HasSubstr("the run did not come to its end: interrupted"));
  EXPECT_THAT(two.out, StartsWith("interrupted: "));
  EXPECT_THAT(two.out, Not(HasSubstr("same: "))) << "not all was run";
  const Ended five = step("l\nwhat?\n5");  // the end of the input ends the run
  EXPECT_THAT(five.out, HasSubstr("; 5 posted in "));
  EXPECT_THAT(five.err, HasSubstr("Enter: let it go; a number: so many"));
  const Ended all = step("3\nc\n");
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out,
              StartsWith("same: 1 of 1 streams are as recorded, 32 requests are the same; 30 posted"));
}

TEST_F(StoppedRun, ARunThatWasStoppedIsNotTheSame) {
  const auto stopped = [&](const std::string& typed, std::vector<std::string> how, const char* said,
                           int status, const nlohmann::json& not_run) {
    const TypedInput input(typed);
    how.insert(how.begin(), {"run", capture(rping_capture), "--loopback", "--report", file("report.json")});
    const Ended run = call(how);
    EXPECT_EQ(run.status, status) << run.out << run.err;
    EXPECT_THAT(run.out, StartsWith(said));
    EXPECT_THAT(run.out, Not(HasSubstr("same: ")));
    const auto json = json_of("report.json");
    const nlohmann::json schema = strict_schema();
    EXPECT_EQ(test::violation(json, schema["definitions"]["report"], schema), "");
    EXPECT_EQ(json["same"], false);
    EXPECT_EQ(json["verdict"], "unfinished");
    EXPECT_EQ(json["not_run"], not_run);
    EXPECT_EQ(json["comparison"]["same"], false);
    EXPECT_EQ(json["comparison"]["streams"][0]["same"], false);
  };
  stopped("", {"--timing", "step"}, "interrupted: nothing was compared; 0 posted", 2, 32);
  stopped("", {"--timing", "step", "--loop", "0"}, "interrupted: nothing was compared; 0 posted", 2, 32);
  stopped("", {"--duration", "0"}, "ended by a limit: nothing was compared; 0 posted", 2, 32);
  stopped("2\nq\n", {"--timing", "step"}, "interrupted: 2 requests are the same, 30 were not run", 0, 30);
  // A loop that was stopped, behind one that came to its end.
  const TypedInput input("32\nq\n");
  const Ended second = call({"run", capture(rping_capture), "--loopback", "--timing", "step", "--loop", "2"});
  EXPECT_EQ(second.status, 0) << second.out;
  EXPECT_THAT(second.out, StartsWith("interrupted after 1 of 2 loops: 32 requests are the same"));
  // What was asked for was done.
  const Ended limited =
      call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--limit", "7"});
  EXPECT_EQ(limited.status, 0);
  EXPECT_THAT(limited.out, StartsWith("same: 7 requests are the same, 25 were not run; "));
}

// The signal stays known to the process that it came to: another one is needed.
TEST_F(StoppedRun, CtrlCBeforeTheFirstLoopComparesNothing) {
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("plan")}).status, 0);
  const int status =
      call_apart({"run", file("plan"), "--loopback", "--inject", "DDP-MSNGAP"}, file("out"), file("err"), [] {
        program::watch_signals();
        std::raise(SIGINT);
      });
  EXPECT_EQ(status, 2);
  EXPECT_THAT(octets_of(file("out")), StartsWith("interrupted: nothing was compared; 0 posted"));
}

// Every connection takes three files.
TEST_F(StoppedRun, AMachineThatHasNoMoreFilesIsNoDivergence) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "UndefinedBehaviorSanitizer opens a pipe to see whether an object may be read";
#endif
  const int status =
      call_apart({"run", capture("real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz"), "--loopback", "--timing",
                  "topspeed", "--patience", "2s", "--report", file("report.json")},
                 file("out"), file("err"), [] {
                   const rlimit few{.rlim_cur = 20, .rlim_max = 20};
                   ::setrlimit(RLIMIT_NOFILE, &few);
                 });
  EXPECT_EQ(status, 2);
  EXPECT_EQ(octets_of(file("out")), "");
  EXPECT_THAT(octets_of(file("err")), HasSubstr(": Too many open files\n"));
  EXPECT_FALSE(std::filesystem::exists(file("report.json")));
}

TEST_F(StoppedRun, AResponderToWhichNobodyConnectsSaysSo) {
  const Ended run = call({"run", capture(rping_capture), "--as", "responder", "--listen", "127.0.0.1:0",
                          "--patience", "100ms", "--report", file("report.json")});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("nobody connected to 127.0.0.1:"));
  EXPECT_THAT(run.out, Not(HasSubstr("diverged")));
}

}  // namespace
}  // namespace iwarp::replay
