// ReceiveStream: what came from the peer, put in order, until it was read. Early octets wait at their place.
//
// Positions count octets; the FIN takes one more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>

#include "transport/stream_buffer.hpp"

namespace iwarp::replay {

class ReceiveStream {
 public:
  explicit ReceiveStream(std::size_t capacity) noexcept : buffer_(capacity) {}

  // Next position in order: what is acknowledged. And the first one that is not taken: the window's end.
  [[nodiscard]] std::uint64_t next() const noexcept { return in_order_ + (fin_taken_ ? 1 : 0); }
  [[nodiscard]] std::uint64_t limit() const noexcept { return buffer_.limit(); }
  [[nodiscard]] bool fin_taken() const noexcept { return fin_taken_; }

  enum class Taken : std::uint8_t {
    nothing,   // seen before, or beyond the window
    early,     // waits for what is before it
    in_order,  // the next ones
    filling    // the next ones, and early ones were or are still waiting
  };
  // `position` may be negative: before the first octet.
  Taken take(std::int64_t position, ByteView octets, bool fin);

  [[nodiscard]] bool readable() const noexcept { return read_ < in_order_; }
  // Octets in order that were not read yet, as far as they are one view; they keep their place until
  // release().
  [[nodiscard]] ByteView read() noexcept;
  // True when there were any.
  bool release() noexcept {
    const bool any = buffer_.begin() < read_;
    buffer_.release(read_);
    return any;
  }
  // Forgets what was not read: nobody will.
  void drop() noexcept;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] bool note_early(Range range);
  void join_early() noexcept;

  static constexpr std::size_t max_ranges = 1024;

  StreamBuffer buffer_;
  std::vector<Range> early_ = {};  // ascending, apart from each other and from in_order_
  std::uint64_t in_order_ = 0;
  std::uint64_t read_ = 0;
  std::optional<std::uint64_t> fin_at_ = std::nullopt;
  bool fin_taken_ = false;
};

}  // namespace iwarp::replay
