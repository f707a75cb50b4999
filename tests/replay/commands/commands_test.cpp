// The commands as a user calls them: exit status and what is said. SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "support/places.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

Ended call(std::vector<std::string> words) {
  words.insert(words.begin(), "iwarp-replay");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data(), ended.status);
  if (options) {
    ended.status = run_any(*options);
  }
  ended.out = testing::internal::GetCapturedStdout();
  ended.err = testing::internal::GetCapturedStderr();
  return ended;
}

std::string capture(const std::string& name) {
  return iwarp::test::places::captures() + "/" + name;
}
const std::string rping = "real/01a-rping-v4-mtu1500-tso.pcap";

class CommandsTest : public testing::Test {
 protected:
  CommandsTest() {
    std::string pattern = testing::TempDir() + "iwarp-replay-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~CommandsTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

TEST_F(CommandsTest, APlanOfEitherFormRunsAndIsAsRecorded) {
  for (const bool text : {false, true}) {
    std::vector<std::string> words = {"plan", capture(rping), "-o", file("plan")};
    if (text) words.push_back("--text");
    const Ended made = call(words);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("1 streams, 32 requests"));
    const Ended run = call({"run", file("plan"), "--loopback", "--timing", "topspeed", "--record",
                            file("again.pcapng"), "--report", file("report.json")});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    EXPECT_THAT(run.out, StartsWith("same: 1 of 1 streams are as recorded, 32 requests are the same"));
    std::ifstream report(file("report.json"));
    const auto json = nlohmann::json::parse(report);
    EXPECT_EQ(json["same"], true);
    EXPECT_EQ(json["outcome"], "complete");
    EXPECT_EQ(json["posted"], 30);
    const Ended compared = call({"compare", capture(rping), file("again.pcapng")});
    EXPECT_EQ(compared.status, 0) << compared.out;
    EXPECT_THAT(compared.out, HasSubstr("same: 32 requests are the same"));
  }
}

TEST_F(CommandsTest, WhatIsNegotiatedCanBeOtherwise) {
  const std::vector<std::vector<std::string>> ways = {
      {"--crc", "off"},   {"--markers", "on"},
      {"--mpa-rev", "1"}, {"--mss", "536"},
      {"--ord", "1"},     {"--payload", "seeded:7"},
      {"--loop", "3"},    {"--own-stags", "other"},
      {"--limit", "7"},   {"--timing", "original", "--speed", "50"},
      {"--rtr", "read"},  {"--rtr", "write"},
      {"--rtr", "send"},  {"--rtr", "as-captured"}};
  for (const auto& way : ways) {
    std::vector<std::string> words = {"run", capture("real/03d-burst-readmany.pcap"), "--loopback"};
    if (way[0] != "--timing") words.insert(words.end(), {"--timing", "topspeed"});
    words.insert(words.end(), way.begin(), way.end());
    const Ended run = call(words);
    EXPECT_EQ(run.status, 0) << way[0] << "\n" << run.out << run.err;
  }
}

TEST_F(CommandsTest, ADifferenceIsStatusOneAndShownFirst) {
  const Ended compared = call({"compare", capture(rping), capture("real/01k-rping-v4-mpav1.pcap")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("first divergence: "));
  const Ended json = call({"compare", capture(rping), capture("real/01k-rping-v4-mpav1.pcap"), "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["same"], false);
}

TEST_F(CommandsTest, H15_ViolatingTracesAreRefusedByTheNameOfTheRule) {
  const Ended run = call({"run", capture("generated/t19-uncaptured-segment.pcap"), "--loopback"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("its initiator breaks DDP-MSNGAP in frame 15"));
}

TEST_F(CommandsTest, H16_WhatTheCaptureLacksIsTold) {
  const Ended run =
      call({"run", capture("real/08l-snap96-rping-crc-S5000.pcap"), "--loopback", "--timing", "topspeed"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the capture lacks octets in "));
}

TEST_F(CommandsTest, AnInjectedFaultIsToldWithWhatThePeerMadeOfIt) {
  const Ended run = call({"run", capture(rping), "--loopback", "--timing", "topspeed", "--inject",
                          "DDP-MSNGAP@0,initiator,3", "--report", file("report.json")});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("injected DDP-MSNGAP in Send (message 3) of the initiator of stream 0; due: "
                                 "Terminate 1203 or 1202 (RFC 5041 §7.1); seen: Terminate 1203"));
  EXPECT_THAT(run.out, HasSubstr("DDP-MSNGAP in live frame "));
  std::ifstream report(file("report.json"));
  const auto json = nlohmann::json::parse(report);
  ASSERT_EQ(json["injections"].size(), 1U);
  EXPECT_EQ(json["injections"][0]["id"], "DDP-MSNGAP");
  EXPECT_EQ(json["injections"][0]["verdict"], "conforms");
}

TEST_F(CommandsTest, TheTableOfFaultsIsTheDocument) {
  const Ended text = call({"--list-injections"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("DDP-MSNGAP             an MSN is left out\n"));
  EXPECT_EQ(call({"run", "x", "--inject", "list"}).out, text.out);
  const Ended markdown = call({"--list-injections", "markdown"});
  std::ifstream document(iwarp::test::places::source() + "/docs/injections.md");
  const std::string content{std::istreambuf_iterator<char>(document), {}};
  EXPECT_TRUE(markdown.out == content)
      << "make it anew: iwarp-replay --list-injections markdown > docs/injections.md";
}

TEST_F(CommandsTest, ACampaignTellsRuleExpectedSeenAndVerdict) {
  const Ended all = call({"campaign"});
  EXPECT_EQ(all.status, 0) << all.out << all.err;
  EXPECT_THAT(all.out, HasSubstr(" conform, 0 deviate, 0 not tried\n"));
  const Ended some =
      call({"campaign", capture(rping), "--inject", "DDP-QN", "--inject", "RDMAP-ATOP", "--json"});
  EXPECT_EQ(some.status, 0) << some.err;
  const auto json = nlohmann::json::parse(some.out);
  ASSERT_EQ(json["rules"].size(), 2U);
  EXPECT_EQ(json["rules"][0]["seen"], "Terminate 1201 (untagged: invalid QN)");
  EXPECT_EQ(json["rules"][0]["verdict"], "conforms");
  EXPECT_EQ(json["rules"][0]["findings"][0]["id"], "DDP-QN");
  EXPECT_EQ(json["rules"][1]["why_not"], "needs Atomic");
  EXPECT_EQ(json["summary"]["not_tried"], 1);
}

// A port that nobody listens at, at the moment.
std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

TEST_F(CommandsTest, ACampaignRunsAgainstALivePeer) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const pid_t peer = ::fork();
  ASSERT_GE(peer, 0);
  if (peer == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      ::_exit(2);
    const std::string path = capture(rping);
    const char* const words[] = {"iwarp-replay", "run",      path.c_str(), "--as", "responder",
                                 "--listen",     at.c_str(), "--loop",     "0",    "--patience",
                                 "20s",          "--timing", "topspeed"};
    int status = 0;
    const auto options = parse_options(static_cast<int>(std::size(words)), words, status);
    ::_exit(options ? run_any(*options) : status);
  }
  Ended ended;
  for (int i = 0; i < 20; ++i) {  // until it listens
    ended = call({"campaign", capture(rping), "--connect", at, "--patience", "20s", "--inject", "DDP-QN",
                  "--inject", "MPA-CRC", "--inject", "RDMAP-RSV", "--inject", "MPA-SREV"});
    if (ended.err.find("nobody accepts") == std::string::npos) break;
  }
  ::kill(peer, SIGKILL);
  ::waitpid(peer, nullptr, 0);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Terminate 1201 (untagged: invalid QN)"));
  EXPECT_THAT(ended.out, HasSubstr("needs the role of the responder"));
  EXPECT_THAT(ended.out, HasSubstr("3 conform, 0 deviate, 1 not tried\n"));
}

TEST_F(CommandsTest, ShrinkingKeepsWhatFails) {
  // By a program: the plan fails as long as the word is in it.
  const Ended by_program = call({"shrink", capture("real/03d-burst-readmany.pcap"), "-o", file("small"),
                                 "--text", "--command", "! grep -q 'kind: READ' {}"});
  ASSERT_EQ(by_program.status, 0) << by_program.err;
  EXPECT_THAT(by_program.err, HasSubstr("exit status 1: 1 of "));
  EXPECT_THAT(by_program.err, HasSubstr(" 1 of "));
  // In memory, with a fault in it; the same every time.
  for (const char* const name : {"once", "again"}) {
    const Ended shrunk = call({"shrink", capture(rping), "-o", file(name), "--inject", "DDP-MSNGAP"});
    ASSERT_EQ(shrunk.status, 0) << shrunk.err;
    EXPECT_THAT(shrunk.err, HasSubstr("1 of 1 streams, 2 of 32 requests are left"));
  }
  const Ended same = call({"compare", file("once"), file("again")});
  EXPECT_EQ(same.status, 0) << same.out;
  const Ended run = call({"run", file("once"), "--loopback", "--inject", "DDP-MSNGAP"});
  EXPECT_EQ(run.status, 1);
  const Ended sound = call({"shrink", capture(rping), "-o", file("none")});
  EXPECT_EQ(sound.status, 1);
  EXPECT_THAT(sound.err, HasSubstr("does not fail, there is nothing to shrink"));
}

TEST_F(CommandsTest, ErrorsSayWhatToDo) {
  const auto said = [](const std::vector<std::string>& words) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(said({}), HasSubstr("say what to do: plan, run, compare, campaign or shrink"));
  EXPECT_THAT(said({"run", "x"}),
              HasSubstr("say who plays: --loopback, or --as initiator --connect HOST:PORT"));
  EXPECT_THAT(said({"run", "x", "--as", "initiator"}), HasSubstr("--as initiator needs --connect"));
  EXPECT_THAT(said({"run", "x", "--as", "initiator", "--connect", "nowhere"}),
              HasSubstr("'nowhere' is no HOST:PORT"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--mpa-rev", "3"}),
              HasSubstr("--mpa-rev takes a number from 1 to 2"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--rtr", "write", "--mpa-rev", "1"}),
              HasSubstr("--rtr needs MPA revision 2"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--inject", "MPA-TMO"}),
              HasSubstr("MPA-TMO cannot be injected: it is about time"));
  EXPECT_THAT(said({"run", capture(rping), "--loopback", "--inject", "MPA-MKPTR"}),
              HasSubstr("MPA-MKPTR needs markers in what it sends: --markers on"));
  EXPECT_THAT(said({"campaign", "--connect", "127.0.0.1:1"}),
              HasSubstr("campaign against a live peer needs the CAPTURE or PLAN of a session"));
  EXPECT_THAT(said({"campaign", capture(rping), "--connect", "127.0.0.1:1"}),
              HasSubstr("nobody accepts a connection at 127.0.0.1:1"));
  EXPECT_THAT(said({"shrink", "x"}), HasSubstr("shrink needs -o SMALLER"));
  EXPECT_THAT(said({"run", "x", "--loopback", "--loop-delay", "soon"}),
              HasSubstr("a duration such as 500ms"));
  EXPECT_THAT(said({"run", "/nonexistent.pcap", "--loopback"}), HasSubstr("/nonexistent.pcap"));
  EXPECT_THAT(said({"run", capture(rping), "--loopback", "--stream", "9"}),
              HasSubstr("there is no stream 9"));
  EXPECT_THAT(said({"run", capture("real/07a-negative-plain-tcp-rstream.pcap"), "--loopback"}),
              HasSubstr("has no iWARP stream"));
  EXPECT_THAT(said({"run", capture(rping), "--as", "initiator", "--connect", "127.0.0.1:1"}),
              HasSubstr("nobody accepts a connection at 127.0.0.1:1"));
  EXPECT_THAT(said({"run", capture("real/07e-ucmatose.pcap"), "--loopback", "--mpa-rev", "1"}),
              HasSubstr("the responder speaks first, which MPA revision 1 does not allow"));
  EXPECT_THAT(said({"run", capture("real/03e-term-write_big_oob.pcap"), "--loopback", "--max-memory", "1"}),
              HasSubstr("(--max-memory)"));
}

TEST_F(CommandsTest, DurationsAndEndpointsAreUnderstood) {
  EXPECT_EQ(parse_duration("1.5"), 1'500'000'000);
  EXPECT_EQ(parse_duration("20ms"), 20'000'000);
  EXPECT_EQ(parse_duration("2m"), 120'000'000'000);
  EXPECT_EQ(parse_duration("-1s"), std::nullopt);
  EXPECT_EQ(parse_duration("1 week"), std::nullopt);
  std::string error;
  EXPECT_EQ(to_string(parse_endpoint("[2001:db8::7]:4420", error).value()), "[2001:db8::7]:4420");
  EXPECT_EQ(parse_endpoint("192.0.2.7", error), std::nullopt);
}

}  // namespace
}  // namespace iwarp::replay
