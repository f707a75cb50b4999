// compare: two captures or plans, as a user calls it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "replay/commands/command_called.hpp"
#include "support/capture_damage.hpp"
#include "support/capture_read.hpp"
#include "support/json_schema.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using CompareCommand = CommandTest;

TEST_F(CompareCommand, ADifferenceIsStatusOneAndShownFirst) {
  const Ended compared = call({"compare", capture(rping_capture), capture("real/01k-rping-v4-mpav1.pcap")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("first divergence: "));
  const Ended json =
      call({"compare", capture(rping_capture), capture("real/01k-rping-v4-mpav1.pcap"), "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["same"], false);
}

// <(zcat …) of a shell.
TEST_F(CompareCommand, WhatComesThroughAPipeIsReadWhole) {
  ASSERT_EQ(::mkfifo(file("live").c_str(), 0600), 0);
  std::thread writer(
      [&] { std::ofstream(file("live"), std::ios::binary) << octets_of(capture(rping_capture)); });
  const Ended compared = call({"compare", capture(rping_capture), file("live")});
  writer.join();
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, testing::StartsWith("same: ")) << compared.out;
}

TEST_F(CompareCommand, OfSeveralStreamsTheResultOfAllComesFirst) {
  const std::string name = capture("real/03f-close-variants.pcap");
  EXPECT_THAT(call({"compare", name, name}).out, testing::StartsWith("same: 9 of 9 streams are the same\n"));
  const Ended other = call({"compare", name, capture("real/03g-reject.pcap")});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, testing::StartsWith("diverged: 0 of 9 streams are the same\n"));
}

TEST_F(CompareCommand, PayloadOfTwoCapturesIsCompared) {
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--payload",
                          "seeded:7", "--own-stags", "other", "--record", file("seeded.pcapng")});
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const Ended compared = call({"compare", capture(rping_capture), file("seeded.pcapng")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("first divergence: "));
  EXPECT_THAT(compared.out, HasSubstr("payload differs from octet 0 on: recorded 72 64 6d 61")) << "rdma";
  const auto json =
      nlohmann::json::parse(call({"compare", capture(rping_capture), file("seeded.pcapng"), "--json"}).out);
  EXPECT_EQ(json["streams"][0]["first"]["class"], "different");
  EXPECT_EQ(json["streams"][0]["first"]["fields"], nlohmann::json::array({"payload"}));
  EXPECT_EQ(
      call({"compare", capture(rping_capture), file("seeded.pcapng"), "--ignore", "field:payload"}).status,
      0);
  // A plan knows the octets of the capture it was made from, and none when they are seeded.
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("plan")}).status, 0);
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("anonymous"), "--anonymise"}).status, 0);
  EXPECT_EQ(call({"compare", capture(rping_capture), file("plan")}).status, 0);
  EXPECT_EQ(call({"compare", file("plan"), file("seeded.pcapng")}).status, 1);
  EXPECT_EQ(call({"compare", file("anonymous"), file("seeded.pcapng")}).status, 0);
  EXPECT_EQ(call({"compare", capture(rping_capture), file("anonymous")}).status, 0);
}

