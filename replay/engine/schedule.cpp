// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/schedule.hpp"

#include <utility>

namespace iwarp::replay {

Schedule::Schedule(std::size_t streams)
    : is_woken_(2 * streams), waits_for_(2 * streams, nothing), waiting_(streams) {
  for (PlayerNumber player = 0; player < 2 * streams; ++player) timers_.emplace_back(heap_, player);
}

void Schedule::wake(PlayerNumber player) {
  if (is_woken_[player]) return;
  is_woken_[player] = true;
  woken_.push_back(player);
}

void Schedule::wake_after(PlayerNumber player, std::uint32_t stream) {
  if (waits_for_[player] == stream) return;
  waits_for_[player] = stream;
  waiting_[stream].push_back(player);
}

void Schedule::happened(std::uint32_t stream) {
  for (const PlayerNumber player : waiting_[stream]) {
    if (waits_for_[player] != stream) continue;
    waits_for_[player] = nothing;
    wake(player);
  }
  waiting_[stream].clear();
}

// True: the first timer of the heap stands.
bool Schedule::drop_stale() {
  while (!heap_.empty()) {
    if (timers_[heap_.front().what].stands(heap_.front().at)) return true;
    heap_.pop_front();
  }
  return false;
}

bool Schedule::take(TimeNs now, std::vector<PlayerNumber>& due) {
  while (drop_stale() && heap_.front().at <= now) {
    const PlayerNumber player = heap_.front().what;
    heap_.pop_front();
    timers_[player].expire();
    wake(player);
  }
  due.clear();
  due.swap(woken_);
  for (const PlayerNumber player : due) is_woken_[player] = false;
  return !due.empty();
}

TimeNs Schedule::next_due() {
  if (!woken_.empty()) return 0;
  return drop_stale() ? heap_.front().at : never;
}

}  // namespace iwarp::replay
