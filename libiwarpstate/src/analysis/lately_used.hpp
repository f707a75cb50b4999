// LatelyUsed: where the connections of the latest segments are. The next segment is most often of one of
// them, and comparing addresses costs less than hashing them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>

#include <iwarp/segment.hpp>

#include "analysis/connection_places.hpp"

namespace iwarp {

// Holds places of connections that are awake and not closed. Each has a slot by its ports: of two that share
// one, the later takes it.
class LatelyUsed {
 public:
  using Place = ConnectionPlaces::Place;

  // nullptr when it is not here, as when the segment is not of the network of the connection's first one.
  [[nodiscard]] Place* find(const TcpSegment& segment) const noexcept {
    Place* const place = slots_[slot_of(segment.source, segment.destination)];
    const bool found = place != nullptr && place->network == segment.network &&
                       place->connection->is_between(segment.source, segment.destination);
    return found ? place : nullptr;
  }
  void note(Place& place) noexcept { slot(place) = &place; }
  void forget(const Place& place) noexcept {
    if (slot(place) == &place) slot(place) = nullptr;
  }

 private:
  static constexpr std::size_t slot_count = 256;

  // The same for both directions.
  [[nodiscard]] static std::size_t slot_of(const Endpoint& one, const Endpoint& another) noexcept {
    const unsigned ports = unsigned{one.port} ^ another.port;
    return (ports ^ ports >> 8U) % slot_count;
  }
  [[nodiscard]] Place*& slot(const Place& place) noexcept {
    const auto& [a, b] = place.connection->state().endpoints;
    return slots_[slot_of(a, b)];
  }

  std::array<Place*, slot_count> slots_{};
};

}  // namespace iwarp
