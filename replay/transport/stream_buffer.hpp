// StreamBuffer: octets of a stream by their positions, in a ring that grows up to a cap. Positions count from
// the beginning of the stream and never wrap.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>

namespace iwarp::replay {

class StreamBuffer {
 public:
  // Holds at most `capacity` octets.
  explicit StreamBuffer(std::size_t capacity) noexcept : capacity_(capacity) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  // The first position that is kept, and the one that cannot be written any more.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t limit() const noexcept { return begin_ + capacity_; }

  // REQUIRES: begin() <= position and position + octets.size() <= limit(). May be anywhere in between: what
  // lies before it can come later.
  void write(std::uint64_t position, ByteView octets);
  // At most `length` octets from `position`, fewer where the ring turns. REQUIRES: they were written. Valid
  // until the next write().
  [[nodiscard]] ByteView read(std::uint64_t position, std::size_t length) const noexcept;
  // Appends all `length` octets.
  void append_to(Bytes& out, std::uint64_t position, std::size_t length) const;
  // Forgets what lies before `position`. REQUIRES: begin() <= position <= limit().
  void release(std::uint64_t position) noexcept { begin_ = position; }
  // Gives all memory back.
  void clear() noexcept;

 private:
  void grow(std::size_t needed);
  [[nodiscard]] std::size_t place(std::uint64_t position) const noexcept {
    return static_cast<std::size_t>(position) & (ring_.size() - 1);
  }

  std::size_t capacity_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;  // behind the last octet ever written
  Bytes ring_ = {};        // a power of two, or empty
};

}  // namespace iwarp::replay
