// Records in the format that was asked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include <iwarp/export/record.hpp>
#include <iwarp/export/text_buffer.hpp>

#include "options.hpp"

namespace iwarp::cli {

void write_record(TextBuffer& out, Format format, const Record& record);
// With the capture's name where there are several. False: the filter excludes it.
bool print_record(TextBuffer& out, const Options& options, std::string_view capture, Record record);

}  // namespace iwarp::cli
