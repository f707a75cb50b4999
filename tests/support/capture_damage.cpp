// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/capture_damage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "support/capture_read.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

std::uint32_t count_of(const Segments& segments) {
  return static_cast<std::uint32_t>(segments.size());
}

// A random direction: that of the first frame, or the other one.
class Direction {
 public:
  Direction(const Segments& segments, Numbers& numbers)
      : first_(segments.front().meta.source), of_first_(numbers.one_in(2)) {}
  [[nodiscard]] bool has(const OwnedSegment& segment) const {
    return (segment.meta.source == first_) == of_first_;
  }

 private:
  Endpoint first_;
  bool of_first_;
};

constexpr CaptureDamage damages[] = {
    {"none", [](Segments&, Numbers&) {}},
    {"one lost", lose_one},
    {"2 % lost", [](Segments& s, Numbers& n) { lose(s, n, 50); }},
    {"10 % lost", [](Segments& s, Numbers& n) { lose(s, n, 10); }},
    {"burst lost", lose_in_a_row},
    {"one direction", keep_one_direction},
    {"one direction, 5 % lost",
     [](Segments& s, Numbers& n) {
       keep_one_direction(s, n);
       lose(s, n, 20);
     }},
    {"one direction lossy", [](Segments& s, Numbers& n) { lose_of_one_direction(s, n, 3); }},
    {"begun late", begin_late},
    {"begun late, 5 % lost",
     [](Segments& s, Numbers& n) {
       begin_late(s, n);
       lose(s, n, 20);
     }},
    {"ended early", end_early},
    {"cut", cut_frames},
    {"cut, begun late",
     [](Segments& s, Numbers& n) {
       begin_late(s, n);
       cut_frames(s, n);
     }},
    {"cut, 5 % lost",
     [](Segments& s, Numbers& n) {
       cut_frames(s, n);
       lose(s, n, 20);
     }},
    {"swapped", swap_near},
    {"swapped, 5 % lost",
     [](Segments& s, Numbers& n) {
       swap_near(s, n);
       lose(s, n, 20);
     }},
    {"skewed", skew},
    {"skewed, 5 % lost",
     [](Segments& s, Numbers& n) {
       skew(s, n);
       lose(s, n, 20);
     }},
    {"repeated", repeat},
    {"repeated, 5 % lost",
     [](Segments& s, Numbers& n) {
       repeat(s, n);
       lose(s, n, 20);
     }},
    {"corrupted", corrupt},
    {"corrupted, 5 % lost",
     [](Segments& s, Numbers& n) {
       corrupt(s, n);
       lose(s, n, 20);
     }},
};

}  // namespace

void lose(Segments& segments, Numbers& numbers, std::uint32_t one_in, std::size_t from) {
  std::size_t at = 0;
  std::erase_if(segments, [&](const OwnedSegment&) { return at++ >= from && numbers.one_in(one_in); });
}

void lose_one(Segments& segments, Numbers& numbers) {
  segments.erase(segments.begin() + numbers.below(count_of(segments)));
}

void lose_in_a_row(Segments& segments, Numbers& numbers) {
  const std::uint32_t from = numbers.below(count_of(segments));
  const std::uint32_t count = std::min(count_of(segments) - from, 2 + numbers.below(40));
  segments.erase(segments.begin() + from, segments.begin() + from + count);
}

void lose_of_one_direction(Segments& segments, Numbers& numbers, std::uint32_t one_in) {
  const Direction lossy(segments, numbers);
  std::erase_if(segments,
                [&](const OwnedSegment& each) { return lossy.has(each) && numbers.one_in(one_in); });
}

void keep_one_direction(Segments& segments, Numbers& numbers) {
  const Direction kept(segments, numbers);
  std::erase_if(segments, [&](const OwnedSegment& each) { return !kept.has(each); });
}

