// run: what is as recorded, what may be otherwise, what is said while it runs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <fstream>

#include <nlohmann/json.hpp>

#include "commands/progress_bar.hpp"
#include "replay/commands/command_called.hpp"
#include "support/analysed.hpp"
#include "support/capture_read.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using RunCommand = CommandTest;

TEST_F(RunCommand, APlanOfEitherFormRunsAndIsAsRecorded) {
  for (const bool text : {false, true}) {
    std::vector<std::string> words = {"plan", capture(rping_capture), "-o", file("plan")};
    if (text) words.push_back("--text");
    const Ended made = call(words);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("1 streams, 32 requests"));
    const Ended run = call({"run", file("plan"), "--loopback", "--timing", "topspeed", "--record",
                            file("again.pcapng"), "--report", file("report.json")});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    EXPECT_THAT(run.out, StartsWith("same: 1 of 1 streams are as recorded, 32 requests are the same"));
    const auto json = json_of("report.json");
    EXPECT_EQ(json["same"], true);
    EXPECT_EQ(json["outcome"], "complete");
    EXPECT_EQ(json["posted"], 30);
    const Ended compared = call({"compare", capture(rping_capture), file("again.pcapng")});
    EXPECT_EQ(compared.status, 0) << compared.out;
    EXPECT_THAT(compared.out, HasSubstr("same: 32 requests are the same"));
  }
}

