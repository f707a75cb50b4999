// Captures with damaged octets: whatever they say, the analysis comes to an end with a result.
// Three seeds for each real capture; IWARP_MUTATION_SEEDS=50 for a longer run.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include <iwarp/analyzer.hpp>

#include "support/capture_read.hpp"
#include "support/random_traffic.hpp"
#include "support/seeds.hpp"

namespace iwarp::test {
namespace {

constexpr std::size_t max_segments = 2000;
constexpr std::size_t max_file = 512U << 10U;

std::uint64_t seed_count() {
  return seeds_from("IWARP_MUTATION_SEEDS", 3);
}

// Every connection that was ever seen is closed, once.
void expect_result(const std::vector<OwnedSegment>& segments) {
  Analyzer analyzer;
  ConnectionId closed = 0;
  const auto count = [&closed](Events events) {
    for (const Event& event : events) closed += event.kind == EventKind::closed ? 1U : 0U;
  };
  for (const OwnedSegment& each : segments) count(analyzer.add(each.segment()));
  count(analyzer.finish());
  EXPECT_EQ(closed, analyzer.analysis().connection_count());
}

// One octet in a hundred by odd seeds, in 1600 by even ones: there most FPDUs stay as they were.
void damage(Bytes& octets, Numbers& numbers, std::uint64_t seed) {
  const std::uint32_t rarity = seed % 2 == 1 ? 100 : 1600;
  for (std::size_t i = numbers.below(2 * rarity); i < octets.size(); i += 1 + numbers.below(2 * rarity)) {
    octets[i] = static_cast<Byte>(numbers.next());
  }
}

class Mutation : public testing::TestWithParam<std::string> {};

// What is damaged here are TCP's segments; of SCTP's packets tests/sctp and fuzz_sctp take care.
std::vector<std::string> generated_over_tcp() {
  std::vector<std::string> paths = captures_in("generated");
  std::erase_if(paths, [](const std::string& path) { return path.find("/sctp-") != std::string::npos; });
  return paths;
}

TEST_P(Mutation, DamagedPayload) {
  CaptureRead read = read_capture(GetParam());
  ASSERT_FALSE(read.segments.empty()) << read.error;
  if (read.segments.size() > max_segments) read.segments.resize(max_segments);
  for (std::uint64_t seed = 1; seed <= seed_count(); ++seed) {
    SCOPED_TRACE(seed);
    Numbers numbers(seed);
    std::vector<OwnedSegment> segments = read.segments;
    for (OwnedSegment& each : segments) {
      damage(each.octets, numbers, seed);
      each.meta.checksum = numbers.one_in(4) ? ChecksumStatus::bad : ChecksumStatus::unknown;
    }
    expect_result(segments);
  }
}

TEST_P(Mutation, DamagedTcpHeaders) {
  CaptureRead read = read_capture(GetParam());
  ASSERT_FALSE(read.segments.empty()) << read.error;
  if (read.segments.size() > max_segments) read.segments.resize(max_segments);
  for (std::uint64_t seed = 1; seed <= seed_count(); ++seed) {
    SCOPED_TRACE(seed);
    Numbers numbers(seed + 1000);
    std::vector<OwnedSegment> segments = read.segments;
    for (OwnedSegment& each : segments) {
      TcpSegment& meta = each.meta;
      if (!numbers.one_in(20)) continue;
      switch (numbers.below(6)) {
        case 0: meta.sequence += numbers.below(8192) - 4096U; break;
        case 1: meta.sequence = static_cast<std::uint32_t>(numbers.next()); break;
        case 2: meta.acknowledgement += numbers.below(65536); break;
        case 3: meta.acknowledgement = static_cast<std::uint32_t>(numbers.next()); break;
        case 4: meta.flags = static_cast<std::uint8_t>(numbers.next()); break;
        default:
          meta.time_ns += static_cast<TimeNs>(numbers.next() % 200'000'000'000U) - 100'000'000'000;
          break;
      }
    }
    expect_result(segments);
  }
}

// The file itself: record headers, link layer, IP and TCP headers too.
TEST_P(Mutation, DamagedFile) {
  std::ifstream file(GetParam(), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(content.empty());
  std::uint64_t segments = 0;
  for (std::uint64_t seed = 1; seed <= seed_count(); ++seed) {
    SCOPED_TRACE(seed);
    Numbers numbers(seed + 2000);
    Bytes octets(content.begin(),
                 content.begin() + static_cast<std::ptrdiff_t>(std::min(content.size(), max_file)));
    damage(octets, numbers, seed);
    // Record headers of a pcap file are left alone every other time: more frames get through.
    if (seed % 2 == 0)
      std::copy_n(content.begin(), std::min<std::size_t>(content.size(), 40), octets.begin());
    const CaptureRead read = read_capture(octets);
    expect_result(read.segments);
    segments += read.segments.size();
  }
  // Damage may keep a file from being read, but not by every seed. Compressed ones break at once.
  const bool compressed = GetParam().ends_with(".gz") || GetParam().ends_with(".zst");
  EXPECT_TRUE(compressed || seed_count() < 2 || segments != 0);
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Real, Mutation, testing::ValuesIn(captures_in("real")), name_of);
INSTANTIATE_TEST_SUITE_P(Generated, Mutation, testing::ValuesIn(generated_over_tcp()), name_of);

}  // namespace
}  // namespace iwarp::test
