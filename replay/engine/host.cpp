// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/host.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <utility>

namespace iwarp::replay {
namespace {

// So far back the last use of a region is looked for; one that is farther away is over by then.
constexpr std::uint32_t max_looked_back = 4096;  // works

std::string hexadecimal(std::uint32_t stag) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", stag);
  return text;
}

rnic::AccessRights rights_of(std::uint8_t planned) noexcept {
  rnic::AccessRights rights = rnic::access::local;
  if ((planned & (remote_read | atomic_target)) != 0) rights |= rnic::access::remote_read;
  // A Read's sink is written by the peer's response (Verbs 1.0 figure 21).
  if ((planned & (remote_write | read_sink | atomic_target)) != 0) rights |= rnic::access::remote_write;
  return rights;
}

// For a run whose memory is called otherwise than recorded: another index, key and place for each.
LiveName other_name(std::uint32_t stag) noexcept {
  return {stag ^ 0x00a5c35aU, 0x0000'0100'0000'3000U};
}

}  // namespace

std::uint64_t memory_of(const PlannedHost& host) noexcept {
  std::uint64_t sum = 0;
  for (const PlannedRegion& region : host.regions)
    sum += std::min(region.length, UINT64_MAX / 2 - std::min(sum, UINT64_MAX / 2));
  return sum;
}

std::vector<std::vector<std::uint32_t>> streams_of_hosts(const Plan& plan) {
  std::vector<std::vector<std::uint32_t>> streams(plan.hosts.size());
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) {
    const auto [initiator, responder] = plan.streams[i].hosts;
    streams[initiator].push_back(i);
    if (responder != initiator) streams[responder].push_back(i);
  }
  return streams;
}

Host::Host(const Plan& plan, std::uint32_t number, std::vector<std::uint32_t> streams, Names& names,
           const ReplayOptions& options)
    : plan_(plan),
      number_(number),
      streams_(std::move(streams)),
      names_(names),
      rename_(options.rename_own),
      rnic_({.seed = options.seed + number}),
      pd_(rnic_.allocate_pd().value),
      foreign_pd_(rnic_.allocate_pd().value),
      regions_(plan.hosts[number].regions.size()) {
  rename_clashing();
  plan_registrations();
  plan_made_up_source();
  plan_stores();
}

std::map<std::uint32_t, Host::Life> Host::lives() const {
  std::map<std::uint32_t, Life> lives;
  const auto note = [&](std::uint32_t stag, FrameNumber frame) {
    Life& life = lives.try_emplace(stag, Life{frame, frame}).first->second;
    life.first = std::min(life.first, frame);
    life.last = std::max(life.last, frame);
  };
  for (const std::uint32_t number : streams_) {
    const PlannedStream& stream = plan_.streams[number];
    for (const PlannedWork& work : stream.work) {
      const bool own = stream.hosts[static_cast<std::size_t>(work.role)] == number_;
      const bool peers = stream.hosts[static_cast<std::size_t>(other(work.role))] == number_;
      if (work.kind == WorkKind::read) {
        if (own) note(work.stag, work.frame);
        if (peers) note(work.source_stag, work.frame);
      } else if (work.stag != 0 && peers) {
        note(work.stag, work.frame);
      }
      for (const Mention& each : work.mentions) {
        if (each.by_owner ? own : peers) note(each.stag, work.first_frame);
      }
    }
  }
  return lives;
}

// An STag's upper 24 bits are the RNIC's index of it (Verbs 1.0 §7.2.2). A recorded peer may have numbered
// otherwise: of two at a time with one index the second gets another name here, and so does index 0.
void Host::rename_clashing() {
  const std::map<std::uint32_t, Life> lives = this->lives();
  std::map<std::uint32_t, std::vector<std::uint32_t>> kept;  // by index
  for (const PlannedRegion& region : planned().regions) kept[rnic::stag_index(region.stag)];
  std::uint32_t next = 0x00abc001;
  for (const PlannedRegion& region : planned().regions) {
    if (renamed_.contains(region.stag)) continue;
    std::vector<std::uint32_t>& others = kept[rnic::stag_index(region.stag)];
    const auto life_of = [&](std::uint32_t stag) {
      const auto found = lives.find(stag);
      return found == lives.end() ? Life{} : found->second;
    };
    const Life own = life_of(region.stag);
    if (std::ranges::find(others, region.stag) != others.end()) continue;  // registered anew
    const bool clashes =
        rnic::stag_index(region.stag) == 0 || std::ranges::any_of(others, [&](std::uint32_t each) {
          const Life life = life_of(each);
          return own.first <= life.last && life.first <= own.last;
        });
    if (!clashes) {
      others.push_back(region.stag);
      continue;
    }
    while (kept.contains(next)) ++next;
    const std::uint32_t name = rnic::make_stag(next++, rnic::stag_key(region.stag));
    renamed_[region.stag] = {name, 0};
    notes_.push_back("STag " + hexadecimal(region.stag) + " is called " + hexadecimal(name) +
                     " here: an RNIC cannot have it beside the others");
  }
}

