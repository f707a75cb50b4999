// The fact that octets become when they are an FPDU: stream offsets turn into frame numbers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analysis/connection_log.hpp"
#include "analysis/span_map.hpp"
#include "mpa/fpdu_view.hpp"

namespace iwarp {

// `origin`: what FpduFact::stream_offset counts from. `recovered`: a better copy of one recorded before.
// `doubt`: why it may not be one.
void record_fpdu(ConnectionLog& log, Side side, const mpa::FramedFpdu& framed, const SpanMap& spans,
                 StreamOffset origin, bool recovered, std::optional<Reason> doubt);

}  // namespace iwarp
