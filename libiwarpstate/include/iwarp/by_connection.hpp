// ByConnection: what is kept of some connections, found by their ids, which count up from zero. Memory
// follows what is kept, but for a pointer for each page of ids.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <iwarp/ids.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// References live until their connection is dropped.
template <typename T>
class ByConnection {
 public:
  // nullptr: nothing was added with this id, or it was dropped.
  [[nodiscard]] T* find(ConnectionId id) const noexcept {
    const std::size_t at = id / page_size;
    if (at >= pages_.size() || !pages_[at]) return nullptr;
    return pages_[at]->kept[id % page_size].get();
  }
  // REQUIRES: nothing is there.
  template <typename... Arguments>
  T& add(ConnectionId id, Arguments&&... arguments) {
    const std::size_t at = id / page_size;
    if (at >= pages_.size()) pages_.resize(at + 1);
    if (!pages_[at]) pages_[at] = std::make_unique<Page>();
    std::unique_ptr<T>& place = pages_[at]->kept[id % page_size];
    place = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    ++pages_[at]->count;
    return *place;
  }
  void drop(ConnectionId id) noexcept {
    if (find(id) == nullptr) return;
    std::unique_ptr<Page>& page = pages_[id / page_size];
    page->kept[id % page_size].reset();
    if (--page->count == 0) page.reset();
  }

 private:
  static constexpr ConnectionId page_size = 256;

  struct Page {
    std::array<std::unique_ptr<T>, page_size> kept;
    ConnectionId count = 0;
  };

  std::vector<std::unique_ptr<Page>> pages_;  // null: nothing is kept of these
};

}  // namespace iwarp
#pragma GCC visibility pop
