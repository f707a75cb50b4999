// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/help_of.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "commands/help.hpp"

namespace iwarp::replay {
namespace {

using Lines = std::vector<std::string>;

// The help in paragraphs, which are what empty lines are between.
std::vector<Lines> paragraphs() {
  std::vector<Lines> all(1);
  std::string_view rest = help_text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (!line.empty()) {
      all.back().push_back(line);
    } else if (!all.back().empty()) {
      all.emplace_back();
    }
  }
  return all;
}

bool is_option(const std::string& line) {
  return line.starts_with("  -");
}

// Of "  --ird N, --ord N    cs of both ends": --ird, --ord.
std::vector<std::string> options_in(const std::string& line) {
  std::vector<std::string> names;
  std::size_t at = 2;
  while (at < line.size() && line[at] == '-') {
    const std::size_t end = std::min(line.find_first_of(" ,", at), line.size());
    names.push_back(line.substr(at, end - at));
    const std::size_t comma = line.find(", ", at);
    if (comma == std::string::npos) break;
    at = comma + 2;
  }
  return names;
}

// Between spaces, in front of what an option does: a c where campaign, an s where shrink knows it, too.
constexpr std::size_t marks_at = 20;
constexpr std::size_t marks_end = 24;

bool has_marks(const std::string& line) {
  if (!is_option(line) || line.size() < marks_end) return false;
  const std::string marks = line.substr(marks_at, marks_end - marks_at);
  return marks == " c  " || marks == "  s " || marks == " cs ";
}

std::string without_marks(std::string line) {
  if (has_marks(line)) std::fill(line.begin() + marks_at, line.begin() + marks_end, ' ');
  return line;
}

// Lines of those options alone that the command has, each with what is said of it.
Lines own_options(const Lines& paragraph, const std::function<bool(const std::string&)>& has) {
  Lines own;
  bool keeps = true;  // the heading
  for (const std::string& line : paragraph) {
    if (is_option(line)) {
      const auto names = options_in(line);
      keeps = std::ranges::any_of(names, [&](const std::string& each) {
        return each == "--help" || each == "--version" || has(each);
      });
    }
    if (!keeps) continue;
    own.push_back(without_marks(line));
    if (own.back().ends_with(" (cs).")) own.back().replace(own.back().size() - 6, 6, ".");
  }
  std::string& heading = own.front();
  if (!is_option(heading)) heading.resize(std::min(heading.size(), heading.find(": all marked")));
  return std::ranges::any_of(own, is_option) ? own : Lines();
}

// Of lines in groups, each with a line that begins it: the groups of this command.
Lines groups_of(const Lines& paragraph, std::string_view beginning, std::string_view wanted) {
  Lines own;
  bool keeps = false;
  for (const std::string& line : paragraph) {
    if (line.find(beginning) != std::string::npos) keeps = line.find(wanted) != std::string::npos;
    if (keeps) own.push_back(line);
  }
  return own;
}

Lines usage_of(const Lines& paragraph, const std::string& command) {
  Lines own = groups_of(paragraph, "iwarp-replay ", "iwarp-replay " + command + " ");
  for (std::string& line : own) {
    if (line.starts_with("Usage: ")) line.replace(0, 7, "       ");
    const std::size_t marked = line.find(" of run marked ");
    if (marked != std::string::npos) line.erase(marked, line.find(']', marked) - marked);
  }
  if (!own.empty()) own.front().replace(0, 7, "Usage: ");
  return own;
}

// "  run       runs them: …", and what continues it.
Lines purpose_of(const Lines& paragraph, const std::string& command) {
  Lines own;
  bool keeps = false;
  for (const std::string& line : paragraph) {
    if (line.size() > 2 && line[2] != ' ') keeps = line.starts_with("  " + command + " ");
    if (keeps) own.push_back(line);
  }
  return own;
}

// Titles with the command lines below them.
Lines examples_of(const Lines& paragraph, const std::string& command) {
  Lines own = {paragraph.front()};
  std::string title;
  for (const std::string& line : paragraph) {
    if (!line.starts_with("    ")) {
      title = line;
    } else if (line.find("iwarp-replay " + command + " ") != std::string::npos) {
      if (!title.empty()) own.push_back(title);
      title.clear();
      own.push_back(line);
    }
  }
  return own.size() > 1 ? own : Lines();
}

}  // namespace

std::string help_of(std::string_view command, const std::function<bool(const std::string& option)>& has) {
  const std::string name(command);
  std::string text;
  for (const Lines& paragraph : paragraphs()) {
    Lines own = paragraph;
    if (paragraph.front().starts_with("Usage:")) {
      own = usage_of(paragraph, name);
    } else if (paragraph.front().starts_with("  plan ")) {
      own = purpose_of(paragraph, name);
    } else if (paragraph.front().starts_with("Options of run.")) {
      continue;
    } else if (paragraph.front().starts_with("Examples")) {
      own = examples_of(paragraph, name);
    } else if (std::ranges::any_of(paragraph, is_option)) {
      own = own_options(paragraph, has);
    }
    if (own.empty()) continue;
    if (!text.empty()) text += '\n';
    for (const std::string& line : own) text += line + '\n';
  }
  return text;
}

std::string synopsis_of(const std::string& option) {
  for (const Lines& paragraph : paragraphs()) {
    for (const std::string& line : paragraph) {
      if (!is_option(line)) continue;
      const auto names = options_in(line);
      if (std::ranges::find(names, option) == names.end()) continue;
      const std::string all = line.substr(2, has_marks(line) ? marks_at - 2 : line.find("  ", 2) - 2);
      // Of several the one, with its value; a value that several names share stands behind the last.
      const std::size_t at = all.find(option);
      const std::size_t comma = all.find(", ", at);
      std::string own = all.substr(at, comma == std::string::npos ? comma : comma - at);
      own.erase(own.find_last_not_of(' ') + 1);
      const std::size_t value = all.rfind(' ', all.find_last_not_of(' '));
      return own == option && value != std::string::npos ? own + all.substr(value) : own;
    }
  }
  return option;
}

}  // namespace iwarp::replay
