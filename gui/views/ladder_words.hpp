// What a ladder says in words.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include "models/flow.hpp"

namespace iwarp::gui {

// "Read Response 65.5 kB · 46 segments · 374 µs"; of a run of equal ones how long the shortest and the
// longest took. REQUIRES: the run has a message.
[[nodiscard]] QString message_words(const Flow& flow, const Metrics& metrics, PlaceRange run);
// Where the capture was taken, in a sentence.
[[nodiscard]] QString tap_words(const Tap& tap);

}  // namespace iwarp::gui
