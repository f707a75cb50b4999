// Captures of more connections than fit into memory: what is known is told, and the program ends as it
// should.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/capture/record_reader.hpp>

#include "cli/program.hpp"
#include "program/memory.hpp"
#include "shares.hpp"
#include "support/conversation.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

constexpr unsigned connections = 40'000;

// A SYN and a Request, and maybe a RST, on ports of their own, again and again, and a healthy session behind
// them, after a pause, with so many packets of another session before it, a millisecond apart.
std::string many_startups(bool reset, TimeNs pause_ns = 0, unsigned before = 0,
                          unsigned count = connections) {
  constexpr TimeNs apart_ns = 30'000;
  Conversation one;
  one.handshake();
  one.startup({}, {});
  one.rst(Side::a);
  std::vector<OwnedSegment> segments;
  segments.reserve(3 * std::size_t{count} + 100);
  const auto is_request = [](const OwnedSegment& segment) { return !segment.octets.empty(); };
  const std::vector<OwnedSegment> startup = one.segments();
  std::vector<OwnedSegment> each = {startup.front(), *std::ranges::find_if(startup, is_request)};
  if (reset) each.push_back(startup.back());
  for (unsigned i = 0; i < count; ++i) {
    for (OwnedSegment segment : each) {
      segment.meta.source.port = static_cast<std::uint16_t>(1024 + i % 50'000);
      segment.meta.destination.port = static_cast<std::uint16_t>(1 + i / 50'000);
      segment.meta.time_ns += i * apart_ns;
      segments.push_back(std::move(segment));
    }
  }
  Conversation last;
  last.handshake();
  last.startup({}, {});
  last.fpdu(Side::a, send(1, text("the end")));
  last.close();
  TimeNs waited_ns = count * apart_ns + pause_ns;
  for (unsigned i = 0; i < before; ++i, waited_ns += 1'000'000) {
    segments.push_back(last.segments().front());
    segments.back().meta.source.port = 7;
    segments.back().meta.time_ns += waited_ns;
  }
  for (const OwnedSegment& segment : last.segments()) {
    segments.push_back(segment);
    segments.back().meta.time_ns += waited_ns;
  }
  const Bytes octets = pcap_file(segments);
  return {octets.begin(), octets.end()};
}

// The same session so often, each on a port of its own, so many octets of each payload captured.
std::string many_times(const Conversation& one, unsigned sessions, std::size_t captured = SIZE_MAX) {
  std::vector<OwnedSegment> segments;
  const std::vector<OwnedSegment> each = one.segments();
  for (unsigned i = 0; i < sessions; ++i) {
    for (OwnedSegment segment : each) {
      const bool from_a = segment.meta.source == each.front().meta.source;
      (from_a ? segment.meta.source : segment.meta.destination).port = static_cast<std::uint16_t>(1024 + i);
      segment.captured = captured;
      segments.push_back(std::move(segment));
    }
  }
  const Bytes octets = pcap_file(segments);
  return {octets.begin(), octets.end()};
}

// Sessions on ports of their own, each with an FPDU behind a hole, whose octets wait.
std::string many_waiting() {
  constexpr unsigned sessions = 30'000;
  Conversation one;
  one.handshake();
  one.startup();
  one.fpdu(Side::a, send(1));
  one.drop(one.fpdu(Side::a, send(2)));
  one.fpdu(Side::a, send(3, pattern(1000)));
  return many_times(one, sessions);
}

const TemporaryFile& capture() {
  static const TemporaryFile file("startups.pcap", many_startups(false));
  return file;
}

std::size_t count_of(std::string_view word, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

bool tells_the_end(const Outcome& outcome) {
  return count_of(R"("opcode":"send","length":7,)", outcome.out) == 1;
}
std::size_t limits_reached(const Outcome& outcome) {
  return count_of(R"("id":"CAP-LIMIT")", outcome.out);
}

TEST(MemoryLimit, TheOldestIdleConnectionsGoAndAllElseGoesOn) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const Outcome outcome = analyze(
      {"--max-memory", "24", "--format", "jsonl", "--records", "findings,messages", capture().path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(limits_reached(outcome), connections / 10);
  EXPECT_LT(limits_reached(outcome), connections);
  const std::string_view same =
      R"("text":"the limit of memory was reached and this one, idle longest, was let go: what comes of it later )"
      R"(is followed as a stream of its own, joined mid-stream")";
  EXPECT_EQ(count_of(same, outcome.out), limits_reached(outcome)) << "equal findings read alike";
  EXPECT_TRUE(tells_the_end(outcome));
}

// … which for connections without FPDUs are far more: at most a kilobyte each, whatever is asked for.
TEST(MemoryLimit, ConnectionsWithoutFpdusTakeAKilobyteEach) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  for (const std::vector<std::string>& format : {std::vector<std::string>{},
                                                 {"--format", "jsonl"},
                                                 {"--format", "jsonl", "--records", "findings,stalls"}}) {
    std::vector<std::string> arguments = {"--threads", "1", "--max-memory", "64", capture().path()};
    arguments.insert(arguments.begin(), format.begin(), format.end());
    const Outcome outcome = analyze(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("CAP-LIMIT"), std::string::npos);
    EXPECT_EQ(outcome.err.find("let go"), std::string::npos) << outcome.err;
  }
}

// … with both start-up frames and FINs, whole or cut short by the capture, too.
TEST(MemoryLimit, WholeStartupsTakeAKilobyteEach) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  Conversation one;
  one.handshake();
  const Startup enhanced = {.word = Depths{.ird = 8, .ord = 8}};
  one.startup(enhanced, enhanced);
  one.close();
  for (const std::size_t captured : {SIZE_MAX, std::size_t{14}}) {
    const TemporaryFile sessions("sessions.pcap", many_times(one, 50'000, captured));
    const Outcome outcome = analyze({"--threads", "1", "--max-memory", "72", sessions.path()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("CAP-LIMIT"), std::string::npos);
    EXPECT_EQ(outcome.err.find("let go"), std::string::npos) << outcome.err;
  }
}

TEST(MemoryLimit, SaysWhoseStatesAreNotThoseAskedFor) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const Outcome outcome = analyze({"--max-memory", "24", "--state-at", "900000", capture().path()});
  EXPECT_NE(outcome.err.find(" TCP streams were let go before they ended"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" are those when they went, and 0 "), std::string::npos) << outcome.err;
}

// As many SYNs as there are `connections`, and what comes behind them.
std::string port_scan(const std::vector<OwnedSegment>& behind = {}) {
  std::vector<OwnedSegment> segments;
  Conversation one;
  one.handshake();
  for (unsigned i = 0; i < connections; ++i) {
    OwnedSegment syn = one.segments().front();
    syn.meta.source.port = static_cast<std::uint16_t>(1024 + i);
    segments.push_back(std::move(syn));
  }
  segments.insert(segments.end(), behind.begin(), behind.end());
  const Bytes octets = pcap_file(segments);
  return {octets.begin(), octets.end()};
}

// Nobody knows whether they would have been iWARP: they have no finding.
TEST(MemoryLimit, OthersThatGoAreToldOfInEveryFormat) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const TemporaryFile scan("scan.pcap", port_scan());
  const std::string_view told = "let go before they ended";
  const Outcome csv =
      analyze({"--max-memory", "12", "--format", "csv", "--records", "findings", scan.path()});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(count_of(told, csv.err), 1U) << csv.err;
  const Outcome report = analyze({"--max-memory", "12", scan.path()});
  EXPECT_EQ(report.err, "");
  EXPECT_EQ(count_of("let go\n  before they ended", report.out) + count_of(told, report.out), 1U)
      << report.out;
  const Outcome jsonl = analyze({"--max-memory", "12", "--format", "jsonl", scan.path()});
  EXPECT_EQ(jsonl.err, "");
  EXPECT_EQ(count_of(told, jsonl.out), 1U);
}

TEST(MemoryLimit, WhatIsKeptOfConnectionsThatEndedGoesFirst) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const TemporaryFile ended("ended.pcap", many_startups(true));
  const Outcome outcome = analyze(
      {"--max-memory", "16", "--format", "jsonl", "--records", "streams,findings,messages", ended.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(limits_reached(outcome), 0U);
  EXPECT_EQ(count_of(R"("type":"stream")", outcome.out), connections + 1);
  EXPECT_TRUE(tells_the_end(outcome));
}

// All that ended before the pause are due at the frame behind it.
TEST(MemoryLimit, HoldsBehindAPause) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  constexpr TimeNs an_hour = 3'600'000'000'000;
  const TemporaryFile ended("ended.pcap", many_startups(true, an_hour));
  const Outcome outcome =
      shell("ulimit -v 120000; exec \"$ANALYZE\" --max-memory 32 --format jsonl --records " +
            std::string("streams,findings,messages '") + ended.path() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(limits_reached(outcome), 0U);
  EXPECT_EQ(count_of(R"("type":"stream")", outcome.out), connections + 1);
  EXPECT_TRUE(tells_the_end(outcome));
}

TEST(MemoryLimit, WhereTheSystemGivesLittleHalfOfThatIsTheLimit) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  const Outcome outcome =
      shell("ulimit -v 60000; exec \"$ANALYZE\" --format jsonl --records findings,messages '" +
            capture().path() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(limits_reached(outcome), 0U);
  EXPECT_TRUE(tells_the_end(outcome));
}

constexpr std::uint32_t fpdus_behind_hole = 100'000;

// All of them become events when the hole is filled.
std::string hole_filled_late() {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  const Packets late = c.fpdu(Side::a, send(2));
  Bytes octets;
  for (std::uint32_t msn = 3; msn <= fpdus_behind_hole; ++msn) {
    const Bytes each = c.frame(Side::a, send(msn));
    octets.insert(octets.end(), each.begin(), each.end());
  }
  c.move_behind(late, c.send(Side::a, octets, Cuts::every(1460)));
  const Bytes file = pcap_file(c.segments());
  return {file.begin(), file.end()};
}

TEST(MemoryLimit, HoldsForFpdusBehindAHole) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  const TemporaryFile hole("hole.pcap", hole_filled_late());
  const Outcome outcome = shell(
      "ulimit -v 60000; exec \"$ANALYZE\" --threads 1 --max-memory 20 --format csv --records messages '" +
      hole.path() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(count_of("\n", outcome.out), fpdus_behind_hole - 1);
}

// Of connections that may turn out to be iWARP the states at a frame are kept until it is known.
TEST(MemoryLimit, HoldsForStatesAtAFrame) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  Conversation session;
  session.handshake();
  session.startup({}, {});
  session.fpdu(Side::a, send(1, text("the end")));
  session.close();
  std::vector<OwnedSegment> behind = session.segments();
  for (OwnedSegment& segment : behind) {  // on ports of its own
    (segment.meta.source.port == behind.front().meta.destination.port ? segment.meta.destination
                                                                      : segment.meta.source)
        .port = 60'000;
  }
  const TemporaryFile scan("scan.pcap", port_scan(behind));
  const Outcome outcome = shell("ulimit -v 60000; exec \"$ANALYZE\" --format jsonl --state-at " +
                                std::to_string(connections + behind.size()) + " '" + scan.path() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(count_of(R"("type":"state")", outcome.out), 1U) << outcome.out;
}

TEST(MemoryLimit, WhereMemoryEndsBeforeItTheProgramSaysSo) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  const Outcome outcome =
      shell("ulimit -v 48000; exec \"$ANALYZE\" --max-memory 1000 --format jsonl --records streams '" +
            capture().path() + "'");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.err;
  EXPECT_GT(count_of(R"("type":"stream")", outcome.out), 1000U) << "what is known is printed";
}

// One of several threads meets the end of memory, and all of them print what is known.
TEST(MemoryLimit, WhereMemoryEndsWithSeveralThreadsWhatIsKnownIsPrinted) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  const TemporaryFile waiting("waiting.pcap", many_waiting());
  for (const char* const threads : {"1", "2", "3"}) {
    const Outcome outcome = shell("ulimit -v 400000; exec \"$ANALYZE\" --max-memory 600 --threads " +
                                  std::string(threads) + " '" + waiting.path() + "'");
    EXPECT_EQ(outcome.status, 2) << threads;
    EXPECT_NE(outcome.err.find("memory ran out at frame"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("Streams"), std::string::npos) << threads << ": what is known is printed";
  }
}

// One connection concludes at its end what all the reserve has no room for.
TEST(MemoryLimit, WhereOneConnectionIsTooMuchWhatIsKnownOfItIsPrinted) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer asks for more address space";
#endif
  Conversation c;
  c.handshake();
  c.startup({}, {});
  constexpr std::uint32_t reads = 60'000;
  constexpr std::uint32_t together = 40;
  for (std::uint32_t msn = 1; msn < reads; msn += together) {
    std::vector<Bytes> requests;
    for (std::uint32_t i = 0; i < together; ++i) requests.push_back(read_request(msn + i, {}));
    c.fpdus(Side::a, requests);
  }
  c.rst(Side::a);
  const Bytes octets = pcap_file(c.segments());
  const TemporaryFile file("reads.pcap", std::string(octets.begin(), octets.end()));
  unsigned ran_out = 0;
  for (const unsigned limit : {40'000U, 52'000U, 60'000U, 72'000U, 90'000U}) {
    for (const char* const arguments : {"--threads 1", "--threads 2", "--format jsonl"}) {
      const Outcome outcome =
          shell("ulimit -v " + std::to_string(limit) + "; exec \"$ANALYZE\" --max-memory 1000 " + arguments +
                " '" + file.path() + "'");
      SCOPED_TRACE(std::to_string(limit) + " " + arguments + ": " + outcome.err);
      EXPECT_TRUE(outcome.out.find("192.0.2.1:40000") != std::string::npos) << "its stream is told";
      EXPECT_TRUE(outcome.out.empty() || outcome.out.back() == '\n') << "whole records";
      if (outcome.status == 0) continue;
      ++ran_out;
      EXPECT_EQ(outcome.status, 2);
      EXPECT_NE(outcome.err.find("memory ran out at frame"), std::string::npos);
    }
  }
  EXPECT_GT(ran_out, 3U);
}

// What threads have said and nobody has written yet is beside what they hold: 2.8 times a limit of 128 MiB
// once.
TEST(MemoryLimit, OfLittleMemoryOneThreadTakesLess) {
  cli::Options options;
  options.threads = 4;
  options.jobs = 4;
  options.max_memory = 300U << 20U;
  EXPECT_EQ(options.threads_wanted(true), 1U);
  EXPECT_EQ(options.jobs_wanted(), 1U);
}

// What one capture holds another cannot let go.
TEST(MemoryLimit, CapturesSideBySideGetAlong) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const std::string one = "'" + capture().path() + "' ";
  for (const char* const limit : {"12", "16", "40"}) {
    const Outcome outcome =
        shell(std::string("exec \"$ANALYZE\" --jobs 4 --max-memory ") + limit + " " + one + one + one);
    EXPECT_EQ(outcome.status, 0) << limit << outcome.err;
  }
}

