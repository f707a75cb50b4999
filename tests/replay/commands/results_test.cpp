// Where results go: what they must not overwrite, and what is said when they cannot be written.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program/interrupt.hpp"
#include "replay/commands/command_called.hpp"
#include "support/capture_read.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Results = CommandTest;

TEST_F(Results, NoCommandOverwritesWhatItReads) {
  std::filesystem::copy_file(capture(rping_capture), file("own.pcap"));
  std::filesystem::create_hard_link(file("own.pcap"), file("link.pcap"));
  std::filesystem::create_symlink(file("own.pcap"), file("symbolic.pcap"));
  const std::string octets = octets_of(file("own.pcap"));
  for (const char* const command : {"plan", "shrink"}) {
    for (const char* const name : {"own.pcap", "link.pcap", "symbolic.pcap"}) {
      const Ended ended = call({command, file("own.pcap"), "-o", file(name), "--text"});
      EXPECT_EQ(ended.status, 2);
      EXPECT_THAT(ended.err, HasSubstr("-o " + file(name) + " is the same file as " + file("own.pcap") +
                                       ", which it would overwrite"));
      EXPECT_TRUE(octets_of(file("own.pcap")) == octets);
    }
  }
  EXPECT_EQ(call({"plan", file("own.pcap"), "-o", "/dev/null"}).status, 0);
}

TEST_F(Results, AFullStandardOutputIsAFailure) {
  const std::string pcap = capture(rping_capture);
  const std::vector<std::vector<std::string>> all = {
      {"plan", pcap, "-o", "-"},
      {"plan", pcap, "-o", "-", "--text"},
      {"compare", pcap, pcap},
      {"compare", pcap, pcap, "--json"},
      {"campaign", "--inject", "DDP-QN"},
      {"campaign", "--inject", "DDP-QN", "--json"},
      {"run", pcap, "--loopback", "--timing", "topspeed"},
      {"run", pcap, "--loopback", "--timing", "topspeed", "--report", "-"},
      {"run", pcap, "--loopback", "--timing", "topspeed", "--record", "-"},
      {"shrink", pcap, "-o", "-", "--inject", "DDP-MSNGAP"},
      {"--help"},
      {"--version"},
      {"--list-injections"}};
  for (const auto& words : all) {
    EXPECT_EQ(call_apart(words, "/dev/full", file("err")), 2) << words[0];
    EXPECT_THAT(octets_of(file("err")),
                HasSubstr("iwarp-replay: standard output cannot be written: No space left on device\n"));
  }
}

// Such as head(1).
TEST_F(Results, AReaderThatWentAwayIsNoFailure) {
  const std::string pcap = capture(rping_capture);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"plan", pcap, "-o", "-"},
        {"compare", pcap, pcap},
        {"run", pcap, "--loopback", "--timing", "topspeed"},
        {"run", pcap, "--loopback", "--timing", "topspeed", "--record", "-"}}) {
    const int status = call_apart(words, "/dev/null", file("err"), [] {
      int ends[2];
      if (::pipe(ends) != 0) ::_exit(99);
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
    });
    EXPECT_EQ(status, 0) << words[0];
    EXPECT_EQ(octets_of(file("err")).find("cannot be written"), std::string::npos);
  }
}

TEST_F(Results, ARefusedRunLeavesOldResults) {
  std::ofstream(file("kept")) << "keep";
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--mpa-rev", "1"}, {"--rtr", "none"}, {"--max-memory", "1"}}) {
    for (const char* const option : {"--report", "--record"}) {
      const std::string name = how[0] == "--max-memory" ? "03e-term-write_big_oob.pcap" : "07e-ucmatose.pcap";
      std::vector<std::string> words = {"run", capture("real/" + name), "--loopback", option, file("kept")};
      words.insert(words.end(), how.begin(), how.end());
      EXPECT_EQ(call(words).status, 2) << how[0];
      EXPECT_EQ(octets_of(file("kept")), "keep");
      words[4] = file("new");
      EXPECT_EQ(call(words).status, 2);
      EXPECT_FALSE(std::filesystem::exists(file("new")));
    }
  }
  const Ended alone = call({"run", capture(rping_capture), "--as", "responder", "--listen", "127.0.0.1:0",
                            "--patience", "50ms", "--report", file("kept"), "--record", file("new")});
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(octets_of(file("kept")), "keep");
  EXPECT_FALSE(std::filesystem::exists(file("new")));
  for (const char* const name : {"kept", "new"}) {  // port 1: nobody
    const Ended refused = call({"run", capture(rping_capture), "--as", "initiator", "--connect",
                                "127.0.0.1:1", "--record", file(name)});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("nobody accepts a connection at 127.0.0.1:1"));
  }
  EXPECT_EQ(octets_of(file("kept")), "keep");
  EXPECT_FALSE(std::filesystem::exists(file("new")));
  // And what is longer than the new one does not stay behind it.
  std::ofstream(file("kept")) << std::string(1'000'000, ' ') << "keep";
  EXPECT_EQ(
      call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--report", file("kept")})
          .status,
      0);
  EXPECT_EQ(json_of("kept")["same"], true);
}

TEST_F(Results, TheRecordingGoesToStandardOutputAlone) {
  const std::string folder = std::filesystem::current_path().string();
  const int status =
      call_apart({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--record", "-"},
                 file("again.pcapng"), file("err"));
  EXPECT_EQ(status, 0);
  EXPECT_THAT(octets_of(file("err")), HasSubstr("same: 1 of 1 streams are as recorded"));
  EXPECT_EQ(call({"compare", capture(rping_capture), file("again.pcapng")}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder + "/-"));
  EXPECT_THAT(call({"run", capture(rping_capture), "--loopback", "--record", "-", "--report", "-"}).err,
              HasSubstr("--record and --report cannot both go to standard output"));
}

}  // namespace
}  // namespace iwarp::replay