void begin_late(Segments& segments, Numbers& numbers) {
  const std::uint32_t most = count_of(segments) / 2;
  segments.erase(segments.begin(), segments.begin() + 1 + numbers.below(most));
}

void end_early(Segments& segments, Numbers& numbers) {
  segments.resize(segments.size() - numbers.below(count_of(segments) / 2));
}

void cut(Segments& segments, Numbers& numbers) {
  const std::size_t kept = numbers.below(120);
  for (OwnedSegment& each : segments) each.captured = kept;
}

void cut_frames(Segments& segments, Numbers& numbers) {
  // Nothing would tell that their octets are wrong: neither checksum nor CRC can be verified any more.
  std::erase_if(segments, [](const OwnedSegment& each) { return each.meta.checksum == ChecksumStatus::bad; });
  const std::size_t kept = 60 + numbers.below(141);
  for (OwnedSegment& each : segments) each.captured = kept - std::min(kept, headers_size(each.meta));
}

void swap_neighbours(Segments& segments, Numbers& numbers) {
  for (std::size_t i = 1; i < segments.size(); ++i) {
    if (numbers.one_in(5)) std::swap(segments[i - 1], segments[i]);
  }
}

void swap_near(Segments& segments, Numbers& numbers) {
  std::vector<TimeNs> times;
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    times.push_back(segments[i].meta.time_ns);
    places.emplace_back(i * 100 + numbers.below(600), i);
  }
  std::ranges::sort(places);
  Segments swapped;
  for (std::size_t i = 0; i < places.size(); ++i) {
    swapped.push_back(std::move(segments[places[i].second]));
    swapped.back().meta.time_ns = times[i];
  }
  segments = std::move(swapped);
}

void skew(Segments& segments, Numbers& numbers) {
  const TimeNs late = std::array<TimeNs, 3>{50'000, 500'000, 5'000'000}[numbers.below(3)];
  const Direction delayed(segments, numbers);
  for (OwnedSegment& each : segments) {
    if (delayed.has(each)) each.meta.time_ns += late;
  }
  std::ranges::stable_sort(segments, {}, [](const OwnedSegment& each) { return each.meta.time_ns; });
}

void repeat(Segments& segments, Numbers& numbers) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!numbers.one_in(10)) continue;
    const std::size_t to = std::min(segments.size(), i + 1 + numbers.below(3));
    OwnedSegment copy = segments[i];
    copy.meta.time_ns = segments[to - 1].meta.time_ns;
    segments.insert(segments.begin() + static_cast<std::ptrdiff_t>(to), std::move(copy));
  }
}

void corrupt(Segments& segments, Numbers& numbers) {
  for (OwnedSegment& each : segments) {
    if (each.octets.empty() || !numbers.one_in(30)) continue;
    for (std::uint32_t left = 1 + numbers.below(3); left != 0; --left) {
      Byte& octet = each.octets[numbers.below(static_cast<std::uint32_t>(each.octets.size()))];
      octet ^= static_cast<Byte>(1 + numbers.below(255));
    }
    each.meta.checksum = ChecksumStatus::bad;
  }
}

void number_frames(Segments& segments) {
  FrameNumber number = 0;
  for (OwnedSegment& each : segments) each.meta.frame = ++number;
}

std::span<const CaptureDamage> capture_damages() {
  return damages;
}

void for_each_damaged_capture(const CaptureDamage& damage, const std::function<void(const Segments&)>& look) {
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    Segments segments = read_capture(path).segments;
    if (segments.size() > 1000) continue;
    Numbers numbers(segments.size());
    damage.apply(segments, numbers);
    number_frames(segments);
    look(segments);
    if (testing::Test::HasFailure()) return;
  }
}

void keep_capture(const Segments& segments, const std::string& name) {
  const char* const folder = std::getenv("IWARP_KEEP");
  if (folder == nullptr) return;
  EXPECT_TRUE(write_file(std::string(folder) + '/' + name + ".pcap", pcap_file(segments)));
}

}  // namespace iwarp::test
