// OperationStags: the STags that an operation names, whose they are, and who told of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "models/fact_model.hpp"
#include "models/log.hpp"

namespace iwarp::gui {

// Of a Read Request, Write, Atomic Request or Send with Invalidate of `connection`; nothing for others. In
// the log's thread. A value leads to the frame of the advertisement.
[[nodiscard]] std::vector<Fact> stag_facts(const Log& log, ConnectionId connection, const Event& message);

}  // namespace iwarp::gui
