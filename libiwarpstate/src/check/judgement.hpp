// What every rule looks at: the fact, the state before it, and who hears the verdict. One function a family
// of rules, one file a function.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "check/rules.hpp"
#include "state/fold.hpp"

namespace iwarp::check {

struct Judgement {
  const ConnectionState& before;
  const Event& fact;
  const Limits& limits;
  Conclusions& out;

  [[nodiscard]] const SideState& side() const noexcept { return before.side(fact.side); }
  [[nodiscard]] const SideState& peer() const noexcept { return before.side(other(fact.side)); }

  // Of the fact's side, unless another is named.
  [[gnu::cold, gnu::noinline]] void violated(CheckId check,
                                             std::initializer_list<std::uint64_t> arguments = {},
                                             std::initializer_list<FrameNumber> evidence = {}) const {
    out.violated(fact.side, check, arguments, evidence);
  }
  void undecidable(CheckId check, Reason reason) const { out.undecidable(fact.side, check, reason); }
  [[gnu::cold, gnu::noinline]] void undecidable(std::initializer_list<CheckId> checks, Reason reason) const {
    out.undecidable(fact.side, checks, reason);
  }
  [[gnu::cold, gnu::noinline]] void verdict(CheckId check, std::optional<Reason> doubt,
                                            std::initializer_list<std::uint64_t> arguments = {},
                                            std::initializer_list<FrameNumber> evidence = {}) const {
    out.verdict(fact.side, check, doubt, arguments, evidence);
  }
  // For rules that are said once of a direction.
  [[nodiscard]] bool said(CheckId check) const noexcept { return side().violated.test(index(check)); }
};

// Where a segment that acknowledges the peer's Terminate left octets of its sender unacknowledged, TCP may
// have been waiting for its window: what comes behind was perhaps handed to TCP before the Terminate arrived.
// For a second, which begins anew with each of these that is sent again.
[[nodiscard]] inline bool may_have_been_due(const Event& fpdu, const TerminateSeen& received) noexcept {
  return received.crossing_octets && fpdu.fpdu.placed.time_ns - received.acknowledged_time_ns < 1'000'000'000;
}

// Start-up frames: MPA-REV … MPA-IRDLOW, VERBS-RESTART.
void judge_startup(const Judgement& j);
// A Request that FPDUs followed without a Reply in the capture.
void judge_unanswered(const Judgement& j);
// MPA-TMO, whatever the fact is.
void judge_startup_time(const Judgement& j);

// MPA-LEN … MPA-MKRSV: the FPDU around its ULPDU.
void judge_fpdu(const Judgement& j);
// MPA-ALIGN of both sides, when the connection is closed.
void judge_alignment(const Judgement& j);
// DDP and RDMAP headers of a trusted FPDU, each by itself.
void judge_headers(const Judgement& j);
// What the RDMAP headers behind an untagged DDP header say.
void judge_rdmap(const Judgement& j);
// What the sender's own outstanding requests name is written, or invalidated.
void judge_hazards(const Judgement& j);
// The FPDU's place in the connection's life: start-up, Terminate, FIN.
void judge_first_fpdu(const Judgement& j);
// The same of a better copy that comes in the place of a bad one: what that could not tell.
void judge_better_first_fpdu(const Judgement& j);
void judge_position(const Judgement& j);
// A Terminate.
void judge_terminate(const Judgement& j);

void judge_fin(const Judgement& j);
void judge_rst(const Judgement& j);
void judge_closed(const Judgement& j);
// VERBS-RQSTALL.
void judge_stall(const Judgement& j);

}  // namespace iwarp::check
