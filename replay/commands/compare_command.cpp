// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "commands/exit_status.hpp"
#include "commands/load.hpp"
#include "compare/comparison.hpp"
#include "compare/render.hpp"

namespace iwarp::replay {

int compare_command(const Options& options) {
  std::string error;
  CompareOptions compared;
  compared.max_differences = SIZE_MAX;
  for (const std::string& rule : options.ignore) {
    if (!compared.ignore.add(rule, error)) break;
  }
  std::array<std::vector<EventLog>, 2> logs;
  const std::array<const std::string*, 2> paths = {&options.recorded, &options.live};
  for (std::size_t i = 0; i < 2 && error.empty(); ++i) {
    auto loaded = load_logs(*paths[i], error);
    if (!loaded) break;
    if (loaded->empty()) {
      error = *paths[i] + " has no iWARP stream; iwarp-analyze says what is in it";
      break;
    }
    logs[i] = std::move(*loaded);
  }
  if (!error.empty()) {
    std::fprintf(stderr, "iwarp-replay: %s\n", error.c_str());
    return exit_failed;
  }
  const StreamsComparison comparison = compare(logs[0], logs[1], compared);
  RenderOptions render;
  render.recorded_name = "recorded";
  render.live_name = "live";
  render.messages = true;
  const std::string text = options.json ? to_json(comparison, logs[0], logs[1], render).dump(2) + "\n"
                                        : to_text(comparison, logs[0], logs[1], render);
  std::fputs(text.c_str(), stdout);
  return comparison.same() ? exit_same : exit_diverged;
}

}  // namespace iwarp::replay
