// SPDX-License-Identifier: GPL-2.0-or-later
#include "sctp/packet.hpp"

#include <algorithm>
#include <array>

#include <iwarp/wire/crc32c.hpp>

namespace iwarp::sctp {
namespace {

constexpr std::size_t chunk_header_size = 4;
constexpr std::size_t data_header_size = 12;  // behind the chunk's
constexpr std::size_t init_header_size = 16;
constexpr std::size_t checksum_at = 8;

constexpr std::size_t padded(std::size_t length) noexcept {
  return (length + 3) & ~std::size_t{3};
}

}  // namespace

std::optional<Chunk> ChunkReader::next() noexcept {
  const ByteView octets = packet_.octets;
  if (at_ > octets.size() || octets.size() - at_ < chunk_header_size) return std::nullopt;
  const Byte* const header = octets.data() + at_;
  const std::size_t length = load_be16(header + 2);
  if (length < chunk_header_size || length > packet_.wire_length - at_) return std::nullopt;
  Chunk chunk;
  chunk.type = static_cast<ChunkType>(header[0]);
  chunk.flags = header[1];
  chunk.wire_length = static_cast<std::uint32_t>(length - chunk_header_size);
  chunk.at = static_cast<std::uint32_t>(at_ + chunk_header_size);
  chunk.value = octets.subspan(chunk.at, std::min<std::size_t>(chunk.wire_length, octets.size() - chunk.at));
  at_ += padded(length);
  return chunk;
}

bool has_wrong_checksum(const SctpPacket& packet) noexcept {
  if (packet.octets.size() < packet.wire_length) return false;
  // Sent least significant octet first, as in MPA; computed with zeros in its place (RFC 9260 §6.8).
  const std::uint32_t sent = load_le32(packet.octets.data() + checksum_at);
  if (sent == 0) return false;
  constexpr std::array<Byte, 4> zeros{};
  std::uint32_t crc = wire::crc32c(packet.octets.first(checksum_at));
  crc = wire::crc32c(zeros, crc);
  return wire::crc32c(packet.octets.subspan(SctpPacket::header_size), crc) != sent;
}

std::optional<Data> parse_data(const Chunk& chunk) noexcept {
  constexpr std::uint8_t end = 0x01, begin = 0x02, unordered = 0x04;
  if (chunk.value.size() < data_header_size || chunk.wire_length == data_header_size) return std::nullopt;
  const Byte* const header = chunk.value.data();
  Data data;
  data.tsn = load_be32(header);
  data.stream = load_be16(header + 4);
  data.ppid = load_be32(header + 8);
  data.unordered = (chunk.flags & unordered) != 0;
  data.begins = (chunk.flags & begin) != 0;
  data.ends = (chunk.flags & end) != 0;
  data.octets = chunk.value.subspan(data_header_size);
  data.wire_length = chunk.wire_length - static_cast<std::uint32_t>(data_header_size);
  data.at = chunk.at + static_cast<std::uint32_t>(data_header_size);
  return data;
}

std::optional<Init> parse_init(const Chunk& chunk) noexcept {
  constexpr std::uint16_t adaptation_layer_indication = 0xc006;
  if (chunk.value.size() < init_header_size) return std::nullopt;
  Init init;
  init.tag = load_be32(chunk.value.data());
  init.initial_tsn = load_be32(chunk.value.data() + 12);
  init.whole = !chunk.cut();
  ByteView parameters = chunk.value.subspan(init_header_size);
  while (parameters.size() >= chunk_header_size) {
    const std::uint16_t type = load_be16(parameters.data());
    const std::size_t length = load_be16(parameters.data() + 2);
    if (length < chunk_header_size || length > parameters.size()) break;
    if (type == adaptation_layer_indication && length == 8)
      init.adaptation = load_be32(parameters.data() + 4);
    parameters = parameters.subspan(std::min(padded(length), parameters.size()));
  }
  return init;
}

std::optional<std::uint32_t> parse_cumulative_ack(const Chunk& chunk) noexcept {
  if (chunk.value.size() < 4) return std::nullopt;
  return load_be32(chunk.value.data());
}

}  // namespace iwarp::sctp
