// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/carriers.hpp"

#include "compat/epan.hpp"

namespace iwarp::dissector {
namespace {

protocol_t* ethernet = nullptr;
protocol_t* ip = nullptr;
protocol_t* ipv6 = nullptr;
protocol_t* tcp = nullptr;

protocol_t* find(const char* name) {
  const int id = proto_get_id_by_filter_name(name);
  return id == -1 ? nullptr : find_protocol_by_id(id);
}

bool is_enabled(const protocol_t* protocol) noexcept {
  return protocol == nullptr || proto_is_protocol_enabled(protocol);
}

}  // namespace

void find_carriers() {
  ethernet = find("eth");
  ip = find("ip");
  ipv6 = find("ipv6");
  tcp = find("tcp");
}

bool are_carriers_enabled(const Frame& frame) noexcept {
  // SCTP keeps no packet to itself: where all are enabled it was called.
  if (frame.sctp != nullptr) return proto_is_frame_protocol(frame.pinfo->layers, "sctp") != 0;
  if (!is_enabled(tcp)) return false;
  const wtap_rec* const record = frame.pinfo->rec;
  if (record != nullptr && record->rec_header.packet_header.pkt_encap == WTAP_ENCAP_ETHERNET &&
      !is_enabled(ethernet))
    return false;
  if (frame.facts == nullptr) return true;
  const ConnectionState* const connection = frame.bridge->analysis().connection(frame.facts->connection);
  if (connection == nullptr) return true;
  return is_enabled(connection->endpoints[0].address.version == 6 ? ipv6 : ip);
}

}  // namespace iwarp::dissector
