// Verbs and Work Requests that change the STag table. The access check is in memory_access.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/memory_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace iwarp::rnic {
namespace {

constexpr std::uint32_t index_mask = 0xffffff;

// splitmix64 (Steele, Lea, Flood 2014): every output depends on all bits of the seed.
std::uint64_t next_random(std::uint64_t& state) noexcept {
  std::uint64_t value = state += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

// The verb's status for what a Work Request reports by completion.
Status verb_status(CompletionStatus status) noexcept {
  switch (status) {
    case CompletionStatus::success: return Status::ok;
    case CompletionStatus::invalid_page_size:
    case CompletionStatus::invalid_physical_buffer_size: return Status::invalid_physical_buffer_size;
    case CompletionStatus::invalid_pbl_entry: return Status::invalid_pbl_entry;
    case CompletionStatus::invalid_fbo: return Status::invalid_fbo;
    case CompletionStatus::invalid_virtual_address: return Status::invalid_virtual_address;
    case CompletionStatus::invalid_access_rights: return Status::invalid_access_rights;
    default: return Status::invalid_length;  // of the region or of its list (§9.5.1.6)
  }
}

// Remote rights rest on the local ones and on the Remote Access Flag (Verbs 1.0 §7.5, §9.2.6.2).
bool consistent(AccessRights rights, bool remote_access) noexcept {
  if ((rights & access::remote_read) != 0 && (rights & access::local_read) == 0) return false;
  if ((rights & access::remote_write) != 0 && (rights & access::local_write) == 0) return false;
  if ((rights & access::local) == 0) return false;
  return remote_access || (rights & access::remote) == 0;
}

bool wraps(std::uint64_t start, std::uint64_t length) noexcept {
  return length != 0 && start + (length - 1) < start;
}

}  // namespace

MemoryTable::MemoryTable(const MemoryLimits& limits, std::uint64_t seed) : limits_(limits), random_(seed) {
  physical_.rights = access::local;
}

void MemoryTable::set_physical_memory(std::span<Byte> memory) {
  physical_.valid = !memory.empty();
  physical_.length = memory.size();
  physical_.buffers = std::make_shared<PhysicalBuffers>(contiguous(memory.data(), memory.size()));
}

// Order of Verbs 1.0 figure 23, as far as it gives one.
CompletionStatus MemoryTable::judge(const Mapping& mapping, bool remote_access,
                                    std::size_t max_buffers) const {
  const PhysicalBuffers& buffers = mapping.buffers;
  if (buffers.size == 0) return CompletionStatus::invalid_physical_buffer_size;
  if (!limits_.block_lists && !std::has_single_bit(buffers.size)) return CompletionStatus::invalid_page_size;
  if (buffers.list.size() > std::min(max_buffers, limits_.max_buffers)) return CompletionStatus::pbl_too_long;
  if (buffers.list.empty()) return CompletionStatus::invalid_pbl_entry;
  for (const Byte* buffer : buffers.list) {
    if (buffer == nullptr) return CompletionStatus::invalid_pbl_entry;
    if (!limits_.block_lists && reinterpret_cast<std::uintptr_t>(buffer) % buffers.size != 0) {
      return CompletionStatus::invalid_pbl_entry;
    }
  }
  if (buffers.first_byte_offset >= buffers.size) return CompletionStatus::invalid_fbo;
  if (mapping.length == 0 || mapping.length > limits_.max_length)
    return CompletionStatus::invalid_register_length;
  // Buffers that reach beyond 2^64 hold any length that is left.
  const bool huge = buffers.size > std::numeric_limits<std::uint64_t>::max() / buffers.list.size();
  if (!huge && mapping.length > buffers.size * buffers.list.size() - buffers.first_byte_offset) {
    return CompletionStatus::invalid_register_length;
  }
  if (mapping.addressing == Addressing::virtual_address) {
    if (wraps(mapping.virtual_address, mapping.length)) return CompletionStatus::invalid_virtual_address;
    if (!limits_.block_lists && mapping.virtual_address % buffers.size != buffers.first_byte_offset) {
      return CompletionStatus::invalid_virtual_address;
    }
  }
  if (!consistent(mapping.rights, remote_access)) return CompletionStatus::invalid_access_rights;
  return CompletionStatus::success;
}

StagEntry* MemoryTable::mutable_find(std::uint32_t index) {
  const auto found = entries_.find(index);
  return found == entries_.end() ? nullptr : &found->second;
}

const StagEntry* MemoryTable::find(std::uint32_t index) const {
  const auto found = entries_.find(index);
  return found == entries_.end() ? nullptr : &found->second;
}

StagEntry* MemoryTable::add(std::optional<std::uint32_t> index, Status& status) {
  if (entries_.size() >= std::min<std::size_t>(limits_.max_stags, index_mask / 2)) {
    status = Status::insufficient_resources;
    return nullptr;
  }
  if (index && (*index == 0 || *index > index_mask || entries_.contains(*index))) {
    status = Status::invalid_stag_index;
    return nullptr;
  }
  std::uint32_t chosen = index.value_or(0);
  // RFC 5040 §8.1.1 (8): hard to predict. At most half of the indices are in use, so this ends soon.
  while (chosen == 0 || (!index && entries_.contains(chosen))) {
    chosen = static_cast<std::uint32_t>(next_random(random_) >> 40) & index_mask;
  }
  StagEntry& entry = entries_[chosen];
  entry.index = chosen;
  status = Status::ok;
  return &entry;
}

// REQUIRES: length, start and buffers are there.
void MemoryTable::address(StagEntry& entry, const Mapping& mapping) {
  const bool is_virtual = mapping.addressing == Addressing::virtual_address;
  entry.addressing = mapping.addressing;
  entry.base = is_virtual ? mapping.virtual_address : 0;
  // Where there is no Virtual Address the memory itself tells.
  entry.address = is_virtual ? mapping.virtual_address
                             : reinterpret_cast<std::uintptr_t>(entry.buffers->list.front()) + entry.start;
}

void MemoryTable::map(StagEntry& entry, Byte key, const Mapping& mapping) {
  entry.valid = true;
  entry.key = key;
  entry.rights = mapping.rights;
  entry.length = mapping.length;
  entry.start = mapping.buffers.first_byte_offset;
  entry.buffers = std::make_shared<PhysicalBuffers>(mapping.buffers);
  address(entry, mapping);
}

Outcome<std::uint32_t> MemoryTable::allocate_region(PdId pd, std::size_t max_buffers, bool remote_access,
                                                    std::optional<std::uint32_t> index) {
  if (max_buffers == 0 || max_buffers > limits_.max_buffers) return {Status::insufficient_resources, 0};
  Status status{};
  StagEntry* entry = add(index, status);
  if (entry == nullptr) return {status, 0};
  entry->pd = pd;
  entry->max_buffers = max_buffers;
  entry->remote_access = remote_access;
  return {Status::ok, entry->index};
}

Outcome<std::uint32_t> MemoryTable::register_region(PdId pd, Byte key, bool remote_access,
                                                    const Mapping& mapping,
                                                    std::optional<std::uint32_t> index) {
  const Status judged = verb_status(judge(mapping, remote_access, limits_.max_buffers));
  if (judged != Status::ok) return {judged, 0};
  Status status{};
  StagEntry* entry = add(index, status);
  if (entry == nullptr) return {status, 0};
  entry->pd = pd;
  entry->remote_access = remote_access;
  entry->max_buffers = mapping.buffers.list.size();
  map(*entry, key, mapping);
  return {Status::ok, make_stag(entry->index, key)};
}

Outcome<std::uint32_t> MemoryTable::reregister_region(std::uint32_t index, PdId pd, Byte key,
                                                      bool remote_access, const Mapping& mapping) {
  StagEntry* entry = mutable_find(index);
  if (entry == nullptr || entry->kind != StagKind::region || entry->shared)
    return {Status::invalid_stag_index, 0};
  if (entry->windows != 0) return {Status::windows_bound, 0};
  // The PD is checked by the caller, which knows it: none is an invalid one.
  Status judged =
      pd == PdId::none ? Status::invalid_pd : verb_status(judge(mapping, remote_access, limits_.max_buffers));
  if (judged != Status::ok) {
    entries_.erase(index);
    return {judged, 0};
  }
  entry->pd = pd;
  entry->remote_access = remote_access;
  entry->max_buffers = mapping.buffers.list.size();
  map(*entry, key, mapping);
  return {Status::ok, make_stag(index, key)};
}

Outcome<std::uint32_t> MemoryTable::register_shared(std::uint32_t source, PdId pd, Byte key,
                                                    bool remote_access, const Mapping& mapping,
                                                    std::optional<std::uint32_t> index) {
  const StagEntry* original = find(source);
  if (original == nullptr || original->kind != StagKind::region || !original->valid) {
    return {Status::invalid_stag_index, 0};
  }
  if (mapping.addressing == Addressing::virtual_address && wraps(mapping.virtual_address, original->length)) {
    return {Status::invalid_virtual_address, 0};
  }
  if (!consistent(mapping.rights, remote_access)) return {Status::invalid_access_rights, 0};
  Status status{};
  StagEntry* entry = add(index, status);
  if (entry == nullptr) return {status, 0};
  StagEntry& shared = entries_[source];  // adding may have moved it
  shared.shared = true;
  entry->valid = true;
  entry->shared = true;
  entry->remote_access = remote_access;
  entry->key = key;
  entry->rights = mapping.rights;
  entry->pd = pd;
  entry->max_buffers = shared.max_buffers;
  entry->length = shared.length;
  entry->start = shared.start;
  entry->buffers = shared.buffers;
  address(*entry, mapping);
  return {Status::ok, make_stag(entry->index, key)};
}

Outcome<std::uint32_t> MemoryTable::allocate_window(PdId pd, std::optional<std::uint32_t> index) {
  Status status{};
  StagEntry* entry = add(index, status);
  if (entry == nullptr) return {status, 0};
  entry->kind = StagKind::window;
  entry->pd = pd;
  return {Status::ok, entry->index};
}

void MemoryTable::unbind(StagEntry& window, PdId pd) {
  if (!window.valid) return;
  if (StagEntry* region = mutable_find(window.region)) --region->windows;
  window.valid = false;
  window.qp = QpId::none;
  window.pd = pd;
  window.region = 0;
  window.buffers.reset();
}

Status MemoryTable::deallocate(std::uint32_t index) {
  StagEntry* entry = mutable_find(index);
  if (entry == nullptr) return Status::invalid_stag_index;
  if (entry->windows != 0) return Status::windows_bound;
  if (entry->kind == StagKind::window) unbind(*entry, entry->pd);
  entries_.erase(index);
  return Status::ok;
}

bool MemoryTable::uses(PdId pd) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [pd](const auto& item) { return item.second.pd == pd; });
}

