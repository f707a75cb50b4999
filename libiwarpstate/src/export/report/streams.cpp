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
  return depth.offered == wire::depth_not_negotiated ? "any" : "?";
}

std::string depths_text(const StreamRow& row) {
  const auto& [initiator, responder] = row.ends;
  const std::string text = depth_text(initiator.ird) + "/" + depth_text(initiator.ord) + " " +
                           depth_text(responder.ird) + "/" + depth_text(responder.ord);
  return row.rejected || text == "?/? ?/?" ? "-" : text;
}

std::string crc_use_text(const StreamRow& row) {
  return row.rejected ? "-" : yes_no(row.crc);
}

std::string markers_text(const StreamRow& row) {
  if (row.rejected) return "-";
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

// What the signs in columns of a stream's start mean, as far as they are there.
void print_legend(Page& page, const std::vector<const StreamRow*>& rows) {
  bool depths = false;
  bool open = false;
  bool unknown = false;
  for (const StreamRow* row : rows) {
    const std::string limits = depths_text(*row);
    depths = depths || limits != "-";
    open = open || limits.find("any") != std::string::npos;
    const std::string all = limits + crc_use_text(*row) + markers_text(*row);
    unknown = unknown || all.find('?') != std::string::npos;
  }
  std::string text;
  const auto explain = [&text](std::string_view what) { text.append(text.empty() ? "" : "; ").append(what); };
  if (depths) explain("IRD/ORD of the initiator, then of the responder");
  if (open) explain("any: left open by 0x3FFF");
  if (unknown) explain("?: not known");
  if (!text.empty()) page.paragraph("  (", text + ")");
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

std::string close_text(const StreamRow& row) {
  const std::string_view close = row.close;
  return close == "fin" ? "FIN" : close == "rst" ? "RST" : "open";
}

void print_start(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {{"stream", true}, {"initiator → responder"},
                                              {"start"},        {"roles"},
                                              {"rev", true},    {"CRC"},
                                              {"markers"},      {"IRD/ORD"},
                                              {"RTR"}};
  Cells cells;
  for (const StreamRow* row : rows) {
    const auto& [initiator, responder] = row->ends;
    cells.push_back({std::to_string(row->id),
                     to_string(initiator.endpoint) + " → " + to_string(responder.endpoint),
                     row->rejected ? "rejected" : row->start,
                     row->role_basis == RoleBasis::mpa ? "-" : role_basis_name(row->role_basis),
                     row->revision ? std::to_string(*row->revision) : "-", crc_use_text(*row),
                     markers_text(*row), depths_text(*row), row->rtr == nullptr ? "-" : row->rtr});
  }
  page.table(columns, cells);
  print_legend(page, rows);
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
  Rows firsts;
  for (const auto& group : groups) firsts.push_back(&group.second->first);
  print_legend(page, firsts);
  if (content.unlike != 0)
    page.paragraph("      … ", count_text(content.unlike, "stream") + " unlike any of these");
  page.paragraph("  ", "In all: " + std::to_string(content.closed[0]) + " closed by FIN, " +
                           std::to_string(content.closed[1]) + " by RST, " +
                           std::to_string(content.closed[2]) + " open at the end; " +
                           count_text(content.streams_with_findings, "stream") + " with warnings or errors.");
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
  if (count > 0) page.paragraph("  ", std::string("nothing: stream") + (count > 1 ? "s" : "") + without);
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

void print_ends(Page& page, const Rows& rows) {
  static const std::vector<Column> columns = {
      {"stream", true}, {"closed"}, {"queue pair of the initiator"}, {"of the responder"}};
  Cells cells;
  for (const StreamRow* row : rows) {
    cells.push_back(
        {std::to_string(row->id), close_text(*row), qp_text(row->ends[0].qp), qp_text(row->ends[1].qp)});
  }
  page.table(columns, cells);
}

}  // namespace

const char* qp_value_words(QpValue value) noexcept {
  switch (value) {
    case QpValue::idle: return "Idle";
    case QpValue::startup: return "Startup";
    case QpValue::rts: return "RTS";
    case QpValue::closing: return "Closing";
    case QpValue::terminate: return "Terminate";
    case QpValue::error: return "Error";
  }
  return "?";
}

std::string qp_value_text(const QpState& qp) {
  static constexpr const char* doubts[] = {"perhaps ", "probably ", ""};  // by Confidence
  return std::string(doubts[static_cast<std::size_t>(qp.confidence)]) + qp_value_words(qp.value);
}

std::string qp_evidence_text(const QpState& qp) {
  const std::string words = qp_evidence_words(qp.evidence);
  return qp.frame == 0 ? words : words + ", frame " + std::to_string(qp.frame);
}

std::string qp_text(const QpState& qp) {
  return qp_value_text(qp) + " (" + qp_evidence_text(qp) + ")";
}

std::string stream_likeness(const StreamRow& row) {
  const auto& [initiator, responder] = row.ends;
  std::string text = to_string(initiator.endpoint.address) + " → " + to_string(responder.endpoint) + ", ";
  text += row.rejected ? "rejected" : row.start;
  if (row.role_basis != RoleBasis::mpa)
    text += std::string(" (roles ") + role_basis_name(row.role_basis) + ")";
  if (row.revision) text += ", rev " + std::to_string(*row.revision);
  if (!row.rejected) text += ", CRC " + crc_use_text(row);
  const std::string markers = markers_text(row);
  if (markers != "no" && markers != "-") text += ", markers " + markers;
  const std::string depths = depths_text(row);
  if (depths != "-") text += ", IRD/ORD " + depths;
  if (row.rtr != nullptr) text += std::string(", RTR ") + row.rtr;
  text += ", " + close_text(row) + ", queue pairs " + qp_value_words(initiator.qp.value) + " " +
          qp_value_words(responder.qp.value);
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
  print_counts(page, rows);
  print_losses(page, rows);
  page.heading("How they ended");
  print_ends(page, rows);
}

}  // namespace iwarp::report
