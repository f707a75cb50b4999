// Tables of a comparison's text.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compare/cause.hpp"
#include "compare/comparison.hpp"
#include "compare/entry_lines.hpp"
#include "compare/render.hpp"

namespace iwarp::replay {

// " 72 64 6d 61": the first eight octets, at most.
[[nodiscard]] std::string first_octets(ByteView octets);

// For each role and kind: how many were recorded, are live, are the same, and had their payload compared.
[[nodiscard]] std::string kinds_table(const Comparison& comparison, const StreamLog& recorded,
                                      const StreamLog& live);
// Recorded and live latencies, side by side.
[[nodiscard]] std::string latency_table(const Comparison& comparison);
// What both logs did last before the first divergence, side by side, with frames and times; then the cause,
// the first divergence and its answer; and a legend of the STags in it. `…_upto`: by role, how far they had
// come. REQUIRES: there is one.
[[nodiscard]] std::string context_table(const Cause& cause, const Comparison& comparison, LinedLogs& logs,
                                        const std::array<std::size_t, 2>& recorded_upto,
                                        const std::array<std::size_t, 2>& live_upto,
                                        const RenderOptions& options);
// Octets of both where payload differs; empty where it does not.
[[nodiscard]] std::string payload_text(const Difference& difference, const StreamLog& recorded,
                                       const StreamLog& live);

}  // namespace iwarp::replay
