// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/run_report.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <iwarp/export/names.hpp>

#include "compare/cause.hpp"
#include "compare/render.hpp"
#include "program/printable.hpp"

namespace iwarp::replay {
namespace {

const char* outcome_name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::running: return "running";
    case Outcome::complete: return "complete";
    case Outcome::gave_up: return "gave up";
    case Outcome::limited: return "ended by a limit";
    case Outcome::interrupted: return "interrupted";
  }
  return "?";
}

const char* run_verdict_name(RunVerdict verdict) noexcept {
  switch (verdict) {
    case RunVerdict::same: return "same";
    case RunVerdict::diverged: return "diverged";
    case RunVerdict::unfinished: return "unfinished";
  }
  return "?";
}

// Of sorted values.
TimeNs quantile(const std::vector<TimeNs>& values, std::size_t percent) {
  return values.empty() ? 0 : values[std::min(values.size() - 1, values.size() * percent / 100)];
}

// Of all that diverged, the stream in which that came first; the others are in --report.
struct FirstStream {
  const StreamsComparison::Each* each = nullptr;
  Cause cause;
  std::size_t others = 0;
};

FirstStream first_stream(const StreamsComparison& comparison, const std::vector<StreamLog>& recorded,
                         const std::vector<StreamLog>& live) {
  FirstStream first;
  FrameNumber first_frame = 0;
  std::size_t diverged = 0;
  for (const StreamsComparison::Each& each : comparison.streams) {
    const bool both = each.recorded && each.live;
    if (both && each.comparison.same()) continue;
    ++diverged;
    const Cause cause =
        both ? cause_of(each.comparison, recorded[*each.recorded], live[*each.live]) : Cause();
    // A whole stream too few or too many has no frame; what can be shown comes first.
    const FrameNumber frame = both ? frame_of(cause, each.comparison, live[*each.live]) : ~FrameNumber{0};
    if (first.each != nullptr && frame >= first_frame) continue;
    first.each = &each;
    first.cause = cause;
    first_frame = frame;
  }
  first.others = diverged == 0 ? 0 : diverged - 1;
  return first;
}

void print_first(std::FILE* out, const FirstStream& first, const std::vector<StreamLog>& recorded,
                 const std::vector<StreamLog>& live) {
  if (first.each == nullptr) return;
  const StreamsComparison::Each& each = *first.each;
  if (each.recorded && each.live) {
    std::fputs(to_text(each.comparison, recorded[*each.recorded], live[*each.live]).c_str(), out);
  } else {
    StreamsComparison lone;
    lone.streams.push_back(each);
    std::fputs(to_text(lone, recorded, live).c_str(), out);
  }
  if (first.others != 0)
    std::fprintf(out, "%zu more streams diverged: --report has all of them\n", first.others);
}

// Errors first; `said` was said before.
void print_found(std::FILE* out, std::vector<LiveLog::Found> found, const PlannedViolation* said = nullptr) {
  std::erase_if(found, [said](const LiveLog::Found& each) {
    return said != nullptr && each.check == said->check && each.frame == said->frame;
  });
  std::ranges::stable_sort(found, std::greater{}, &LiveLog::Found::severity);
  for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
    std::fprintf(out, "%s in live frame %llu: %s\n", found[i].check.c_str(),
                 static_cast<unsigned long long>(found[i].frame), found[i].text.c_str());
  }
}

// Why there is nothing to say of the peer.
std::string why_not(const Injected& injected) {
  switch (injected.how) {
    case InjectedHow::broken: break;
    case InjectedHow::not_reached: return "the run did not come to it";
    case InjectedHow::unbroken: return "that broke no rule there";
    case InjectedHow::unanswered: return "the run ended before the peer could answer";
    case InjectedHow::overtaken: return "what the peer did is about another fault of this stream";
  }
  return {};
}

