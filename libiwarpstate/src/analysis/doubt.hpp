// Doubt: why a fact may look like a violation although none happened, by what is known of the capture when
// the fact is recorded. A rule that needs what is in doubt is undecidable then (docs/architecture.md,
// "Three-valued verdicts").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include <iwarp/event.hpp>
#include <iwarp/finding.hpp>

namespace iwarp {

struct Doubt {
  std::optional<Reason> octets;  // the FPDU may never have been sent like that
  std::optional<Reason> before;  // nor what came before it
  std::optional<Reason> other;   // what its sender had received is not all there
  std::optional<Reason> order;   // whether it was sent before or behind something of the other side

  [[nodiscard]] bool any() const noexcept { return octets || before || other || order; }
  // Why a violation of `check` is not certain.
  [[nodiscard]] std::optional<Reason> of(CheckId check) const noexcept;
};

}  // namespace iwarp
