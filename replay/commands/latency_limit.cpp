// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/latency_limit.hpp"

#include <charconv>
#include <cstdio>

#include <iwarp/export/names.hpp>

#include "commands/options.hpp"

namespace iwarp::replay {
namespace {

std::string milliseconds(TimeNs ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

}  // namespace

std::optional<LatencyLimit> parse_latency_limit(const std::string& text, std::string& error) {
  error =
      "--latency-limit takes OP:PERCENTILE:FACTOR or OP:PERCENTILE:TIME, such as read:p99:2 or "
      "atomic:p50:1ms, "
      "not '" +
      text + "'";
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const std::string kind = text.substr(0, first);
  const std::string percentile = text.substr(first + 1, second - first - 1);
  const std::string limit = text.substr(second + 1);
  LatencyLimit out;
  if (kind != "read" && kind != "atomic") return std::nullopt;
  if (percentile != "p50" && percentile != "p99") return std::nullopt;
  out.kind = kind == "read" ? WorkKind::read : WorkKind::atomic;
  out.p99 = percentile == "p99";
  double factor = 0;
  const auto [end, failure] = std::from_chars(limit.data(), limit.data() + limit.size(), factor);
  if (failure == std::errc() && end == limit.data() + limit.size()) {
    if (factor <= 0) return std::nullopt;
    out.factor = factor;
  } else if (const auto time = parse_duration(limit); time && *time > 0) {
    out.time = *time;
  } else {
    return std::nullopt;
  }
  error.clear();
  return out;
}

std::vector<std::string> too_slow(const std::vector<LatencyLimit>& limits,
                                  const StreamsComparison& comparison,
                                  const std::vector<StreamLog>& recorded) {
  std::vector<std::string> out;
  for (const StreamsComparison::Each& each : comparison.streams) {
    if (!each.recorded) continue;
    for (const LatencyPair& pair : each.comparison.latencies) {
      for (const LatencyLimit& limit : limits) {
        if (limit.kind != pair.kind) continue;
        const TimeNs live = limit.p99 ? pair.live_p99_ns : pair.live_median_ns;
        const TimeNs was = limit.p99 ? pair.recorded_p99_ns : pair.recorded_median_ns;
        const TimeNs most =
            limit.factor ? static_cast<TimeNs>(static_cast<double>(was) * *limit.factor) : limit.time;
        if (live <= most) continue;
        out.push_back("stream " + std::to_string(recorded[*each.recorded].stream) + ": the " +
                      (limit.p99 ? "p99" : "median") + " of " + std::to_string(pair.count) + " " +
                      work_kind_name(pair.kind) + " latencies is " + milliseconds(live) + ", recorded " +
                      milliseconds(was) + ", allowed " + milliseconds(most));
      }
    }
  }
  return out;
}

}  // namespace iwarp::replay
