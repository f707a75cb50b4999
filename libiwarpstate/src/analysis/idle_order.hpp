// IdleOrder: which connection was used longest ago, of those that are followed.
//
// Each has one entry, with the use that was its last when the entry was made; later uses cost nothing. When
// the oldest is asked for, entries that are out of date are made anew until one is not.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp {

// Not thread-safe; throws nothing but bad_alloc.
class IdleOrder {
 public:
  // Uses are counted over all connections. REQUIRES: the connection has no entry.
  void add(ConnectionId id, std::uint64_t use) { push({use, id}); }

  // Takes out the one used longest ago. `last_use(id)` is its last use; nothing: it is not followed any more.
  // O(log n) for each entry made anew or dropped.
  template <typename LastUse>
  [[nodiscard]] std::optional<ConnectionId> take_oldest(const LastUse& last_use) {
    while (!entries_.empty()) {
      const Entry oldest = pop();
      const std::optional<std::uint64_t> last = last_use(oldest.id);
      if (!last) continue;
      if (*last == oldest.use) return oldest.id;
      push({*last, oldest.id});
    }
    return std::nullopt;
  }

  // One of them is not followed any more, and `followed` are. Amortised O(1).
  template <typename LastUse>
  void note_gone(std::size_t followed, const LastUse& last_use) {
    constexpr std::size_t few = 64;
    if (entries_.size() <= 2 * followed + few) return;
    std::erase_if(entries_, [&](const Entry& entry) { return !last_use(entry.id); });
    std::make_heap(entries_.begin(), entries_.end(), later);
  }

 private:
  struct Entry {
    std::uint64_t use = 0;
    ConnectionId id = 0;
  };
  static bool later(const Entry& one, const Entry& another) noexcept { return one.use > another.use; }

  void push(const Entry& entry) {
    entries_.push_back(entry);
    std::push_heap(entries_.begin(), entries_.end(), later);
  }
  Entry pop() {
    std::pop_heap(entries_.begin(), entries_.end(), later);
    const Entry oldest = entries_.back();
    entries_.pop_back();
    return oldest;
  }

  std::vector<Entry> entries_;  // a heap, the oldest use first
};

}  // namespace iwarp
