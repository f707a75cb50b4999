// Recordings in which an end broke a rule: each rule is broken in a run, whose recording is run again.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inject/catalogue.hpp"
#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BrokenRun : public CommandTest {
 protected:
  // A recording of this traffic in which `role` breaks a rule; false: it has no place for that.
  bool record(const std::string& traffic, const std::string& injection, const char* role) {
    const Ended made = call({"run", capture(traffic), "--in-memory", "--timing", "topspeed", "--inject",
                             injection + "@," + role, "--record", file("broken.pcapng")});
    return made.status != 2;
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
  const std::vector<std::string> traffic = {
      "real/01i-rping-v4-p2p-crc.pcap", "real/03a-send-variants.pcap", "real/03d-burst-readmany.pcap",
      "real/01a-rping-v4-mtu1500-tso.pcap", "generated/t11-atomics.pcap"};
  std::size_t tried = 0;
  for (const Breach* const breach : all_breaches()) {
    for (const char* const role : {"initiator", "responder"}) {
      const auto found = std::find_if(traffic.begin(), traffic.end(), [&](const std::string& each) {
        return record(each, breach->name(), role);
      });
      if (found == traffic.end()) continue;
      SCOPED_TRACE(breach->name() + " by " + role + " in " + *found);
      if (run().err.find("is left out") == std::string::npos) continue;
      const Ended ended = run({"--keep-broken"});
      EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
      EXPECT_THAT(ended.out, StartsWith("same: "));
      ++tried;
    }
  }
  EXPECT_GT(tried, 65U);
}

}  // namespace
}  // namespace iwarp::replay
