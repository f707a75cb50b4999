// What a selection speaks of where it names no operation or message: that of its frame, else the slowest
// operation, or the first message, of its stream, or of all.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "models/levels.hpp"
#include "models/selection.hpp"

namespace iwarp::gui {

// Of those that count. At once.
[[nodiscard]] std::optional<std::uint32_t> slowest_operation(const Levels& levels,
                                                             std::optional<ConnectionId> stream);
[[nodiscard]] std::optional<std::uint32_t> first_message(const Levels& levels,
                                                         std::optional<ConnectionId> stream);

// Of those that count, the first one whose request or response the frame has, or some of whose octets.
// O(rows): for threads that have time.
[[nodiscard]] std::optional<std::uint32_t> operation_of_frame(const OperationTable& table,
                                                              const RowList& rows,
                                                              std::optional<ConnectionId> stream,
                                                              FrameNumber frame);
[[nodiscard]] std::optional<std::uint32_t> message_of_frame(const MessageTable& table, const RowList& rows,
                                                            std::optional<ConnectionId> stream,
                                                            FrameNumber frame);

// A search by frame, as far as its answer depends on it.
struct Sought {
  std::optional<ConnectionId> stream;
  FrameNumber frame = 0;
  Scope scope;
  std::size_t rows = 0;  // of the table, that were looked at

  bool operator==(const Sought&) const = default;
};

}  // namespace iwarp::gui
