// What StagLives makes of the segments of conversations.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <iwarp/stags.hpp>

#include "scenarios/established.hpp"
#include "support/conversation.hpp"

namespace iwarp::test {

using Texts = std::vector<std::string>;

struct Found {
  Texts texts;  // "ID frame text"
  std::vector<StagRecord> records;

  [[nodiscard]] const StagRecord* record(const std::string& host, std::uint32_t stag,
                                         std::uint32_t generation = 1) const {
    for (const StagRecord& each : records) {
      if (each.host == host && each.stag == stag && each.generation == generation) return &each;
    }
    return nullptr;
  }
  std::uint64_t undecided = 0;  // INVUSE, INVUNK and BOUNDS together
};

[[nodiscard]] Found follow(const std::vector<OwnedSegment>& segments, StagOptions stag_options = {});

// The segments of a conversation whose opener has another port.
[[nodiscard]] std::vector<OwnedSegment> on_port(const Conversation& conversation, std::uint16_t port);
// One after the other, in their order.
[[nodiscard]] std::vector<OwnedSegment> together(const std::vector<std::vector<OwnedSegment>>& all);
// The segments of a conversation from `begin` to `end`, as on_port() gives them.
[[nodiscard]] std::vector<OwnedSegment> piece(const Conversation& conversation, std::uint16_t port,
                                              std::size_t begin, std::size_t end);
}  // namespace iwarp::test
