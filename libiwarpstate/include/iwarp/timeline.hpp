// Timeline: the state of a connection as it was behind any frame, in any order of questions.
//
// A state is a fold of events (state.hpp), so it is computed again from the log: from the nearest snapshot
// before the frame, by a bounded number of apply() calls. Whoever asks frame after frame pays one fold of the
// log.
//
// Needs an Analyzer with keep_log. Not thread-safe; the snapshots it returns are constant and may be read
// anywhere. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <iwarp/analyzer.hpp>

namespace iwarp {

using Snapshot = std::shared_ptr<const ConnectionState>;

class Timeline {
 public:
  // Events of one connection between two snapshots of it: bounds the work of one question.
  static constexpr std::size_t default_stride = 1024;

  // REQUIRES: `analysis` outlives this object.
  explicit Timeline(const Analysis& analysis, std::size_t stride = default_stride) noexcept;

  // Takes the events that were recorded since, or only the first `count` of the whole log. What
  // Analyzer::finish() concludes carries the last frame's number: who wants states as they were before it
  // extends up to there.
  void extend();
  void extend(std::size_t count);

  // The state of a connection immediately behind a frame: all its events up to and with that frame are
  // folded. Empty when it had no event yet.
  [[nodiscard]] Snapshot state_after(ConnectionId connection, FrameNumber frame);

 private:
  struct Mark {
    std::size_t events = 0;  // of the connection, folded into `state`
    Snapshot state;
  };
  struct Track {
    std::vector<std::uint32_t> events;        // indices into the log
    std::vector<Mark> marks;                  // one for each full stride that was passed, ascending
    std::shared_ptr<ConnectionState> cursor;  // the state that was asked for last …
    std::size_t cursor_events = 0;            // … and how many events it is the fold of
  };

  [[nodiscard]] std::size_t events_up_to(const Track& track, FrameNumber frame) const noexcept;
  void move_cursor(Track& track, ConnectionId connection, std::size_t events);
  void step(Track& track);

  const Analysis& analysis_;
  std::size_t stride_;
  std::size_t taken_ = 0;  // events of the log
  std::vector<Track> tracks_;
};

}  // namespace iwarp
