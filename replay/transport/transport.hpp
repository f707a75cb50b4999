// What an RNIC sees of the network: ordered octets of one TCP connection, three operations. What carries them
// (virtual time in memory, sockets) is behind it, so everything above runs the same over each.
//
// Nothing blocks. Not thread-safe: one thread drives all transports of a Network.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>

namespace iwarp::replay {

enum class Close : std::uint8_t {
  graceful,  // FIN behind all octets handed over; receive() goes on until the peer's FIN
  reset      // RST at once; octets not sent yet are dropped
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
  ByteView octets;  // until the next call of any operation of this transport
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  // Of one that was not closed: resets it.
  virtual ~Transport() = default;

  // Takes octets to be sent; returns how many, which may be none. The octets of one call begin a TCP segment
  // where that can be had, and are cut only at the MSS: so an FPDU a call is an aligned FPDU (RFC 5044 §5).
  virtual std::size_t send(ByteView octets) = 0;
  [[nodiscard]] virtual Received receive() = 0;
  virtual void close(Close how) = 0;
};

}  // namespace iwarp::replay
