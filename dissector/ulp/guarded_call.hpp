// A ULP's dissector may leave by an exception and may change the packet's description: neither reaches our
// own.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// True: it has taken the octets.
using UlpCall = bool (*)(tvbuff_t* octets, packet_info* pinfo, proto_tree* tree, void* data);

// Calls it with the packet as one of the pair of ports `from` and `to`. An exception is shown and ends the
// call.
bool call_guarded(const Frame& frame, proto_tree* tree, tvbuff_t* octets, UlpCall call, void* data,
                  std::uint32_t from, std::uint32_t to);
inline bool call_guarded(const Frame& frame, proto_tree* tree, tvbuff_t* octets, UlpCall call, void* data) {
  return call_guarded(frame, tree, octets, call, data, frame.pinfo->srcport, frame.pinfo->destport);
}

}  // namespace iwarp::dissector
