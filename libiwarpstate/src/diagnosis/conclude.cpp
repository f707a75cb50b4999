// StreamDiagnosis::conclude: which causes cost a stream enough to speak of, the worst first.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "diagnosis/finding_event.hpp"
#include "diagnosis/stream_diagnosis.hpp"

namespace iwarp {
namespace {

// What cost a stream less than that, or less than a twentieth of its time, is not reported.
constexpr TimeNs least_lost = 1'000'000;
constexpr TimeNs twentieth = 20;
constexpr std::uint64_t few = 3;
constexpr TimeNs long_wait = 100'000'000;
constexpr TimeNs seldom_slow = 100'000'000;
constexpr std::uint64_t many_fpdus = 1000;
constexpr std::uint64_t small = 64;  // octets
// Of an FPDU without markers and PAD that carries a Send (RFC 5044 §4.1, RFC 5041 §4.3).
constexpr std::uint64_t octets_around = wire::length_field_size + wire::untagged_header_size + wire::crc_size;

class CostFindings {
 public:
  CostFindings(const Event& closed, TimeNs span, std::vector<Event>& findings)
      : closed_(closed), span_(span), findings_(findings) {}

  [[nodiscard]] bool is_much(const LostTime& lost) const noexcept {
    return lost.ns >= least_lost && lost.ns >= span_ / twentieth;
  }
  // `side`: who causes it. The first argument is the time that was lost; `time_ns`: of the first frame.
  void put(CheckId check, Side side, const std::array<std::uint64_t, 4>& arguments,
           const std::array<FrameNumber, 2>& frames, TimeNs time_ns) {
    findings_.push_back(finding_event(closed_, check, side, arguments, frames, time_ns));
  }

 private:
  const Event& closed_;
  const TimeNs span_;
  std::vector<Event>& findings_;
};

std::uint64_t number(TimeNs ns) noexcept {
  return static_cast<std::uint64_t>(std::max<TimeNs>(ns, 0));
}

}  // namespace

void StreamDiagnosis::conclude(const Event& closed, const ConnectionState& connection,
                               std::vector<Event>& findings) const {
  const TimeNs span = last_ns_ - first_.time_ns;
  CostFindings out(closed, span, findings);
  for (const Side side : {Side::a, Side::b}) {
    const Side peer = other(side);
    const Half& own = halves_[index(side)];
    if (own.outstanding > 0 && !terminated_) {
      const Placement& oldest = own.requests.front().placed;
      const TimeNs waited = closed.closed.last_time_ns - oldest.time_ns;
      // Of a capture that ends while requests are on their way, of a connection that is let go or whose end
      // was not captured, and where octets of responses are missing, nobody knows whether they were answered.
      const CloseCause cause = closed.closed.cause;
      const bool over = cause == CloseCause::fin || cause == CloseCause::rst;
      const bool left = cause == CloseCause::capture_end && waited >= long_wait;
      const bool all_seen = connection.side(peer).gaps == 0 && connection.side(peer).captured;
      if ((over || left) && all_seen)
        out.put(CheckId::perf_unanswered, peer, {number(waited), own.outstanding, 0, 0}, {oldest.frame, 0},
                oldest.time_ns);
    }
    if (out.is_much(own.waited_credits)) {
      out.put(CheckId::perf_credit, peer,
              {number(own.waited_credits.ns), own.least_granted, own.delayed_for_credits, 0},
              own.waited_credits.frames, own.waited_credits.begin_ns);
    }
    if (out.is_much(own.waited_ord)) {
      const auto& ord = connection.mpa.ord[static_cast<std::size_t>(connection.role_of(side))];
      out.put(CheckId::perf_ord, side, {number(own.waited_ord.ns), ord.effective.value_or(0), 0, 0},
              own.waited_ord.frames, own.waited_ord.begin_ns);
    }
    if (out.is_much(own.waited_queue)) {
      out.put(CheckId::perf_rq, peer,
              {number(own.waited_queue.ns), own.waited_queue.count, number(own.waited_queue.longest), 0},
              own.waited_queue.frames, own.waited_queue.begin_ns);
    }
    if (own.no_receive.frame != 0)
      out.put(CheckId::perf_norecv, side, {}, {own.no_receive.frame, 0}, own.no_receive.time_ns);
    if (out.is_much(own.recovery)) {
      out.put(CheckId::perf_loss, side,
              {number(own.recovery.ns), own.recovery.count, own.timeouts, number(own.recovery.longest)},
              own.recovery.frames, own.recovery.begin_ns);
    }
    if (out.is_much(own.behind)) {
      out.put(CheckId::perf_behind, side, {number(own.behind.ns), number(own.behind.longest), 0, 0},
              own.behind.frames, own.behind.end_ns);  // shown by the end of the response before
    }
    if (out.is_much(own.waited_window)) {
      out.put(CheckId::perf_window, peer,
              {number(own.waited_window.ns), own.waited_window.count, number(own.waited_window.longest), 0},
              own.waited_window.frames, own.waited_window.begin_ns);
    }
    const LostTime& acks = own.delayed_acks;
    if (acks.count >= few && 2 * acks.count >= own.pauses && out.is_much(acks))
      out.put(CheckId::perf_delack, side, {number(acks.ns), acks.count, 0, 0}, acks.frames, acks.begin_ns);
    // At least half of the stream's time, some milliseconds each.
    const bool often = own.responder.count >= few || own.responder.ns >= seldom_slow;
    if (often && own.responder.ns >= span / 2 && own.responder.count > 0 &&
        own.responder.ns / static_cast<TimeNs>(own.responder.count) >= least_lost) {
      out.put(CheckId::perf_responder, peer, {number(own.responder.ns), number(own.responder.longest), 0, 0},
              own.responder.frames, own.responder.begin_ns);
    }
    const SideState& sender = connection.side(side);
    const std::uint64_t fpdus = sender.fpdus + connection.side(peer).fpdus;
    const std::uint64_t octets = sender.payload_octets + connection.side(peer).payload_octets;
    if (sender.fpdus >= many_fpdus && sender.fpdus >= connection.side(peer).fpdus && octets < fpdus * small) {
      out.put(CheckId::perf_small, side,
              {0, fpdus, octets / fpdus, 100 * fpdus * octets_around / (fpdus * octets_around + octets)},
              {first_.frame, 0}, first_.time_ns);
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Event& a, const Event& b) {
    return a.finding.arguments[0] > b.finding.arguments[0];
  });
}

}  // namespace iwarp
