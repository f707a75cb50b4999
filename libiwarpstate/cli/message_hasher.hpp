// MessageHasher: the SHA-256 of DDP messages: of all octets that stand behind their DDP headers, in order.
//
// Follows the fpdu and message events of the streams. A message has a digest when every octet of it was
// captured and its segments came in order; any other has none. Memory: a few hashes under way for each
// connection.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nettle/sha2.h>

#include <array>
#include <string_view>
#include <unordered_map>

#include <iwarp/bytes.hpp>
#include <iwarp/event.hpp>

namespace iwarp::cli {

class MessageHasher {
 public:
  // Takes the events of each connection in their order. `payload`: Analysis::payload() of an fpdu event.
  void add(const Event& event, ByteView payload);

  // 64 hex digits, which live until the next call, or nothing. To be asked of each message event when it
  // comes.
  [[nodiscard]] std::string_view digest(const Event& message);

 private:
  // A message under way.
  struct Slot {
    bool active = false;
    bool ended = false;      // its last segment came
    std::uint32_t key = 0;   // untagged: MSN; tagged: STag
    std::uint64_t next = 0;  // untagged: MO; tagged: TO
    std::uint64_t length = 0;
    std::uint32_t segments = 0;
    FrameNumber first_frame = 0;
    sha256_ctx hash;
  };
  // Of one direction: the untagged queues, Writes, Read Responses, and what is none of these.
  using Slots = std::array<Slot, wire::queue_count + 3>;

  void add_segment(const Event& event, ByteView payload);

  std::unordered_map<ConnectionId, std::array<Slots, 2>> connections_;  // by Side
  std::array<char, 2 * SHA256_DIGEST_SIZE> text_{};
};

}  // namespace iwarp::cli
