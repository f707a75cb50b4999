// Renaming: which STag of the live log an STag of the recorded one is, and how far apart their TOs are: what
// most of the requests say. A request that says otherwise is the one that differs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compare/event_log.hpp"
#include "compare/ignore.hpp"

namespace iwarp::replay {

class Renaming {
 public:
  // Of each pair of requests that are taken for one another.
  void vote(const LogEntry& recorded, const LogEntry& live);
  // REQUIRES: is called once, behind all votes.
  void settle();
  // Adds the fields in which the pair's STags and TOs are not what was settled.
  void judge(const LogEntry& recorded, const LogEntry& live, std::vector<LogField>& fields) const;

  // Whose memory an STag of an entry is: the side's own, for Reads to put their octets, or the peer's.
  enum class Owner : std::uint8_t {
    self,
    peer
  };

 private:
  using Name = std::pair<Owner, std::uint32_t>;
  struct Vote {
    std::size_t count = 0;
    std::size_t first = 0;  // which of two with equal counts came first
    std::map<std::uint64_t, std::size_t> distances;
  };
  struct Partner {
    Name name;
    std::uint64_t distance = 0;
  };

  std::map<std::pair<Name, Name>, Vote> votes_;
  std::map<Name, Partner> partners_;
  std::size_t next_ = 0;
};

}  // namespace iwarp::replay
