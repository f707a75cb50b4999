// What streams carried, and what came twice or is missing.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

using Cells = std::vector<std::vector<std::string>>;

std::string pair_text(std::uint64_t initiator, std::uint64_t responder, std::string (*text)(std::uint64_t)) {
  if (initiator == 0 && responder == 0) return "-";
  return text(initiator) + " / " + text(responder);
}

std::string plain(std::uint64_t value) {
  return std::to_string(value);
}

// High water of requests outstanding of each side, with its own limit.
std::string outstanding_text(const StreamRow& row) {
  std::string text;
  for (std::size_t role = 0; role < 2; ++role) {
    const EndRow& end = row.ends[role];
    if (end.max_outstanding == 0) continue;
    if (!text.empty()) text += " / ";
    text += std::to_string(end.max_outstanding);
    if (end.ord.effective) text += " of " + std::to_string(*end.ord.effective);
    text += role == 0 ? " →" : " ←";
  }
  return text.empty() ? "-" : text;
}

std::string crc_counts_text(const CrcCounts& counts) {
  if (counts.bad == 0 && counts.unchecked == 0) return counts.good == 0 ? "-" : "all good";
  std::string text = std::to_string(counts.good) + " good";
  if (counts.bad != 0) text += ", " + std::to_string(counts.bad) + " bad";
  if (counts.unchecked != 0) text += ", " + std::to_string(counts.unchecked) + " unchecked";
  return counts.good == 0 && counts.bad == 0 ? "unchecked" : text;
}

void print_counts(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {
      {"stream", true}, {"FPDUs → / ←"}, {"payload → / ←"}, {"CRCs"}, {"most outstanding"}};
  Cells cells;
  std::string without;
  std::size_t count = 0;
  for (const StreamRow* row : rows) {
    const auto& [initiator, responder] = row->ends;
    if (initiator.fpdus + responder.fpdus == 0) {
      without += (without.empty() ? " " : ", ") + std::to_string(row->id);
      ++count;
      continue;
    }
    cells.push_back({std::to_string(row->id), pair_text(initiator.fpdus, responder.fpdus, plain),
                     pair_text(initiator.payload_octets, responder.payload_octets, octets_text),
                     crc_counts_text(row->crc_counts), outstanding_text(*row)});
  }
  if (cells.empty()) return;  // print_transfer() says so
  page.heading("What they carried");
  page.table(columns, cells);
  if (count > 0) page.paragraph("  ", std::string("no FPDUs: stream") + (count > 1 ? "s" : "") + without);
}

// "2, 2.89 kB"
std::string gaps_text(const EndRow& end) {
  return end.gaps == 0 ? "0" : std::to_string(end.gaps) + ", " + octets_text(end.gap_octets);
}

void print_losses(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {{"stream", true}, {"sent again → / ←"}, {"gaps → / ←"}};
  Cells cells;
  bool any_again = false;
  bool any_gaps = false;
  for (const StreamRow* row : rows) {
    const auto& [initiator, responder] = row->ends;
    const std::string again =
        pair_text(initiator.retransmitted_octets, responder.retransmitted_octets, octets_text);
    const bool gaps = initiator.gaps + responder.gaps != 0;
    if (!gaps && again == "-") continue;
    any_again = any_again || again != "-";
    any_gaps = any_gaps || gaps;
    cells.push_back(
        {std::to_string(row->id), again, gaps ? gaps_text(initiator) + " / " + gaps_text(responder) : "-"});
  }
  if (cells.empty()) return;
  page.heading(!any_gaps    ? "Octets sent again"
               : !any_again ? "Octets missing"
                            : "Octets sent again, octets missing");
  page.table(columns, cells);
}

}  // namespace

void print_carried(Page& page, const Rows& rows) {
  print_counts(page, rows);
  print_losses(page, rows);
}

}  // namespace iwarp::report
