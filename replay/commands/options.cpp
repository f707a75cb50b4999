// The command line: CLI11 splits it, what follows decides what it means.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/options.hpp"

#include <netdb.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "commands/help.hpp"
#include "inject/place.hpp"
#include "program/exit_status.hpp"
#include "transport/socket_address.hpp"

namespace iwarp::replay {
namespace {

// Long enough for a siw that is emulated on a busy machine; see ReplayOptions::start_delay.
constexpr TimeNs live_start_delay = 500'000'000;

constexpr const char* commands = "plan, run, compare, campaign or shrink";

// What stands on the command line, before it is understood.
struct Words {
  bool help = false;
  bool version = false;
  bool all = false;
  std::string as;
  std::string rnic = "soft";
  std::string connect;
  std::string listen;
  std::string stream;
  std::string timing = "causal";
  std::string speed;
  std::string max_gap;
  std::string requests_per_second;
  std::string mbps;
  std::string loop;
  std::string loop_delay;
  std::string limit;
  std::string duration;
  std::string patience;
  std::string start_delay;
  std::string crc = "as-captured";
  std::string markers = "as-captured";
  std::string revision;
  std::string rtr = "as-captured";
  std::string ird;
  std::string ord;
  std::string mss;
  std::string payload = "captured";
  std::string stats;
  std::string max_memory;
  std::string seed;
  std::string own_stags = "recorded";
  std::string list_injections;
};

// Understands the words. Every member returns false once `error` is set.
class Reader {
 public:
  explicit Reader(std::string& error) : error_(error) {}

  template <typename T>
  void number(const char* option, const std::string& word, std::uint64_t least, std::uint64_t most, T& out) {
    if (word.empty() || !error_.empty()) return;
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || value < least ||
        value > most) {
      error_ = std::string(option) + " takes a number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not '" + word + "'";
      return;
    }
    out = static_cast<typename Inner<T>::type>(value);
  }
  void duration(const char* option, const std::string& word, TimeNs& out) {
    if (word.empty() || !error_.empty()) return;
    if (const auto value = parse_duration(word)) {
      out = *value;
    } else {
      error_ = std::string(option) + " takes a duration such as 500ms or 2s, not '" + word + "'";
    }
  }
  void positive_duration(const char* option, const std::string& word, TimeNs& out) {
    duration(option, word, out);
    if (!word.empty() && error_.empty() && out == 0)
      error_ = std::string(option) + " takes a duration longer than 0, not '" + word + "'";
  }
  void positive(const char* option, const std::string& word, double& out) {
    if (word.empty() || !error_.empty()) return;
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (*end != '\0' || !std::isfinite(value) || value <= 0) {
      error_ = std::string(option) + " takes a number greater than 0, not '" + word + "'";
    } else {
      out = value;
    }
  }
  void on_off(const char* option, const std::string& word, std::optional<bool>& out) {
    if (word == "on") {
      out = true;
    } else if (word == "off") {
      out = false;
    } else if (word != "as-captured" && error_.empty()) {
      error_ = std::string(option) + " takes on, off or as-captured, not '" + word + "'";
    }
  }

