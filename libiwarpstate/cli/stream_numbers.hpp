// StreamNumbers: the numbers of a capture's connections, where several shares of them are followed by a
// thread each.
//
// A connection's number is how many began in frames before its own. A share knows how many of those are its
// own; of the others that is known once they have come as far. Hardly ever is that waited for: a number is
// asked for when there is something to say of a stream, which is long behind the frame that began it.
//
// Threads: each function may be called by the share's own thread, at the same time as others by theirs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp::cli {

class StreamNumbers {
 public:
  explicit StreamNumbers(std::size_t shares) : shares_(shares) {}

  // The share's next connection begins in `frame`. To be called before passed() of that frame.
  void begin(std::size_t share, FrameNumber frame);
  // The share has taken all of its segments up to that frame. REQUIRES: never goes back.
  void pass(std::size_t share, FrameNumber frame) noexcept;
  // The number of the connection that began as the share's `own`th, from 0. Waits until all others have
  // passed its frame. So that none waits for ever, a share passes a frame before it asks for connections of
  // it.
  [[nodiscard]] ConnectionId number_of(std::size_t share, ConnectionId own) const;
  // Connections of all shares that began so far.
  [[nodiscard]] ConnectionId count() const;

 private:
  struct Share {
    mutable std::mutex mutex;
    std::vector<FrameNumber> began;  // where its connections did, ascending
    std::atomic<FrameNumber> passed{0};
  };

  std::deque<Share> shares_;
};

}  // namespace iwarp::cli
