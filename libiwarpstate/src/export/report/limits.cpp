// What a capture cannot tell: undecidable rules, what was not analysed, captures without iWARP.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <string_view>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

const char* reason_words(Reason reason) noexcept {
  switch (reason) {
    case Reason::gap: return "octets never captured";
    case Reason::midstream: return "the connection began before the capture";
    case Reason::snaplen: return "cut by the snapshot length";
    case Reason::one_direction: return "the other direction was not captured";
    case Reason::mode_unknown: return "CRC or marker use not known";
    case Reason::not_negotiated: return "limit never negotiated";
    case Reason::mss_unknown: return "no SYN with an MSS captured";
    case Reason::bad_crc: return "a bad CRC before it";
    case Reason::unreadable: return "octets in which no FPDU can be read";
    case Reason::capture_end: return "the capture ends first";
    case Reason::limit: return "what would decide it is no longer kept";
    case Reason::skew: return "the two directions are out of step in the capture";
    case Reason::broken_request: return "the request breaks a rule itself";
    case Reason::ulp_unknown: return "the ULP says it, in octets that are not read";
    case Reason::count: break;
  }
  return "?";
}

// Frames that were skipped for reasons with `word` in their names.
std::uint64_t frames_skipped(const Summary& summary, std::string_view word) {
  std::uint64_t frames = 0;
  for (const auto& [reason, count] : summary.skipped) {
    if (reason.find(word) != std::string::npos) frames += count;
  }
  return frames;
}

}  // namespace

void print_undecidable(Page& page, const Summary& summary, bool narrowed) {
  if (summary.undecidable.empty()) return;
  page.heading(narrowed ? "Not decidable from this capture, all streams together"
                        : "Not decidable from this capture");
  for (std::size_t reason = 0; reason < static_cast<std::size_t>(Reason::count); ++reason) {
    std::string checks;
    for (const auto& [check, counts] : summary.undecidable) {
      if (counts[reason] == 0) continue;
      checks += (checks.empty() ? "" : ", ") + std::string(check_info(check).id);
      if (counts[reason] > 1) checks += "×" + std::to_string(counts[reason]);
    }
    if (!checks.empty())
      page.paragraph("  ", reason_words(static_cast<Reason>(reason)) + std::string(": ") + checks);
  }
}

void print_skipped(Page& page, const Summary& summary) {
  std::string text;
  for (const auto& [reason, count] : summary.skipped) {
    text += (text.empty() ? "" : ", ") + count_text(count, "frame") + " (" + reason + ")";
  }
  if (summary.other_streams != 0) {
    text += (text.empty() ? "" : ", ") + count_text(summary.other_streams, "TCP stream") + " without iWARP";
  }
  if (summary.let_go_streams != 0) {
    text += ", " + std::to_string(summary.let_go_streams) +
            " of them let go before they ended, as the limit of memory (--max-memory) or of connections at "
            "once was "
            "reached: what came of them later counts as another stream";
  }
  if (text.empty()) return;
  page.heading("Not analysed");
  page.paragraph("  ", text);
}

void print_no_iwarp(Page& page, const Summary& summary) {
  page.heading("No iWARP was found");
  if (summary.frames == 0) {
    page.paragraph("  ", "The capture holds no frames.");
    return;
  }
  if (summary.other_streams == 0 && frames_skipped(summary, " cut") != 0) {
    page.paragraph(
        "  ",
        "No TCP segment could be read: frames were cut by the snapshot length before their TCP headers end. "
        "Capture whole frames (tcpdump -s 0).");
    return;
  }
  if (summary.other_streams == 0 && frames_skipped(summary, "unknown link type") == summary.frames) {
    page.paragraph(
        "  ",
        "No frame could be read: of this link type only its number is known. Captures of Ethernet, "
        "Linux cooked, loopback and raw IP can be read.");
    return;
  }
  if (summary.other_streams == 0) {
    page.paragraph(
        "  ",
        "The capture holds no TCP segments. iWARP runs over TCP: RoCE (UDP port 4791) and InfiniBand "
        "are other protocols. Was the capture taken on the right interface, without a filter that "
        "drops TCP?");
    return;
  }
  const std::string ports = busiest_other_ports(summary);
  page.paragraph("  ", count_text(summary.other_streams, "TCP stream") +
                           (summary.other_streams == 1 ? ", which is not MPA." : ", none of them MPA.") +
                           (ports.empty() ? "" : " Ports: " + ports + ".") + " To check:");
  page.paragraph("  - ",
                 "Where was it captured? A NIC that offloads iWARP hides it from the host's packet capture: "
                 "capture at a switch, or with the NIC's own sniffer.");
  page.paragraph("  - ",
                 "Does it hold the RDMA connections? A capture filter by port may have kept only the "
                 "out-of-band ones.");
  page.paragraph("  - ",
                 "Were frames cut? Below about 100 octets (tcpdump -s) headers are missing; use -s 0.");
  page.paragraph("  - ",
                 "Did it begin after the connections? Streams are recognised midway by their FPDUs, but only "
                 "from several of them in a row.");
  page.paragraph("  - ", "Is the traffic inside TLS, IPsec or an unknown tunnel?");
}

}  // namespace iwarp::report
