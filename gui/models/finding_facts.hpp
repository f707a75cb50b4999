// A finding explained: the rule, where it stands, what breaks it, and in which frames; and what the capture
// leaves open.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <iwarp/export/summary.hpp>

#include "models/fact_model.hpp"

namespace iwarp::gui {

[[nodiscard]] std::vector<Fact> finding_facts(const Finding& finding, ConnectionId stream, Role from);
// Rules that the capture cannot decide, with how often and why. Empty values where it decides all.
[[nodiscard]] Fact undecidable_fact(const Summary& summary);

}  // namespace iwarp::gui
