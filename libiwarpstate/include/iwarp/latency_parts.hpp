// LatencyParts: where the time of a Read or Atomic went, cut into parts that add up to it exactly.
//
//   LatencyTracker tracker;
//   for (const Event& event : analyzer.add(segment)) {
//     tracker.add(event);
//     if (const LatencyParts* const parts = tracker.parts()) use(event.operation, *parts);
//   }
//
// What is cut is the time from the request to the delivery of its response, as the capture point saw both
// (OperationConclusion::delivery). From one end of it to the other, each moment belongs to the first of these
// that holds: the octets that were due had to be sent again; TCP held back what had come, for octets before
// it; the requester's window was closed or full; the responses to earlier requests were not over (RFC 5040
// §5.5, item 20: they keep the order of their requests); the network between capture point and responder, by
// the handshake; the responder; and from the first segment of the response on, other FPDUs or its own.
//
// Memory: some 40 octets a connection, and what is outstanding: 80 octets a request, 24 each time that the
// response and other messages take turns. Threads: none of its own; one thread adds. Throws what allocation
// throws.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <iwarp/by_connection.hpp>
#include <iwarp/event.hpp>

namespace iwarp {
class LatencyStream;  // not exported
}

#pragma GCC visibility push(default)
namespace iwarp {

enum class LatencyPart : std::uint8_t {
  request_loss,     // until the request was sent again
  response_loss,    // octets of the response had to be sent again, or came late, behind others
  behind_hole,      // request or response were there, and TCP held them back for octets before them
  window,           // the requester's TCP receive window was closed, or full
  behind_requests,  // responses to earlier requests were not over
  network,          // between capture point and responder and back, at most
  responder,        // until the first segment of the response, at most
  interleaved,      // other FPDUs between segments of the response
  transfer,         // segments of the response
  unexplained       // too much took turns to keep it
};
inline constexpr std::size_t latency_part_count = 10;

// How sure a part is.
enum class Basis : std::uint8_t {
  proven,   // by captured octets
  bounded,  // it is that, or a part of it is one of its neighbours
  inferred
};
[[nodiscard]] Basis basis_of(LatencyPart part) noexcept;

struct LatencyParts {
  struct Part {
    TimeNs ns = 0;
    std::array<FrameNumber, 2> frames{};  // that show it, the first and the last; 0: none
    TimeNs begin = 0;                     // its first moment and its last, with others' between them maybe
    TimeNs end = 0;
  };
  std::array<Part, latency_part_count> parts{};
  // Else the handshake does not tell how far the peer that answers is from the capture point, and `responder`
  // includes the way: it was not captured, or to who opened the connection its ACK carried octets or the
  // SYN-ACK was repeated.
  bool network_known = false;

  [[nodiscard]] const Part& operator[](LatencyPart part) const noexcept {
    return parts[static_cast<std::size_t>(part)];
  }
  [[nodiscard]] TimeNs total() const noexcept;
  // The greatest; of equal ones the first.
  [[nodiscard]] LatencyPart greatest() const noexcept;
};

class LatencyTracker {
 public:
  LatencyTracker();
  ~LatencyTracker();
  LatencyTracker(LatencyTracker&&) noexcept;
  LatencyTracker& operator=(LatencyTracker&&) noexcept;

  // Takes every event, in the order of the log.
  void add(const Event& event);
  // Of the event added last: nullptr but for an operation that has a latency. Until the next add().
  [[nodiscard]] const LatencyParts* parts() const noexcept { return has_parts_ ? &parts_ : nullptr; }
  // From the capture point to that end of a connection and back: by the handshake, or the quickest answer
  // since. Nothing: it is not known, or the connection has no FPDUs, or is closed.
  [[nodiscard]] std::optional<TimeNs> round_trip(ConnectionId connection, Side end) const noexcept;

 private:
  friend class LatencyStream;
  // Kept of each connection from its SYN on, whether it is iWARP or not.
  struct Handshake {
    static constexpr TimeNs unknown = -1;

    Side opener = Side::a;
    TimeNs opened_ns = 0;
    TimeNs answered_ns = unknown;
    // Between the capture point and each end: from SYN to SYN-ACK, from SYN-ACK to the opener's bare ACK.
    std::array<TimeNs, 2> round_trips = {unknown, unknown};  // by Side
  };

  void add_syn(const Event& event);
  void add_end_of_handshake(const Event& event);
  [[nodiscard]] LatencyStream* stream_of(const Event& event);

  ByConnection<Handshake> handshakes_;  // of connections without FPDUs
  ByConnection<LatencyStream> streams_;
  LatencyParts parts_;
  bool has_parts_ = false;
};

}  // namespace iwarp
#pragma GCC visibility pop
