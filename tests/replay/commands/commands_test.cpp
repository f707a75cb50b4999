// The commands as a user calls them: exit status and what is said.
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
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "commands/commands.hpp"
#include "commands/progress_bar.hpp"
#include "program/interrupt.hpp"
#include "replay/planned.hpp"
#include "support/json_schema.hpp"
#include "support/places.hpp"
#include "verbs/backend.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

// Standard input is what somebody typed, or a pipe has, while this object lives.
class TypedInput {
 public:
  explicit TypedInput(const std::string& text) : kept_(dup(STDIN_FILENO)) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
  }
  ~TypedInput() {
    dup2(kept_, STDIN_FILENO);
    close(kept_);
  }
  TypedInput(const TypedInput&) = delete;
  TypedInput& operator=(const TypedInput&) = delete;

 private:
  int kept_;
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

TEST_F(CommandsTest, StepWaitsForALineBeforeEachRequest) {
  const auto step = [&](const std::string& typed) {
    const TypedInput input(typed);
    return call({"run", capture(rping), "--loopback", "--timing", "step"});
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

// Keys that the schema does not tell of fail, too.
nlohmann::json strict_schema() {
  std::ifstream file(iwarp::test::places::source() + "/docs/schema/replay-report-1.json");
  nlohmann::json schema = nlohmann::json::parse(file);
  for (auto& definition : schema["definitions"]) {
    if (definition.contains("properties")) definition["additionalProperties"] = false;
  }
  return schema;
}

TEST_F(CommandsTest, ARunThatWasStoppedIsNotTheSame) {
  const auto stopped = [&](const std::string& typed, std::vector<std::string> how, const char* said,
                           int status, const nlohmann::json& not_run) {
    const TypedInput input(typed);
    how.insert(how.begin(), {"run", capture(rping), "--loopback", "--report", file("report.json")});
    const Ended run = call(how);
    EXPECT_EQ(run.status, status) << run.out << run.err;
    EXPECT_THAT(run.out, StartsWith(said));
    EXPECT_THAT(run.out, Not(HasSubstr("same: ")));
    std::ifstream report(file("report.json"));
    const auto json = nlohmann::json::parse(report);
    const nlohmann::json schema = strict_schema();
    EXPECT_EQ(iwarp::test::violation(json, schema["definitions"]["report"], schema), "");
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
  const Ended second = call({"run", capture(rping), "--loopback", "--timing", "step", "--loop", "2"});
  EXPECT_EQ(second.status, 0) << second.out;
  EXPECT_THAT(second.out, StartsWith("interrupted after 1 of 2 loops: 32 requests are the same"));
  // What was asked for was done.
  const Ended limited = call({"run", capture(rping), "--loopback", "--timing", "topspeed", "--limit", "7"});
  EXPECT_EQ(limited.status, 0);
  EXPECT_THAT(limited.out, StartsWith("same: 1 of 1 streams are as recorded, 7 requests are the same"));
}

// The signal stays known to the process that it came to: another one is needed.
TEST_F(CommandsTest, CtrlCBeforeTheFirstLoopComparesNothing) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    program::watch_signals();
    std::raise(SIGINT);
    const Ended run = call({"run", capture(rping), "--loopback", "--inject", "DDP-MSNGAP"});
    ::_exit(run.status == 2 && run.out.starts_with("interrupted: nothing was compared; 0 posted") ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(CommandsTest, AResponderToWhichNobodyConnectsSaysSo) {
  const Ended run = call({"run", capture(rping), "--as", "responder", "--listen", "127.0.0.1:0", "--patience",
                          "100ms", "--report", file("report.json")});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("nobody connected to 127.0.0.1:"));
  EXPECT_THAT(run.out, Not(HasSubstr("diverged")));
}

TEST_F(CommandsTest, RatesAreKept) {
  const auto took = [&](const std::vector<std::string>& rate) {
    std::vector<std::string> words = {"run",      capture(rping), "--loopback", "--timing",
                                      "topspeed", "--report",     file("rate")};
    words.insert(words.end(), rate.begin(), rate.end());
    const Ended run = call(words);
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    std::ifstream report(file("rate"));
    return nlohmann::json::parse(report)["took_ns"].get<TimeNs>();
  };
  EXPECT_GT(took({"--ops-per-second", "100"}), 290'000'000);  // 30 requests
  EXPECT_GT(took({"--mbps", "0.05"}), 100'000'000);           // 800 octets and more
}

TEST_F(CommandsTest, ReportsAreWhatTheSchemaPromises) {
  const nlohmann::json schema = strict_schema();
  const auto valid = [&](const nlohmann::json& value, const char* what) {
    return iwarp::test::violation(value, schema["definitions"][what], schema);
  };
  for (const char* const name :
       {"real/01a-rping-v4-mtu1500-tso.pcap", "real/08l-snap96-rping-crc-S5000.pcap",
        "real/03e-term-write_oob.pcap", "real/02u-atomic-unsupported.pcap", "real/03g-reject.pcap"}) {
    const Ended run = call({"run", capture(name), "--loopback", "--timing", "original", "--max-gap", "5ms",
                            "--report", file("report.json")});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr("posted behind their recorded times: median "));
    std::ifstream report(file("report.json"));
    const auto json = nlohmann::json::parse(report);
    EXPECT_EQ(valid(json, "report"), "") << name;
    EXPECT_GE(json["timing"]["late_max_ns"], json["timing"]["late_p99_ns"]);
  }
  const Ended compared = call({"compare", capture(rping), capture("real/01k-rping-v4-mpav1.pcap"), "--json"});
  EXPECT_EQ(valid(nlohmann::json::parse(compared.out), "comparison"), "");
}

TEST_F(CommandsTest, TheReportHasEachMessageAndItsPayload) {
  ASSERT_EQ(call({"plan", capture(rping), "-o", file("plan")}).status, 0);
  const Ended run = call({"run", file("plan"), "--loopback", "--timing", "topspeed", "--report", file("r")});
  ASSERT_EQ(run.status, 0) << run.out;
  std::ifstream report(file("r"));
  const auto json = nlohmann::json::parse(report);
  std::map<std::string, int> payload;
  for (const auto& each : json["comparison"]["streams"][0]["messages"]) {
    EXPECT_EQ(each["verdict"], "same");
    ++payload[each["payload"].get<std::string>()];
  }
  EXPECT_GE(payload["same"], 10) << run.out;
}

TEST_F(CommandsTest, ProgressIsALineOrABar) {
  const RunFigures before{1, 3, 1'000'000'000, 200, 50, 40, 500'000};
  const RunFigures now{1, 3, 2'000'000'000, 200, 150, 149, 2'500'000};
  EXPECT_EQ(stats_line(now, before),
            "loop 1, 2.000 s: 150 of 200 requests posted (100/s), 149 complete, 2.5 MB (2.0 MB/s)");
  EXPECT_EQ(
      bar_line(now, before, 200),
      "[===============>    ]  75 %  150 of 200 requests, 100/s, 2.0 MB/s, loop 1 of 3 (Ctrl-C: end with a "
      "report)");
  EXPECT_EQ(bar_line(now, before, 30).size(), 30U);
  const Ended run = call({"run", capture(rping), "--loopback", "--ops-per-second", "100", "--timing",
                          "topspeed", "--stats", "100ms"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr(" of 30 requests posted ("));
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
  const nlohmann::json schema = strict_schema();
  EXPECT_EQ(iwarp::test::violation(json, schema["definitions"]["report"], schema), "");
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

// Without pauses hundreds of Sends come in one piece, more than receives are posted.
TEST_F(CommandsTest, ABurstThatIsLongerThanTheReceiveQueueIsTaken) {
  const Ended run = call({"run", capture("real/08g-send_bw-200B-n500-loss3-tso.pcap"), "--loopback",
                          "--timing", "topspeed", "--patience", "5s"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST_F(CommandsTest, PayloadOfTwoCapturesIsCompared) {
  const Ended run = call({"run", capture(rping), "--loopback", "--timing", "topspeed", "--payload",
                          "seeded:7", "--own-stags", "other", "--record", file("seeded.pcapng")});
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const Ended compared = call({"compare", capture(rping), file("seeded.pcapng")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("first divergence: "));
  EXPECT_THAT(compared.out, HasSubstr("payload differs from octet 0 on: recorded 72 64 6d 61")) << "rdma";
  const auto json =
      nlohmann::json::parse(call({"compare", capture(rping), file("seeded.pcapng"), "--json"}).out);
  EXPECT_EQ(json["streams"][0]["first"]["class"], "different");
  EXPECT_EQ(json["streams"][0]["first"]["fields"], nlohmann::json::array({"payload"}));
  EXPECT_EQ(call({"compare", capture(rping), file("seeded.pcapng"), "--ignore", "field:payload"}).status, 0);
  // A plan knows the octets of the capture it was made from, and none when they are seeded.
  ASSERT_EQ(call({"plan", capture(rping), "-o", file("plan")}).status, 0);
  ASSERT_EQ(call({"plan", capture(rping), "-o", file("anonymous"), "--anonymise"}).status, 0);
  EXPECT_EQ(call({"compare", capture(rping), file("plan")}).status, 0);
  EXPECT_EQ(call({"compare", file("plan"), file("seeded.pcapng")}).status, 1);
  EXPECT_EQ(call({"compare", file("anonymous"), file("seeded.pcapng")}).status, 0);
  EXPECT_EQ(call({"compare", capture(rping), file("anonymous")}).status, 0);
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

TEST_F(CommandsTest, ACommandThatCannotBeRunTellsNothingOfAPlan) {
  const auto refused = [&](const std::string& command, const char* why) {
    const Ended ended = call({"shrink", capture(rping), "-o", file("small"), "--command", command});
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
  const Ended always = call({"shrink", capture(rping), "-o", file("small"), "--text", "--command",
                             "grep -q 'kind: ' {} || touch " + file("without") + "; false"});
  EXPECT_EQ(always.status, 0) << always.err;
  EXPECT_TRUE(std::filesystem::exists(file("without")));
  EXPECT_THAT(always.err, HasSubstr("it fails in the same way without any request"));
}

TEST_F(CommandsTest, ResultsAreOpenedBeforeTheRunAndAreNotItsInput) {
  ASSERT_EQ(call({"plan", capture(rping), "-o", file("plan")}).status, 0);
  const auto size = std::filesystem::file_size(file("plan"));
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", file("plan"), "--loopback", "--timing", "topspeed"});
    return call(words);
  };
  for (const char* const option : {"--report", "--record"}) {
    const Ended unwritable = run({option, file("nowhere") + "/result"});
    EXPECT_EQ(unwritable.status, 2);
    EXPECT_THAT(unwritable.err, HasSubstr("/result cannot be written: No such file or directory"));
    EXPECT_EQ(unwritable.out, "") << "nothing was run";
    std::filesystem::create_hard_link(file("plan"), file("link"));
    for (const char* const name : {"plan", "link"}) {
      const Ended itself = run({option, file(name)});
      EXPECT_EQ(itself.status, 2);
      EXPECT_THAT(itself.err, HasSubstr(std::string(option) + " " + file(name) + " is the same file as "));
      EXPECT_EQ(std::filesystem::file_size(file("plan")), size);
    }
    std::filesystem::remove(file("link"));
  }
  EXPECT_THAT(run({"--record", file("one"), "--report", file("one")}).err, HasSubstr("is the same file as "));
  EXPECT_EQ(run({"--record", "/dev/null", "--report", "/dev/null"}).status, 0);
}

TEST_F(CommandsTest, TheReportGoesToStandardOutputAlone) {
  const Ended run = call({"run", capture(rping), "--loopback", "--timing", "topspeed", "--report", "-"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(nlohmann::json::parse(run.out)["same"], true);
  EXPECT_THAT(run.err, HasSubstr("same: 1 of 1 streams are as recorded"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(CommandsTest, LiveTimesAndFramesAreThoseOfTheRecording) {
  const Ended run = call({"run", capture(rping), "--loopback", "--timing", "topspeed", "--loop", "2",
                          "--record", file("again.pcapng"), "--report", file("report.json")});
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  std::string error;
  const auto logs = logs_of_capture(file("again.pcapng"), error);
  ASSERT_TRUE(logs) << error;
  ASSERT_EQ(logs->size(), 2U) << "one stream of each loop; the report has the second one";
  std::multiset<std::pair<std::uint64_t, TimeNs>> there;
  for (const auto& entries : logs->at(1).entries) {
    for (const LogEntry& each : entries) there.emplace(each.frame, each.time_ns);
  }
  std::multiset<std::pair<std::uint64_t, TimeNs>> told;
  std::ifstream report(file("report.json"));
  const auto json = nlohmann::json::parse(report);
  for (const auto& each : json["comparison"]["streams"][0]["messages"])
    told.emplace(each["live"]["frame"].get<std::uint64_t>(), each["live"]["time_ns"].get<TimeNs>());
  EXPECT_EQ(told, there);
  EXPECT_EQ(told.size(), 32U);
}

TEST_F(CommandsTest, ErrorsSayWhatToDo) {
  const auto said = [](const std::vector<std::string>& words) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(said({}), HasSubstr("say what to do: plan, run, compare, campaign or shrink"));
  EXPECT_THAT(said({"foo"}), HasSubstr("there is no command 'foo'; the commands are plan, run, compare, "));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", file("text"), "--loopback"},
                                                {"plan", file("text"), "-o", file("plan")},
                                                {"compare", file("text"), capture(rping)},
                                                {"compare", capture(rping), file("text")}}) {
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

TEST_F(CommandsTest, PortsAreNumbersOf16Bits) {
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

TEST_F(CommandsTest, VerbsNeedADeviceAndSaySo) {
  // No machine has a device of this name; one without devices, or without the back end, says so.
  const Ended run = call({"run", capture(rping), "--as", "initiator", "--connect", "127.0.0.1:9", "--rnic",
                          "verbs:no-such-device"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, testing::AnyOf(HasSubstr("this machine has no RDMA device"),
                                      HasSubstr("there is no RDMA device no-such-device; there are: "),
                                      HasSubstr("built without libibverbs")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--loopback"},
        {"--as", "initiator", "--connect", "127.0.0.1:9", "--crc", "on"},
        {"--as", "initiator", "--connect", "127.0.0.1:9", "--timing", "step"},
        {"--as", "initiator", "--connect", "127.0.0.1:9", "--mbps", "1"}}) {
    std::vector<std::string> all = {"run", capture(rping), "--rnic", "verbs"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended refused = call(all);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("is for the soft-RNIC; leave it out with --rnic verbs"));
  }
  EXPECT_THAT(call({"run", capture(rping), "--loopback", "--rnic", "hard"}).err,
              HasSubstr("--rnic takes soft, verbs or verbs:DEVICE, not 'hard'"));
}

TEST(VerbsTest, OfALogIsKeptWhatAnApplicationSees) {
  const Plan plan = plan_of_file("real/03e-term-norecv.pcap");
  EventLog log = expected_log(plan, 0);
  verbs::keep_visible(log, plan.streams[0], Role::responder);
  EXPECT_THAT(log.entries[0], testing::IsEmpty()) << "a Send that found no buffer";
  EXPECT_THAT(log.entries[1], testing::IsEmpty()) << "Terminate and close are the RNIC's";
  log = expected_log(plan, 0);
  verbs::keep_visible(log, plan.streams[0], Role::initiator);
  ASSERT_EQ(log.entries[0].size(), 1U) << "it was posted";

  const Plan rping_plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  EventLog both = expected_log(rping_plan, 0);
  verbs::keep_visible(both, rping_plan.streams[0], Role::initiator);
  EXPECT_EQ(both.entries[0].size(), 10U) << "own Sends";
  EXPECT_EQ(both.entries[1].size(), 10U) << "the peer's Sends; not its Reads and Writes";
}

}  // namespace
}  // namespace iwarp::replay
