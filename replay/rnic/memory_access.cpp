// The check of an access to tagged memory, in the order of Verbs 1.0 §7.6.3 and RFC 5041 §7.1, and the
// copying.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>

#include "rnic/memory_table.hpp"

namespace iwarp::rnic {
namespace {

// Calls `copy(place, size)` for each piece of a physical buffer that holds part of [start, start + size).
template <typename Copy>
void for_each_piece(const PhysicalBuffers& buffers, std::uint64_t start, std::size_t size,
                    Copy copy) noexcept {
  std::uint64_t buffer = start / buffers.size;
  std::uint64_t offset = start % buffers.size;
  while (size != 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffers.size - offset));
    copy(buffers.list[buffer] + offset, piece);
    size -= piece;
    ++buffer;
    offset = 0;
  }
}

}  // namespace

MemoryRange MemoryTable::check(const StagEntry* entry, std::uint32_t stag, std::uint64_t to,
                               std::uint64_t length, AccessRights rights, const Accessor& by) const {
  if (entry == nullptr || !entry->valid || entry->key != stag_key(stag)) return {MemoryFault::invalid_stag};
  if (entry != &physical_) {
    const bool associated = entry->kind == StagKind::window ? entry->qp == by.qp : entry->pd == by.pd;
    if (!associated) return {MemoryFault::association};
  }
  if ((entry->rights & rights) != rights) return {MemoryFault::rights};
  if (to + (length - 1) < to) return {MemoryFault::wrap, entry};
  const std::uint64_t offset = to - entry->base;
  if (to < entry->base || offset > entry->length || length > entry->length - offset)
    return {MemoryFault::bounds, entry};
  return {MemoryFault::none, entry, entry->start + offset};
}

MemoryRange MemoryTable::check_remote(std::uint32_t stag, std::uint64_t to, std::uint64_t length,
                                      AccessRights rights, const Accessor& by) const {
  return check(stag == 0 ? nullptr : find(stag_index(stag)), stag, to, length, rights, by);
}

MemoryRange MemoryTable::check_local(const Sge& element, AccessRights rights, const Accessor& by) const {
  const StagEntry* entry = nullptr;
  if (element.stag == 0) {
    if (by.privileged) entry = &physical_;
  } else {
    entry = find(stag_index(element.stag));
    if (entry != nullptr && entry->kind == StagKind::window)
      entry = nullptr;  // no local access through a window
  }
  return check(entry, element.stag, element.to, element.length, rights, by);
}

void MemoryTable::read(const MemoryRange& range, Byte* to, std::size_t size) noexcept {
  for_each_piece(*range.entry->buffers, range.start, size, [&to](const Byte* at, std::size_t piece) {
    std::memcpy(to, at, piece);
    to += piece;
  });
}

void MemoryTable::write(const MemoryRange& range, ByteView octets) noexcept {
  const Byte* from = octets.data();
  for_each_piece(*range.entry->buffers, range.start, octets.size(), [&from](Byte* at, std::size_t piece) {
    std::memcpy(at, from, piece);
    from += piece;
  });
}

CompletionStatus status_of(MemoryFault fault) noexcept {
  switch (fault) {
    case MemoryFault::none: return CompletionStatus::success;
    case MemoryFault::invalid_stag: return CompletionStatus::invalid_stag;
    case MemoryFault::association: return CompletionStatus::invalid_pd;
    case MemoryFault::rights: return CompletionStatus::access_violation;
    case MemoryFault::wrap: return CompletionStatus::wrap;
    case MemoryFault::bounds: return CompletionStatus::base_bounds;
  }
  return CompletionStatus::local_qp_catastrophic;
}

CompletionStatus status_of(InvalidateFault fault) noexcept {
  switch (fault) {
    case InvalidateFault::none: return CompletionStatus::success;
    case InvalidateFault::deallocated:
    case InvalidateFault::invalid_stag: return CompletionStatus::invalid_stag;
    case InvalidateFault::association: return CompletionStatus::invalid_pd;
    case InvalidateFault::windows_bound:
    case InvalidateFault::rights: return CompletionStatus::access_violation;
  }
  return CompletionStatus::local_qp_catastrophic;
}

}  // namespace iwarp::rnic
