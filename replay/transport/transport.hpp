// What an RNIC sees of the network: ordered octets of one TCP connection, three operations. What carries them
// (virtual time in memory, sockets) is behind it, so everything above runs the same over each.
//
// Nothing blocks. Not thread-safe: one thread drives all transports of a Network.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/segment.hpp>

namespace iwarp::replay {

enum class Close : std::uint8_t {
  graceful,  // FIN behind all octets handed over; receive() goes on until the peer's FIN
  reset      // RST at once; octets not sent yet are dropped; receive() tells nothing any more
};

enum class Arrival : std::uint8_t {
  nothing,      // for now
  established,  // once, before the first octets
  octets,
  closed,  // the peer's FIN: no more octets come; once
  reset,   // the peer's RST, or it cannot be reached; once, and the last
  lost     // the network gave up (timeout); once, and the last
};

struct Received {
  Arrival arrival = Arrival::nothing;
  // Until the next call of any operation of this transport, or of its network's wait().
  ByteView octets = {};
  // With `established`: octets of ours that a TCP segment carries at most, the EMSS of RFC 5044 §3.
  std::size_t max_segment = 0;
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  // Of one that was not closed: resets it. Of one that was closed gracefully: what was handed over still
  // goes, unless octets of the peer are left unread.
  virtual ~Transport() = default;

  // Takes octets to be sent; returns how many: all of them; none, while older ones fill the buffer or before
  // the connection is established; or a part of what is longer than the buffer. The octets of one call begin
  // a TCP segment where that can be had, and are cut only at the MSS: so an FPDU a call is an aligned FPDU
  // (RFC 5044 §5).
  virtual std::size_t send(ByteView octets) = 0;
  [[nodiscard]] virtual Received receive() = 0;
  // A second call does nothing, except that a reset may follow a graceful close.
  virtual void close(Close how) = 0;
  // The one that Network::ready() names: this, or what it stands for.
  [[nodiscard]] virtual const Transport& original() const noexcept { return *this; }

  // No operations, only what the connection is called. The local address of a connection that is being opened
  // may be unknown (all zero) until it is established.
  [[nodiscard]] const Endpoint& local() const noexcept { return local_; }
  [[nodiscard]] const Endpoint& peer() const noexcept { return peer_; }

 protected:
  Endpoint local_ = {};
  Endpoint peer_ = {};
};

}  // namespace iwarp::replay