// Fragments that never become datagrams are let go, as connections are.
TEST(MemoryLimit, FragmentsYieldToIt) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  constexpr unsigned fragments = 120'000;
  constexpr std::uint32_t raw_ip = 101;
  std::vector<FrameRecord> frames;
  for (unsigned i = 0; i < fragments; ++i) {
    Bytes frame = {0x45, 0, 0,  28, 0, 0, 0x20, 0, 64, 6, 0, 0, 10, 0,
                   0,    1, 10, 0,  0, 2, 0,    0, 0,  0, 0, 0, 0,  0};
    frame[4] = static_cast<Byte>(i >> 8U);
    frame[5] = static_cast<Byte>(i);
    frame[14] = static_cast<Byte>(i >> 16U);
    frames.push_back({.octets = std::move(frame)});
  }
  const Bytes octets = pcap_file(raw_ip, frames);
  const TemporaryFile file("fragments.pcap", std::string(octets.begin(), octets.end()));
  const Outcome outcome = shell("exec \"$ANALYZE\" --max-memory 16 '" + file.path() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("120000 frames (fragment of an incomplete datagram)"), std::string::npos)
      << outcome.out;
}

struct SharesRun {
  bool usable = true;
  std::size_t octets = 0;  // written
  std::size_t most = 0;    // memory held beyond that before
};

