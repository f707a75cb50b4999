// What was transferred, how long it took, and the Terminates.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <iwarp/export/names.hpp>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

std::string counts_text(const std::array<std::uint64_t, wire::opcode_count>& messages) {
  std::string text;
  std::uint64_t unknown = 0;
  for (unsigned at = 0; at < wire::opcode_count; ++at) {
    const auto opcode = static_cast<wire::Opcode>(at);
    const std::uint64_t count = messages[at];
    if (!wire::is_known(opcode)) {
      unknown += count;
    } else if (count != 0) {
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + wire::opcode_title(opcode);
    }
  }
  if (unknown != 0) text += (text.empty() ? "" : ", ") + std::to_string(unknown) + " of unknown opcode";
  return text;
}

// Complete messages, then those that never were: open at the end, given up, or with octets missing.
std::string messages_text(const Content& content) {
  const std::string complete = counts_text(content.messages);
  const std::string incomplete = counts_text(content.incomplete);
  return (complete.empty() ? "none" : complete) + (incomplete.empty() ? "" : "; incomplete: " + incomplete);
}

std::string statuses_text(const std::array<std::uint64_t, 5>& statuses) {
  std::string text;
  for (std::size_t status = 0; status < statuses.size(); ++status) {
    if (statuses[status] == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(statuses[status]) + " ";
    const auto value = static_cast<OperationStatus>(status);
    text += value == OperationStatus::unknown ? "of unknown outcome" : operation_status_name(value);
  }
  return text;
}

std::vector<std::string> latency_row(const char* what, const Histogram& latency) {
  const auto text = latency.exact() ? duration_text : rough_duration_text;
  return {what,
          std::to_string(latency.count()),
          duration_text(latency.least()),
          text(latency.percentile(50)),
          text(latency.percentile(99)),
          duration_text(latency.greatest())};
}

void print_latencies(Page& page, const Content& content) {
  std::vector<std::vector<std::string>> rows;
  if (content.read_first.count() != 0) rows.push_back(latency_row("Read, first octet", content.read_first));
  if (content.read_full.count() != 0) rows.push_back(latency_row("Read, whole", content.read_full));
  if (content.atomic.count() != 0) rows.push_back(latency_row("Atomic", content.atomic));
  if (rows.empty()) return;
  page.heading("Latency, at the point of capture");
  page.table({{"from request to"},
              {"count", true},
              {"least", true},
              {"p50", true},
              {"p99", true},
              {"greatest", true}},
             rows);
}

// Some FPDUs came in a bad copy and in a good one: both copies count.
std::string crc_text(const CrcCounts& counts, std::uint64_t fpdus) {
  const std::uint64_t twice = counts.good + counts.bad + counts.unchecked - fpdus;
  std::string text = std::to_string(counts.good) + " good, " + std::to_string(counts.bad) + " bad";
  if (twice != 0) text += " (" + std::to_string(twice) + " with a good copy, too)";
  return text + ", " + std::to_string(counts.unchecked) + " unchecked";
}

}  // namespace

void print_transfer(Page& page, const Content& content) {
  page.heading("Transferred");
  const auto& [fpdus_to, fpdus_back] = content.fpdus;
  const auto& [payload_to, payload_back] = content.payload_octets;
  const auto& [again_to, again_back] = content.retransmitted_octets;
  const bool many = content.streams > 1;
  if (fpdus_to + fpdus_back == 0) {
    page.paragraph("  ", "nothing: no FPDU was captured");
  } else {
    page.paragraph("  messages  ", messages_text(content));
    const bool empty = payload_to + payload_back == 0;
    page.paragraph("  payload   ", empty ? "none"
                                         : octets_text(payload_to) + " from the initiator" +
                                               (many ? "s" : "") + ", " + octets_text(payload_back) +
                                               " from the responder" + (many ? "s" : ""));
    page.paragraph("  FPDUs     ", std::to_string(fpdus_to + fpdus_back) + "; CRC " +
                                       crc_text(content.crc_counts, fpdus_to + fpdus_back));
  }
  const std::string reads = statuses_text(content.statuses[0]);
  if (!reads.empty()) page.paragraph("  reads     ", reads);
  const std::string atomics = statuses_text(content.statuses[1]);
  if (!atomics.empty()) page.paragraph("  atomics   ", atomics);
  if (again_to + again_back != 0)
    page.paragraph("  again     ", octets_text(again_to + again_back) + " retransmitted");
  if (content.gaps != 0) {
    page.paragraph("  missing   ",
                   octets_text(content.gap_octets) + " in " + count_text(content.gaps, "gap"));
  }
  print_latencies(page, content);
  print_time_spent(page, content.spent);
}

void print_terminates(Page& page, const Content& content) {
  if (content.terminates.empty()) return;
  page.heading("Terminates");
  std::vector<const std::pair<const TerminateKey, TerminateGroup>*> groups;
  for (const auto& group : content.terminates) groups.push_back(&group);
  std::sort(groups.begin(), groups.end(),
            [](const auto* a, const auto* b) { return a->second.first.frame < b->second.first.frame; });
  for (const auto* const entry : groups) {
    const TerminateGroup& group = entry->second;
    const TerminateSeen& seen = group.first;
    const Role from = std::get<Role>(entry->first);
    TextBuffer text;
    if (seen.code_captured) {
      text.append(wire::describe_terminate(seen.meant.value()).name);
      text.append(" (sent as ");
      text.append_hex(seen.raw, 8);
      text.append(seen.bit_order == wire::BitOrder::siw ? ", siw's bit order)" : ")");
    } else {
      text.append("a Terminate whose code was not captured,");
    }
    text.append(" by the ");
    text.append(role_name(from));
    text.append(", stream " + std::to_string(group.stream) + ", frame " + std::to_string(seen.frame));
    if (seen.quoted_frame != 0) {
      text.append(", refusing the " + std::string(wire::opcode_title(seen.quoted_opcode)) + " of frame " +
                  std::to_string(seen.quoted_frame));
    } else if (seen.cause_frame != 0) {
      text.append(", because of frame " + std::to_string(seen.cause_frame));
    }
    if (group.count > 1) text.append("; and " + std::to_string(group.count - 1) + " more like it");
    TextBuffer value;
    value.append("  ");
    if (seen.code_captured) {
      value.append_hex(seen.meant.value(), 4);
    } else {
      value.append("?     ");
    }
    value.append("  ");
    page.paragraph(value.view(), text.view());
  }
  if (content.ungrouped_terminates != 0) {
    page.paragraph("  … ", std::to_string(content.ungrouped_terminates) + " more");
  }
}

}  // namespace iwarp::report
