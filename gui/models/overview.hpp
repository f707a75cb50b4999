// Overview: a whole capture in some thousand bins of time, as the minimap shows it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <iwarp/analyzer.hpp>

#include "models/time_bins.hpp"

namespace iwarp::gui {

struct OverviewCell {
  std::uint64_t octets = 0;         // of captured frames, as they were on the wire
  std::uint64_t frames = 0;         // … and how many
  std::uint64_t gap_octets = 0;     // that were never captured
  std::uint64_t late = 0;           // of FPDUs that came late: see LateFpdus
  std::uint64_t retransmitted = 0;  // octets sent again
  std::uint32_t findings = 0;
  Severity worst = Severity::information;  // of these

  OverviewCell& operator+=(const OverviewCell& more) noexcept {
    octets += more.octets;
    frames += more.frames;
    gap_octets += more.gap_octets;
    late += more.late;
    retransmitted += more.retransmitted;
    findings += more.findings;
    worst = std::max(worst, more.worst);
    return *this;
  }
};

struct Overview {
  static constexpr std::size_t most_bins = 2048;

  TimeBins<OverviewCell> bins{most_bins};
  TimeSpan span;  // from the earliest frame to behind the latest one; empty: no frame had a time

  void add_frame(TimeNs time, std::uint64_t wire_octets);
  // `late`: it is of an FPDU that came late.
  void add(const Event& event, bool late = false);
};

}  // namespace iwarp::gui
