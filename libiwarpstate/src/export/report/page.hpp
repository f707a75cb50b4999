// Page: where a report is written: headings, tables and wrapped text of at most 100 columns, with or without
// colours.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <iwarp/export/text_buffer.hpp>
#include <iwarp/finding.hpp>

namespace iwarp::report {

inline constexpr std::size_t page_width = 100;

struct Column {
  std::string_view title;
  bool right = false;  // numbers stand to the right
};

class Page {
 public:
  Page(TextBuffer& out, bool color) : out_(out), color_(color) {}

  // A blank line, then the title.
  void heading(std::string_view title);
  // The same without the blank line.
  void caption(std::string_view title);
  // Words broken at spaces; `first` begins the first line, further lines begin with as many spaces.
  void paragraph(std::string_view first, std::string_view text);
  // The same, with `first` in the severity's colour.
  void paragraph(Severity severity, std::string_view first, std::string_view text);
  // Each row has a text for each column. Columns that are "-" or empty in every row are left out. What does
  // not fit the page stands below, in a table of its own that begins with the first column, too.
  void table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

 private:
  void wrapped(std::string_view text, std::size_t indent);
  // A table of the columns `shown` only.
  void lines(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
             const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths);
  void painted(std::string_view code, std::string_view text);

  TextBuffer& out_;
  bool color_;
};

}  // namespace iwarp::report
