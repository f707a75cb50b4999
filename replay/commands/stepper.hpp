// Stepper: --timing step. Shows what comes next, and lets it go when it is told to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "commands/line_input.hpp"
#include "engine/replay.hpp"

namespace iwarp::replay {

class Stepper {
 public:
  // Reads from `descriptor`, and says on standard error. REQUIRES: `plan` outlives this object.
  Stepper(const Plan& plan, int descriptor) : plan_(plan), input_(descriptor) {}

  // Nothing moves any more. Shows what is ready, once, and takes what was typed. False: the run is to end.
  [[nodiscard]] bool ask(Replay& replay, int milliseconds);

 private:
  void show(const Replay& replay);
  [[nodiscard]] std::string line_of(const Replay::Step& step) const;
  [[nodiscard]] bool obey(const std::string& command, Replay& replay);

  const Plan& plan_;
  LineInput input_;
  bool shown_ = false;
  std::uint64_t completed_ = 0;
};

}  // namespace iwarp::replay
