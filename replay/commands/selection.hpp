// Selection: which streams of a plan are run, and what becomes of those whose recording breaks rules.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/options.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

enum class BrokenFate : std::uint8_t {
  left_out,
  mended,  // run as if nobody had broken the rules
  exact,   // its faults are sent again as they were
};

// A stream whose recording breaks rules.
struct BrokenStream {
  std::uint32_t number = 0;  // as in PlannedStream
  std::vector<PlannedViolation> faults;
  BrokenFate fate = BrokenFate::left_out;
  std::string not_exact = {};  // mended although it was to be exact: why
  std::string lacking = {};    // exact but for these rules

  [[nodiscard]] bool left_out() const noexcept { return fate == BrokenFate::left_out; }
};

// What one role of a stream is to send as it was recorded.
struct ExactSide {
  std::uint32_t stream = 0;  // place in the plan
  Role role = Role::initiator;
};

struct Selection {
  std::vector<std::uint32_t> streams;  // places in the plan
  std::vector<BrokenStream> broken;
  std::vector<ExactSide> exact;
};

// Chooses by the options, leaves faults out of `plan` where the stream is to be run without them, and says on
// standard error which streams are left out. Nothing: `error` says why.
[[nodiscard]] std::optional<Selection> select_streams(Plan& plan, const Options& options, std::string& error);

// "responder breaks DDP-MSNGAP in frame 21 (MSN 3 on queue 0 where 2 is due)".
[[nodiscard]] std::string words_of(const PlannedViolation& fault);

}  // namespace iwarp::replay
