// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/recent_segments.hpp"

#include <algorithm>

namespace iwarp::stream {

bool RecentSegments::has(StreamOffset offset, std::uint32_t length, std::uint64_t identity) const noexcept {
  return identity != 0 && std::any_of(segments_.begin(), segments_.end(), [&](const RecentSegment& segment) {
           return segment.identity == identity && segment.offset == offset && segment.length == length;
         });
}

const RecentSegment* RecentSegments::find(StreamOffset offset, std::uint32_t length) const noexcept {
  const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const RecentSegment& segment) {
    return segment.offset == offset && segment.length == length;
  });
  return found == segments_.end() ? nullptr : &*found;
}

bool RecentSegments::differs(StreamOffset begin, StreamOffset end, std::uint64_t sum) const noexcept {
  if (sum == 0) return false;
  std::uint64_t known = 0;
  StreamOffset at = begin;
  while (at < end) {
    const auto tile = std::find_if(segments_.begin(), segments_.end(), [&](const RecentSegment& segment) {
      return segment.offset == at && segment.sum != 0 && segment.end() <= end;
    });
    if (tile == segments_.end()) return false;
    // Behind an odd length the words of the sum straddle the border: it is no longer additive.
    if (tile->end() != end && tile->length % 2 != 0) return false;
    known += tile->sum;
    at = tile->end();
  }
  return known != sum;
}

void RecentSegments::forget_sums(StreamOffset begin, StreamOffset end) noexcept {
  for (RecentSegment& segment : segments_)
    if (segment.offset < end && segment.end() > begin) segment.sum = 0;
}

bool RecentSegments::note_empty(std::uint64_t identity) noexcept {
  if (has_empty(identity)) return true;
  empty_[empty_at_] = identity;
  empty_at_ = (empty_at_ + 1) % empty_.size();
  return false;
}

}  // namespace iwarp::stream
