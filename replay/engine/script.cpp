// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/script.hpp"

#include <algorithm>
#include <array>

#include "engine/startup_parameters.hpp"
#include "rnic/violation.hpp"

namespace iwarp::replay {

Script::Script(const Plan& plan, std::uint32_t stream, Role its_role, const ReplayOptions& options)
    : planned(plan.streams[stream]),
      number(stream),
      role(its_role),
      rtr(rtr_kind(planned, options)),
      rtr_as_recorded(replay::rtr_as_recorded(planned, options)) {
  holed = std::ranges::any_of(planned.missing, [&](const Missing& each) {
    const bool before = each.lack == Lack::startup && planned.midstream;
    return before || each.lack == Lack::messages || each.lack == Lack::direction || each.lack == Lack::octets;
  });
  list_works();
  plan_faults();
}

void Script::agree(RtrKind live, std::uint8_t revision) {
  if (live == rtr) return;
  rtr = live;
  rtr_as_recorded = rtr_came_as_recorded(planned, live, revision);
  list_works();
}

void Script::list_works() {
  unplanned_writes = unplanned_requests = unplanned_receives = 0;
  doubtful_requests = 0;
  first_fin = peer_terminate = std::nullopt;
  for (auto* const list : {&own, &peer_receives, &peer_writes, &peer_requests}) list->clear();
  if (!rtr_as_recorded && role == Role::responder) {
    unplanned_writes = rtr == RtrKind::write ? 1 : 0;
    unplanned_requests = rtr == RtrKind::read ? 1 : 0;
    unplanned_receives = rtr == RtrKind::send ? 1 : 0;
  }
  std::array<bool, 2> fins{};
  for (std::uint32_t i = 0; i < planned.work.size(); ++i) {
    const PlannedWork& work = planned.work[i];
    if (work.kind == WorkKind::fin) fins[static_cast<std::size_t>(work.role)] = true;
    if (work.kind == WorkKind::rst && fins[0] && fins[1]) continue;  // TCP's affair
    if (is_close(work.kind) || work.kind == WorkKind::terminate) closes = true;
    if (work.rtr && !rtr_as_recorded) continue;
    if (work.role == role) {
      // Empty messages that came first without being agreed on are messages like others.
      if (work.rtr && rtr != RtrKind::none) continue;
      own.push_back(i);
      if (work.kind == WorkKind::fin && !first_fin) first_fin = i;
    } else if (uses_receive(work.kind)) {
      peer_receives.push_back(i);
    } else if (work.kind == WorkKind::write) {
      peer_writes.push_back(i);
    } else if (work.kind == WorkKind::read || work.kind == WorkKind::atomic) {
      peer_requests.push_back(i);
      if (work.deduced) ++doubtful_requests;
    } else if (work.kind == WorkKind::terminate && !peer_terminate) {
      peer_terminate = i;
    }
  }
  std::stable_partition(own.begin(), own.end(),
                        [this](std::uint32_t each) { return !goes_last(planned.work[each]); });
}

// What the recorded application did wrong, told by the Terminates of its RNIC.
void Script::plan_faults() {
  for (const std::uint32_t each : own) {
    const PlannedWork& work = planned.work[each];
    if (work.kind != WorkKind::terminate || !work.quoted) continue;
    if (work.terminate_code == rnic::code::no_buffer) unreceived = work.quoted;
    if (work.terminate_code == rnic::code::too_long) too_long = work.quoted;
  }
  const auto has = [&](WorkKind kind) {
    return std::ranges::any_of(own, [&](std::uint32_t each) { return planned.work[each].kind == kind; });
  };
  const bool terminated = peer_terminate || has(WorkKind::terminate);
  resets = terminated && has(WorkKind::rst) && !has(WorkKind::fin);
}

bool Script::two_ends() const noexcept {
  std::array<bool, 2> ends{};
  for (const PlannedWork& work : planned.work) {
    if (work.kind == WorkKind::terminate || work.kind == WorkKind::rst)
      ends[static_cast<std::size_t>(work.role)] = true;
  }
  return ends[0] && ends[1];
}

std::optional<std::uint32_t> Script::heard_before(std::uint32_t work) const {
  for (std::uint32_t i = work; i-- > 0;) {
    const PlannedWork& each = planned.work[i];
    const bool counts = !each.rtr && !is_close(each.kind) && each.kind != WorkKind::terminate;
    if (each.role != role && counts && !crosses(i)) return i;
  }
  return std::nullopt;
}

bool uses_receive(WorkKind kind) noexcept {
  return is_send(kind) || kind == WorkKind::immediate || kind == WorkKind::immediate_se;
}

}  // namespace iwarp::replay
