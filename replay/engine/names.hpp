// Names: what the recorded STags and TOs of each host are called in this run. Own memory keeps its recorded
// names (or gets others on purpose); those of a live peer are learnt from its advertisements, each beside its
// recorded twin.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan/mentions.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

class Names {
 public:
  explicit Names(std::size_t hosts) : hosts_(hosts) {}

  void set(std::uint32_t host, std::uint32_t recorded, const LiveName& live) {
    hosts_[host][recorded].live = live;
  }
  // A name that nothing was learnt of stays.
  [[nodiscard]] LiveName of(std::uint32_t host, std::uint32_t recorded) const;

  // Puts the live names where `octets`, a message of `sender` to `receiver`, tell of recorded ones.
  void rename(std::span<Byte> octets, std::span<const Mention> mentions, std::uint32_t sender,
              std::uint32_t receiver) const;
  // Learns the names that a message of `owner` tells: `live` came where `recorded` was.
  // Returns how many of them are other than before.
  std::size_t learn(ByteView live, std::uint64_t recorded_length, std::span<const Mention> mentions,
                    std::uint32_t owner);

 private:
  struct Entry {
    LiveName live = {};
    StagLayout layout = StagLayout::bare;  // of the mention it was learnt from
  };
  std::vector<std::unordered_map<std::uint32_t, Entry>> hosts_;
};

}  // namespace iwarp::replay
