// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/slowest.hpp"

namespace iwarp::gui {

TimeSpan span_of_operation(const Metrics& metrics, std::uint32_t row) {
  const OperationTable& table = metrics.operations();
  const TimeSpan span{table.time_ns(row), table.time_ns(row) + table.latency_ns(row) + 1};
  const TimeNs around = static_cast<TimeNs>(span.length() / 10 + 1);
  return {span.from - around, span.upto + around};
}

}  // namespace iwarp::gui
