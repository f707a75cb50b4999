// StagMap: STags of each host over time, as operations and messages tell of them: who wrote to which
// addresses when, who read, and what was invalidated. Owners and advertisements are for others to add.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <vector>

#include <iwarp/metrics.hpp>

#include "models/selection.hpp"
#include "scale/time_scale.hpp"

namespace iwarp::gui {

struct StagUse {
  enum Kind : std::uint8_t {
    write,        // a Write to it
    read_from,    // a Read's data source
    read_into,    // a Read's data sink
    atomic,       // an atomic operation on it
    invalidation  // by a Send with Invalidate
  };
  static constexpr std::size_t kinds = 5;

  TimeNs time_ns = 0;
  std::uint64_t to = 0;
  std::uint64_t length = 0;
  std::uint32_t message = 0;  // row of Metrics::messages
  Kind kind = write;
};

struct StagLane {
  std::vector<StagUse> uses;  // by time, after settle()
  std::array<std::uint64_t, StagUse::kinds> counts{};
  std::uint64_t octets = 0;
  std::uint64_t least_to = ~std::uint64_t{0};
  std::uint64_t greatest_to = 0;  // behind the last octet, saturated
};

class StagMap {
 public:
  // Takes the messages up to `end` that it has not taken. REQUIRES: always the same metrics.
  void extend(const Metrics& metrics, std::size_t end);
  [[nodiscard]] const std::map<StagName, StagLane>& lanes() const noexcept { return lanes_; }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

 private:
  void add(const StagName& name, StagUse use);
  std::map<StagName, StagLane> lanes_;
  std::map<ConnectionId, std::array<Endpoint, 2>> ends_;
  std::size_t streams_ = 0;
  std::size_t taken_ = 0;
};

[[nodiscard]] const char* stag_use_name(StagUse::Kind kind) noexcept;

}  // namespace iwarp::gui
