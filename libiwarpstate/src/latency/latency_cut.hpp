// LatencyCut: a span of time cut from its begin on; no moment is in two parts, and none is left out.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <iwarp/latency_parts.hpp>

namespace iwarp {

class LatencyCut {
 public:
  // Time that belongs to `part` whatever else there is.
  struct Span {
    TimeNs begin = 0;
    TimeNs end = 0;
    LatencyPart part = LatencyPart::unexplained;
    std::array<FrameNumber, 2> frames{};
  };

  LatencyCut(LatencyParts& parts, TimeNs begin, TimeNs end) : parts_(parts), at_(begin), end_(end) {}

  // Of spans that overlap the one taken first has the moment. In any order otherwise.
  void reserve(const Span& span) {
    if (span.end > at_ && span.begin < span.end) spans_.push_back(span);
  }
  // Everything up to `upto` that is not reserved is `part`'s. Capture time may run backward: nothing then.
  void cut(LatencyPart part, TimeNs upto, const std::array<FrameNumber, 2>& frames) {
    upto = std::min(upto, end_);
    while (at_ < upto) {
      const Span* const span = reserved_at();
      if (span != nullptr) {
        give(span->part, std::min(span->end, upto), span->frames);
      } else {
        give(part, std::min(next_reserved(), upto), frames);
      }
    }
  }

  [[nodiscard]] TimeNs at() const noexcept { return at_; }

 private:
  [[nodiscard]] const Span* reserved_at() const noexcept {
    for (const Span& span : spans_) {
      if (span.begin <= at_ && at_ < span.end) return &span;
    }
    return nullptr;
  }
  // Where the next span begins that has at_ not already.
  [[nodiscard]] TimeNs next_reserved() const noexcept {
    TimeNs next = end_;
    for (const Span& span : spans_) {
      if (span.begin > at_) next = std::min(next, span.begin);
    }
    return next;
  }
  void give(LatencyPart part, TimeNs upto, const std::array<FrameNumber, 2>& frames) noexcept {
    LatencyParts::Part& to = parts_.parts[static_cast<std::size_t>(part)];
    if (to.ns == 0) to.begin = at_;
    to.end = upto;
    to.ns += upto - at_;
    if (to.frames[0] == 0) to.frames[0] = frames[0];
    to.frames[1] = frames[1];
    at_ = upto;
  }

  LatencyParts& parts_;
  TimeNs at_;
  const TimeNs end_;
  std::vector<Span> spans_;
};

}  // namespace iwarp
