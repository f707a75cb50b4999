// MPA start-up frames (RFC 5044 §7.1, RFC 6581 §6 and §9) and FPDU geometry with markers (RFC 5044 §4).
// Stateless. Parsing judges nothing that a check judges: it fails only where octets are missing or the key
// is absent, so that a finding can name what else is wrong.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>
#include <iwarp/result.hpp>

#pragma GCC visibility push(default)
namespace iwarp::wire {

inline constexpr std::size_t startup_key_size = 16;
inline constexpr std::size_t startup_header_size = 20;
inline constexpr std::size_t max_private_data = 512;  // RFC 5044 §7.1.1, IRD/ORD word included
// Private Data that a ULP may put into a start-up frame, with the IRD/ORD word before it or without (RFC 6581
// §9).
[[nodiscard]] constexpr std::size_t private_data_room(bool has_word) noexcept {
  constexpr std::size_t word_size = 4;
  return max_private_data - (has_word ? word_size : 0);
}

inline constexpr Byte request_key[startup_key_size + 1] = {'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e',
                                                           'q', ' ', 'F', 'r', 'a', 'm', 'e', 0};
inline constexpr Byte reply_key[startup_key_size + 1] = {'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e',
                                                         'p', ' ', 'F', 'r', 'a', 'm', 'e', 0};

enum class StartupKind : std::uint8_t {
  request = 0,
  reply = 1
};

// IRD or ORD of this value: "not negotiated" (RFC 6581 §9.1).
inline constexpr std::uint16_t depth_not_negotiated = 0x3FFF;

// First four octets of Private Data when S is set (RFC 6581 §9): A B IRD(14) C D ORD(14).
struct EnhancedWord {
  bool peer_to_peer = false;  // A
  bool rtr_send = false;      // B: ready-to-receive by zero-length Send
  bool rtr_write = false;     // C: by zero-length RDMA Write
  bool rtr_read = false;      // D: by zero-length RDMA Read
  std::uint16_t ird = 0;      // 14 bits
  std::uint16_t ord = 0;      // 14 bits

  bool operator==(const EnhancedWord&) const = default;
};

struct StartupFrame {
  StartupKind kind = StartupKind::request;
  bool markers = false;                   // M: what the *peer* of the sender must put in its FPDUs
  bool crc = false;                       // C
  bool rejected = false;                  // R, meaningful in a Reply
  bool enhanced = false;                  // S (rev 2)
  std::uint8_t reserved_flags = 0;        // the low four flag bits; 0x08 is siw's private GSO bit
  std::uint8_t revision = 0;              // 0 RDMAC, 1 RFC 5044, 2 RFC 6581, 129 erdma
  std::uint16_t private_data_length = 0;  // PD_Length as sent, may exceed max_private_data
  ByteView private_data;                  // whole Private Data, IRD/ORD word included; into the parsed view

  [[nodiscard]] std::size_t size() const noexcept { return startup_header_size + private_data_length; }
  // The IRD/ORD word, when S is set and four octets of Private Data are there.
  [[nodiscard]] std::optional<EnhancedWord> enhanced_word() const noexcept;
};

[[nodiscard]] EnhancedWord parse_enhanced_word(const Byte* four_octets) noexcept;
void encode(const EnhancedWord& word, Byte* four_octets) noexcept;

// Fails with "no start-up key" or "start-up frame is cut short" (offset: the octets that were there).
// PD_Length > 512 parses when the octets are there: MPA-PDLEN judges it.
[[nodiscard]] Result<StartupFrame> parse_startup(ByteView octets);
void encode(const StartupFrame& frame, Bytes& out);

// --- FPDU geometry -------------------------------------------------------------------------------------

inline constexpr std::uint32_t marker_interval = 512;  // marker included (RFC 5044 §4.3)
inline constexpr std::uint32_t marker_size = 4;
inline constexpr std::uint32_t marker_spacing = marker_interval - marker_size;  // data octets between
inline constexpr std::uint32_t length_field_size = 2;
inline constexpr std::uint32_t crc_size = 4;
inline constexpr std::uint32_t min_mulpdu = 128;          // whatever the segment size (RFC 5044 §4.5)
inline constexpr std::uint32_t max_ulpdu_length = 64768;  // DDP may post 1…64768 (RFC 5044 §3)

// FPDUPTR of a marker that stands `at` octets behind its FPDU's first one (RFC 5044 §4.3). An FPDU that
// begins with a marker is counted from behind it.
[[nodiscard]] constexpr std::uint16_t fpdu_pointer(std::uint32_t at) noexcept {
  const bool leading = at % marker_interval == 0;
  return static_cast<std::uint16_t>(at == 0 ? 0 : leading ? at - marker_size : at);
}

// PAD octets behind a ULPDU of this length (RFC 5044 §4.1).
[[nodiscard]] constexpr std::uint32_t pad_size(std::uint32_t ulpdu_length) noexcept {
  return (0U - (length_field_size + ulpdu_length)) & 3U;
}

// Octets of an FPDU without markers: ULPDU_Length field, ULPDU, PAD, CRC.
[[nodiscard]] constexpr std::uint32_t unmarked_fpdu_size(std::uint32_t ulpdu_length) noexcept {
  return length_field_size + ulpdu_length + pad_size(ulpdu_length) + crc_size;
}

// Markers that an FPDU of `unmarked_size` octets carries when its first octet (the leading marker, if any)
// stands `phase` octets behind a marker position, 0 <= phase < 512. A marker falling right behind the CRC
// belongs to the next FPDU.
[[nodiscard]] constexpr std::uint32_t marker_count(std::uint32_t unmarked_size,
                                                   std::uint32_t phase) noexcept {
  const std::uint32_t before_first = (marker_interval - phase) % marker_interval;
  if (unmarked_size <= before_first) return 0;
  return (unmarked_size - before_first + marker_spacing - 1) / marker_spacing;
}

// Where octet `position` of an FPDU without markers stands in the stream behind the FPDU's first octet, which
// is `phase` octets behind a marker position.
[[nodiscard]] constexpr std::uint32_t marked_position(std::uint32_t position, std::uint32_t phase) noexcept {
  const std::uint32_t before_first = (marker_interval - phase) % marker_interval;
  if (position < before_first) return position;
  return position + marker_size * (1 + (position - before_first) / marker_spacing);
}

// FPDUPTR with its two low bits masked as a receiver does (RFC 5044 §4.3).
[[nodiscard]] constexpr std::uint32_t masked_fpdu_pointer(std::uint32_t pointer) noexcept {
  return pointer & ~3U;
}

}  // namespace iwarp::wire
#pragma GCC visibility pop
