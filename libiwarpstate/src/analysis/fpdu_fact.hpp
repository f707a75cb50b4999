// The fact that octets become when they are an FPDU: stream offsets turn into frame numbers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analysis/connection_log.hpp"
#include "analysis/span_map.hpp"
#include "mpa/fpdu_view.hpp"

namespace iwarp {

// Of an FPDU that is delivered.
struct Delivery {
  bool recovered = false;         // a better copy of one recorded before
  std::optional<Reason> doubt{};  // why it may not be one
  std::uint32_t number = 0;       // under which it was placed; 0: it was not
};

// `origin`: what FpduFact::stream_offset counts from.
void record_fpdu(ConnectionLog& log, Side side, const mpa::FramedFpdu& framed, const SpanMap& spans,
                 StreamOffset origin, const Delivery& delivery);
// Of one that is there and cannot be delivered yet. Returns what was recorded.
FpduFact record_placed(ConnectionLog& log, Side side, const mpa::FramedFpdu& framed, const SpanMap& spans,
                       StreamOffset origin);

// What the header of one tells that is not there in full yet: FpduFact::placed is no frame.
[[nodiscard]] FpduFact fact_of_begun(const mpa::FramedFpdu& framed, const SpanMap& spans,
                                     StreamOffset origin) noexcept;

}  // namespace iwarp