 private:
  template <typename T>
  struct Inner {
    using type = T;
  };
  template <typename T>
  struct Inner<std::optional<T>> {
    using type = T;
  };
  std::string& error_;
};

void understand_place(const Words& words, Options& options, std::string& error) {
  const int ways = (options.loopback ? 1 : 0) + (words.as.empty() ? 0 : 1);
  if (ways != 1) {
    error =
        "say who plays: --loopback, or --as initiator --connect HOST:PORT, or --as responder --listen "
        "ADDRESS:PORT";
    return;
  }
  if (options.loopback) {
    if (!words.connect.empty() || !words.listen.empty()) error = "--loopback connects its two ends by itself";
    return;
  }
  if (words.as == "initiator") {
    options.as = Role::initiator;
    if (words.connect.empty()) error = "--as initiator needs --connect HOST:PORT";
    if (error.empty()) options.peer = parse_endpoint(words.connect, error);
  } else if (words.as == "responder") {
    options.as = Role::responder;
    if (words.listen.empty()) error = "--as responder needs --listen ADDRESS:PORT";
    if (error.empty()) options.listen_at = parse_endpoint(words.listen, error, EndpointUse::listen);
  } else {
    error = "--as takes initiator or responder, not '" + words.as + "'";
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
                                                 {"--crc", words.crc != "as-captured"},
                                                 {"--markers", words.markers != "as-captured"},
                                                 {"--mpa-rev", !words.revision.empty()},
                                                 {"--rtr", words.rtr != "as-captured"},
                                                 {"--mss", !words.mss.empty()},
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

// Options of run that campaign and shrink know, too.
void understand_replay(const Words& words, Options& options, std::string& error) {
  Reader reader(error);
  ReplayOptions& replay = options.replay;
  if (!words.stream.empty() && words.all && error.empty()) error = "--stream and --all exclude each other";
  reader.number("--stream", words.stream, 0, UINT32_MAX, options.stream);
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
  if (replay.timing == Timing::step && (mbps > 0 || replay.requests_per_second > 0) && error.empty()) {
    error = "--timing step waits for you: leave out --ops-per-second and --mbps";
  }
  reader.duration("--max-gap", words.max_gap, replay.max_gap);
  reader.number("--loop", words.loop, 0, UINT64_MAX, options.loops);
  reader.duration("--loop-delay", words.loop_delay, options.loop_delay);
  reader.number("--limit", words.limit, 1, UINT64_MAX, replay.limit);
  reader.duration("--duration", words.duration, replay.duration);
  reader.positive_duration("--patience", words.patience, replay.patience);
  if (options.as == Role::initiator) replay.start_delay = live_start_delay;
  reader.duration("--start-delay", words.start_delay, replay.start_delay);
  reader.on_off("--crc", words.crc, replay.negotiation.crc);
  std::optional<bool> markers;
  reader.on_off("--markers", words.markers, markers);
  replay.negotiation.markers = {markers, markers};
  reader.number("--mpa-rev", words.revision, 1, 2, replay.negotiation.revision);
  reader.number("--ird", words.ird, 0, 16382, replay.negotiation.ird);
  reader.number("--ord", words.ord, 0, 16382, replay.negotiation.ord);
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
    replay.negotiation.rtr = found->second;
    if (found->second != RtrKind::none && replay.negotiation.revision == 1 && error.empty())
      error = "--rtr needs MPA revision 2 (RFC 6581): leave out --mpa-rev 1";
  } else if (words.rtr != "as-captured" && error.empty()) {
    error = "--rtr takes read, write, send, none or as-captured, not '" + words.rtr + "'";
  }
  for (const std::string& each : options.inject) {
    if (error.empty()) (void)parse_wanted(each, error);
  }
}

// A campaign's peer: both ends here, unless an address is given.
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
  constexpr TimeNs short_patience = 3'000'000'000;
  options.replay.patience = short_patience;
  understand_replay(words, options, error);
}

void add_replay(CLI::App& run, Options& options, Words& words) {
  run.add_option("input", options.input);
  run.add_option("--inject", options.inject);
  run.add_flag("--all", words.all);
  run.add_option("--stream", words.stream);
  run.add_option("--timing", words.timing);
  run.add_option("--speed", words.speed);
  run.add_option("--max-gap", words.max_gap);
  run.add_option("--ops-per-second", words.requests_per_second);
  run.add_option("--mbps", words.mbps);
  run.add_option("--loop", words.loop);
  run.add_option("--loop-delay", words.loop_delay);
  run.add_option("--limit", words.limit);
  run.add_option("--duration", words.duration);
  run.add_option("--patience", words.patience);
  run.add_option("--start-delay", words.start_delay);
  run.add_option("--crc", words.crc);
  run.add_option("--markers", words.markers);
  run.add_option("--mpa-rev", words.revision);
  run.add_option("--rtr", words.rtr);
  run.add_option("--ird", words.ird);
  run.add_option("--ord", words.ord);
  run.add_option("--mss", words.mss);
  run.add_option("--payload", words.payload);
  run.add_option("--max-memory", words.max_memory);
  run.add_option("--seed", words.seed);
  run.add_option("--own-stags", words.own_stags);
}

void add_run(CLI::App& run, Options& options, Words& words) {
  run.add_flag("--loopback", options.loopback);
  run.add_option("--as", words.as);
  run.add_option("--rnic", words.rnic);
  run.add_option("--connect", words.connect);
  run.add_option("--listen", words.listen);
  run.add_option("--record", options.record);
  run.add_option("--report", options.report);
  run.add_option("--ignore", options.ignore);
  run.add_option("--stats", words.stats);
}

std::optional<Options> refuse(const std::string& error, int& status) {
  std::fprintf(stderr, "iwarp-replay: %s\n", error.c_str());
  std::fputs("iwarp-replay --help shows all commands and options\n", stderr);
  status = program::exit_failed;
  return std::nullopt;
}

}  // namespace

std::optional<TimeNs> parse_duration(const std::string& text) {
  static const std::map<std::string, double> units = {{"", 1e9},   {"s", 1e9},  {"ms", 1e6},  {"us", 1e3},
                                                      {"ns", 1e0}, {"m", 60e9}, {"h", 3600e9}};
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto unit = units.find(end);
  if (unit == units.end() || !std::isfinite(number)) return std::nullopt;
  const double nanoseconds = number * unit->second;
  if (nanoseconds < 0 || nanoseconds > 9e18) return std::nullopt;
  return static_cast<TimeNs>(nanoseconds);
}

