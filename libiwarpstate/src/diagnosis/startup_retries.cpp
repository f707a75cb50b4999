// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnosis/startup_retries.hpp"

#include <algorithm>

#include "diagnosis/finding_event.hpp"

namespace iwarp {
namespace {

constexpr std::uint8_t enhanced_revision = 2;  // RFC 6581 §6
// From the end of the first connection to the Request on the second one: who waits for a Reply does so some
// ten seconds.
constexpr TimeNs soon = 15'000'000'000;

const std::optional<StartupFact>& request_of(const ConnectionState& connection) noexcept {
  return connection.mpa.frames[static_cast<std::size_t>(wire::StartupKind::request)];
}

}  // namespace

std::optional<Event> StartupRetries::add(const Event& event, const ConnectionState& connection) {
  if (connection.llp != Llp::tcp) return std::nullopt;
  switch (event.kind) {
    case EventKind::fin:
    case EventKind::rst:
    case EventKind::closed: note_failed(event, connection); return std::nullopt;
    case EventKind::startup:
      if (event.startup.kind != wire::StartupKind::request) return std::nullopt;
      return note_request(event, connection);
    default: return std::nullopt;
  }
}

void StartupRetries::note_failed(const Event& event, const ConnectionState& connection) {
  const auto& request = request_of(connection);
  if (!request || request->revision < enhanced_revision) return;
  if (connection.side(Side::a).fpdus != 0 || connection.side(Side::b).fpdus != 0) return;
  const auto same = [&](const Attempt& each) { return each.connection == connection.id; };
  if (std::any_of(failed_.begin(), failed_.end(), same)) return;
  const Attempt attempt{connection.id,
                        connection.endpoints[index(connection.side_of(Role::initiator))],
                        connection.endpoints[index(connection.side_of(Role::responder))],
                        request->revision,
                        request->placed,
                        event.time_ns};
  if (failed_.size() < max_attempts) {
    failed_.push_back(attempt);
    return;
  }
  failed_[next_] = attempt;
  next_ = (next_ + 1) % max_attempts;
}

std::optional<Event> StartupRetries::note_request(const Event& event, const ConnectionState& connection) {
  const StartupFact& request = event.startup;
  if (request.revision >= enhanced_revision) return std::nullopt;
  const Endpoint& initiator = connection.endpoints[index(event.side)];
  const Endpoint& responder = connection.endpoints[index(other(event.side))];
  const Attempt* latest = nullptr;
  for (const Attempt& each : failed_) {
    const bool fits = each.initiator.address == initiator.address && each.responder == responder &&
                      request.placed.time_ns >= each.failed_ns &&
                      request.placed.time_ns - each.failed_ns <= soon;
    if (fits && (latest == nullptr || each.failed_ns > latest->failed_ns)) latest = &each;
  }
  if (latest == nullptr) return std::nullopt;
  const auto lost = static_cast<std::uint64_t>(request.placed.time_ns - latest->request.time_ns);
  return finding_event(event, CheckId::perf_fallback, other(event.side),
                       {lost, request.revision, latest->revision, latest->connection},
                       {latest->request.frame, request.placed.frame}, latest->request.time_ns);
}

}  // namespace iwarp
