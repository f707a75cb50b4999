// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace iwarp::replay::verbs {
namespace {

int access_of(std::uint8_t rights) noexcept {
  int access = IBV_ACCESS_LOCAL_WRITE;
  if ((rights & remote_read) != 0) access |= IBV_ACCESS_REMOTE_READ;
  // A Read's sink is written by the peer's response (Verbs 1.0 figure 21).
  if ((rights & (remote_write | read_sink)) != 0) access |= IBV_ACCESS_REMOTE_WRITE;
  if ((rights & atomic_target) != 0) access |= IBV_ACCESS_REMOTE_ATOMIC;
  return access;
}

}  // namespace

bool Registered::make(ibv_pd* pd, std::uint64_t length, int access, std::string& error) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t size = (std::max<std::uint64_t>(length, 1) + page - 1) / page * page;
  memory.reset(std::aligned_alloc(page, size));
  if (!memory) {
    error = "no memory for a region of " + std::to_string(length) + " octets";
    return false;
  }
  std::memset(memory.get(), 0, size);
  // The function, not the macro of its name, which asks for optional rights, too.
  region.reset((ibv_reg_mr)(pd, memory.get(), std::max<std::uint64_t>(length, 1), access));
  if (region) return true;
  error = "a region of " + std::to_string(length) + " octets cannot be registered: " + std::strerror(errno) +
          " (ulimit -l limits what may be locked)";
  return false;
}

bool Buffer::make(ibv_pd* pd, std::uint64_t size, std::string& error) {
  size_ = std::max<std::uint64_t>(size, 1);
  return octets_.make(pd, size_, IBV_ACCESS_LOCAL_WRITE, error);
}

std::optional<ibv_sge> Buffer::take(std::uint32_t size) {
  std::uint64_t begin = taken_.empty() ? 0 : taken_.back().end;
  if (!taken_.empty() && taken_.front().begin >= begin && begin != 0) {
    // It has begun anew: up to the oldest.
    if (taken_.front().begin - begin < size + 1ULL) return std::nullopt;
  } else if (size_ - begin < size) {
    if (taken_.empty() || taken_.front().begin < size + 1ULL) return std::nullopt;
    begin = 0;
  }
  taken_.push_back({begin, begin + size});
  return ibv_sge{octets_.address() + begin, size, octets_.region->lkey};
}

bool HostMemory::make(ibv_context* device, std::string& error) {
  pd_.reset(ibv_alloc_pd(device));
  foreign_pd_.reset(ibv_alloc_pd(device));
  if (!pd_ || !foreign_pd_) {
    error = std::string("no protection domain: ") + std::strerror(errno);
    return false;
  }
  const std::vector<PlannedRegion>& regions = planned().regions;
  regions_.resize(regions.size());
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    const PlannedRegion& region = regions[i];
    ibv_pd* const pd = region.foreign ? foreign_pd_.get() : pd_.get();
    if (!regions_[i].make(pd, region.length, access_of(region.rights), error)) return false;
    const std::span octets(static_cast<Byte*>(regions_[i].memory.get()), region.length);
    for (const InitialOctets& each : region.initial) {
      const std::uint64_t at = each.to - region.base;
      if (at < region.length) copy_octets(plan_.payloads, plan_.seed, each.content, 0, octets.subspan(at));
    }
    if (current_.contains(region.stag) && region.advertised) {
      named_by_[*region.advertised].push_back(i);
    } else {
      name(i);
    }
  }
  const std::vector<PlannedStore>& stores = planned().stores;
  for (std::uint32_t i = 0; i < stores.size(); ++i) {
    WorkRef before = stores[i].before;
    // The device serves the peer's Reads without a word: before the own work in front of it, then.
    const PlannedStream& stream = plan_.streams[before.stream];
    while (before.work > 0 && !own(stream, before.work)) --before.work;
    if (own(stream, before.work)) {
      stores_[before].push_back(i);
    } else {
      store(stores[i]);
    }
  }
  return true;
}

bool HostMemory::own(const PlannedStream& stream, std::uint32_t work) const {
  return stream.hosts[static_cast<std::size_t>(stream.work[work].role)] == host_ &&
         !is_close(stream.work[work].kind);
}

void HostMemory::store(const PlannedStore& store) {
  const PlannedRegion& region = planned().regions[store.region];
  const std::uint64_t at = store.to - region.base;
  if (at >= region.length) return;
  const std::span octets(static_cast<Byte*>(regions_[store.region].memory.get()), region.length);
  copy_octets(plan_.payloads, plan_.seed, store.content, 0, octets.subspan(at));
}

void HostMemory::name(std::uint32_t number) {
  const PlannedRegion& region = planned().regions[number];
  current_[region.stag] = number;
  names_.set(host_, region.stag, {regions_[number].region->rkey, regions_[number].address() - region.base});
}

void HostMemory::before_post(const WorkRef& work) {
  if (const auto found = named_by_.find(work); found != named_by_.end()) {
    for (const std::uint32_t each : found->second) name(each);
    named_by_.erase(found);
  }
  const auto found = stores_.find(work);
  if (found == stores_.end()) return;
  for (const std::uint32_t each : found->second) store(planned().stores[each]);
  stores_.erase(found);
}

ibv_sge HostMemory::place(std::uint32_t stag, std::uint64_t to, std::uint64_t length) const {
  const auto found = current_.find(stag);
  // An STag that was never good: it is not here, either.
  if (found == current_.end()) return {to, static_cast<std::uint32_t>(length), stag};
  const Registered& region = regions_[found->second];
  return {region.address() + (to - planned().regions[found->second].base), static_cast<std::uint32_t>(length),
          region.region->lkey};
}

std::span<const Byte> HostMemory::octets(std::uint32_t stag, std::uint64_t to, std::uint64_t length) const {
  const auto found = current_.find(stag);
  if (found == current_.end()) return {};
  const PlannedRegion& region = planned().regions[found->second];
  const std::uint64_t at = to - region.base;
  if (at > region.length || length > region.length - at) return {};
  return std::span(static_cast<const Byte*>(regions_[found->second].memory.get()), region.length)
      .subspan(at, length);
}

}  // namespace iwarp::replay::verbs
