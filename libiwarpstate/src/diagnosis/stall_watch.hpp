// StallWatch: a limit on what one side may send, which it reaches and which others free again. What it sends
// at once when it may had waited for that.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <iwarp/segment.hpp>

#include "base/at_once.hpp"

namespace iwarp {

class StallWatch {
 public:
  struct Span {
    Placement begin;
    Placement end;
    TimeNs ns = 0;  // at the limit
    std::uint32_t delayed = 0;
  };

  // The side sent something that counts; `reached`: it is the last that it may send for now. `round_trip`:
  // from the capture point to the side and back. Returns a span that is over.
  std::optional<Span> sent(const Placement& at, bool reached, std::optional<TimeNs> round_trip) {
    std::optional<Span> over;
    if (freed_) {
      const TimeNs held = freed_->time_ns - reached_.time_ns;
      const TimeNs pause = at.time_ns - freed_->time_ns;
      const bool at_once = is_at_once(pause, held, round_trip);
      if (at_once) {
        // What freed it had to reach it.
        const TimeNs way = std::clamp<TimeNs>(pause, 0, round_trip.value_or(0));
        ++span_.delayed;
        span_.end = {freed_->frame, freed_->time_ns + way};
        span_.ns += std::max<TimeNs>(held, 0) + way;
      }
      if (!at_once || !reached) over = finish();
    }
    if (reached && (!at_limit_ || freed_)) {
      if (span_.delayed == 0) span_.begin = at;
      reached_ = at;
      at_limit_ = true;
    }
    freed_.reset();
    return over;
  }
  // It may send again.
  void freed(const Placement& at) noexcept {
    if (at_limit_ && !freed_) freed_ = at;
  }
  // What comes next may have another reason: the peer said something. Returns a span that is over.
  std::optional<Span> interrupted() noexcept { return freed_ ? finish() : std::nullopt; }
  // Nothing of it goes on. Returns what there was.
  std::optional<Span> finish() noexcept {
    const Span span = span_;
    span_ = {};
    at_limit_ = false;
    freed_.reset();
    return span.delayed > 0 ? std::optional(span) : std::nullopt;
  }
  [[nodiscard]] bool at_limit() const noexcept { return at_limit_; }

 private:
  Span span_;
  Placement reached_;
  std::optional<Placement> freed_;
  bool at_limit_ = false;
};

}  // namespace iwarp
