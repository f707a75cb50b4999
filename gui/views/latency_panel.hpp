// What stands beside the latencies over time: of all that are measured, and of each operation and size, how
// many took how long, and which part took no longer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>
#include <QPainter>

#include <vector>

#include "models/latency_curve.hpp"
#include "scale/work.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

// `range`: what is measured, in words. Parts have as much room as there is; for the others their number
// stands there.
[[nodiscard]] Work paint_latency_panel(QPainter& painter, const QRect& where, const QString& range,
                                       const std::vector<LatencyGroup>& parts, const LatencyAxis& axis,
                                       const Theme& theme);

// Of many, the end of the bucket that has it.
[[nodiscard]] QString percentile_words(const LatencySummary& of, std::uint64_t ns);

}  // namespace iwarp::gui
