// What to leave out of a capture that was too large for memory: the streams that took most of it, or time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include <vector>

#include <iwarp/metrics.hpp>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

struct BusyStream {
  std::uint32_t row = 0;  // of StreamTable
  ConnectionId connection = 0;
  double share = 0;  // of what memory is taken for: FPDUs, messages, operations of all streams
};

// The busiest first, at most `most` of them, none below one percent. O(streams).
[[nodiscard]] std::vector<BusyStream> busiest_streams(const Metrics& metrics, std::size_t most);
// Sentences and the commands for it: without which streams, or behind which time, the rest of `file` may be
// read. Empty: no stream was found. `span`: what was read.
[[nodiscard]] QString leave_out_words(const Metrics& metrics, TimeSpan span, const QString& file);

}  // namespace iwarp::gui
