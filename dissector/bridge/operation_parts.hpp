// OperationParts: where the time of each Read and Atomic went, kept for whoever looks at its response. Parts
// that took no time are left out. Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/latency_parts.hpp>

#include "bridge/keys.hpp"

namespace iwarp::dissector {

class OperationParts {
 public:
  struct Part {
    TimeNs ns = 0;
    std::array<FrameNumber, 2> frames{};  // as in LatencyParts
    LatencyPart part = LatencyPart::unexplained;
  };

  // `operation`: an operation event.
  void add(const Event& operation, const LatencyParts& parts) {
    const auto begin = static_cast<std::uint32_t>(parts_.size());
    for (std::size_t at = 0; at < latency_part_count; ++at) {
      const LatencyParts::Part& part = parts.parts[at];
      if (part.ns > 0) parts_.push_back({part.ns, part.frames, static_cast<LatencyPart>(at)});
    }
    places_[key_of(operation.connection, operation.operation.message)] = {
        begin, static_cast<std::uint32_t>(parts_.size())};
  }
  // In the order of LatencyPart; empty where it has no latency. Until the next add().
  [[nodiscard]] std::span<const Part> of(ConnectionId connection, std::uint32_t message) const noexcept {
    const auto found = places_.find(key_of(connection, message));
    if (found == places_.end()) return {};
    return std::span(parts_).subspan(found->second.begin, found->second.end - found->second.begin);
  }

 private:
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::vector<Part> parts_;
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace iwarp::dissector
