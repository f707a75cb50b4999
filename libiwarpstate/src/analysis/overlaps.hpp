// Overlaps: octets of one direction that came more than once with other content, and FPDUs whose CRC was bad:
// a CRC that is right with another copy decides which one was sent (docs/architecture.md, "Overlaps").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <iwarp/bytes.hpp>

#include "analysis/connection_log.hpp"
#include "analysis/span_map.hpp"
#include "mpa/fpdu_view.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class Overlaps {
 public:
  using Alternates = std::span<const stream::Alternate>;

  // An FPDU put together from other copies of its octets, its CRC right.
  struct Better {
    Bytes octets;
    mpa::FramedFpdu fpdu;
    SpanMap spans;  // the frames that brought these copies
  };

  // Whether one of the copies not used makes the CRC of `fpdu` right. `spans`: what brought those used.
  [[nodiscard]] static std::optional<Better> better(const mpa::FramedFpdu& fpdu,
                                                    const mpa::FramerParameters& parameters,
                                                    const SpanMap& spans, Alternates alternates);

  // `fpdu` has a bad CRC, a better copy may come still. The last few are kept.
  void keep_bad(const mpa::FramedFpdu& fpdu, const mpa::FramerParameters& parameters, const SpanMap& spans);
  // Octets came again with other content: the next FPDU kept that is right with them, oldest first.
  [[nodiscard]] std::optional<Better> recover(Alternates alternates);

  // `octets` came twice, the second time in `frame`. To be told when the FPDU around them is done.
  void add_conflict(const stream::Conflict& octets, FrameNumber frame) {
    conflicts_.push_back({octets, frame});
  }
  [[nodiscard]] bool conflicts_full() const noexcept { return conflicts_.size() == max_conflicts; }
  [[nodiscard]] bool has_conflicts() const noexcept { return !conflicts_.empty(); }
  // Tells of the copies that differ in [from, upto), if the connection is iWARP. `origin`: see
  // FpduFact::stream_offset.
  void settle(ConnectionLog& log, Side side, StreamOffset origin, StreamOffset from, StreamOffset upto,
              bool crc_decided);

  [[nodiscard]] bool empty() const noexcept { return bad_.empty() && conflicts_.empty(); }

 private:
  static constexpr std::size_t max_conflicts = 8;
  static constexpr std::size_t max_bad = 4;

  struct BadFpdu {
    StreamOffset begin = 0;
    mpa::FramerParameters parameters;
    std::uint16_t ulpdu_length = 0;
    std::uint32_t crc_computed = 0;
    Bytes octets;
    SpanMap spans;
  };
  struct OpenConflict {
    stream::Conflict octets;
    FrameNumber frame = 0;
  };

  std::vector<std::unique_ptr<BadFpdu>> bad_;  // the oldest first
  std::vector<OpenConflict> conflicts_;        // ascending by frame
};

}  // namespace iwarp
