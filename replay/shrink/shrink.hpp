// Shrinking: the smallest part of a plan that still fails.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plan/plan.hpp"

namespace iwarp::replay {

struct ShrinkTests {
  // How a plan fails, in a word or two; empty where it does not. The same for the same plan.
  std::function<std::string(const Plan& plan)> failure;
  std::function<bool()> cancelled;
  // After each trial.
  std::function<void(std::uint64_t trials, std::size_t streams, std::size_t works)> progress;
};

struct Shrunk {
  std::string failure;  // of the whole plan, and of what is left; empty: it does not fail
  Plan plan;
  std::uint64_t trials = 0;
};

// Whole streams first, then work; it has to fail in the same way all along.
[[nodiscard]] Shrunk shrink(const Plan& plan, const ShrinkTests& tests);

}  // namespace iwarp::replay
