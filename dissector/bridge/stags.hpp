// Which STags FPDUs and operations name, whose they are, and what is done with them. Knows nothing of epan.
//
// An STag is a name of memory of one end. A Read Request names two: the sink, of its sender, and the source,
// of its receiver (RFC 5040 §4.4). All others name memory of the receiver: RDMA Writes, Read Responses,
// Atomic Requests (RFC 7306 §5.2.1), Sends with Invalidate.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <iwarp/event.hpp>
#include <iwarp/state.hpp>

namespace iwarp::dissector {

enum class StagPart : std::uint8_t {
  written,
  placed,  // by Read Responses
  read_source,
  read_sink,
  atomic_target,
  invalidated
};

struct StagUse {
  std::uint32_t stag = 0;
  Side owner = Side::a;
  StagPart part = StagPart::written;
  std::uint32_t count = 0;  // of segments, requests or messages
  std::uint64_t octets = 0;
};

// The first distinct ones, in the order of their appearance.
class StagUses {
 public:
  static constexpr std::size_t max_uses = 32;

  // What the FPDU of `sender` names. One with a bad CRC names nothing.
  void add(const FpduFact& fpdu, Side sender) noexcept;
  // What requests and messages under way name.
  void add_under_way(const ConnectionState& state) noexcept;

  [[nodiscard]] std::span<const StagUse> all() const noexcept { return {uses_.data(), count_}; }

 private:
  void add(std::uint32_t stag, Side owner, StagPart part, std::uint64_t octets) noexcept;
  void add_under_way(const ConnectionState& state, Side sender) noexcept;

  std::array<StagUse, max_uses> uses_{};
  std::size_t count_ = 0;
};

}  // namespace iwarp::dissector
