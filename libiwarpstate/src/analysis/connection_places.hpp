// ConnectionPlaces: the connections of a capture by their ids, which are handed out in order.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include <iwarp/by_connection.hpp>
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
  Place& add() { return places_.add(count_++); }
  // nullptr: none was added with this id, or it was dropped.
  [[nodiscard]] Place* find(ConnectionId id) const noexcept { return places_.find(id); }
  void drop(ConnectionId id) noexcept { places_.drop(id); }

 private:
  ByConnection<Place> places_;
  ConnectionId count_ = 0;
};

}  // namespace iwarp
