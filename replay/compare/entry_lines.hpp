// EntryLines: what the requests of a log are called in text, such as "write 64 octets to peer's #1 + 0".
// STags are numbered by their first use in the log, of each side apart.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/stream_log.hpp"

namespace iwarp::replay {

// "0x000000ff" with eight digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t value, int digits);

class EntryLines {
 public:
  // REQUIRES: the log outlives this.
  explicit EntryLines(const StreamLog& log) : log_(log) {}

  // The line of an entry. Lines are made once, those of all entries before it first; it lives as long as
  // this.
  [[nodiscard]] const std::string& of(Role role, std::size_t entry);

  // An STag that lines of `role` name.
  struct Named {
    bool own = false;  // the side's own memory; else the peer's
    std::size_t number = 0;
    std::uint32_t stag = 0;

    auto operator<=>(const Named&) const = default;
  };
  // Those of the entry's line. REQUIRES: of() made it.
  [[nodiscard]] std::vector<Named> names(Role role, std::size_t entry) const;

 private:
  struct Known {
    std::size_t number = 0;
    std::uint64_t to = 0;  // of the first use, which others are counted from
  };
  struct Side {
    std::map<std::pair<bool, std::uint32_t>, Known> known;
    std::array<std::size_t, 2> counts{};
    std::deque<std::string> lines;
  };

  static std::string line_of(const LogEntry& entry, Side& side);
  static std::string name(Side& side, bool own, std::uint32_t stag, std::uint64_t to);

  const StreamLog& log_;
  std::array<Side, 2> sides_;  // by Role
};

// Both logs of a comparison, and the lines of their entries.
struct LinedLogs {
  const StreamLog& recorded;
  const StreamLog& live;
  EntryLines recorded_lines{recorded};
  EntryLines live_lines{live};
};

}  // namespace iwarp::replay