// Reads known from their responses alone read from memory of this one's own making.
void Host::plan_made_up_source() {
  std::uint64_t longest = 0;
  for (const std::uint32_t i : streams_) {
    const PlannedStream& stream = plan_.streams[i];
    for (std::uint32_t j = 0; j < stream.work.size(); ++j) {
      const PlannedWork& work = stream.work[j];
      if (work.kind != WorkKind::read || !work.deduced || work.source_stag != 0) continue;
      if (stream.hosts[static_cast<std::size_t>(other(work.role))] != number_) continue;
      made_up_reads_[{i, j}] = 0;
      longest = std::max(longest, work.length);
    }
  }
  if (longest == 0) return;
  made_up_.resize(static_cast<std::size_t>(longest));
  rnic::Mapping mapping;
  mapping.buffers = rnic::contiguous(made_up_.data(), made_up_.size());
  mapping.length = made_up_.size();
  mapping.addressing = rnic::Addressing::zero_based;
  mapping.rights = rnic::access::local | rnic::access::remote_read;
  std::uint32_t index = 0x00fade01;
  while (std::ranges::any_of(
      planned().regions, [&](const PlannedRegion& each) { return rnic::stag_index(each.stag) == index; })) {
    ++index;
  }
  const auto made = rnic_.register_region(pd_, 0, true, mapping, index);
  if (made) names_.set(number_, 0, {made.value, 0});
}

// Two regions with one index follow each other: the second is registered when the owner must have done it, or
// where nothing of that was captured, as soon as the first one is of no use any more.
void Host::plan_registrations() {
  std::map<std::uint32_t, std::uint32_t> latest;  // by index
  const std::vector<PlannedRegion>& regions = planned().regions;
  std::vector<std::uint32_t> in_order(regions.size());
  std::iota(in_order.begin(), in_order.end(), 0U);
  std::ranges::stable_sort(in_order, {}, [&](std::uint32_t i) {
    return regions[i].first_use ? work_of(plan_, *regions[i].first_use).frame : 0;
  });
  for (const std::uint32_t i : in_order) {
    const auto renamed = renamed_.find(regions[i].stag);
    const std::uint32_t stag = renamed == renamed_.end() ? regions[i].stag : renamed->second.stag;
    const auto [before, free] = latest.try_emplace(rnic::stag_index(stag), i);
    if (free || !regions[i].first_use) {
      at_start_.push_back(i);
      continue;
    }
    const auto last = last_use(regions[before->second], *regions[i].first_use);
    before->second = i;
    if (const auto due = due_before(regions[i], last)) {
      due_[*due].push_back(i);
      if (last && (last->stream != due->stream || *last < *due)) successions_[*due].push_back(*last);
    } else if (last) {
      behind_[*last].push_back(i);
      successions_[*regions[i].first_use].push_back(*last);
    } else {
      at_start_.push_back(i);
    }
  }
}

// Octets that the peer read are stored over when it has them.
void Host::plan_stores() {
  const std::vector<PlannedStore>& stores = planned().stores;
  for (std::uint32_t i = 0; i < stores.size(); ++i) stores_[stores[i].before].push_back(i);
  if (stores.empty()) return;
  for (const std::uint32_t i : streams_) {
    const PlannedStream& stream = plan_.streams[i];
    struct Read {
      std::uint32_t work = 0;
      std::uint32_t heard = 0;  // the last work of this host that the reader knew of
    };
    std::map<std::uint32_t, Read> last_read;  // by STag
    std::uint32_t heard = 0;
    for (std::uint32_t j = 0; j < stream.work.size(); ++j) {
      const PlannedWork& work = stream.work[j];
      const bool own = stream.hosts[static_cast<std::size_t>(work.role)] == number_;
      for (const Wait& each : work.waits) {
        if (!own && each.what != WaitFor::completed && each.work.stream == i)
          heard = std::max(heard, each.work.work);
      }
      if (!own && work.kind == WorkKind::read) last_read[work.source_stag] = {j, heard};
      const auto found = own ? stores_.find({i, j}) : stores_.end();
      if (found == stores_.end()) continue;
      for (const std::uint32_t each : found->second) {
        const auto read = last_read.find(planned().regions[stores[each].region].stag);
        if (read != last_read.end() && read->second.heard < j)
          successions_[{i, j}].push_back({i, read->second.work});
      }
    }
  }
}

// The last work before that one, of the same poster, that names the region.
std::optional<WorkRef> Host::last_use(const PlannedRegion& region, const WorkRef& before) const {
  if (region.invalidated && region.invalidated->stream == before.stream && *region.invalidated < before)
    return region.invalidated;
  const PlannedStream& stream = plan_.streams[before.stream];
  const Role role = stream.work[before.work].role;
  const bool own = stream.hosts[static_cast<std::size_t>(role)] == number_;
  const std::uint32_t end = before.work - std::min(before.work, max_looked_back);
  for (std::uint32_t i = before.work; i-- > end;) {
    const PlannedWork& work = stream.work[i];
    if (work.role != role || (own && work.kind != WorkKind::read)) continue;
    const std::uint32_t used = work.kind == WorkKind::read && !own ? work.source_stag : work.stag;
    if (used == region.stag) return WorkRef{before.stream, i};
  }
  return std::nullopt;
}

