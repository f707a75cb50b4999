// CRC32c (Castagnoli) as MPA uses it (RFC 5044 §4.4, RFC 3385): reflected polynomial 0x82F63B78, initial
// value and final xor all ones. crc32c("123456789") == 0xE3069283.
// Uses SSE4.2 where the processor has it, a table otherwise; both give the same value.
// Pure, thread-safe.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>

#pragma GCC visibility push(default)
namespace iwarp::wire {

// CRC of `octets`, continuing from `previous` (the CRC of the octets before; 0 to begin).
[[nodiscard]] std::uint32_t crc32c(ByteView octets, std::uint32_t previous = 0) noexcept;

// The same, always by table: the fall-back, and the fast path's oracle in tests.
[[nodiscard]] std::uint32_t crc32c_portable(ByteView octets, std::uint32_t previous = 0) noexcept;

// CRC of the last `length` octets, fewer than 2^24, of some with the CRC `whole`; `before` is that of those
// before them. Takes the same time for any length.
[[nodiscard]] std::uint32_t crc32c_of_last(std::uint32_t whole, std::uint32_t before,
                                           std::uint32_t length) noexcept;

// The CRC field of an FPDU carries the register least significant octet first: 0x83992352 is sent as
// 52 23 99 83 (RFC 5044 figure 5). So the field is load_le32 of its four octets.

}  // namespace iwarp::wire
#pragma GCC visibility pop
