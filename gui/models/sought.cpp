// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/sought.hpp"

#include "models/latency_classes.hpp"

namespace iwarp::gui {
namespace {

const StreamCounts* counts_of(const Levels& levels, ConnectionId stream) {
  if (stream >= levels.rows_of_streams.size() || levels.rows_of_streams[stream] == 0) return nullptr;
  return &levels.streams[levels.rows_of_streams[stream] - 1];
}

// The first row, of those that count, that was not decided before the frame came: rows are in that order.
template <typename Table>
std::size_t first_decided_since(const Table& table, const RowList& rows, FrameNumber frame) {
  std::size_t begin = 0;
  std::size_t end = rows.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (table.event(rows[middle]).frame < frame) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

template <typename Table, typename Matches>
std::optional<std::uint32_t> first_that(const Table& table, const RowList& rows,
                                        std::optional<ConnectionId> stream, FrameNumber frame,
                                        Matches matches) {
  for (std::size_t at = first_decided_since(table, rows, frame); at < rows.size(); ++at) {
    const std::uint32_t row = rows[at];
    if (stream && table.connection(row) != *stream) continue;
    if (matches(table.event(row))) return row;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> slowest_operation(const Levels& levels, std::optional<ConnectionId> stream) {
  if (stream) {
    const StreamCounts* const counts = counts_of(levels, *stream);
    if (counts == nullptr) return std::nullopt;
    return counts->slowest ? counts->slowest : counts->first_operation;
  }
  const OperationLevels& operations = levels.operations;
  if (const auto place = place_of_greatest(operations.latency(), {0, operations.order().size()})) {
    return operations.order().row(*place);
  }
  return levels.operation_rows.size() > 0 ? std::optional(levels.operation_rows[0]) : std::nullopt;
}

std::optional<std::uint32_t> first_message(const Levels& levels, std::optional<ConnectionId> stream) {
  if (!stream) return levels.message_rows.size() > 0 ? std::optional(levels.message_rows[0]) : std::nullopt;
  const StreamCounts* const counts = counts_of(levels, *stream);
  return counts == nullptr ? std::nullopt : counts->first_message;
}

std::optional<std::uint32_t> operation_of_frame(const OperationTable& table, const RowList& rows,
                                                std::optional<ConnectionId> stream, FrameNumber frame) {
  return first_that(table, rows, stream, frame, [frame](const Event& event) {
    const OperationConclusion& operation = event.operation;
    return operation.request.frame == frame || operation.response.frame == frame ||
           operation.first_response.frame == frame;
  });
}

std::optional<std::uint32_t> message_of_frame(const MessageTable& table, const RowList& rows,
                                              std::optional<ConnectionId> stream, FrameNumber frame) {
  return first_that(table, rows, stream, frame, [frame](const Event& event) {
    return event.message.first_frame <= frame && frame <= event.message.placed.frame;
  });
}

}  // namespace iwarp::gui