// With two threads, which have `memory` beyond what is held; 0: as much as they like.
SharesRun run_shares(const std::string& octets, std::initializer_list<RecordKind> kinds, std::size_t memory) {
  const TemporaryFile file("shares.pcap", octets);
  std::string failure;
  cli::FileRecords records(capture::RecordReader::open(file.path(), failure));
  cli::Options options;
  options.captures = {file.path()};
  options.report = false;
  options.format = cli::Format::jsonl;
  for (const RecordKind kind : kinds) options.records[static_cast<unsigned>(kind)] = true;
  program::return_free_memory();
  const std::size_t before = program::memory_in_use();
  if (memory != 0) options.max_memory = before + memory;
  SharesRun run;
  Report report;
  Summary summary;
  cli::HostOutput stags(options, 0, report, summary);
  cli::Shares shares(options, 0, 2, report, stags, [&](std::string_view text) {
    run.octets += text.size();
    run.most = std::max(run.most, program::memory_in_use() - before);
  });
  capture::PacketDecoder decoder;
  TcpSegment segment;
  for (capture::Record record; records.next(record) == cli::RecordSource::Step::record && shares.usable();) {
    if (decoder.decode(record, segment)) shares.add(segment, record.octets, records);
  }
  run.usable = shares.usable();
  shares.finish(summary);
  return run;
}

