// CRC32c: slicing by eight tables, and three interleaved streams of the SSE4.2 crc32 instruction.
//
// The instruction takes eight octets a cycle but answers after three: one chain of them uses a third of the
// processor. So a run of octets is cut into three equal blocks A, B, C whose registers advance side by side,
// and are joined by multiplying A's and B's with the power of x that stands for the octets behind them. The
// join costs two carry-less multiplications that end in C's last eight octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/crc32c.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define IWARP_CRC32C_X86 1
#include <immintrin.h>
// These functions alone may use the instructions; the rest of the program runs on any x86-64.
#define IWARP_CRC32C_TARGET __attribute__((target("sse4.2,pclmul")))
#endif

namespace iwarp::wire {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // reflected: bit 31 is x^0
constexpr std::size_t word_size = 8;

// Register times x, modulo the polynomial.
constexpr std::uint32_t times_x(std::uint32_t value) noexcept {
  return value >> 1 ^ ((value & 1U) != 0 ? polynomial : 0U);
}

// … and divided by x.
constexpr std::uint32_t over_x(std::uint32_t value) noexcept {
  return (value & 0x80000000U) != 0 ? (value ^ polynomial) << 1 | 1U : value << 1;
}

constexpr std::uint32_t times(std::uint32_t one, std::uint32_t another) noexcept {
  std::uint32_t result = 0;
  for (; one != 0; one <<= 1, another = times_x(another)) {
    if ((one & 0x80000000U) != 0) result ^= another;
  }
  return result;
}

using Table = std::array<std::uint32_t, 256>;

// slices[n][octet]: the register after `octet` and n zero octets, from an empty register.
constexpr std::array<Table, word_size> make_slices() noexcept {
  std::array<Table, word_size> slices{};
  for (std::uint32_t octet = 0; octet < 256; ++octet) {
    std::uint32_t value = octet;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    slices[0][octet] = value;
  }
  for (std::size_t n = 1; n < word_size; ++n) {
    for (std::size_t octet = 0; octet < 256; ++octet) {
      const std::uint32_t before = slices[n - 1][octet];
      slices[n][octet] = before >> 8 ^ slices[0][before & 0xffU];
    }
  }
  return slices;
}

constexpr std::array<Table, word_size> slices = make_slices();

// What a carry-less product of two registers, taken as eight octets by the crc32 instruction, is multiplied
// by.
constexpr std::uint32_t x33() noexcept {
  std::uint32_t value = 0x80000000U;
  for (int bit = 0; bit < 33; ++bit) value = times_x(value);
  return value;
}

// zeros[k][n]: x^(8 m - 33) for m = n * 256^k, n > 0: multiplied with it so, a register moves past m zero
// octets.
constexpr std::array<Table, 3> make_zeros() noexcept {
  std::array<Table, 3> zeros{};
  std::uint32_t octets = 0x80000000U;  // x^(8 * 256^k)
  for (int bit = 0; bit < 8; ++bit) octets = times_x(octets);
  for (Table& table : zeros) {
    std::uint32_t value = 0x80000000U;
    for (int bit = 0; bit < 33; ++bit) value = over_x(value);
    for (std::uint32_t& entry : table) {
      entry = value;
      value = times(value, octets);
    }
    for (int doubled = 0; doubled < 8; ++doubled) octets = times(octets, octets);
  }
  return zeros;
}

constexpr std::array<Table, 3> zeros = make_zeros();

std::uint32_t advance_by_table(std::uint32_t value, const Byte* at, std::size_t size) noexcept {
  for (; size >= word_size; size -= word_size, at += word_size) {
    const std::uint32_t low = value ^ load_le32(at);
    const std::uint32_t high = load_le32(at + 4);
    value = slices[7][low & 0xffU] ^ slices[6][low >> 8 & 0xffU] ^ slices[5][low >> 16 & 0xffU] ^
            slices[4][low >> 24] ^ slices[3][high & 0xffU] ^ slices[2][high >> 8 & 0xffU] ^
            slices[1][high >> 16 & 0xffU] ^ slices[0][high >> 24];
  }
  for (; size != 0; --size, ++at) value = value >> 8 ^ slices[0][(value ^ *at) & 0xffU];
  return value;
}

#ifdef IWARP_CRC32C_X86

constexpr std::size_t max_block_words = 256;
constexpr std::size_t streams = 3;
// Below this many octets the join costs more than working side by side saves.
constexpr std::size_t min_split = 72;

// powers[n]: x^(64 n - 33), n > 0: multiplied with it a register moves past n words.
constexpr std::array<std::uint32_t, 2 * max_block_words + 1> make_powers() noexcept {
  std::array<std::uint32_t, 2 * max_block_words + 1> powers{};
  std::uint32_t value = 0x80000000U;
  for (int bit = 0; bit < 64 - 33; ++bit) value = times_x(value);
  for (std::size_t n = 1; n < powers.size(); ++n) {
    powers[n] = value;
    for (int bit = 0; bit < 64; ++bit) value = times_x(value);
  }
  return powers;
}

constexpr auto powers = make_powers();

std::uint64_t load_word(const Byte* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

IWARP_CRC32C_TARGET inline std::uint64_t product(std::uint64_t value, std::uint32_t power) noexcept {
  const __m128i both = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(value)),
                                            _mm_cvtsi32_si128(static_cast<int>(power)), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(both));
}

