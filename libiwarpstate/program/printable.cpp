// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/printable.hpp"

#include <algorithm>
#include <cstdint>

namespace iwarp::program {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t octets = 0;  // 0: none begins here
};

// The UTF-8 character at the start of `text`, in its only right form (RFC 3629 §4).
Character character_at(std::string_view text) noexcept {
  const auto at = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
  const std::uint32_t first = at(0);
  if (first < 0x80) return {first, 1};
  const std::size_t octets = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf7 || text.size() < octets) return {};
  std::uint32_t code = first & (0x7fU >> octets);
  for (std::size_t place = 1; place < octets; ++place) {
    if ((at(place) & 0xc0U) != 0x80) return {};
    code = code << 6U | (at(place) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[octets - 2] || code > 0x10ffff || surrogate) return {};
  return {code, octets};
}

bool is_plain(std::uint32_t code) noexcept {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  // These turn the order of what is shown: of a name ending in gpj.exe a picture's.
  const bool turns = code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
  return !control && !turns && code != 0x2028 && code != 0x2029;
}

void append_escaped(std::string& out, std::string_view octets) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char octet : octets) {
    const auto value = static_cast<unsigned char>(octet);
    out.append({'\\', 'x', digits[value >> 4U], digits[value & 0xfU]});
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = character_at(text);
    const std::string_view octets = text.substr(0, std::max<std::size_t>(character.octets, 1));
    if (octets == "\\") {
      out += "\\\\";
    } else if (character.octets != 0 && is_plain(character.code)) {
      out += octets;
    } else {
      append_escaped(out, octets);
    }
    text.remove_prefix(octets.size());
  }
  return out;
}

}  // namespace iwarp::program
