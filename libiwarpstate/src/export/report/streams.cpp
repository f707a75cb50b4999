// The tables of streams.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <iwarp/export/names.hpp>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

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
  return row.rejected || row.llp == Llp::sctp ? "-" : yes_no(row.crc);
}

std::string markers_text(const StreamRow& row) {
  if (row.rejected || row.llp == Llp::sctp) return "-";
  const Mode from_initiator = row.ends[0].markers;
  const Mode from_responder = row.ends[1].markers;
  if (from_initiator == from_responder) return yes_no(from_initiator);
  return yes_no(from_initiator) + "/" + yes_no(from_responder);
}

// What the signs in columns of a stream's start mean, as far as they are there.
void print_legend(Page& page, const Rows& rows) {
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

std::string close_text(const StreamRow& row) {
  const std::string_view close = row.close;
  return close == "fin" ? "FIN" : close == "rst" ? "RST" : "open";
}

// "siw by flag 0x08 in its start-up frame: 10.0.0.1, 10.0.0.2", for the addresses that are known.
void print_stacks(Page& page, const Rows& rows) {
  constexpr std::size_t most = 4;  // addresses of each
  std::map<IpAddress, StackGuess> stacks;
  for (const StreamRow* row : rows) {
    for (const EndRow& end : row->ends) {
      if (!end.stack) continue;
      const auto [known, is_new] = stacks.try_emplace(end.endpoint.address, *end.stack);
      if (!is_new && end.stack->confidence > known->second.confidence) known->second = *end.stack;
    }
  }
  std::map<std::string, std::vector<std::string>> addresses;  // by what is said of them
  for (const auto& [address, guess] : stacks) {
    const char* const doubt = guess.confidence == Confidence::high     ? ""
                              : guess.confidence == Confidence::medium ? "probably "
                                                                       : "perhaps ";
    addresses[std::string(doubt) + stack_name(guess.stack) + ", by " + guess.sign].push_back(
        to_string(address));
  }
  for (const auto& [what, all] : addresses) {
    std::string text;
    for (std::size_t at = 0; at < std::min(all.size(), most); ++at) text += (at == 0 ? "" : ", ") + all[at];
    if (all.size() > most) text += " and " + std::to_string(all.size() - most) + " more";
    page.paragraph("  (", text + ": " + what + ")");
  }
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
    std::string ends = to_string(initiator.endpoint) + " → " + to_string(responder.endpoint);
    if (row->llp == Llp::sctp) ends += ", " + sctp_text(row->sctp);
    cells.push_back({std::to_string(row->id), std::move(ends), row->rejected ? "rejected" : row->start,
                     row->role_basis == RoleBasis::mpa ? "-" : role_basis_name(row->role_basis),
                     row->revision ? std::to_string(*row->revision) : "-", crc_use_text(*row),
                     markers_text(*row), depths_text(*row), row->rtr == nullptr ? "-" : row->rtr});
  }
  page.table(columns, cells);
  print_legend(page, rows);
  print_stacks(page, rows);
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

std::string stream_likeness(const StreamRow& row) {
  const auto& [initiator, responder] = row.ends;
  std::string text = to_string(initiator.endpoint.address) + " → " + to_string(responder.endpoint) + ", ";
  if (row.llp == Llp::sctp) text += "SCTP, ";
  text += row.rejected ? "rejected" : row.start;
  if (row.role_basis != RoleBasis::mpa)
    text += std::string(" (roles ") + role_basis_name(row.role_basis) + ")";
  if (row.revision) text += ", rev " + std::to_string(*row.revision);
  if (!row.rejected && row.llp == Llp::tcp) text += ", CRC " + crc_use_text(row);
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
  print_carried(page, rows);
  page.heading("How they ended");
  print_ends(page, rows);
}

}  // namespace iwarp::report
