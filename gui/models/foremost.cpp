// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/foremost.hpp"

#include <algorithm>

namespace iwarp::gui {
namespace {

bool has_error(const StreamCounts& counts) {
  return counts.findings[static_cast<std::size_t>(Severity::error)] > 0;
}

bool comes_before(const StreamCounts& one, const StreamCounts& other) {
  if (has_error(one) != has_error(other)) return has_error(one);
  if (one.longest_ns != other.longest_ns) return one.longest_ns > other.longest_ns;
  return one.octets + one.messages > other.octets + other.messages;
}

bool far_before(const StreamCounts& one, const StreamCounts& other) {
  if (has_error(one) != has_error(other)) return has_error(one);
  return one.longest_ns / 2 > other.longest_ns;
}

}  // namespace

std::optional<Foremost> foremost_stream(const Levels& levels, const StreamTable& streams,
                                        std::optional<ConnectionId> shown) {
  std::optional<std::uint32_t> best;
  std::optional<std::uint32_t> stays;
  std::size_t others = 0;
  for (std::size_t at = 0; at < levels.stream_rows.size(); ++at) {
    const std::uint32_t row = levels.stream_rows[at];
    const StreamCounts& counts = levels.streams[row];
    if (best) ++others;
    if (!best || comes_before(counts, levels.streams[*best])) best = row;
    if (shown && streams.connection(row) == *shown) stays = row;
  }
  if (!best) return std::nullopt;
  if (!levels.complete && stays && !far_before(levels.streams[*best], levels.streams[*stays])) best = stays;
  const StreamCounts& counts = levels.streams[*best];
  return Foremost{streams.connection(*best), others == 0              ? Foremost::only
                                             : has_error(counts)      ? Foremost::error
                                             : counts.longest_ns >= 0 ? Foremost::slowest
                                                                      : Foremost::busiest};
}

QString reason_words(Foremost::Reason reason) {
  switch (reason) {
    case Foremost::only: return {};
    case Foremost::error: return QObject::tr("nothing is selected: a stream with errors");
    case Foremost::slowest: return QObject::tr("nothing is selected: the stream with the slowest operation");
    case Foremost::busiest: return QObject::tr("nothing is selected: the stream that carried the most");
  }
  return {};
}

}  // namespace iwarp::gui
