// Readiness: whether a role's next work may be posted: what it waits for has happened, its turn among other
// connections has come, and so has its time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/script.hpp"
#include "engine/stage.hpp"

namespace iwarp::replay {

class Readiness {
 public:
  // REQUIRES: `stage` and `script` outlive this object.
  Readiness(Stage& stage, const Script& script) : stage_(stage), script_(script) {}

  // Pauses before the first work count from now; the recorded ones from `recorded`.
  void begin() { last_posted_ = stage_.now; }
  void begin(TimeNs recorded) { last_recorded_ = recorded; }

  // False: not yet. Then the player is woken when something happens that may change that, or at next_look().
  [[nodiscard]] bool due(std::uint32_t number, const PlannedWork& work);
  // When time alone makes something due, as far as due() knows since forget_time().
  [[nodiscard]] TimeNs next_look() const noexcept { return next_look_; }
  void forget_time() noexcept { next_look_ = never; }

  // The work that was due is done with, posted or not; the next pause begins.
  void note_done(const PlannedWork& work);
  // It was posted: how close to its recorded time is written down.
  void note_posted();

 private:
  [[nodiscard]] std::optional<WorkRef> advertisement_of(std::uint32_t stag, FrameNumber used) const;
  [[nodiscard]] bool has_happened(TimeNs when, std::uint32_t stream);

  Stage& stage_;
  const Script& script_;
  TimeNs last_posted_ = 0;  // when the last own one was
  TimeNs last_recorded_ = 0;
  TimeNs due_at_ = 0;    // of the one that is posted: when its time had come …
  TimeNs ready_at_ = 0;  // … and what it waited for
  TimeNs next_look_ = never;
};

}  // namespace iwarp::replay
