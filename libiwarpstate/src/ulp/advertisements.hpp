// Readers of the ULPs' messages that tell of memory, one function for each. Stateless; each takes the octets
// of a Send from its first one on, perhaps not all of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/ulp.hpp>

namespace iwarp::ulp {

using Mentions = std::vector<StagMention>;

// True: it is a message of that ULP, and the STags that it tells of are appended.

// RPC-over-RDMA version 1 (RFC 8166 §3.3, §4): the chunk lists of a Call, and those of a Reply, which repeat
// its Call's (not by_owner).
[[nodiscard]] bool read_rpc_rdma(ByteView send, Mentions& out);
// SMB Direct (MS-SMBD §2.2.3, MS-SMB2 §2.2.19, §2.2.21): the buffer descriptors of READ and WRITE requests.
[[nodiscard]] bool read_smb_direct(ByteView send, Mentions& out);
// Of these two: messages of the ULP that carry nothing of its users, RDMA_DONE and RDMA_ERROR, credits alone.
[[nodiscard]] bool is_empty_rpc_rdma(ByteView send) noexcept;
[[nodiscard]] bool is_empty_smb_direct(ByteView send) noexcept;
// iSER (RFC 7145 §9.2): the STags of a command's header, as long as the data that the command expects.
[[nodiscard]] bool read_iser(ByteView send, Mentions& out);
// NVMe over Fabrics (NVMe/RDMA transport): the keyed SGL of a command capsule. Whether the stream is NVMe's
// the caller knows: by itself a capsule looks like other octets.
[[nodiscard]] bool read_nvme(ByteView send, Mentions& out);
// A Connect command, which begins an NVMe queue.
[[nodiscard]] bool is_nvme_connect(ByteView send) noexcept;

// Of a ULP that is not known: the STag, wherever it stands in the octets of a message of `message_length`.
// The first place with numbers beside it that fit the access, else the first one; nothing: it is not there.
[[nodiscard]] std::optional<StagMention> find_mention(ByteView octets, std::uint64_t message_length,
                                                      std::uint32_t stag, const StagAccess& access) noexcept;

}  // namespace iwarp::ulp