std::string first_line(const RunResult& result) {
  const LoopReport& report = result.report;
  const RunVerdict verdict = result.verdict_of_run();
  const std::string name =
      verdict == RunVerdict::same && result.left_out() != 0 ? "incomplete" : run_verdict_name(verdict);
  const std::string matched = std::to_string(report.matched());
  if (verdict == RunVerdict::unfinished && report.outcome == Outcome::complete && !result.stopped)
    return "undecidable: nothing could be compared";
  if (verdict == RunVerdict::unfinished) {
    const std::string how =
        report.outcome == Outcome::limited && !result.stopped ? "ended by a limit" : "interrupted";
    if (report.matched() == 0) return how + ": nothing was compared";
    if (result.whole_loops != 0) {
      return how + " after " + std::to_string(result.whole_loops) + " of " +
             std::to_string(result.options.loops) + " loops: " + matched + " requests are the same";
    }
    return how + ": " + matched + " requests are the same, " + std::to_string(report.not_run()) +
           " were not run";
  }
  // Of streams that were not run, or not to their end, nobody knows whether they are as recorded.
  if (const std::size_t not_run = report.not_run(); not_run != 0) {
    return name + ": " + matched + " requests are the same, " + std::to_string(not_run) + " were not run";
  }
  const auto same = std::ranges::count_if(report.comparison.streams, [](const StreamsComparison::Each& each) {
    return each.recorded && each.live && each.comparison.same();
  });
  return name + ": " + std::to_string(same) + " of " +
         std::to_string(result.expected.size() + result.left_out()) + " streams are as recorded, " +
         (result.left_out() != 0 ? std::to_string(result.left_out()) + " left out, " : std::string()) +
         matched + " requests are the same";
}

// Of JSON.
const char* key_of(BrokenFate fate) noexcept {
  switch (fate) {
    case BrokenFate::left_out: return "left_out";
    case BrokenFate::mended: return "mended";
    case BrokenFate::exact: return "exact";
  }
  return "?";
}

std::string fate_in_words(const BrokenStream& broken) {
  switch (broken.fate) {
    case BrokenFate::left_out: return "left out (--keep-broken runs it without the fault)";
    case BrokenFate::exact:
      return "sent again as it was" + (broken.lacking.empty() ? "" : ", but for " + broken.lacking);
    case BrokenFate::mended: break;
  }
  const std::string why = broken.not_exact.empty() ? "" : " (not exactly: " + broken.not_exact + ")";
  return "run without the fault" + why;
}

// What the recording does wrong, and what became of it.
void print_broken(std::FILE* out, const std::vector<BrokenStream>& broken) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, broken.size()); ++i) {
    const BrokenStream& each = broken[i];
    const std::size_t others = each.faults.size() - 1;
    std::fprintf(out, "recorded stream %u: its %s%s: %s\n", each.number,
                 words_of(each.faults.front()).c_str(),
                 others == 0 ? "" : (" and " + std::to_string(others) + " more faults").c_str(),
                 fate_in_words(each).c_str());
  }
  if (broken.size() > most)
    std::fprintf(out, "%zu more such streams: --report has them\n", broken.size() - most);
}

}  // namespace

std::size_t LoopReport::matched() const {
  std::size_t count = 0;
  for (const StreamsComparison::Each& each : comparison.streams) count += each.comparison.matched;
  return count;
}

std::size_t LoopReport::not_run() const {
  std::size_t count = 0;
  for (const StreamsComparison::Each& each : comparison.streams) {
    count += static_cast<std::size_t>(
        std::ranges::count(each.comparison.differences, std::optional(Reason::limit), &Difference::reason));
  }
  return count;
}

bool LoopReport::lacks_injection() const {
  return std::ranges::any_of(injected, [](const Injected& each) { return !each.is_done(); });
}

bool LoopReport::deviates() const {
  return std::ranges::any_of(
      injected, [](const Injected& each) { return each.verdict.conformance == Conformance::deviates; });
}

