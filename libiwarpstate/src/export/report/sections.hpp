// The parts of a report, each written where there is something to say.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <iwarp/export/summary.hpp>

#include "export/report/content.hpp"
#include "export/report/page.hpp"

namespace iwarp::report {

// The states of a queue pair as Verbs 1.0 §6.2 writes them: "Idle", "RTS" …
[[nodiscard]] const char* qp_value_words(QpValue value) noexcept;
[[nodiscard]] std::string qp_value_text(const QpState& qp);     // "probably RTS"
[[nodiscard]] std::string qp_evidence_text(const QpState& qp);  // "first FPDU, frame 8"
[[nodiscard]] std::string qp_text(const QpState& qp);           // "probably RTS (first FPDU, frame 8)"

// What the capture lacks.
void print_quality(Page& page, const Content& content);
// What cost streams time.
void print_costs(Page& page, const Content& content);
// Which streams there are, what they negotiated, what they carried and how they ended.
void print_streams(Page& page, const Content& content);
// The part of it on what the streams `rows` carried, sent again and lack.
using Rows = std::vector<const StreamRow*>;
void print_carried(Page& page, const Rows& rows);
// Messages, FPDUs, latencies.
void print_transfer(Page& page, const Content& content);
void print_time_spent(Page& page, const TimeSpent& spent);
void print_terminates(Page& page, const Content& content);
// What is wrong, what cannot be decided, what was not analysed. `undecided`: some rules could not be decided.
void print_findings(Page& page, const Content& content, bool undecided);
// Counted for the capture as a whole, not by stream: `narrowed` says that the report is about one of several.
void print_undecidable(Page& page, const Summary& summary, bool narrowed);
void print_skipped(Page& page, const Summary& summary);
// In place of all that for a capture without iWARP.
void print_no_iwarp(Page& page, const Summary& summary);

}  // namespace iwarp::report
