// Comparisons as text for people and as JSON for scripts. docs/replay-plan.md describes both.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compare/comparison.hpp"

namespace iwarp::replay {

struct RenderOptions {
  std::string recorded_name = "recorded";
  std::string live_name = "live";
  std::size_t context = 3;      // requests shown before the first divergence, of each role and log
  bool messages = false;        // JSON: every request of both logs
  bool unfinished = false;      // the live run was stopped: where that kept requests back, nothing is "same"
  std::size_t max_listed = 20;  // differences in text
};

[[nodiscard]] std::string to_text(const Comparison& comparison, const StreamLog& recorded,
                                  const StreamLog& live, const RenderOptions& options = {});
[[nodiscard]] std::string to_text(const StreamsComparison& comparison, const std::vector<StreamLog>& recorded,
                                  const std::vector<StreamLog>& live, const RenderOptions& options = {});
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison, const StreamLog& recorded,
                                             const StreamLog& live, const RenderOptions& options = {});
[[nodiscard]] nlohmann::ordered_json to_json(const StreamsComparison& comparison,
                                             const std::vector<StreamLog>& recorded,
                                             const std::vector<StreamLog>& live,
                                             const RenderOptions& options = {});

}  // namespace iwarp::replay
