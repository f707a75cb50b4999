// Headings, tables and wrapped text.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/report/page.hpp"

#include <algorithm>

#include "base/quantities.hpp"

namespace iwarp::report {

namespace {

constexpr std::string_view bold = "1";

constexpr std::string_view severity_color(Severity severity) noexcept {
  switch (severity) {
    case Severity::error: return "1;31";
    case Severity::warning: return "1;33";
    case Severity::note: return "36";
    case Severity::information: break;
  }
  return "2";
}

bool is_empty_cell(const std::string& cell) noexcept {
  return cell.empty() || cell == "-";
}

}  // namespace

void Page::painted(std::string_view code, std::string_view text) {
  if (!color_) return out_.append(text);
  out_.append("\x1b[");
  out_.append(code);
  out_.append('m');
  out_.append(text);
  out_.append("\x1b[0m");
}

void Page::heading(std::string_view title) {
  out_.append('\n');
  caption(title);
}

void Page::caption(std::string_view title) {
  painted(bold, title);
  out_.append('\n');
}

void Page::paragraph(std::string_view first, std::string_view text) {
  out_.append(first);
  wrapped(text, text_width(first));
}

void Page::paragraph(Severity severity, std::string_view first, std::string_view text) {
  painted(severity_color(severity), first);
  wrapped(text, text_width(first));
}

void Page::wrapped(std::string_view text, std::size_t indent) {
  std::size_t column = indent;
  bool line_empty = true;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, length);
    const std::size_t width = text_width(word);
    if (!line_empty && column + 1 + width > page_width) {
      out_.append('\n');
      out_.append(indent, ' ');
      column = indent;
      line_empty = true;
    }
    if (!line_empty) {
      out_.append(' ');
      ++column;
    }
    out_.append(word);
    column += width;
    line_empty = false;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  out_.append('\n');
}

void Page::table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths(columns.size());
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const bool used =
        std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return !is_empty_cell(row[at]); });
    if (!used) continue;
    shown.push_back(at);
    widths[at] = text_width(columns[at].title);
    for (const auto& row : rows) widths[at] = std::max(widths[at], text_width(row[at]));
  }
  while (!shown.empty()) {
    std::size_t width = 0;
    std::size_t fitting = 0;
    while (fitting < shown.size() && (fitting < 2 || width + 2 + widths[shown[fitting]] <= page_width)) {
      width += 2 + widths[shown[fitting++]];
    }
    const std::vector<std::size_t> now(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(fitting));
    shown.erase(shown.begin() + 1, shown.begin() + static_cast<std::ptrdiff_t>(fitting));
    if (shown.size() == 1) shown.clear();
    lines(columns, rows, now, widths);
    if (!shown.empty()) out_.append('\n');
  }
}

void Page::lines(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                 const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths) {
  const auto line = [&](const auto& cell_of) {
    std::size_t owed = 0;  // spaces before the next cell, so that no line ends with spaces
    for (const std::size_t at : shown) {
      const std::string_view cell = cell_of(at);
      const std::size_t pad = widths[at] - text_width(cell);
      out_.append(2 + owed + (columns[at].right ? pad : 0), ' ');
      out_.append(cell);
      owed = columns[at].right ? 0 : pad;
    }
    out_.append('\n');
  };
  line([&](std::size_t at) { return columns[at].title; });
  for (const auto& row : rows) line([&](std::size_t at) { return std::string_view(row[at]); });
}

}  // namespace iwarp::report
