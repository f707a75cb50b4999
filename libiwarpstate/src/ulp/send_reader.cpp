// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "ulp/advertisements.hpp"

namespace iwarp {

const char* ulp_name(Ulp ulp) noexcept {
  constexpr const char* names[ulp_count] = {nullptr, "rpc_rdma", "smb_direct", "iser", "nvme", "rsockets"};
  return names[static_cast<std::size_t>(ulp)];
}

SendReader::Told SendReader::read(ByteView send, Role from, std::vector<StagMention>& out) {
  const bool from_initiator = from == Role::initiator;
  const auto may_be = [&](Ulp which) { return ulp_ == Ulp::unknown || ulp_ == which; };
  const auto is = [&](Ulp which, bool read) {
    if (read) ulp_ = which;
    return read;
  };
  if (may_be(Ulp::rpc_rdma) && is(Ulp::rpc_rdma, ulp::read_rpc_rdma(send, out))) return Told::all;
  if (may_be(Ulp::smb_direct) && is(Ulp::smb_direct, ulp::read_smb_direct(send, out))) return Told::all;
  if (from_initiator && may_be(Ulp::iser)) {
    // A header of zeros may be anything's: what advertises nothing makes no stream iSER's.
    const std::size_t before = out.size();
    const bool read = ulp::read_iser(send, out);
    if (is(Ulp::iser, read && (ulp_ == Ulp::iser || out.size() != before))) return Told::all;
  }
  if (from_initiator && (ulp_ == Ulp::nvme || (ulp_ == Ulp::unknown && ulp::is_nvme_connect(send))) &&
      is(Ulp::nvme, ulp::read_nvme(send, out)))
    return Told::all;
  switch (ulp_) {
    case Ulp::unknown: return Told::no_ulp;
    case Ulp::rpc_rdma: return ulp::is_empty_rpc_rdma(send) ? Told::all : Told::unread;
    case Ulp::smb_direct: return ulp::is_empty_smb_direct(send) ? Told::all : Told::unread;
    case Ulp::iser:
    case Ulp::nvme: return from_initiator ? Told::unread : Told::all;  // only the initiator advertises
    case Ulp::rsockets: return Told::all;                              // only Writes advertise
  }
  return Told::no_ulp;
}

}  // namespace iwarp
