// ObservedActions: what one end of a connection did, as the wire shows it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/state.hpp>

#include "transport/packet.hpp"

namespace iwarp::replay {

struct ObservedActions {
  std::vector<std::uint16_t> terminates;  // codes, in order; 0: none that can be read
  std::uint64_t startups = 0;
  std::uint64_t fpdus = 0;
  bool fin = false;
  bool rst = false;
  std::set<CheckId> broken;  // found wrong with it, a note or less, too
  // By its octets alone: where the other end's start-up frame is wrong, nobody else takes them for MPA's.
  Bytes opening = {};        // as many as a start-up frame has without Private Data
  std::uint64_t octets = 0;  // all; what was sent again counts again

  // Its first octets are a Reply without R.
  [[nodiscard]] bool accepts() const noexcept;
  // It sent more than a start-up frame.
  [[nodiscard]] bool says_more() const noexcept;
};

// Those of all ends that take part in a capture.
class ActionsOfEnds {
 public:
  void note(const Packet& packet);
  void note(const Event& event, const ConnectionState* state);
  // Those of ends[role] towards the other. `ends`: of a connection, by Role. An end that was not seen did
  // nothing.
  [[nodiscard]] ObservedActions of(const std::array<Endpoint, 2>& ends, Role role) const;

 private:
  using Way = std::pair<Endpoint, Endpoint>;  // from, to
  std::map<Way, ObservedActions> actions_;
};

}  // namespace iwarp::replay
