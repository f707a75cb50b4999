// A finding explained: the rule, where it stands, what was seen, and where; and what could not be decided.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <iwarp/export/summary.hpp>

#include "models/fact_model.hpp"

namespace iwarp::gui {

[[nodiscard]] std::vector<Fact> finding_facts(const Finding& finding, ConnectionId stream, Role from);
// Rules that the capture cannot decide, with how often and why. Empty values where there is none.
[[nodiscard]] Fact undecidable_fact(const Summary& summary);

}  // namespace iwarp::gui
