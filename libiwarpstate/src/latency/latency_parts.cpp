// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/latency_parts.hpp>

#include <algorithm>

namespace iwarp {

Basis basis_of(LatencyPart part) noexcept {
  switch (part) {
    case LatencyPart::request_loss:  // the first copy may have come, and its acknowledgement been lost
    case LatencyPart::network:
    case LatencyPart::responder: return Basis::bounded;
    case LatencyPart::unexplained: return Basis::inferred;
    default: return Basis::proven;
  }
}

TimeNs LatencyParts::total() const noexcept {
  TimeNs sum = 0;
  for (const Part& part : parts) sum += part.ns;
  return sum;
}

LatencyPart LatencyParts::greatest() const noexcept {
  const auto most =
      std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.ns < b.ns; });
  return static_cast<LatencyPart>(most - parts.begin());
}

}  // namespace iwarp
