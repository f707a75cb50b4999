// The record formats: JSON Lines, CSV, and lines of key=value for a terminal.
//
// Writers are pure: they append to a buffer and keep nothing, allocate nothing for most records, and never
// fail. Text that is not UTF-8 (a file's name) is written with U+FFFD in place of what is not.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/record.hpp>
#include <iwarp/export/text_buffer.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// One JSON object and a newline. All keys of the record's type are there; what is not known is null.
void write_json(TextBuffer& out, const Record& record);

// RFC 4180, lines end in CRLF, a header line first. Nested keys are joined by dots ("mpa.rev"); lists and
// counts by free keys are one field of JSON text; null is an empty field.
void write_csv_header(TextBuffer& out, RecordKind kind, bool with_capture, bool with_payload_hash = false,
                      bool with_parts = false);
void write_csv(TextBuffer& out, const Record& record);

// "fpdu stream=0 from=initiator frame=12 …": one line, without the keys whose value is null.
void write_line(TextBuffer& out, const Record& record);

}  // namespace iwarp
#pragma GCC visibility pop
