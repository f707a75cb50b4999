// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/startup_comparison.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

bool undecided_startup(const StreamLog& log) noexcept {
  const bool seen = log.startup == StartupEnd::rejected || log.startup == StartupEnd::accepted;
  return !seen && (log.startup == StartupEnd::unknown || log.left_open || log.holed ||
                   log.lacking[static_cast<std::size_t>(Role::responder)]);
}

// Why a log does not tell how its start-up ended. Nothing where it is not a capture's to tell: an application
// above a device does not see it.
std::optional<Reason> doubt_of_startup(const StreamLog& log) noexcept {
  if (!undecided_startup(log)) return std::nullopt;
  for (const Role role : {Role::responder, Role::initiator}) {
    if (const auto lacking = log.lacking[static_cast<std::size_t>(role)]) return lacking;
  }
  if (log.holed) return Reason::gap;
  return log.left_open ? std::optional(Reason::capture_end) : std::nullopt;
}

}  // namespace

std::optional<Difference> difference_of_startup(const StreamLog& recorded, const StreamLog& live,
                                                const IgnoreRules& ignore) {
  if (recorded.startup == live.startup || ignore.ignores(LogField::startup, Role::responder)) return {};
  Difference difference{DifferenceClass::different, Role::responder, {}, {}, {LogField::startup}, {}};
  if (!undecided_startup(recorded) && !undecided_startup(live)) return difference;
  difference.what = DifferenceClass::undecidable;
  difference.reason = doubt_of_startup(recorded);
  if (!difference.reason) difference.reason = doubt_of_startup(live);
  // What a limit kept from being run is counted by requests.
  if (!difference.reason || difference.reason == Reason::limit) return {};
  return difference;
}

std::optional<Difference> difference_of_private_data(const StreamLog& recorded, const StreamLog& live,
                                                     Role role, const IgnoreRules& ignore) {
  const auto& a = recorded.private_data[static_cast<std::size_t>(role)];
  const auto& b = live.private_data[static_cast<std::size_t>(role)];
  if (!a || !b || ignore.ignores(LogField::private_data, role)) return {};
  Difference difference{DifferenceClass::different, role, {}, {}, {LogField::private_data}, {}};
  const auto left_out = [&](std::uint64_t at) {
    const auto within = [at](const auto& range) { return at >= range.first && at < range.second; };
    return std::ranges::any_of(a->left_out, within) || std::ranges::any_of(b->left_out, within);
  };
  const std::size_t both = std::min(a->octets.size(), b->octets.size());
  for (std::size_t at = 0; at < both; ++at) {
    if (a->octets[at] == b->octets[at] || left_out(at)) continue;
    difference.payload_at = at;
    return difference;
  }
  if (a->octets.size() == b->octets.size()) return {};
  difference.payload_at = both;
  return difference;
}

}  // namespace iwarp::replay
