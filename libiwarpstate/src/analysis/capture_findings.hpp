// CaptureFindings: what is said about the capture, or of a cap. It waits until the connection turns out to be
// iWARP: nobody asks about others. What waited names the frame that showed it as its evidence.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/connection_log.hpp"

namespace iwarp {

class CaptureFindings {
 public:
  explicit CaptureFindings(ConnectionLog& log) noexcept : log_(log) {}

  // A finding of what lies at `placed`, whose frame becomes its third argument. `offset`: where the direction
  // stands.
  void each(const Placement& placed, Side side, StreamOffset offset, CheckId check, std::uint64_t first = 0,
            std::uint64_t second = 0);
  // The same, of which only the first of each check and side counts.
  void once(const Placement& placed, Side side, StreamOffset offset, CheckId check, std::uint64_t first = 0,
            std::uint64_t second = 0);
  // Tells what waits, if the connection is iWARP.
  void flush() {
    if (!waiting_.empty() && log_.state().iwarp) tell_waiting();
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [log, waiting, said] = *this;
    codec(waiting, said);
  }

 private:
  // Kept of a connection not known to be iWARP; what comes after them is told by the counters alone.
  static constexpr std::size_t max_waiting = 64;

  struct Note {
    Side side = Side::a;
    CheckId check = CheckId::cap_gap;
    StreamOffset offset = 0;
    std::array<std::uint64_t, 2> arguments{};
    Placement placed;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(side, check, offset, arguments, placed);
    }
  };

  void tell(const Note& note);
  void tell_waiting();

  ConnectionLog& log_;
  std::vector<Note> waiting_;
  std::array<std::vector<CheckId>, 2> said_;  // by Side
};

}  // namespace iwarp
