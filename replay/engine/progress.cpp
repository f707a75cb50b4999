// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/progress.hpp"

namespace iwarp::replay {

Progress::Progress(const Plan& plan, Schedule& schedule)
    : plan_(plan), schedule_(schedule), streams_(plan.streams.size()) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].arrived.assign(plan.streams[i].work.size(), never);
    streams_[i].completed.assign(plan.streams[i].work.size(), never);
  }
}

TimeNs Progress::when(const Wait& wait) const {
  const Stream& stream = streams_[wait.work.stream];
  switch (wait.what) {
    case WaitFor::received:
    case WaitFor::placed: return stream.arrived[wait.work.work];
    case WaitFor::completed: return stream.completed[wait.work.work];
    case WaitFor::closed: return stream.closed[static_cast<std::size_t>(work_of(plan_, wait.work).role)];
  }
  return never;
}

}  // namespace iwarp::replay
