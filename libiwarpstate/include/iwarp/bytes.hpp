// Octet views and big-endian loads and stores: the only way this library reads or writes the wire.
//
// A ByteView never owns. Its lifetime is stated by the function that takes or returns it.
// Every multi-octet field of MPA, DDP and RDMAP is big-endian except the MPA CRC (RFC 5044 §4.4).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace iwarp {

using Byte = std::uint8_t;
using ByteView = std::span<const Byte>;
using Bytes = std::vector<Byte>;

// REQUIRES for all loads and stores: the octets named are readable (writable) at `at`.
[[nodiscard]] constexpr std::uint16_t load_be16(const Byte* at) noexcept {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}

[[nodiscard]] constexpr std::uint32_t load_be32(const Byte* at) noexcept {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

[[nodiscard]] constexpr std::uint64_t load_be64(const Byte* at) noexcept {
  return std::uint64_t{load_be32(at)} << 32 | load_be32(at + 4);
}

[[nodiscard]] constexpr std::uint16_t load_le16(const Byte* at) noexcept {
  return static_cast<std::uint16_t>(at[1] << 8 | at[0]);
}

[[nodiscard]] constexpr std::uint32_t load_le32(const Byte* at) noexcept {
  return std::uint32_t{at[3]} << 24 | std::uint32_t{at[2]} << 16 | std::uint32_t{at[1]} << 8 | at[0];
}

constexpr void store_be16(Byte* at, std::uint16_t value) noexcept {
  at[0] = static_cast<Byte>(value >> 8);
  at[1] = static_cast<Byte>(value);
}

constexpr void store_be32(Byte* at, std::uint32_t value) noexcept {
  store_be16(at, static_cast<std::uint16_t>(value >> 16));
  store_be16(at + 2, static_cast<std::uint16_t>(value));
}

constexpr void store_be64(Byte* at, std::uint64_t value) noexcept {
  store_be32(at, static_cast<std::uint32_t>(value >> 32));
  store_be32(at + 4, static_cast<std::uint32_t>(value));
}

constexpr void store_le32(Byte* at, std::uint32_t value) noexcept {
  at[0] = static_cast<Byte>(value);
  at[1] = static_cast<Byte>(value >> 8);
  at[2] = static_cast<Byte>(value >> 16);
  at[3] = static_cast<Byte>(value >> 24);
}

// Eight octets at once where the machine's order is theirs: what is packed is read and written by these.
[[nodiscard]] inline std::uint64_t load_le64(const Byte* at) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, at, sizeof value);
  } else {
    value = std::uint64_t{load_le32(at + 4)} << 32 | load_le32(at);
  }
  return value;
}

inline void store_le64(Byte* at, std::uint64_t value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(at, &value, sizeof value);
  } else {
    store_le32(at, static_cast<std::uint32_t>(value));
    store_le32(at + 4, static_cast<std::uint32_t>(value >> 32));
  }
}

}  // namespace iwarp
#pragma GCC visibility pop
