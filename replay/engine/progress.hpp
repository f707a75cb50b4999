// Progress: which of a plan's works have happened, and when, as both roles that are played here see it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/schedule.hpp"
#include "plan/plan.hpp"
#include "transport/network.hpp"

namespace iwarp::replay {

class Progress {
 public:
  // REQUIRES: both outlive this object. The schedule is told what happens.
  Progress(const Plan& plan, Schedule& schedule);

  void note_arrived(const WorkRef& work, TimeNs now) {
    note(work.stream, streams_[work.stream].arrived[work.work], now);
  }
  void note_completed(const WorkRef& work, TimeNs now) {
    note(work.stream, streams_[work.stream].completed[work.work], now);
  }
  // The FIN, or the end, of `role` came.
  void note_closed(std::uint32_t stream, Role role, TimeNs now) {
    note(stream, streams_[stream].closed[static_cast<std::size_t>(role)], now);
  }
  void note_over(std::uint32_t stream, TimeNs now) { note(stream, streams_[stream].over, now); }

  // When it happened; `never`: not yet.
  [[nodiscard]] TimeNs when(const Wait& wait) const;
  [[nodiscard]] TimeNs arrived(const WorkRef& work) const { return streams_[work.stream].arrived[work.work]; }
  [[nodiscard]] TimeNs closed(std::uint32_t stream, Role role) const {
    return streams_[stream].closed[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] TimeNs over(std::uint32_t stream) const { return streams_[stream].over; }
  // Changes with every note.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  struct Stream {
    std::vector<TimeNs> arrived;
    std::vector<TimeNs> completed;
    std::array<TimeNs, 2> closed{never, never};
    TimeNs over = never;
  };
  void note(std::uint32_t stream, TimeNs& at, TimeNs now) {
    if (at != never) return;
    at = now;
    ++count_;
    schedule_.happened(stream);
  }

  const Plan& plan_;
  Schedule& schedule_;
  std::vector<Stream> streams_;
  std::uint64_t count_ = 0;
};

}  // namespace iwarp::replay
