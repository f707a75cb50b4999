// Findings by whom they accuse, and messages of several segments to accuse one of.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "established.hpp"

namespace iwarp::test::established {

inline constexpr std::uint32_t piece = 100;  // octets of a segment's payload
inline constexpr std::size_t pieces = 6;     // segments of a message

// What is found, with the frame that each finding accuses: "DDP-MOSEQ 9".
inline Told accused(const Analysed& result) {
  Told lines;
  for (const Event& event : result.of(EventKind::finding)) {
    if (event.finding.severity < Severity::warning) continue;
    lines.push_back(std::string(check_info(event.finding.check).id) + " " +
                    std::to_string(event.finding.evidence[0]));
  }
  return lines;
}
inline std::string accusation(const char* id, std::uint64_t frame) {
  return std::string(id) + " " + std::to_string(frame);
}

inline Bytes part(std::size_t index, std::uint32_t size = piece) {
  return pattern(size, static_cast<unsigned>(index));
}

}  // namespace iwarp::test::established
