// Summary: counting frames and events.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/summary.hpp>

#include <algorithm>
#include <string_view>

namespace iwarp {

CheckId same_id_check(CheckId check) noexcept {
  static const auto first_with_id = [] {
    std::array<CheckId, check_count> table{};
    for (unsigned row = 0; row < check_count; ++row) {
      const std::string_view id = check_info(static_cast<CheckId>(row)).id;
      unsigned first = 0;
      while (id != check_info(static_cast<CheckId>(first)).id) ++first;
      table[row] = static_cast<CheckId>(first);
    }
    return table;
  }();
  const auto row = static_cast<unsigned>(check);
  return row < check_count ? first_with_id[row] : check;
}

void Summary::add_frame(std::uint64_t captured_octets, TimeNs time_ns, bool has_time) noexcept {
  ++frames;
  octets += captured_octets;
  if (!has_time) return;
  first_time_ns = timed ? std::min(first_time_ns, time_ns) : time_ns;
  last_time_ns = timed ? std::max(last_time_ns, time_ns) : time_ns;
  timed = true;
}

void Summary::add(const Event& event, const ConnectionState* connection) {
  switch (event.kind) {
    case EventKind::message:
      if (event.message.end == MessageEnd::complete) {
        ++messages[static_cast<unsigned>(event.message.opcode) % wire::opcode_count];
      }
      break;
    case EventKind::finding: ++findings[static_cast<unsigned>(event.finding.severity) & 3U]; break;
    case EventKind::closed:
      if (connection == nullptr) break;
      ++(connection->iwarp ? streams : other_streams);
      if (!connection->iwarp && event.closed.cause == CloseCause::evicted) ++let_go_streams;
      break;
    default: break;
  }
}

}  // namespace iwarp
