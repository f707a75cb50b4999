// Recordings in which an end broke a rule: each rule is broken in a run, whose recording is run again.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iwarp/capture/segment_reader.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "inject/catalogue.hpp"
#include "replay/commands/command_called.hpp"
#include "support/octets.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Captures whose messages have a place for nearly every row.
const std::vector<std::string>& traffic() {
  static const std::vector<std::string> names = {
      "real/01i-rping-v4-p2p-crc.pcap", "real/03a-send-variants.pcap", "real/03d-burst-readmany.pcap",
      "real/01a-rping-v4-mtu1500-tso.pcap", "generated/t11-atomics.pcap"};
  return names;
}

// Octets of TCP that the ends of a capture without losses sent, by the address of the end that opened the
// connection or accepted it, in hexadecimal digits.
std::map<std::string, std::string> sent_in(const std::string& path, const std::string& role) {
  std::string error;
  const auto records = capture::RecordReader::open(path, error);
  EXPECT_TRUE(records) << error;
  std::map<std::string, std::string> sent;
  if (!records) return sent;
  capture::SegmentReader reader(*records);
  std::set<Endpoint> openers;
  for (TcpSegment segment; reader.next(segment);) {
    if (segment.flags == tcp::syn) openers.insert(segment.source);
    if (openers.contains(segment.source) != (role == "initiator")) continue;
    sent[to_string(segment.source)] += test::to_hex(segment.payload);
  }
  return sent;
}

class BrokenRun : public CommandTest {
 protected:
  // A recording of this traffic in which `role` breaks a rule; false: it has no place for that.
  bool record(const std::string& traffic, const std::string& injection, const char* role) {
    const Ended made = call({"run", capture(traffic), "--in-memory", "--timing", "topspeed", "--inject",
                             injection + "@," + role, "--record", file("broken.pcapng")});
    return made.status != 2;
  }
  // … of the first traffic that has one.
  bool record_any(const std::string& injection, const char* role) {
    return std::ranges::any_of(traffic(),
                               [&](const std::string& each) { return record(each, injection, role); });
  }
  Ended run(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"run",       file("broken.pcapng"), "--in-memory", "--timing",
                                      "topspeed",  "--patience",          "2s",          "--report",
                                      file("json")};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }
};

TEST_F(BrokenRun, IsSaidToBeLeftOut) {
  ASSERT_TRUE(record("real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz", "DDP-MSNGAP", "responder"));
  const Ended ended = run();
  EXPECT_EQ(ended.status, 2) << "what was asked for was not done";
  EXPECT_THAT(ended.out, StartsWith("incomplete: 49 of 50 streams are as recorded, 1 left out, "));
  EXPECT_THAT(ended.out, HasSubstr(": its responder breaks DDP-MSNGAP in frame "));
  EXPECT_THAT(ended.out, HasSubstr(": left out (--keep-broken runs it without the fault)\n"));
  const auto json = json_of("json");
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["verdict"], "unfinished");
  ASSERT_EQ(json["left_out"].size(), 1U);
  EXPECT_EQ(json["left_out"][0]["id"], "DDP-MSNGAP");
  EXPECT_EQ(json["left_out"][0]["from"], "responder");
  EXPECT_TRUE(json["mended"].empty());
}

TEST_F(BrokenRun, RunsWithoutTheFaultWhereAskedTo) {
  ASSERT_TRUE(record("real/01i-rping-v4-p2p-crc.pcap", "DDP-MSNGAP", "responder"));
  const Ended refused = run();
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("no stream is left to run"));
  const Ended ended = run({"--keep-broken", "--record", file("again.pcapng")});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, StartsWith("same: 1 of 1 streams are as recorded, 8 requests are the same"));
  EXPECT_THAT(ended.out, HasSubstr("recorded stream 0: its responder breaks DDP-MSNGAP in frame "));
  EXPECT_THAT(ended.out, HasSubstr("(MSN 3 on queue 0 where 2 is due): run without the fault\n"));
  const auto json = json_of("json");
  EXPECT_EQ(json["same"], true);
  ASSERT_EQ(json["mended"].size(), 1U);
  EXPECT_TRUE(json["left_out"].empty());
}

// Of each row that is an error, and either end.
TEST_F(BrokenRun, WhicheverRuleWasBroken) {
  std::size_t tried = 0;
  for (const Breach* const breach : all_breaches()) {
    for (const char* const role : {"initiator", "responder"}) {
      if (!record_any(breach->name(), role)) continue;
      SCOPED_TRACE(breach->name() + " by " + role);
      if (run().err.find("is left out") == std::string::npos) continue;
      const Ended ended = run({"--keep-broken"});
      EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
      EXPECT_THAT(ended.out, StartsWith("same: "));
      ++tried;
    }
  }
  EXPECT_GT(tried, 65U);
}

TEST_F(BrokenRun, SendsTheFaultAgainWhereAskedTo) {
  ASSERT_TRUE(record("real/01i-rping-v4-p2p-crc.pcap", "DDP-MSNGAP", "responder"));
  const Ended ended = run({"--keep-broken=exact", "--record", file("again.pcapng")});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, StartsWith("same: 1 of 1 streams are as recorded, 9 requests are the same"))
      << "the Terminate that answers it is among them";
  EXPECT_THAT(ended.out, HasSubstr("(MSN 3 on queue 0 where 2 is due): sent again as it was\n"));
  for (const std::string role : {"initiator", "responder"})
    EXPECT_EQ(sent_in(file("again.pcapng"), role), sent_in(file("broken.pcapng"), role));
  const auto json = json_of("json");
  ASSERT_EQ(json["exact"].size(), 1U);
  EXPECT_EQ(json["exact"][0]["id"], "DDP-MSNGAP");
  EXPECT_EQ(json["exact"][0]["not_exact"], nullptr);
  EXPECT_TRUE(json["mended"].empty());
}

