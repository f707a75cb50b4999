// What the words of a command line mean, and what is said of wrong ones.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "plan/plan_file.hpp"
#include "replay/commands/command_called.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using CommandWords = CommandTest;

TEST_F(CommandWords, ErrorsSayWhatToDo) {
  const auto said = [](const std::vector<std::string>& words) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(said({}), HasSubstr("say what to do: plan, run, compare, campaign or shrink"));
  EXPECT_THAT(said({"foo"}), HasSubstr("there is no command 'foo'; the commands are plan, run, compare, "));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", file("text"), "--loopback"},
                                                {"plan", file("text"), "-o", file("plan")},
                                                {"compare", file("text"), capture(rping_capture)},
                                                {"compare", capture(rping_capture), file("text")}}) {
    std::ofstream(file("text")) << "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n";
    EXPECT_THAT(said(words),
                HasSubstr("/text is neither a capture (pcap or pcapng, also in gzip or zstd) nor a plan\n"));
  }
  std::ofstream(file("text")) << "# mine\nformat: \"iwarp-replay plan\"\nnonsense: 1\n";
  EXPECT_THAT(said({"run", file("text"), "--loopback"}), HasSubstr("nonsense")) << "a plan, with an error";
  EXPECT_THAT(said({"run", "x", "--loopback", "--payload", "seeded:"}),
              HasSubstr("--payload takes captured or seeded:N, not 'seeded:'"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--patience", "0"}),
              HasSubstr("--patience takes a duration longer than 0"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--stats", "0s"}),
              HasSubstr("--stats takes a duration longer than 0"));
  EXPECT_THAT(said({"run", "x"}),
              HasSubstr("say who plays: --loopback, or --in-memory, or --as initiator --connect HOST:PORT"));
  EXPECT_THAT(said({"run", "x", "--as", "initiator"}), HasSubstr("--as initiator needs --connect"));
  EXPECT_THAT(said({"run", "x", "--as", "initiator", "--connect", "nowhere"}),
              HasSubstr("'nowhere' is no HOST:PORT"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--mpa-rev", "3"}),
              HasSubstr("--mpa-rev takes a number from 1 to 2"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--rtr", "write", "--mpa-rev", "1"}),
              HasSubstr("--rtr needs MPA revision 2"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--inject", "MPA-TMO"}),
              HasSubstr("MPA-TMO cannot be injected: it is about time"));
  EXPECT_THAT(said({"run", capture(rping_capture), "--loopback", "--inject", "MPA-MKPTR"}),
              HasSubstr("MPA-MKPTR needs markers in what it sends: --markers on"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--timing", "topspeed", "--speed", "2"}),
              HasSubstr("--timing topspeed makes no pauses: leave out --speed and --max-gap"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--timing", "topspeed", "--max-gap", "2s"}),
              HasSubstr("--timing topspeed makes no pauses"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--timing", "step", "--mbps", "2"}),
              HasSubstr("--timing step waits for you"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--report", ""}),
              HasSubstr("--report needs a value that is not empty"));
  EXPECT_THAT(said({"campaign", "--mss", "536"}), HasSubstr("--mss is of a live peer's connections"));
  EXPECT_THAT(said({"shrink", "x", "-o", "y", "--timing", "step"}), HasSubstr("shrink asks nobody"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--step", "--mbps", "2"}),
              HasSubstr("--timing step waits for you"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--step", "--timing", "topspeed"}), HasSubstr("--step"));
  for (const char* const command : {"", "  "}) {
    EXPECT_THAT(said({"shrink", "x", "-o", "y", "--command", command}),
                HasSubstr("--command needs a value that is not empty"));
  }
  EXPECT_THAT(said({"shrink", "x", "-o", "y", "--command", "false", "--ignore", "close"}),
              HasSubstr("--ignore is for runs in memory; leave it out"));
  EXPECT_THAT(said({"campaign", "--connect", "127.0.0.1:1"}),
              HasSubstr("campaign against a live peer needs the CAPTURE or PLAN of a session"));
  EXPECT_THAT(said({"campaign", capture(rping_capture), "--connect", "127.0.0.1:1"}),
              HasSubstr("nobody accepts a connection at 127.0.0.1:1"));
  EXPECT_THAT(said({"shrink", "x"}), HasSubstr("shrink needs -o SMALLER"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--loop-delay", "soon"}),
              HasSubstr("a duration such as 500ms"));
  EXPECT_THAT(said({"run", "/nonexistent.pcap", "--loopback"}), HasSubstr("/nonexistent.pcap"));
  EXPECT_THAT(said({"run", capture(rping_capture), "--loopback", "--stream", "9"}),
              HasSubstr("there is no stream 9"));
  EXPECT_THAT(said({"run", capture("real/07a-negative-plain-tcp-rstream.pcap"), "--loopback"}),
              HasSubstr("has no iWARP stream"));
  EXPECT_THAT(said({"run", capture(rping_capture), "--as", "initiator", "--connect", "127.0.0.1:1"}),
              HasSubstr("nobody accepts a connection at 127.0.0.1:1"));
  EXPECT_THAT(said({"run", capture("real/07e-ucmatose.pcap"), "--loopback", "--mpa-rev", "1"}),
              HasSubstr("the responder speaks first, which MPA revision 1 does not allow"));
  EXPECT_THAT(said({"run", capture("generated/t07-revision-2.pcap"), "--loopback", "--rtr", "none"}),
              HasSubstr("takes a ready-to-receive message (RFC 6581 §9.2); leave out --rtr none"));
  {
    test::Conversation c;
    c.handshake();
    c.startup({.private_data = test::pattern(509)}, {.private_data = test::pattern(512)});
    c.fpdu(Side::a, test::send(1, test::text("x")));
    std::string error;
    ASSERT_TRUE(write_plan(plan_of(c), file("plan"), true, error)) << error;
    for (const std::vector<std::string>& asked :
         {std::vector<std::string>{"--mpa-rev", "2"}, {"--rtr", "write"}}) {
      EXPECT_THAT(
          said({"run", file("plan"), "--in-memory", asked[0], asked[1]}),
          HasSubstr("stream 0: its Request has 509 octets of private data, of which 508 have room beside "
                    "IRD and ORD (RFC 6581 §9); leave out " +
                    asked[0]));
    }
    EXPECT_EQ(call({"run", file("plan"), "--in-memory"}).status, 0);
  }
  for (const char* const depth : {"--ird", "--ord"}) {
    EXPECT_THAT(said({"run", capture(rping_capture), "--in-memory", depth, "0"}),
                HasSubstr("--ird and --ord are 1 at least"));
  }
  EXPECT_THAT(said({"run", capture("real/03e-term-write_big_oob.pcap"), "--loopback", "--max-memory", "1"}),
              HasSubstr("(--max-memory)"));
}

TEST_F(CommandWords, OptionsThatMeanNothingToACommandAreNotExpected) {
  for (const char* const option : {"--timing", "--speed", "--max-gap", "--ops-per-second", "--mbps", "--loop",
                                   "--loop-delay", "--limit", "--duration", "--ignore", "--record"}) {
    const Ended campaign = call({"campaign", option, "1"});
    EXPECT_EQ(campaign.status, 2) << option;
    EXPECT_THAT(campaign.err, testing::ContainsRegex(std::string("not expected: .*") + option));
  }
  for (const char* const option : {"--stream", "--mss", "--loop", "--loop-delay", "--record", "--connect"}) {
    const Ended shrink = call({"shrink", "x", "-o", "y", option, "1"});
    EXPECT_EQ(shrink.status, 2) << option;
    EXPECT_THAT(shrink.err, testing::ContainsRegex(std::string("not expected: .*") + option));
  }
}

TEST_F(CommandWords, DurationsAndEndpointsAreUnderstood) {
  EXPECT_EQ(parse_duration("1.5"), 1'500'000'000);
  EXPECT_EQ(parse_duration("20ms"), 20'000'000);
  EXPECT_EQ(parse_duration("2m"), 120'000'000'000);
  EXPECT_EQ(parse_duration("-1s"), std::nullopt);
  EXPECT_EQ(parse_duration("1 week"), std::nullopt);
  std::string error;
  EXPECT_EQ(to_string(parse_endpoint("[2001:db8::7]:4420", error).value()), "[2001:db8::7]:4420");
  EXPECT_EQ(parse_endpoint("192.0.2.7", error), std::nullopt);
}

TEST_F(CommandWords, PortsAreNumbersOf16Bits) {
  for (const char* const port :
       {"0", "65536", "99999", "-1", "+1", "4420x", "http", "18446744073709551617"}) {
    const Ended run = call({"run", "x", "--as", "initiator", "--connect", std::string("127.0.0.1:") + port});
    EXPECT_EQ(run.status, 2) << port;
    EXPECT_THAT(run.err, HasSubstr(std::string("a port is a number from 1 to 65535, not '") + port + "'"));
  }
  EXPECT_THAT(call({"run", "x", "--as", "responder", "--listen", "127.0.0.1:65536"}).err,
              HasSubstr("a port is a number from 0 to 65535, not '65536'"));
  EXPECT_THAT(call({"campaign", "x", "--connect", "127.0.0.1:65536"}).err, HasSubstr("not '65536'"));
  EXPECT_THAT(call({"campaign", "x", "--listen", "127.0.0.1:65536"}).err, HasSubstr("not '65536'"));
  std::string error;
  EXPECT_EQ(parse_endpoint("127.0.0.1:65535", error).value().port, 65535);
  EXPECT_EQ(parse_endpoint("127.0.0.1:0", error, EndpointUse::listen).value().port, 0);
}

}  // namespace
}  // namespace iwarp::replay
