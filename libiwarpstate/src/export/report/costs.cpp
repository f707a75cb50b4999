// What cost streams time, the most first.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string>
#include <vector>

#include <iwarp/export/names.hpp>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

// "  PERF-LOSS       12.8 ms  "
std::string title_of(CheckId check, const Cost& cost) {
  std::string title = "  " + std::string(check_info(check).id);
  title.resize(18, ' ');
  const std::string lost = cost.lost_ns == 0 ? "-" : duration_text(cost.lost_ns);
  title.append(9 - std::min<std::size_t>(9, text_width(lost)), ' ');
  return title + lost + "  ";
}

}  // namespace

void print_costs(Page& page, const Content& content) {
  if (content.costs.empty()) return;
  std::vector<std::pair<CheckId, const Cost*>> costs;
  for (const auto& [check, cost] : content.costs) costs.emplace_back(check, &cost);
  std::stable_sort(costs.begin(), costs.end(),
                   [](const auto& a, const auto& b) { return a.second->lost_ns > b.second->lost_ns; });
  page.heading("What cost time");
  for (const auto& [check, cost] : costs) {
    const Event& event = cost->worst.event;
    std::string text;
    if (cost->count > 1) text = std::to_string(cost->count) + " times; the worst: ";
    if (content.streams > 1) text += "stream " + std::to_string(event.connection) + ", ";
    text += std::string(role_name(cost->worst.from)) + ": " + describe(event.finding);
    const auto& evidence = event.finding.evidence;
    if (event.finding.evidence_count == 1) text += " (frame " + std::to_string(evidence[0]) + ")";
    if (event.finding.evidence_count > 1)
      text += " (frames " + std::to_string(std::min(evidence[0], evidence[1])) + " to " +
              std::to_string(std::max(evidence[0], evidence[1])) + ")";
    page.paragraph(title_of(check, *cost), text);
  }
}

}  // namespace iwarp::report