TEST_F(RunCommand, WhatIsNegotiatedCanBeOtherwise) {
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

// Its initiator has Sends of its own, so nothing else has to come first.
TEST_F(RunCommand, RevisionOneHasNoReadyToReceiveMessage) {
  const std::vector<std::string> words = {"run",
                                          capture("real/01i-rping-v4-p2p-crc.pcap"),
                                          "--loopback",
                                          "--timing",
                                          "topspeed",
                                          "--mpa-rev",
                                          "1",
                                          "--record",
                                          file("one.pcapng")};
  const Ended run = call(words);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  const test::Analysed result(test::read_capture(file("one.pcapng")).segments);
  EXPECT_THAT(result.ids(Severity::note), testing::IsEmpty()) << result.told();
}

// Nothing but FINs follows the start-up: the second one waits for the first, which waits for Full Operation.
TEST_F(RunCommand, AStreamThatIsClosedAtOnceIsInRtsBefore) {
  const Ended run =
      call({"run", capture("real/03f-close-variants.pcap"), "--loopback", "--timing", "topspeed"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, Not(HasSubstr("does not come to RTS")));
}

// Of the second stream both ends wait for the other one's Send.
TEST_F(RunCommand, AStreamThatIsStuckDoesNotKeepThoseBehindIt) {
  const Ended made = call({"plan", capture("real/03f-close-variants.pcap"), "-o", "-", "--text"});
  ASSERT_EQ(made.status, 0);
  std::string text = made.out;
  const std::string first_send = "length: 50 msn: 1 octets { payload: 0 length: 50 } first_frame: 18";
  ASSERT_NE(text.find(first_send), std::string::npos);
  text.insert(text.find(first_send), "after { received: 1 } ");
  std::ofstream(file("stuck")) << text;
  const Ended run = call({"run", file("stuck"), "--loopback", "--timing", "topspeed", "--patience", "200ms"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("diverged: 8 of 9 streams are as recorded"));
  EXPECT_THAT(run.err, HasSubstr("stream 1 came to no end: those behind it did not wait any longer"));
}

// siw answered stream 31's message with a Terminate, which a message with that opcode alone would bring.
TEST_F(RunCommand, WhatASenderDidThatBrokeNoRuleMayHaveEndedTheStream) {
  const Ended run =
      call({"run", capture("real/10b-evilpeer-cases.pcap"), "--loopback", "--timing", "topspeed"});
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_THAT(run.out, StartsWith("incomplete: "));
  EXPECT_THAT(run.err, HasSubstr("stream 31 is left out: its initiator breaks RDMAP-OP in frame "));
}

TEST_F(RunCommand, OfWhatWasAllLeftOutNothingIsSaid) {
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--ignore",
                          "role:initiator", "--ignore", "role:responder"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.out, StartsWith("undecidable: nothing could be compared; 30 posted"));
}

// Without pauses hundreds of Sends come in one piece, more than receives are posted.
TEST_F(RunCommand, ABurstThatIsLongerThanTheReceiveQueueIsTaken) {
  const Ended run = call({"run", capture("real/08g-send_bw-200B-n500-loss3-tso.pcap"), "--loopback",
                          "--timing", "topspeed", "--patience", "5s"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST_F(RunCommand, RatesAreKept) {
  const auto took = [&](const std::vector<std::string>& rate) {
    std::vector<std::string> words = {
        "run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--report", file("rate")};
    words.insert(words.end(), rate.begin(), rate.end());
    const Ended run = call(words);
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    return json_of("rate")["took_ns"].get<TimeNs>();
  };
  EXPECT_GT(took({"--ops-per-second", "100"}), 290'000'000);  // 30 requests
  EXPECT_GT(took({"--mbps", "0.05"}), 100'000'000);           // 800 octets and more
}

TEST_F(RunCommand, ProgressIsALineOrABar) {
  const RunFigures before{1, 3, 1'000'000'000, 200, 50, 40, 500'000, 50};
  RunFigures now{1, 3, 2'000'000'000, 200, 150, 149, 2'500'000, 150};
  EXPECT_EQ(stats_line(now, before),
            "loop 1, 2.000 s: 150 of 600 requests posted (100/s), 149 complete, 2.5 MB (2.0 MB/s)");
  EXPECT_EQ(
      bar_line(now, before, 200),
      "[===============>    ]  75 %  150 of 200 requests, 100/s, 2.0 MB/s, loop 1 of 3 (Ctrl-C: end with a "
      "report)");
  EXPECT_EQ(bar_line(now, before, 30).size(), 30U);
  now.loops = 0;
  EXPECT_EQ(stats_line(now, before),
            "loop 1, 2.000 s: 150 requests posted (100/s), 149 complete, 2.5 MB (2.0 MB/s)");
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--ops-per-second", "100", "--timing",
                          "topspeed", "--stats", "100ms"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr(" of 30 requests posted ("));
}

// Each of them is far shorter than what is between two lines.
TEST_F(RunCommand, FiguresGoOnOverLoops) {
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--loop", "4",
                          "--loop-delay", "300ms", "--stats", "400ms"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, testing::ContainsRegex(": (30|60|90|120) of 120 requests posted \\("));
}

TEST_F(RunCommand, H15_ViolatingTracesAreRefusedByTheNameOfTheRule) {
  const Ended run = call({"run", capture("generated/t19-uncaptured-segment.pcap"), "--loopback"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("its initiator breaks DDP-MSNGAP in frame 15"));
}

// What could be read is used, and a script can tell that it was not all.
TEST_F(RunCommand, OfADamagedCaptureTheStatusIsTwo) {
  std::filesystem::copy_file(capture(rping_capture), file("cut.pcap"));
  std::filesystem::resize_file(file("cut.pcap"), 5000);
  const Ended run = call({"run", file("cut.pcap"), "--in-memory"});
  EXPECT_THAT(run.out, testing::StartsWith("same: "));
  EXPECT_THAT(run.err, HasSubstr(" is longer than the file"));
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(call({"plan", file("cut.pcap"), "-o", file("plan")}).status, 2);
  EXPECT_EQ(call({"run", file("plan"), "--in-memory"}).status, 0) << "the plan is whole";
  EXPECT_EQ(call({"campaign", file("cut.pcap"), "--inject", "DDP-QN"}).status, 2);
  EXPECT_EQ(call({"shrink", file("cut.pcap"), "-o", file("small"), "--inject", "DDP-QN"}).status, 2);
  EXPECT_TRUE(std::filesystem::exists(file("small")));
}

TEST_F(RunCommand, H16_WhatTheCaptureLacksIsTold) {
  const Ended run =
      call({"run", capture("real/08l-snap96-rping-crc-S5000.pcap"), "--loopback", "--timing", "topspeed"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the capture lacks octets in "));
}

}  // namespace
}  // namespace iwarp::replay
