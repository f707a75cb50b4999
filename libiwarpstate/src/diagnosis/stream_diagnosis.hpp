// StreamDiagnosis: the stalls of one stream, and what cost it time. StreamDiagnoses: those of all streams
// that are followed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/by_connection.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/fifo.hpp>

#include "diagnosis/credit_account.hpp"
#include "diagnosis/lost_time.hpp"
#include "diagnosis/stall_watch.hpp"

namespace iwarp {

class StreamDiagnosis {
 public:
  struct Context {
    const Event& event;
    const ConnectionState& connection;  // its own
    const Analysis& analysis;
    const LatencyTracker& latencies;
    std::vector<Stall>& stalls;
    std::vector<Event>& findings;
  };

  // Appends the stalls that are over with the event, and findings on what it shows.
  void add(const Context& context);
  // Appends the findings, where the event closes the stream.
  void conclude(const Event& closed, const ConnectionState& connection, std::vector<Event>& findings) const;

 private:
  struct Request {
    std::uint32_t message = 0;
    bool over = false;  // before those in front of it
    Placement placed;
  };
  static constexpr std::size_t max_requests = std::size_t{1} << 16U;
  // What one side sends, and waits for.
  struct Half {
    StallWatch ord;
    StallWatch credits;
    Fifo<Request> requests;           // unanswered, by message number
    std::uint32_t outstanding = 0;    // of these those that are not over
    std::uint32_t least_granted = 0;  // by the peer, while it waited for credits
    Placement hole;                   // the first FPDU that came behind one; frame 0: there is none
    Placement last_fpdu;
    TimeNs recovered_ns = 0;  // when octets were sent again last
    Placement window_closed;  // by this side; frame 0: it is open
    StallCause window_cause = StallCause::window;
    Stall full_windows;            // of the peer: waits soon behind each other; ns 0: none
    Placement late_ack;            // of its octets, behind its last FPDU; frame 0: none
    bool sent_since_peer = false;  // an FPDU, since the peer's latest
    LostTime waited_ord;
    LostTime waited_credits;
    std::uint64_t delayed_for_credits = 0;  // messages
    LostTime waited_window;                 // of the peer
    LostTime waited_queue;                  // of the peer
    LostTime recovery;                      // of what this side sent
    std::uint64_t timeouts = 0;
    LostTime behind;     // earlier responses
    LostTime responder;  // as requester
    LostTime delayed_acks;
    std::uint64_t pauses = 0;     // as long, whatever they were for
    Placement no_receive;         // a Terminate of this side that says so; frame 0: none
    bool beyond_credits = false;  // it sent more than they allow: that was said
  };

  void take_placed(const Context& context);
  void take_fpdu(const Context& context);
  void take_missing();
  void take_acknowledgement(const Context& context);
  void take_credits(const Context& context);
  void take_retransmission(const Context& context);
  void take_window(const Context& context);
  void take_full_window(const Context& context);
  void put_full_windows(const Context& context, Side sender);
  void take_message(const Context& context);
  void take_operation(const Context& context);
  void finish(const Context& context);
  void put(const Context& context, Side side, Stall stall);
  void put(const Context& context, Side side, StallCause cause, const std::optional<StallWatch::Span>& span);
  [[nodiscard]] Half& half(Side side) noexcept { return halves_[index(side)]; }

  std::array<Half, 2> halves_;  // by Side
  CreditAccount credits_;
  bool terminated_ = false;  // one side sent a Terminate: nothing more is answered
  Placement first_;          // FPDU
  TimeNs last_ns_ = 0;
};

class StreamDiagnoses {
 public:
  // Of the event's connection; nullptr: it has no FPDUs and no start-up frame.
  [[nodiscard]] StreamDiagnosis* of(const Event& event);
  void drop(ConnectionId connection) noexcept { streams_.drop(connection); }

  // Of the latest event.
  std::vector<Stall> stalls;
  std::vector<Event> findings;

 private:
  ByConnection<StreamDiagnosis> streams_;
};

}  // namespace iwarp
