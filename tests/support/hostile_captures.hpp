// Conversations in which something that the analysis looks through grows with the capture: open requests,
// waiting octets, copies, candidates of a search. None may cost more for each of its octets the longer it
// is. Small ones are tests, long ones what tests/bench/growth.py measures. The last few, in which nothing is
// wrong, are what the others are measured by.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "support/conversation.hpp"

namespace iwarp::test {

struct HostileCapture {
  const char* name;  // words joined by '-'
  const char* what;  // grows, in one sentence
  // A capture of about `size` octets, a multiple of some kilooctets at least.
  std::vector<OwnedSegment> (*make)(std::size_t size);
};

[[nodiscard]] const std::vector<HostileCapture>& hostile_captures();

// Of the one called `name`. Aborts when there is none.
[[nodiscard]] std::vector<OwnedSegment> hostile_capture(const char* name, std::size_t size);

}  // namespace iwarp::test