// Advances over three blocks of `words` words each, 0 < words <= max_block_words.
IWARP_CRC32C_TARGET inline std::uint64_t advance_blocks(std::uint64_t a, const Byte* at,
                                                        std::size_t words) noexcept {
  const std::size_t block = words * word_size;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  const Byte* const last = at + block - word_size;
  for (; at != last; at += word_size) {
    a = _mm_crc32_u64(a, load_word(at));
    b = _mm_crc32_u64(b, load_word(at + block));
    c = _mm_crc32_u64(c, load_word(at + 2 * block));
  }
  a = _mm_crc32_u64(a, load_word(at));
  b = _mm_crc32_u64(b, load_word(at + block));
  return _mm_crc32_u64(c,
                       load_word(at + 2 * block) ^ product(a, powers[2 * words]) ^ product(b, powers[words]));
}

IWARP_CRC32C_TARGET std::uint32_t advance_by_instruction(std::uint32_t start, const Byte* at,
                                                         std::size_t size) noexcept {
  std::uint64_t value = start;
  while (size >= min_split) {
    const std::size_t words = std::min(size / (streams * word_size), max_block_words);
    value = advance_blocks(value, at, words);
    at += words * streams * word_size;
    size -= words * streams * word_size;
  }
  for (; size >= word_size; size -= word_size, at += word_size) value = _mm_crc32_u64(value, load_word(at));
  auto result = static_cast<std::uint32_t>(value);
  if ((size & 4U) != 0) {
    std::uint32_t half;
    std::memcpy(&half, at, sizeof half);
    result = _mm_crc32_u32(result, half);
    at += 4;
  }
  if ((size & 2U) != 0) {
    std::uint16_t quarter;
    std::memcpy(&quarter, at, sizeof quarter);
    result = _mm_crc32_u16(result, quarter);
    at += 2;
  }
  if ((size & 1U) != 0) result = _mm_crc32_u8(result, *at);
  return result;
}

bool detect() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

IWARP_CRC32C_TARGET std::uint32_t times_by_instruction(std::uint32_t value, std::uint32_t power) noexcept {
  return static_cast<std::uint32_t>(_mm_crc32_u64(0, product(value, power)));
}

// False until initialised: a call from another file's initialiser is slower, not wrong.
const bool has_instruction = detect();

#endif

}  // namespace

std::uint32_t crc32c(ByteView octets, std::uint32_t previous) noexcept {
#ifdef IWARP_CRC32C_X86
  if (has_instruction) return ~advance_by_instruction(~previous, octets.data(), octets.size());
#endif
  return crc32c_portable(octets, previous);
}

std::uint32_t crc32c_of_last(std::uint32_t whole, std::uint32_t before, std::uint32_t length) noexcept {
  std::uint32_t moved = before;
  for (std::size_t k = 0; k < zeros.size(); ++k, length >>= 8) {
    if ((length & 0xffU) == 0) continue;
    const std::uint32_t power = zeros[k][length & 0xffU];
#ifdef IWARP_CRC32C_X86
    if (has_instruction) {
      moved = times_by_instruction(moved, power);
      continue;
    }
#endif
    moved = times(times(moved, power), x33());
  }
  return whole ^ moved;
}

std::uint32_t crc32c_portable(ByteView octets, std::uint32_t previous) noexcept {
  return ~advance_by_table(~previous, octets.data(), octets.size());
}

}  // namespace iwarp::wire
