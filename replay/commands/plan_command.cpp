// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>

#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/load.hpp"
#include "commands/result_file.hpp"
#include "plan/anonymise.hpp"
#include "plan/plan_file.hpp"

namespace iwarp::replay {

int plan_command(const Options& options) {
  std::string error;
  if (overwrites_any("-o", options.output, options.inputs, error)) return fail(error);
  auto loaded = load_plans(options.inputs, error);
  if (!loaded) return fail(error);
  Plan* const plan = &loaded->plan;
  const int done = status_of(program::exit_done, loaded->damaged);
  if (plan->streams.empty())
    return fail(options.input + " has no iWARP stream; iwarp-analyze says what is in it");
  if (options.anonymise) anonymise(*plan);
  if (options.output == "-") {
    return print_result(options.text ? to_text(*plan) : to_octets(*plan), done);
  }
  if (!write_plan(*plan, options.output, options.text, error)) return fail(error);
  std::size_t works = 0;
  std::size_t missing = 0;
  for (const PlannedStream& stream : plan->streams) {
    works += stream.work.size();
    missing += stream.missing.size();
  }
  std::fprintf(stderr, "%zu streams, %zu requests, %llu octets of payload", plan->streams.size(), works,
               static_cast<unsigned long long>(plan->payloads.octets()));
  if (missing != 0)
    std::fprintf(stderr, "; what the capture lacks in %zu places is seeded or left out", missing);
  std::fputc('\n', stderr);
  for (const PlannedStream& stream : plan->streams) {
    const PlannedViolation* const broken = refusal(stream);
    if (broken == nullptr) continue;
    std::fprintf(stderr, "stream %u breaks %s in frame %llu and will not be run: %s\n", stream.number,
                 program::printable(broken->check).c_str(), static_cast<unsigned long long>(broken->frame),
                 program::printable(broken->text).c_str());
  }
  return done;
}

}  // namespace iwarp::replay
