// StagTrack: when which addresses of an STag were used and how, for pictures of any range of time.
//
// Addresses are known to one part in 64 of those that were used: parts are equally long, a power of two of
// octets, and become twice as long when the addresses outgrow them. Uses stand in the order of time, and over
// 16 of them, 16 such groups and so on it is kept which parts they touched: a range costs O(log n).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <iwarp/ids.hpp>

#include "scale/work.hpp"

namespace iwarp::gui {

struct StagUse {
  enum Kind : std::uint8_t {
    write,        // a Write to it
    read_from,    // a Read's data source
    read_into,    // a Read's data sink
    atomic,       // an atomic operation on it
    invalidation  // by a Send with Invalidate; of no addresses
  };
  static constexpr std::size_t kinds = 5;

  TimeNs time_ns = 0;
  std::uint64_t to = 0;
  std::uint64_t length = 0;
  std::uint32_t message = 0;  // row of Metrics::messages
  Kind kind = write;
};

class StagTrack {
 public:
  static constexpr unsigned parts = 64;

  // The parts that uses of each kind touched, a bit each from the lowest address on; of invalidations all.
  using Touched = std::array<std::uint64_t, StagUse::kinds>;

  // Takes a use; one that is not the latest goes to its place by time.
  void add(const StagUse& use);
  // Where it was used.
  void note_stream(ConnectionId stream) {
    if (std::find(streams_.rbegin(), streams_.rend(), stream) == streams_.rend()) streams_.push_back(stream);
  }
  [[nodiscard]] const std::vector<ConnectionId>& streams() const noexcept { return streams_; }

  [[nodiscard]] const std::vector<StagUse>& uses() const noexcept { return uses_; }  // by time
  [[nodiscard]] std::uint64_t count(StagUse::Kind kind) const noexcept { return counts_[kind]; }
  [[nodiscard]] std::uint64_t octets() const noexcept { return octets_; }
  // The lowest address used, and the highest; both 0 where only invalidations were.
  [[nodiscard]] std::uint64_t least_to() const noexcept { return ranged_ ? least_ : 0; }
  [[nodiscard]] std::uint64_t greatest_to() const noexcept { return ranged_ ? greatest_ : 0; }
  // The part that an address lies in. REQUIRES: least_to() <= to <= greatest_to().
  [[nodiscard]] unsigned part_of(std::uint64_t to) const noexcept {
    return static_cast<unsigned>((to >> shift_) - first_);
  }

  // The first use from `begin` on that is not before `time`.
  [[nodiscard]] std::size_t first_at(std::size_t begin, TimeNs time, Work& work) const noexcept;
  // What the uses [begin, end) touched.
  [[nodiscard]] Touched touched(std::size_t begin, std::size_t end, Work& work) const noexcept;

 private:
  static constexpr std::size_t group = 16;

  void widen(std::uint64_t least, std::uint64_t greatest);
  void fold(unsigned shift, std::uint64_t first);
  void group_from(std::size_t use);
  [[nodiscard]] Touched touched(const StagUse& use) const noexcept;

  std::vector<ConnectionId> streams_;  // few: an STag is of one host, and mostly of one connection
  std::vector<StagUse> uses_;
  std::vector<std::vector<Touched>> levels_;  // of whole groups of the one below, the first of uses
  std::array<std::uint64_t, StagUse::kinds> counts_{};
  std::uint64_t octets_ = 0;
  bool ranged_ = false;
  std::uint64_t least_ = 0;
  std::uint64_t greatest_ = 0;  // the last octet used
  unsigned shift_ = 0;          // a part has 2^shift_ octets
  std::uint64_t first_ = 0;     // number of the first part, counted from address 0
};

}  // namespace iwarp::gui
