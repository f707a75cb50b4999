// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/witness.hpp"

#include <algorithm>
#include <cstdio>

namespace iwarp::replay {
namespace {

std::size_t place(Role role) noexcept {
  return static_cast<std::size_t>(role);
}

AnalyzerOptions strict() {
  AnalyzerOptions options;
  options.strict = true;
  return options;
}

std::string code_text(std::uint16_t code) {
  char text[8];
  std::snprintf(text, sizeof text, "%04x", unsigned{code});
  return text;
}

std::string whole(std::uint16_t code) {
  return "Terminate " + code_text(code) + " (" + wire::describe_terminate(code).name + ")";
}

bool expects(const Oracle& oracle, std::uint16_t code) noexcept {
  return code != 0 && std::ranges::find(oracle.codes, code) != oracle.codes.end();
}

}  // namespace

Seen seen_of(const EventLog& log) {
  Seen seen;
  for (std::size_t role = 0; role < 2; ++role) {
    for (const LogEntry& each : log.entries[role]) {
      if (each.kind == WorkKind::terminate) seen.terminates[role].push_back(each.code);
      seen.fin[role] = seen.fin[role] || each.kind == WorkKind::fin;
      seen.rst[role] = seen.rst[role] || each.kind == WorkKind::rst;
      if (!is_close(each.kind)) ++seen.fpdus[role];
    }
  }
  return seen;
}

Witness::Witness(CapturePoint* next) : next_(next), analyzer_(strict()) {}

void Witness::captured(const Packet& packet, TimeNs now) {
  if (next_ != nullptr) next_->captured(packet, now);
  take(analyzer_.add(segment_of(packet, ++frame_, now)));
}

void Witness::take(Events events) {
  for (const Event& event : events) {
    if (const ConnectionState* const state = analyzer_.analysis().connection(event.connection))
      roles_[event.connection] = {state->role_of(Side::a), state->role_of(Side::b)};
    const Role role = roles_[event.connection][event.side == Side::a ? 0 : 1];
    switch (event.kind) {
      case EventKind::finding:
        seen_.found.push_back(
            {event.finding.check, event.finding.severity, role, event.frame, describe(event.finding)});
        break;
      case EventKind::startup: ++seen_.startups[place(role)]; break;
      case EventKind::fpdu: ++seen_.fpdus[place(role)]; break;
      case EventKind::fin: seen_.fin[place(role)] = true; break;
      case EventKind::rst: seen_.rst[place(role)] = true; break;
      case EventKind::message: {
        const MessageConclusion& message = event.message;
        if (message.opcode != wire::Opcode::terminate || message.tagged) break;
        const auto octets = ByteView(message.rdmap).first(message.rdmap_octets);
        const auto terminate = wire::parse_terminate(octets, message.bit_order);
        seen_.terminates[place(role)].push_back(terminate ? terminate->meant.value() : std::uint16_t{0});
        break;
      }
      default: break;
    }
  }
}

Seen Witness::finish() {
  take(analyzer_.finish());
  return std::move(seen_);
}

const char* conformance_name(Conformance conformance) noexcept {
  switch (conformance) {
    case Conformance::conforms: return "conforms";
    case Conformance::deviates: return "deviates";
    case Conformance::not_tried: return "not tried";
  }
  return "?";
}

std::string expectation(const Oracle& oracle) {
  std::string text = answer_name(oracle.answer);
  if (oracle.answer != Answer::terminates) return text;
  for (std::size_t i = 0; i < oracle.codes.size() && oracle.codes[i] != 0; ++i) {
    text += (i == 0 ? " " : " or ") + code_text(oracle.codes[i]);
  }
  return text;
}

Verdict judge(const Injection& injection, const Seen& seen, bool complete) {
  const Oracle& oracle = injection.breach->oracle;
  const std::size_t peer = place(other(injection.role));
  const std::vector<std::uint16_t>& terminates = seen.terminates[peer];
  const bool closed = seen.fin[peer] || seen.rst[peer];
  // Where the peer terminates by plan, it did so before the breach.
  const std::size_t by_plan = injection.breach->needs.peer_terminates ? 1 : 0;
  Verdict verdict;
  verdict.expected = expectation(oracle);
  if (terminates.size() > by_plan) {
    verdict.seen = whole(terminates.back());
    if (terminates.size() > by_plan + 1) verdict.seen += ", the last of several";
  } else if (oracle.answer == Answer::nothing) {
    verdict.seen = "no answer";
  } else if (seen.rst[peer]) {
    verdict.seen = "RST";
  } else if (complete && !injection.breach->silent) {
    verdict.seen = "carries on";
  } else if (closed) {
    verdict.seen = "closes without a Terminate";
  } else {
    verdict.seen = seen.fpdus[peer] != 0 ? "no answer" : "sends no FPDU";
  }
  bool right = false;
  switch (oracle.answer) {
    case Answer::terminates: right = terminates.size() == 1 && expects(oracle, terminates[0]); break;
    case Answer::carries_on: right = terminates.empty() && !seen.rst[peer] && complete; break;
    case Answer::closes: right = terminates.empty() && closed; break;
    case Answer::leaves_mpa: right = seen.fpdus[peer] == 0; break;
    case Answer::resets: right = terminates.empty() && seen.rst[peer]; break;
    case Answer::nothing: right = terminates.size() == by_plan; break;
  }
  verdict.conformance = right ? Conformance::conforms : Conformance::deviates;
  return verdict;
}

}  // namespace iwarp::replay
