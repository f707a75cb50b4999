// A captured frame as a capture file holds it, and what can be wrong with such a file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

// The LINKTYPE_ values of the capture formats that PacketDecoder understands.
namespace link_type {
inline constexpr std::uint32_t null = 0;  // BSD loopback: address family in the capturing host's order
inline constexpr std::uint32_t ethernet = 1;
inline constexpr std::uint32_t raw_bsd = 12;  // raw IP under its older numbers
inline constexpr std::uint32_t raw_openbsd = 14;
inline constexpr std::uint32_t raw = 101;
inline constexpr std::uint32_t loop = 108;  // OpenBSD loopback: address family in network order
inline constexpr std::uint32_t linux_sll = 113;
inline constexpr std::uint32_t ipv4 = 228;
inline constexpr std::uint32_t ipv6 = 229;
inline constexpr std::uint32_t linux_sll2 = 276;
}  // namespace link_type

// A record claiming more octets than this is damage: libpcap and Wireshark know none of a network longer than
// 256 KiB, and a reader has all of a record in memory.
inline constexpr std::uint32_t max_record_octets = 16U << 20;

struct Record {
  FrameNumber number = 0;
  TimeNs time_ns = 0;     // 0 when has_time is false
  bool has_time = false;  // false for pcapng Simple Packet Blocks
  std::uint32_t link_type = 0;
  // Counts the interfaces of the whole file from 0; later pcapng sections go on where earlier ones ended.
  std::uint32_t interface = 0;
  ByteView octets;                // as captured, from the link header on; valid until the next record
  std::uint64_t wire_length = 0;  // octets the frame had on the wire, >= octets.size()
  std::string_view comment = {};  // the first one of a pcapng packet (opt_comment), UTF-8; as long as octets
};

// Why reading a capture ended before its end. Everything before the damage has been delivered.
struct Damage {
  // One sentence: "captures/a.pcapng: block 7 at 0x1f40 is longer than the file".
  std::string text;
  // Where, in octets from the start of the file, or of its contents when it is compressed.
  std::uint64_t offset = 0;
};

// How far reading has come, for progress bars. Counts the octets of the file itself, compressed or not.
struct Progress {
  std::uint64_t consumed = 0;
  std::optional<std::uint64_t> total;  // nothing for pipes and terminals
};

}  // namespace iwarp::capture
#pragma GCC visibility pop
