// Trial: one breach in a rehearsal: what the wire shows of it. A place that sounds right may not be: what is
// changed there breaks no rule, or more than this one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "inject/witness.hpp"

namespace iwarp::replay {

struct Trial {
  Seen seen;
  RunEnd end = RunEnd::complete;
};
// Nothing: the rehearsal could not be had, or did not come to the place.
[[nodiscard]] std::optional<Trial> try_in_memory(const Injection& injection, const Plan& plan,
                                                 const ReplayOptions& options);

// The broken rule is found, at the side that broke it.
[[nodiscard]] bool is_found(const Injection& injection, const Seen& seen);
// That, and nothing else that is worth a warning.
[[nodiscard]] bool is_found_alone(const Injection& injection, const Seen& seen);

// Chooses the place, among `streams` (places in the plan) and the roles that are played here: the message
// that was asked for; else, of those that fit and that a trial finds alone, the first to which the other
// soft-RNIC answers as is due. Where there is none of these a live peer cannot be judged, only the soft-RNIC
// itself. Nothing: `error` says what is missing and what to do.
[[nodiscard]] std::optional<Injection> choose(const Wanted& wanted, const Plan& plan,
                                              const std::vector<std::uint32_t>& streams,
                                              const std::array<bool, 2>& plays, const ReplayOptions& options,
                                              std::string& error);

}  // namespace iwarp::replay
