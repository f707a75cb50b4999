// Traffic: octets and messages by kind and direction, summed over any range of time in O(log n).
//
// A message counts where its last octet came. Memory: some 6 octets a message.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>

#include <iwarp/metrics.hpp>
#include <iwarp/metrics/packed_times.hpp>

#include "models/levels.hpp"
#include "scale/work.hpp"

namespace iwarp::gui {

enum class TrafficKind : std::uint8_t {
  write,
  send,
  read_response,
  read_request,
  other  // atomics, Immediates, Terminates
};
inline constexpr std::size_t traffic_kinds = 5;
[[nodiscard]] const char* traffic_name(TrafficKind kind) noexcept;
[[nodiscard]] TrafficKind traffic_kind(wire::Opcode opcode) noexcept;

class Traffic {
 public:
  struct Sum {
    std::uint64_t messages = 0;
    std::uint64_t octets = 0;
  };

  Traffic() = default;
  // Of messages that count.
  Traffic(const MessageTable& table, const RowList& rows);

  [[nodiscard]] Sum over(Role from, TrafficKind kind, TimeSpan span, Work& work) const;
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }

 private:
  struct Series {
    PackedTimes times;
    PackedNumbers octets;  // of all until this one, itself included
  };
  std::array<std::array<Series, traffic_kinds>, 2> series_;  // by Role
  std::size_t messages_ = 0;
};

}  // namespace iwarp::gui
