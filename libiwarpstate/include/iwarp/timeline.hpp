// Timeline: the state of a connection as it was behind any frame, in any order of questions.
//
// A state is a fold of events (state.hpp), so it is computed again from the log: from the nearest snapshot
// before the frame, by a bounded number of apply() calls. Whoever asks frame after frame pays one fold of the
// log. Snapshots are bounded, too: when there are too many, every other one goes.
//
// Needs an Analyzer with keep_log. Not thread-safe; the snapshots it returns are constant and may be read
// anywhere.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <iwarp/analyzer.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

using Snapshot = std::shared_ptr<const ConnectionState>;

class Timeline {
 public:
  // Frames with events of one connection between two snapshots of it: bounds the work of one question.
  static constexpr std::size_t default_stride = 256;
  // Snapshots of all connections, each about as large as a ConnectionState. When there are more, the stride
  // is doubled.
  static constexpr std::size_t max_marks = 2048;

  // REQUIRES: `analysis` outlives this object.
  explicit Timeline(const Analysis& analysis, std::size_t stride = default_stride,
                    std::size_t most_marks = max_marks) noexcept;

  // The state of a connection immediately behind a frame: all its events up to and with that frame are
  // folded. What Analyzer::finish() concludes lies behind every frame but `end_of_capture`. Empty when it had
  // no event yet. REQUIRES: that frame is complete (several segments may have one frame's number).
  [[nodiscard]] Snapshot state_after(ConnectionId connection, FrameNumber frame);

 private:
  struct Mark {
    std::size_t frames = 0;  // of Analysis::frames_of, folded into `state`
    Snapshot state;
  };
  struct Track {
    std::vector<Mark> marks;                  // one for each full stride that was passed, ascending
    std::shared_ptr<ConnectionState> cursor;  // the state that was asked for last …
    std::size_t cursor_frames = 0;            // … and how many frames it is the fold of
  };

  [[nodiscard]] Events events_of(FrameNumber frame);
  void move_cursor(Track& track, std::size_t frames);
  void step(Track& track, ConnectionId connection);
  void set_mark(Track& track);
  void thin_marks();

  const Analysis& analysis_;
  std::size_t stride_;
  std::size_t most_marks_;
  std::size_t marks_ = 0;  // of all tracks
  EventBuffer unpacked_;
  FrameNumber unpacked_frame_ = 0;  // 0: none
  std::vector<Track> tracks_;
};

}  // namespace iwarp
#pragma GCC visibility pop
