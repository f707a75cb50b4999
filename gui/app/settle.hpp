// Waiting, in pictures and measurements, until a capture is read and everything shown is worked out.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>

#include "models/workspace.hpp"

namespace iwarp::gui {

// Runs the event loop until the capture is read. What is shown before is painted again and again meanwhile.
// REQUIRES: the workspace's document was opened.
void wait_until_read(Workspace& workspace);

// Runs the event loop until the capture is read, its levels stand, no question is open and `settled` holds.
// REQUIRES: the workspace's document was opened.
void wait_until_settled(Workspace& workspace, const std::function<bool()>& settled);

}  // namespace iwarp::gui
