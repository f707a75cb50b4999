// Credits: how many messages a ULP's headers let the peer send. Stateless; each reader takes the octets of a
// Send from its first one on, perhaps not all of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>

namespace iwarp::ulp {

// RPC-over-RDMA version 1 (RFC 8166 §3.3, §4.2). A Call asks for credits, a Reply grants as many Calls at
// once.
struct RpcRdmaCall {
  std::uint32_t transaction = 0;
  std::uint32_t credits = 0;
  bool is_call = false;  // else a Reply, or the error that stands for one
};
[[nodiscard]] std::optional<RpcRdmaCall> read_rpc_rdma_call(ByteView send);

// SMB Direct (MS-SMBD §2.2): each message of a session takes a credit that the peer granted before.
enum class SmbDirectMessage : std::uint8_t {
  negotiate_request,
  negotiate_response,
  data
};
struct SmbDirectCredits {
  SmbDirectMessage message = SmbDirectMessage::data;
  std::uint16_t granted = 0;  // more than before
};
// REQUIRES: the stream is SMB Direct's, or `send` its first message, which is a negotiation. Data messages by
// themselves look like other octets.
[[nodiscard]] std::optional<SmbDirectCredits> read_smb_direct_credits(ByteView send) noexcept;

}  // namespace iwarp::ulp
