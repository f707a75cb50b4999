// What iwarp-analyze writes of sessions over SCTP, alone and among TCP connections.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "sctp/twin.hpp"
#include "support/analyze_program.hpp"
#include "support/generated_captures.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

using nlohmann::json;

std::vector<json> records(const std::string& text) {
  std::vector<json> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  return all;
}

// Frames of several TCP connections and associations, which take turns.
std::string mixed_capture() {
  std::vector<FrameRecord> all;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto port = static_cast<std::uint16_t>(50000 + seed);
    if (seed % 2 == 0) {
      const SctpConversation c = carried(
          {submitted(random_traffic(seed, {})), submitted(random_traffic(seed + 10, {}))}, {.seed = seed});
      for (OwnedPacket each : c.packets()) {
        store_be16(each.octets.data() + (each.meta.source.port == 40000 ? 0 : 2), port);
        set_checksum(each.octets);
        all.push_back(sctp_record(each));
      }
    } else {
      Conversation::Options options;
      options.a.port = port;
      Conversation c(options);
      c.handshake();
      c.startup();
      for (std::uint32_t msn = 1; msn < 30; ++msn)
        c.fpdu(msn % 2 == 1 ? Side::a : Side::b, send((msn + 1) / 2, pattern(100)));
      c.close();
      for (const OwnedSegment& each : c.segments())
        all.push_back({each.meta.time_ns, cat(hex("02000000000b 02000000000a 0800"), ip_packet(each))});
    }
  }
  SctpConversation both({.a = endpoint("192.0.2.1", 50007), .tag_a = 7, .tag_b = 8});
  both.associate();
  both.packet(Side::a, {both.control(Side::a, 0, 1), both.control(Side::a, 1, 1)});  // begins two at once
  both.packet(Side::b, {both.sack(Side::b), both.control(Side::b, 0, 2), both.control(Side::b, 1, 2)});
  both.close(0);
  both.close(1);
  for (const OwnedPacket& each : both.packets()) all.push_back(sctp_record(each));
  std::ranges::stable_sort(all, {}, &FrameRecord::time_ns);
  const std::string path = std::filesystem::temp_directory_path() / "iwarp-mixed-sctp.pcap";
  EXPECT_TRUE(write_file(path, pcap_file(1, all)));
  return path;
}

TEST(Output, StreamRecordsSayWhichSctpStream) {
  const ProgramRun run =
      run_analyze("--format jsonl --records streams,fpdus,summary " + generated_path("sctp-sessions.pcap"));
  EXPECT_EQ(run.status, 0);
  std::vector<json> sctp;
  for (const json& record : records(run.out)) {
    if (record["type"] == "stream") sctp.push_back(record["sctp"]);
    if (record["type"] == "fpdu") {
      EXPECT_TRUE(record["ulpdu_length"].is_null());
      EXPECT_TRUE(record["crc"].is_null());
      EXPECT_TRUE(record["markers"].is_null());
    }
    if (record["type"] == "summary") {
      EXPECT_TRUE(record["skipped"].empty());
    }
  }
  std::ranges::sort(sctp, {}, [](const json& each) { return each.dump(); });
  EXPECT_EQ(sctp, (std::vector<json>{{{"stream", 0}, {"session", 1}},
                                     {{"stream", 3}, {"session", 1}},
                                     {{"stream", 0}, {"session", 2}}}));
}

TEST(Output, FiltersNameTheSctpStream) {
  const ProgramRun run = run_analyze("--format jsonl --records streams --filter 'sctp.stream == 3' " +
                                     generated_path("sctp-sessions.pcap"));
  ASSERT_EQ(records(run.out).size(), 1U);
  EXPECT_EQ(records(run.out)[0]["stream"], 1);
  const ProgramRun tcp = run_analyze("--format jsonl --records streams --filter 'sctp.stream == 3' " +
                                     generated_path("t08-immediates.pcap"));
  EXPECT_EQ(tcp.out, "");
}

TEST(Output, TheReportNamesTheSctpStream) {
  const ProgramRun run = run_analyze(generated_path("sctp-sessions.pcap"));
  EXPECT_NE(run.out.find("[2001:db8::1]:40000 → [2001:db8::2]:5001, SCTP stream 3 "), std::string::npos);
  EXPECT_NE(run.out.find("SCTP stream 0, session 2"), std::string::npos);
}

TEST(Output, TablesHaveTheSameColumns) {
  const auto columns = [](const std::string& capture) {
    const ProgramRun run = run_analyze("--format csv --records streams " + generated_path(capture));
    return run.out.substr(0, run.out.find("\r\n"));
  };
  EXPECT_EQ(columns("sctp-sessions.pcap"), columns("t08-immediates.pcap"));
}

TEST(Output, ManyThreadsSayWhatOneDoes) {
  const std::string path = mixed_capture();
  const std::string what =
      "--format jsonl --records streams,fpdus,messages,operations,findings,states,summary ";
  const ProgramRun one = run_analyze(what + "--threads 1 " + path);
  EXPECT_EQ(one.status, 0);
  for (const char* threads : {"2", "3", "5"}) {
    const ProgramRun several = run_analyze(what + "--threads " + threads + " " + path);
    EXPECT_EQ(several.out, one.out) << threads;
  }
  std::size_t over_sctp = 0;
  std::size_t over_tcp = 0;
  for (const json& record : records(one.out)) {
    if (record["type"] == "stream") ++(record.contains("sctp") ? over_sctp : over_tcp);
    if (record["type"] == "finding") {
      EXPECT_EQ(record["severity"], "info") << record;
    }
  }
  EXPECT_EQ(over_sctp, 8U);
  EXPECT_EQ(over_tcp, 3U);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace iwarp::test
