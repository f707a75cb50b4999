// merge(): puts a segment's octets among the waiting ones; the overlap policy (see reassembler.hpp) is here.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#include "stream/waiting_store.hpp"

namespace iwarp::stream {

// Octets that came twice with different content.
struct Conflict {
  StreamOffset offset = 0;   // of the first octet that differs, or of the segment where only sums tell
  std::uint32_t length = 0;  // up to the last octet that differs, or of the segment
  bool second_used = false;  // the later copy replaced the first, in part at least
};

// Octets on their way into the store, and how many behind them the snapshot length cut off.
struct Arrival {
  StreamOffset offset = 0;
  ByteView octets;
  std::uint64_t absent = 0;
  Origin origin;  // payload_offset: of octets[0]
};

struct Displaced {
  StreamOffset offset = 0;
  Piece piece;
};

struct MergeResult {
  std::uint32_t fresh = 0;     // octets nothing was held of
  std::uint32_t repeated = 0;  // octets held before
  std::uint32_t refused = 0;   // fresh ones that were not kept
  std::optional<Conflict> conflict;
  bool first_kept = false;           // differing octets of the arrival were not used
  std::vector<Displaced> displaced;  // held octets that differed and gave way
};

// `full`: nothing may be added; overlaps are settled all the same.
MergeResult merge(WaitingStore& store, const Arrival& arrival, bool full);

}  // namespace iwarp::stream
