// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/reduce.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace iwarp::replay {
namespace {

// Copies what is kept under its new names.
class Reduction {
 public:
  Reduction(const Plan& plan, const std::vector<std::uint32_t>& streams, const std::vector<WorkRef>& works)
      : plan_(plan), works_(works) {
    for (const std::uint32_t each : streams) {
      const auto number = static_cast<std::uint32_t>(streams_.size());
      streams_[each] = number;
    }
    std::map<std::uint32_t, std::uint32_t> next;
    for (const WorkRef& each : works) renamed_[each] = {streams_.at(each.stream), next[each.stream]++};
  }

  Plan run() {
    out_.source = plan_.source;
    out_.start_ns = plan_.start_ns;
    out_.seed = plan_.seed;
    out_.anonymised = plan_.anonymised;
    out_.keeps_faults = plan_.keeps_faults;
    for (const auto& [old, number] : streams_) {
      for (const std::uint32_t host : plan_.streams[old].hosts) hosts_.try_emplace(host, 0U);
    }
    std::uint32_t number = 0;
    for (auto& [old, name] : hosts_) name = number++;
    for (const auto& [old, name] : streams_) out_.streams.push_back(stream(old));
    for (const auto& [old, name] : hosts_) out_.hosts.push_back(host(old));
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::optional<WorkRef> name_of(const std::optional<WorkRef>& work) const {
    if (!work) return std::nullopt;
    const auto found = renamed_.find(*work);
    return found == renamed_.end() ? std::nullopt : std::optional(found->second);
  }

  Content content(const Content& old) {
    Content copy = old;
    for (Piece& each : copy) {
      if (each.seeded) continue;
      auto [found, added] = payloads_.try_emplace(each.source, 0U);
      if (added) found->second = out_.payloads.add(plan_.payloads[static_cast<PayloadId>(each.source)]);
      each.source = found->second;
    }
    return copy;
  }

  PlannedWork work(const PlannedWork& old, std::uint32_t stream) {
    PlannedWork copy = old;
    copy.content = content(old.content);
    std::erase_if(copy.waits, [&](const Wait& wait) { return !renamed_.contains(wait.work); });
    for (Wait& wait : copy.waits) wait.work = renamed_.at(wait.work);
    if (old.quoted) {
      const auto quoted = name_of(WorkRef{stream, *old.quoted});
      copy.quoted = quoted ? std::optional(quoted->work) : std::nullopt;
    }
    return copy;
  }

  PlannedStream stream(std::uint32_t number) {
    const PlannedStream& old = plan_.streams[number];
    PlannedStream copy = old;
    for (std::uint32_t& host : copy.hosts) host = hosts_.at(host);
    copy.work.clear();
    for (const WorkRef& each : works_) {
      if (each.stream == number) copy.work.push_back(work(old.work[each.work], number));
    }
    std::erase_if(copy.kept, [&](const KeptFpdu& kept) {
      return kept.work && !renamed_.contains({number, *kept.work});
    });
    for (KeptFpdu& kept : copy.kept) {
      if (kept.work) kept.work = renamed_.at({number, *kept.work}).work;
    }
    std::erase_if(copy.missing, [&](const Missing& missing) {
      return missing.work && !renamed_.contains({number, *missing.work});
    });
    for (Missing& missing : copy.missing) {
      if (missing.work) missing.work = renamed_.at({number, *missing.work}).work;
    }
    return copy;
  }

  // What a store comes before, where that is left out: the next work of the owner's, or Read of the peer's.
  [[nodiscard]] std::optional<WorkRef> next_before(const WorkRef& before, std::uint32_t owner) const {
    const PlannedStream& old = plan_.streams[before.stream];
    for (std::uint32_t i = before.work; i < old.work.size(); ++i) {
      const PlannedWork& each = old.work[i];
      const bool own = old.hosts[static_cast<std::size_t>(each.role)] == owner;
      if (!own && each.kind != WorkKind::read) continue;
      if (const auto name = name_of(WorkRef{before.stream, i})) return name;
    }
    return std::nullopt;
  }

  PlannedHost host(std::uint32_t number) {
    const PlannedHost& old = plan_.hosts[number];
    PlannedHost copy = old;
    for (PlannedRegion& region : copy.regions) {
      region.advertised = name_of(region.advertised);
      region.first_use = name_of(region.first_use);
      region.invalidated = name_of(region.invalidated);
      if (region.advertised_in_startup) {
        const auto found = streams_.find(*region.advertised_in_startup);
        region.advertised_in_startup = found == streams_.end() ? std::nullopt : std::optional(found->second);
      }
      for (InitialOctets& initial : region.initial) initial.content = content(initial.content);
    }
    copy.stores.clear();
    for (const PlannedStore& store : old.stores) {
      const auto before = next_before(store.before, number);
      if (!before) continue;
      copy.stores.push_back(store);
      copy.stores.back().before = *before;
      copy.stores.back().content = content(store.content);
    }
    return copy;
  }

  const Plan& plan_;
  const std::vector<WorkRef>& works_;
  Plan out_;
  std::map<std::uint32_t, std::uint32_t> streams_;  // new places by old ones
  std::map<std::uint32_t, std::uint32_t> hosts_;
  std::map<WorkRef, WorkRef> renamed_;
  std::map<std::uint64_t, PayloadId> payloads_;
};

}  // namespace

Plan part_of(const Plan& plan, const std::vector<std::uint32_t>& streams, const std::vector<WorkRef>& works) {
  return Reduction(plan, streams, works).run();
}

Plan without_idle_memory(const Plan& plan) {
  std::set<std::uint32_t> named;
  std::set<std::uint32_t> read;
  const auto note = [&](const std::vector<Mention>& mentions) {
    for (const Mention& each : mentions) named.insert(each.stag);
  };
  for (const PlannedStream& stream : plan.streams) {
    for (const auto& startup : stream.startup) {
      if (startup) note(startup->mentions);
    }
    for (const PlannedWork& work : stream.work) {
      named.insert({work.stag, work.source_stag});
      if (work.kind == WorkKind::read) read.insert(work.source_stag);
      if (work.kind == WorkKind::atomic) read.insert(work.stag);
      note(work.mentions);
    }
  }
  Plan copy = plan;
  for (PlannedHost& host : copy.hosts) {
    std::map<std::uint32_t, std::uint32_t> kept;
    std::vector<PlannedRegion> regions;
    for (std::uint32_t i = 0; i < host.regions.size(); ++i) {
      if (!named.contains(host.regions[i].stag)) continue;
      kept[i] = static_cast<std::uint32_t>(regions.size());
      regions.push_back(host.regions[i]);
      if (!read.contains(regions.back().stag)) regions.back().initial.clear();
    }
    host.regions = std::move(regions);
    std::erase_if(host.stores, [&](const PlannedStore& store) { return !kept.contains(store.region); });
    for (PlannedStore& store : host.stores) store.region = kept.at(store.region);
    std::erase_if(host.stores,
                  [&](const PlannedStore& store) { return !read.contains(host.regions[store.region].stag); });
  }
  std::vector<std::uint32_t> streams;
  std::vector<WorkRef> works;
  for (std::uint32_t stream = 0; stream < copy.streams.size(); ++stream) {
    streams.push_back(stream);
    for (std::uint32_t work = 0; work < copy.streams[stream].work.size(); ++work)
      works.push_back({stream, work});
  }
  return part_of(copy, streams, works);
}

}  // namespace iwarp::replay
