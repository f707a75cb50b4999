// RecentSegments: what the last segments of a direction were, to tell duplicates and differing copies.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp::stream {

struct RecentSegment {
  StreamOffset offset = 0;
  std::uint64_t identity = 0;  // TcpSegment::packet_identity
  std::uint64_t sum = 0;       // payload_sum of what was (or will be) delivered of this range; 0: unknown
  std::uint32_t length = 0;    // on the wire

  [[nodiscard]] StreamOffset end() const noexcept { return offset + length; }
};

template <typename Codec>
void members(Codec& codec, RecentSegment& segment) {
  auto& [offset, identity, sum, length] = segment;
  codec(offset, identity, sum, length);
}

class RecentSegments {
 public:
  static constexpr std::size_t capacity = 32;

  [[gnu::always_inline]] void add(const RecentSegment& segment) {
    if (segments_.size() < capacity) return segments_.push_back(segment);
    RecentSegment& oldest = segments_[at_];  // field by field: the argument was just put together
    oldest.offset = segment.offset;
    oldest.identity = segment.identity;
    oldest.sum = segment.sum;
    oldest.length = segment.length;
    at_ = (at_ + 1) % capacity;
  }

  // Was a segment with this range and this non-zero identity added?
  [[nodiscard]] bool has(StreamOffset offset, std::uint32_t length, std::uint64_t identity) const noexcept;
  // Was a segment with exactly this range added?
  [[nodiscard]] const RecentSegment* find(StreamOffset offset, std::uint32_t length) const noexcept;

  // Does the non-zero sum of a late copy of [begin, end) differ from that of what was delivered? False
  // where that cannot be told: the range must be tiled by remembered segments with known sums, all but
  // the last of even length.
  [[nodiscard]] bool differs(StreamOffset begin, StreamOffset end, std::uint64_t sum) const noexcept;

  // Other octets than remembered will be delivered in [begin, end).
  void forget_sums(StreamOffset begin, StreamOffset end) noexcept;

  // Notes the identity of a segment without payload; true when it was noted a short while ago.
  bool note_empty(std::uint64_t identity) noexcept;
  // Whether it was.
  [[nodiscard]] bool has_empty(std::uint64_t identity) const noexcept {
    return std::find(empty_.begin(), empty_.end(), identity) != empty_.end();
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [segments, at, empty, empty_at] = *this;
    codec(segments, at, empty, empty_at);
  }

 private:
  std::vector<RecentSegment> segments_;
  std::size_t at_ = 0;  // the oldest, once full
  std::array<std::uint64_t, 4> empty_{};
  std::size_t empty_at_ = 0;
};

}  // namespace iwarp::stream
