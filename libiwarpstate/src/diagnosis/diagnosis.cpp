// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/diagnosis.hpp>

#include <iterator>
#include <string_view>

#include "diagnosis/stream_diagnosis.hpp"

namespace iwarp {
namespace {

constexpr const char* cause_names[] = {"ord", "credits", "window", "recovery", "receive_queue", "startup"};
static_assert(std::size(cause_names) == stall_cause_count);

// Nothing is kept of connections for it: those that never get beyond their start-up may be many.
void note_slow_startup(const Event& reply, const ConnectionState& connection, std::vector<Stall>& stalls) {
  constexpr TimeNs slow = 200'000'000;
  const auto frame_of = [&](wire::StartupKind kind) -> const auto& {
    return connection.mpa.frames[static_cast<std::size_t>(kind)];
  };
  const auto& request = frame_of(wire::StartupKind::request);
  const auto& first_reply = frame_of(wire::StartupKind::reply);
  const StartupFact& startup = reply.startup;
  if (startup.kind != wire::StartupKind::reply || !request) return;
  if (first_reply && first_reply->placed.frame != startup.placed.frame) return;
  if (startup.placed.time_ns - request->placed.time_ns < slow) return;
  Stall& stall = stalls.emplace_back();
  stall.cause = StallCause::startup;
  stall.stream = connection.id;
  stall.side = other(reply.side);
  stall.from = connection.role_of(stall.side);
  stall.begin = request->placed;
  stall.end = startup.placed;
  stall.ns = stall.length();
}

}  // namespace

const char* stall_cause_name(StallCause cause) noexcept {
  return cause_names[static_cast<std::size_t>(cause)];
}

bool is_diagnosis(CheckId check) noexcept {
  return std::string_view(check_info(check).id).starts_with("PERF-");
}

Diagnosis::Diagnosis() : streams_(std::make_unique<StreamDiagnoses>()) {}
Diagnosis::~Diagnosis() = default;
Diagnosis::Diagnosis(Diagnosis&&) noexcept = default;
Diagnosis& Diagnosis::operator=(Diagnosis&&) noexcept = default;

void Diagnosis::add(const Event& event, const ConnectionState* connection, const Analysis& analysis,
                    const LatencyTracker& latencies) {
  streams_->stalls.clear();
  streams_->findings.clear();
  if (connection == nullptr) return;
  if (event.kind == EventKind::startup) return note_slow_startup(event, *connection, streams_->stalls);
  StreamDiagnosis* const stream = streams_->of(event);
  if (stream == nullptr) return;
  stream->add({event, *connection, analysis, latencies, streams_->stalls, streams_->findings});
  if (event.kind != EventKind::closed) return;
  if (connection->iwarp) stream->conclude(event, *connection, streams_->findings);
  streams_->drop(event.connection);
}

std::span<const Stall> Diagnosis::stalls() const noexcept {
  return streams_->stalls;
}

std::span<const Event> Diagnosis::findings() const noexcept {
  return streams_->findings;
}

StreamDiagnosis* StreamDiagnoses::of(const Event& event) {
  if (StreamDiagnosis* const stream = streams_.find(event.connection)) return stream;
  const bool begins = event.kind == EventKind::fpdu || event.kind == EventKind::placed;
  return begins ? &streams_.add(event.connection) : nullptr;
}

}  // namespace iwarp
