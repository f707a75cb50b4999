// MPA start-up frames and the IRD/ORD word.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/mpa.hpp>

#include <algorithm>

namespace iwarp::wire {
namespace {

constexpr std::size_t flags_offset = 16;
constexpr std::size_t revision_offset = 17;
constexpr std::size_t length_offset = 18;
constexpr std::size_t enhanced_word_size = 4;

// Flag bits of the start-up frame (RFC 5044 §7.1.1, RFC 6581 §6).
constexpr Byte flag_markers = 0x80;
constexpr Byte flag_crc = 0x40;
constexpr Byte flag_rejected = 0x20;
constexpr Byte flag_enhanced = 0x10;
constexpr Byte flags_reserved = 0x0f;

// The two bits above each 14-bit depth (RFC 6581 §9.1).
constexpr unsigned upper_bit = 0x8000;
constexpr unsigned lower_bit = 0x4000;
constexpr unsigned depth_mask = 0x3fff;

constexpr Byte flag_if(bool condition, Byte flag) noexcept {
  return condition ? flag : Byte{0};
}

// Number of octets that agree with `key`, at most all of it.
std::size_t matching(ByteView octets, const Byte* key) noexcept {
  const std::size_t length = std::min(octets.size(), startup_key_size);
  return static_cast<std::size_t>(std::mismatch(key, key + length, octets.begin()).first - key);
}

}  // namespace

EnhancedWord parse_enhanced_word(const Byte* four_octets) noexcept {
  const unsigned first = load_be16(four_octets);
  const unsigned second = load_be16(four_octets + 2);
  EnhancedWord word;
  word.peer_to_peer = (first & upper_bit) != 0;
  word.rtr_send = (first & lower_bit) != 0;
  word.rtr_write = (second & upper_bit) != 0;
  word.rtr_read = (second & lower_bit) != 0;
  word.ird = static_cast<std::uint16_t>(first & depth_mask);
  word.ord = static_cast<std::uint16_t>(second & depth_mask);
  return word;
}

void encode(const EnhancedWord& word, Byte* four_octets) noexcept {
  const unsigned first =
      (word.peer_to_peer ? upper_bit : 0) | (word.rtr_send ? lower_bit : 0) | (word.ird & depth_mask);
  const unsigned second =
      (word.rtr_write ? upper_bit : 0) | (word.rtr_read ? lower_bit : 0) | (word.ord & depth_mask);
  store_be16(four_octets, static_cast<std::uint16_t>(first));
  store_be16(four_octets + 2, static_cast<std::uint16_t>(second));
}

std::optional<EnhancedWord> StartupFrame::enhanced_word() const noexcept {
  if (!enhanced || private_data.size() < enhanced_word_size) return std::nullopt;
  return parse_enhanced_word(private_data.data());
}

Result<StartupFrame> parse_startup(ByteView octets) {
  const std::size_t as_request = matching(octets, request_key);
  const std::size_t as_reply = matching(octets, reply_key);
  const std::size_t agreeing = std::max(as_request, as_reply);
  // Fewer octets than a key that begin like one may still become one: cut short, not absent.
  if (agreeing < std::min(octets.size(), startup_key_size)) return ParseError{"no start-up key", agreeing};
  const ParseError cut_short{"start-up frame is cut short", octets.size()};
  if (octets.size() < startup_header_size) return cut_short;

  const Byte flags = octets[flags_offset];
  StartupFrame frame;
  frame.kind = as_request == startup_key_size ? StartupKind::request : StartupKind::reply;
  frame.markers = (flags & flag_markers) != 0;
  frame.crc = (flags & flag_crc) != 0;
  frame.rejected = (flags & flag_rejected) != 0;
  frame.enhanced = (flags & flag_enhanced) != 0;
  frame.reserved_flags = flags & flags_reserved;
  frame.revision = octets[revision_offset];
  frame.private_data_length = load_be16(octets.data() + length_offset);
  if (octets.size() < frame.size()) return cut_short;
  frame.private_data = octets.subspan(startup_header_size, frame.private_data_length);
  return frame;
}

void encode(const StartupFrame& frame, Bytes& out) {
  const Byte* key = frame.kind == StartupKind::request ? request_key : reply_key;
  out.insert(out.end(), key, key + startup_key_size);
  out.push_back(static_cast<Byte>(flag_if(frame.markers, flag_markers) | flag_if(frame.crc, flag_crc) |
                                  flag_if(frame.rejected, flag_rejected) |
                                  flag_if(frame.enhanced, flag_enhanced) |
                                  (frame.reserved_flags & flags_reserved)));
  out.push_back(frame.revision);
  out.push_back(static_cast<Byte>(frame.private_data_length >> 8));
  out.push_back(static_cast<Byte>(frame.private_data_length));
  out.insert(out.end(), frame.private_data.begin(), frame.private_data.end());
}

}  // namespace iwarp::wire
