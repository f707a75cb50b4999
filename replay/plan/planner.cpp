// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/planner.hpp"

#include <algorithm>
#include <iwarp/capture/segment_reader.hpp>
#include <limits>
#include <map>
#include <utility>

#include "plan/mentions.hpp"
#include "plan/registrations.hpp"

namespace iwarp::replay {
namespace {

// A host is an address, but for streams from an address to itself: these have one at either end.
void name_hosts(Plan& plan) {
  std::map<std::pair<IpAddress, int>, std::uint32_t> known;
  for (PlannedStream& stream : plan.streams) {
    const bool loopback = stream.endpoints[0].address == stream.endpoints[1].address;
    for (const std::size_t role : {0U, 1U}) {
      const IpAddress& address = stream.endpoints[role].address;
      const auto [found, fresh] = known.try_emplace({address, loopback ? static_cast<int>(role) : -1},
                                                    static_cast<std::uint32_t>(plan.hosts.size()));
      if (fresh) plan.hosts.push_back({address, {}, {}});
      stream.hosts[role] = found->second;
    }
  }
}

void count_times_from_start(Plan& plan) {
  TimeNs start = std::numeric_limits<TimeNs>::max();
  const auto each_time = [&plan](const auto& act) {
    for (PlannedStream& stream : plan.streams) {
      for (auto& startup : stream.startup) {
        if (startup) act(startup->time_ns);
      }
      for (PlannedWork& work : stream.work) act(work.time_ns);
    }
  };
  each_time([&start](TimeNs time) { start = std::min(start, time); });
  if (start == std::numeric_limits<TimeNs>::max()) return;
  plan.start_ns = start;
  each_time([start](TimeNs& time) { time -= start; });
}

// The ULPDU length at which a side cut its messages: the commonest of segments that are not the last ones.
// Where it tells how a message was cut, the message itself need not.
void settle_segments(PlannedStream& stream) {
  for (const Role role : {Role::initiator, Role::responder}) {
    std::map<std::uint32_t, std::uint32_t> counts;
    const auto header = [](const PlannedWork& work) {
      return work.kind == WorkKind::write ? wire::tagged_header_size : wire::untagged_header_size;
    };
    for (const PlannedWork& work : stream.work) {
      if (work.role != role) continue;
      for (std::size_t i = 0; i + 1 < work.segments.size(); ++i) {
        const std::uint32_t ulpdu = work.segments[i] + header(work);
        if (can_be_mulpdu(ulpdu)) ++counts[ulpdu];
      }
    }
    std::uint32_t& mulpdu = stream.mulpdu[static_cast<std::size_t>(role)];
    const auto commonest = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    if (commonest != counts.end()) mulpdu = commonest->first;
    for (PlannedWork& work : stream.work) {
      if (work.role != role || work.segments.empty()) continue;
      const std::uint32_t size = mulpdu > header(work) ? mulpdu - header(work) : 0;
      const bool one = work.segments.size() == 1 && (size == 0 || work.segments[0] <= size);
      const bool even = size > 0 && work.segments.back() <= size &&
                        (work.segments.size() == 1 || work.segments.back() > 0) &&
                        std::all_of(work.segments.begin(), work.segments.end() - 1,
                                    [size](std::uint32_t each) { return each == size; });
      if (one || even) work.segments.clear();
    }
  }
}

}  // namespace

Planner::Planner(const PlannerOptions& options) {
  recording_.options = options;
  recording_.plan.seed = options.seed;
  recording_.plan.keeps_faults = options.keep_faults;
}

AnalyzerOptions Planner::analyzer_options() {
  AnalyzerOptions options;
  options.keep_payload = KeepPayload::all;
  return options;
}

void Planner::add(const Analysis& analysis, Events events) {
  for (const Event& event : events) {
    if (event.connection >= recorders_.size()) recorders_.resize(event.connection + std::size_t{1});
    std::unique_ptr<StreamRecorder>& recorder = recorders_[event.connection];
    if (!recorder) {
      const ConnectionState* state = analysis.connection(event.connection);
      if (state == nullptr) continue;  // opened and closed by one segment
      recorder = std::make_unique<StreamRecorder>(recording_, event.connection, state->endpoints);
    }
    recorder->add(event, analysis);
    if (event.kind == EventKind::closed) recorder.reset();
  }
}

Plan Planner::finish() {
  Plan& plan = recording_.plan;
  name_hosts(plan);
  find_mentions(plan);
  rebuild_registrations(recording_);
  count_times_from_start(plan);
  for (PlannedStream& stream : plan.streams) settle_segments(stream);
  return std::move(plan);
}

std::optional<CapturePlan> plan_capture(const std::string& path, const PlannerOptions& options,
                                        std::string& error, const std::function<bool()>& cancelled) {
  const auto records = capture::RecordReader::open(path, error, cancelled);
  if (!records) return std::nullopt;
  capture::SegmentReader reader(*records);
  Analyzer analyzer(Planner::analyzer_options());
  Planner planner(options);
  for (TcpSegment segment; !(cancelled && cancelled()) && reader.next(segment);)
    planner.add(analyzer.analysis(), analyzer.add(segment));
  if (cancelled && cancelled()) {
    error = "interrupted";
    return std::nullopt;
  }
  planner.add(analyzer.analysis(), analyzer.finish());
  CapturePlan made{planner.finish(), {}};
  made.plan.source = path.substr(path.find_last_of('/') + 1);
  if (records->damage()) made.damage = records->damage()->text;
  return made;
}

}  // namespace iwarp::replay
