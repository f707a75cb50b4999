// The command line: CLI11 splits it, understand.cpp says what it means.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <span>

#include "commands/advice.hpp"
#include "commands/fail.hpp"
#include "commands/help.hpp"
#include "commands/help_of.hpp"
#include "commands/understand.hpp"
#include "commands/words.hpp"

namespace iwarp::replay {
namespace {

constexpr const char* commands = "plan, run, compare, campaign or shrink";

// run, campaign and shrink
void add_run_of_any_kind(CLI::App& app, Options& options, Words& words) {
  app.add_option("--inject", options.inject);
  app.add_option("--patience", words.patience);
  app.add_option("--start-delay", words.start_delay);
  app.add_option("--crc", words.crc);
  app.add_option("--markers", words.markers);
  app.add_option("--mpa-rev", words.revision);
  app.add_option("--rtr", words.rtr);
  app.add_option("--ird", words.ird);
  app.add_option("--ord", words.ord);
  app.add_option("--payload", words.payload);
  app.add_option("--max-memory", words.max_memory);
  app.add_option("--seed", words.seed);
  app.add_option("--own-stags", words.own_stags);
}

// run and shrink: what is compared with the recording has its pace, or another one.
void add_pace(CLI::App& app, Options& options, Words& words) {
  app.add_option("--timing", words.timing);
  app.add_option("--speed", words.speed);
  app.add_option("--max-gap", words.max_gap);
  app.add_option("--ops-per-second", words.requests_per_second);
  app.add_option("--mbps", words.mbps);
  app.add_option("--limit", words.limit);
  app.add_option("--duration", words.duration);
  app.add_option("--ignore", options.ignore);
}

// run and campaign
void add_choice(CLI::App& app, Words& words) {
  app.add_flag("--all", words.all);
  app.add_option("--stream", words.stream);
  app.add_option("--connect", words.connect);
  app.add_option("--bind", words.bind);
  app.add_option("--listen", words.listen);
  app.add_option("--accept-only", words.accept_only);
  app.add_option("--mss", words.mss);
}

void add_run(CLI::App& run, Options& options, Words& words) {
  run.add_option("input", options.inputs);
  add_run_of_any_kind(run, options, words);
  add_pace(run, options, words);
  add_choice(run, words);
  run.add_flag_callback("--step", [&words] { words.timing = "step"; })->excludes("--timing");
  run.add_flag("--loopback", options.loopback);
  run.add_flag("--keep-broken", words.keep_broken);
  run.add_flag("--in-memory", options.in_memory);
  run.add_option("--fault", words.faults);
  run.add_option("--as", words.as);
  run.add_option("--map", words.mapped);
  run.add_option("--copies", words.copies);
  run.add_option("--ramp", words.ramp);
  run.add_option("--rnic", words.rnic);
  run.add_option("--loop", words.loop);
  run.add_option("--loop-delay", words.loop_delay);
  run.add_option("--record", options.record);
  run.add_option("--report", options.report);
  run.add_option("--junit", options.junit);
  run.add_option("--latency-limit", words.latency_limits);
  run.add_flag("--quiet", options.quiet);
  run.add_flag("--stop-on-divergence", options.stop_on_divergence);
  run.add_option("--stats", words.stats);
}

void add_campaign(CLI::App& campaign, Options& options, Words& words) {
  campaign.add_option("input", options.inputs)->expected(0, 1);
  add_run_of_any_kind(campaign, options, words);
  add_choice(campaign, words);
  campaign.add_flag("--json", options.json);
}

void add_shrink(CLI::App& shrink, Options& options, Words& words) {
  shrink.add_option("input", options.inputs)->expected(0, 1);
  add_run_of_any_kind(shrink, options, words);
  add_pace(shrink, options, words);
  shrink.add_option("-o,--output", options.output);
  shrink.add_flag("--text", options.text);
  shrink.add_option("--command", options.command_line);
}

void add_plan(CLI::App& plan, Options& options) {
  plan.add_option("input", options.inputs);
  plan.add_option("-o,--output", options.output);
  plan.add_flag("--text", options.text);
  plan.add_flag("--anonymise", options.anonymise);
}

void add_compare(CLI::App& compare, Options& options) {
  compare.add_option("recorded", options.recorded);
  compare.add_option("live", options.live);
  compare.add_flag("--json", options.json);
  compare.add_option("--ignore", options.ignore);
}

std::optional<Options> refuse(const std::string& error, int& status, const CLI::App* command = nullptr) {
  status = fail(error);
  if (command == nullptr) {
    std::fputs("iwarp-replay --help shows all commands and options\n", stderr);
  } else {
    std::fprintf(stderr, "iwarp-replay %s --help shows its options\n", command->get_name().c_str());
  }
  return std::nullopt;
}

std::string help_for(const CLI::App* command) {
  if (command == nullptr) return help_text;
  return help_of(command->get_name(), [command](const std::string& option) {
    return std::ranges::any_of(command->get_options(),
                               [&](const CLI::Option* each) { return each->check_name(option); });
  });
}

std::string no_command(const std::string& word, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const each : app.get_subcommands(nullptr)) names.push_back(each->get_name());
  const std::string meant = meant_by(word, names);
  const std::string text = "there is no command '" + word + "'; ";
  return meant.empty() ? text + "the commands are " + commands : text + "did you mean " + meant + "?";
}

bool blank(const std::string& word) {
  return word.find_first_not_of(" \t\n") == std::string::npos;
}

// An option whose value is empty, as of a variable that is not set; "" where there is none.
std::string empty_option(const CLI::App& app) {
  for (const CLI::Option* const each : app.get_options()) {
    if (each->get_items_expected_min() != 0 && !each->get_positional() &&
        std::ranges::any_of(each->results(), blank))
      return each->get_name();
  }
  return {};
}

// --command and an option for the run in memory that it stands for; "" where there is none.
std::string option_beside_command(const CLI::App& shrink) {
  for (const CLI::Option* const each : shrink.get_options()) {
    const std::string name = each->get_name();
    const bool own = each->get_positional() || name == "--output" || name == "--text" || name == "--command";
    if (!own && each->count() != 0) return name;
  }
  return {};
}

}  // namespace

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
  std::vector<CLI::Option*> listings;
  for (CLI::App* const each : {&app, run, campaign, shrink})
    listings.push_back(each->add_option("--list-injections", words.list_injections)->expected(0, 1));
  for (CLI::App* const each : {plan, run, compare, campaign, shrink}) {
    each->set_help_flag();
    each->add_flag("--help,-h", words.help);
  }
  add_plan(*plan, options);
  add_run(*run, options, words);
  add_compare(*compare, options);
  add_campaign(*campaign, options, words);
  add_shrink(*shrink, options, words);
  const std::string first = argc > 1 ? argv[1] : "";
  const auto everyone = app.get_subcommands(nullptr);
  const auto named =
      std::ranges::find_if(everyone, [&](const CLI::App* each) { return each->get_name() == first; });
  const CLI::App* const command = named == everyone.end() ? nullptr : *named;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word != "--help" && word != "-h") continue;
    status = print_result(help_for(command), program::exit_done);
    return std::nullopt;
  }
  if (!first.empty() && first[0] != '-' && command == nullptr) return refuse(no_command(first, app), status);
  if (command != nullptr) {
    const std::string wrong =
        wrong_option(app, *command, std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
    if (!wrong.empty()) return refuse(wrong, status, command);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    return refuse(failure.what(), status, command);
  }
  if (words.version) {
    status = print_result("iwarp-replay " IWARP_VERSION "\n", program::exit_done);
    return std::nullopt;
  }
  for (const CLI::App* const each : app.get_subcommands()) {
    const std::string option = empty_option(*each);
    if (!option.empty()) return refuse(option + " needs a value that is not empty", status, command);
  }
  for (const std::string& each : options.inputs) options.input += (options.input.empty() ? "" : ", ") + each;
  std::string error;
  const auto given = [](const CLI::Option* each) { return each->count() != 0; };
  const bool list = std::ranges::any_of(listings, given) ||
                    std::ranges::find(options.inject, "list") != options.inject.end();
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
    understand_run(words, options, error);
  } else if (campaign->parsed()) {
    options.command = Command::campaign;
    understand_campaign(words, options, error);
  } else if (shrink->parsed()) {
    options.command = Command::shrink;
    understand_shrink(words, options, error);
    const std::string beside = options.command_line.empty() ? "" : option_beside_command(*shrink);
    if (error.empty() && !beside.empty())
      error = beside + " is for runs in memory; leave it out, --command does what it likes with a plan";
  } else {
    error = std::string("say what to do: ") + commands;
  }
  if (!error.empty()) return refuse(error, status, command);
  return options;
}

}  // namespace iwarp::replay
