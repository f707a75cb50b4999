// The picture of a ladder: two lifelines, the messages between them, what caused them, and TCP behind.
//
// Painted by any thread: from a flow, and rows of tables that are there.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>

#include "models/flow.hpp"
#include "scale/work.hpp"
#include "views/ladder_layout.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

[[nodiscard]] Work paint_ladder(QPainter& painter, QSize size, const Flow& flow, const Metrics& metrics,
                                const LadderLook& look, const Theme& theme);

}  // namespace iwarp::gui
