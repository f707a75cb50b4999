// The parts of a report, each written where there is something to say.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <iwarp/export/summary.hpp>

#include "export/report/content.hpp"
#include "export/report/page.hpp"

namespace iwarp::report {

// "rts (first FPDU, frame 8)"
[[nodiscard]] std::string qp_text(const QpState& qp);

// Which streams there are, what they negotiated, what they carried and how they ended.
void print_streams(Page& page, const Content& content);
// Messages, FPDUs, latencies.
void print_transfer(Page& page, const Content& content, const Summary& summary);
void print_terminates(Page& page, const Content& content);
// What is wrong, what cannot be decided, what was not analysed.
void print_findings(Page& page, const Content& content, const Summary& summary);
void print_undecidable(Page& page, const Summary& summary);
void print_skipped(Page& page, const Summary& summary);
// In place of all that for a capture without iWARP.
void print_no_iwarp(Page& page, const Summary& summary);

}  // namespace iwarp::report
