// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/combine.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace iwarp::replay {
namespace {

using Rename = std::function<std::uint32_t(std::uint32_t)>;

void rename_streams(PlannedStream& stream, const Rename& name) {
  for (PlannedWork& work : stream.work) {
    for (Wait& wait : work.waits) wait.work.stream = name(wait.work.stream);
  }
}

void rename_streams(PlannedHost& host, const Rename& name) {
  for (PlannedRegion& region : host.regions) {
    for (std::optional<WorkRef>* const each : {&region.advertised, &region.first_use, &region.invalidated}) {
      if (*each) (*each)->stream = name((*each)->stream);
    }
    if (region.advertised_in_startup) region.advertised_in_startup = name(*region.advertised_in_startup);
  }
  for (PlannedStore& store : host.stores) store.before.stream = name(store.before.stream);
}

template <typename Act>
void for_each_content(PlannedStream& stream, const Act& act) {
  for (PlannedWork& work : stream.work) act(work.content);
}

template <typename Act>
void for_each_content(PlannedHost& host, const Act& act) {
  for (PlannedRegion& region : host.regions) {
    for (InitialOctets& initial : region.initial) act(initial.content);
  }
  for (PlannedStore& store : host.stores) act(store.content);
}

TimeNs end_of(const Plan& plan) {
  TimeNs last = 0;
  for (const PlannedStream& stream : plan.streams) {
    for (const auto& startup : stream.startup) {
      if (startup) last = std::max(last, startup->time_ns);
    }
    for (const PlannedWork& work : stream.work) last = std::max(last, work.time_ns);
  }
  return last;
}

void postpone(PlannedStream& stream, TimeNs by) {
  for (auto& startup : stream.startup) {
    if (startup) startup->time_ns += by;
  }
  for (PlannedWork& work : stream.work) work.time_ns += by;
}

// Keys of seeded pieces, of one plan: the other one's come behind them.
std::uint64_t keys_end(Plan& plan) {
  std::uint64_t end = 1;
  const auto note = [&end](const Content& content) {
    for (const Piece& each : content) {
      if (each.seeded) end = std::max(end, each.source + 1);
    }
  };
  for (PlannedStream& each : plan.streams) for_each_content(each, note);
  for (PlannedHost& each : plan.hosts) for_each_content(each, note);
  return end;
}

}  // namespace

std::uint32_t put_behind(Plan& plan, const Plan& more) {
  const auto streams = static_cast<std::uint32_t>(plan.streams.size());
  const auto hosts = static_cast<std::uint32_t>(plan.hosts.size());
  const TimeNs end = end_of(plan);
  const std::uint64_t keys = keys_end(plan);
  std::uint32_t numbers = 0;
  for (const PlannedStream& each : plan.streams) numbers = std::max(numbers, each.number + 1);
  std::vector<PayloadId> payloads;
  for (std::size_t i = 0; i < more.payloads.size(); ++i)
    payloads.push_back(plan.payloads.add(more.payloads[static_cast<PayloadId>(i)]));
  const auto rename_pieces = [&](Content& content) {
    for (Piece& each : content) {
      each.source = each.seeded ? each.source + keys : payloads[static_cast<std::size_t>(each.source)];
    }
  };
  const Rename behind = [streams](std::uint32_t stream) { return stream + streams; };
  for (const PlannedStream& each : more.streams) {
    PlannedStream& stream = plan.streams.emplace_back(each);
    stream.number += numbers;
    for (std::uint32_t& host : stream.hosts) host += hosts;
    postpone(stream, end);
    rename_streams(stream, behind);
    for_each_content(stream, rename_pieces);
  }
  for (const PlannedHost& each : more.hosts) {
    PlannedHost& host = plan.hosts.emplace_back(each);
    rename_streams(host, behind);
    for_each_content(host, rename_pieces);
  }
  plan.source += ", " + more.source;
  plan.anonymised = plan.anonymised || more.anonymised;
  plan.keeps_faults = plan.keeps_faults && more.keeps_faults;
  return numbers;
}

std::vector<std::uint32_t> add_copies(Plan& plan, const std::vector<std::uint32_t>& streams,
                                      std::uint32_t count, TimeNs ramp) {
  std::vector<std::uint32_t> all = streams;
  std::map<std::uint32_t, std::uint32_t> places;  // of these streams among them
  std::map<std::uint32_t, std::uint32_t> hosts;   // … of their hosts
  for (const std::uint32_t each : streams) {
    places.emplace(each, static_cast<std::uint32_t>(places.size()));
    for (const std::uint32_t host : plan.streams[each].hosts)
      hosts.emplace(host, static_cast<std::uint32_t>(hosts.size()));
  }
  plan.streams.reserve(plan.streams.size() + streams.size() * (count - 1));
  plan.hosts.reserve(plan.hosts.size() + hosts.size() * (count - 1));
  for (std::uint32_t copy = 1; copy < count; ++copy) {
    const auto first_stream = static_cast<std::uint32_t>(plan.streams.size());
    const auto first_host = static_cast<std::uint32_t>(plan.hosts.size());
    // What is not copied is not run either.
    const Rename name = [&](std::uint32_t stream) {
      const auto found = places.find(stream);
      return found == places.end() ? stream : first_stream + found->second;
    };
    for (const std::uint32_t each : streams) {
      all.push_back(static_cast<std::uint32_t>(plan.streams.size()));
      PlannedStream& made = plan.streams.emplace_back(plan.streams[each]);
      made.copy = copy;
      made.delay_ns = static_cast<TimeNs>(static_cast<double>(ramp) * copy / count);
      for (std::uint32_t& host : made.hosts) host = first_host + hosts.at(host);
      rename_streams(made, name);
    }
    std::vector<PlannedHost> made(hosts.size());
    for (const auto& [old, place] : hosts) made[place] = plan.hosts[old];
    for (PlannedHost& each : made) {
      rename_streams(each, name);
      plan.hosts.push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace iwarp::replay
