// RecordedFpdus: makes what a side sends the FPDUs that were recorded of it, octet for octet, faults
// included (PlannedStream::kept). Names are those of the live run: the STags and TOs that the requests got.
//
//   RecordedFpdus recorded(plan, options);
//   recorded.add(stream, role);
//   options.mutator = recorded.hook();
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/options.hpp"
#include "plan/plan.hpp"
#include "rnic/mutator.hpp"

namespace iwarp::replay {

class RecordedFpdus {
 public:
  // REQUIRES: both outlive this object. `options` are those of the run.
  RecordedFpdus(const Plan& plan, const ReplayOptions& options);
  ~RecordedFpdus();
  RecordedFpdus(const RecordedFpdus&) = delete;
  RecordedFpdus& operator=(const RecordedFpdus&) = delete;

  // REQUIRES: `stream` (place in the plan) has kept what that role sent.
  void add(std::uint32_t stream, Role role);
  [[nodiscard]] bool empty() const noexcept { return sides_.empty(); }
  // For ReplayOptions::mutator; other sides are `next`'s. REQUIRES: this object outlives the replay.
  [[nodiscard]] std::function<rnic::Mutator*(std::uint32_t stream, Role role)> hook(
      std::function<rnic::Mutator*(std::uint32_t stream, Role role)> next = nullptr);
  // Another run of the same plan begins.
  void begin_again();
  // Sides of which recorded FPDUs were left unsent, with how many.
  [[nodiscard]] std::map<std::pair<std::uint32_t, Role>, std::size_t> unsent() const;

 private:
  class Side;
  const Plan& plan_;
  const ReplayOptions& options_;
  std::map<std::pair<std::uint32_t, Role>, std::unique_ptr<Side>> sides_;
};

}  // namespace iwarp::replay
