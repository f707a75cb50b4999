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

Witness::Witness(CapturePoint* next) : next_(next), analyzer_(strict()) {}

void Witness::captured(const Packet& packet, TimeNs now) {
  if (next_ != nullptr) next_->captured(packet, now);
  actions_.note(packet);
  take(analyzer_.add(segment_of(packet, ++frame_, now)));
}

void Witness::take(Events events) {
  for (const Event& event : events) {
    const ConnectionState* const state = analyzer_.analysis().connection(event.connection);
    actions_.note(event, state);
    if (event.kind != EventKind::finding || state == nullptr) continue;
    found_.push_back(
        {{event.finding.check, event.finding.severity, Role::initiator, event.frame, describe(event.finding)},
         state->endpoints[index(event.side)]});
  }
}

Seen Witness::finish(const std::optional<std::array<Endpoint, 2>>& ends) {
  take(analyzer_.finish());
  Seen seen;
  if (!ends) return seen;
  for (const Role role : {Role::initiator, Role::responder}) seen.of[place(role)] = actions_.of(*ends, role);
  for (auto& [found, from] : found_) {
    found.role = from == (*ends)[0] ? Role::initiator : Role::responder;
    seen.found.push_back(std::move(found));
  }
  return seen;
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

RunEnd end_of_run(Outcome outcome, bool settled) noexcept {
  if (outcome == Outcome::complete || (outcome == Outcome::limited && settled)) return RunEnd::complete;
  const bool early = outcome == Outcome::limited || outcome == Outcome::interrupted;
  return early ? RunEnd::early : RunEnd::stuck;
}

Verdict judge(const Injection& injection, const std::array<ObservedActions, 2>& of, RunEnd end) {
  const Oracle& oracle = injection.breach->oracle;
  const ObservedActions& peer = of[place(other(injection.role))];
  const std::vector<std::uint16_t>& terminates = peer.terminates;
  const bool closed = peer.fin || peer.rst;
  // Where the peer terminates by plan, it did so before the breach.
  const std::size_t by_plan = injection.breach->needs.peer_terminates ? 1 : 0;
  // Behind a wrong start-up frame, or a Terminate, there is nothing to be said.
  const bool startup = injection.breach->frame != nullptr;
  const bool ends = oracle.answer == Answer::closes;
  const bool accepts = ends && startup && peer.accepts();
  const bool talks = ends && (startup ? peer.says_more()
                                      : peer.broken.contains(CheckId::rdmap_afterterm) ||
                                            peer.broken.contains(CheckId::rdmap_termterm));
  const bool answered = terminates.size() > by_plan || peer.rst || accepts || talks;
  const bool complete = end == RunEnd::complete;
  Verdict verdict;
  verdict.expected = expectation(oracle);
  if (end == RunEnd::early && !answered && oracle.answer != Answer::nothing) return verdict;
  if (terminates.size() > by_plan) {
    verdict.seen = whole(terminates.back());
    if (terminates.size() > by_plan + 1) verdict.seen += ", the last of several";
  } else if (oracle.answer == Answer::nothing) {
    verdict.seen = "no answer";
  } else if (peer.rst) {
    verdict.seen = "RST";
  } else if (accepts) {
    verdict.seen = "accepts the connection";
  } else if (talks) {
    verdict.seen = "sends FPDUs";
  } else if (complete && !injection.breach->silent) {
    verdict.seen = "carries on";
  } else if (closed) {
    verdict.seen = "closes without a Terminate";
  } else {
    verdict.seen = peer.fpdus != 0 ? "no answer" : "sends no FPDU";
  }
  bool right = false;
  switch (oracle.answer) {
    case Answer::terminates: right = terminates.size() == 1 && expects(oracle, terminates[0]); break;
    case Answer::carries_on: right = terminates.empty() && !peer.rst && complete; break;
    case Answer::closes: right = terminates.empty() && closed && !accepts && !talks; break;
    case Answer::leaves_mpa: right = !peer.says_more(); break;
    case Answer::resets: right = terminates.empty() && peer.rst; break;
    case Answer::nothing: right = terminates.size() == by_plan; break;
  }
  verdict.conformance = right ? Conformance::conforms : Conformance::deviates;
  return verdict;
}

}  // namespace iwarp::replay
