// Planner: events of captured streams in, the plan to replay them out.
//
//   Analyzer analyzer(Planner::analyzer_options());
//   Planner planner;
//   while (...) planner.add(analyzer.analysis(), analyzer.add(segment));
//   planner.add(analyzer.analysis(), analyzer.finish());
//   const Plan plan = planner.finish();
//
// Memory follows the payload of the capture, up to the caps of PlannerOptions.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "plan/recording.hpp"
#include "plan/stream_recorder.hpp"

namespace iwarp::replay {

class Planner {
 public:
  explicit Planner(const PlannerOptions& options = {});

  [[nodiscard]] static AnalyzerOptions analyzer_options();
  // Takes what Analyzer::add() or finish() returned, before it is called again.
  void add(const Analysis& analysis, Events events);
  // Ends the capture. REQUIRES: is called once, last.
  [[nodiscard]] Plan finish();

 private:
  Recording recording_;
  std::vector<std::unique_ptr<StreamRecorder>> recorders_;  // by ConnectionId
};

struct CapturePlan {
  Plan plan;
  std::string damage;  // one sentence, where reading ended before the capture's end
};
// The plan of a capture file; nothing where it cannot be opened, or `cancelled` ended it: `error` says why.
[[nodiscard]] std::optional<CapturePlan> plan_capture(const std::string& path, const PlannerOptions& options,
                                                      std::string& error,
                                                      const std::function<bool()>& cancelled = {});

}  // namespace iwarp::replay
