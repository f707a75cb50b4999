// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/load.hpp"
#include "compare/comparison.hpp"
#include "compare/render.hpp"
#include "transport/capture_writer.hpp"

namespace iwarp::replay {
namespace {

// What `run` left out of its recording cannot be missing there.
void leave_refused_out(std::vector<EventLog>& recorded) {
  std::erase_if(recorded, [](const EventLog& log) {
    if (log.refused.empty()) return false;
    std::fprintf(stderr, "iwarp-replay: stream %u is left out, as a recording of iwarp-replay lacks it: %s\n",
                 static_cast<unsigned>(log.stream), log.refused.c_str());
    return true;
  });
}

}  // namespace

int compare_command(const Options& options) {
  std::string error;
  CompareOptions compared;
  compared.max_differences = SIZE_MAX;
  for (const std::string& rule : options.ignore) {
    if (!compared.ignore.add(rule, error)) break;
  }
  std::array<RecordedLogs, 2> loaded;
  const std::array<const std::string*, 2> paths = {&options.recorded, &options.live};
  for (std::size_t i = 0; i < 2 && error.empty(); ++i) {
    auto one = i == 0 ? load_recorded_logs(*paths[i], error) : load_live_logs(*paths[i], error);
    if (!one) break;
    if (one->logs.empty()) {
      error = *paths[i] + " has no iWARP stream; iwarp-analyze says what is in it";
      break;
    }
    loaded[i] = std::move(*one);
  }
  if (!error.empty()) {
    return fail(error);
  }
  if (is_recording(options.live)) leave_refused_out(loaded[0].logs);
  compared.recorded_damaged = !loaded[0].damage.empty();
  compared.live_damaged = !loaded[1].damage.empty();
  const std::vector<EventLog>& recorded = loaded[0].logs;
  const std::vector<EventLog>& live = loaded[1].logs;
  const StreamsComparison comparison = compare(recorded, live, compared);
  RenderOptions render;
  render.recorded_name = "recorded";
  render.live_name = "live";
  render.messages = true;
  std::string text = options.json ? to_json(comparison, recorded, live, render).dump(2) + "\n"
                                  : to_text(comparison, recorded, live, render);
  const bool nothing = comparison.nothing_compared();
  if (nothing && !options.json && comparison.streams.size() != 1)
    text += "undecidable: nothing could be compared\n";
  return print_result(text, !comparison.same() ? program::exit_no
                            : nothing          ? program::exit_failed
                                               : program::exit_done);
}

}  // namespace iwarp::replay
