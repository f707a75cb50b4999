// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/readiness.hpp"

#include <algorithm>

namespace iwarp::replay {

// The peer's last message before the frame that advertised this STag of its own.
std::optional<WorkRef> Readiness::advertisement_of(std::uint32_t stag, FrameNumber used) const {
  std::optional<WorkRef> last;
  for (const PlannedRegion& region : stage_.plan.hosts[script_.peer_host()].regions) {
    if (region.stag != stag || !region.advertised) continue;
    if (work_of(stage_.plan, *region.advertised).frame < used) last = region.advertised;
  }
  return last;
}

// False: not yet; the player is woken when something happens on that stream.
bool Readiness::has_happened(TimeNs when, std::uint32_t stream) {
  if (when == never) stage_.schedule.wake_after(script_.player(), stream);
  return when != never;
}

bool Readiness::due(std::uint32_t number, const PlannedWork& work) {
  TimeNs ready = 0;
  TimeNs recorded = last_recorded_;
  for (const Wait& wait : work.waits) {
    if (!stage_.played[wait.work.stream]) continue;
    if (script_.is_unheard(work, wait)) continue;
    const PlannedWork& waited = work_of(stage_.plan, wait.work);
    // The RNIC's own ready-to-receive message makes no completion, and is in front of everything.
    if (waited.rtr &&
        (!script_.rtr_as_recorded || (waited.role == script_.role && script_.rtr != RtrKind::none)))
      continue;
    const TimeNs when = stage_.progress.when(wait);
    if (!has_happened(when, wait.work.stream)) return false;
    ready = std::max(ready, when);
    recorded = std::max(recorded, waited.time_ns);
  }
  // Of a peer that is played here, too, more is known than what was captured.
  for (const WorkRef& before : stage_.successions_of(script_.ref(number))) {
    if (!stage_.played[before.stream] || script_.harms_nothing(number)) continue;
    const bool reads = work_of(stage_.plan, before).kind == WorkKind::read;
    const TimeNs when = stage_.progress.when({reads ? WaitFor::completed : WaitFor::received, before});
    if (!has_happened(when, before.stream)) return false;
    ready = std::max(ready, when);
  }
  // Against a live peer what the plan's other streams tell of must be known, too.
  if (!stage_.both && work.length > 0) {
    const std::uint32_t stag = work.kind == WorkKind::read ? work.source_stag : work.stag;
    const bool remote =
        work.kind == WorkKind::read || work.kind == WorkKind::write || work.kind == WorkKind::atomic;
    const auto told = remote ? advertisement_of(stag, work.first_frame) : std::nullopt;
    if (told && stage_.played[told->stream]) {
      const TimeNs when = stage_.progress.arrived(*told);
      if (!has_happened(when, told->stream)) return false;
      ready = std::max(ready, when);
    }
  }
  if (stage_.order) {
    const auto turn = stage_.order->turn_of(script_.ref(number));
    if (!turn) return false;
    ready = std::max(ready, turn->since);
    recorded = std::max(recorded, turn->recorded);
  }
  TimeNs at = 0;
  if (stage_.options.timing == Timing::causal) {
    at = std::max(last_posted_, ready) + stage_.due_times.pause(work.time_ns - recorded);
  } else if (stage_.options.timing == Timing::original) {
    at = stage_.due_times.at(work.time_ns) + script_.planned.delay_ns;
  }
  if (at > stage_.now) {
    next_look_ = at;
    return false;
  }
  if (!stage_.gate.admits(script_.player(), number, work.time_ns, stage_.now)) return false;
  due_at_ = at;
  ready_at_ = ready;
  return true;
}

void Readiness::note_done(const PlannedWork& work) {
  last_posted_ = std::max(last_posted_, stage_.now);
  last_recorded_ = std::max(last_recorded_, work.time_ns);
}

void Readiness::note_posted() {
  if (stage_.options.timing != Timing::original) return;
  if (ready_at_ > due_at_) {
    ++stage_.punctuality.waited;
  } else {
    stage_.punctuality.late.push_back(stage_.clock.now() - due_at_);
  }
}

}  // namespace iwarp::replay
