// Keys that timelines have in common: W and S zoom the range that is seen, A and D move it, Home shows all.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/workspace.hpp"

namespace iwarp::gui {

// Does what that key does; false: it is none of them. The zoom keeps the time under the pointer, or the
// middle, in its place.
bool see_by_key(Workspace& workspace, int key);

}  // namespace iwarp::gui
