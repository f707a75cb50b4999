// StagStream: what one connection shows of STags. StagStreams: those of all connections that are followed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <iwarp/by_connection.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/stags.hpp>
#include <iwarp/ulp.hpp>

#include "ulp/advertisements.hpp"

namespace iwarp {

class StagStream {
 public:
  // Appends the uses that the event shows. `connection`: its own, after the event.
  void add(const Event& event, const Analysis& analysis, const ConnectionState& connection,
           std::vector<StagUse>& out);

 private:
  // The beginning of a message whose ULP is not known: a cache line.
  struct Heard {
    static constexpr std::size_t max_octets = 53;
    FrameNumber frame = 0;
    std::uint16_t length = 0;  // of the whole message, or more
    std::uint8_t size = 0;
    std::array<Byte, max_octets> octets;
  };
  struct Request {
    std::uint32_t message = 0;
    std::uint32_t stag = 0;
    wire::Opcode opcode = wire::Opcode::read_request;
  };
  // The latest Atomic Response.
  struct Returned {
    std::uint32_t message = 0;  // its number
    std::uint64_t word = 0;
  };
  // A Send with Invalidate that the peer has perhaps not received.
  struct Invalidation {
    StagUse use;
    StreamOffset end = 0;
  };
  // A Write into an STag of which no Write is known to have succeeded.
  struct Write {
    std::uint32_t stag = 0;
    std::uint32_t message = 0;
    StreamOffset covered = 0;  // the end of a later Send; 0: none yet
  };
  static constexpr std::size_t max_heard = 8;
  static constexpr std::size_t max_writes = 16;
  static constexpr std::size_t max_invalidations = 64;
  static constexpr std::size_t max_requests = std::size_t{1} << 16U;
  static constexpr std::size_t looked_places = 16;

  // Of what one side sends.
  struct Half {
    SendReader sends;
    StreamOffset fpdu_end = 0;
    bool send_begun = false;      // the beginning of a Send came, that is not over
    StreamOffset missing_to = 0;  // what the peer acknowledged of what was not captured, as far as it is told
    std::vector<Heard> heard;     // a ring
    std::uint64_t heard_count = 0;
    Fifo<Request> requests;
    Fifo<wire::AtomicRequest> atomics;  // of those requests that are Atomics
    std::optional<Returned> returned;
    Fifo<Invalidation> invalidations;
    std::vector<Write> writes;
    // Its STags that were looked for lately in what it said, each at a place of its own; 0: none. And how
    // often they were: hostile streams name one after the other.
    std::vector<std::uint32_t> looked;
    std::uint64_t searches = 0;
    std::optional<RsocketsEnd> rsockets;
  };

  struct Context;  // of one event

  // Octets of that side were not captured, or cannot be read: they may have told anything.
  static void note_missing(const Context& context, Side side);
  void note_uncaptured(const Context& context);
  void take_fpdu(const Context& context);
  void read_startup(const Context& context);
  void take_send(const Context& context, ByteView octets);
  void take_write(const Context& context, ByteView octets);
  void put_advertised(const Context& context, Side owner, const Placement& where, const StagMention& told);
  static void hear(Half& half, FrameNumber frame, ByteView octets, std::size_t length);
  void take_message(const Context& context);
  void take_operation(const Context& context);
  void note_delivered(const Context& context);
  void note_terminate(const Context& context);
  static void expect(Half& half, const Request& request);
  // The oldest request is over. Its Atomic, if it is one.
  static std::optional<wire::AtomicRequest> pop_request(Half& half);
  // Before the first use of an STag that no ULP's reader found: looks for it in what its owner said.
  void look_for(const Context& context, Side owner, std::uint32_t stag, const StagAccess& access);

  std::array<Half, 2> halves_;  // by Side
  bool begun_ = false;
  bool startup_read_ = false;
  std::vector<StagMention> mentions_;
};

class StagStreams {
 public:
  // Of the event's connection; nullptr: it is not iWARP, as far as events told.
  [[nodiscard]] StagStream* of(const Event& event);
  void drop(ConnectionId connection) noexcept { streams_.drop(connection); }

  std::vector<StagUse> uses;  // that the latest event shows

 private:
  ByConnection<StagStream> streams_;
};

}  // namespace iwarp
