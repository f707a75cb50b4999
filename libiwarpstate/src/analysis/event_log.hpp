// EventLog: all events of a capture, packed into a fifth to a tenth of what they take as `Event`.
//
// Events are kept in groups, one for each append(), and groups in runs of some tens of events. In a run each
// event is packed as what differs from the one of its kind before, with as many octets as that needs; a
// frame's run is found in constant time and read by itself. Chunks of octets are never moved.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/packed_numbers.hpp>

#include "analysis/frame_times.hpp"
#include "base/large_pages.hpp"

namespace iwarp {

class EventLog {
 public:
  EventLog();
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  EventLog(EventLog&&) noexcept;
  EventLog& operator=(EventLog&&) noexcept;

  // A frame was captured. REQUIRES: frame numbers do not decrease; before its events.
  void begin_frame(FrameNumber frame, TimeNs time_ns) { times_.add(frame, time_ns); }
  // Events of one frame. REQUIRES: they have that frame's number and one time; frame numbers do not decrease.
  void append(Events events);
  // What the end of the capture concludes, behind the last frame.
  void append_end(Events events);

  // Of a frame, or those that were appended as end_of_capture, into `buffer`, whose old content goes. Frames
  // without events: empty.
  [[nodiscard]] Events of(FrameNumber frame, EventBuffer& buffer) const;
  // Frames with events of the connection, ascending, end_of_capture among them.
  [[nodiscard]] std::span<const FrameNumber> frames_of(ConnectionId connection) const noexcept;
  [[nodiscard]] const FrameTimes& times() const noexcept { return times_; }

  // Octets of memory that the log has.
  [[nodiscard]] std::size_t octets() const noexcept;

 private:
  // Where a group begins, or the log ends: its chunk times chunk_size, plus the octet in it, plus 1.
  using Place = std::uint64_t;
  static constexpr Place no_place = 0;

  struct Chunk {
    Byte* octets = nullptr;  // chunk_size of them, in pages_
    std::uint32_t used = 0;
    // The first group of a run that begins here tells its own by the difference.
    FrameNumber frame = 0;
    TimeNs time_ns = 0;
  };

  struct Run;
  // Reads on from a place.
  class Cursor;

  [[nodiscard]] static Byte* write_event(Byte* to, const Event& event, Run& run) noexcept;
  [[nodiscard]] static const Byte* read_event(const Byte* from, Event& event, Run& run) noexcept;

  void begin_run(const Event& first);
  void write(Events events);
  [[nodiscard]] Events events_at_end(EventBuffer& buffer) const;
  [[nodiscard]] Place end_of_log() const noexcept;
  [[nodiscard]] Byte* room(const Event& next);
  void note_connections(Events events, FrameNumber frame);

  LargePages pages_;
  std::vector<Chunk> chunks_;
  std::unique_ptr<Run> run_;    // the last one
  Place run_place_ = no_place;  // where it begins
  PackedNumbers places_;  // by frame: that of the run with its first group; frames without events have none
  Place end_ = no_place;
  struct ConnectionFrames {
    FrameNumber last = 0;  // beside the pointer to the others: they are mostly out of the caches
    std::vector<FrameNumber> frames;
  };
  std::unordered_map<ConnectionId, ConnectionFrames> frames_;  // with events of that connection
  // Of frames_, the one that was noted last: mostly the next is of the same connection.
  std::pair<const ConnectionId, ConnectionFrames>* noted_ = nullptr;
  FrameTimes times_;
};

}  // namespace iwarp
