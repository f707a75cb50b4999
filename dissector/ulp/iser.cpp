// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/iser.hpp"

#include <cstdint>

#include <iwarp/ulp.hpp>

#include "ulp/guarded_call.hpp"

namespace iwarp::dissector {
namespace {

// Wireshark's iSER dissector, as Decode As offers it: without its search for an InfiniBand conversation; it
// hands the PDU to the one of iSCSI.
dissector_handle_t iser_handle;

constexpr int iser_header = 28;   // RFC 7145 §9.2
constexpr int iscsi_header = 48;  // basic header segment, RFC 7143 §11.2

// With all of its lengths inside the message.
bool is_whole_iser(tvbuff_t* tvb) {
  constexpr int headers = iser_header + iscsi_header;
  if (tvb_captured_length(tvb) < headers) return false;
  if (!is_iser({tvb_get_ptr(tvb, 0, headers), static_cast<std::size_t>(headers)})) return false;
  const std::uint32_t additional = octet_at(tvb, iser_header + 4) * 4U;
  const std::uint32_t data = tvb_get_ntoh24(tvb, iser_header + 5);
  return headers + additional + data <= tvb_reported_length(tvb);
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
  if (iser_handle == nullptr || !is_whole_iser(message)) return false;
  return call_guarded(frame, tree, message, dissect_iser, nullptr);
}

}  // namespace iwarp::dissector
