// The tables of streams.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <iwarp/export/names.hpp>

#include "export/report/sections.hpp"
#include "export/report/units.hpp"

namespace iwarp::report {

namespace {

using Rows = std::vector<const StreamRow*>;
using Cells = std::vector<std::vector<std::string>>;

std::string yes_no(Mode mode) {
  return mode == Mode::on ? "yes" : mode == Mode::off ? "no" : "?";
}

std::string depth_text(const Depth& depth) {
  if (depth.effective) return std::to_string(*depth.effective);
  return depth.offered ? "any" : "?";
}

std::string depths_text(const StreamRow& row) {
  const auto& [initiator, responder] = row.ends;
  const auto known = [](const EndRow& end) { return end.ird.offered || end.ord.offered; };
  if (!known(initiator) && !known(responder)) return "-";
  return depth_text(initiator.ird) + "/" + depth_text(initiator.ord) + " " + depth_text(responder.ird) + "/" +
         depth_text(responder.ord);
}

std::string markers_text(const StreamRow& row) {
  const Mode from_initiator = row.ends[0].markers;
  const Mode from_responder = row.ends[1].markers;
  if (from_initiator == from_responder) return yes_no(from_initiator);
  return yes_no(from_initiator) + "/" + yes_no(from_responder);
}

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

std::string crc_text(const CrcCounts& counts) {
  if (counts.bad == 0 && counts.unchecked == 0) return counts.good == 0 ? "-" : "all good";
  std::string text = std::to_string(counts.good) + " good";
  if (counts.bad != 0) text += ", " + std::to_string(counts.bad) + " bad";
  if (counts.unchecked != 0) text += ", " + std::to_string(counts.unchecked) + " unchecked";
  return counts.good == 0 && counts.bad == 0 ? "unchecked" : text;
}

std::string close_text(const StreamRow& row) {
  const std::string_view close = row.close;
  return close == "fin" ? "FIN" : close == "rst" ? "RST" : "open";
}

void print_start(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {
      {"stream", true}, {"initiator → responder"}, {"start"}, {"roles"}, {"rev", true}, {"CRC"},
      {"markers"},      {"IRD/ORD → ←"},           {"RTR"}};
  Cells cells;
  for (const StreamRow* row : rows) {
    const auto& [initiator, responder] = row->ends;
    cells.push_back({std::to_string(row->id),
                     to_string(initiator.endpoint) + " → " + to_string(responder.endpoint),
                     row->rejected ? "rejected" : row->start,
                     row->role_basis == RoleBasis::mpa ? "-" : role_basis_name(row->role_basis),
                     row->revision ? std::to_string(*row->revision) : "-", yes_no(row->crc),
                     markers_text(*row), depths_text(*row), row->rtr == nullptr ? "-" : row->rtr});
  }
  page.table(columns, cells);
}

void print_groups(Page& page, const Content& content) {
  std::vector<std::pair<std::string_view, const StreamGroup*>> groups;
  for (const auto& [likeness, group] : content.alike) groups.emplace_back(likeness, &group);
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::tuple(b.second->count, a.second->first.id) < std::tuple(a.second->count, b.second->first.id);
  });
  for (const auto& [likeness, group] : groups) {
    std::string first = std::to_string(group->count);
    first.insert(0, first.size() < 8 ? 8 - first.size() : 0, ' ');
    std::string text = std::string(likeness) + "; ";
    text += group->count == 1 ? "stream " : "the first is stream ";
    text += std::to_string(group->first.id);
    if (group->with_findings != 0) text += ", " + std::to_string(group->with_findings) + " with findings";
    page.paragraph(first + "  ", text);
  }
  if (content.unlike != 0)
    page.paragraph("      … ", count_text(content.unlike, "stream") + " unlike any of these");
  page.paragraph("  ", "In all: " + std::to_string(content.closed[0]) + " closed by FIN, " +
                           std::to_string(content.closed[1]) + " by RST, " +
                           std::to_string(content.closed[2]) + " open at the end; " +
                           count_text(content.streams_with_findings, "stream") + " with warnings or errors.");
}

void print_counts(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {{"stream", true}, {"FPDUs → / ←"},      {"payload → / ←"},
                                              {"CRCs"},         {"most outstanding"}, {"sent again → / ←"},
                                              {"gaps → / ←"}};
  Cells cells;
  for (const StreamRow* row : rows) {
    const auto& [initiator, responder] = row->ends;
    cells.push_back({std::to_string(row->id), pair_text(initiator.fpdus, responder.fpdus, plain),
                     pair_text(initiator.payload_octets, responder.payload_octets, octets_text),
                     crc_text(row->crc_counts), outstanding_text(*row),
                     pair_text(initiator.retransmitted_octets, responder.retransmitted_octets, octets_text),
                     pair_text(initiator.gaps, responder.gaps, plain)});
  }
  page.table(columns, cells);
}

void print_ends(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {
      {"stream", true}, {"closed"}, {"queue pair of the initiator"}, {"of the responder"}};
  Cells cells;
  for (const StreamRow* row : rows) {
    const std::string_view close = row->close;
    cells.push_back({std::to_string(row->id),
                     close == "fin"   ? "FIN"
                     : close == "rst" ? "RST"
                                      : "open",
                     qp_text(row->ends[0].qp), qp_text(row->ends[1].qp)});
  }
  page.table(columns, cells);
}

}  // namespace

std::string qp_text(const QpState& qp) {
  static constexpr const char* doubts[] = {"perhaps ", "probably ", ""};  // by Confidence
  std::string text = doubts[static_cast<std::size_t>(qp.confidence)];
  text += std::string(qp_value_name(qp.value)) + " (" + qp_evidence_words(qp.evidence);
  if (qp.frame != 0) text += ", frame " + std::to_string(qp.frame);
  return text + ")";
}

std::string stream_likeness(const StreamRow& row) {
  const auto& [initiator, responder] = row.ends;
  std::string text = to_string(initiator.endpoint.address) + " → " + to_string(responder.endpoint) + ", ";
  text += row.rejected ? "rejected" : row.start;
  if (row.role_basis != RoleBasis::mpa)
    text += std::string(" (roles ") + role_basis_name(row.role_basis) + ")";
  if (row.revision) text += ", rev " + std::to_string(*row.revision);
  text += ", CRC " + yes_no(row.crc);
  const std::string markers = markers_text(row);
  if (markers != "no") text += ", markers " + markers;
  const std::string depths = depths_text(row);
  if (depths != "-") text += ", IRD/ORD " + depths;
  if (row.rtr != nullptr) text += std::string(", RTR ") + row.rtr;
  text += ", " + close_text(row) + ", queue pairs " + qp_value_name(initiator.qp.value) + " " +
          qp_value_name(responder.qp.value);
  return text;
}

void print_streams(Page& page, const Content& content) {
  if (content.streams == 0) return;
  Rows rows;
  if (content.streams <= content.options.max_streams) {
    for (const auto& [id, row] : content.rows) rows.push_back(&row);
    page.heading("Streams");
  } else {
    page.heading("Streams, those alike together");
    print_groups(page, content);
    for (const StreamRow& row : content.worst) rows.push_back(&row);
    if (rows.empty()) return;
    page.heading("Streams with the most findings");
  }
  print_start(page, rows);
  page.heading("What they carried");
  print_counts(page, rows);
  page.heading("How they ended");
  print_ends(page, rows);
}

}  // namespace iwarp::report
