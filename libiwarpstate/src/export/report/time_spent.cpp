// Where the time of Reads and Atomics went: of all of them together, and of the slowest.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string>
#include <vector>

#include <iwarp/export/names.hpp>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

// Parts that took time, the greatest first.
std::vector<LatencyPart> by_time(const std::array<std::uint64_t, latency_part_count>& ns) {
  std::vector<LatencyPart> parts;
  for (std::size_t at = 0; at < latency_part_count; ++at) {
    if (ns[at] != 0) parts.push_back(static_cast<LatencyPart>(at));
  }
  std::stable_sort(parts.begin(), parts.end(), [&](LatencyPart a, LatencyPart b) {
    return ns[static_cast<std::size_t>(a)] > ns[static_cast<std::size_t>(b)];
  });
  return parts;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  const std::string rounded = std::to_string(static_cast<std::uint64_t>(percent + 0.5));
  return (percent < 0.5 ? "< 1" : rounded) + " %";
}

// "12.8 ms, frames 10 to 31; of these 7.8 ms until lost octets of the response came (frames 13 to 30)"
std::string slowest_text(const TimeSpent& spent) {
  const LatencyParts& parts = spent.slowest;
  const LatencyPart greatest = parts.greatest();
  const LatencyParts::Part& part = parts[greatest];
  std::string text = duration_text(static_cast<std::uint64_t>(parts.total())) + ", frames " +
                     std::to_string(spent.slowest_request) + " to " + std::to_string(spent.slowest_response) +
                     "; of these " + duration_text(static_cast<std::uint64_t>(part.ns)) + " " +
                     latency_part_words(greatest);
  if (part.frames[0] != 0 && part.frames[1] > part.frames[0])
    text += " (frames " + std::to_string(part.frames[0]) + " to " + std::to_string(part.frames[1]) + ")";
  return text;
}

}  // namespace

void TimeSpent::add(const LatencyParts& parts, const OperationConclusion& operation) {
  ++operations;
  for (std::size_t at = 0; at < ns.size(); ++at) ns[at] += static_cast<std::uint64_t>(parts.parts[at].ns);
  const TimeNs mine = parts.total();
  const bool is_first = operation.request.frame < slowest_request;
  if (slowest_request != 0 && (mine < slowest_ns || (mine == slowest_ns && !is_first))) return;
  slowest = parts;
  slowest_ns = mine;
  slowest_request = operation.request.frame;
  slowest_response = operation.response.frame;
}

void TimeSpent::merge(const TimeSpent& other) {
  operations += other.operations;
  for (std::size_t at = 0; at < ns.size(); ++at) ns[at] += other.ns[at];
  if (other.slowest_request == 0) return;
  const TimeNs theirs = other.slowest_ns;
  const bool is_first = other.slowest_request < slowest_request;
  if (slowest_request != 0 && (theirs < slowest_ns || (theirs == slowest_ns && !is_first))) return;
  slowest = other.slowest;
  slowest_ns = other.slowest_ns;
  slowest_request = other.slowest_request;
  slowest_response = other.slowest_response;
}

void print_time_spent(Page& page, const TimeSpent& spent) {
  std::uint64_t whole = 0;
  for (const std::uint64_t ns : spent.ns) whole += ns;
  if (whole == 0) return;
  page.heading("Where that time went");
  std::vector<std::vector<std::string>> rows;
  for (const LatencyPart part : by_time(spent.ns)) {
    const std::uint64_t ns = spent.ns[static_cast<std::size_t>(part)];
    rows.push_back({share_text(ns, whole), duration_text(ns), latency_part_words(part)});
  }
  page.table({{"share", true}, {"in all", true}, {"spent"}}, rows);
  page.paragraph("  slowest   ", slowest_text(spent));
}

}  // namespace iwarp::report
