// Conclusions: where the fold and the rules say what they found while an event is taken in.
//
// The fold computes messages, operations and deviations as it goes; apply() folds with conclusions that
// nobody hears, the analysis with ones that become events. So the state is the same either way.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <initializer_list>
#include <optional>

#include <iwarp/event.hpp>
#include <iwarp/finding.hpp>

namespace iwarp {

// Octets that are wrong although the event at hand, which proves it, is not about them.
struct Culprit {
  Culprit() = default;
  // A place alone is a culprit, too: of a start-up frame, a FIN.
  // NOLINTNEXTLINE(google-explicit-constructor): rules say where, as they say what
  Culprit(const Placement& where, std::uint32_t number = 0) : placed(where), fpdu(number) {}

  Placement placed;        // frame 0: the event itself is about them
  std::uint32_t fpdu = 0;  // FpduFact::number; 0: they are no FPDU
};

// Why a verdict is in doubt: the first reason there is. Nothing: none.
[[nodiscard]] inline std::optional<Reason> first_of(
    std::initializer_list<std::optional<Reason>> reasons) noexcept {
  for (const std::optional<Reason>& reason : reasons) {
    if (reason) return reason;
  }
  return std::nullopt;
}
[[nodiscard]] inline std::optional<Reason> when(bool in_doubt, std::optional<Reason> reason) noexcept {
  return in_doubt ? reason : std::nullopt;
}

class Conclusions {
 public:
  Conclusions() = default;
  Conclusions(const Conclusions&) = delete;
  Conclusions& operator=(const Conclusions&) = delete;
  virtual ~Conclusions() = default;

  // `side` is the sender of the message, the requester of the operation, the side that broke the rule.
  // Messages and operations are filled in where they are written down: what is returned lives until the next
  // conclusion.
  virtual MessageConclusion& message(Side side) = 0;
  virtual OperationConclusion& operation(Side side) = 0;
  // `evidence`: frames that show it besides the one of the event at hand.
  // Cold: code that leads here is kept away from what every FPDU passes through.
  [[gnu::cold]] virtual void violated(Side side, CheckId check,
                                      std::initializer_list<std::uint64_t> arguments = {},
                                      std::initializer_list<FrameNumber> evidence = {},
                                      const Culprit& culprit = {}) = 0;
  virtual void undecidable(Side side, CheckId check, Reason reason) = 0;
  void undecidable(Side side, std::initializer_list<CheckId> checks, Reason reason) {
    for (const CheckId check : checks) undecidable(side, check, reason);
  }
  // A rule that seems to be broken: violated, or undecidable where `doubt` tells why that may not be so.
  [[gnu::cold]] void verdict(Side side, CheckId check, std::optional<Reason> doubt,
                             std::initializer_list<std::uint64_t> arguments = {},
                             std::initializer_list<FrameNumber> evidence = {}, const Culprit& culprit = {}) {
    doubt ? undecidable(side, check, *doubt) : violated(side, check, arguments, evidence, culprit);
  }
};

// Hears nothing.
class NoConclusions final : public Conclusions {
 public:
  using Conclusions::undecidable;
  MessageConclusion& message(Side) override { return message_ = {}; }
  OperationConclusion& operation(Side) override { return operation_ = {}; }
  void violated(Side, CheckId, std::initializer_list<std::uint64_t>, std::initializer_list<FrameNumber>,
                const Culprit&) override {}
  void undecidable(Side, CheckId, Reason) override {}

 private:
  MessageConclusion message_;
  OperationConclusion operation_;
};

}  // namespace iwarp
