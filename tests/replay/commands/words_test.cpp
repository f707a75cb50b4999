// What the words of a command line mean, and what is said of wrong ones.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "plan/plan_file.hpp"
#include "replay/commands/command_called.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using CommandWords = CommandTest;

// And its own examples, and nothing of the other commands.
TEST_F(CommandWords, HelpOfACommandHasItsOwnOptions) {
  const std::string whole = call({"--help"}).out;
  EXPECT_THAT(whole, HasSubstr("  --speed X           s recorded"));
  const std::string run = call({"run", "--help"}).out;
  EXPECT_THAT(
      run,
      StartsWith("Usage: iwarp-replay run CAPTURE|PLAN --loopback | --in-memory [options]\n       iwarp-"));
  EXPECT_THAT(run,
              HasSubstr("\n  --speed X             recorded times divided by X, with causal or original\n"));
  EXPECT_THAT(run, HasSubstr("\n  --quiet  "));
  EXPECT_THAT(run, Not(HasSubstr("--anonymise")));
  EXPECT_THAT(run, Not(HasSubstr("--json  ")));
  EXPECT_THAT(run, Not(HasSubstr("iwarp-replay plan")));
  EXPECT_THAT(run, HasSubstr("What is negotiated (default: as recorded)\n"));
  const std::string campaign = call({"campaign", "x", "-h"}).out;
  EXPECT_THAT(campaign, HasSubstr("\n  --mss N               largest TCP segment"));
  EXPECT_THAT(campaign, HasSubstr("\n  --json  "));
  EXPECT_THAT(campaign, Not(HasSubstr("--speed")));
  EXPECT_THAT(campaign, Not(HasSubstr("all marked")));
  const std::string plan = call({"plan", "--help"}).out;
  EXPECT_THAT(plan, HasSubstr("\n  plan      captures'"));
  EXPECT_THAT(plan, HasSubstr("\n  -o, --output FILE  "));
  EXPECT_THAT(plan, HasSubstr("    iwarp-replay plan nvme.pcap -o bug.plan --anonymise\n"));
  EXPECT_THAT(plan, Not(HasSubstr("--loopback")));
  EXPECT_THAT(plan, Not(HasSubstr("Results")));
  const std::string compare = call({"compare", "--help"}).out;
  EXPECT_THAT(compare, HasSubstr("class:NAME   missing, extra"));
  EXPECT_THAT(compare, HasSubstr("Exit status: 0 as recorded"));
  EXPECT_THAT(call({"shrink", "--help"}).out, HasSubstr("\n  --command COMMAND "));
}

// The marks of the whole help say what campaign and shrink know.
TEST_F(CommandWords, HelpMarksWhatCommandsKnow) {
  std::istringstream whole(call({"--help"}).out);
  const std::string campaign = call({"campaign", "--help"}).out;
  const std::string shrink = call({"shrink", "--help"}).out;
  bool of_run = false;
  for (std::string line; std::getline(whole, line);) {
    if (line.starts_with("Which streams")) of_run = true;
    if (line.starts_with("What is negotiated")) of_run = false;
    if (!of_run || !line.starts_with("  --") || line.size() < 23) continue;
    const std::string name = line.substr(2, line.find_first_of(" ", 2) - 2);
    const std::string marks = line.substr(20, 4);
    EXPECT_EQ(campaign.find("\n  " + name + " ") != std::string::npos, marks.find('c') != std::string::npos)
        << line;
    EXPECT_EQ(shrink.find("\n  " + name + " ") != std::string::npos, marks.find('s') != std::string::npos)
        << line;
  }
}

TEST_F(CommandWords, WrongOptionsSuggestTheRightOne) {
  const auto said = [](const std::vector<std::string>& words) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(said({"run", "x", "--loopback", "--sped", "2"}),
            "iwarp-replay: run has no option --sped; did you mean --speed?\n"
            "iwarp-replay run --help shows its options\n");
  EXPECT_THAT(said({"run", "x", "--lop-back"}),
              HasSubstr("run has no option --lop-back; did you mean --loopback?"));
  EXPECT_THAT(said({"run", "x", "--recrod=f"}),
              HasSubstr("run has no option --recrod; did you mean --record?"));
  EXPECT_THAT(said({"run", "x", "--stop-on"}), HasSubstr("did you mean --stop-on-divergence?"));
  EXPECT_THAT(said({"plan", "x", "--inject", "y"}),
              HasSubstr("plan has no option --inject: it is one of run and campaign and shrink"));
  EXPECT_THAT(said({"compare", "x", "y", "--quiet"}),
              HasSubstr("compare has no option --quiet: it is one of run\n"));
  EXPECT_THAT(said({"run", "x", "--xyzzy"}), HasSubstr("run has no option --xyzzy\n"));
  EXPECT_THAT(said({"run", "x", "-q"}), HasSubstr("run has no option -q\n"));
  EXPECT_THAT(said({"rnu", "x"}), HasSubstr("there is no command 'rnu'; did you mean run?"));
  EXPECT_THAT(said({"comapre"}), HasSubstr("did you mean compare?"));
}

TEST_F(CommandWords, OptionsWithoutTheirValueAreNamed) {
  const auto said = [](const std::vector<std::string>& words) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(said({"run", "x", "--loopback", "--speed"}), HasSubstr("--speed needs a value: --speed X\n"));
  EXPECT_THAT(said({"run", "x", "--speed", "--loopback"}), HasSubstr("--speed needs a value: --speed X\n"));
  EXPECT_THAT(said({"run", "x", "--crc"}), HasSubstr("--crc needs a value: --crc on|off|as-captured\n"));
  EXPECT_THAT(said({"run", "x", "--ird"}), HasSubstr("--ird needs a value: --ird N\n"));
  EXPECT_THAT(said({"run", "x", "--patience"}), HasSubstr("--patience needs a value: --patience D\n"));
  EXPECT_THAT(said({"plan", "x", "-o"}), HasSubstr("-o needs a value: -o FILE\n"));
  EXPECT_THAT(said({"run", "x", "--in-memory", "--fault", "loss:200%"}),
              HasSubstr("--fault takes at most 100% of the packets, not 'loss:200%'"));
}

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
    EXPECT_THAT(campaign.err, HasSubstr(std::string(" has no option ") + option + ": it is one of run"));
  }
  for (const char* const option : {"--stream", "--mss", "--loop", "--loop-delay", "--record", "--connect"}) {
    const Ended shrink = call({"shrink", "x", "-o", "y", option, "1"});
    EXPECT_EQ(shrink.status, 2) << option;
    EXPECT_THAT(shrink.err, HasSubstr(std::string(" has no option ") + option + ": it is one of run"));
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