// Loops for ever end with Ctrl-C: there the whole ones tell.
RunVerdict RunResult::verdict_of_run() const {
  if (diverged_loops != 0) return RunVerdict::diverged;
  const bool early = stopped && options.loops != 0;
  const bool nothing = report.comparison.nothing_compared();
  return early || nothing || report.unfinished() ? RunVerdict::unfinished : RunVerdict::same;
}

void print(const RunResult& result, std::FILE* out) {
  const LoopReport& report = result.report;
  const double seconds = static_cast<double>(report.took) / 1e9;
  std::fprintf(out, "%s; %llu posted in %.3f s%s", first_line(result).c_str(),
               static_cast<unsigned long long>(report.posted), seconds,
               result.options.in_memory ? " of virtual time" : "");
  if (result.options.loops != 1) {
    std::fprintf(out, "; %llu of %llu loops diverged", static_cast<unsigned long long>(result.diverged_loops),
                 static_cast<unsigned long long>(result.loops));
    if (result.first_diverged != 0)
      std::fprintf(out, ", loop %llu first", static_cast<unsigned long long>(result.first_diverged));
  }
  std::fputs("\n", out);
  print_broken(out, result.broken);
  for (const std::string& each : report.troubles) std::fprintf(out, "%s\n", each.c_str());
  for (const std::string& each : report.too_slow) std::fprintf(out, "too slow: %s\n", each.c_str());
  // What is wrong with the live traffic may be why it diverged.
  const bool diverged = result.verdict() == RunVerdict::diverged;
  const FirstStream first = first_stream(report.comparison, result.expected, report.logs);
  if (diverged) print_found(out, report.found, first.cause.broken);
  if (report.outcome != Outcome::complete) {
    std::fprintf(out, "the run did not come to its end: %s\n", outcome_name(report.outcome));
    for (std::size_t i = 0; i < report.waits.size() && i < 5; ++i)
      std::fprintf(out, "  %s\n", report.waits[i].c_str());
  }
  if (result.options.replay.timing == Timing::original) {
    const std::vector<TimeNs>& late = report.punctuality.late;
    const auto microseconds = [](TimeNs ns) { return static_cast<double>(ns) / 1e3; };
    std::fprintf(
        out,
        "posted behind their recorded times: median %.1f us, p99 %.1f us, at most %.1f us, of %zu requests; "
        "%llu more waited for the peer\n",
        microseconds(quantile(late, 50)), microseconds(quantile(late, 99)),
        microseconds(late.empty() ? 0 : late.back()), late.size(),
        static_cast<unsigned long long>(report.punctuality.waited));
  }
  if (!report.comparison.same()) {
    print_first(out, first, result.expected, report.logs);
  } else if (report.comparison.streams.size() == 1) {
    RenderOptions render;
    render.unfinished = result.verdict_of_run() == RunVerdict::unfinished;
    std::fputs(
        to_text(report.comparison.streams[0].comparison, result.expected[0], report.logs[0], render).c_str(),
        out);
  }
  for (const Injected& each : report.injected) {
    const std::string place = describe(each.injection, result.plan);
    if (each.how != InjectedHow::broken) {
      const char* const done = each.is_done() ? "injected" : "not injected:";
      std::fprintf(out, "%s %s: %s\n", done, place.c_str(), why_not(each).c_str());
      continue;
    }
    std::fprintf(out, "injected %s; due: %s (%s); seen: %s: the peer %s\n", place.c_str(),
                 each.verdict.expected.c_str(), each.injection.breach->oracle.reference,
                 each.verdict.seen.c_str(), conformance_name(each.verdict.conformance));
  }
  if (!diverged) print_found(out, report.found);
}

