// Script: what one role of a planned stream does, and what it hears of its peer: told by the plan, the
// options and the MPA start-up before anything else happens.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/crossing.hpp"
#include "engine/options.hpp"
#include "engine/schedule.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

struct Script {
  // REQUIRES: `plan` outlives this object.
  Script(const Plan& plan, std::uint32_t stream, Role its_role, const ReplayOptions& options);

  [[nodiscard]] WorkRef ref(std::uint32_t work) const noexcept { return {number, work}; }
  [[nodiscard]] PlayerNumber player() const noexcept { return player_number(number, role); }
  [[nodiscard]] std::uint32_t peer_host() const noexcept {
    return planned.hosts[static_cast<std::size_t>(other(role))];
  }
  [[nodiscard]] const std::optional<PlannedStartup>& startup() const noexcept {
    return planned.startup[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] const std::optional<PlannedStartup>& peer_startup() const noexcept {
    return planned.startup[static_cast<std::size_t>(other(role))];
  }

  const PlannedStream& planned;
  std::uint32_t number;
  Role role;

  // Works by number.
  std::vector<std::uint32_t> own = {};
  std::vector<std::uint32_t> peer_receives = {};
  std::vector<std::uint32_t> peer_writes = {};
  std::vector<std::uint32_t> peer_requests = {};
  std::uint64_t doubtful_requests = 0;  // among them: Reads of which only the responses tell
  std::optional<std::uint32_t> first_fin = std::nullopt;  // of its own works
  std::optional<std::uint32_t> peer_terminate = std::nullopt;
  std::optional<std::uint32_t> unreceived = std::nullopt;  // the peer's Send for which there is no buffer
  std::optional<std::uint32_t> too_long = std::nullopt;    // … only one that is too short

  RtrKind rtr = RtrKind::none;
  // The initiator's ready-to-receive message is the recorded one, if any; else it is not one of the plan's
  // works, of the kinds of which so many come, and the recorded one is left out.
  bool rtr_as_recorded = true;
  std::uint64_t unplanned_writes = 0;
  std::uint64_t unplanned_requests = 0;
  std::size_t unplanned_receives = 0;

  // What the start-up came to, other than the options told: a live peer may want another ready-to-receive
  // message, or none. REQUIRES: nothing of the lists was used yet.
  void agree(RtrKind live, std::uint8_t revision);
  // The peer's last request before that work.
  [[nodiscard]] std::optional<std::uint32_t> heard_before(std::uint32_t work) const;
  // A message of the peer that crosses the end that this role sends.
  [[nodiscard]] bool crosses(std::uint32_t work) const noexcept {
    const auto& crossing = crossings[static_cast<std::size_t>(other(role))];
    return crossing && planned.work[work].role != role && crossing->has(work);
  }
  // TCP had acknowledged what the RNIC had not looked at, or refused. Whose RNIC has received a Terminate
  // sends nothing any more but its close (Verbs 1.0 §6.2.3).
  [[nodiscard]] bool is_unheard(const PlannedWork& work, const Wait& wait) const noexcept {
    if (wait.work.stream != number || wait.what == WaitFor::completed) return false;
    if (crosses(wait.work.work)) return true;
    return !is_close(work.kind) && peer_terminate && wait.work.work >= *peer_terminate;
  }
  // The own work crosses the peer's end: what it might harm there comes too late.
  [[nodiscard]] bool harms_nothing(std::uint32_t work) const noexcept {
    const auto& crossing = crossings[static_cast<std::size_t>(role)];
    return crossing && crossing->has(work);
  }
  // Both say a Terminate or a RST.
  [[nodiscard]] bool two_ends() const noexcept;
  // Sends a FIN before that work: before a RST whatever came to the capture point first.
  [[nodiscard]] bool closes_before(std::uint32_t work) const noexcept {
    return first_fin && (*first_fin < work || goes_last(planned.work[work]));
  }

  Crossings crossings = {};  // where both roles are played
  bool closes = false;       // an end of the connection was recorded
  bool holed = false;        // something of what was sent was not captured
  bool resets = false;       // it ended with RST where an RNIC sends FIN: behind a Terminate

 private:
  // Nothing is sent behind a RST. One without a frame stands where somebody wrote it.
  [[nodiscard]] static bool goes_last(const PlannedWork& work) noexcept {
    return work.kind == WorkKind::rst && work.frame != 0;
  }
  void list_works();
  void plan_faults();
};

// Whether the peer needs a receive for it.
[[nodiscard]] bool uses_receive(WorkKind kind) noexcept;

}  // namespace iwarp::replay
