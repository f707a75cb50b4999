// Association: what of one SCTP association matters to DDP, from packets to user messages: Verification Tags,
// TSNs, fragments, acknowledgements. Streams and sessions are others' affair.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/ids.hpp>

#include "sctp/assembly.hpp"
#include "sctp/packet.hpp"
#include "sctp/tsn_set.hpp"

namespace iwarp::sctp {

class Association {
 public:
  // What one direction showed.
  struct Half {
    explicit Half(std::size_t max_waiting) noexcept : assembly(max_waiting) {}

    bool seen = false;                 // a packet was captured
    std::uint64_t packets = 0;         // read
    std::optional<std::uint32_t> tag;  // that its packets carry: the peer's Initiate Tag
    std::optional<Init> init;          // its INIT or INIT ACK
    TsnSet tsns;
    Assembly assembly;
    std::optional<Tsn> acknowledged;          // by the peer: this TSN and all before it …
    Placement acknowledged_by;                // … with the packet there
    std::optional<Placement> wrong_checksum;  // the first packet with one: its receiver dropped it
    bool unreadable = false;                  // the snapshot length cut off which message a chunk was

    // Messages of it were not captured, or not yet. Of which streams they are nobody knows.
    [[nodiscard]] bool lacks_messages() const noexcept {
      return tsns.missing() || acknowledged.value_or(0) > tsns.latest() || unreadable ||
             assembly.overflowed();
    }
  };
  // What a packet ended.
  enum class End : std::uint8_t {
    none,
    aborted,
    shut_down
  };

  explicit Association(std::size_t max_waiting) : halves_{Half(max_waiting), Half(max_waiting)} {}

  // Whether a packet of `side` with that Verification Tag may be one of the association: tags of which
  // nothing is known yet fit.
  [[nodiscard]] bool takes(Side side, std::uint32_t tag) const noexcept {
    return half(side).tag.value_or(tag) == tag;
  }
  // The INIT or INIT ACK belongs to another association: its sender had chosen another tag.
  [[nodiscard]] bool is_foreign(Side side, const Init& init) const noexcept {
    return half(other(side)).tag.value_or(init.tag) != init.tag;
  }

  // Reads a packet of `side`. Its messages are in messages() until the next call.
  End take(Side side, const SctpPacket& packet);
  [[nodiscard]] std::vector<UserMessage>& messages() noexcept { return messages_; }

  [[nodiscard]] const Half& half(Side side) const noexcept { return halves_[index(side)]; }
  void note_unreadable(Side side) noexcept { halves_[index(side)].unreadable = true; }
  // Packets read: UserMessage::arrival counts on in each.
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  [[nodiscard]] static std::uint64_t packet_of(std::uint64_t arrival) noexcept { return arrival >> 16U; }
  [[nodiscard]] std::size_t waiting() const noexcept {
    return halves_[0].assembly.waiting() + halves_[1].assembly.waiting();
  }
  void forget_waiting() noexcept {
    for (Half& half : halves_) half.assembly.forget();
  }

 private:
  void take_data(Half& half, const Chunk& chunk, const SctpPacket& packet);
  void take_init(Side side, const Init& init);
  void take_acknowledgement(Side side, const Chunk& chunk, const SctpPacket& packet);

  std::array<Half, 2> halves_;
  std::vector<UserMessage> messages_;
  std::uint64_t packets_ = 0;
  std::uint64_t arrivals_ = 0;
};

}  // namespace iwarp::sctp
