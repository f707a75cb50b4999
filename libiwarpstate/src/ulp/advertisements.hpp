// Advertisements: where a ULP's message tells the peer of STags that it may use. Stateless; each reader takes
// the octets of a Send from its first one on, perhaps not all of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>

namespace iwarp::ulp {

struct Advertisement {
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
  std::optional<std::uint64_t> length;
};
using Advertisements = std::vector<Advertisement>;

// True: it is a message of that ULP, and what it advertises is appended.

// RPC-over-RDMA version 1 (RFC 8166 §3.3, §4): the chunk lists of a Call. A Reply repeats those of its Call,
// whose memory is the receiver's.
[[nodiscard]] bool read_rpc_rdma(ByteView send, Advertisements& out);
// SMB Direct (MS-SMBD §2.2.3, MS-SMB2 §2.2.19, §2.2.21): the buffer descriptors of READ and WRITE requests.
[[nodiscard]] bool read_smb_direct(ByteView send, Advertisements& out);
// Of these two: messages of the ULP that carry nothing of its users, RDMA_DONE and RDMA_ERROR, credits alone.
[[nodiscard]] bool is_empty_rpc_rdma(ByteView send) noexcept;
[[nodiscard]] bool is_empty_smb_direct(ByteView send) noexcept;
// iSER (RFC 7145 §9.2): the STags of a command's header, as long as the data that the command expects.
[[nodiscard]] bool read_iser(ByteView send, Advertisements& out);
// NVMe over Fabrics (NVMe/RDMA transport): the keyed SGL of a command capsule. Whether the stream is NVMe's
// the caller knows: by itself a capsule looks like other octets.
[[nodiscard]] bool read_nvme(ByteView send, Advertisements& out);
// A Connect command, which begins an NVMe queue.
[[nodiscard]] bool is_nvme_connect(ByteView send) noexcept;
// The Private Data of an MPA Request and Reply that begin an NVMe queue.
[[nodiscard]] bool is_nvme_startup(ByteView request, ByteView reply) noexcept;

// What a use of an STag is compared with.
struct Access {
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
  std::uint64_t length = 0;
};
// Of a ULP that is not known: the octets of the STag, in either order of octets. `beside_to`: the TO that was
// used, or one not far before it, stands beside them; else they may be there by chance.
struct Mention {
  Advertisement advertisement;
  bool beside_to = false;
};
[[nodiscard]] std::optional<Mention> find_mention(ByteView octets, const Access& access) noexcept;

}  // namespace iwarp::ulp