// What lay behind the damage nobody knows.
TEST_F(CompareCommand, DamageIsToldOfAndWhatLiesBehindItIsUndecidable) {
  for (const char* const name :
       {"real/01g-rping-v4-mtu1500-notso-crc-S5000.pcap", "real/09a-50-parallel-rping-crc-terminate.pcap"}) {
    const std::string whole = capture(name);
    std::filesystem::copy_file(whole, file("cut.pcap"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file("cut.pcap"), 3000);
    const nlohmann::json schema = strict_schema();
    for (const bool reversed : {false, true}) {
      const std::string& first = reversed ? whole : file("cut.pcap");
      const std::string& second = reversed ? file("cut.pcap") : whole;
      const Ended compared = call({"compare", first, second});
      EXPECT_EQ(compared.status, 2) << "damaged input";
      EXPECT_THAT(compared.err, HasSubstr("/cut.pcap: record "));
      EXPECT_THAT(compared.err, HasSubstr(" is longer than the file\n"));
      EXPECT_THAT(compared.out, HasSubstr("undecidable (capture_end): "));
      const auto json = nlohmann::json::parse(call({"compare", first, second, "--json"}).out);
      EXPECT_EQ(json["same"], true);
      EXPECT_EQ(test::violation(json, schema["definitions"]["comparison"], schema), "");
    }
  }
}

// A replay leaves streams out whose peers broke rules: its recording is not to blame for that.
TEST_F(CompareCommand, ARecordingIsAsTheRunWas) {
  const std::string recorded = capture("real/03j-client-vs-plain-tcp.pcap");
  ASSERT_EQ(
      call({"run", recorded, "--loopback", "--timing", "topspeed", "--record", file("again.pcapng")}).status,
      2);
  const Ended compared = call({"compare", recorded, file("again.pcapng")});
  EXPECT_EQ(compared.status, 0) << compared.out;
  EXPECT_THAT(compared.err, HasSubstr("stream 2 is left out, as a recording of iwarp-replay lacks it: its "
                                      "responder breaks MPA-KEY in frame 28"));
  // The same packets in a capture of somebody else's.
  std::ifstream in(file("again.pcapng"), std::ios::binary);
  std::string octets(std::istreambuf_iterator<char>(in), {});
  octets[octets.find("iwarp-replay")] = 'I';
  std::ofstream(file("other.pcapng"), std::ios::binary) << octets;
  const Ended other = call({"compare", recorded, file("other.pcapng")});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, HasSubstr("missing stream: 10.1.1.2:33315 to 10.1.1.1:7190; its responder breaks "
                                   "MPA-KEY in frame 28 "));
  EXPECT_THAT(other.out, HasSubstr(": a replay leaves it out\n"));
}

// A file that ends because the run did has all that the run did.
TEST_F(CompareCommand, WhatARunDidNotComeToIsMissingInItsRecording) {
  const Ended run =
      call({"run", capture(rping_capture), "--in-memory", "--limit", "9", "--record", file("short")});
  EXPECT_EQ(run.status, 0) << run.err;
  const Ended compared = call({"compare", capture(rping_capture), file("short")});
  EXPECT_EQ(compared.status, 1) << compared.out;
  EXPECT_THAT(compared.out, HasSubstr("missing: recorded"));
}

// Of what a capture lacks a run shows what its plan concluded, and so does the comparison with its recording,
// in which the streams are in the order of their plan.
TEST_F(CompareCommand, ARecordingOfADamagedCaptureIsAsTheRunWas) {
  for (const char* const name : {"real/03c-sizes-crc.pcap.gz", "real/03e-term-norecv.pcap",
                                 "real/09a-50-parallel-rping-crc-terminate.pcap"}) {
    const test::Segments whole = test::read_capture(capture(name)).segments;
    int compared = 0;
    for (const test::CaptureDamage& damage : test::capture_damages()) {
      SCOPED_TRACE(std::string(name) + ", " + damage.name);
      test::Numbers numbers(2);
      test::Segments segments = whole;
      damage.apply(segments, numbers);
      ASSERT_TRUE(test::write_file(file("damaged"), test::pcap_file(segments)));
      const Ended run = call({"run", file("damaged"), "--in-memory", "--record", file("recording")});
      if (run.status == 2) continue;  // nothing can be run
      EXPECT_EQ(run.status, 0) << run.out << run.err;
      const Ended same = call({"compare", file("damaged"), file("recording")});
      EXPECT_EQ(same.status, 0) << same.out << same.err;
      ++compared;
    }
    EXPECT_GE(compared, 10) << name;
  }
}

// A FIN leaves before the peer's RST comes, or does not: in memory the one, over loopback the other.
TEST_F(CompareCommand, AFinMayCrossARst) {
  const std::string recorded = capture("real/03e-term-write_big_oob.pcap");
  ASSERT_EQ(call({"run", recorded, "--in-memory", "--record", file("memory")}).status, 0);
  ASSERT_EQ(call({"run", recorded, "--loopback", "--timing", "topspeed", "--record", file("sockets")}).status,
            0);
  EXPECT_EQ(call({"compare", file("memory"), file("sockets")}).status, 0);
  EXPECT_EQ(call({"compare", file("sockets"), file("memory")}).status, 0);
}

