// Events as lines that say what the octets say, not how a capture brought them: no frames, times, slices,
// acknowledgements. Equal for two captures of the same streams.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <iwarp/event.hpp>

namespace iwarp::test {

enum class Positions : std::uint8_t {
  kept,
  dropped  // offsets, sizes on the wire, markers and CRC values too: what markers change
};

// Events about TCP alone (retransmitted, acknowledged, window) and findings about the capture are left out.
[[nodiscard]] std::vector<std::string> normalised(std::span<const Event> events,
                                                  Positions positions = Positions::kept);

}  // namespace iwarp::test
