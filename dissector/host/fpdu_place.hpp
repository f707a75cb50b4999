// FpduPlace: where the octets of an FPDU are, and how its fields map to them when markers stand between
// (RFC 5044 §4.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include <iwarp/wire/mpa.hpp>

#include "host/frame.hpp"

namespace iwarp::dissector {

struct FpduPlace {
  tvbuff_t* tvb = nullptr;
  std::uint32_t start = 0;      // of the FPDU in `tvb`
  std::uint32_t available = 0;  // octets from there on that are the FPDU's
  std::uint32_t phase = 0;
  bool marked = false;

  // Octets as they stand in the stream, as far as they are there.
  [[nodiscard]] Range wire(std::uint32_t position, std::uint32_t length) const noexcept {
    const std::uint32_t begin = std::min(position, available);
    const std::uint32_t end = std::min(position + length, available);
    return {tvb, static_cast<int>(start + begin), static_cast<int>(end - begin)};
  }

  // Octets counted without markers; a marker between them is highlighted, too.
  [[nodiscard]] Range octets(std::uint32_t position, std::uint32_t length) const noexcept {
    if (!marked) return wire(position, length);
    const std::uint32_t begin = wire::marked_position(position, phase);
    const std::uint32_t end = length == 0 ? begin : wire::marked_position(position + length - 1, phase) + 1;
    return wire(begin, end - begin);
  }

  [[nodiscard]] bool has_wire(std::uint32_t position, std::uint32_t length) const noexcept {
    return position + length <= available;
  }
};
static_assert(std::is_trivially_destructible_v<FpduPlace>);

// Octets that do not lie in the frame, as a data source of it; made once for each `key`. REQUIRES: `octets`
// live as long as the file is open, or are memory of `pinfo->pool`.
[[nodiscard]] tvbuff_t* octets_source(const Frame& frame, ByteView octets, std::uint32_t key,
                                      const char* name);

// Of an fpdu event, as seen from `frame`. Adds a data source where the octets do not lie in the frame alone.
[[nodiscard]] FpduPlace place_of(const Frame& frame, const Event& event);

// The FPDUs that were put together from several frames, for those who look at octets only (tshark -x).
void add_data_sources(const Frame& frame);

}  // namespace iwarp::dissector
