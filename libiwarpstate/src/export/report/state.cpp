// The state of one connection as a person reads it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <iwarp/export/names.hpp>

#include "base/quantities.hpp"
#include "export/report/page.hpp"
#include "export/report/sections.hpp"

namespace iwarp {

namespace {

std::string hex_text(std::uint64_t value, unsigned digits) {
  TextBuffer text;
  text.append_hex(value, digits);
  return std::string(text.view());
}

std::string mode_text(Mode mode) {
  return mode == Mode::on ? "on" : mode == Mode::off ? "off" : "not known";
}

std::string depth_text(const Depth& depth) {
  if (depth.effective) return std::to_string(*depth.effective);
  if (!depth.offered) return "not known";
  return depth.offered == wire::depth_not_negotiated ? "left open"
                                                     : std::to_string(*depth.offered) + " offered";
}

const char* phase_words(Phase phase) noexcept {
  switch (phase) {
    case Phase::streaming: return "Streaming";
    case Phase::startup: return "start-up frame sent";
    case Phase::fpdu: return "Full Operation";
    case Phase::lost: return "Full Operation, framing lost";
    case Phase::closed: return "closed";
  }
  return "?";
}

std::string next_msn_text(const SideState& side) {
  std::string text;
  for (const QueueState& queue : side.queues) {
    if (!text.empty()) text += ", ";
    text += queue.known && !queue.baseline ? std::to_string(queue.next_msn) : "?";
  }
  return text;
}

std::string messages_text(const SideState& side) {
  std::uint64_t count = 0;
  for (const std::uint64_t messages : side.messages) count += messages;
  return std::to_string(count);
}

std::string outstanding_text(const ConnectionState& connection, const SideState& side) {
  if (!connection.outstanding_known()) return "not known";
  return std::to_string(side.outstanding()) + ", " + std::to_string(side.max_outstanding);
}

std::vector<std::string> side_column(const ConnectionState& connection, Role role) {
  const SideState& side = connection.side(connection.side_of(role));
  const Depth& ird = connection.mpa.ird[static_cast<std::size_t>(role)];
  const Depth& ord = connection.mpa.ord[static_cast<std::size_t>(role)];
  const CrcCounts& crc = side.crc_counts;
  return {phase_words(side.phase),
          report::qp_value_text(side.qp),
          report::qp_evidence_text(side.qp),
          mode_text(side.crc) + ", " + mode_text(side.known_markers()),
          depth_text(ird) + ", " + depth_text(ord),
          next_msn_text(side),
          std::to_string(side.fpdus) + ", " + messages_text(side),
          std::to_string(crc.good) + ", " + std::to_string(crc.bad) + ", " + std::to_string(crc.unchecked),
          octets_text(side.payload_octets),
          outstanding_text(connection, side),
          side.gaps == 0 ? "-" : count_text(side.gaps, "gap") + ", " + octets_text(side.gap_octets),
          side.retransmitted_octets == 0 ? "-" : octets_text(side.retransmitted_octets)};
}

void print_request(report::Page& page, const Request& request) {
  const bool read = request.kind == RequestKind::read;
  if (request.partial) {
    const std::string where = request.unseen ? "in a gap" : "frame " + std::to_string(request.placed.frame);
    page.paragraph("    request ",
                   where + ", MSN " + std::to_string(request.msn) + ", its header was not captured");
    return;
  }
  std::string text = "frame " + std::to_string(request.placed.frame) + ", MSN " +
                     std::to_string(request.msn) + ", " + count_text(request.size, "octet") + " of STag " +
                     hex_text(request.source_stag, 8) + " TO " + hex_text(request.source_to, 16);
  if (read) text += " to STag " + hex_text(request.sink_stag, 8) + " TO " + hex_text(request.sink_to, 16);
  if (!read) text += ", request identifier " + hex_text(request.request_id, 8);
  if (request.received != 0) text += "; " + std::to_string(request.received) + " came";
  page.paragraph(read ? "    Read    " : "    Atomic  ", text);
}

void print_open(report::Page& page, const OpenMessage& message, bool tagged) {
  if (!message.active) return;
  std::string text = std::string(wire::opcode_title(message.opcode)) + " since frame " +
                     std::to_string(message.first_frame) + ", " + count_text(message.length, "octet") +
                     " in " + count_text(message.segments, "segment");
  if (tagged) {
    text += ", STag " + hex_text(message.stag, 8) + " TO " + hex_text(message.to, 16);
  } else {
    text += ", queue " + std::to_string(message.queue) + " MSN " + std::to_string(message.msn);
  }
  if (message.holed) text += ", octets missing";
  page.paragraph("    open    ", text);
}

void print_work(report::Page& page, const SideState& side, Role role) {
  constexpr std::size_t max_requests = 16;
  const bool open = side.write->active || side.interrupted_write->active || side.read_response->active ||
                    std::any_of(side.queues.begin(), side.queues.end(),
                                [](const auto& queue) { return queue.open.active; });
  if (side.requests.empty() && !open) return;
  page.paragraph("  ", std::string("of the ") + role_name(role) + ":");
  std::size_t printed = 0;
  for (const Request& request : side.requests) {
    if (printed++ == max_requests) break;
    print_request(page, request);
  }
  if (side.requests.size() > max_requests) {
    page.paragraph("    … ", std::to_string(side.requests.size() - max_requests) + " more outstanding");
  }
  for (const QueueState& queue : side.queues) print_open(page, queue.open, false);
  print_open(page, *side.interrupted_write, true);
  print_open(page, *side.write, true);
  print_open(page, *side.read_response, true);
}

}  // namespace

void print_state(TextBuffer& out, const ConnectionState& connection, FrameNumber frame, bool color) {
  static constexpr const char* titles[] = {"phase",
                                           "queue pair",
                                           "known by",
                                           "CRC, markers",
                                           "IRD, ORD",
                                           "next MSN, queues 0 to 3",
                                           "FPDUs, messages",
                                           "CRCs good, bad, unchecked",
                                           "payload",
                                           "outstanding, most",
                                           "gaps",
                                           "sent again"};
  report::Page page(out, color);
  const Side initiator = connection.side_of(Role::initiator);
  page.caption("Stream " + std::to_string(connection.id) + " after frame " + std::to_string(frame) + ": " +
               to_string(connection.endpoints[index(initiator)]) + " → " +
               to_string(connection.endpoints[index(other(initiator))]) +
               (connection.llp == Llp::sctp ? ", " + sctp_text(connection.sctp) : ""));
  const auto left = side_column(connection, Role::initiator);
  const auto right = side_column(connection, Role::responder);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < left.size(); ++at) {
    if (left[at] != "-" || right[at] != "-") rows.push_back({titles[at], left[at], right[at]});
  }
  page.table({{""}, {"initiator"}, {"responder"}}, rows);
  print_work(page, connection.side(initiator), Role::initiator);
  print_work(page, connection.side(other(initiator)), Role::responder);
}

}  // namespace iwarp
