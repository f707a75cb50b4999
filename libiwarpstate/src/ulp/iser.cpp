// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/advertisements.hpp"
#include "ulp/octet_reader.hpp"

namespace iwarp::ulp {
namespace {

constexpr std::size_t header_size = 28;         // of iSER
constexpr std::size_t basic_size = 48;          // of the iSCSI PDU behind it (RFC 7143 §11.2.1)
constexpr std::size_t expected_length_at = 20;  // §11.3.5: Expected Data Transfer Length
constexpr Byte control_pdu = 0x10;
constexpr Byte write_stag_valid = 0x08;
constexpr Byte read_stag_valid = 0x04;
constexpr Byte scsi_command = 0x01;
constexpr Byte last_request = 0x06;  // of an initiator: Logout (RFC 7143 §11.2.1.2)
constexpr Byte final_flag = 0x80;

}  // namespace

bool read_iser(ByteView send, Advertisements& out) {
  if (send.size() < header_size + basic_size) return false;
  const Byte flags = send[0];
  if ((flags & 0xf0U) != control_pdu || (flags & 0x03U) != 0 || !is_zero(send.subspan(1, 3))) return false;
  const ByteView pdu = send.subspan(header_size);
  const Byte opcode = pdu[0] & 0x3fU;
  const std::size_t additional = std::size_t{pdu[4]} * 4;
  const std::size_t immediate = load_be32(pdu.data() + 4) & 0xffffffU;
  if (opcode > last_request || send.size() > header_size + basic_size + additional + (immediate + 3) / 4 * 4)
    return false;
  // Data that comes with the command, or unasked behind it, is not in the buffer, and how much that is only
  // its PDUs tell.
  const bool is_whole = opcode == scsi_command && immediate == 0 && (pdu[1] & final_flag) != 0;
  const auto one = [&](Byte valid, std::size_t at) {
    constexpr std::size_t stag_and_base_offset = 12;
    if ((flags & valid) == 0) return is_zero(send.subspan(at, stag_and_base_offset));
    Advertisement told{load_be32(send.data() + at), load_be64(send.data() + at + 4), {}};
    if (is_whole) told.length = load_be32(pdu.data() + expected_length_at);
    out.push_back(told);
    return true;
  };
  const std::size_t before = out.size();
  const bool is_iser = one(write_stag_valid, 4) && one(read_stag_valid, 16);
  // One length for both directions: of a command that has both it is that of the data it writes.
  if (out.size() == before + 2) out.back().length.reset();
  if (!is_iser) out.resize(before);
  return is_iser;
}

}  // namespace iwarp::ulp
