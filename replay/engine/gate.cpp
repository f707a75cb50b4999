// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/gate.hpp"

#include <algorithm>
#include <cmath>

namespace iwarp::replay {
namespace {

constexpr double second = 1e9;

}  // namespace

Gate::Gate(const ReplayOptions& options, std::size_t streams)
    : requests_per_second_(options.requests_per_second),
      bits_per_second_(options.bits_per_second),
      stepping_(options.timing == Timing::step),
      is_held_(2 * streams) {}

// When the next request may be posted.
TimeNs Gate::slot() const {
  if (!anchor_) return 0;
  double behind = 0;
  if (requests_per_second_ > 0) behind = static_cast<double>(requests_) * second / requests_per_second_;
  if (bits_per_second_ > 0) {
    behind = std::max(behind, static_cast<double>(octets_) * 8 * second / bits_per_second_);
  }
  return *anchor_ + static_cast<TimeNs>(std::min(std::ceil(behind), 4e18));
}

bool Gate::admits(PlayerNumber player, std::uint32_t work, TimeNs recorded, TimeNs now) {
  if (!stepping_ && requests_per_second_ == 0 && bits_per_second_ == 0) return true;
  if (admitted_ == player) {
    admitted_.reset();
    return true;
  }
  if (!stepping_ && held_.empty() && slot() <= now) return true;
  if (is_held_[player]) return false;
  is_held_[player] = true;
  held_.insert({stepping_ ? static_cast<std::uint64_t>(recorded) : next_order_++, player, work});
  return false;
}

void Gate::posted(std::uint64_t octets, TimeNs now) {
  if (!anchor_) anchor_ = now;
  ++requests_;
  octets_ += octets;
}

std::optional<PlayerNumber> Gate::take(TimeNs now) {
  if (held_.empty() || (stepping_ ? released_ == 0 : slot() > now)) return std::nullopt;
  if (stepping_) --released_;
  admitted_ = held_.begin()->player;
  held_.erase(held_.begin());
  is_held_[*admitted_] = false;
  return admitted_;
}

TimeNs Gate::next_due() const {
  if (held_.empty()) return never;
  if (stepping_) return released_ == 0 ? never : 0;
  return slot();
}

}  // namespace iwarp::replay
