// A capture file that somebody is still writing: read on as it grows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "models/record_source.hpp"

namespace iwarp::gui {

// A capture file from its beginning on. At its end it is looked at twenty times a second whether it has
// grown. It ends when it is cancelled, when it becomes shorter, is deleted, or another file takes its name.
// The file may be there without a header yet.
[[nodiscard]] OpenSource follow_source(std::string path);

}  // namespace iwarp::gui
