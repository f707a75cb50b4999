// Which STag of the live log an STag of the recorded one is, and how far apart their TOs are: what its owner
// advertised; of STags that were never advertised, what most of the requests say. A request that says
// otherwise is the one that differs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/ignore.hpp"
#include "compare/stream_log.hpp"
#include "plan/mentions.hpp"

namespace iwarp::replay {

// What messages that are taken for one another tell of their senders' memory.
class Advertised {
 public:
  // `live` came where `recorded_length` octets of `owner` had the mention.
  void take(Role owner, const Mention& mention, ByteView live, std::uint64_t recorded_length);
  // Such a message is not known: the STag may have been told by it.
  void doubt(Role owner, std::uint32_t stag) { doubted_.emplace(owner, stag); }
  // Names of a recorded STag, by which alone it may be used; nullptr where not all that was told is known.
  [[nodiscard]] const std::set<LiveName>* of(Role owner, std::uint32_t stag) const;

 private:
  std::map<std::pair<Role, std::uint32_t>, std::set<LiveName>> names_;
  std::set<std::pair<Role, std::uint32_t>> doubted_;
};

// Where in the live log's memory something is.
struct LiveAddress {
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
};

// Of the requests of one side.
class Renaming {
 public:
  // REQUIRES: `advertised` outlives this object.
  Renaming(const Advertised& advertised, Role side) : advertised_(advertised), side_(side) {}

  // Of each pair of requests that are taken for one another.
  void vote(const LogEntry& recorded, const LogEntry& live);
  // REQUIRES: is called once, behind all votes.
  void settle();
  // Adds the fields in which the pair's STags and TOs are not what was settled. Returns what stands where one
  // that was advertised is due.
  [[nodiscard]] std::optional<LiveAddress> judge(const LogEntry& recorded, const LogEntry& live,
                                                 std::vector<LogField>& fields) const;

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

  const Advertised& advertised_;
  Role side_;
  std::map<std::pair<Name, Name>, Vote> votes_;
  std::map<Name, Partner> partners_;
  std::size_t next_ = 0;
};

}  // namespace iwarp::replay
