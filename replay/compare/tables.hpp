// Tables of a comparison's text.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "compare/render.hpp"

namespace iwarp::replay {

// The first entries of a role, as many as `end`, as lines.
[[nodiscard]] std::vector<std::string> lines_of(const StreamLog& log, Role role, std::size_t end);

// " 72 64 6d 61": the first eight octets, at most.
[[nodiscard]] std::string first_octets(ByteView octets);

// For each role and kind: how many were recorded, are live, are the same, and had their payload compared.
[[nodiscard]] std::string kinds_table(const Comparison& comparison, const StreamLog& recorded,
                                      const StreamLog& live);
// Recorded and live latencies, side by side.
[[nodiscard]] std::string latency_table(const Comparison& comparison);
// What both logs did last before the first divergence, side by side, with frames and times; and the first
// divergence itself. `…_upto`: by role, how far they had come. REQUIRES: there is one.
[[nodiscard]] std::string context_table(const Comparison& comparison, const StreamLog& recorded,
                                        const StreamLog& live,
                                        const std::array<std::size_t, 2>& recorded_upto,
                                        const std::array<std::size_t, 2>& live_upto,
                                        const RenderOptions& options);
// Octets of both where payload differs; empty where it does not.
[[nodiscard]] std::string payload_text(const Difference& difference, const StreamLog& recorded,
                                       const StreamLog& live);

}  // namespace iwarp::replay
