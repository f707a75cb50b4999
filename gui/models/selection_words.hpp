// What is selected, as a sentence for a status bar: "read of stream 3, frames 361 to 416: 20.7 ms".
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include "models/selection.hpp"

namespace iwarp::gui {

// Empty where nothing is.
[[nodiscard]] QString selection_words(const Metrics& metrics, const Selection& selection);

}  // namespace iwarp::gui
