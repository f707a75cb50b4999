// What a ladder says in words.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include "models/flow.hpp"

namespace iwarp::gui {

// "Read Response 65.5 kB · 46 segments · 374 µs".
[[nodiscard]] QString message_words(const Flow& flow, const Metrics& metrics, std::size_t place);
// Where the capture was taken, in a sentence.
[[nodiscard]] QString tap_words(const Tap& tap);

}  // namespace iwarp::gui
