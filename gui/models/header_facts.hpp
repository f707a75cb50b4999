// The RDMAP header of a message in words: what a Read Request asks for, what a Terminate says.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <iwarp/event.hpp>

#include "models/fact_model.hpp"

namespace iwarp::gui {

// Fields that were captured whole. Nothing for messages without such a header: Writes, Sends.
[[nodiscard]] std::vector<Fact> header_facts(const MessageConclusion& message);

}  // namespace iwarp::gui
