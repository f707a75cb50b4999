// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/understand.hpp"

#include <map>
#include <utility>

#include "inject/place.hpp"

namespace iwarp::replay {
namespace {

// Long enough for a siw that is emulated on a busy machine; see ReplayOptions::start_delay.
constexpr TimeNs live_start_delay = 500'000'000;

void understand_place(const Words& words, Options& options, std::string& error) {
  const int ways = (options.loopback ? 1 : 0) + (options.in_memory ? 1 : 0) + (words.as.empty() ? 0 : 1);
  if (ways != 1) {
    error = ways > 1 ? "one of --loopback, --in-memory and --as, not two"
                     : "say who plays: --loopback, or --in-memory, or --as initiator --connect HOST:PORT, or "
                       "--as responder "
                       "--listen ADDRESS:PORT";
    return;
  }
  if (options.loopback || options.in_memory) {
    const std::string way = options.loopback ? "--loopback" : "--in-memory";
    const bool live = !words.connect.empty() || !words.listen.empty() || !words.mapped.empty();
    if (live) error = way + " connects its two ends by itself";
    return;
  }
  if (words.as == "initiator") {
    options.as = Role::initiator;
    if (words.connect.empty() && words.mapped.empty())
      error = "--as initiator needs --connect HOST:PORT, or --map RECORDED=HOST:PORT";
    if (error.empty() && !words.connect.empty()) options.peer = parse_endpoint(words.connect, error);
    for (const std::string& each : words.mapped) {
      if (!error.empty()) break;
      if (auto mapped = parse_mapped_peer(each, error)) options.mapped.push_back(std::move(*mapped));
    }
  } else if (words.as == "responder") {
    options.as = Role::responder;
    if (words.listen.empty()) error = "--as responder needs --listen ADDRESS:PORT";
    if (error.empty()) options.listen_at = parse_endpoint(words.listen, error, EndpointUse::listen);
  } else {
    error = "--as takes initiator or responder, not '" + words.as + "'";
  }
}

// The flag alone, or with how.
void understand_keep_broken(const Words& words, Options& options, std::string& error) {
  if (words.keep_broken.empty() || !error.empty()) return;
  if (words.keep_broken == "exact") {
    options.keep_broken = KeepBroken::exactly;
    if (options.verbs) error = "--keep-broken=exact is for the soft-RNIC: a device keeps the rules";
  } else if (words.keep_broken == "true") {
    options.keep_broken = KeepBroken::mended;
  } else {
    error = "--keep-broken takes nothing, or =exact, not '" + words.keep_broken + "'";
  }
}

// An address, or a name of one; nothing: it is neither.
std::optional<IpAddress> address_of(const std::string& word) {
  const bool bare = word.find(':') != std::string::npos && word.front() != '[';
  std::string why;
  const auto endpoint = parse_endpoint((bare ? "[" + word + "]" : word) + ":1", why);
  return endpoint ? std::optional(endpoint->address) : std::nullopt;
}

// Of the soft-RNIC's connections: a device has its own addresses.
void understand_bind(const Words& words, Options& options, std::string& error) {
  if (!error.empty() || words.bind.empty()) return;
  options.source = address_of(words.bind);
  if (options.as != Role::initiator || options.verbs) {
    error = "--bind is for the soft-RNIC that connects, with --connect or --map";
  } else if (!options.source) {
    error =
        "--bind takes an address of this machine, such as 192.0.2.8 or 2001:db8::8, not '" + words.bind + "'";
  }
}

void understand_copies(const Words& words, Options& options, std::string& error) {
  Reader reader(error);
  reader.number("--copies", words.copies, 1, 65'535, options.copies);
  reader.duration("--ramp", words.ramp, options.ramp);
  if (error.empty() && !words.ramp.empty() && options.copies < 2)
    error = "--ramp is how long the start of --copies takes: give how many";
}

// Addresses of peers, or names of theirs.
void understand_accept_only(const Words& words, Options& options, std::string& error) {
  if (!error.empty() || words.accept_only.empty()) return;
  if (options.as != Role::responder || options.verbs) {
    error = "--accept-only is for the soft-RNIC that listens, with --listen";
    return;
  }
  for (const std::string& each : words.accept_only) {
    const auto address = address_of(each);
    if (!address) {
      error = "--accept-only takes an address, such as 192.0.2.7 or 2001:db8::7, not '" + each + "'";
      return;
    }
    options.replay.accept_only.push_back(*address);
  }
}

// What the device decides by itself cannot be asked for.
void understand_rnic(const Words& words, Options& options, std::string& error) {
  if (words.rnic == "soft" || !error.empty()) return;
  options.verbs = words.rnic == "verbs" || words.rnic.starts_with("verbs:");
  if (!options.verbs || words.rnic == "verbs:") {
    error = "--rnic takes soft, verbs or verbs:DEVICE, not '" + words.rnic + "'";
    return;
  }
  if (words.rnic.size() > 6) options.device = words.rnic.substr(6);
  const std::pair<const char*, bool> others[] = {{"--loopback", options.loopback},
                                                 {"--in-memory", options.in_memory},
                                                 {"--crc", words.crc != "as-captured"},
                                                 {"--markers", words.markers != "as-captured"},
                                                 {"--mpa-rev", !words.revision.empty()},
                                                 {"--rtr", words.rtr != "as-captured"},
                                                 {"--mss", !words.mss.empty()},
                                                 {"--map", !words.mapped.empty()},
                                                 {"--copies", !words.copies.empty()},
                                                 {"--inject", !options.inject.empty()},
                                                 {"--own-stags", words.own_stags != "recorded"},
                                                 {"--record", !options.record.empty()},
                                                 {"--timing step", words.timing == "step"},
                                                 {"--ops-per-second", !words.requests_per_second.empty()},
                                                 {"--mbps", !words.mbps.empty()}};
  for (const auto& [option, given] : others) {
    if (given) error = std::string(option) + " is for the soft-RNIC; leave it out with --rnic verbs";
  }
}

// "loss:2%", "loss:7"; of another word `why` says what is wrong with it.
std::optional<FaultRule> fault_of(const std::string& word, std::string& why) {
  static const std::map<std::string, Fault> kinds = {{"loss", Fault::loss},
                                                     {"duplication", Fault::duplication},
                                                     {"reordering", Fault::reordering},
                                                     {"corruption", Fault::corruption},
                                                     {"splitting", Fault::splitting},
                                                     {"hidden-corruption", Fault::hidden_corruption},
                                                     {"coalescing", Fault::coalescing}};
  why =
      "--fault takes loss, duplication, reordering, corruption, hidden-corruption, splitting or coalescing, "
      "with how often (loss:2%) or to which packet with octets (loss:7), not '" +
      word + "'";
  const std::size_t colon = word.find(':');
  const auto found = kinds.find(word.substr(0, colon));
  if (found == kinds.end() || colon == std::string::npos) return std::nullopt;
  FaultRule rule;
  rule.fault = found->second;
  std::string error;
  Reader reader(error);
  if (word.ends_with('%')) {
    double percent = 0;
    reader.positive("", word.substr(colon + 1, word.size() - colon - 2), percent);
    rule.probability = percent / 100;
    if (percent > 100) why = "--fault takes at most 100% of the packets, not '" + word + "'";
    if (percent <= 0 || percent > 100) return std::nullopt;
  } else {
    rule.which = Which::payload;
    std::uint64_t number = 0;
    reader.number("", word.substr(colon + 1), 1, UINT64_MAX, number);
    rule.nth = {number};
    if (number == 0) return std::nullopt;
  }
  return error.empty() ? std::optional(rule) : std::nullopt;
}

void understand_faults(const Words& words, Options& options, std::string& error) {
  if (!error.empty() || words.faults.empty()) return;
  if (!options.in_memory) error = "--fault is what the network in memory does: it needs --in-memory";
  for (const std::string& each : words.faults) {
    std::string why;
    const auto rule = fault_of(each, why);
    if (!rule && error.empty()) error = why;
    if (rule) options.faults.push_back(*rule);
  }
}

// What would change nothing.
void refuse_useless_pace(const Words& words, const ReplayOptions& replay, std::string& error) {
  if (!error.empty()) return;
  const bool paced = !words.speed.empty() || !words.max_gap.empty();
  const bool limited = replay.bits_per_second > 0 || replay.requests_per_second > 0;
  if (replay.timing == Timing::topspeed && paced) {
    error = "--timing topspeed makes no pauses: leave out --speed and --max-gap";
  } else if (replay.timing == Timing::step && (paced || limited)) {
    error = "--timing step waits for you: leave out --speed, --max-gap, --ops-per-second and --mbps";
  }
}

void understand_timing(const Words& words, ReplayOptions& replay, std::string& error) {
  Reader reader(error);
  static const std::map<std::string, Timing> timings = {{"topspeed", Timing::topspeed},
                                                        {"causal", Timing::causal},
                                                        {"original", Timing::original},
                                                        {"step", Timing::step}};
  if (const auto found = timings.find(words.timing); found != timings.end()) {
    replay.timing = found->second;
  } else if (error.empty()) {
    error = "--timing takes causal, topspeed, original or step, not '" + words.timing + "'";
  }
  reader.positive("--speed", words.speed, replay.speed);
  reader.positive("--ops-per-second", words.requests_per_second, replay.requests_per_second);
  double mbps = 0;
  reader.positive("--mbps", words.mbps, mbps);
  replay.bits_per_second = mbps * 1e6;
  reader.duration("--max-gap", words.max_gap, replay.max_gap);
  refuse_useless_pace(words, replay, error);
}

// Options of run, of which campaign and shrink know some, too.
void understand_replay(const Words& words, Options& options, std::string& error) {
  Reader reader(error);
  ReplayOptions& replay = options.replay;
  if (!words.stream.empty() && words.all && error.empty()) error = "--stream and --all exclude each other";
  reader.number("--stream", words.stream, 0, UINT32_MAX, options.stream);
  understand_timing(words, replay, error);
  reader.number("--loop", words.loop, 0, UINT64_MAX, options.loops);
  reader.duration("--loop-delay", words.loop_delay, options.loop_delay);
  reader.number("--limit", words.limit, 1, UINT64_MAX, replay.limit);
  reader.duration("--duration", words.duration, replay.duration);
  reader.positive_duration("--patience", words.patience, replay.patience);
  if (options.as == Role::initiator) replay.start_delay = live_start_delay;
  reader.duration("--start-delay", words.start_delay, replay.start_delay);
  reader.on_off("--crc", words.crc, replay.startup.crc);
  std::optional<bool> markers;
  reader.on_off("--markers", words.markers, markers);
  replay.startup.markers = {markers, markers};
  reader.number("--mpa-rev", words.revision, 1, 2, replay.startup.revision);
  reader.number("--ird", words.ird, 0, 16382, replay.startup.ird);
  reader.number("--ord", words.ord, 0, 16382, replay.startup.ord);
  reader.number("--mss", words.mss, 88, 65483, options.max_segment);
  if (words.payload.starts_with("seeded:") && words.payload.size() > 7) {
    reader.number("--payload seeded:", words.payload.substr(7), 0, UINT64_MAX, options.payload_seed);
  } else if (words.payload != "captured" && error.empty()) {
    error = "--payload takes captured or seeded:N, not '" + words.payload + "'; N is a number";
  }
  reader.positive_duration("--stats", words.stats, options.stats);
  std::uint64_t mebibytes = 1024;
  reader.number("--max-memory", words.max_memory, 1, std::uint64_t{1} << 30U, mebibytes);
  replay.max_memory = mebibytes << 20U;
  if (words.own_stags != "recorded" && words.own_stags != "other" && error.empty()) {
    error = "--own-stags takes recorded or other, not '" + words.own_stags + "'";
  }
  replay.rename_own = words.own_stags == "other";
  reader.number("--seed", words.seed, 0, UINT64_MAX, replay.seed);
  static const std::map<std::string, RtrKind> kinds = {
      {"read", RtrKind::read}, {"write", RtrKind::write}, {"send", RtrKind::send}, {"none", RtrKind::none}};
  if (const auto found = kinds.find(words.rtr); found != kinds.end()) {
    replay.startup.rtr = found->second;
    if (found->second != RtrKind::none && replay.startup.revision == 1 && error.empty())
      error = "--rtr needs MPA revision 2 (RFC 6581): leave out --mpa-rev 1";
  } else if (words.rtr != "as-captured" && error.empty()) {
    error = "--rtr takes read, write, send, none or as-captured, not '" + words.rtr + "'";
  }
  for (const std::string& each : options.inject) {
    if (error.empty()) (void)parse_wanted(each, error);
  }
}

}  // namespace

void understand_run(const Words& words, Options& options, std::string& error) {
  if (options.input.empty()) error = "run needs a CAPTURE or a PLAN";
  if (error.empty()) understand_place(words, options, error);
  understand_rnic(words, options, error);
  understand_faults(words, options, error);
  for (const std::string& each : words.latency_limits) {
    if (!error.empty()) break;
    if (const auto limit = parse_latency_limit(each, error)) options.latency_limits.push_back(*limit);
  }
  understand_accept_only(words, options, error);
  understand_keep_broken(words, options, error);
  understand_bind(words, options, error);
  understand_copies(words, options, error);
  understand_replay(words, options, error);
}

// Both ends are here, unless an address is given.
void understand_campaign(const Words& words, Options& options, std::string& error) {
  if (!words.connect.empty() && !words.listen.empty()) {
    error = "--connect and --listen exclude each other";
  } else if (!words.connect.empty()) {
    options.as = Role::initiator;
    options.peer = parse_endpoint(words.connect, error);
  } else if (!words.listen.empty()) {
    options.as = Role::responder;
    options.listen_at = parse_endpoint(words.listen, error, EndpointUse::listen);
  } else {
    options.loopback = true;
  }
  if (error.empty() && options.as && options.input.empty())
    error = "campaign against a live peer needs the CAPTURE or PLAN of a session that it takes part in";
  if (error.empty() && options.loopback && !words.mss.empty())
    error = "--mss is of a live peer's connections: give --connect or --listen, or leave it out";
  understand_accept_only(words, options, error);
  understand_bind(words, options, error);
  constexpr TimeNs short_patience = 3'000'000'000;
  options.replay.patience = short_patience;
  understand_replay(words, options, error);
}

void understand_shrink(const Words& words, Options& options, std::string& error) {
  if (options.input.empty()) error = "shrink needs a CAPTURE or a PLAN";
  if (error.empty() && options.output.empty()) error = "shrink needs -o SMALLER; - is standard output";
  understand_replay(words, options, error);
  if (error.empty() && options.replay.timing == Timing::step)
    error = "shrink asks nobody: --timing takes causal, topspeed or original here";
}

}  // namespace iwarp::replay
