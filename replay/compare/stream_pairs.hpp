// Which streams of two files are compared with each other.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/stream_log.hpp"

namespace iwarp::replay {

struct StreamPair {
  std::optional<std::size_t> recorded;
  std::optional<std::size_t> live;
  bool cut_away = false;  // without the other one, of the same connections otherwise
};

// Where a recording tells which streams it replays, these are compared, and two recordings of the same. Where
// all streams of one file are in the other one by address and port, both are captures of the same
// connections, and those are compared; else streams in their order.
[[nodiscard]] std::vector<StreamPair> paired_streams(const std::vector<StreamLog>& recorded,
                                                     const std::vector<StreamLog>& live);

// Of a connection that was joined in the middle nobody knows who was the initiator, but for the other file.
void exchange_turned_roles(const std::vector<StreamLog>& recorded, std::vector<StreamLog>& live);

}  // namespace iwarp::replay
