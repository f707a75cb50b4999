// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include <iwarp/export/names.hpp>

#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/load.hpp"
#include "commands/printed_text.hpp"
#include "inject/built_in_plan.hpp"
#include "inject/campaign.hpp"
#include "program/interrupt.hpp"
#include "program/status_line.hpp"
#include "transport/socket_network.hpp"

namespace iwarp::replay {
namespace {

// What passes goes to the run that is on.
class Relay final : public CapturePoint {
 public:
  void captured(const Packet& packet, TimeNs now) override {
    if (to != nullptr) to->captured(packet, now);
  }
  CapturePoint* to = nullptr;
};

// One role over the system's sockets, the other one is a live peer.
class LivePeer {
 public:
  explicit LivePeer(const Options& options) : options_(options) {
    SocketOptions sockets;
    sockets.any_address = true;
    sockets.source = options.source;
    sockets.max_segment = options.max_segment != 0 ? options.max_segment : ethernet_segment;
    if (options.peer) {
      sockets.record_opened = &relay_;
    } else {
      sockets.record_accepted = &relay_;
      sockets.keep_listening = true;
    }
    network_ = std::make_unique<SocketNetwork>(sockets);
  }

  Rehearsed run(const Plan& plan, std::uint32_t stream, const ReplayOptions& options, CapturePoint& point) {
    Rehearsed result;
    // A peer that serves one connection at a time needs a moment for the next one.
    constexpr int attempts = 5;
    constexpr TimeNs moment = 100'000'000;
    for (int i = 0; i < attempts; ++i) {
      pause(moment);
      result = run_once(plan, stream, options, point);
      if (result.error.empty() || program::interrupted()) return result;
    }
    return result;
  }

  void pause(TimeNs length) {
    const TimeNs until = network_->now() + length;
    while (network_->now() < until && !program::interrupted()) (void)network_->wait(until);
  }

 private:
  Rehearsed run_once(const Plan& plan, std::uint32_t stream, const ReplayOptions& options,
                     CapturePoint& point) {
    Rehearsed result;
    Placement placement;
    placement.plays = {options_.as == Role::initiator, options_.as == Role::responder};
    if (options_.peer) placement.peer_of = [this](std::uint32_t) { return *options_.peer; };
    placement.network = [this](std::uint32_t) -> Network& { return *network_; };
    placement.listen_at = [this](std::uint32_t) { return options_.listen_at.value_or(Endpoint{}); };
    relay_.to = &point;
    {
      Replay replay(plan, {stream}, options, placement);
      if (replay.start(result.error)) {
        for (replay.run(); !replay.done(); replay.run()) {
          if (program::interrupted()) {
            replay.interrupt();
            break;
          }
          (void)network_->wait(replay.next_due());
        }
        result.outcome = replay.outcome();
        result.error = replay.failure();
        result.troubles = replay.stage().troubles;
        result.waits = replay.waits();
        result.ends = replay.endpoints(0);
        result.unconnected = replay.unconnected() != 0;
        if (result.error.empty() && result.unconnected && options_.peer)
          result.error = "nobody accepts a connection at " + to_string(*options_.peer);
      }
    }
    relay_.to = nullptr;
    return result;
  }

