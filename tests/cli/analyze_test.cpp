// iwarp-analyze on real captures: formats, narrowing, states, several captures, damage, interruption.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/program.hpp"

namespace iwarp::test {
namespace {

using nlohmann::json;

std::vector<json> records_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--format", "jsonl"});
  const Outcome outcome = analyze(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return records(outcome.out);
}

std::map<std::string, int> types_of(const std::vector<json>& all) {
  std::map<std::string, int> types;
  for (const json& record : all) ++types[record["type"]];
  return types;
}

TEST(AnalyzeTest, DefaultRecordsOfJsonLines) {
  const auto all = records_of({real_capture("01a")});
  const auto types = types_of(all);
  EXPECT_EQ(types, (std::map<std::string, int>{{"operation", 30}, {"stream", 1}, {"summary", 1}}));
  for (const json& record : all) EXPECT_FALSE(record.contains("capture"));
  const json& summary = all.back();
  EXPECT_EQ(summary["frames"], 50);
  EXPECT_EQ(summary["streams"], 1);
  EXPECT_EQ(summary["messages"]["send"], 20);
  EXPECT_EQ(summary["messages"]["read_response"], 5);
  EXPECT_EQ(summary["messages"]["terminate"], 0);
}

TEST(AnalyzeTest, StreamOfARealStartUp) {
  const auto all = records_of({"--records", "streams", real_capture("01g")});
  ASSERT_EQ(all.size(), 1U);
  const json& stream = all[0];
  EXPECT_EQ(stream["start"], "handshake");
  EXPECT_EQ(stream["role_basis"], "mpa");
  EXPECT_EQ(stream["mpa"]["rev"], 2);
  EXPECT_EQ(stream["mpa"]["crc"], true);
  EXPECT_EQ(stream["mpa"]["markers"]["from_initiator"], false);
  EXPECT_EQ(stream["crc"], json::parse(R"({"good": 65, "bad": 0, "unchecked": 0})"));
  EXPECT_EQ(stream["mpa"]["private_data"]["initiator"], "");
  EXPECT_EQ(stream["close"], "fin");
}

TEST(AnalyzeTest, ATerminateRefersToWhatItRefused) {
  const auto all = records_of({"--records", "streams,messages,fpdus", real_capture("03e-term-write_ro")});
  json refused;
  json message;
  for (const json& record : all) {
    if (record["type"] == "fpdu" && record["opcode"] == "rdma_write") refused = record["frame"];
    if (record["type"] == "message" && record["opcode"] == "terminate") message = record;
    if (record["type"] == "message" && record["opcode"] != "terminate") {
      EXPECT_EQ(record["refers_to_frame"], nullptr);
    }
  }
  ASSERT_TRUE(refused.is_number());
  EXPECT_EQ(message["refers_to_frame"], refused);
  EXPECT_EQ(all.back()["terminates"][0]["refers_to_frame"], refused);
  const std::string report = analyze({real_capture("03e-term-write_ro")}).out;
  EXPECT_NE(report.find("refusing the RDMA Write of frame " + refused.dump()), std::string::npos) << report;
}

TEST(AnalyzeTest, FpdusNameTheirOctetsInTheCapture) {
  for (const json& fpdu : records_of({"--records", "fpdus", real_capture("01m")})) {
    std::uint64_t octets = 0;
    for (const json& slice : fpdu["slices"]) octets += slice[2].get<std::uint64_t>();
    const auto unpadded = 2 + fpdu["ulpdu_length"].get<std::uint64_t>();
    EXPECT_EQ(octets, (unpadded + 3) / 4 * 4 + 4);
    EXPECT_EQ(fpdu["slices"].back()[0], fpdu["frame"]);
  }
}

TEST(AnalyzeTest, TheStateAfterAFrameCountsWhatCameUpToIt) {
  const std::string capture = real_capture("01g");
  const auto fpdus = records_of({"--records", "fpdus", capture});
  for (const std::uint64_t frame : {1U, 7U, 8U, 20U, 60U, 125U}) {
    const auto states = records_of({"--state-at", std::to_string(frame), capture});
    std::map<std::string, std::uint64_t> expected = {{"initiator", 0}, {"responder", 0}};
    for (const json& fpdu : fpdus) {
      if (fpdu["frame"] <= frame) ++expected[fpdu["from"]];
    }
    ASSERT_EQ(states.size(), 1U) << frame;
    EXPECT_EQ(states[0]["type"], "state");
    EXPECT_EQ(states[0]["frame"], frame);
    for (const auto& [role, count] : expected)
      EXPECT_EQ(states[0][role]["counters"]["fpdus"], count) << frame << role;
  }
}

TEST(AnalyzeTest, BeforeTheStartUpStreamsAreStreamingAndIdle) {
  for (const char* frame : {"1", "2", "3"}) {  // the handshake
    const auto states = records_of({"--state-at", frame, real_capture("01g")});
    ASSERT_EQ(states.size(), 1U) << frame;
    for (const char* role : {"initiator", "responder"}) {
      EXPECT_EQ(states[0][role]["phase"], "streaming") << frame;
      EXPECT_EQ(states[0][role]["qp_state"]["value"], "idle") << frame;
      EXPECT_EQ(states[0][role]["qp_state"]["frame"], nullptr) << frame;
    }
  }
  const Outcome text = analyze({"--state-at", "2", real_capture("01g")});
  EXPECT_TRUE(text.out.starts_with("Stream 0 after frame 2: 10.1.1.2:40805 → 10.1.1.1:7174\n")) << text.out;
}

TEST(AnalyzeTest, StatesAreThoseOfTheStreamsBegunByThen) {
  const std::string capture = real_capture("10b");
  const auto streams = records_of({"--records", "streams", capture});
  for (const std::uint64_t frame : {1U, 40U, 110U, 140U, 141U, 200U, 859U}) {
    std::set<int> begun;
    for (const json& stream : streams) {
      if (stream["first_frame"] <= frame) begun.insert(stream["stream"].get<int>());
    }
    std::set<int> told;
    for (const json& state : records_of({"--state-at", std::to_string(frame), capture})) {
      EXPECT_TRUE(told.insert(state["stream"].get<int>()).second);
    }
    EXPECT_EQ(told, begun) << frame;
  }
}

TEST(AnalyzeTest, WhereNoStreamHadBegunThatIsSaid) {
  const Outcome none = analyze({"--state-at", "2", real_capture("03i")});
  EXPECT_EQ(none.status, 0);
  EXPECT_NE(none.out.find(": no iWARP stream had begun by frame 2\n"), std::string::npos) << none.out;
  const Outcome other = analyze({"--state-at", "2", "--stream", "5", real_capture("10b")});
  EXPECT_NE(other.out.find(": no iWARP stream 5 had begun by frame 2\n"), std::string::npos) << other.out;
  EXPECT_TRUE(records_of({"--state-at", "2", real_capture("03i")}).empty());
}

TEST(AnalyzeTest, FindingsCountForTheStatusWhereOnlyStatesArePrinted) {
  const std::string capture = real_capture("10b");  // has errors, in its last frames, too
  for (const char* format : {"text", "jsonl"}) {
    for (const char* frame : {"1", "20", "859"}) {
      EXPECT_EQ(analyze({"--state-at", frame, "--format", format, "--fail-on", "error", capture}).status, 1)
          << format << frame;
      EXPECT_EQ(analyze({"--state-at", frame, "--format", format, capture}).status, 0) << format << frame;
    }
  }
  EXPECT_EQ(analyze({"--state-at", "20", "--fail-on", "error", real_capture("01g")}).status, 0);
}

TEST(AnalyzeTest, StatesComeBetweenTheOtherRecords) {
  const auto all = records_of({"--state-at", "20", "--records", "fpdus,summary", real_capture("01g")});
  bool seen = false;
  for (const json& record : all) {
    if (record["type"] == "state") seen = true;
    if (record["type"] == "fpdu") {
      EXPECT_EQ(record["frame"] > 20, seen);
    }
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(all.back()["type"], "summary");
}

TEST(AnalyzeTest, StreamsThatEndedBeforeHaveTheirLastState) {
  const std::string many = real_capture("03f");
  const auto last = records_of({"--state-at", "102", many});
  const auto streams = records_of({"--records", "streams", many});
  EXPECT_EQ(last.size(), streams.size());
}

TEST(AnalyzeTest, AFrameBeyondTheCaptureIsSaid) {
  const Outcome outcome = analyze({"--state-at", "5000", real_capture("01a")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("has no frame 5000, the last one is 50"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("Stream 0 after frame 5000"), std::string::npos);
}

TEST(AnalyzeTest, NarrowingLeavesTheAnalysisAlone) {
  const std::string hostile = real_capture("10b");
  const auto all = records_of({hostile});
  const auto narrow = records_of({"--stream", "18", "--min-severity", "error", hostile});
  EXPECT_EQ(narrow.back(), all.back());
  for (const json& record : narrow) {
    if (record.contains("stream")) {
      EXPECT_EQ(record["stream"], 18);
    }
    if (record["type"] == "finding") {
      EXPECT_EQ(record["severity"], "error");
    }
  }
  EXPECT_EQ(types_of(narrow)["stream"], 1);
}

TEST(AnalyzeTest, FiltersChooseRecords) {
  const auto all = records_of({"--records", "findings,summary", "--filter",
                               "id =~ ^DDP- and severity >= error", real_capture("10b")});
  ASSERT_GT(all.size(), 1U);
  EXPECT_EQ(all.back()["type"], "summary");
  for (const json& record : all) {
    if (record["type"] == "finding") {
      EXPECT_TRUE(record["id"].get<std::string>().starts_with("DDP-"));
    }
  }
}

TEST(AnalyzeTest, CsvHasOneHeaderLineAndAllRows) {
  const Outcome one = analyze({"--format", "csv", "--records", "operations", real_capture("01a")});
  EXPECT_EQ(one.status, 0);
  EXPECT_TRUE(one.out.starts_with("type,stream,op,requester,request_frame,")) << one.out;
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 31);
  const Outcome two = analyze({"--format", "csv", real_capture("01a"), real_capture("01g")});
  EXPECT_TRUE(two.out.starts_with("type,capture,stream,")) << two.out;
  EXPECT_EQ(std::count(two.out.begin(), two.out.end(), '\n'), 3);
}

TEST(AnalyzeTest, SeveralCapturesComeInOrderWithTheirNames) {
  std::vector<std::string> arguments = {"--format", "jsonl", "--records",
                                        "streams,findings,operations,summary"};
  const auto captures = all_real_captures();
  arguments.insert(arguments.end(), captures.begin(), captures.end());
  const Outcome alone = analyze(arguments);
  EXPECT_EQ(alone.status, 0);
  std::vector<std::string> order;
  for (const json& record : records(alone.out)) {
    const auto capture = record["capture"].get<std::string>();
    if (order.empty() || order.back() != capture) order.push_back(capture);
  }
  EXPECT_EQ(order, captures);
  arguments.insert(arguments.end(), {"--jobs", "4"});
  const Outcome together = analyze(arguments);
  EXPECT_EQ(together.status, 0);
  EXPECT_EQ(together.out, alone.out);
}

TEST(AnalyzeTest, OneBadCaptureDoesNotHideTheOthers) {
  const Outcome outcome = analyze(
      {"--format", "jsonl", "--records", "summary", real_capture("01a"), "/none.pcap", real_capture("01g")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(records(outcome.out).size(), 2U);
  EXPECT_EQ(outcome.err, "iwarp-analyze: /none.pcap: No such file or directory\n");
}

TEST(AnalyzeTest, WhatStandsBeforeDamageIsPrinted) {
  const std::string whole = read_file(real_capture("01a"));
  const TemporaryFile cut("cut.pcap", std::string_view(whole).substr(0, whole.size() / 2));
  const Outcome outcome = analyze({"--format", "jsonl", "--records", "fpdus,summary", cut.path()});
  EXPECT_EQ(outcome.status, 2);
  const auto before = records(outcome.out);
  const auto intact = records_of({"--records", "fpdus", real_capture("01a")});
  ASSERT_GT(before.size(), 5U);
  for (std::size_t at = 0; at + 1 < before.size(); ++at) EXPECT_EQ(before[at], intact[at]);
  EXPECT_TRUE(outcome.err.starts_with("iwarp-analyze: " + cut.path() + ": ")) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

TEST(AnalyzeTest, StandardInput) {
  const std::string path = real_capture("01a");
  const Outcome outcome = analyze({"--format", "jsonl", "-"}, read_file(path));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(records(outcome.out), records_of({path}));
}

TEST(AnalyzeTest, AClosedPipeEndsItQuietly) {
  const std::string fpdus = "--format jsonl --records fpdus '" + real_capture("02h") + "'";
  const Outcome outcome = shell("{ \"$ANALYZE\" " + fpdus + "; echo status $? >&2; } | head -n 1");
  EXPECT_EQ(records(outcome.out).size(), 1U);
  EXPECT_EQ(outcome.err, "status 0\n");
}

TEST(AnalyzeTest, AFullDiskIsSaid) {
  const Outcome outcome = shell("\"$ANALYZE\" --format jsonl '" + real_capture("01a") + "' > /dev/full");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "iwarp-analyze: standard output cannot be written: No space left on device\n");
}

TEST(AnalyzeTest, AFullDiskIsSaidOfHelpToo) {
  for (const char* const words : {"--help", "--version", "--list-checks", "--list-fields"}) {
    const Outcome outcome = shell(std::string("\"$ANALYZE\" ") + words + " > /dev/full");
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_EQ(outcome.err, "iwarp-analyze: standard output cannot be written: No space left on device\n");
  }
}

TEST(AnalyzeTest, AnInterruptEndsTheWaitForAPipe) {
  // Nothing comes behind the first frames, or nothing at all.
  const std::string capture = "'" + real_capture("01a") + "'";
  for (const char* const octets : {"1000", "0"}) {
    const Outcome outcome = shell(
        "dir=$(mktemp -d); mkfifo $dir/in\n"
        "\"$ANALYZE\" --format jsonl --records summary - <$dir/in & program=$!\n"
        "exec 3>$dir/in; head -c " +
        std::string(octets) + " " + capture +
        " >&3; sleep 0.5; kill -INT $program\n"
        "wait $program; status=$?; exec 3>&-; rm -r $dir; exit $status");
    EXPECT_EQ(outcome.status, 2) << octets;
    EXPECT_NE(outcome.err.find("interrupted"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("damage"), std::string::npos) << outcome.err;
  }
}

TEST(AnalyzeTest, AnInterruptEndsItWithWhatIsKnown) {
  // The second half of the capture comes only after the interrupt: the first line of output shows that the
  // program is at work.
  const std::string capture = "'" + real_capture("01g") + "'";
  const Outcome outcome = shell(
      "dir=$(mktemp -d); mkfifo $dir/in $dir/out\n"
      "\"$ANALYZE\" --format jsonl --records fpdus,summary - <$dir/in >$dir/out & program=$!\n"
      "exec 3>$dir/in 4<$dir/out\n"
      "head -c 20000 " +
      capture +
      " >&3; read -r line <&4; echo \"$line\"\n"
      "kill -INT $program; tail -c +20001 " +
      capture +
      " >&3; exec 3>&-\n"
      "cat <&4; wait $program; status=$?; rm -r $dir; exit $status");
  EXPECT_EQ(outcome.status, 2);
  const auto all = records(outcome.out);
  ASSERT_GT(all.size(), 1U);
  EXPECT_EQ(all.back()["type"], "summary");
  EXPECT_LT(all.back()["frames"], 125);
  EXPECT_NE(outcome.err.find("interrupted after frame"), std::string::npos) << outcome.err;
}

TEST(AnalyzeTest, NoColourWithoutATerminal) {
  const std::string capture = real_capture("03e-term-norecv");
  EXPECT_EQ(analyze({capture}).out.find('\x1b'), std::string::npos);
  EXPECT_NE(analyze({"--color", "always", capture}).out.find('\x1b'), std::string::npos);
}

TEST(AnalyzeTest, ReportsFitAHundredColumnsAndSayWhatIsWrong) {
  const Outcome outcome = analyze({real_capture("10b")});
  std::size_t column = 0;
  for (const char letter : outcome.out) {
    if (letter == '\n') column = 0;
    if (letter != '\n' && (static_cast<unsigned char>(letter) & 0xC0U) != 0x80) ++column;
    EXPECT_LE(column, 100U);
  }
  EXPECT_NE(outcome.out.find("What is wrong and where"), std::string::npos);
  EXPECT_EQ(outcome.out.find("  \n"), std::string::npos);
  EXPECT_NE(analyze({real_capture("01a")}).out.find("Nothing is wrong"), std::string::npos);
  EXPECT_NE(analyze({real_capture("07a")}).out.find("No iWARP was found"), std::string::npos);
}

TEST(AnalyzeTest, AStreamThatIsNotThereIsSaid) {
  const std::string capture = real_capture("01a");  // one stream
  const std::string two = real_capture("02a");
  const std::string plain = real_capture("07a");  // one TCP connection, not iWARP
  const std::string none = "iwarp-analyze: " + capture + ": has no stream 99, there is one: stream 0\n";
  const std::vector<std::string> formats[] = {
      {"--format", "jsonl"}, {"--format", "csv"}, {"--records", "fpdus"}};
  for (std::vector<std::string> arguments : formats) {
    arguments.insert(arguments.end(), {"--stream", "99", capture});
    const Outcome outcome = analyze(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, none);
    arguments.push_back(two);  // one that has it is enough
    EXPECT_EQ(analyze(arguments).status, 2);
    arguments[arguments.size() - 3] = "1";
    EXPECT_EQ(analyze(arguments).status, 0);
    arguments.pop_back();
    arguments[arguments.size() - 2] = "0";
    EXPECT_EQ(analyze(arguments).err, "");
    arguments.back() = plain;
    EXPECT_EQ(analyze(arguments).err, "iwarp-analyze: " + plain + ": stream 0 is TCP without iWARP\n");
  }
  const Outcome state = analyze({"--format", "jsonl", "--state-at", "2", "--stream", "1", capture});
  EXPECT_EQ(state.err, "iwarp-analyze: " + capture + ": no iWARP stream 1 had begun by frame 2\n");
  EXPECT_EQ(state.out, "");
  const Outcome report = analyze({"--stream", "99", capture});
  EXPECT_EQ(report.err, none);
  EXPECT_EQ(report.status, 2);
  EXPECT_NE(report.out.find("\nThere is no stream 99: the last one is 0.\n"), std::string::npos)
      << report.out;
}

TEST(AnalyzeTest, TextRecordsAreLines) {
  const Outcome outcome = analyze({"--records", "operations", "--filter", "op == read", real_capture("01a")});
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5);
  EXPECT_TRUE(outcome.out.starts_with("operation stream=0 op=read requester=responder ")) << outcome.out;
}

}  // namespace
}  // namespace iwarp::test