bool MemoryTable::windows_bound_to(QpId qp) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [qp](const auto& item) { return item.second.valid && item.second.qp == qp; });
}

// Order of Verbs 1.0 §7.10.6.1.
CompletionStatus MemoryTable::bind(const WindowBinding& binding, const Accessor& by, bool bind_enabled) {
  StagEntry* window = mutable_find(stag_index(binding.window));
  if (window == nullptr || window->kind != StagKind::window) return CompletionStatus::invalid_window;
  if (window->valid) return CompletionStatus::stag_not_invalid;
  if (!bind_enabled) return CompletionStatus::access_violation;
  StagEntry* region = mutable_find(stag_index(binding.region));
  if (region == nullptr || region->kind != StagKind::region || !region->valid ||
      region->key != stag_key(binding.region)) {
    return CompletionStatus::invalid_region;
  }
  if (window->pd != by.pd || region->pd != by.pd) return CompletionStatus::invalid_pd;
  if ((region->rights & access::bind) == 0) return CompletionStatus::access_violation;
  if ((binding.rights & ~access::remote) != 0 || (binding.rights & access::remote) == 0) {
    return CompletionStatus::access_violation;
  }
  if ((binding.rights & access::remote_read) != 0 && (region->rights & access::local_read) == 0) {
    return CompletionStatus::access_violation;
  }
  if ((binding.rights & access::remote_write) != 0 && (region->rights & access::local_write) == 0) {
    return CompletionStatus::access_violation;
  }
  if (region->addressing == Addressing::zero_based) return CompletionStatus::invalid_region;
  if (wraps(binding.virtual_address, binding.length)) return CompletionStatus::wrap;
  const std::uint64_t offset = binding.virtual_address - region->base;
  if (binding.virtual_address < region->base || offset > region->length ||
      binding.length > region->length - offset) {
    return CompletionStatus::base_bounds;
  }
  window->valid = true;
  window->key = stag_key(binding.window);
  window->rights = binding.rights;
  window->qp = by.qp;
  window->region = region->index;
  window->addressing = binding.addressing;
  window->base = binding.addressing == Addressing::virtual_address ? binding.virtual_address : 0;
  window->address = binding.virtual_address;  // the region has one
  window->length = binding.length;
  window->start = region->start + offset;
  window->buffers = region->buffers;
  ++region->windows;
  return CompletionStatus::success;
}