// What several threads say of all that ended before a pause is written bit by bit, also where it becomes due
// with one frame after the other.
TEST(MemoryLimit, SharesSayLittleAtATimeBehindAPause) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  constexpr TimeNs an_hour = 3'600'000'000'000;
  const std::size_t much = 100U << 20U;
  const auto at_once = run_shares(many_startups(true, an_hour), {RecordKind::stream, RecordKind::state}, 0);
  EXPECT_GT(at_once.octets, much);
  EXPECT_LT(at_once.most, 64U << 20U);
  const auto gradually =
      run_shares(many_startups(true, 28'000'000'000, 4'000), {RecordKind::stream, RecordKind::state}, 0);
  EXPECT_GT(gradually.octets, much);
  EXPECT_LT(gradually.most, 100U << 20U);
}

// Connections with many open Reads, in rounds of one Read each.
std::string many_open_reads() {
  constexpr unsigned sessions = 4'000;
  constexpr unsigned reads = 100;
  Conversation one;
  one.handshake();
  one.startup();
  one.fpdu(Side::a, send(1));
  std::vector<Bytes> requests;
  for (unsigned i = 1; i <= reads; ++i)
    requests.push_back(read_request(i, {.sink_stag = i, .size = 4096, .source_stag = 7}));
  one.packed(Side::a, requests);
  return many_times(one, sessions);
}

