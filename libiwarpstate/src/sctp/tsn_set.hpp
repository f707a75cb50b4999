// TsnSet: which TSNs of a direction were captured. Tells repeated DATA chunks from new ones, and which are
// missing.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iwarp::sctp {

// TSNs counted on, where those of 32 bits wrap.
using Tsn = std::uint64_t;

class TsnSet {
 public:
  // So many holes are kept; what was missing before them counts as missing for good.
  static constexpr std::size_t max_holes = 1024;

  // What its sender's INIT or INIT ACK says: no TSN before it is missing. REQUIRES: none was added.
  void begin(std::uint32_t initial) noexcept;
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }

  // The TSN nearest to those that came.
  [[nodiscard]] Tsn counted_on(std::uint32_t tsn) const noexcept {
    return latest_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                         static_cast<std::int32_t>(tsn - static_cast<std::uint32_t>(latest_))));
  }
  // Whether it is new.
  bool add(Tsn tsn);
  // Whether some are missing before others that came.
  [[nodiscard]] bool missing() const noexcept {
    return filled_ || ranges_.size() > 1 || (begun_ && !ranges_.empty() && ranges_.front().begin > first_);
  }
  // Whether some of these are behind that one.
  [[nodiscard]] bool missing_behind(Tsn tsn) const noexcept;
  // The highest that came; before the first the one that it follows, where begun() tells.
  [[nodiscard]] Tsn latest() const noexcept { return latest_; }

 private:
  struct Range {
    Tsn begin = 0;
    Tsn end = 0;  // behind the last one
  };

  bool begun_ = false;
  Tsn first_ = 0;                         // with begun_
  Tsn latest_ = std::uint64_t{1} << 32U;  // the highest that came
  bool filled_ = false;                   // holes had to go
  std::vector<Range> ranges_;             // ascending, with holes between
};

}  // namespace iwarp::sctp
