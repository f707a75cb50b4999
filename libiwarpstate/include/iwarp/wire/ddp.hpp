// DDP segment headers with the RDMAP control octet (RFC 5041 §4, RFC 5040 §4.1). Stateless.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/result.hpp>

#pragma GCC visibility push(default)
namespace iwarp::wire {

inline constexpr std::uint32_t tagged_header_size = 14;
inline constexpr std::uint32_t untagged_header_size = 18;

// RDMAP opcodes (RFC 5040 §4.3, RFC 7306 §4).
enum class Opcode : std::uint8_t {
  rdma_write = 0,
  read_request = 1,
  read_response = 2,
  send = 3,
  send_inv = 4,
  send_se = 5,
  send_se_inv = 6,
  terminate = 7,
  immediate = 8,
  immediate_se = 9,
  atomic_request = 10,
  atomic_response = 11,
  // 12…14 unassigned, 15 experimental (RFC 6580)
};
inline constexpr unsigned opcode_count = 16;

// "rdma_write" …; "unknown" for 12…15.
[[nodiscard]] const char* opcode_name(Opcode opcode) noexcept;
// "RDMA Write", "RDMA Read Request" …; "opcode 12" has no words: "unknown opcode".
[[nodiscard]] const char* opcode_title(Opcode opcode) noexcept;

// Untagged queues are named by the sink (RFC 5040 §3.1, RFC 7306 §10.2).
enum QueueNumber : std::uint32_t {
  queue_send = 0,
  queue_read_request = 1,
  queue_terminate = 2,
  queue_atomic_response = 3
};
inline constexpr unsigned queue_count = 4;

[[nodiscard]] constexpr bool is_known(Opcode opcode) noexcept {
  return static_cast<unsigned>(opcode) <= 11;
}
// Whether the opcode is carried by tagged DDP segments. Meaningful for known opcodes.
[[nodiscard]] constexpr bool is_tagged(Opcode opcode) noexcept {
  return opcode == Opcode::rdma_write || opcode == Opcode::read_response;
}
// The queue of an untagged opcode.
[[nodiscard]] constexpr std::uint32_t queue_of(Opcode opcode) noexcept {
  switch (opcode) {
    case Opcode::read_request:
    case Opcode::atomic_request: return queue_read_request;
    case Opcode::terminate: return queue_terminate;
    case Opcode::atomic_response: return queue_atomic_response;
    default: return queue_send;
  }
}
[[nodiscard]] constexpr bool is_send(Opcode opcode) noexcept {
  return opcode == Opcode::send || opcode == Opcode::send_inv || opcode == Opcode::send_se ||
         opcode == Opcode::send_se_inv;
}
// Answered by a message of the peer: a Read Request or an Atomic Request.
[[nodiscard]] constexpr bool is_request(Opcode opcode) noexcept {
  return opcode == Opcode::read_request || opcode == Opcode::atomic_request;
}
[[nodiscard]] constexpr bool invalidates(Opcode opcode) noexcept {
  return opcode == Opcode::send_inv || opcode == Opcode::send_se_inv;
}
[[nodiscard]] constexpr bool is_immediate(Opcode opcode) noexcept {
  return opcode == Opcode::immediate || opcode == Opcode::immediate_se;
}
// Octets of the ULP; those of the others are fields of RDMAP.
[[nodiscard]] constexpr bool carries_payload(Opcode opcode) noexcept {
  return opcode == Opcode::rdma_write || opcode == Opcode::read_response || is_send(opcode) ||
         is_immediate(opcode);
}

// A parsed DDP header: what is on the wire, judged by nobody yet. The T bit decides which half is meant.
struct DdpHeader {
  std::uint8_t ddp_control = 0;    // T 0x80, L 0x40, reserved 0x3c, DV 0x03
  std::uint8_t rdmap_control = 0;  // RV 0xc0, reserved 0x30, opcode 0x0f
  std::uint32_t stag = 0;          // tagged: STag; untagged: Invalidate STag or 0
  std::uint32_t queue = 0;         // untagged QN
  std::uint32_t msn = 0;           // untagged MSN
  std::uint32_t mo = 0;            // untagged MO
  std::uint64_t to = 0;            // tagged TO

  [[nodiscard]] constexpr bool tagged() const noexcept { return (ddp_control & 0x80U) != 0; }
  [[nodiscard]] constexpr bool last() const noexcept { return (ddp_control & 0x40U) != 0; }
  [[nodiscard]] constexpr unsigned ddp_reserved() const noexcept { return ddp_control & 0x3cU; }
  [[nodiscard]] constexpr unsigned ddp_version() const noexcept { return ddp_control & 0x03U; }
  [[nodiscard]] constexpr unsigned rdmap_version() const noexcept { return rdmap_control >> 6U; }
  [[nodiscard]] constexpr unsigned rdmap_reserved() const noexcept { return rdmap_control & 0x30U; }
  [[nodiscard]] constexpr Opcode opcode() const noexcept {
    return static_cast<Opcode>(rdmap_control & 0x0fU);
  }
  [[nodiscard]] constexpr std::uint32_t size() const noexcept {
    return tagged() ? tagged_header_size : untagged_header_size;
  }

  bool operator==(const DdpHeader&) const = default;
};

// The 14 or 18 octets at `at`. REQUIRES: all of them are readable.
[[nodiscard]] inline DdpHeader read_ddp(const Byte* at) noexcept {
  constexpr std::size_t control_size = 2;  // DDP control and RDMAP control
  DdpHeader header;
  header.ddp_control = at[0];
  header.rdmap_control = at[1];
  const Byte* const fields = at + control_size;
  header.stag = load_be32(fields);
  if (header.tagged()) {
    header.to = load_be64(fields + 4);
  } else {
    header.queue = load_be32(fields + 4);
    header.msn = load_be32(fields + 8);
    header.mo = load_be32(fields + 12);
  }
  return header;
}
// Parses the 14 or 18 octets at the start of a ULPDU. Fails with "DDP header is cut short".
[[nodiscard]] Result<DdpHeader> parse_ddp(ByteView ulpdu);
// Appends the 14 or 18 octets.
void encode(const DdpHeader& header, Bytes& out);

}  // namespace iwarp::wire
#pragma GCC visibility pop
