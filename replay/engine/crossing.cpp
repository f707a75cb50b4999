// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/crossing.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

bool is_request(const PlannedWork& work) noexcept {
  return !work.rtr && !is_close(work.kind) && work.kind != WorkKind::terminate;
}

std::optional<std::uint32_t> end_of(const PlannedStream& stream, Role role) {
  const auto first = [&](WorkKind kind) -> std::optional<std::uint32_t> {
    const auto found = std::ranges::find_if(
        stream.work, [&](const PlannedWork& each) { return each.role == role && each.kind == kind; });
    if (found == stream.work.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - stream.work.begin());
  };
  if (const auto terminate = first(WorkKind::terminate)) return terminate;
  return first(WorkKind::fin) ? std::nullopt : first(WorkKind::rst);
}

std::optional<Crossing> crossing_of(const PlannedStream& stream, std::uint32_t place, Role role) {
  const auto end = end_of(stream, other(role));
  if (!end || stream.work[*end].frame == 0) return std::nullopt;  // or nobody recorded it
  std::uint32_t unheard = 0;
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
    const PlannedWork& work = stream.work[i];
    if (work.role == role) {
      if (is_answered(work)) unheard = std::max(unheard, i + 1);
      continue;
    }
    if (i > *end && is_close(work.kind)) continue;
    for (const Wait& wait : work.waits) {
      if (wait.work.stream == place && stream.work[wait.work.work].role == role)
        unheard = std::max(unheard, wait.work.work + 1);
    }
  }
  // A responder that had heard nothing said nothing (RFC 5044 §7.1.2 (4)).
  const auto opening = std::ranges::find_if(stream.work, [](const PlannedWork& each) {
    return each.role == Role::initiator && (each.rtr || is_request(each));
  });
  if (role == Role::initiator && opening != stream.work.end())
    unheard = std::max(unheard, static_cast<std::uint32_t>(opening - stream.work.begin()) + 1);
  // TCP had acknowledged what the RNIC had not looked at: it answers the first octets that are wrong.
  Crossing crossing;
  crossing.end = *end;
  const auto quoted = stream.work[*end].quoted;
  if (quoted && stream.work[*quoted].role == role) {
    crossing.caused = true;
    unheard = *quoted;
  }
  bool any = false;
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
    const PlannedWork& work = stream.work[i];
    if (work.role != role || !is_request(work) || i < unheard) continue;
    // Who waits for another stream may wait for what came behind this one's end.
    if (std::ranges::any_of(work.waits, [&](const Wait& wait) { return wait.work.stream != place; }))
      return std::nullopt;
    if (!any) crossing.first = i;
    any = true;
    crossing.last = i;
  }
  return any ? std::optional(crossing) : std::nullopt;
}

}  // namespace

bool is_answered(const PlannedWork& work) noexcept {
  const bool asks = work.kind == WorkKind::read || work.kind == WorkKind::atomic;
  return asks && !work.rtr && work.outcome == OperationStatus::complete;
}

Crossings crossings_of(const Plan& plan, std::uint32_t place) {
  const PlannedStream& stream = plan.streams[place];
  // Who was not captured may have heard anything.
  const bool one_sided =
      std::ranges::any_of(stream.missing, [](const Missing& each) { return each.lack == Lack::direction; });
  if (one_sided) return {};
  return {crossing_of(stream, place, Role::initiator), crossing_of(stream, place, Role::responder)};
}

}  // namespace iwarp::replay
