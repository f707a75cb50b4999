// campaign and the list of what it can inject.
// SPDX-License-Identifier: GPL-2.0-or-later
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

#include "replay/commands/command_called.hpp"
#include "support/json_schema.hpp"
#include "support/places.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using CampaignCommand = CommandTest;

TEST_F(CampaignCommand, TheTableOfFaultsIsTheDocument) {
  const Ended text = call({"--list-injections"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("DDP-MSNGAP             an MSN is left out\n"));
  EXPECT_EQ(call({"run", "x", "--inject", "list"}).out, text.out);
  EXPECT_EQ(call({"run", "--list-injections"}).out, text.out);
  EXPECT_EQ(call({"campaign", "--list-injections", "text"}).out, text.out);
  const Ended markdown = call({"--list-injections", "markdown"});
  std::ifstream document(test::places::source() + "/docs/injections.md");
  const std::string content{std::istreambuf_iterator<char>(document), {}};
  EXPECT_TRUE(markdown.out == content)
      << "make it anew: iwarp-replay --list-injections markdown > docs/injections.md";
}

TEST_F(CampaignCommand, ACampaignTellsRuleExpectedSeenAndVerdict) {
  const Ended all = call({"campaign"});
  EXPECT_EQ(all.status, 0) << all.out << all.err;
  EXPECT_THAT(all.out, HasSubstr(" conform, 0 deviate, 0 not tried\n"));
  const Ended some =
      call({"campaign", capture(rping_capture), "--inject", "DDP-QN", "--inject", "RDMAP-ATOP", "--json"});
  EXPECT_EQ(some.status, 0) << some.err;
  const auto json = nlohmann::json::parse(some.out);
  ASSERT_EQ(json["rules"].size(), 2U);
  EXPECT_EQ(json["rules"][0]["seen"], "Terminate 1201 (untagged: invalid QN)");
  EXPECT_EQ(json["rules"][0]["verdict"], "conforms");
  EXPECT_EQ(json["rules"][0]["findings"][0]["id"], "DDP-QN");
  EXPECT_EQ(json["rules"][1]["why_not"], "needs Atomic");
  EXPECT_EQ(json["summary"]["not_tried"], 1);
}

TEST_F(CampaignCommand, ItsJsonIsWhatTheSchemaPromises) {
  const nlohmann::json schema = strict_schema("replay-campaign-1.json");
  const auto valid = [&](const std::vector<std::string>& words) {
    const auto json = nlohmann::json::parse(call(words).out);
    EXPECT_FALSE(json["rules"].empty());
    return test::violation(json, schema["definitions"]["campaign"], schema);
  };
  EXPECT_EQ(valid({"campaign", "--json"}), "");
  EXPECT_EQ(valid({"campaign", capture(rping_capture), "--json"}), "") << "some rules are not tried";
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

TEST_F(CampaignCommand, ACampaignRunsAgainstALivePeer) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const pid_t peer = ::fork();
  ASSERT_GE(peer, 0);
  if (peer == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      ::_exit(2);
    const std::string path = capture(rping_capture);
    const char* const words[] = {"iwarp-replay", "run",      path.c_str(), "--as", "responder",
                                 "--listen",     at.c_str(), "--loop",     "0",    "--patience",
                                 "20s",          "--timing", "topspeed"};
    int status = 0;
    const auto options = parse_options(static_cast<int>(std::size(words)), words, status);
    ::_exit(options ? run_any(*options) : status);
  }
  Ended ended;
  for (int i = 0; i < 20; ++i) {  // until it listens
    ended = call({"campaign", capture(rping_capture), "--connect", at, "--patience", "20s", "--inject",
                  "DDP-QN", "--inject", "MPA-CRC", "--inject", "RDMAP-RSV", "--inject", "MPA-SREV"});
    if (ended.err.find("nobody accepts") == std::string::npos) break;
  }
  ::kill(peer, SIGKILL);
  ::waitpid(peer, nullptr, 0);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Terminate 1201 (untagged: invalid QN)"));
  EXPECT_THAT(ended.out, HasSubstr("needs the role of the responder"));
  EXPECT_THAT(ended.out, HasSubstr("3 conform, 0 deviate, 1 not tried\n"));
}

// It comes again at once, and goes for good where it is refused.
TEST_F(CampaignCommand, APeerThatConnectsAgainAndAgainIsNeverRefused) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const std::string tried = file("tried");
  const pid_t peer = ::fork();
  ASSERT_GE(peer, 0);
  if (peer == 0) {
    while (!std::filesystem::exists(tried)) {  // until somebody listens
      ::usleep(20'000);
      (void)call_apart({"run", capture(rping_capture), "--as", "initiator", "--connect", at, "--loop", "0",
                        "--patience", "20s", "--timing", "topspeed", "--report", tried},
                       "/dev/null", "/dev/null");
    }
    ::_exit(0);
  }
  const Ended ended =
      call({"campaign", capture(rping_capture), "--listen", at, "--patience", "20s", "--start-delay", "0",
            "--inject", "DDP-QN", "--inject", "MPA-CRC", "--inject", "RDMAP-RSV", "--inject", "DDP-MSNGAP"});
  ::waitpid(peer, nullptr, 0);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("4 conform, 0 deviate, 0 not tried\n"));
}

}  // namespace
}  // namespace iwarp::replay