std::optional<Endpoint> parse_endpoint(const std::string& text, std::string& error, EndpointUse use) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.empty() || colon + 1 == text.size()) {
    error = "'" + text + "' is no HOST:PORT, such as 192.0.2.7:4420 or [2001:db8::7]:4420";
    return std::nullopt;
  }
  // getaddrinfo() takes the low 16 bits of any number.
  const std::string port = text.substr(colon + 1);
  const std::uint16_t least = use == EndpointUse::listen ? 0 : 1;
  std::uint16_t number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || number < least) {
    error =
        "'" + text + "': a port is a number from " + std::to_string(least) + " to 65535, not '" + port + "'";
    return std::nullopt;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failure != 0) {
    error = "'" + text + "': " + ::gai_strerror(failure);
    return std::nullopt;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  SocketAddress address;
  address.size = found->ai_addrlen;
  std::copy_n(reinterpret_cast<const char*>(found->ai_addr), found->ai_addrlen,
              reinterpret_cast<char*>(&address.storage));
  return address.endpoint();
}

std::optional<Options> parse_options(int argc, const char* const* argv, int& status) {
  Options options;
  Words words;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("--help,-h", words.help);
  app.add_flag("--version", words.version);
  app.require_subcommand(0, 1);
  CLI::App* const plan = app.add_subcommand("plan");
  CLI::App* const run = app.add_subcommand("run");
  CLI::App* const compare = app.add_subcommand("compare");
  CLI::App* const campaign = app.add_subcommand("campaign");
  CLI::App* const shrink = app.add_subcommand("shrink");
  CLI::Option* const listing = app.add_option("--list-injections", words.list_injections)->expected(0, 1);
  for (CLI::App* const each : {plan, run, compare, campaign, shrink}) {
    each->set_help_flag();
    each->add_flag("--help,-h", words.help);
  }
  plan->add_option("input", options.input);
  plan->add_option("-o,--output", options.output);
  plan->add_flag("--text", options.text);
  plan->add_flag("--anonymise", options.anonymise);
  for (CLI::App* const each : {run, campaign, shrink}) add_replay(*each, options, words);
  add_run(*run, options, words);
  campaign->add_option("--connect", words.connect);
  campaign->add_option("--listen", words.listen);
  campaign->add_flag("--json", options.json);
  shrink->add_option("-o,--output", options.output);
  shrink->add_flag("--text", options.text);
  shrink->add_option("--command", options.command_line);
  compare->add_option("recorded", options.recorded);
  compare->add_option("live", options.live);
  compare->add_flag("--json", options.json);
  compare->add_option("--ignore", options.ignore);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word != "--help" && word != "-h") continue;
    std::fputs(help_text, stdout);
    status = program::exit_done;
    return std::nullopt;
  }
  const std::string first = argc > 1 ? argv[1] : "";
  const auto named = [&](const CLI::App* each) { return each->get_name() == first; };
  if (!first.empty() && first[0] != '-' && std::ranges::none_of(app.get_subcommands(nullptr), named))
    return refuse("there is no command '" + first + "'; the commands are " + commands, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    return refuse(failure.what(), status);
  }
  if (words.version) {
    std::puts("iwarp-replay " IWARP_VERSION);
    status = program::exit_done;
    return std::nullopt;
  }
  std::string error;
  const bool list =
      listing->count() != 0 || std::ranges::find(options.inject, "list") != options.inject.end();
  if (list) {
    options.command = Command::list_injections;
    options.markdown = words.list_injections == "markdown";
    if (!options.markdown && !words.list_injections.empty() && words.list_injections != "text")
      error = "--list-injections takes text or markdown, not '" + words.list_injections + "'";
  } else if (plan->parsed()) {
    options.command = Command::plan;
    if (options.input.empty()) error = "plan needs a CAPTURE";
    if (error.empty() && options.output.empty()) error = "plan needs -o PLAN; - is standard output";
  } else if (compare->parsed()) {
    options.command = Command::compare;
    if (options.live.empty()) error = "compare needs two captures or plans";
  } else if (run->parsed()) {
    options.command = Command::run;
    if (options.input.empty()) error = "run needs a CAPTURE or a PLAN";
    if (error.empty()) understand_place(words, options, error);
    understand_rnic(words, options, error);
    understand_replay(words, options, error);
  } else if (campaign->parsed()) {
    options.command = Command::campaign;
    understand_campaign(words, options, error);
  } else if (shrink->parsed()) {
    options.command = Command::shrink;
    if (options.input.empty()) error = "shrink needs a CAPTURE or a PLAN";
    if (error.empty() && options.output.empty()) error = "shrink needs -o SMALLER; - is standard output";
    understand_replay(words, options, error);
  } else {
    error = std::string("say what to do: ") + commands;
  }
  if (!error.empty()) return refuse(error, status);
  return options;
}

}  // namespace iwarp::replay
