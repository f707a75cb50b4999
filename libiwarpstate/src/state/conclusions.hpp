// Conclusions: where the fold and the rules say what they found while an event is taken in.
//
// The fold computes messages, operations and deviations as it goes; apply() folds with conclusions that
// nobody hears, the analysis with ones that become events. So the state is the same either way.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <initializer_list>

#include <iwarp/event.hpp>
#include <iwarp/finding.hpp>

namespace iwarp {

class Conclusions {
 public:
  Conclusions() = default;
  Conclusions(const Conclusions&) = delete;
  Conclusions& operator=(const Conclusions&) = delete;
  virtual ~Conclusions() = default;

  // `side` is the sender of the message, the requester of the operation, the side that broke the rule.
  virtual void message(Side side, const MessageConclusion& message) = 0;
  virtual void operation(Side side, const OperationConclusion& operation) = 0;
  // `evidence`: frames that show it besides the one of the event at hand.
  virtual void violated(Side side, CheckId check, std::initializer_list<std::uint64_t> arguments = {},
                        std::initializer_list<FrameNumber> evidence = {}) = 0;
  virtual void undecidable(Side side, CheckId check, Reason reason) = 0;
};

// Hears nothing.
class NoConclusions final : public Conclusions {
 public:
  void message(Side, const MessageConclusion&) override {}
  void operation(Side, const OperationConclusion&) override {}
  void violated(Side, CheckId, std::initializer_list<std::uint64_t>,
                std::initializer_list<FrameNumber>) override {}
  void undecidable(Side, CheckId, Reason) override {}
};

}  // namespace iwarp
