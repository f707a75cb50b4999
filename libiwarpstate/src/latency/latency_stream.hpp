// LatencyStream: what one connection's log tells of the times of its Reads and Atomics, while they
// are outstanding.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <iwarp/fifo.hpp>
#include <iwarp/latency_parts.hpp>

#include "latency/latency_cut.hpp"

namespace iwarp {

class LatencyStream {
 public:
  // `handshake`: of the connection.
  explicit LatencyStream(const LatencyTracker::Handshake& handshake);
  // True: cut into `parts`.
  bool add(const Event& event, LatencyParts& parts);
  // LatencyTracker::round_trip
  [[nodiscard]] std::optional<TimeNs> round_trip(Side end) const noexcept {
    return requesters_[index(other(end))].round_trip;
  }

 private:
  struct Moment {
    TimeNs ns = 0;
    FrameNumber frame = 0;
  };
  struct Request {
    std::uint32_t message = 0;
    StreamOffset end = 0;  // behind its last octet
    TimeNs placed_ns = 0;
    Moment delivered;
    Moment again;            // frame 0: it was not sent again
    bool concluded = false;  // before those in front of it
  };
  // An FPDU that waits for octets before it.
  struct Waiting {
    std::uint32_t number = 0;
    Moment placed;
  };
  // Something waited from `begin` on for octets of `message`, which came at `end`.
  struct Loss {
    std::uint32_t message = 0;
    Moment begin, end;
  };
  // FPDUs of one kind, the response or others, up to a time.
  struct Turn {
    std::uint32_t message = 0;
    Moment last;
  };
  // The requests of one side, and what comes back to it.
  struct Requester {
    Fifo<Request> requests;        // by message number
    Moment answered;               // the last octet of the response before
    std::vector<Turn> turns;       // since then, in the order in which they came
    bool turns_lost = false;       // there were more
    std::vector<Waiting> waiting;  // in the order in which they came
    std::vector<Loss> losses;
    std::vector<LatencyCut::Span> windows;  // while its receive window was closed or full
    Moment closed;                          // since when it is closed; frame 0: it is open
    std::optional<TimeNs> round_trip;       // between capture point and responder
  };

  void add_request(const Event& event);
  void add_fpdu(const Event& event);
  void add_retransmission(const Event& event);
  void add_window(const Event& event);
  void add_full_window(const Event& event);
  bool conclude(const Event& event, LatencyParts& parts);
  static void cut(Requester& requester, const Request& request, const Event& event, LatencyParts& parts);
  static void forget_waiting(Requester& requester, std::uint32_t number);
  static void reserve(const Requester& requester, const OperationConclusion& operation, LatencyCut& cut);
  static void forget(Requester& requester);

  [[nodiscard]] Requester& asks(Side side) noexcept { return requesters_[index(side)]; }
  // Whom the FPDUs of a side may answer.
  [[nodiscard]] Requester& asked(Side side) noexcept { return requesters_[index(other(side))]; }

  std::array<Requester, 2> requesters_;  // by Side
  std::array<StreamOffset, 2> fpdu_end_{};
};

}  // namespace iwarp
