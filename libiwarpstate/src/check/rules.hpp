// Rules that compare a fact with the state before it. They change nothing; what only the fold itself can see
// (message sequence, request matching) it reports through the same Conclusions.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/state.hpp>

#include "state/conclusions.hpp"

namespace iwarp::check {

struct Limits {
  TimeNs startup_timeout_ns = 10'000'000'000;
  TimeNs close_timeout_ns = 60'000'000'000;
};

// Judges a fact by `before`, the state of its connection up to it.
void judge(const ConnectionState& before, const Event& fact, const Limits& limits, Conclusions& conclusions);

}  // namespace iwarp::check
