// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/iser.hpp"

#include <cstdint>

#include "ulp/guarded_call.hpp"

namespace iwarp::dissector {
namespace {

// Wireshark's iSER dissector, as Decode As offers it: without its search for an InfiniBand conversation; it
// hands the PDU to the one of iSCSI.
dissector_handle_t iser_handle;

constexpr int iser_header = 28;   // RFC 7145 §9.2
constexpr int iscsi_header = 48;  // basic header segment, RFC 7143 §11.2

bool is_iscsi_opcode(unsigned opcode) noexcept {
  return opcode <= 0x06 || opcode == 0x10 || (opcode >= 0x20 && opcode <= 0x26) || opcode == 0x31 ||
         opcode == 0x32 || opcode == 0x3f;
}

// An iSCSI control-type PDU of RFC 7145 §9.2: STags only where announced, an opcode of RFC 7143 §11.2.1.2,
// and all of its lengths inside the message.
bool is_iser(tvbuff_t* tvb) {
  if (tvb_captured_length(tvb) < iser_header + iscsi_header) return false;
  const unsigned flags = octet_at(tvb, 0);
  constexpr unsigned write_valid = 0x08;
  constexpr unsigned read_valid = 0x04;
  if ((flags & ~(write_valid | read_valid)) != 0x10U || tvb_get_ntoh24(tvb, 1) != 0) return false;
  if ((flags & write_valid) == 0 && tvb_get_ntohl(tvb, 4) != 0) return false;
  if ((flags & read_valid) == 0 && tvb_get_ntohl(tvb, 16) != 0) return false;
  if (!is_iscsi_opcode(octet_at(tvb, iser_header) & 0x3fU)) return false;
  const std::uint32_t additional = octet_at(tvb, iser_header + 4) * 4U;
  const std::uint32_t data = tvb_get_ntoh24(tvb, iser_header + 5);
  return iser_header + iscsi_header + additional + data <= tvb_reported_length(tvb);
}

bool dissect_iser(tvbuff_t* message, packet_info* pinfo, proto_tree* tree, void*) {
  return call_dissector_only(iser_handle, message, pinfo, tree, nullptr) != 0;
}

}  // namespace

void find_iser() {
  dissector_table_t const table = find_dissector_table("infiniband");
  if (table != nullptr) iser_handle = dissector_table_get_dissector_handle(table, "iSER");
}

bool call_iser(const Frame& frame, proto_tree* tree, tvbuff_t* message) {
  if (iser_handle == nullptr || !is_iser(message)) return false;
  return call_guarded(frame, tree, message, dissect_iser, nullptr);
}

}  // namespace iwarp::dissector
