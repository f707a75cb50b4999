// What the command line asks for, done to a workspace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "app/options.hpp"
#include "models/workspace.hpp"

namespace iwarp::gui {

// Opens the capture, or the interface that the options name, and goes where the options say: to the filter at
// once, to the rest when it is known.
void begin(Workspace& workspace, const std::string& capture, const Options& options);
// What the options name and the capture lacks, a sentence; empty: nothing. Once it was read.
[[nodiscard]] QString lacking(Workspace& workspace, const Options& options);
// Goes to a frame: what has its events there is selected once the log has answered.
void go_to_frame(Workspace& workspace, FrameNumber frame);

}  // namespace iwarp::gui
