// What iwarp-analyze says where it is to capture and cannot. What it captures: tests/live.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/program.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

struct Refusal {
  std::vector<std::string> arguments;
  std::string sentence;  // part of it
};

TEST(LiveOptions, WrongArgumentsAreRefusedInOneSentence) {
  const Refusal refusals[] = {
      {{"--interface", "lo", "a.pcap"}, "--interface captures live, and \"a.pcap\" is a capture"},
      {{"--interface", "lo", "-"}, "--interface captures live, and \"-\" is a capture"},
      {{"--interface", ""}, "no interface is named"},
      {{"--interface"}, "--interface needs a value"},
      {{"--interface", "lo", "--interface", "any"}, "--interface is given more than once"},
      {{"--capture-filter", "tcp", "a.pcap"}, "--capture-filter is for a live capture: name its --interface"},
      {{"--write", "b.pcap", "a.pcap"}, "--write is for a live capture: name its --interface"},
      {{"--interface", "lo", "--write", "-"}, "--write needs a file: standard output has the results"},
      {{"--interface", "lo", "--write", ""}, "--write needs a file"},
      {{"--interface", "iwarp-none0"}, "iwarp-none0: there is no such interface; there are "},
      {{"--interface", "-"}, "-: there is no such interface; there are "},
  };
  for (const Refusal& refusal : refusals) {
    const Outcome outcome = analyze(refusal.arguments);
    EXPECT_EQ(outcome.status, 2) << refusal.sentence;
    EXPECT_EQ(outcome.out, "") << refusal.sentence;
    EXPECT_THAT(outcome.err, testing::HasSubstr(refusal.sentence));
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
}

TEST(LiveOptions, WithoutRightsTheCommandThatGrantsThemIsTold) {
  const std::string without = ::geteuid() == 0 ? "setpriv --bounding-set=-net_raw --inh-caps=-all " : "";
  if (shell(without + "true").status != 0) GTEST_SKIP() << "setpriv cannot take the right away here";
  const Outcome outcome = shell(without + "\"$ANALYZE\" --interface lo --write /dev/null");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith("iwarp-analyze: lo: capturing needs rights"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("sudo setcap cap_net_raw=ep " + places::analyze()));
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

}  // namespace
}  // namespace iwarp::test
