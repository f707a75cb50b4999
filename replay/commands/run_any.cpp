// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "inject/catalogue.hpp"
#include "program/interrupt.hpp"

namespace iwarp::replay {

int list_injections_command(const Options& options) {
  const std::string text = options.markdown ? breaches_as_markdown() : breaches_as_text();
  return print_result(text, program::exit_done);
}

int run_any(const Options& options) {
  program::watch_signals();
  switch (options.command) {
    case Command::plan: return plan_command(options);
    case Command::run: return run_command(options);
    case Command::compare: return compare_command(options);
    case Command::campaign: return campaign_command(options);
    case Command::shrink: return shrink_command(options);
    case Command::list_injections: return list_injections_command(options);
  }
  return program::exit_failed;
}

}  // namespace iwarp::replay
