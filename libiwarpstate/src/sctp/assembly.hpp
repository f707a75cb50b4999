// Assembly: user messages of one direction, put together from the DATA chunks they were fragmented into
// (RFC 9260 §6.9). Most are one chunk.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#include "sctp/packet.hpp"
#include "sctp/tsn_set.hpp"

namespace iwarp::sctp {

// What one DATA chunk brought of a message.
struct Piece {
  FrameNumber frame = 0;
  TimeNs time_ns = 0;
  std::uint32_t at = 0;        // of its first octet in the packet
  std::uint32_t captured = 0;  // octets
  std::uint32_t length = 0;    // octets on the wire

  [[nodiscard]] bool cut() const noexcept { return captured < length; }
};

struct UserMessage {
  std::uint16_t stream = 0;
  std::uint32_t ppid = 0;
  bool unordered = false;
  Tsn tsn = 0;               // of its last chunk
  Bytes octets;              // as captured, up to the first that the snapshot length cut off
  std::uint64_t length = 0;  // octets on the wire
  std::vector<Piece> pieces;
  std::uint64_t arrival = 0;  // when the last piece came: a number that counts up with each chunk

  [[nodiscard]] bool cut() const noexcept { return octets.size() < length; }
};

class Assembly {
 public:
  // In more pieces no message is put together: those of a DDP segment are 128 (RFC 5043 §9: 516 octets fit
  // into one).
  static constexpr std::size_t max_pieces = 1024;

  // `max_waiting`: octets of fragments, and 128 for each.
  explicit Assembly(std::size_t max_waiting) noexcept : max_waiting_(max_waiting) {}

  // Takes a chunk that is new; the message that it completes.
  [[nodiscard]] std::optional<UserMessage> add(Tsn tsn, const Data& data, const SctpPacket& packet,
                                               std::uint64_t arrival);

  // Octets that wait, and 128 for each fragment.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  // Fragments had to go for others: the bound was reached.
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }
  void forget() noexcept;

 private:
  struct Fragment {
    std::uint16_t stream = 0;
    std::uint32_t ppid = 0;
    bool unordered = false;
    bool begins = false;
    bool ends = false;
    Bytes octets;
    Piece piece;
  };

  [[nodiscard]] std::optional<UserMessage> completed_by(Tsn tsn, std::uint64_t arrival);
  void drop(std::map<Tsn, Fragment>::iterator at);

  std::size_t max_waiting_;
  std::size_t waiting_ = 0;
  bool overflowed_ = false;
  std::map<Tsn, Fragment> fragments_;
};

}  // namespace iwarp::sctp
