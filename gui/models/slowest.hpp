// Where an operation that was slow is to be seen.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/metrics.hpp>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

// From its request to its response, with a tenth as much at either side. REQUIRES: its latency is known.
[[nodiscard]] TimeSpan span_of_operation(const Metrics& metrics, std::uint32_t row);

}  // namespace iwarp::gui
