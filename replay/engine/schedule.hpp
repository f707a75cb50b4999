// Schedule: which players have something to do: at once, at a time, or when something happens on a stream. So
// a run costs what happens in it, not what there is.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "plan/plan.hpp"
#include "rnic/timer_heap.hpp"
#include "transport/network.hpp"

namespace iwarp::replay {

// A role of a stream of the plan.
using PlayerNumber = std::uint32_t;
[[nodiscard]] constexpr PlayerNumber player_number(std::uint32_t stream, Role role) noexcept {
  return 2 * stream + static_cast<PlayerNumber>(role);
}

class Schedule {
 public:
  explicit Schedule(std::size_t streams);

  // It has something to do now.
  void wake(PlayerNumber player);
  // … at this time, and not before; instead of an earlier call. `never`: no time.
  void wake_at(PlayerNumber player, TimeNs at) { timers_[player].set(at); }
  // … when something happens on this stream. Once; instead of an earlier call.
  void wake_after(PlayerNumber player, std::uint32_t stream);
  void happened(std::uint32_t stream);

  // All that are due, each once, in the order in which they were woken. True: there are some.
  [[nodiscard]] bool take(TimeNs now, std::vector<PlayerNumber>& due);
  [[nodiscard]] bool idle() const noexcept { return woken_.empty(); }
  // `never`: nothing comes by time alone.
  [[nodiscard]] TimeNs next_due();

 private:
  static constexpr std::uint32_t nothing = UINT32_MAX;
  [[nodiscard]] bool drop_stale();

  rnic::TimerHeap<PlayerNumber> heap_;
  std::deque<rnic::Timer<PlayerNumber>> timers_;  // by player, as all that follow
  std::vector<bool> is_woken_;
  std::vector<std::uint32_t> waits_for_;
  std::vector<PlayerNumber> woken_;
  std::vector<std::vector<PlayerNumber>>
      waiting_;  // by stream; those that wait for another one now count not
};

}  // namespace iwarp::replay
