// Diagnosis: what a stream waited for before it sent, and what cost it most.
//
//   Diagnosis diagnosis;
//   for (const Event& event : analyzer.add(segment)) {
//     latencies.add(event);
//     diagnosis.add(event, connection, analyzer.analysis(), latencies);
//     for (const Stall& stall : diagnosis.stalls()) …
//     for (const Event& finding : diagnosis.findings()) …
//   }
//
// LatencyParts cut the time between a request and its response. What comes before the wire is in no latency:
// a stall is a time in which one side could not send, or sent nothing new. That a limit was reached is
// proven; that more would have been sent is inferred, from what followed at once when the limit was gone.
//
// When a stream closes, each cause that cost it much becomes a finding PERF-*: information, since slowness
// breaks no rule. Its first argument is the time lost, in nanoseconds: of times that overlap each moment
// counts once. The findings of a stream come in the order of the time lost.
//
// Memory: some 600 octets a stream, 4 for each RPC that is not answered, 4096 of these at most, and 24 for
// each request, 65 536 of these. Threads: none of its own; one thread adds. Throws what allocation throws.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/latency_parts.hpp>

namespace iwarp {
class StreamDiagnoses;  // not exported
}

#pragma GCC visibility push(default)
namespace iwarp {

enum class StallCause : std::uint8_t {
  ord,            // as many requests were outstanding as the sender's ORD allows
  credits,        // the ULP's peer had granted no more messages
  window,         // the peer had closed its TCP receive window
  recovery,       // octets that were due were lost, or late
  receive_queue,  // the peer had closed its TCP receive window behind Sends: its buffers may be used up
  startup         // the Reply was due
};
inline constexpr std::size_t stall_cause_count = 6;
// "ord", "credits" …
[[nodiscard]] const char* stall_cause_name(StallCause cause) noexcept;

struct Stall {
  ConnectionId stream = 0;
  Side side = Side::a;  // that could not send
  Role from = Role::initiator;
  StallCause cause = StallCause::ord;
  Basis basis = Basis::proven;
  Placement begin;               // what shows that it could not …
  Placement end;                 // … and that it could again
  TimeNs ns = 0;                 // within that, without what was sent in between
  std::uint32_t operations = 0;  // sent at once behind it, or behind one of its pieces

  [[nodiscard]] TimeNs length() const noexcept { return end.time_ns - begin.time_ns; }
};

class Diagnosis {
 public:
  Diagnosis();
  ~Diagnosis();
  Diagnosis(Diagnosis&&) noexcept;
  Diagnosis& operator=(Diagnosis&&) noexcept;

  // Takes every event, in the order of the log. `connection` is that of the event, nullptr when no longer
  // followed; `latencies` took the event before. Credits are read where the analysis keeps payload
  // (KeepPayload).
  void add(const Event& event, const ConnectionState* connection, const Analysis& analysis,
           const LatencyTracker& latencies);
  // That are over with the event, until the next add().
  [[nodiscard]] std::span<const Stall> stalls() const noexcept;
  // … and the findings on the event's connection: what cost it time, where the event closed it; that it sent
  // more than its credits allow, once for each side.
  [[nodiscard]] std::span<const Event> findings() const noexcept;

 private:
  std::unique_ptr<StreamDiagnoses> streams_;
};

// Of a PERF-* check.
[[nodiscard]] bool is_diagnosis(CheckId check) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
