// Injector: breaks rules in what the roles of a replay send.
//
//   Injector injector(plan, options);
//   injector.add(injection);
//   options.mutator = injector.hook();
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "inject/place.hpp"

namespace iwarp::replay {

class Injector {
 public:
  // REQUIRES: `plan` outlives this object. `options` are those of the run.
  Injector(const Plan& plan, const ReplayOptions& options);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  void add(const Injection& injection);
  // For ReplayOptions::mutator. REQUIRES: this object outlives the replay.
  [[nodiscard]] std::function<rnic::Mutator*(std::uint32_t stream, Role role)> hook();
  // Injections whose place did not come, since the last call.
  [[nodiscard]] std::vector<Injection> not_done() const;
  // Another run of the same plan begins.
  void begin_again();

 private:
  class Side;
  const Plan& plan_;
  const ReplayOptions& options_;
  std::vector<Injection> injections_;
  std::map<std::pair<std::uint32_t, Role>, std::unique_ptr<Side>> sides_;
};

}  // namespace iwarp::replay