CompletionStatus MemoryTable::fast_register(std::uint32_t stag, const Mapping& mapping, const Accessor& by) {
  if (!by.privileged) return CompletionStatus::not_privileged;
  StagEntry* entry = mutable_find(stag_index(stag));
  if (entry == nullptr || entry->kind != StagKind::region || entry->shared)
    return CompletionStatus::invalid_stag;
  if (entry->valid) return CompletionStatus::stag_not_invalid;
  if (entry->pd != by.pd) return CompletionStatus::invalid_pd;
  const CompletionStatus judged = judge(mapping, entry->remote_access, entry->max_buffers);
  if (judged == CompletionStatus::success) map(*entry, stag_key(stag), mapping);
  return judged;
}

// Order of Verbs 1.0 §7.8; windows: §7.10.4.
InvalidateFault MemoryTable::invalidate(std::uint32_t stag, const Accessor& by, bool need_remote_rights) {
  if (stag == 0) return InvalidateFault::invalid_stag;
  StagEntry* entry = mutable_find(stag_index(stag));
  if (entry == nullptr) return InvalidateFault::deallocated;
  if (entry->shared || entry->key != stag_key(stag)) return InvalidateFault::invalid_stag;
  const bool bound = entry->kind == StagKind::window && entry->valid;
  if (bound ? entry->qp != by.qp : entry->pd != by.pd) return InvalidateFault::association;
  if (entry->windows != 0) return InvalidateFault::windows_bound;
  if (need_remote_rights && !by.remote) return InvalidateFault::rights;
  if (!entry->valid) return InvalidateFault::none;
  if (need_remote_rights && (entry->rights & access::remote) == 0) return InvalidateFault::rights;
  if (bound) {
    unbind(*entry, by.pd);
  } else {
    entry->valid = false;
    entry->buffers.reset();
  }
  return InvalidateFault::none;
}

}  // namespace iwarp::rnic
