// What the tables know of why an operation was slow.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include <cstdint>

#include <iwarp/metrics.hpp>

#include "models/overview.hpp"
#include "scale/time_scale.hpp"

namespace iwarp::gui {

// From its request to its response, with a tenth as much at either side. REQUIRES: its latency is known.
[[nodiscard]] TimeSpan span_of_operation(const Metrics& metrics, std::uint32_t row);
// How long it took, and what happened meanwhile: others that were under way, a request that was sent again,
// octets of the capture that were sent again or that it lacks. REQUIRES: its latency is known.
[[nodiscard]] QString why_slow(const Metrics& metrics, const Overview& overview, std::uint32_t row);

}  // namespace iwarp::gui
