// MessageHasher: the SHA-256 of DDP messages: of all octets that stand behind their DDP headers, in order.
//
// Follows the fpdu and message events of the streams. A message has a digest when every octet of it was
// captured and its segments came in order; any other has none. Memory: a hash for each message under way.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nettle/sha2.h>

#include <array>
#include <map>
#include <string_view>
#include <utility>

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
  // Of a message under way.
  struct Open {
    bool begins = true;
    bool whole = true;       // so far
    std::uint64_t next = 0;  // untagged: MO; tagged: TO
    std::uint64_t length = 0;
    std::uint32_t segments = 0;
    sha256_ctx hash;
  };
  using Key = std::pair<ConnectionId, std::uint32_t>;  // the latter: MessageConclusion::number

  void add_segment(const Event& event, ByteView payload);
  [[nodiscard]] Open& open_message(const Key& key, bool last);
  [[nodiscard]] std::string_view digest(const MessageConclusion& message, Open& open);

  std::map<Key, Open> open_;  // of several segments
  Key alone_{};               // the latest of one; no message has number 0
  Open alone_open_;
  std::array<char, 2 * SHA256_DIGEST_SIZE> text_{};
};

}  // namespace iwarp::cli