nlohmann::ordered_json to_json(const RunResult& result) {
  const LoopReport& report = result.report;
  const RunVerdict verdict = result.verdict();
  nlohmann::ordered_json json;
  json["format"] = "iwarp-replay report";
  json["version"] = 1;
  json["source"] = program::printable(result.options.input);
  json["same"] = verdict == RunVerdict::same;
  json["verdict"] = run_verdict_name(verdict);
  json["not_run"] = report.not_run();
  json["outcome"] = outcome_name(report.outcome);
  json["loops"] = {{"run", result.loops}, {"diverged", result.diverged_loops}, {"first_diverged", nullptr}};
  if (result.first_diverged != 0) json["loops"]["first_diverged"] = result.first_diverged;
  json["posted"] = report.posted;
  json["octets"] = report.octets;
  json["took_ns"] = report.took;
  json["timing"] = nullptr;
  if (result.options.replay.timing == Timing::original) {
    const std::vector<TimeNs>& late = report.punctuality.late;
    json["timing"] = {{"on_time", late.size()},
                      {"waited", report.punctuality.waited},
                      {"late_median_ns", quantile(late, 50)},
                      {"late_p99_ns", quantile(late, 99)},
                      {"late_max_ns", late.empty() ? 0 : late.back()}};
  }
  RenderOptions every;
  every.messages = true;
  every.unfinished = result.verdict_of_run() == RunVerdict::unfinished;
  json["comparison"] = to_json(report.comparison, result.expected, report.logs, every);
  json["findings"] = nlohmann::ordered_json::array();
  for (const LiveLog::Found& each : report.found) {
    json["findings"].push_back({{"id", each.check},
                                {"severity", severity_name(each.severity)},
                                {"frame", each.frame},
                                {"text", each.text}});
  }
  json["missing"] = nlohmann::ordered_json::array();
  for (const std::uint32_t each : result.streams) {
    for (const Missing& missing : result.plan.streams[each].missing) {
      nlohmann::ordered_json entry = {{"stream", result.plan.streams[each].number},
                                      {"lack", lack_name(missing.lack)},
                                      {"from", role_name(missing.role)},
                                      {"frame", missing.frame},
                                      {"offset", missing.offset},
                                      {"length", missing.length}};
      if (missing.work) entry["work"] = *missing.work;
      json["missing"].push_back(entry);
    }
  }
  for (const char* const key : {"left_out", "mended", "exact"}) json[key] = nlohmann::ordered_json::array();
  for (const BrokenStream& each : result.broken) {
    for (const PlannedViolation& fault : each.faults) {
      nlohmann::ordered_json entry = {{"stream", each.number},
                                      {"id", fault.check},
                                      {"from", role_name(fault.role)},
                                      {"frame", fault.frame},
                                      {"text", fault.text}};
      const bool lacks = each.lacking.find(fault.check) != std::string::npos;
      entry["not_exact"] = nullptr;
      if (!each.not_exact.empty()) entry["not_exact"] = each.not_exact;
      if (lacks) entry["not_exact"] = "not sent again";
      json[key_of(each.fate)].push_back(entry);
    }
  }
  json["injections"] = nlohmann::ordered_json::array();
  for (const Injected& each : report.injected) {
    const Breach& breach = *each.injection.breach;
    nlohmann::ordered_json entry = {{"id", check_info(breach.check).id},
                                    {"name", breach.name()},
                                    {"stream", result.plan.streams[each.injection.stream].number},
                                    {"from", role_name(each.injection.role)},
                                    {"message", each.injection.message},
                                    {"reference", breach.oracle.reference},
                                    {"expected", expectation(breach.oracle)},
                                    {"seen", nullptr},
                                    {"verdict", conformance_name(each.verdict.conformance)},
                                    {"why_not", nullptr}};
    if (each.how == InjectedHow::broken) {
      entry["seen"] = each.verdict.seen;
    } else {
      entry["why_not"] = why_not(each);
    }
    json["injections"].push_back(entry);
  }
  json["waits"] = report.waits;
  json["troubles"] = report.troubles;
  json["too_slow"] = report.too_slow;
  json["notes"] = report.notes;
  return json;
}

}  // namespace iwarp::replay
