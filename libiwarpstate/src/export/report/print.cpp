// Report::print: the parts in their order.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <string>

#include "base/quantities.hpp"
#include "export/report/sections.hpp"

namespace iwarp {

void Report::print(TextBuffer& out, std::string_view name, const Summary& summary, bool stopped) const {
  report::Page page(out, content_->options.color);
  std::string size = count_text(summary.frames, "frame") + ", " + octets_text(summary.octets);
  if (summary.timed) {
    size += " captured in " +
            duration_text(static_cast<std::uint64_t>(summary.last_time_ns - summary.first_time_ns));
  }
  size += ", " + count_text(summary.streams, "iWARP stream");
  const bool narrowed = content_->options.stream && summary.streams > 1;
  const bool fits = text_width(name) + 2 + text_width(size) <= report::page_width;
  if (!fits) page.paragraph(name, ":");
  page.paragraph(fits ? std::string(name) + ": " : "  ", size);
  if (stopped)
    page.paragraph("", "Reading stopped before the end of the capture: this is about the part before it.");
  if (summary.streams == 0) {
    report::print_no_iwarp(page, summary);
  } else if (content_->streams == 0) {
    const ConnectionId stream = content_->options.stream.value_or(0);
    const std::uint64_t count = summary.streams + summary.other_streams;
    page.paragraph("", stream < count ? "Stream " + std::to_string(stream) + " is TCP without iWARP."
                                      : "There is no stream " + std::to_string(stream) +
                                            ": the last one is " + std::to_string(count - 1) + ".");
  } else {
    if (narrowed) {
      page.paragraph("", "This is about stream " + std::to_string(*content_->options.stream) + " of them.");
    }
    report::print_quality(page, *content_);
    report::print_costs(page, *content_);
    report::print_streams(page, *content_);
    report::print_transfer(page, *content_);
    report::print_terminates(page, *content_);
    report::print_findings(page, *content_, !summary.undecidable.empty());
    report::print_undecidable(page, summary, narrowed);
  }
  report::print_skipped(page, summary);
}

}  // namespace iwarp
