// A Terminate as it was meant: which bit order, which request it refuses, what of the captured octets
// explains it (RFC 5040 §4.8, RFC 6580 §3, Verbs 1.0 figure 24).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "state/fold.hpp"

namespace iwarp {

// A side sends one Terminate at most (RFC 5040 §5.4). The first few are kept and read; what further ones
// quote and mean is not asked.
inline constexpr std::size_t max_terminates = 16;
[[nodiscard]] inline bool too_many_terminates(const SideState& sender) noexcept {
  return sender.terminate_segments >= max_terminates;
}

// Reads the Terminate header of `sender`, the `octets` that were captured of `sent`. Where both bit orders
// give a registered code, what is known of the connection decides, but of too many. Empty when fewer than
// four octets are there.
[[nodiscard]] std::optional<wire::Terminate> read_terminate(const ConnectionState& state, Side sender,
                                                            ByteView octets, std::size_t sent);

// The frame of the other side's octets that shows the error which `sender` states; 0 when no single one does,
// nothing when none of the captured octets shows it.
[[nodiscard]] std::optional<FrameNumber> explanation(const ConnectionState& state, Side sender,
                                                     const wire::Terminate& terminate);
[[nodiscard]] inline bool explains(const ConnectionState& state, Side sender,
                                   const wire::Terminate& terminate) {
  return explanation(state, sender, terminate).has_value();
}

// The unanswered request of the Terminate's receiver that it refuses, by MSN or else by the Read Request
// header sent back (siw quotes another MSN), a whole one; nullptr when it names none that is known.
[[nodiscard]] const Request* refused_request(const ConnectionState& state, Side sender,
                                             const wire::Terminate& terminate) noexcept;

// Whether the Read Request header sent back may be one of an unanswered request, whatever MSN stands before
// it: of one of them or of the header sent back octets were not captured, and the others agree.
[[nodiscard]] bool may_quote_request(const ConnectionState& state, Side sender,
                                     const wire::Terminate& terminate) noexcept;

// The latest segment of the terminate's receiver whose DDP header it quotes; nullptr when it quotes none that
// is known still.
// How many segments of its side had been seen with it: those of lesser numbers came before, in stream order.
// REQUIRES: it is one of side.recent.
[[nodiscard]] inline std::uint64_t count_of(const SideState& side, const RecentSegment& segment) noexcept {
  const auto place = static_cast<std::uint64_t>(&segment - side.recent.data());
  const std::uint64_t latest = (side.recent_count - 1) % max_recent_segments;
  return side.recent_count - (latest + max_recent_segments - place) % max_recent_segments;
}
[[nodiscard]] const RecentSegment* quoted_segment(const ConnectionState& state, Side sender,
                                                  const wire::Terminate& terminate) noexcept;

// Whether the code says that octets on their way were damaged (CRC): 2002, 2302 and Verbs' 0202.
[[nodiscard]] constexpr bool is_crc_code(std::uint16_t value) noexcept {
  return value == 0x2002 || value == 0x2302 || value == 0x0202;
}

}  // namespace iwarp