// The owner's work before which it must be registered: its advertisement, else the owner's last one before
// its use, if it is behind the last use of what had its index.
std::optional<WorkRef> Host::due_before(const PlannedRegion& region,
                                        const std::optional<WorkRef>& last_use) const {
  if (region.advertised) return region.advertised;
  const PlannedStream& stream = plan_.streams[region.first_use->stream];
  const std::uint32_t first_use = region.first_use->work;
  const std::uint32_t end = first_use - std::min(first_use, max_looked_back);
  for (std::uint32_t i = first_use + 1; i-- > end;) {
    const WorkRef ref{region.first_use->stream, i};
    const PlannedWork& work = stream.work[i];
    if (last_use && last_use->stream == ref.stream) {
      // Of two directions' works their numbers alone do not tell which one came first.
      const PlannedWork& last = work_of(plan_, *last_use);
      if (ref < *last_use || (work.role != last.role && work.first_frame <= last.frame)) break;
    }
    if (stream.hosts[static_cast<std::size_t>(work.role)] == number_ && !work.rtr) return ref;
  }
  return std::nullopt;
}

bool Host::start(std::string& error) {
  return std::ranges::all_of(at_start_, [&](std::uint32_t region) { return enter(region, error); });
}

bool Host::enter(std::uint32_t number, std::string& error) {
  const PlannedRegion& planned_region = planned().regions[number];
  Region& region = regions_[number];
  const std::uint64_t length = std::max<std::uint64_t>(planned_region.length, 1);
  LiveName name{planned_region.stag, 0};
  if (const auto renamed = renamed_.find(planned_region.stag); renamed != renamed_.end())
    name = renamed->second;
  if (rename_) name = other_name(name.stag);
  names_.set(number_, planned_region.stag, name);
  const std::uint32_t index = rnic::stag_index(name.stag);
  region.memory.reset(static_cast<Byte*>(std::calloc(1, length)));
  if (!region.memory) {
    error = "no memory for the region of " + std::to_string(length) + " octets with STag " +
            hexadecimal(planned_region.stag);
    return false;
  }
  const std::span<Byte> octets(region.memory.get(), length);
  for (const InitialOctets& each : planned_region.initial) {
    const std::uint64_t at = each.to - planned_region.base;
    if (at >= length) continue;
    copy_octets(plan_.payloads, plan_.seed, each.content, 0, octets.subspan(at));
  }
  rnic::Mapping mapping;
  mapping.buffers = rnic::contiguous(region.memory.get(), length);
  mapping.length = length;
  mapping.virtual_address = planned_region.base + name.distance;
  mapping.rights = rights_of(planned_region.rights);
  (void)rnic_.deallocate_stag(index);  // of the region that had it before, or that a Send invalidated
  const auto made = rnic_.register_region(planned_region.foreign ? foreign_pd_ : pd_,
                                          rnic::stag_key(name.stag), true, mapping, index);
  region.registered = static_cast<bool>(made);
  if (made) return true;
  error = "the region with STag " + hexadecimal(planned_region.stag) +
          " cannot be registered: " + rnic::text_of(made.status);
  return false;
}

void Host::store(const PlannedStore& store) {
  const PlannedRegion& planned_region = planned().regions[store.region];
  const Region& region = regions_[store.region];
  const std::uint64_t at = store.to - planned_region.base;
  if (!region.memory || at >= planned_region.length) return;
  const std::span<Byte> octets(region.memory.get(), planned_region.length);
  copy_octets(plan_.payloads, plan_.seed, store.content, 0, octets.subspan(at));
}

ByteView Host::memory(std::uint32_t stag, std::uint64_t to, std::uint64_t length) const noexcept {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const PlannedRegion& region = planned().regions[i];
    if (region.stag != stag || !regions_[i].registered) continue;
    const std::uint64_t at = to - region.base;
    if (at >= region.length) continue;
    return {regions_[i].memory.get() + at, static_cast<std::size_t>(std::min(length, region.length - at))};
  }
  return {};
}

void Host::before_post(const WorkRef& work) {
  if (const auto due = due_.find(work); due != due_.end()) {
    std::string error;
    for (const std::uint32_t region : due->second) (void)enter(region, error);
    due_.erase(due);
  }
  before_serve(work);
}

void Host::behind(const WorkRef& peers) {
  const auto found = behind_.find(peers);
  if (found == behind_.end()) return;
  std::string error;
  for (const std::uint32_t region : found->second) (void)enter(region, error);
  behind_.erase(found);
}

void Host::before_serve(const WorkRef& read) {
  if (made_up_reads_.erase(read) != 0) {
    copy_octets(plan_.payloads, plan_.seed, work_of(plan_, read).content, 0, made_up_);
  }
  const auto found = stores_.find(read);
  if (found == stores_.end()) return;
  for (const std::uint32_t each : found->second) store(planned().stores[each]);
  stores_.erase(found);
}

}  // namespace iwarp::replay
