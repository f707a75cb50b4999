// Selection: the one thing that is selected, in all views.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/metrics.hpp>

namespace iwarp::gui {

// An STag belongs to a host, whatever connections use it.
struct StagName {
  IpAddress host;
  std::uint32_t stag = 0;

  auto operator<=>(const StagName&) const = default;
};

// At most one of operation, message, finding and stag is there. What the thing tells of its stream, frame and
// time is there as well, so that each view finds it in its own way.
struct Selection {
  std::optional<ConnectionId> stream;
  std::optional<std::uint32_t> operation;  // row of Metrics::operations
  std::optional<std::uint32_t> message;    // row of Metrics::messages
  std::optional<std::uint32_t> finding;    // row of Metrics::findings
  std::optional<StagName> stag;
  std::optional<FrameNumber> frame;
  std::optional<TimeNs> time;

  bool operator==(const Selection&) const = default;
};

// REQUIRES: row is below the table's size.
[[nodiscard]] Selection select_stream(const Metrics& metrics, std::size_t row);
[[nodiscard]] Selection select_operation(const Metrics& metrics, std::size_t row);
[[nodiscard]] Selection select_message(const Metrics& metrics, std::size_t row);
[[nodiscard]] Selection select_finding(const Metrics& metrics, std::size_t row);

}  // namespace iwarp::gui
