// STags in payloads: where a Send, a Write or Private Data tells the peer of an STag that is used later, or
// echoes one. Sends of the ULPs that the library reads say so themselves; in everything else the STags that
// are used are looked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "plan/plan.hpp"

namespace iwarp::replay {

// Fills the mentions of all works and start-ups. REQUIRES: hosts of streams are set.
void find_mentions(Plan& plan);

// What a recorded STag is called in another run.
struct LiveName {
  std::uint32_t stag = 0;
  std::uint64_t distance = 0;  // from the recorded TO to the live one, modulo 2^64

  auto operator<=>(const LiveName&) const = default;
};

// What `live`, which came in place of a recorded message of `recorded_length` octets, tells where the mention
// stands in that: the STag's name, and the distance where a TO stands beside it. Nothing: it is too short.
struct ToldName {
  std::uint32_t stag = 0;
  std::optional<std::uint64_t> distance;
};
[[nodiscard]] std::optional<ToldName> told_name(const Mention& mention, ByteView live,
                                                std::uint64_t recorded_length);

// The TO and length that stand beside the STag `stag` of `owner_side`'s memory cover this use.
[[nodiscard]] inline bool covers(const Mention& mention, std::uint64_t to, std::uint64_t length) noexcept {
  return mention.to_offset && mention.length && to >= mention.to && to - mention.to <= *mention.length &&
         length <= *mention.length - (to - mention.to);
}

}  // namespace iwarp::replay
