// SendStream: the octets that one side of a connection has handed over, until the peer acknowledged them, and
// how they are cut into segments: where a call of write() began, and else at the segment size.
//
// Positions count octets; the FIN has the position behind the last octet.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/fifo.hpp>

#include "transport/stream_buffer.hpp"

namespace iwarp::replay {

class SendStream {
 public:
  explicit SendStream(std::size_t capacity) noexcept : buffer_(capacity) {}

  // Takes all octets, or none while older ones fill the buffer, or of more than it can hold a part.
  std::size_t write(ByteView octets);
  void finish() noexcept { finished_ = true; }
  [[nodiscard]] bool finished() const noexcept { return finished_; }

  [[nodiscard]] std::uint64_t acknowledged() const noexcept { return acknowledged_; }
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }  // to be sent for the first time
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }    // behind the last octet
  [[nodiscard]] bool in_flight() const noexcept { return acknowledged_ < next_; }
  [[nodiscard]] bool unsent() const noexcept { return next_ < behind_all(); }
  [[nodiscard]] bool all_acknowledged() const noexcept { return acknowledged_ == behind_all(); }

  // A segment: octets from a position, perhaps none, and what else it carries.
  struct Piece {
    std::uint64_t position = 0;
    std::size_t length = 0;
    bool push = false;  // the last octets of a call
    bool fin = false;
    [[nodiscard]] std::uint64_t behind() const noexcept { return position + length + (fin ? 1 : 0); }
  };
  [[nodiscard]] Piece new_piece(std::size_t max_segment) const { return piece(next_, end_, max_segment); }
  // The oldest octets in flight again.
  [[nodiscard]] Piece oldest_piece(std::size_t max_segment) const;
  void append_to(Bytes& out, const Piece& piece) const {
    buffer_.append_to(out, piece.position, piece.length);
  }

  void sent(const Piece& piece) noexcept {
    if (piece.behind() > next_) next_ = piece.behind();
  }
  // REQUIRES: acknowledged() <= position <= next().
  void acknowledge(std::uint64_t position);
  // Forgets all octets: the connection is over.
  void drop() noexcept;

 private:
  [[nodiscard]] std::uint64_t behind_all() const noexcept { return end_ + (finished_ ? 1 : 0); }
  [[nodiscard]] Piece piece(std::uint64_t position, std::uint64_t end, std::size_t max_segment) const;

  StreamBuffer buffer_;
  Fifo<std::uint64_t> starts_ = {};  // of calls, from the one that holds the oldest octet on
  std::uint64_t acknowledged_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  bool finished_ = false;
};

}  // namespace iwarp::replay
