// What stands in an SCTP packet: its common header and its chunks (RFC 9260 §3), as far as they were
// captured. Stateless.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/sctp_packet.hpp>

namespace iwarp::sctp {

enum class ChunkType : std::uint8_t {
  data = 0,
  init = 1,
  init_ack = 2,
  sack = 3,
  abort = 6,
  shutdown = 7,
  shutdown_ack = 8,
  shutdown_complete = 14,
};

struct Chunk {
  ChunkType type = ChunkType::data;
  std::uint8_t flags = 0;
  ByteView value;                 // behind the chunk's header, as captured
  std::uint32_t wire_length = 0;  // octets of it on the wire, >= value.size()
  std::uint32_t at = 0;           // of value[0] in the packet

  [[nodiscard]] bool cut() const noexcept { return value.size() < wire_length; }
};

// Goes through the chunks of a packet: those of which the header was captured, up to the first that is
// malformed.
class ChunkReader {
 public:
  explicit ChunkReader(const SctpPacket& packet) noexcept : packet_(packet) {}

  [[nodiscard]] std::optional<Chunk> next() noexcept;

 private:
  const SctpPacket& packet_;
  std::size_t at_ = SctpPacket::header_size;
};

[[nodiscard]] inline std::uint32_t verification_tag(const SctpPacket& packet) noexcept {
  return load_be32(packet.octets.data() + 4);
}

// Whether the checksum is that of other octets. Not so where some are cut off, or where it is zero: left to a
// NIC, or not used (RFC 9653).
[[nodiscard]] bool has_wrong_checksum(const SctpPacket& packet) noexcept;

// A DATA chunk (RFC 9260 §3.3.1).
struct Data {
  std::uint32_t tsn = 0;
  std::uint16_t stream = 0;
  std::uint32_t ppid = 0;
  bool unordered = false;
  bool begins = false;            // B: its user data begin a message …
  bool ends = false;              // … E: and end one
  ByteView octets;                // user data as captured
  std::uint32_t wire_length = 0;  // of these
  std::uint32_t at = 0;           // of octets[0] in the packet
};
// Nothing where its own header was not captured, or leaves no room for user data (RFC 9260 §6.2).
[[nodiscard]] std::optional<Data> parse_data(const Chunk& chunk) noexcept;

// INIT or INIT ACK (RFC 9260 §3.3.2, §3.3.3).
struct Init {
  std::uint32_t tag = 0;  // the Verification Tag of all packets to its sender
  std::uint32_t initial_tsn = 0;
  std::optional<std::uint32_t> adaptation;  // Adaptation Layer Indication (RFC 5061 §4.2.6)
  bool whole = false;                       // all of its parameters were captured
};
[[nodiscard]] std::optional<Init> parse_init(const Chunk& chunk) noexcept;

// The Cumulative TSN Ack of a SACK or SHUTDOWN.
[[nodiscard]] std::optional<std::uint32_t> parse_cumulative_ack(const Chunk& chunk) noexcept;

}  // namespace iwarp::sctp
