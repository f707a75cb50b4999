// WaitSpans: what streams waited for that no table tells: FPDUs behind a hole, closed or full windows, and
// stalls at ORD or for credits. Gathered while a capture is read, so that nobody has to read its log again
// for them.
//
// Memory: 16 octets a hole that something came behind, a window or a stall. Threads: that of the log.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <iwarp/by_connection.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/event.hpp>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

class WaitSpans {
 public:
  struct Stream {
    std::vector<TimeSpan> holes;      // from the first FPDU placed behind one to the delivery of all
    std::vector<TimeSpan> windows;    // closed or full, and open again
    std::vector<TimeSpan> at_ord;     // stalls, by their ends
    std::vector<TimeSpan> no_credit;  // likewise
    std::array<std::optional<TimeNs>, 2> closed_since;  // by Side whose window is closed now
  };

  // Takes every event, in the order of the log.
  void add(const Event& event);
  void add(const Stall& stall);
  // nullptr: it never waited for either.
  [[nodiscard]] const Stream* of(ConnectionId connection) const noexcept { return streams_.find(connection); }

 private:
  [[nodiscard]] Stream& stream(ConnectionId connection);

  ByConnection<Stream> streams_;
};

}  // namespace iwarp::gui
