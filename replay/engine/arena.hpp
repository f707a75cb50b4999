// Arena: registered octets for messages under way, given back in the order in which they were taken.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "rnic/soft_rnic.hpp"

namespace iwarp::replay {

// How many octets messages of so many in all need, the longest of them being so long.
[[nodiscard]] std::size_t arena_size(std::uint64_t octets, std::uint64_t longest) noexcept;

class Arena {
 public:
  // REQUIRES: `rnic` outlives this object. Octets that are no message's are never touched.
  Arena(rnic::SoftRnic& rnic, rnic::PdId pd, std::size_t size);

  // A place for so many octets; nothing while others fill it.
  [[nodiscard]] std::optional<rnic::Sge> take(std::uint32_t size);
  [[nodiscard]] std::span<Byte> octets(const rnic::Sge& place) noexcept {
    return std::span(memory_).subspan(static_cast<std::size_t>(place.to), place.length);
  }
  // REQUIRES: something is taken.
  void give_back_oldest() { taken_.pop_front(); }
  void give_back_newest() { taken_.pop_back(); }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  Bytes memory_;
  std::uint32_t stag_ = 0;
  std::deque<Range> taken_;
};

}  // namespace iwarp::replay
