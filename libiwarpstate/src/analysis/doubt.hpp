// Doubt: why a fact may look like a violation although none happened, by what is known of the capture when
// the fact is recorded. A rule is undecidable where any of its premises is in doubt (findings.def;
// docs/architecture.md, "Three-valued verdicts").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>

#include <iwarp/finding.hpp>

namespace iwarp {

class Doubt {
 public:
  // The first reason that is given for a premise stays.
  void note(Premise premise, std::optional<Reason> reason) noexcept {
    std::optional<Reason>& noted = reasons_[static_cast<std::size_t>(premise)];
    if (!noted) noted = reason;
  }
  // Why a violation of `check` is not certain; nothing: it is.
  [[nodiscard]] std::optional<Reason> of(CheckId check) const noexcept {
    const auto last = static_cast<std::size_t>(check_info(check).premise);
    for (std::size_t premise = 0; premise <= last; ++premise) {
      if (reasons_[premise]) return reasons_[premise];
    }
    return std::nullopt;
  }

 private:
  std::array<std::optional<Reason>, premise_count> reasons_{};  // of Premise::shown never one
};

}  // namespace iwarp
