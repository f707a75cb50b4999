// Stage: what the players of a replay have in common.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/due_times.hpp"
#include "engine/gate.hpp"
#include "engine/host.hpp"
#include "engine/names.hpp"
#include "engine/options.hpp"
#include "engine/order.hpp"
#include "engine/progress.hpp"
#include "engine/pump.hpp"
#include "engine/schedule.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// How close requests were posted to their recorded times (Timing::original).
struct Punctuality {
  std::vector<TimeNs> late = {};  // behind it, of those that waited for nothing else
  std::uint64_t waited = 0;       // for something that came after its recorded time
};

class Player;

struct Stage {
  const Plan& plan;
  const ReplayOptions& options;
  Schedule schedule;
  Progress progress;
  Names names;
  Gate gate;
  DueTimes due_times;
  Pump pump = {};
  const Network& clock;
  TimeNs now = 0;
  bool both = true;                           // roles are played here
  std::optional<Order> order = std::nullopt;  // of one role alone
  // By host: whom events of its RNIC are for, and which RNICs may have some.
  std::vector<std::unordered_map<rnic::StreamId, Player*>> by_stream;
  std::vector<std::unordered_map<rnic::QpId, Player*>> by_qp;
  std::vector<Host*> active = {};
  Successions successions = {};  // of all hosts that are played here
  Punctuality punctuality = {};
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  std::uint64_t octets_posted = 0;
  std::vector<bool> played;                // by stream
  std::set<Player*> doubtful = {};         // that wait for nothing but what a live peer may leave out
  std::vector<std::string> troubles = {};  // what went otherwise than a plan allows
  std::vector<std::string> notes = {};     // what a run does otherwise than recorded, and may

  Stage(const Plan& its_plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& its_options,
        const Network& its_clock)
      : plan(its_plan),
        options(its_options),
        schedule(its_plan.streams.size()),
        progress(its_plan, schedule),
        names(its_plan.hosts.size()),
        gate(its_options, its_plan.streams.size()),
        due_times(its_plan, streams, its_options, its_clock.now()),
        clock(its_clock),
        now(its_clock.now()),
        by_stream(its_plan.hosts.size()),
        by_qp(its_plan.hosts.size()),
        played(its_plan.streams.size()) {
    for (const std::uint32_t each : streams) played[each] = true;
  }

  // What else must be over before that work.
  [[nodiscard]] std::span<const WorkRef> successions_of(const WorkRef& work) const {
    const auto found = successions.find(work);
    return found == successions.end() ? std::span<const WorkRef>() : std::span(found->second);
  }
  void note_active(Host& host) {
    if (!std::exchange(host.active, true)) active.push_back(&host);
  }
};

}  // namespace iwarp::replay
