// ConnectionEvents: the events of one connection, one after the other, in the order of the log.
//
//   ConnectionEvents events(analyzer.analysis(), connection);
//   while (const Event* event = events.next()) …
//
// Needs an Analyzer with keep_log. Memory: the events of one frame.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <iwarp/analyzer.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

class ConnectionEvents {
 public:
  // REQUIRES: `analysis` outlives this object.
  ConnectionEvents(const Analysis& analysis, ConnectionId connection) noexcept
      : analysis_(analysis), connection_(connection) {}

  // Lives until the next call; nullptr: there are no more so far.
  [[nodiscard]] const Event* next() {
    for (;;) {
      while (at_ < events_.size()) {
        const Event& event = events_[at_++];
        if (event.connection == connection_) return &event;
      }
      const auto frames = analysis_.frames_of(connection_);
      if (frames_ == frames.size()) return nullptr;
      events_ = analysis_.events_of(frames[frames_++], buffer_);
      at_ = 0;
    }
  }

 private:
  const Analysis& analysis_;
  ConnectionId connection_;
  std::size_t frames_ = 0;  // read
  EventBuffer buffer_;
  Events events_;       // of the last of these …
  std::size_t at_ = 0;  // … read so far
};

}  // namespace iwarp
#pragma GCC visibility pop
