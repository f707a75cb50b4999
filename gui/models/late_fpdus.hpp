// LateFpdus: FPDUs that came behind later octets of their direction: lost before the capture point, or
// overtaken. (What was sent again past the capture point is a RetransmittedFact.)
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <unordered_map>

#include <iwarp/event.hpp>

namespace iwarp::gui {

class LateFpdus {
 public:
  // Takes every event of whichever connections, in the order of their log. True: of an FPDU that came late.
  bool add(const Event& event) {
    if (event.kind == EventKind::placed) {
      ++ahead_[key(event.connection, event.side)];
    } else if (!ahead_.empty()) {
      if (event.kind == EventKind::fpdu) return add_fpdu(event);
      if (event.kind == EventKind::revoked) take_one(ahead_.find(key(event.connection, event.side)));
      if (event.kind == EventKind::closed) {
        for (const Side side : {Side::a, Side::b}) ahead_.erase(key(event.connection, side));
      }
    }
    return false;
  }

 private:
  using Ahead = std::unordered_map<std::uint64_t, std::uint32_t>;

  [[nodiscard]] static std::uint64_t key(ConnectionId connection, Side side) noexcept {
    return std::uint64_t{connection} << 1U | static_cast<std::uint64_t>(side);
  }
  void take_one(Ahead::iterator ahead) {
    if (ahead != ahead_.end() && --ahead->second == 0) ahead_.erase(ahead);
  }
  bool add_fpdu(const Event& event) {
    const auto ahead = ahead_.find(key(event.connection, event.side));
    if (event.fpdu.ahead) take_one(ahead);
    return !event.fpdu.ahead && ahead != ahead_.end() && event.fpdu.placed.frame == event.frame;
  }

  Ahead ahead_;  // FPDUs placed behind a hole; none: no entry
};

}  // namespace iwarp::gui