// A replay frames anew and needs no leave for it; that the recording was wrong it says all the same.
TEST_F(BrokenRun, NamesWrongFramingThatItMakesAnew) {
  ASSERT_TRUE(record("real/01i-rping-v4-p2p-crc.pcap", "MPA-LEN", "responder"));
  const Ended ended = run();
  EXPECT_THAT(ended.out, HasSubstr("recorded stream 0: its responder breaks MPA-LEN in frame "));
  EXPECT_THAT(ended.out, HasSubstr("run without the fault\n"));
}

TEST_F(BrokenRun, SendsItInEveryLoop) {
  ASSERT_TRUE(record("real/01i-rping-v4-p2p-crc.pcap", "DDP-QN", "initiator"));
  const Ended ended = run({"--keep-broken=exact", "--loop", "3"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("0 of 3 loops diverged"));
}

TEST_F(BrokenRun, SaysWhatItCannotSendAgain) {
  ASSERT_TRUE(record("real/01i-rping-v4-p2p-crc.pcap", "MPA-KEY", "initiator"));
  const Ended ended = run({"--keep-broken=exact"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("run without the fault (not exactly: MPA-KEY is in no message that could "
                                   "be sent again)\n"));
  EXPECT_THAT(json_of("json")["mended"][0]["not_exact"], HasSubstr("MPA-KEY"));
}

TEST_F(BrokenRun, NeedsTheCaptureToSendFaultsAgain) {
  ASSERT_TRUE(record("real/01i-rping-v4-p2p-crc.pcap", "DDP-MSNGAP", "responder"));
  ASSERT_EQ(call({"plan", file("broken.pcapng"), "-o", file("plan")}).status, 0);
  const Ended ended = call({"run", file("plan"), "--in-memory", "--keep-broken=exact"});
  EXPECT_THAT(ended.out, HasSubstr("(not exactly: a plan has not the octets of faults, its capture has)"));
}

TEST_F(BrokenRun, TakesOneWordOnHowToKeepFaults) {
  const Ended ended = call({"run", "x", "--in-memory", "--keep-broken=roughly"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("--keep-broken takes nothing, or =exact, not 'roughly'"));
}

// Of each row, and either end: what is sent again is what was sent, and what is not is named.
TEST_F(BrokenRun, SendsWhateverRuleWasBrokenAgain) {
  std::size_t exact = 0;
  std::string not_exact;
  for (const Breach* const breach : all_breaches()) {
    for (const char* const role : {"initiator", "responder"}) {
      if (!record_any(breach->name(), role)) continue;
      SCOPED_TRACE(breach->name() + " by " + role);
      const Ended ended = run({"--keep-broken=exact", "--record", file("again.pcapng")});
      EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
      EXPECT_THAT(ended.out, StartsWith("same: "));
      const auto json = json_of("json");
      if (json["exact"].empty()) {
        for (const auto& each : json["mended"]) EXPECT_THAT(each["not_exact"], testing::Not(nullptr));
        if (!json["mended"].empty()) not_exact += " " + breach->name();
        continue;
      }
      EXPECT_EQ(sent_in(file("again.pcapng"), role), sent_in(file("broken.pcapng"), role));
      ++exact;
    }
  }
  EXPECT_GE(exact, 60U) << "not exactly:" << not_exact;
}

// Of each row broken by the responder: a healthy live one in its place. Nothing has to be asked for, and what
// the recording did wrong is said. Where both sides sent a Request there is no responder.
TEST_F(BrokenRun, RunsAgainstAHealthyPeerInThePlaceOfWhoBrokeTheRule) {
  std::size_t tried = 0;
  for (const Breach* const breach : all_breaches()) {
    if (breach->check == CheckId::mpa_initinit || !record_any(breach->name(), "responder")) continue;
    SCOPED_TRACE(breach->name());
    if (run().err.find("is left out") == std::string::npos) continue;
    std::filesystem::remove(file("err"));
    const pid_t peer = begin_apart({"run", file("broken.pcapng"), "--as", "responder", "--listen",
                                    "127.0.0.1:0", "--keep-broken", "--timing", "topspeed"},
                                   file("out"), file("err"));
    const std::string at = "127.0.0.1:" + std::to_string(listening_port(file("err")));
    const Ended ended = call({"run", file("broken.pcapng"), "--as", "initiator", "--connect", at, "--timing",
                              "topspeed", "--start-delay", "0"});
    EXPECT_EQ(end_of(peer), 0) << octets_of(file("out"));
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, StartsWith("same: "));
    EXPECT_THAT(ended.out, HasSubstr(std::string("its responder breaks ") + check_info(breach->check).id));
    EXPECT_THAT(ended.out, HasSubstr("run without the fault\n"));
    ++tried;
  }
  EXPECT_GT(tried, 30U);
}

}  // namespace
}  // namespace iwarp::replay
