// Notes: what is said once a side about the capture or a cap. It waits until the connection turns out to be
// iWARP: nobody asks about others. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/connection_log.hpp"

namespace iwarp {

class Notes {
 public:
  explicit Notes(ConnectionLog& log) noexcept : log_(log) {}

  // Only the first of each check and side counts. `offset`: where the direction stands.
  void once(Side side, StreamOffset offset, CheckId check, std::uint64_t first = 0, std::uint64_t second = 0);
  // Tells what waits, if the connection is iWARP.
  void flush() {
    if (!waiting_.empty() && log_.state().iwarp) tell_waiting();
  }

 private:
  struct Note {
    Side side;
    CheckId check;
    std::array<std::uint64_t, 2> arguments;
  };

  void tell_waiting();

  ConnectionLog& log_;
  std::vector<Note> waiting_;
  std::array<std::vector<CheckId>, 2> said_;  // by Side
};

}  // namespace iwarp