  const Options& options_;
  Relay relay_;
  std::unique_ptr<SocketNetwork> network_;
};

struct Tally {
  std::size_t conform = 0;
  std::size_t deviate = 0;
  std::size_t not_tried = 0;
};

Tally tally_of(const std::vector<Attempt>& attempts) {
  Tally tally;
  for (const Attempt& each : attempts) {
    switch (each.verdict.conformance) {
      case Conformance::conforms: ++tally.conform; break;
      case Conformance::deviates: ++tally.deviate; break;
      case Conformance::not_tried: ++tally.not_tried; break;
    }
  }
  return tally;
}

const std::string& shown(const Attempt& attempt) {
  return attempt.verdict.conformance == Conformance::not_tried ? attempt.why_not : attempt.verdict.seen;
}

void print_table(const std::vector<Attempt>& attempts, std::FILE* out) {
  std::size_t name = 4;
  std::size_t expected = 8;
  std::size_t seen = 4;
  for (const Attempt& each : attempts) {
    name = std::max(name, each.wanted.breach->name().size());
    expected = std::max(expected, each.verdict.expected.size());
    seen = std::max(seen, shown(each).size());
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& c, const char* d) {
    std::fprintf(out, "%-*s  %-*s  %-*s  %s\n", static_cast<int>(name), a.c_str(), static_cast<int>(expected),
                 b.c_str(), static_cast<int>(seen), c.c_str(), d);
  };
  line("rule", "expected", "seen", "verdict");
  for (const Attempt& each : attempts) {
    line(each.wanted.breach->name(), each.verdict.expected, shown(each),
         conformance_name(each.verdict.conformance));
  }
  const Tally tally = tally_of(attempts);
  std::fprintf(out, "%zu conform, %zu deviate, %zu not tried\n", tally.conform, tally.deviate,
               tally.not_tried);
}

// docs/schema/replay-campaign-1.json
std::string to_json(const std::vector<Attempt>& attempts, const std::string& peer, const Plan& plan) {
  nlohmann::ordered_json json;
  json["format"] = "iwarp-replay campaign";
  json["version"] = 1;
  json["peer"] = peer;
  const Tally tally = tally_of(attempts);
  json["summary"] = {{"conform", tally.conform}, {"deviate", tally.deviate}, {"not_tried", tally.not_tried}};
  json["rules"] = nlohmann::ordered_json::array();
  for (const Attempt& each : attempts) {
    const Breach& breach = *each.wanted.breach;
    nlohmann::ordered_json row = {{"id", check_info(breach.check).id},
                                  {"name", breach.name()},
                                  {"what", breach.what},
                                  {"reference", breach.oracle.reference},
                                  {"expected", each.verdict.expected},
                                  {"seen", nullptr},
                                  {"verdict", conformance_name(each.verdict.conformance)},
                                  {"why_not", nullptr},
                                  {"stream", nullptr},
                                  {"from", nullptr},
                                  {"message", nullptr}};
    if (each.verdict.conformance == Conformance::not_tried) {
      row["why_not"] = each.why_not;
    } else {
      row["seen"] = each.verdict.seen;
    }
    if (each.injection) {
      row["stream"] = plan.streams[each.injection->stream].number;
      row["from"] = role_name(each.injection->role);
      if (each.injection->message != 0) row["message"] = each.injection->message;
    }
    row["findings"] = nlohmann::ordered_json::array();
    for (const Seen::Found& found : each.found) {
      row["findings"].push_back({{"id", check_info(found.check).id},
                                 {"severity", severity_name(found.severity)},
                                 {"from", role_name(found.role)},
                                 {"text", found.text}});
    }
    json["rules"].push_back(row);
  }
  return json.dump(2) + "\n";
}

void tell_progress(program::StatusLine& line, std::size_t done, std::size_t all, const std::string& name) {
  line.show(std::to_string(done) + " of " + std::to_string(all) + " " + name);
}

}  // namespace

int campaign_command(const Options& options) {
  std::string error;
  Plan plan = built_in_plan();
  bool damaged = false;
  if (!options.input.empty()) {
    auto loaded = load_plan(options.inputs.front(), error);
    if (!loaded) return fail(error);
    plan = std::move(loaded->plan);
    damaged = loaded->damaged;
  }
  choose_payload(options, plan);
  std::vector<Wanted> all;
  for (const std::string& each : options.inject) all.push_back(*parse_wanted(each, error));
  if (all.empty()) {
    for (const Breach* each : all_breaches()) all.push_back({each, {}});
  }
  std::unique_ptr<LivePeer> peer;
  RunStream run = [](const Plan& its_plan, std::uint32_t stream, const ReplayOptions& replay,
                     CapturePoint& point) {
    return rehearse(its_plan, {stream}, replay, point, program::interrupted);
  };
  PauseFor pause;
  std::array<bool, 2> plays = {true, true};
  std::string name = "the soft-RNIC, in memory";
  if (options.as) {
    try {
      peer = std::make_unique<LivePeer>(options);
    } catch (const std::system_error& failure) {
      return fail(failure.what());
    }
    plays = {options.as == Role::initiator, options.as == Role::responder};
    name = to_string(options.peer ? *options.peer : *options.listen_at);
    run = [&](const Plan& its_plan, std::uint32_t stream, const ReplayOptions& replay, CapturePoint& point) {
      return peer->run(its_plan, stream, replay, point);
    };
    pause = [&](TimeNs length) { peer->pause(length); };
  }
  ReplayOptions replay = options.replay;
  replay.timing = Timing::topspeed;
  Campaign campaign(plan, replay, plays, run, options.stream, pause);
  if (!campaign.healthy(error)) return fail(error);
  std::vector<Attempt> attempts;
  program::StatusLine line;
  for (const Wanted& each : all) {
    if (program::interrupted()) break;
    tell_progress(line, attempts.size(), all.size(), each.breach->name());
    Attempt attempt = campaign.attempt(each, error);
    if (!error.empty() || program::interrupted()) break;
    attempts.push_back(std::move(attempt));
  }
  line.hide();
  const std::string text = options.json ? to_json(attempts, name, plan)
                                        : printed_text([&](std::FILE* out) { print_table(attempts, out); });
  if (const std::string failure = program::print(text); !failure.empty()) return fail(failure);
  if (!error.empty()) return fail(error);
  if (campaign.gone()) return fail("no peer connects any more: the rules from there on were not tried");
  if (attempts.size() != all.size()) return fail("interrupted");
  const Tally tally = tally_of(attempts);
  if (tally.conform + tally.deviate == 0) return fail("nothing of the plan could be used");
  return status_of(tally.deviate == 0 ? program::exit_done : program::exit_no, damaged);
}

}  // namespace iwarp::replay
