// What is wrong and where.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <set>

#include <iwarp/export/names.hpp>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

constexpr std::size_t max_streams_apart = 10;  // streams whose findings are listed apart from each other
constexpr std::size_t max_streams_named = 12;  // in a group of many streams

// "error    DDP-MSNGAP      "
std::string title_of(const CheckKey& key) {
  std::string title = "  " + std::string(severity_name(key.severity));
  title.resize(11, ' ');
  title += check_info(key.check).id;
  title.resize(std::max<std::size_t>(title.size() + 1, 32), ' ');
  return title;
}

std::string reference_of(CheckId check) {
  const std::string reference = check_info(check).reference;
  return reference.empty() ? "" : " [" + reference + "]";
}

std::string more_of(const FindingGroup& group) {
  if (group.count == 1) return "";
  std::string text = "; and " + std::to_string(group.count - 1) + " more";
  if (group.last_frame != group.first_frame) {
    text += group.count == 2 ? ", frame " : ", the last in frame ";
    text += std::to_string(group.last_frame);
  }
  return text;
}

std::set<ConnectionId> streams_of(const CheckFindings& check) {
  std::set<ConnectionId> streams;
  for (const auto& [end, group] : check.groups) streams.insert(end.first);
  return streams;
}

void print_by_stream(Page& page, const Content& content, const std::set<ConnectionId>& streams) {
  for (const ConnectionId stream : streams) {
    page.paragraph(" stream ", std::to_string(stream));
    for (const auto& [key, check] : content.by_check) {
      for (const auto& [end, group] : check.groups) {
        if (end.first != stream) continue;
        page.paragraph(key.severity, title_of(key),
                       "frame " + std::to_string(group.first_frame) + ", from " + role_name(group.from) +
                           ": " + describe(group.first.finding) + reference_of(key.check) + more_of(group));
      }
    }
  }
}

// "3 5 8 …"
std::string names_of(const std::set<ConnectionId>& streams) {
  std::string text;
  std::size_t named = 0;
  for (const ConnectionId stream : streams) {
    if (named == max_streams_named) return text + " …";
    text += (named++ == 0 ? "" : " ") + std::to_string(stream);
  }
  return text;
}

void print_by_check(Page& page, const Content& content) {
  for (const auto& [key, check] : content.by_check) {
    const auto streams = streams_of(check);
    const auto& [end, first] = *check.groups.begin();
    std::string text;
    if (check.count > 1) text = std::to_string(check.count) + " in " + count_text(streams.size(), "stream");
    if (!check.all_grouped) text += " or more";
    if (streams.size() > 1) text += " (" + names_of(streams) + ")";
    if (check.count > 1) text += "; the first: ";
    text += "stream " + std::to_string(end.first) + ", frame " + std::to_string(first.first_frame) +
            ", from " + role_name(first.from) + ": " + describe(first.first.finding) +
            reference_of(key.check);
    page.paragraph(key.severity, title_of(key), text);
  }
}

// "2 errors, 1 note"
std::string counts_text(const std::array<std::uint64_t, 4>& findings, Severity from, Severity to) {
  std::string text;
  for (auto level = static_cast<std::size_t>(to) + 1; level-- > static_cast<std::size_t>(from);) {
    if (findings[level] == 0) continue;
    if (!text.empty()) text += ", ";
    const bool counted = level != static_cast<std::size_t>(Severity::information);
    text += counted ? count_text(findings[level], severity_name(static_cast<Severity>(level)))
                    : std::to_string(findings[level]) + " info";
  }
  return text;
}

}  // namespace

void print_findings(Page& page, const Content& content, bool undecided) {
  const auto& findings = content.findings;
  if (content.by_check.empty()) {
    const std::string hidden = counts_text(findings, Severity::information, Severity::error);
    // Without a broken rule a connection may still have been refused, torn down or captured in part.
    const bool quiet = !undecided && content.terminates.empty() && content.closed[1] == 0 &&
                       content.gaps == 0 && content.fpdus[0] + content.fpdus[1] != 0;
    const std::string where = content.options.stream ? "stream " + std::to_string(*content.options.stream)
                                                     : count_text(content.streams, "stream");
    const std::string none = (quiet ? "Nothing is wrong: no" : "No") + std::string(" rule is broken in ") +
                             where + (undecided ? ", as far as this capture tells" : "");
    page.heading(hidden.empty() ? none : "No finding of the severity asked for; below it: " + hidden);
    return;
  }
  const bool serious = findings[2] + findings[3] != 0;
  page.heading(serious ? "What is wrong and where" : "No errors or warnings; worth knowing");
  std::set<ConnectionId> streams;
  bool all_grouped = true;
  for (const auto& [key, check] : content.by_check) {
    streams.merge(streams_of(check));
    all_grouped = all_grouped && check.all_grouped;
  }
  if (all_grouped && streams.size() <= max_streams_apart) {
    print_by_stream(page, content, streams);
  } else {
    print_by_check(page, content);
  }
  if (content.options.min_severity == Severity::information) return;
  const auto below = static_cast<Severity>(static_cast<unsigned>(content.options.min_severity) - 1);
  const std::string hidden = counts_text(findings, Severity::information, below);
  if (!hidden.empty()) page.paragraph("  ", "not shown: " + hidden);
}

}  // namespace iwarp::report