// What is said of connections that were let go fills memory until it is written: it is no reason to give up.
TEST(MemoryLimit, SharesGoOnWhenTheyHaveSaidMuch) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const auto run = run_shares(many_open_reads(), {RecordKind::operation, RecordKind::finding}, 40U << 20U);
  EXPECT_TRUE(run.usable);
  EXPECT_GT(run.octets, 60U << 20U);
  EXPECT_LT(run.most, 52U << 20U);
}

// Each segment whose share holds much is taken alone: what it sets free is written as it comes.
TEST(MemoryLimit, SharesWriteWhatAHoleSetsFreeAsItComes) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  const auto run =
      run_shares(hole_filled_late(), {RecordKind::fpdu, RecordKind::message, RecordKind::operation}, 0);
  EXPECT_GT(run.octets, 100U << 20U);
  EXPECT_LT(run.most, 32U << 20U);
}

// Each lets connections go, whose numbers it gets only when the other has come as far.
TEST(MemoryLimit, SharesDoNotWaitForEachOther) {
#ifdef IWARP_SANITIZED
  GTEST_SKIP() << "a sanitizer holds more memory than the program";
#endif
  constexpr unsigned more = 100'000;  // they need twice the limit at least
  const TemporaryFile many("many.pcap", many_startups(false, 0, 0, more));
  std::string failure;
  cli::FileRecords records(capture::RecordReader::open(many.path(), failure));
  program::return_free_memory();
  cli::Options options;
  options.captures = {many.path()};
  options.max_memory = program::memory_in_use() + (32U << 20U);
  Report report;
  Summary summary;
  cli::HostOutput stags(options, 0, report, summary);
  cli::Shares shares(options, 0, 2, report, stags, [](std::string_view) {});
  ASSERT_EQ(shares.count(), 2U);
  capture::PacketDecoder decoder;
  TcpSegment segment;
  for (capture::Record record; records.next(record) == cli::RecordSource::Step::record && shares.usable();) {
    if (decoder.decode(record, segment)) shares.add(segment, record.octets, records);
  }
  EXPECT_TRUE(shares.usable()) << "memory did not run out: one had something left to let go";
  shares.finish(summary);
  EXPECT_GT(shares.connection_count(), more);
  EXPECT_GT(summary.findings[static_cast<unsigned>(Severity::note)], 0U) << "CAP-LIMIT";
}

}  // namespace
}  // namespace iwarp::test
