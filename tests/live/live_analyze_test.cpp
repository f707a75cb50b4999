// iwarp-analyze --interface: what two soft-RNICs do over loopback, seen while they do it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "live/own_network.hpp"
#include "support/child.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
using namespace std::chrono_literals;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::uint64_t lost_in(const Json& summary) {
  std::uint64_t lost = 0;
  for (const auto& [reason, count] : summary["skipped"].items()) {
    if (reason.starts_with("dropped by the ")) lost += count.get<std::uint64_t>();
  }
  return lost;
}

class LiveAnalyzeTest : public OwnNetworkTest {
 protected:
  LiveAnalyzeTest() {
    std::string name = (std::filesystem::temp_directory_path() / "iwarp-live-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LiveAnalyzeTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const char* name) const { return folder_ + "/" + name; }

  // Runs a shell command to its end.
  static void run(const std::string& command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }
  // Plays a capture between two soft-RNICs, as fast as they can unless told otherwise.
  void replay(const std::string& capture, const std::string& options) const {
    run("'" + places::replay() + "' run " + places::captures() + "/real/" + capture + " --loopback " +
        options + " >" + file("replay") + " 2>&1");
  }
  static bool lacks_replay() { return places::replay().empty(); }

  std::string folder_;
};

// A live capture, whose results go into a pipe.
class Live {
 public:
  Live(const Words& options, const std::string& standard_output = {})
      : child_(words(options), {.out = output(standard_output), .err = err_.writer()}) {
    // Its first sentence says that it has begun.
    char octet = 0;
    while (octet != '\n' && ::read(err_.reader(), &octet, 1) == 1) said_ += octet;
    out_.close_writer();
  }

  [[nodiscard]] int reader() const { return out_.reader(); }
  void send(int signal) const { child_.send(signal); }
  [[nodiscard]] std::optional<int> end(int signal = SIGINT) {
    child_.send(signal);
    return wait();
  }
  [[nodiscard]] std::optional<int> wait() {
    if (!file_) results_ += out_.read_all();
    const auto status = child_.end();
    said_ += err_.read_all();
    return status;
  }
  [[nodiscard]] const std::string& results() const { return results_; }
  [[nodiscard]] const std::string& said() const { return said_; }  // on standard error

 private:
  static Words words(const Words& options) {
    Words all = {places::analyze()};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  int output(const std::string& path) {
    if (path.empty()) return out_.writer();
    file_.emplace(::fopen(path.c_str(), "we"));
    return ::fileno(*file_);
  }

  std::optional<FILE*> file_;
  Pipe out_;
  Pipe err_;
  std::string results_;
  std::string said_;
  Child child_;
};

TEST_F(LiveAnalyzeTest, AnInterruptEndsItWithTheReport) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Live live({"--interface", "lo"});
    EXPECT_EQ(live.end(signal), 0);
    EXPECT_EQ(live.said(), "iwarp-analyze: capturing from lo; Ctrl-C ends it\n");
    EXPECT_THAT(live.results(), testing::StartsWith("lo: 0 frames, "));
  }
}

TEST_F(LiveAnalyzeTest, RecordsComeWithinASecond) {
  if (lacks_replay()) GTEST_SKIP() << "without iwarp-replay";
  Live live({"--interface", "lo", "--format", "jsonl", "--records", "messages"});
  std::jthread traffic([this] { replay("04a-*", "--timing original"); });
  const auto silence = 5s;  // more than the capture has
  std::string line;
  std::size_t messages = 0;
  std::chrono::nanoseconds longest{0};
  pollfd waited{.fd = live.reader(), .events = POLLIN, .revents = 0};
  while (::poll(&waited, 1, static_cast<int>(silence / 1ms)) > 0) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    char octets[65'536];
    const ssize_t got = ::read(live.reader(), octets, sizeof octets);
    ASSERT_GT(got, 0);
    for (ssize_t i = 0; i < got; ++i) {
      line += octets[i];
      if (octets[i] != '\n') continue;
      const std::chrono::nanoseconds captured(Json::parse(line)["time_ns"].get<std::int64_t>());
      longest = std::max<std::chrono::nanoseconds>(longest, now - captured);
      ++messages;
      line.clear();
    }
    if (messages == 124) break;  // all of them
  }
  EXPECT_EQ(messages, 124U);
  EXPECT_LT(longest / 1ms, 1000);
  EXPECT_GT(longest / 1ns, 0);
  RecordProperty("longest_delay_ms", static_cast<int>(longest / 1ms));
  EXPECT_EQ(live.end(), 0);
}

// At 1 Gbit/s nothing is lost, or it is said; what is kept is what was analysed; healthy traffic has no
// findings, whatever loopback makes of it: packets larger than any MTU, and checksums that nobody fills in.
TEST_F(LiveAnalyzeTest, AtAGigabitNothingIsLostOrItIsSaid) {
  if (lacks_replay()) GTEST_SKIP() << "without iwarp-replay";
  for (const int mtu : {65'536, 1500}) {
    SCOPED_TRACE(mtu);
    set_loopback_mtu(mtu);
    const std::uint64_t before = packets_on_loopback();
    const std::string records = "streams,fpdus,messages,operations,findings,summary";
    Live live({"--interface", "lo", "--format", "jsonl", "--records", records, "--write", file("kept.pcap")},
              file("results"));
    replay("02o-*", "--timing topspeed --mbps 1000 --loop 100");
    EXPECT_EQ(live.end(), 0);
    const std::uint64_t passed = packets_on_loopback() - before;

    auto lines = lines_of(text_of(file("results")));
    ASSERT_GT(lines.size(), 1U);
    const Json summary = Json::parse(lines.back());
    const std::uint64_t lost = lost_in(summary);
    if (lost == 0) {
      EXPECT_EQ(summary["messages"]["read_response"], 100 * 16);
    }
    EXPECT_EQ(summary["frames"].get<std::uint64_t>() + lost, passed);
    EXPECT_EQ(live.said().find("packets were lost") != std::string::npos, lost != 0) << live.said();
    EXPECT_EQ(summary["findings"]["warning"], 0);
    EXPECT_EQ(summary["findings"]["error"], 0);
    RecordProperty("lost", std::to_string(lost));

    run("'" + places::analyze() + "' --format jsonl --records " + records + " " + file("kept.pcap") + " >" +
        file("again"));
    auto again = lines_of(text_of(file("again")));
    ASSERT_EQ(again.size(), lines.size());
    if (lost == 0) {
      EXPECT_TRUE(again == lines);
    } else {
      again.pop_back();
      lines.pop_back();
      EXPECT_TRUE(again == lines);
    }
  }
}

// An analysis that stands still for a while: what did not fit into the ring is said, to the packet, and what
// it leaves open is not taken for a broken rule.
TEST_F(LiveAnalyzeTest, WhatIsLostIsSaidAndBreaksNoRule) {
  if (lacks_replay()) GTEST_SKIP() << "without iwarp-replay";
  const std::uint64_t before = packets_on_loopback();
  Live live({"--interface", "lo", "--format", "jsonl", "--max-memory", "64", "--write", file("kept.pcap")},
            file("results"));
  replay("02o-*", "--timing topspeed --loop 2");
  live.send(SIGSTOP);
  replay("02o-*", "--timing topspeed --loop 30");
  live.send(SIGCONT);
  replay("02o-*", "--timing topspeed --loop 2");
  EXPECT_EQ(live.end(), 0);
  const std::uint64_t passed = packets_on_loopback() - before;

  const auto lines = lines_of(text_of(file("results")));
  ASSERT_FALSE(lines.empty());
  const Json summary = Json::parse(lines.back());
  EXPECT_GT(lost_in(summary), 0U);
  EXPECT_EQ(summary["frames"].get<std::uint64_t>() + lost_in(summary), passed);
  EXPECT_THAT(live.said(), testing::HasSubstr("lo: packets were lost, and are no frames of the capture: " +
                                              std::to_string(lost_in(summary)) + " dropped by the kernel"));
  EXPECT_EQ(summary["findings"]["warning"], 0);
  EXPECT_EQ(summary["findings"]["error"], 0);
  run("'" + places::analyze() + "' --format jsonl --records summary " + file("kept.pcap") + " >" +
      file("again"));
  EXPECT_EQ(Json::parse(text_of(file("again")))["frames"], summary["frames"]);
}

TEST_F(LiveAnalyzeTest, AllInterfacesAndAFilter) {
  if (lacks_replay()) GTEST_SKIP() << "without iwarp-replay";
  Live any({"--interface", "any", "--format", "jsonl", "--records", "fpdus,summary"});
  Live none({"--interface", "any", "--capture-filter", "udp", "--format", "jsonl", "--records", "summary"});
  replay("01g-*", "--timing topspeed");
  EXPECT_EQ(any.end(), 0);
  EXPECT_EQ(none.end(), 0);
  EXPECT_EQ(lines_of(any.results()).size(), 50U + 1);
  EXPECT_EQ(Json::parse(lines_of(any.results()).back())["findings"]["warning"], 0);
  EXPECT_EQ(Json::parse(lines_of(none.results()).back())["frames"], 0);
}

TEST_F(LiveAnalyzeTest, TheStateAtAFrameEndsIt) {
  if (lacks_replay()) GTEST_SKIP() << "without iwarp-replay";
  Live live({"--interface", "lo", "--state-at", "20", "--format", "jsonl"});
  replay("01g-*", "--timing topspeed");
  EXPECT_EQ(live.wait(), 0) << live.said();
  ASSERT_EQ(lines_of(live.results()).size(), 1U);
  EXPECT_EQ(Json::parse(live.results())["frame"], 20);
}

TEST_F(LiveAnalyzeTest, AnInterfaceThatGoesEndsItWithWhatIsKnown) {
  if (std::system("ip link add iwarp0 type veth peer name iwarp1 2>/dev/null && ip link set iwarp0 up") !=
      0) {
    GTEST_SKIP() << "no veth can be made here";
  }
  Live live({"--interface", "iwarp0"});
  run("ip link del iwarp0");
  EXPECT_EQ(live.wait(), 2);
  EXPECT_THAT(live.said(), testing::HasSubstr("iwarp-analyze: iwarp0: the capture ended: "));
  EXPECT_THAT(live.results(), testing::HasSubstr("Reading stopped before the end of the capture"));
}

TEST_F(LiveAnalyzeTest, AFileThatCannotBeWrittenIsSaid) {
  for (const char* const path : {"/dev/full", "/iwarp-nowhere/kept.pcap"}) {
    Live live({"--interface", "lo", "--write", path});
    EXPECT_EQ(live.wait(), 2);
    EXPECT_THAT(live.said(),
                testing::StartsWith("iwarp-analyze: " + std::string(path) + ": cannot be written: "));
    EXPECT_EQ(live.results(), "");
  }
}

// A sentence about the filter comes before the file is made anew.
TEST_F(LiveAnalyzeTest, AWrongFilterLeavesTheFileAlone) {
  std::ofstream(file("kept.pcap")) << "precious";
  Live live({"--interface", "lo", "--capture-filter", "tcp prt 5", "--write", file("kept.pcap")});
  EXPECT_EQ(live.wait(), 2);
  EXPECT_THAT(
      live.said(),
      testing::HasSubstr("the capture filter \"tcp prt 5\" cannot be used: can't parse filter expression"));
  EXPECT_EQ(text_of(file("kept.pcap")), "precious");
}

}  // namespace
}  // namespace iwarp::test
