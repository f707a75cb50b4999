// A TCP segment on its way, with its octets; and where such packets come from and go back to, so that a
// network in steady state allocates nothing.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/segment.hpp>

namespace iwarp::replay {

struct Packet {
  Endpoint source = {};
  Endpoint destination = {};
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  std::uint16_t window = 0;  // as on the wire
  std::uint8_t flags = 0;    // bits of namespace tcp
  // Options of a SYN.
  std::uint16_t max_segment = 0;                            // 0: none
  std::optional<std::uint8_t> window_shift = std::nullopt;  // RFC 7323 §2
  std::uint16_t identification = 0;                         // IPv4's
  bool checksum_wrong = false;                              // damaged on the way so that TCP sees it
  Bytes payload = {};

  [[nodiscard]] bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
  // What it takes of the sequence space (RFC 9293 §3.4).
  [[nodiscard]] std::uint32_t sequence_length() const noexcept {
    return static_cast<std::uint32_t>(payload.size()) + (has(tcp::syn) ? 1U : 0U) + (has(tcp::fin) ? 1U : 0U);
  }

  // As if new, but the payload keeps its memory.
  void clear() noexcept {
    Bytes kept = std::move(payload);
    kept.clear();
    *this = Packet{};
    payload = std::move(kept);
  }
};

// REQUIRES: outlives the packets taken from it.
class PacketPool {
 public:
  struct Return {
    PacketPool* pool = nullptr;
    void operator()(Packet* packet) const noexcept { pool->give_back(packet); }
  };
  using Handle = std::unique_ptr<Packet, Return>;

  [[nodiscard]] Handle take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Packet>());
      free_.reserve(all_.size());  // giving back cannot fail
      free_.push_back(all_.back().get());
    }
    Packet* const packet = free_.back();
    free_.pop_back();
    packet->clear();
    return Handle(packet, Return{this});
  }
  [[nodiscard]] std::size_t in_use() const noexcept { return all_.size() - free_.size(); }

 private:
  void give_back(Packet* packet) noexcept { free_.push_back(packet); }

  std::vector<std::unique_ptr<Packet>> all_ = {};
  std::vector<Packet*> free_ = {};
};

}  // namespace iwarp::replay
