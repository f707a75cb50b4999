// The lists of --list-checks and --list-fields.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/text_buffer.hpp>

#include "options.hpp"

namespace iwarp::cli {

// Appends the list. REQUIRES: catalogue is not none.
void write_catalogue(TextBuffer& out, Catalogue catalogue);

}  // namespace iwarp::cli
