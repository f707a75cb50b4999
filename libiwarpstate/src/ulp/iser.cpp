// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/advertisements.hpp"
#include "ulp/octet_reader.hpp"

namespace iwarp {
namespace {

constexpr std::size_t header_size = 28;         // of iSER
constexpr std::size_t basic_size = 48;          // of the iSCSI PDU behind it (RFC 7143 §11.2.1)
constexpr std::size_t expected_length_at = 20;  // §11.3.5: Expected Data Transfer Length
constexpr Byte control_pdu = 0x10;
constexpr Byte write_stag_valid = 0x08;
constexpr Byte read_stag_valid = 0x04;
constexpr std::size_t write_stag_at = 4;
constexpr std::size_t read_stag_at = 16;
constexpr std::size_t stag_and_base_offset = 12;
constexpr Byte scsi_command = 0x01;
constexpr Byte last_request = 0x06;  // of an initiator: Logout (RFC 7143 §11.2.1.2)
constexpr Byte final_flag = 0x80;

Byte opcode_of(ByteView message) noexcept {
  return message[header_size] & 0x3fU;
}

bool is_iscsi(Byte opcode) noexcept {
  return opcode <= last_request || opcode == 0x10 || (opcode >= 0x20 && opcode <= 0x26) || opcode == 0x31 ||
         opcode == 0x32 || opcode == 0x3f;
}

}  // namespace

bool is_iser(ByteView message) noexcept {
  if (message.size() < header_size + basic_size) return false;
  const Byte flags = message[0];
  if ((flags & 0xf0U) != control_pdu || (flags & 0x03U) != 0 || !ulp::is_zero(message.subspan(1, 3)))
    return false;
  const auto fits = [&](Byte valid, std::size_t at) {
    return (flags & valid) != 0 || ulp::is_zero(message.subspan(at, stag_and_base_offset));
  };
  return fits(write_stag_valid, write_stag_at) && fits(read_stag_valid, read_stag_at) &&
         is_iscsi(opcode_of(message));
}

namespace ulp {

bool read_iser(ByteView send, Mentions& out) {
  if (!is_iser(send)) return false;
  const Byte flags = send[0];
  const ByteView pdu = send.subspan(header_size);
  const Byte opcode = opcode_of(send);
  const std::size_t additional = std::size_t{pdu[4]} * 4;
  const std::size_t immediate = load_be32(pdu.data() + 4) & 0xffffffU;
  if (opcode > last_request || send.size() > header_size + basic_size + additional + (immediate + 3) / 4 * 4)
    return false;
  // Data that comes with the command, or unasked behind it, is not in the buffer, and how much that is only
  // its PDUs tell.
  const bool is_whole = opcode == scsi_command && immediate == 0 && (pdu[1] & final_flag) != 0;
  const auto tell = [&](Byte valid, std::size_t at) {
    if ((flags & valid) == 0) return;
    StagMention& told = out.emplace_back();
    told.offset = static_cast<std::uint32_t>(at);
    told.stag = load_be32(send.data() + at);
    told.layout = StagLayout::iser;
    told.by_owner = true;
    told.to_offset = told.offset + 4;
    told.to = load_be64(send.data() + at + 4);
    if (is_whole) told.length = load_be32(pdu.data() + expected_length_at);
  };
  const std::size_t before = out.size();
  tell(write_stag_valid, write_stag_at);
  tell(read_stag_valid, read_stag_at);
  // One length for both directions: of a command that has both it is that of the data it writes.
  if (out.size() == before + 2) out.back().length.reset();
  return true;
}

}  // namespace ulp
}  // namespace iwarp
