// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnosis/credit_account.hpp"

#include <algorithm>

#include "ulp/credits.hpp"

namespace iwarp {

CreditAccount::Change CreditAccount::add(Side sender, ByteView send) {
  if (kind_ == Kind::none) return {};
  bool is_one = false;
  if (kind_ != Kind::smb_direct) {
    const Change change = add_rpc_rdma(sender, send, is_one);
    if (is_one) {
      kind_ = Kind::rpc_rdma;
      return change;
    }
  }
  if (kind_ != Kind::rpc_rdma) {
    const Change change = add_smb_direct(sender, send, is_one);
    if (is_one) {
      kind_ = Kind::smb_direct;
      return change;
    }
  }
  if (kind_ == Kind::unknown && ++others_ >= tries) kind_ = Kind::none;
  return {};
}

void CreditAccount::note_missing() noexcept {
  ends_ = {};
  // What grants of SMB Direct add up to is never known again.
  if (kind_ != Kind::rpc_rdma) kind_ = Kind::none;
}

CreditAccount::Change CreditAccount::add_rpc_rdma(Side sender, ByteView send, bool& is_one) {
  const auto header = ulp::read_rpc_rdma_call(send);
  is_one = header.has_value();
  Change change;
  if (!header) return change;
  if (header->is_call) {
    End& client = ends_[index(sender)];
    if (client.calls.size() < max_calls) client.calls.insert(header->transaction);
    // A grant of 0, which RFC 8166 §3.3.1 forbids, is taken for 1: else nothing would ever go on.
    change.took = true;
    change.used_up = client.known && client.calls.size() >= std::max<std::size_t>(client.granted, 1);
    change.granted = client.granted;
  } else {
    End& client = ends_[index(other(sender))];
    if (client.calls.erase(header->transaction) == 0) return change;
    client.granted = header->credits;
    client.known = true;
    change.freed = client.calls.size() < std::max<std::size_t>(client.granted, 1);
  }
  return change;
}

CreditAccount::Change CreditAccount::add_smb_direct(Side sender, ByteView send, bool& is_one) {
  Change change;
  const auto credits = ulp::read_smb_direct_credits(send);
  if (!credits) return change;
  is_one = credits->message != ulp::SmbDirectMessage::data || kind_ == Kind::smb_direct;
  if (!is_one) return change;
  End& own = ends_[index(sender)];
  End& peer = ends_[index(other(sender))];
  const bool peer_had_none = peer.known && peer.left <= 1;
  peer.left += credits->granted;
  peer.known = peer.known || credits->granted > 0;
  change.freed = peer_had_none && peer.left > 1;
  if (credits->message != ulp::SmbDirectMessage::data || !own.known) return change;
  own.left = std::max<std::int64_t>(own.left - 1, 0);
  change.took = true;
  change.used_up = own.left <= 1;
  change.granted = static_cast<std::uint32_t>(own.left);
  return change;
}

}  // namespace iwarp
