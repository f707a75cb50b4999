// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/traffic.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace iwarp::gui {

const char* traffic_name(TrafficKind kind) noexcept {
  switch (kind) {
    case TrafficKind::write: return "Write";
    case TrafficKind::send: return "Send";
    case TrafficKind::read_response: return "Read Response";
    case TrafficKind::read_request: return "Read Request";
    case TrafficKind::other: return "other";
  }
  return "";
}

TrafficKind traffic_kind(wire::Opcode opcode) noexcept {
  switch (opcode) {
    case wire::Opcode::rdma_write: return TrafficKind::write;
    case wire::Opcode::read_response: return TrafficKind::read_response;
    case wire::Opcode::read_request: return TrafficKind::read_request;
    case wire::Opcode::send:
    case wire::Opcode::send_inv:
    case wire::Opcode::send_se:
    case wire::Opcode::send_se_inv: return TrafficKind::send;
    default: return TrafficKind::other;
  }
}

Traffic::Traffic(const MessageTable& table, const RowList& rows) : messages_(rows.size()) {
  std::array<std::array<std::vector<std::pair<TimeNs, std::uint64_t>>, traffic_kinds>, 2> found;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::uint32_t row = rows[at];
    found[static_cast<std::size_t>(table.from(row))]
         [static_cast<std::size_t>(traffic_kind(table.opcode(row)))]
             .emplace_back(table.time_ns(row), table.length(row));
  }
  for (std::size_t role = 0; role < 2; ++role) {
    for (std::size_t kind = 0; kind < traffic_kinds; ++kind) {
      auto& all = found[role][kind];
      if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
      Series& series = series_[role][kind];
      std::uint64_t sum = 0;
      for (const auto& [time, octets] : all) {
        series.times.push_back(time);
        series.octets.push_back(sum += octets);
      }
    }
  }
}

Traffic::Sum Traffic::over(Role from, TrafficKind kind, TimeSpan span, Work& work) const {
  const Series& series = series_[static_cast<std::size_t>(from)][static_cast<std::size_t>(kind)];
  const std::size_t begin = series.times.first_at(span.from);
  const std::size_t end = series.times.first_at(std::max(span.from, span.upto), begin);
  work.visited += 2 * static_cast<std::size_t>(std::bit_width(series.times.size())) + 1;
  if (begin == end) return {};
  return {end - begin, series.octets[end - 1] - (begin > 0 ? series.octets[begin - 1] : 0)};
}

}  // namespace iwarp::gui
