// StateAt: all that is known of both ends of a connection behind one of its frames, what that frame changed,
// and the way on which its queue pairs came there.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/fact_model.hpp"
#include "models/log.hpp"

namespace iwarp::gui {

struct QpStep {
  QpState state;
  FrameNumber frame = 0;  // that led there; 0: it was so from the beginning
};

struct StateAt {
  ConnectionId stream = 0;
  std::size_t frames = 0;  // of the connection with events; 0: nothing is known of it
  std::size_t at = 0;      // which of these it is
  FrameNumber frame = 0;   // its number; 0: nothing happened
  TimeNs time_ns = 0;
  std::vector<Fact> facts;  // with a value for each role; of the record `state`, so as iwarp-analyze tells it
  std::array<std::vector<QpStep>, 2> walked;  // by Role, oldest first
  std::array<std::string, 2> ends;            // by Role: "ip:port"
};

// Behind the last frame of the connection that is not behind `frame`. In the log's thread.
[[nodiscard]] StateAt state_at(const Log& log, ConnectionId stream, FrameNumber frame);
// Behind the frame of that place among the connection's; the last one where there are fewer.
[[nodiscard]] StateAt state_at_place(const Log& log, ConnectionId stream, std::size_t place);

}  // namespace iwarp::gui
