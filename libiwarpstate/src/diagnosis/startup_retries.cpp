// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/startup_retries.hpp>

#include <algorithm>

#include "diagnosis/finding_event.hpp"

namespace iwarp {
namespace {

constexpr std::uint8_t enhanced_revision = 2;  // RFC 6581 §6
// From the end of the first connection to the Request on the second one: who waits for a Reply does so some
// ten seconds.
constexpr TimeNs soon = 15'000'000'000;

bool follows(const StartupAttempt& attempt, const StartupAttempt& failed) noexcept {
  const TimeNs between = attempt.request.time_ns - *failed.failed_ns;
  return failed.initiator.address == attempt.initiator.address && failed.responder == attempt.responder &&
         between >= 0 && between <= soon;
}

}  // namespace

std::optional<StartupAttempt> startup_attempt(const Event& event, const ConnectionState* connection) {
  const bool begins = event.kind == EventKind::startup && event.startup.kind == wire::StartupKind::request;
  const bool ends =
      event.kind == EventKind::fin || event.kind == EventKind::rst || event.kind == EventKind::closed;
  if ((!begins && !ends) || connection == nullptr || connection->llp != Llp::tcp) return std::nullopt;
  const auto& kept = connection->mpa.frames[static_cast<std::size_t>(wire::StartupKind::request)];
  if (!begins && !kept) return std::nullopt;
  const StartupFact& request = begins ? event.startup : *kept;
  if (begins == (request.revision >= enhanced_revision)) return std::nullopt;
  if (connection->side(Side::a).fpdus != 0 || connection->side(Side::b).fpdus != 0) return std::nullopt;
  const Side initiator = begins ? event.side : connection->side_of(Role::initiator);
  StartupAttempt attempt;
  attempt.stream = connection->id;
  attempt.initiator = connection->endpoints[index(initiator)];
  attempt.responder_side = other(initiator);
  attempt.responder = connection->endpoints[index(attempt.responder_side)];
  attempt.revision = request.revision;
  attempt.request = request.placed;
  if (ends) attempt.failed_ns = event.time_ns;
  return attempt;
}

std::optional<Event> StartupRetries::add(const StartupAttempt& attempt) {
  if (attempt.failed_ns) {
    const bool known = std::ranges::any_of(
        failed_, [&](const StartupAttempt& each) { return each.stream == attempt.stream; });
    if (known) return std::nullopt;
    if (failed_.size() < max_failed) {
      failed_.push_back(attempt);
    } else {
      failed_[next_] = attempt;
      next_ = (next_ + 1) % max_failed;
    }
    return std::nullopt;
  }
  const StartupAttempt* latest = nullptr;
  for (const StartupAttempt& each : failed_) {
    if (follows(attempt, each) && (latest == nullptr || *each.failed_ns > *latest->failed_ns)) latest = &each;
  }
  if (latest == nullptr) return std::nullopt;
  Event decided;
  decided.connection = attempt.stream;
  decided.frame = attempt.request.frame;
  decided.time_ns = attempt.request.time_ns;
  const auto lost = static_cast<std::uint64_t>(attempt.request.time_ns - latest->request.time_ns);
  return finding_event(decided, CheckId::perf_fallback, attempt.responder_side,
                       {lost, attempt.revision, latest->revision, latest->stream},
                       {attempt.request.frame, latest->request.frame}, attempt.request.time_ns);
}

}  // namespace iwarp
