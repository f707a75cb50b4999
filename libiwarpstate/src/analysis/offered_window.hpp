// OfferedWindow: how much of the window that one receiver offers its peer has used up, and since when no
// segment of the peer's fits into the rest.
//
// A sender keeps a segment back that fits in part, and so avoids small ones (RFC 9293 §3.8.6.2.1). Memory:
// constant. Not thread-safe.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <iwarp/event.hpp>
#include <iwarp/segment.hpp>

namespace iwarp {

// What the SYNs of both sides agreed on, for one receiver.
struct WindowTerms {
  unsigned shift = 0;             // of its windows (RFC 7323 §2.2)
  std::uint32_t max_segment = 0;  // octets of payload that the peer sends in one segment at most
};

class OfferedWindow {
 public:
  // A segment of the receiver that acknowledges, its SYN aside: a window there is not scaled.
  void offered(const TcpSegment& segment, const WindowTerms& terms) noexcept {
    const std::uint32_t window = std::uint32_t{segment.window} << terms.shift;
    const std::uint32_t edge = segment.acknowledgement + window;
    if (!known_ || is_beyond(edge, edge_)) edge_ = edge;
    if (!known_) sent_ = segment.acknowledgement;
    known_ = true;
    largest_ = std::max(largest_, window);
    if (window == 0) {
      full_ = {};  // closed: that has events of its own
    } else if (full_.frame != 0 && opened_.frame == 0 && edge_ - sent_ >= least_sent(terms)) {
      opened_ = {segment.frame, segment.time_ns};
    }
  }

  // A segment of its peer with octets. Returns a wait that is over: octets that were not sent before follow
  // room for them.
  std::optional<WindowFullFact> sent(const TcpSegment& segment, const WindowTerms& terms) noexcept {
    const std::uint32_t end = segment.sequence + segment.wire_length;
    if (!known_ || !is_beyond(end, sent_)) return std::nullopt;
    sent_ = end;
    std::optional<WindowFullFact> wait;
    if (full_.frame != 0 && opened_.frame != 0) wait = WindowFullFact{full_, opened_};
    // Beyond what was offered: an acknowledgement was not captured.
    const bool full = !is_beyond(sent_, edge_) && edge_ - sent_ < least_sent(terms);
    const bool was_full = full_.frame != 0 && !wait;
    if (!full) full_ = {};
    if (full && !was_full) full_ = {segment.frame, segment.time_ns};
    opened_ = {};
    return wait;
  }

  template <typename Codec>
  void pack(Codec& codec) {
    codec(edge_, sent_, largest_, known_, full_, opened_);
  }

 private:
  static bool is_beyond(std::uint32_t a, std::uint32_t b) noexcept {
    return static_cast<std::int32_t>(a - b) > 0;
  }
  // By a sender that has more. Where windows hold few segments half of the largest one will do (RFC 9293
  // §3.8.6.2.1, condition 3).
  [[nodiscard]] std::uint32_t least_sent(const WindowTerms& terms) const noexcept {
    return std::max(std::min(terms.max_segment, largest_ / 2), 1U);
  }

  std::uint32_t edge_ = 0;     // sequence number behind the last octet that may be sent
  std::uint32_t sent_ = 0;     // … behind the last one that was
  std::uint32_t largest_ = 0;  // window so far
  bool known_ = false;
  Placement full_;    // the segment that filled it; frame 0: it is not full
  Placement opened_;  // … and since then the one that made room; frame 0: none
};

}  // namespace iwarp
