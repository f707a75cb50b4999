// ConnectionPlaces: the connections of a capture by their ids, which count up from zero. Memory follows those
// that are kept, but for a pointer for each page of ids handed out.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#include "analysis/connection.hpp"

namespace iwarp {

class ConnectionPlaces {
 public:
  struct Place {
    std::unique_ptr<Connection> connection;  // null: at rest
    std::unique_ptr<Byte[]> rest;            // what it is packed in; null: awake
    std::uint64_t last_segment = 0;          // the number of its latest among all segments, from 1
    std::uint32_t network = 0;               // of the first segment
    bool closed = false;
    bool used = false;  // since it was last asked whether it may be at rest
  };

  // One past the highest id handed out.
  [[nodiscard]] ConnectionId count() const noexcept { return count_; }
  // A new place, its id is the count before.
  Place& add() {
    if (count_ % page_size == 0) pages_.push_back(std::make_unique<Page>());
    Page& page = *pages_.back();
    ++page.kept;
    return *(page.places[count_++ % page_size] = std::make_unique<Place>());
  }
  // nullptr: none was added with this id, or it was dropped.
  [[nodiscard]] Place* find(ConnectionId id) const noexcept {
    if (id >= count_) return nullptr;
    const std::unique_ptr<Page>& page = pages_[id / page_size];
    return page ? page->places[id % page_size].get() : nullptr;
  }
  void drop(ConnectionId id) noexcept {
    if (find(id) == nullptr) return;
    std::unique_ptr<Page>& page = pages_[id / page_size];
    page->places[id % page_size].reset();
    // The last one may be added to still.
    if (--page->kept == 0 && id / page_size + 1 < pages_.size()) page.reset();
  }

 private:
  static constexpr ConnectionId page_size = 256;

  struct Page {
    std::array<std::unique_ptr<Place>, page_size> places;
    ConnectionId kept = 0;
  };

  std::vector<std::unique_ptr<Page>> pages_;  // null: all of its places were dropped
  ConnectionId count_ = 0;
};

}  // namespace iwarp
