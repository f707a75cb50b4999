// The report of a run, for scripts.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compare/stream_log.hpp"
#include "replay/commands/command_called.hpp"
#include "support/json_schema.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using RunReport = CommandTest;

TEST_F(RunReport, ReportsAreWhatTheSchemaPromises) {
  const nlohmann::json schema = strict_schema();
  const auto valid = [&](const nlohmann::json& value, const char* what) {
    return test::violation(value, schema["definitions"][what], schema);
  };
  for (const char* const name :
       {"real/01a-rping-v4-mtu1500-tso.pcap", "real/08l-snap96-rping-crc-S5000.pcap",
        "real/03e-term-write_oob.pcap", "real/02u-atomic-unsupported.pcap", "real/03g-reject.pcap"}) {
    const Ended run = call({"run", capture(name), "--loopback", "--timing", "original", "--max-gap", "5ms",
                            "--report", file("report.json")});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr("posted behind their recorded times: median "));
    const auto json = json_of("report.json");
    EXPECT_EQ(valid(json, "report"), "") << name;
    EXPECT_GE(json["timing"]["late_max_ns"], json["timing"]["late_p99_ns"]);
  }
  const Ended compared =
      call({"compare", capture(rping_capture), capture("real/01k-rping-v4-mpav1.pcap"), "--json"});
  EXPECT_EQ(valid(nlohmann::json::parse(compared.out), "comparison"), "");
}

TEST_F(RunReport, TheReportHasEachMessageAndItsPayload) {
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("plan")}).status, 0);
  const Ended run = call({"run", file("plan"), "--loopback", "--timing", "topspeed", "--report", file("r")});
  ASSERT_EQ(run.status, 0) << run.out;
  const auto json = json_of("r");
  std::map<std::string, int> payload;
  for (const auto& each : json["comparison"]["streams"][0]["messages"]) {
    EXPECT_EQ(each["verdict"], "same");
    ++payload[each["payload"].get<std::string>()];
  }
  EXPECT_GE(payload["same"], 10) << run.out;
}

TEST_F(RunReport, AnInjectedFaultIsToldWithWhatThePeerMadeOfIt) {
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--inject",
                          "DDP-MSNGAP@0,initiator,3", "--report", file("report.json")});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("injected DDP-MSNGAP in Send (message 3) of the initiator of stream 0; due: "
                                 "Terminate 1203 or 1202 (RFC 5041 §7.1); seen: Terminate 1203"));
  EXPECT_THAT(run.out, HasSubstr("first divergence: initiator, different in msn: "));
  EXPECT_THAT(run.out, HasSubstr("\n  which breaks DDP-MSNGAP (RFC 5041 §4.3): "));
  const auto json = json_of("report.json");
  const auto& stream = json["comparison"]["streams"][0];
  EXPECT_EQ(stream["broken"]["id"], "DDP-MSNGAP");
  EXPECT_EQ(stream["broken"]["from"], "initiator");
  EXPECT_EQ(stream["answer"]["code"], "0x1203");
  const nlohmann::json schema = strict_schema();
  EXPECT_EQ(test::violation(json, schema["definitions"]["report"], schema), "");
  ASSERT_EQ(json["injections"].size(), 1U);
  EXPECT_EQ(json["injections"][0]["id"], "DDP-MSNGAP");
  EXPECT_EQ(json["injections"][0]["verdict"], "conforms");
}

TEST_F(RunReport, AContinuousIntegrationGetsTestCases) {
  const Ended broken = call({"run", capture(rping_capture), "--in-memory", "--timing", "topspeed", "--inject",
                             "DDP-MSNGAP@0,initiator,3", "--loop", "4", "--stop-on-divergence", "--quiet",
                             "--junit", file("x.xml"), "--report", file("report.json")});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("; 1 of 1 loops diverged, loop 1 first\n"));
  const std::string xml = octets_of(file("x.xml"));
  EXPECT_THAT(xml, testing::StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(
      xml,
      HasSubstr("<testcase classname=\"iwarp-replay\" name=\"stream 0, 10.1.1.2:55625 to 10.1.1.1:7174\">"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"initiator, different in msn: recorded send 16 octets"));
  EXPECT_THAT(xml, HasSubstr("\n  &gt;  "));  // the table's mark
  EXPECT_EQ(json_of("report.json")["loops"]["first_diverged"], 1);

  const Ended sound = call({"run", capture(rping_capture), "--in-memory", "--timing", "topspeed", "--quiet",
                            "--junit", file("y.xml")});
  EXPECT_EQ(sound.status, 0);
  EXPECT_EQ(sound.out, "");
  EXPECT_THAT(octets_of(file("y.xml")),
              HasSubstr("name=\"stream 0, 10.1.1.2:55625 to 10.1.1.1:7174\"/>\n</testsuite>\n"));
  EXPECT_EQ(call({"run", capture(rping_capture), "--in-memory", "--junit", file("z"), "--report", file("z")})
                .status,
            2);
}

TEST_F(RunReport, ASlowerRunDivergesWhereThereIsALimit) {
  const std::vector<std::string> words = {"run", capture(rping_capture), "--in-memory", "--report",
                                          file("r.json")};
  const auto run = [&](const std::vector<std::string>& limits) {
    std::vector<std::string> all = words;
    for (const std::string& each : limits) all.insert(all.end(), {"--latency-limit", each});
    return call(all);
  };
  EXPECT_EQ(run({"read:p99:1000", "read:p50:1s", "atomic:p50:1ns"}).status, 0);
  EXPECT_EQ(json_of("r.json")["too_slow"].size(), 0U);
  const Ended slow = run({"read:p99:1000", "read:p50:1ns"});
  EXPECT_EQ(slow.status, 1);
  EXPECT_THAT(slow.out, testing::StartsWith("diverged: "));
  EXPECT_THAT(slow.out, HasSubstr("\ntoo slow: stream 0: the median of 5 read latencies is "));
  EXPECT_EQ(json_of("r.json")["too_slow"].size(), 1U);
  EXPECT_EQ(json_of("r.json")["verdict"], "diverged");
  for (const char* const wrong :
       {"read", "read:p99", "send:p50:2", "read:p90:2", "read:p99:0", "read:p99:-1ms", "read:p99:x"}) {
    EXPECT_THAT(run({wrong}).err, HasSubstr("--latency-limit takes OP:PERCENTILE:FACTOR")) << wrong;
  }
}

TEST_F(RunReport, TheReportGoesToStandardOutputAlone) {
  const Ended run =
      call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--report", "-"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(nlohmann::json::parse(run.out)["same"], true);
  EXPECT_THAT(run.err, HasSubstr("same: 1 of 1 streams are as recorded"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(RunReport, LiveTimesAndFramesAreThoseOfTheRecording) {
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--loop", "2",
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
  const auto json = json_of("report.json");
  for (const auto& each : json["comparison"]["streams"][0]["messages"])
    told.emplace(each["live"]["frame"].get<std::uint64_t>(), each["live"]["time_ns"].get<TimeNs>());
  EXPECT_EQ(told, there);
  EXPECT_EQ(told.size(), 32U);
}

TEST_F(RunReport, ResultsAreOpenedBeforeTheRunAndAreNotItsInput) {
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("plan")}).status, 0);
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

}  // namespace
}  // namespace iwarp::replay
