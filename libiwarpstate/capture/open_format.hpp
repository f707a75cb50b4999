// The reader that fits a file's first octets, decompression included.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>

#include "format_reader.hpp"

namespace iwarp::capture {

// Nothing: `error` says in one sentence that begins with `name` why not. start() is the caller's to call.
// `decompress_ahead`: in a thread of its own; REQUIRES: the input never waits for long.
[[nodiscard]] std::unique_ptr<FormatReader> open_format(InputBuffer input, const std::string& name,
                                                        std::string& error, bool decompress_ahead = false);

}  // namespace iwarp::capture
