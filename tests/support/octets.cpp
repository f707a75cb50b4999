// Octets from text and patterns, CRC32c by definition, start-up frames.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/octets.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "support/put.hpp"

namespace iwarp::test {
namespace {

[[noreturn]] void give_up(const char* what, std::string_view where) {
  std::fprintf(stderr, "hex(): %s in \"%.*s\"\n", what, static_cast<int>(where.size()), where.data());
  std::abort();
}

bool is_space(char character) {
  return character == ' ' || character == '\n' || character == '\t';
}

unsigned digit(char character, std::string_view digits) {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  if (character >= 'a' && character <= 'f') return static_cast<unsigned>(character - 'a') + 10;
  if (character >= 'A' && character <= 'F') return static_cast<unsigned>(character - 'A') + 10;
  give_up("no hexadecimal digit", digits);
}

Bytes startup_frame(std::string_view key, const Startup& frame) {
  const bool enhanced = frame.enhanced.value_or(frame.word.has_value());
  const Bytes private_data = cat(frame.word ? ird_ord_word(*frame.word) : Bytes{}, frame.private_data);
  Bytes out = text(key);
  put8(out, (frame.markers ? 0x80U : 0U) | (frame.crc ? 0x40U : 0U) | (frame.rejected ? 0x20U : 0U) |
                (enhanced ? 0x10U : 0U) | frame.reserved);
  put8(out, frame.revision.value_or(frame.word ? 2U : 1U));
  put16(out, frame.length.value_or(static_cast<unsigned>(private_data.size())));
  return cat(out, private_data);
}

}  // namespace

Bytes hex(std::string_view digits) {
  Bytes out;
  std::size_t i = 0;
  while (i < digits.size()) {
    if (is_space(digits[i])) {
      ++i;
      continue;
    }
    // A repetition is decimal digits up to a star, within one word.
    std::size_t count = 1;
    std::size_t end = i;
    while (end < digits.size() && digits[end] >= '0' && digits[end] <= '9') ++end;
    if (end != i && end < digits.size() && digits[end] == '*') {
      count = std::strtoul(std::string(digits.substr(i, end - i)).c_str(), nullptr, 10);
      i = end + 1;
    }
    if (i + 1 >= digits.size()) give_up("half an octet", digits);
    const unsigned octet = digit(digits[i], digits) << 4U | digit(digits[i + 1], digits);
    out.insert(out.end(), count, static_cast<Byte>(octet));
    i += 2;
  }
  return out;
}

std::string to_hex(ByteView octets) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i != 0 && i % 4 == 0) out += ' ';
    out += digits[octets[i] >> 4];
    out += digits[octets[i] & 0x0f];
  }
  return out;
}

Bytes text(std::string_view characters) {
  return Bytes(characters.begin(), characters.end());
}

Bytes zeros(std::size_t count) {
  return Bytes(count);
}

Bytes pattern(std::size_t count, std::uint32_t seed) {
  Bytes out;
  out.reserve(count);
  std::uint32_t state = seed * 0x9E3779B9U + 0x2545F491U;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    out.push_back(static_cast<Byte>(state >> 24));
  }
  return out;
}

Bytes part(ByteView octets, std::size_t first, std::size_t count) {
  if (first >= octets.size()) return {};
  const ByteView chosen = octets.subspan(first, std::min(count, octets.size() - first));
  return Bytes(chosen.begin(), chosen.end());
}

Bytes cat(const std::vector<Bytes>& pieces) {
  Bytes out;
  for (const Bytes& piece : pieces) out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

std::uint32_t bitwise_crc32c(ByteView octets, std::uint32_t previous) {
  std::uint32_t value = ~previous;
  for (const Byte octet : octets) {
    value ^= octet;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? value >> 1 ^ 0x82F63B78U : value >> 1;
  }
  return ~value;
}

Bytes ird_ord_word(const Depths& word) {
  Bytes out;
  put16(out, (word.peer_to_peer ? 0x8000U : 0U) | (word.rtr_send ? 0x4000U : 0U) | word.ird);
  put16(out, (word.rtr_write ? 0x8000U : 0U) | (word.rtr_read ? 0x4000U : 0U) | word.ord);
  return out;
}

Bytes request_frame(const Startup& frame) {
  return startup_frame("MPA ID Req Frame", frame);
}

Bytes reply_frame(const Startup& frame) {
  return startup_frame("MPA ID Rep Frame", frame);
}

}  // namespace iwarp::test
