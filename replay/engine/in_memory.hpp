// A plan's hosts on a simulated network, by their recorded addresses where these tell them apart.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "engine/replay.hpp"
#include "transport/simulated_network.hpp"

namespace iwarp::replay {

// Both roles are played. REQUIRES: the network outlives the result.
[[nodiscard]] Placement placed_in(SimulatedNetwork& network, const Plan& plan);
// Of any of its hosts: time is the same for all.
[[nodiscard]] Network& clock_of(SimulatedNetwork& network, const Plan& plan);
// Lets time pass until the replay has something to do, or `deadline`; a replay to which nothing can happen
// any more is told so.
void pass_time(Network& clock, Replay& replay, TimeNs deadline);
// What was said last arrives: the capture points see it.
void pass_the_rest(Network& clock, Replay& replay);

}  // namespace iwarp::replay
