// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/mend.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "plan/reduce.hpp"

namespace iwarp::replay {
namespace {

bool answers_a_fault(const PlannedWork& work, FrameNumber fault) noexcept {
  return (work.kind == WorkKind::terminate || work.kind == WorkKind::rst) && work.frame >= fault;
}

// No one knows what its sender should have named, or it should not have been sent at all.
bool is_beyond_mending(const PlannedWork& work, const PlannedViolation& fault) noexcept {
  if (work.role != fault.role || is_close(work.kind)) return false;
  if (fault.check == "MPA-REJFPDU") return true;
  if (fault.check == "RDMAP-TERMEND") return work.kind != WorkKind::terminate && work.frame >= fault.frame;
  const bool of_place =
      fault.check == "RDMAP-STAG0" || fault.check == "DDP-TOWRAP" || fault.check == "RDMAP-ATOP";
  return of_place && work.first_frame <= fault.frame && fault.frame <= work.frame;
}

bool is_left_out(const PlannedWork& work, const std::vector<const PlannedViolation*>& faults) {
  return std::ranges::any_of(faults, [&](const PlannedViolation* fault) {
    return answers_a_fault(work, fault->frame) || is_beyond_mending(work, *fault);
  });
}

// As they should have been, one after the other.
void renumber(PlannedStream& stream) {
  std::map<std::pair<Role, std::size_t>, std::uint32_t> next;
  for (PlannedWork& work : stream.work) {
    const auto queue = queue_of(work.kind);
    if (!queue || work.msn == 0) continue;
    const auto [due, first] = next.try_emplace(std::pair(work.role, *queue), stream.midstream ? work.msn : 1);
    work.msn = due->second++;
  }
}

// REQUIRES: what answered the faults is gone.
void mend(PlannedStream& stream) {
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
    PlannedWork& work = stream.work[i];
    const bool ends = is_close(work.kind) || work.kind == WorkKind::terminate;
    if (ends || work.outcome == OperationStatus::complete) continue;
    if (!is_cut(stream, i)) work.outcome = OperationStatus::complete;
  }
  const auto closes = [&](Role role) {
    return std::ranges::any_of(
        stream.work, [&](const PlannedWork& work) { return work.role == role && is_close(work.kind); });
  };
  renumber(stream);
  // What the peer would have done then is not known.
  if (!closes(Role::initiator) || !closes(Role::responder)) stream.left_open = true;
  if (stream.startup[0] && !stream.startup[1]) stream.accepted = true;
  stream.violations.clear();
}

}  // namespace

Plan mended(const Plan& plan, const std::vector<std::uint32_t>& streams,
            const std::vector<std::uint32_t>& exact) {
  std::vector<std::uint32_t> all(plan.streams.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<WorkRef> kept;
  for (const std::uint32_t each : all) {
    const PlannedStream& stream = plan.streams[each];
    const bool broken = std::ranges::binary_search(streams, each);
    const auto found = broken ? faults(stream) : std::vector<const PlannedViolation*>();
    for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
      const bool only_kept = stream.work[i].stands_in && !std::ranges::binary_search(exact, each);
      if (!only_kept && !is_left_out(stream.work[i], found)) kept.push_back({each, i});
    }
  }
  Plan copy = part_of(plan, all, kept);
  for (const std::uint32_t each : streams) mend(copy.streams[each]);
  for (const std::uint32_t each : all) {
    if (!std::ranges::binary_search(exact, each)) copy.streams[each].kept.clear();
  }
  return copy;
}

}  // namespace iwarp::replay
