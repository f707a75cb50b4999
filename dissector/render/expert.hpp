// Findings as expert items, one kind for each check of findings.def; and, one kind for all, what the capture
// cannot decide.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

void register_expert(int protocol);

// The finding in words, in memory of `pool`.
const char* words_of(wmem_allocator_t* pool, const Finding& finding) noexcept;

// Adds the finding below `tree`, and the expert item to the field of `tree` that breaks the rule, else to the
// finding.
void render_finding(const Frame& frame, proto_tree* tree, const Event& event);
// The same for the undecidable verdicts among the conclusions.
void render_undecidables(const Frame& frame, proto_tree* tree, Events conclusions);
// The expert items alone, for frames whose tree nobody wants: the Expert Information window, the column and
// the lamp in Wireshark's status bar know of them all the same. Filters of epan's own fields
// (_ws.expert.severity) find only those below `item`, which may be nullptr.
void add_expert_items(const Frame& frame, proto_item* item, Events events);
// The column "Expert Info Severity".
void render_expert_column(const Frame& frame);

}  // namespace iwarp::dissector
