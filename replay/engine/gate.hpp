// Gate: holds requests back that are ready otherwise: to a rate of requests or octets, or until somebody lets
// them through one by one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "engine/options.hpp"
#include "engine/schedule.hpp"

namespace iwarp::replay {

class Gate {
 public:
  struct Held {
    std::uint64_t order = 0;  // recorded time when stepping, else as they came
    PlayerNumber player = 0;
    std::uint32_t work = 0;
    auto operator<=>(const Held&) const = default;
  };

  Gate(const ReplayOptions& options, std::size_t streams);

  // Whether this work of the player, which is ready, may be posted now. If not, it is held.
  [[nodiscard]] bool admits(PlayerNumber player, std::uint32_t work, TimeNs recorded, TimeNs now);
  // It was.
  void posted(std::uint64_t octets, TimeNs now);

  // The next one of those held that may go on now: its next admits() lets it through, until end_turn().
  [[nodiscard]] std::optional<PlayerNumber> take(TimeNs now);
  void end_turn() noexcept { admitted_.reset(); }
  // When take() has one; `never`: not by time.
  [[nodiscard]] TimeNs next_due() const;

  // Stepping: the one that goes next, nullptr: none is ready.
  [[nodiscard]] const Held* next() const noexcept {
    return stepping_ && !held_.empty() ? &*held_.begin() : nullptr;
  }
  [[nodiscard]] std::vector<Held> held() const { return {held_.begin(), held_.end()}; }
  // Lets so many more through.
  void release(std::uint64_t count) noexcept { released_ = count; }
  [[nodiscard]] bool holds() const noexcept { return stepping_ && released_ == 0 && !held_.empty(); }

 private:
  [[nodiscard]] TimeNs slot() const;

  double requests_per_second_;
  double bits_per_second_;
  bool stepping_;
  std::uint64_t released_ = 0;
  std::optional<TimeNs> anchor_ =
      {};  // when the first was posted: rates count from here, so they do not drift
  std::uint64_t requests_ = 0;
  std::uint64_t octets_ = 0;
  std::uint64_t next_order_ = 0;
  std::optional<PlayerNumber> admitted_ = {};
  std::set<Held> held_ = {};
  std::vector<bool> is_held_;  // by player
};

}  // namespace iwarp::replay
