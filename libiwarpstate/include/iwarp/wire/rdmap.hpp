// RDMAP headers behind the DDP header (RFC 5040 §4, RFC 7306 §5 and §6). Stateless.
// Each parse takes the octets right behind the DDP header and fails when they are cut short.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>
#include <iwarp/result.hpp>
#include <iwarp/wire/ddp.hpp>

#pragma GCC visibility push(default)
namespace iwarp::wire {

inline constexpr std::uint32_t read_request_size = 28;
inline constexpr std::uint32_t atomic_request_size = 52;
inline constexpr std::uint32_t atomic_response_size = 12;
inline constexpr std::uint32_t immediate_size = 8;

// A header of which perhaps only the first octets are there.
template <typename Header>
struct Cut {
  Header header;           // fields that are not there in full are no values
  std::size_t octets = 0;  // that are there, at most its size

  // Whether a field is there that ends behind `end` octets of the header.
  [[nodiscard]] constexpr bool has(std::size_t end) const noexcept { return octets >= end; }
};

// RFC 5040 §4.4: sink first, source last.
struct ReadRequest {
  std::uint32_t sink_stag = 0;
  std::uint64_t sink_to = 0;
  std::uint32_t size = 0;
  std::uint32_t source_stag = 0;
  std::uint64_t source_to = 0;

  bool operator==(const ReadRequest&) const = default;
};
[[nodiscard]] Result<ReadRequest> parse_read_request(ByteView octets);
[[nodiscard]] Cut<ReadRequest> parse_cut_read_request(ByteView octets) noexcept;
void encode(const ReadRequest& request, Bytes& out);

enum class AtomicOperation : std::uint8_t {
  fetch_add = 0,
  swap_reserved = 1,
  cmp_swap = 2
};

// RFC 7306 §5.2.1
struct AtomicRequest {
  std::uint32_t reserved = 0;  // 28 bits
  std::uint8_t operation = 0;  // 4 bits, AtomicOperation or unassigned
  std::uint32_t request_id = 0;
  std::uint32_t remote_stag = 0;
  std::uint64_t remote_to = 0;
  std::uint64_t add_swap_data = 0;
  std::uint64_t add_swap_mask = 0;
  std::uint64_t compare_data = 0;
  std::uint64_t compare_mask = 0;

  bool operator==(const AtomicRequest&) const = default;
};
[[nodiscard]] Result<AtomicRequest> parse_atomic_request(ByteView octets);
[[nodiscard]] Cut<AtomicRequest> parse_cut_atomic_request(ByteView octets) noexcept;
void encode(const AtomicRequest& request, Bytes& out);
// The word at its remote STag and TO once it was carried out there, which held `word` before (RFC 7306 §5.1).
// REQUIRES: the operation is fetch_add or cmp_swap.
[[nodiscard]] std::uint64_t apply_atomic(const AtomicRequest& request, std::uint64_t word) noexcept;

// RFC 7306 §5.2.2, figure 6: 12 octets (the text's "32 bytes" is wrong).
struct AtomicResponse {
  std::uint32_t original_request_id = 0;
  std::uint64_t original_remote_data = 0;

  bool operator==(const AtomicResponse&) const = default;
};
[[nodiscard]] Result<AtomicResponse> parse_atomic_response(ByteView octets);
[[nodiscard]] Cut<AtomicResponse> parse_cut_atomic_response(ByteView octets) noexcept;
void encode(const AtomicResponse& response, Bytes& out);

// RFC 7306 §6.3
[[nodiscard]] Result<std::uint64_t> parse_immediate(ByteView octets);

// --- Terminate (RFC 5040 §4.8) -------------------------------------------------------------------------

// How the control word's bits are laid out. siw on little-endian hosts puts Layer in the low nibble and
// M, D, R into bits 0, 1, 2 of the third octet.
enum class BitOrder : std::uint8_t {
  rfc,
  siw
};

// Whose list a Terminate code is from (RFC 6580; Verbs 1.0 figure 24; drivers in the field).
enum class TerminateOrigin : std::uint8_t {
  iana,
  verbs,
  vendor,
  unregistered
};

struct TerminateCode {
  std::uint8_t layer = 0;  // 0 RDMAP, 1 DDP, 2 LLP (MPA)
  std::uint8_t etype = 0;
  std::uint8_t code = 0;

  [[nodiscard]] constexpr std::uint16_t value() const noexcept {
    return static_cast<std::uint16_t>(layer << 12 | etype << 8 | code);
  }
  bool operator==(const TerminateCode&) const = default;
};

struct TerminateCodeInfo {
  const char* name = "unregistered code";  // "tagged: invalid STag"
  TerminateOrigin origin = TerminateOrigin::unregistered;
};
// Meaning of a code value such as 0x1100. Total: unregistered values get that name.
[[nodiscard]] TerminateCodeInfo describe_terminate(std::uint16_t value) noexcept;

struct Terminate {
  std::uint32_t raw = 0;  // the four control octets as sent
  BitOrder bit_order = BitOrder::rfc;
  TerminateCode meant;           // layer, etype, code in RFC terms, after undoing siw's order
  bool length_valid = false;     // M
  bool has_ddp_header = false;   // D as sent
  bool has_rdma_header = false;  // R as sent
  // What the octets hold, told by their number (ULPDU 22, 24, 38, 42, 70), not by M, D, R.
  std::optional<std::uint16_t> ddp_segment_length;
  std::optional<DdpHeader> ddp_header;
  std::optional<ReadRequest> read_request;
  // Of a Terminate that was cut: what is there of the octets that a Read Request header takes, none where
  // they may be zero fill as well.
  std::optional<Cut<ReadRequest>> cut_request;
  std::uint32_t leftover = 0;  // octets behind the last field that could be told
};

// `octets` begins behind the untagged DDP header. `order` fixes the reading; without it the third octet
// decides (reserved bits are zero in RFC order), then which reading is a registered code, then RFC.
// `sent`: how many octets there were, if `octets` are perhaps only the first of them: their number tells
// which fields there are. Fails below four octets.
[[nodiscard]] Result<Terminate> parse_terminate(ByteView octets, std::optional<BitOrder> order = std::nullopt,
                                                std::size_t sent = 0);

// What a conforming sender writes (RFC order). Optional parts are encoded when set.
void encode(const Terminate& terminate, Bytes& out);

// Octets of the RDMAP header that follow the DDP header of `opcode`; 0 for none and for Terminate, whose
// length varies.
[[nodiscard]] constexpr std::uint32_t rdmap_header_size(Opcode opcode) noexcept {
  switch (opcode) {
    case Opcode::read_request: return read_request_size;
    case Opcode::atomic_request: return atomic_request_size;
    case Opcode::atomic_response: return atomic_response_size;
    case Opcode::immediate:
    case Opcode::immediate_se: return immediate_size;
    default: return 0;
  }
}

}  // namespace iwarp::wire
#pragma GCC visibility pop
