// CreditAccount: how many messages each side of a stream may send by its ULP's credits.
//
// RPC-over-RDMA (RFC 8166 §3.3.1): a client may have as many Calls open as the latest Reply granted, or as
// its own latest Call asked for, if those are fewer. SMB Direct (MS-SMBD §2.2.3, §3.1.5.1): each message
// takes one of the credits that the peer's messages granted, each so many more; the last one is only for a
// message that grants some.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

namespace iwarp {

class CreditAccount {
 public:
  // What a Send does to the credits of both sides.
  struct Change {
    bool took = false;          // its sender used one …
    bool used_up = false;       // … the last that it may use for now
    bool freed = false;         // its receiver may send again
    std::uint32_t granted = 0;  // of who used one: how many it has in all (RPC), or has left
    bool beyond = false;        // it had none: so many that it sent (SMB Direct) or that are open (RPC) …
    std::uint64_t sent = 0;
    std::uint64_t allowed = 0;  // … with so many granted, at most so far where grants go down
  };

  Change add(Side sender, ByteView send);
  // Octets are missing: they may have been Calls, Replies, grants.
  void note_missing() noexcept;

 private:
  enum class Kind : std::uint8_t {
    unknown,
    rpc_rdma,
    smb_direct,
    none
  };
  static constexpr std::size_t max_calls = 4096;
  static constexpr unsigned tries = 8;  // messages that may be something else before none is expected

  struct End {
    std::vector<std::uint32_t> calls;  // RPC: transactions that are open
    std::uint32_t granted = 0;         // RPC: by the latest Reply …
    std::uint32_t most = 0;            // … and the most by any: a Call may have crossed a smaller grant
    bool known = false;                // there was one
    std::int64_t left = 0;             // SMB Direct, of …
    std::uint64_t granted_in_all = 0;
  };

  Change add_rpc_rdma(Side sender, ByteView send, bool& is_one);
  Change add_smb_direct(Side sender, ByteView send, bool& is_one);

  Kind kind_ = Kind::unknown;
  unsigned others_ = 0;
  std::array<End, 2> ends_;  // by Side
};

}  // namespace iwarp
