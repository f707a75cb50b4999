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
  End& client = ends_[index(header->is_call ? sender : other(sender))];
  // A grant of 0, which RFC 8166 §3.3.1 forbids, is taken for 1: else nothing would ever go on.
  const auto most = [&client] { return std::max<std::uint32_t>(client.granted, 1); };
  const auto open = std::find(client.calls.begin(), client.calls.end(), header->transaction);
  if (header->is_call) {
    if (open == client.calls.end() && client.calls.size() < max_calls)
      client.calls.push_back(header->transaction);
    change.took = true;
    // Where the client asks for fewer than it is granted, it holds back by itself.
    change.used_up = client.known && client.granted <= header->credits && client.calls.size() >= most();
    change.granted = client.granted;
    change.sent = client.calls.size();
    change.allowed = std::max<std::uint32_t>(client.most, 1);
    change.beyond = client.known && change.sent > change.allowed;
  } else {
    if (open == client.calls.end()) return change;
    *open = client.calls.back();
    client.calls.pop_back();
    client.granted = header->credits;
    client.most = std::max(client.most, client.granted);
    client.known = true;
    change.freed = client.calls.size() < most();
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
  constexpr std::int64_t reserved = 1;
  const bool peer_had_none = peer.known && peer.left <= reserved;
  peer.left += credits->granted;
  peer.granted_in_all += credits->granted;
  peer.known = peer.known || credits->granted > 0;
  change.freed = peer_had_none && peer.left > reserved;
  if (credits->message != ulp::SmbDirectMessage::data || !own.known) return change;
  change.beyond = own.left <= 0;
  change.sent = own.granted_in_all + 1;
  change.allowed = own.granted_in_all;
  own.left = std::max<std::int64_t>(own.left - 1, 0);
  change.took = true;
  change.used_up = own.left <= reserved;
  change.granted = static_cast<std::uint32_t>(own.left);
  return change;
}

}  // namespace iwarp
