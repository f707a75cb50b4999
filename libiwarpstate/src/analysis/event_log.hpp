// EventLog: all events of a capture, packed into a fifth to a tenth of what they take as `Event`.
//
// Events are kept in groups, one for each append(). A frame's group is found in constant time and read by
// itself; its events are packed one after the other, each with as many octets as its kind and its numbers
// need. Chunks of octets are never moved.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <iwarp/analyzer.hpp>

namespace iwarp {

class EventLog {
 public:
  // Events of one frame. REQUIRES: they have that frame's number and one time; frame numbers do not decrease.
  void append(Events events);
  // What the end of the capture concludes, behind the last frame.
  void append_end(Events events);

  // Into `buffer`, whose old content goes. Frames without events: empty.
  [[nodiscard]] Events of(FrameNumber frame, EventBuffer& buffer) const;
  [[nodiscard]] Events at_end(EventBuffer& buffer) const;

  // Octets of memory that the log has.
  [[nodiscard]] std::size_t octets() const noexcept;

 private:
  // Where a group begins: its chunk times chunk_size, plus the octet in it, plus 1; 0: there is none.
  using Place = std::uint64_t;

  struct Chunk {
    std::unique_ptr<Byte[]> octets;
    std::uint32_t used = 0;
    // Groups that begin here tell their own by the difference.
    FrameNumber frame = 0;
    TimeNs time_ns = 0;
  };

  // Reads on from a place.
  class Cursor;

  [[nodiscard]] Place write(Events events);
  [[nodiscard]] Place end_of_log() const noexcept;
  [[nodiscard]] Byte* room(const Event& next);

  std::vector<Chunk> chunks_;
  std::vector<Place> places_;  // by frame
  Place end_ = 0;
};

}  // namespace iwarp
