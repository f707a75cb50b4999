// What the capture lacks: how far everything else can be trusted.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <string>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp::report {

namespace {

std::string words_of(Flaw flaw, const Content& content) {
  switch (flaw) {
    case Flaw::one_direction: return "only one direction was captured: what rests on the other is not judged";
    case Flaw::midstream: return "began before the capture: what was agreed then is inferred, or not known";
    case Flaw::gaps:
      return (content.flawed[static_cast<std::size_t>(Flaw::cut)] == 0
                  ? count_text(content.gaps, "gap") + ", " + octets_text(content.gap_octets)
                  : std::string("octets")) +
             " never captured: the capture dropped packets, or its filter did";
    case Flaw::cut: return "cut by the snapshot length (tcpdump -s): payload and CRCs are not checked";
    case Flaw::duplicates:
      return "packets twice: two mirrors, or both ways into and out of a host; the copies are not counted";
    case Flaw::backward: return "times run backward: latencies are as good as these";
    case Flaw::checksums: return "wrong TCP checksums: captured before an offloading NIC, or damaged";
  }
  return "?";
}

}  // namespace

void print_quality(Page& page, const Content& content) {
  bool any = false;
  for (std::size_t at = 0; at < flaw_count; ++at) {
    const std::uint64_t streams = content.flawed[at];
    if (streams == 0) continue;
    if (!any) page.heading("What the capture lacks");
    any = true;
    const std::string first = content.streams == 1 ? "  " : "  " + count_text(streams, "stream") + ": ";
    page.paragraph(first, words_of(static_cast<Flaw>(at), content));
  }
}

}  // namespace iwarp::report
