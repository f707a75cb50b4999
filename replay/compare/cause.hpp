// Cause: what came first of all that differs. A peer that breaks a rule is answered, as a rule by a
// Terminate, and then much is missing: what explains the rest is the fault, not its answer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>

#include "compare/comparison.hpp"

namespace iwarp::replay {

// One entry of the live log.
struct LiveEntry {
  Role role = Role::initiator;
  std::size_t place = 0;  // among the role's entries
};

struct Cause {
  // The first divergence; nullptr: there is none.
  const Difference* difference = nullptr;
  // The rule that the live log alone breaks there or before, where one explains the difference. It is the
  // live log's.
  const PlannedViolation* broken = nullptr;
  // The message that breaks it is the one that differs.
  bool breaks_it = false;
  // The Terminate or RST by which the other side answered.
  std::optional<LiveEntry> answer;
  // What is missing: the FIN, Terminate or RST that its side sent instead.
  std::optional<LiveEntry> instead;

  // The answer is all that differs: the entry of the difference itself.
  [[nodiscard]] bool differs_in_answer_alone() const noexcept {
    return answer && difference != nullptr && !difference->recorded && difference->role == answer->role &&
           difference->live == answer->place;
  }
};

// REQUIRES: the comparison is that of the logs, and all outlive the result.
[[nodiscard]] Cause cause_of(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live);

// The frame of the live capture in which the stream began to differ; where something is missing, that of the
// last one before. 0: none tells.
[[nodiscard]] FrameNumber frame_of(const Cause& cause, const Comparison& comparison, const StreamLog& live);

}  // namespace iwarp::replay
