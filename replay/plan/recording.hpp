// What the making of a plan has in common: the plan so far, and what happened in what order over all streams.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "plan/plan.hpp"

namespace iwarp::replay {

struct PlannerOptions {
  std::uint64_t seed = 1;  // of the octets that the capture lacks
  // Caps. What lies beyond is seeded, or left out of the registrations, and listed as missing.
  std::uint64_t max_payload_octets = std::uint64_t{1} << 30U;  // kept in all
  std::uint64_t max_region_octets = std::uint64_t{1} << 30U;   // of one region
  bool keep_faults = false;  // of sides that broke a rule: PlannedStream::kept
};

// When a work took effect on memory: in the order of these effects memory is rebuilt.
struct Effect {
  enum class Kind : std::uint8_t {
    written,  // a Write was placed
    read,     // a Read or Atomic was answered, or will not be any more
    invalidated
  };
  Kind kind = Kind::written;
  WorkRef work;
};

struct Recording {
  PlannerOptions options;
  Plan plan;
  std::vector<Effect> effects;
  std::uint64_t next_key = 1;  // of seeded pieces

  std::unordered_set<std::uint64_t> limited;  // keys of those that only a cap made so

  [[nodiscard]] Piece seeded(std::uint64_t length) { return {length, next_key++, 0, true}; }
};

}  // namespace iwarp::replay
