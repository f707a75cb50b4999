// What can be done with a range of time that somebody has brushed: zoom changes what is seen, the filter what
// counts, and two ranges can be compared. Brushing offers all of it by name.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPoint>
#include <QWidget>

#include <functional>
#include <string>

#include "models/session.hpp"

namespace iwarp::gui {

// The part of a filter that lets count what has its time in there.
[[nodiscard]] std::string filter_of_span(TimeSpan span);

// A menu there; `closed` is called when it goes, chosen from or not. REQUIRES: session outlives the view.
void offer_range(QWidget& view, Session& session, TimeSpan brushed, QPoint where,
                 const std::function<void()>& closed);

}  // namespace iwarp::gui