// Connections of several hosts are opened at once, so that their order tells nothing.
TEST_F(CompareCommand, StreamsOfARecordingAreFoundWhateverTheirOrder) {
  test::Segments merged;
  for (const char* const name : {"real/04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz", "real/02a-send_lat-2B.pcap",
                                 "real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz"}) {
    const test::Segments one = test::read_capture(capture(name)).segments;
    const auto before = static_cast<TimeNs>(merged.size());
    const TimeNs begin = one.front().meta.time_ns;
    for (const test::OwnedSegment& each : one) {
      merged.push_back(each);
      merged.back().meta.time_ns += 1'000'000'000 + before - begin;
    }
  }
  std::ranges::stable_sort(merged, {}, [](const test::OwnedSegment& each) { return each.meta.time_ns; });
  ASSERT_TRUE(test::write_file(file("merged"), test::pcap_file(merged)));
  const auto expect_same = [&](const char* recorded, const char* live) {
    const Ended compared = call({"compare", file(recorded), file(live)});
    EXPECT_EQ(compared.status, 0) << recorded << ", " << live << ": " << compared.out << compared.err;
    EXPECT_THAT(compared.out, testing::StartsWith("same: "));
  };
  for (const char* const timing : {"topspeed", "causal"}) {
    const Ended run =
        call({"run", file("merged"), "--in-memory", "--timing", timing, "--record", file(timing)});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    expect_same("merged", timing);
    expect_same(timing, "merged");
  }
  // Recordings of the same, of a part of it, of one another, and of several loops.
  expect_same("topspeed", "topspeed");
  expect_same("topspeed", "causal");
  ASSERT_EQ(
      call({"run", file("merged"), "--in-memory", "--stream", "1", "--loop", "2", "--record", file("one")})
          .status,
      0);
  expect_same("one", "one");
  ASSERT_EQ(call({"run", file("causal"), "--in-memory", "--record", file("again")}).status, 0);
  expect_same("causal", "again");
  ASSERT_EQ(call({"run", file("merged"), "--in-memory", "--loop", "2", "--record", file("loops")}).status, 0);
  expect_same("merged", "loops");
}

// So does the plan of a capture, which stands for a recording of its run.
TEST_F(CompareCommand, ACaptureIsAsItsPlanEvenWhereRulesAreBroken) {
  for (const char* const name : {"real/10b-evilpeer-cases.pcap", "generated/t06-wrong-fields.pcap"}) {
    const std::string recorded = capture(name);
    ASSERT_EQ(call({"plan", recorded, "-o", file("plan")}).status, 0);
    const Ended compared = call({"compare", recorded, file("plan")});
    EXPECT_NE(compared.status, 1) << compared.out;
    EXPECT_THAT(compared.err, HasSubstr(" is left out, as a recording of iwarp-replay lacks it: its "));
    const Ended plans = call({"compare", file("plan"), file("plan")});
    EXPECT_EQ(plans.status, compared.status) << plans.out;
  }
}

TEST_F(CompareCommand, RulesBrokenAreToldBehindTheResult) {
  const Ended compared = call({"compare", capture(rping_capture), capture("real/10b-evilpeer-cases.pcap")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, testing::ContainsRegex("\n[A-Z]+-[A-Z0-9]+ in live frame [0-9]+: "));
  EXPECT_THAT(compared.out, HasSubstr(" more: --json has all of them\n"));
  const Ended json =
      call({"compare", capture(rping_capture), capture("real/10b-evilpeer-cases.pcap"), "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_GT(parsed["findings"].size(), 5U);
  const nlohmann::json schema = strict_schema();
  EXPECT_EQ(test::violation(parsed, schema["definitions"]["comparison"], schema), "");
}

}  // namespace
}  // namespace iwarp::replay
