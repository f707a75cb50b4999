// Wireshark's NVMe/RDMA dissector knows InfiniBand only: it looks for conversations between queue pair
// numbers that InfiniBand's connection manager left for it, with the Private Data in them. Here they are made
// out of what the MPA start-up told. Queue pair numbers are not on the wire of iWARP, so each end of each
// connection gets one of its own; they are the packet's ports only while that dissector runs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/nvme.hpp"

#include <cstring>

#include <iwarp/ulp.hpp>

#include "ulp/guarded_call.hpp"

namespace iwarp::dissector {
namespace {

heur_dtbl_entry_t* nvme = nullptr;
int infiniband = -1;
// Connections whose ends were added for the dissector: all others need no look among epan's conversations.
wmem_map_t* added = nullptr;

constexpr std::size_t queue_id_at = 2;                       // in the Request's
constexpr std::size_t queue_id_for_nvme = 178;               // where InfiniBand's CM Request has it
constexpr guint64 service_id = 0x0000000001060000U | 4420U;  // TCP's port space, the port of NVMe/RDMA
constexpr std::uint32_t first_queue_pair = 0x00800000;

std::uint32_t queue_pair(ConnectionId connection, Side side) noexcept {
  return first_queue_pair + connection * 2 + index(side);
}

ByteView private_data(const Frame& frame, const ConnectionState& connection, Role role) noexcept {
  const auto& startup = connection.mpa.frames[static_cast<std::size_t>(role)];
  if (!startup) return {};
  const ByteView all = frame.bridge->analysis().private_data(connection.id, *startup);
  const std::size_t word = startup->has_word ? 4 : 0;
  return all.size() >= word ? all.subspan(word) : ByteView();
}

// What the dissector looks up for packets to `side`.
void add_end(const Frame& frame, const address& end, ConnectionId connection, Side side, bool is_host,
             ByteView request) {
  const std::uint32_t own = queue_pair(connection, side);
  auto* const data = static_cast<conversation_infiniband_data*>(
      wmem_alloc0(wmem_file_scope(), sizeof(conversation_infiniband_data)));
  data->service_id = service_id;
  data->client_to_server = !is_host;
  data->src_qp = queue_pair(connection, other(side));
  std::memcpy(&data->mad_private_data[queue_id_for_nvme], request.data() + queue_id_at, 2);
  conversation_t* const conversation =
      conversation_new(frame.pinfo->num, &end, &end, CONVERSATION_IBQP, own, own, NO_ADDR2 | NO_PORT2);
  conversation_add_proto_data(conversation, infiniband, data);
}

bool is_known_as_nvme(const Frame& frame, const Event& event) {
  const packet_info* const pinfo = frame.pinfo;
  const std::uint32_t from = queue_pair(event.connection, event.side);
  const std::uint32_t to = queue_pair(event.connection, other(event.side));
  const void* const key = GUINT_TO_POINTER(event.connection);
  if (wmem_map_contains(added, key) && find_conversation(frame.pinfo->num, &pinfo->src, &pinfo->dst,
                                                         CONVERSATION_IBQP, from, to, 0) != nullptr)
    return true;
  if (frame.later_pass) return false;
  const ConnectionState* const connection = frame.bridge->analysis().connection(event.connection);
  if (connection == nullptr) return false;
  const ByteView request = private_data(frame, *connection, Role::initiator);
  if (!is_nvme_startup(request, private_data(frame, *connection, Role::responder))) return false;
  const bool from_host = connection->role_of(event.side) == Role::initiator;
  add_end(frame, pinfo->src, event.connection, event.side, from_host, request);
  add_end(frame, pinfo->dst, event.connection, other(event.side), !from_host, request);
  (void)conversation_new(frame.pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_IBQP, from, to, 0);
  wmem_map_insert(added, key, nullptr);
  return true;
}

bool dissect_nvme(tvbuff_t* capsule, packet_info* pinfo, proto_tree* tree, void* info) {
  call_heur_dissector_direct(nvme, capsule, pinfo, tree, info);
  return true;
}

}  // namespace

void find_nvme() {
  nvme = find_heur_dissector_by_unique_short_name("nvme_rdma");
  infiniband = proto_get_id_by_filter_name("infiniband");
  added = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

bool call_nvme(const Frame& frame, proto_tree* tree, tvbuff_t* capsule, const Event& event) {
  if (nvme == nullptr || infiniband < 0 || !nvme->enabled || !proto_is_protocol_enabled(nvme->protocol))
    return false;
  if (!is_known_as_nvme(frame, event)) return false;
  col_append_str(frame.pinfo->cinfo, COL_INFO, " ");  // it goes on with "| NVMe"
  infinibandinfo info = {};
  const bool invalidates = wire::invalidates(event.fpdu.ddp.opcode());
  info.opCode = static_cast<guint8>(invalidates ? RC_SEND_ONLY_INVAL : RC_SEND_ONLY);
  (void)call_guarded(frame, tree, capsule, dissect_nvme, &info, queue_pair(event.connection, event.side),
                     queue_pair(event.connection, other(event.side)));
  return true;
}

}  // namespace iwarp::dissector
