// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_output.hpp"

#include <iwarp/export/writers.hpp>

namespace iwarp::cli {

void write_record(TextBuffer& out, Format format, const Record& record) {
  switch (format) {
    case Format::jsonl: return write_json(out, record);
    case Format::csv: return write_csv(out, record);
    case Format::text: return write_line(out, record);
  }
}

bool print_record(TextBuffer& out, const Options& options, std::string_view capture, Record record) {
  if (options.captures.size() > 1) record.capture = capture;
  if (options.filter && !options.filter->matches(record)) return false;
  write_record(out, options.format, record);
  return true;
}

}  // namespace iwarp::cli
