// Waits: what each stream waited for on the wire, and how many requests were outstanding; from the tables.
//
// It does not depend on the filter: what is outstanding is a fact of the wire, whatever one looks at.
// Threads: made in the thread of the log, never changed afterwards.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <iwarp/metrics/levels.hpp>
#include <iwarp/metrics/packed_times.hpp>

#include "models/log.hpp"
#include "models/span_track.hpp"

namespace iwarp::gui {

// What a stream did at a moment; of several the first one.
enum class WaitKind : std::uint8_t {
  hole,       // FPDUs are placed, and an earlier octet is not there: they cannot be delivered
  window,     // the TCP receive window of an end is closed or full
  at_limit,   // as many Reads and atomics outstanding as the requester's ORD allows, and another one follows
              // as soon as it may (a Stall of that cause)
  no_credit,  // the ULP's peer had granted no more messages (likewise)
  response,   // requests are outstanding, fewer than these
  transfer,   // a message is on its way, and no request is outstanding
  idle        // nothing is under way
};
inline constexpr std::size_t wait_kinds = 7;
using WaitTrack = SpanTrack<wait_kinds>;
using WaitShares = Shares<wait_kinds>;

[[nodiscard]] const char* wait_name(WaitKind kind) noexcept;   // "behind a hole"
[[nodiscard]] const char* wait_words(WaitKind kind) noexcept;  // what that means, a sentence

// Reads and atomics outstanding of one end of one stream.
class DepthCurve {
 public:
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t greatest = 0;
  };

  ConnectionId stream = 0;
  Role requester = Role::initiator;
  std::optional<std::uint32_t> ord;       // the requester's, as negotiated or offered
  std::optional<std::uint32_t> peer_ird;  // what the other end is ready for

  // REQUIRES: times do not decrease.
  void add(TimeNs time, std::uint64_t outstanding);
  [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
  [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
  // When it was the greatest in that range, for the first time.
  [[nodiscard]] TimeNs most_at(TimeSpan span) const;
  // In a range of time: what it begins with, and what it rises and falls to.
  [[nodiscard]] Range over(TimeSpan span, Work& work) const;
  [[nodiscard]] TimeNs time(std::size_t at) const noexcept { return times_[at]; }
  [[nodiscard]] std::uint64_t value(std::size_t at) const noexcept { return values_[at]; }

 private:
  PackedTimes times_;
  ValueLevels values_;
  std::uint64_t most_ = 0;
};

struct StreamWaits {
  ConnectionId stream = 0;
  std::shared_ptr<const WaitTrack> track = std::make_shared<const WaitTrack>();  // never nothing
};

struct Waits {
  std::vector<StreamWaits> streams;  // by row of StreamTable
  std::vector<DepthCurve> depths;    // of ends that requested anything, by stream

  // The streams of these rows of StreamTable together; of one stream its own track.
  [[nodiscard]] std::shared_ptr<const WaitTrack> together(const std::vector<std::uint32_t>& rows) const;
};

[[nodiscard]] Waits find_waits(const Log& log);

}  // namespace iwarp::gui
