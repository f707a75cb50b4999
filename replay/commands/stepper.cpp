// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/stepper.hpp"

#include <charconv>
#include <cstdio>
#include <iwarp/export/names.hpp>

namespace iwarp::replay {
namespace {

constexpr const char* help =
    "Enter: let it go; a number: so many; l: list what is ready; c: go on without asking; q: end with the "
    "report\n";

std::string place_of(std::uint32_t stag, std::uint64_t to) {
  char text[64];
  std::snprintf(text, sizeof text, "STag 0x%08x TO 0x%016llx", stag, static_cast<unsigned long long>(to));
  return text;
}

}  // namespace

std::string Stepper::line_of(const Replay::Step& step) const {
  const PlannedStream& stream = plan_.streams[step.work.stream];
  const PlannedWork& work = work_of(plan_, step.work);
  std::string text = "stream " + std::to_string(stream.number) + " " + role_name(step.role) + ": " +
                     work_kind_name(work.kind);
  if (!is_close(work.kind) && work.kind != WorkKind::terminate)
    text += " " + std::to_string(work.length) + " octets";
  if (work.kind == WorkKind::write || work.kind == WorkKind::atomic)
    text += " to " + place_of(work.stag, work.to);
  if (work.kind == WorkKind::read) {
    text += " of " + place_of(work.source_stag, work.source_to) + " to " + place_of(work.stag, work.to);
  }
  char when[64];
  std::snprintf(when, sizeof when, " (work %u, frame %llu, recorded at %.6f s)", step.work.work,
                static_cast<unsigned long long>(work.frame), static_cast<double>(work.time_ns) / 1e9);
  return text + when;
}

void Stepper::show(const Replay& replay) {
  const std::vector<Replay::Step> steps = replay.steps();
  const Stage& stage = replay.stage();
  if (stage.completed != completed_) {
    std::fprintf(stderr, "  %llu posted, %llu complete\n", static_cast<unsigned long long>(stage.posted),
                 static_cast<unsigned long long>(stage.completed));
    completed_ = stage.completed;
  }
  std::fprintf(stderr, "next: %s", line_of(steps.front()).c_str());
  if (steps.size() > 1) std::fprintf(stderr, ", and %zu more are ready", steps.size() - 1);
  std::fputs("\n> ", stderr);
  std::fflush(stderr);
}

bool Stepper::ask(Replay& replay, int milliseconds) {
  if (!std::exchange(shown_, true)) show(replay);
  const auto line = input_.next(milliseconds);
  if (line) return obey(*line, replay);
  return !input_.ended();
}

bool Stepper::obey(const std::string& command, Replay& replay) {
  shown_ = false;
  std::uint64_t count = 0;
  const auto number = std::from_chars(command.data(), command.data() + command.size(), count);
  if (command.empty() || command == "s") {
    replay.release(1);
  } else if (command == "c") {
    replay.release(UINT64_MAX);
  } else if (command == "q") {
    return false;
  } else if (command == "l") {
    for (const Replay::Step& each : replay.steps()) std::fprintf(stderr, "  %s\n", line_of(each).c_str());
  } else if (number.ec == std::errc() && number.ptr == command.data() + command.size() && count > 0) {
    replay.release(count);
  } else {
    std::fputs(help, stderr);
  }
  return true;
}

}  // namespace iwarp::replay
