// However many threads analyse a capture, the program prints the same octets (--threads).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.hpp"
#include "stream_numbers.hpp"
#include "support/capture_damage.hpp"
#include "support/generated_captures.hpp"
#include "support/pcap_file.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

// How long it took differs.
std::string timeless(const std::string& out) {
  static const std::regex elapsed(R"("elapsed_ns":\d+)");
  return std::regex_replace(out, elapsed, "");
}

void expect_same(const std::vector<std::string>& arguments) {
  const auto with = [&](const char* threads) {
    std::vector<std::string> all = {"--threads", threads};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return analyze(all);
  };
  const Outcome one = with("1");
  for (const char* const threads : {"2", "8"}) {
    const Outcome several = with(threads);
    EXPECT_EQ(several.status, one.status) << arguments.back();
    EXPECT_EQ(several.err, one.err) << arguments.back();
    // Not EXPECT_EQ: it would print megabytes.
    EXPECT_TRUE(timeless(several.out) == timeless(one.out)) << threads << " threads, " << arguments.back();
  }
}

const std::vector<std::string> all_records = {
    "--format", "jsonl", "--payload-hash", "--records",
    "streams,fpdus,messages,operations,deliveries,stags,stalls,findings,states,summary"};

void expect_same_records(const std::string& path) {
  std::vector<std::string> arguments = all_records;
  arguments.push_back(path);
  expect_same(arguments);
}

TEST(Threads, OfRealCapturesSayTheSame) {
  for (const std::string& path : all_real_captures()) {
    expect_same_records(path);
#ifdef IWARP_SANITIZED
    continue;  // the rest takes a minute then
#endif
    expect_same({path});
    expect_same({"--stream", "1", "--format", "jsonl", path});
    expect_same({"--records", "findings,operations", "--filter", "stream >= 1", path});
  }
}

// Segments of many connections, as one capture shows them that goes on for minutes: connections end, are
// closed half a minute later by whatever comes then, and their ports are used again.
Segments many_connections(std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<Segments> connections;
  for (unsigned i = 0; i < 40; ++i) {
    const std::uint64_t own = seed * 1000 + i;
    Segments segments = random_traffic(own, traffic_of(own)).segments();
    const TimeNs begin = TimeNs{numbers.below(200)} * 1'000'000'000;
    const TimeNs slower = numbers.one_in(3) ? 1000 : 1;
    const TimeNs first = segments.front().meta.time_ns;
    const auto port = static_cast<std::uint16_t>(30'000 + numbers.below(30));
    const Endpoint server = segments.front().meta.destination;
    for (OwnedSegment& segment : segments) {
      segment.meta.time_ns = first + begin + (segment.meta.time_ns - first) * slower;
      const bool to_server = segment.meta.destination == server;
      (to_server ? segment.meta.source : segment.meta.destination).port = port;
    }
    connections.push_back(std::move(segments));
  }
  Segments all;
  for (Segments& each : connections) all.insert(all.end(), each.begin(), each.end());
  std::stable_sort(all.begin(), all.end(), [](const OwnedSegment& a, const OwnedSegment& b) {
    return a.meta.time_ns < b.meta.time_ns;
  });
  return all;
}

TEST(Threads, OfManyConnectionsSayTheSame) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Segments segments = many_connections(seed);
    Numbers numbers(seed);
    lose(segments, numbers, 50);
    if (seed % 2 == 0) {  // a clock that runs ahead and is set back, again and again
      for (OwnedSegment& segment : segments) segment.meta.time_ns += numbers.one_in(20) ? 35'000'000'000 : 0;
    }
    const Bytes octets = pcap_file(segments);
    const TemporaryFile capture("many.pcap", std::string(octets.begin(), octets.end()));
    expect_same_records(capture.path());
    expect_same({capture.path()});
  }
}

TEST(Threads, OfDamagedCapturesSayTheSame) {
  unsigned looked = 0;
  for (const CaptureDamage& damage : capture_damages()) {
    for_each_damaged_capture(damage, [&](const Segments& segments) {
      if (++looked % 15 != 0) return;  // all of them take a minute
      const Bytes octets = pcap_file(segments);
      const TemporaryFile capture("damaged.pcap", std::string(octets.begin(), octets.end()));
      expect_same_records(capture.path());
    });
  }
}

// Each connection is another thread's.
TEST(Threads, OfAConnectionThatIsOpenedAgainSayTheSame) {
  const std::string path = generated_path("revision-fallback.pcap");
  expect_same_records(path);
  expect_same({path});
  EXPECT_NE(analyze({"--threads", "8", "--format", "jsonl", path}).out.find("PERF-FALLBACK"),
            std::string::npos);
}

// Of a file that is cut in the middle of a record, or of its compressed octets.
TEST(Threads, OfDamagedFilesSayTheSame) {
  for (const char* const name : {"05a", "09d", "02a"}) {
    const std::string path = real_capture(name);
    const std::string whole = read_file(path);
    const std::string ending = path.substr(path.find('.', path.rfind('/')));
    const TemporaryFile cut("cut" + ending, whole.substr(0, whole.size() * 2 / 3));
    expect_same_records(cut.path());
  }
}

TEST(Threads, AreAsManyAsWereAskedFor) {
  const std::string path = real_capture("02a");
  EXPECT_EQ(analyze({"--threads", "0", path}).status, 0);
  for (const char* const wrong : {"257", "-1", "two", ""}) {
    const Outcome outcome = analyze({"--threads", wrong, path});
    EXPECT_EQ(outcome.status, *wrong == '\0' ? 0 : 2) << wrong;
  }
}

// Each of four shares begins connections in frames of its own and asks for all of their numbers.
TEST(StreamNumbers, CountConnectionsInTheOrderOfTheirFrames) {
  constexpr std::size_t shares = 4;
  constexpr FrameNumber frames = 20'000;
  cli::StreamNumbers numbers(shares);
  std::vector<std::vector<ConnectionId>> found(shares);
  {
    std::vector<std::jthread> threads;
    for (std::size_t share = 0; share < shares; ++share) {
      threads.emplace_back([&, share] {
        for (FrameNumber frame = 1; frame <= frames; ++frame) {
          if (frame * 7 % shares == share) {
            numbers.begin(share, frame);
            numbers.pass(share, frame);
            const auto own = static_cast<ConnectionId>(found[share].size());
            found[share].push_back(numbers.number_of(share, own));
          } else {
            numbers.pass(share, frame);
          }
        }
      });
    }
  }
  EXPECT_EQ(numbers.count(), frames);
  std::vector<std::size_t> next(shares);
  for (FrameNumber frame = 1; frame <= frames; ++frame) {
    const std::size_t share = frame * 7 % shares;
    ASSERT_EQ(found[share][next[share]++], frame - 1);
  }
}

}  // namespace
}  // namespace iwarp::test
