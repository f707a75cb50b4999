// The command line of iwarp-replay.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/latency_limit.hpp"
#include "commands/peers.hpp"
#include "engine/options.hpp"
#include "transport/fault_injector.hpp"

namespace iwarp::replay {

enum class Command : std::uint8_t {
  plan,
  run,
  compare,
  campaign,
  shrink,
  list_injections
};

// What becomes of a stream whose recording breaks rules, where no live peer takes the place of the end that
// broke them.
enum class KeepBroken : std::uint8_t {
  no,       // it is left out
  mended,   // it is run without its faults
  exactly,  // our side's faults are sent again, octet for octet
};

struct Options {
  Command command = Command::run;
  // plan, run, campaign, shrink; the first two take several
  std::vector<std::string> inputs = {};
  std::string input = {};  // their names
  // plan
  std::string output = {};
  bool text = false;
  bool anonymise = false;
  // compare
  std::string recorded = {};
  std::string live = {};
  bool json = false;
  std::vector<std::string> ignore = {};  // and run
  // run
  bool loopback = false;
  bool in_memory = false;
  std::vector<FaultRule> faults = {};  // of the network in memory
  std::optional<Role> as = std::nullopt;
  std::optional<Endpoint> peer = std::nullopt;       // to connect to …
  std::vector<MappedPeer> mapped = {};               // … but for these
  std::optional<IpAddress> source = std::nullopt;    // to connect from
  std::optional<Endpoint> listen_at = std::nullopt;  // as responder
  bool verbs = false;                                // an RDMA device plays, not the soft-RNIC …
  std::string device = {};                           // … this one; empty: whose address it is
  std::optional<std::uint32_t> stream = std::nullopt;
  KeepBroken keep_broken = KeepBroken::no;
  ReplayOptions replay = {};
  std::uint16_t max_segment = 0;
  std::optional<std::uint64_t> payload_seed = std::nullopt;
  std::uint32_t copies = 1;  // of each stream, at once …
  TimeNs ramp = 0;           // … started over so long
  std::uint64_t loops = 1;   // 0: for ever
  TimeNs loop_delay = 0;
  TimeNs stats = 0;  // 0: none
  std::string record = {};
  std::string report = {};
  std::string junit = {};
  std::vector<LatencyLimit> latency_limits = {};
  bool quiet = false;
  bool stop_on_divergence = false;
  std::vector<std::string> inject = {};  // and campaign, shrink
  // shrink
  std::string command_line = {};  // whose exit status tells
  // list_injections
  bool markdown = false;
};

// The options, or nothing: then `status` is the exit status, and what there is to say was said.
[[nodiscard]] std::optional<Options> parse_options(int argc, const char* const* argv, int& status);

// "1.5", "1.5s", "20ms", "3us", "7ns", "2m"; nothing where it is no duration.
[[nodiscard]] std::optional<TimeNs> parse_duration(const std::string& text);
enum class EndpointUse : std::uint8_t {
  connect,
  listen  // port 0: any that is free
};
// "192.0.2.1:4420", "[2001:db8::1]:4420", "localhost:4420"; nothing where it is no address, and why in
// `error`.
[[nodiscard]] std::optional<Endpoint> parse_endpoint(const std::string& text, std::string& error,
                                                     EndpointUse use = EndpointUse::connect);

}  // namespace iwarp::replay
