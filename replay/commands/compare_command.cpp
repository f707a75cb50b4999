// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <iwarp/export/names.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/load.hpp"
#include "compare/comparison.hpp"
#include "compare/render.hpp"
#include "compare/stream_pairs.hpp"
#include "transport/recording_comment.hpp"

namespace iwarp::replay {
namespace {

// What `run` left out of its recording cannot be missing there. A plan stands for such a recording.
void leave_refused_out(std::vector<StreamLog>& recorded, std::vector<StreamLog>& live) {
  std::set<std::pair<std::uint32_t, std::string>> told;
  for (std::vector<StreamLog>* const logs : {&recorded, &live}) {
    std::erase_if(*logs, [&told](const StreamLog& log) {
      if (log.refused.empty()) return false;
      if (told.emplace(log.stream, log.refused).second) {
        tell("stream " + std::to_string(log.stream) +
             " is left out, as a recording of iwarp-replay lacks it: " + log.refused);
      }
      return true;
    });
  }
}

// As the recording at `path`, if it is one, tells it.
void name_replayed(std::vector<StreamLog>& logs, const std::string& path) {
  std::map<std::string, std::vector<StreamLog::Replayed>>
      told;  // of connections with the same ports, in order
  for (const ReplayedStream& each : replayed_streams(path))
    told[each.live].push_back({each.number, each.recorded});
  std::map<std::string, std::size_t> next;
  for (StreamLog& log : logs) {
    const auto found = told.find(log.name);
    if (found == told.end()) continue;
    log.replays = found->second[std::min(next[log.name]++, found->second.size() - 1)];
  }
}

constexpr std::size_t most_broken = 5;  // listed in text

std::string text_of(const std::vector<PlannedViolation>& broken) {
  std::string text;
  for (std::size_t i = 0; i < std::min(broken.size(), most_broken); ++i) {
    text +=
        broken[i].check + " in live frame " + std::to_string(broken[i].frame) + ": " + broken[i].text + "\n";
  }
  if (broken.size() > most_broken)
    text += std::to_string(broken.size() - most_broken) + " more: --json has all of them\n";
  return text;
}

nlohmann::ordered_json json_of(const std::vector<PlannedViolation>& broken) {
  auto list = nlohmann::ordered_json::array();
  for (const PlannedViolation& each : broken) {
    list.push_back({{"id", each.check},
                    {"severity", severity_name(each.severity)},
                    {"frame", each.frame},
                    {"text", each.text}});
  }
  return list;
}

}  // namespace

int compare_command(const Options& options) {
  std::string error;
  CompareOptions compared;
  compared.max_differences = SIZE_MAX;
  for (const std::string& rule : options.ignore) {
    if (!compared.ignore.add(rule, error)) break;
  }
  const bool run = is_recording(options.live);
  std::array<RecordedLogs, 2> loaded;
  const std::array<const std::string*, 2> paths = {&options.recorded, &options.live};
  for (std::size_t i = 0; i < 2 && error.empty(); ++i) {
    // Beside a plan a capture is one that such a plan could be made of.
    const bool as_recorded = i == 0 || (loaded[0].from_plan && !run);
    auto one = as_recorded ? load_recorded_logs(*paths[i], error) : load_live_logs(*paths[i], error);
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
  if (run && loaded[0].plan) expect_run(loaded[0]);
  name_replayed(loaded[0].logs, options.recorded);
  name_replayed(loaded[1].logs, options.live);
  if (loaded[0].from_plan || loaded[1].from_plan || run) leave_refused_out(loaded[0].logs, loaded[1].logs);
  // The end of a run is no end of a capture: what did not come by then did not come.
  if (run) {
    for (StreamLog& log : loaded[1].logs) log.left_open = false;
  }
  exchange_turned_roles(loaded[0].logs, loaded[1].logs);
  compared.recorded_damaged = !loaded[0].damage.empty();
  compared.live_damaged = !loaded[1].damage.empty();
  const std::vector<StreamLog>& recorded = loaded[0].logs;
  const std::vector<StreamLog>& live = loaded[1].logs;
  const StreamsComparison comparison = compare(recorded, live, compared);
  RenderOptions render;
  render.recorded_name = "recorded";
  render.live_name = "live";
  render.messages = true;
  const std::vector<PlannedViolation> broken = broken_only_live(comparison, recorded, live);
  const bool nothing = comparison.nothing_compared();
  std::string text;
  if (options.json) {
    nlohmann::ordered_json json = to_json(comparison, recorded, live, render);
    json["findings"] = json_of(broken);
    text = json.dump(2) + "\n";
  } else {
    text = to_text(comparison, recorded, live, render);
    if (nothing && comparison.streams.size() != 1) text += "undecidable: nothing could be compared\n";
    text += text_of(broken);
  }
  const int status = !comparison.same() ? program::exit_no
                     : nothing          ? program::exit_failed
                                        : program::exit_done;
  return print_result(text, status_of(status, compared.recorded_damaged || compared.live_damaged));
}

}  // namespace iwarp::replay
