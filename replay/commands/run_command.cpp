// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <unistd.h>

#include <iwarp/export/names.hpp>

#include "commands/captured_latencies.hpp"
#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/junit.hpp"
#include "commands/load.hpp"
#include "commands/printed_text.hpp"
#include "commands/result_file.hpp"
#include "commands/run_faults.hpp"
#include "commands/run_progress.hpp"
#include "commands/run_recording.hpp"
#include "commands/run_report.hpp"
#include "commands/selection.hpp"
#include "commands/stepper.hpp"
#include "commands/venue.hpp"
#include "compare/comparison.hpp"
#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "engine/startup_parameters.hpp"
#include "plan/combine.hpp"
#include "program/interrupt.hpp"
#include "verbs/backend.hpp"

namespace iwarp::replay {
namespace {

constexpr TimeNs second = 1'000'000'000;
constexpr TimeNs millisecond = 1'000'000;

// What passes goes to the loop that is running and, until it is sealed, to the file.
class RunPoint final : public CapturePoint {
 public:
  void captured(const Packet& packet, TimeNs now) override {
    if (log != nullptr) log->captured(packet, now);
  }
  LiveLog* log = nullptr;
};

// Requests that are posted here, of both roles or of the one that is played.
std::uint64_t requests_of(const PlannedStream& stream, const std::optional<Role>& played) {
  return static_cast<std::uint64_t>(std::ranges::count_if(stream.work, [&](const PlannedWork& work) {
    const bool posted = !work.rtr && !is_close(work.kind) && work.kind != WorkKind::terminate;
    return posted && (!played || work.role == *played);
  }));
}

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {}
  int run();

 private:
  [[nodiscard]] bool load(std::string& error);
  [[nodiscard]] bool select(std::string& error);
  void copy_streams();
  [[nodiscard]] bool place_faults(std::string& error);
  // By Role: whether it is played here.
  [[nodiscard]] std::array<bool, 2> plays() const noexcept {
    return {options_.as != Role::responder, options_.as != Role::initiator};
  }
  [[nodiscard]] bool possible(std::string& error) const;
  [[nodiscard]] bool open(std::string& error);
  [[nodiscard]] bool open_results(std::string& error);
  void begin_record();
  [[nodiscard]] bool one_loop(LoopReport& report, std::string& error);
  void drive(Replay& replay);
  [[nodiscard]] std::uint64_t most_entries() const;
  bool ask(Replay& replay);
  [[nodiscard]] RunFigures figures(const Replay* replay) const;
  void tell_progress(const Replay* replay);
  void pause_between_loops();
  [[nodiscard]] TimeNs next_look() const;
  void tell_missing() const;
  [[nodiscard]] LoopReport not_begun() const;
  [[nodiscard]] RunResult result(const LoopReport& report) const;
  int conclude(const LoopReport& report);
  [[nodiscard]] bool verbs_loop(LoopReport& report, std::string& error);
  [[nodiscard]] std::string tell(const RunResult& result) const;
  int give_up(const std::string& error);

  const Options& options_;
  Plan plan_;
  std::vector<std::uint32_t> numbered_from_;  // streams of each input
  bool damaged_ = false;                      // the capture
  std::vector<std::uint32_t> streams_;
  std::vector<StreamLog> expected_;
  std::vector<BrokenStream> broken_;
  std::vector<ExactSide> exact_;
  std::map<std::uint32_t, Endpoint> peers_;  // by stream, of --as initiator
  VenueNeeds needs_;
  ReplayOptions replay_;
  RunFaults faults_;
  CompareOptions compared_;
  RunRecording recording_;
  ResultFile report_file_;
  ResultFile junit_file_;
  bool text_aside_ = false;  // standard output has a result: people read standard error
  std::unique_ptr<Venue> venue_;
  Network* clock_ = nullptr;  // the venue's
  RunPoint point_;
  std::uint64_t loop_ = 0;
  std::uint64_t diverged_loops_ = 0;
  std::uint64_t first_diverged_ = 0;  // from 1; 0: none
  std::uint64_t whole_loops_ = 0;     // not stopped
  bool stopped_ = false;              // before all loops were run
  bool log_is_full_ = false;          // of the present loop: --max-memory
  TimeNs epoch_ = 0;                  // what the clock of captures shows at time 0 of the network
  FrameNumber frames_ = 0;            // of loops before
  TimeNs begun_ = 0;
  std::uint64_t planned_ = 0;  // requests in a loop
  RunProgress progress_;
  RunFigures before_;  // of the loops before
  std::unique_ptr<Stepper> stepper_;
};

bool Runner::load(std::string& error) {
  for (const std::string& rule : options_.ignore) {
    if (!compared_.ignore.add(rule, error)) return false;
  }
  // A live peer's Private Data is its own: addresses and keys of memory, of which only the used ones are
  // known.
  if (options_.as) {
    const std::string of_peer = std::string("field:private_data@") + role_name(other(*options_.as));
    if (!compared_.ignore.add(of_peer, error)) return false;
  }
  compared_.max_differences = SIZE_MAX;
  auto loaded = load_plan_to_run(options_, error);
  if (!loaded) return false;
  plan_ = std::move(loaded->plan);
  numbered_from_ = std::move(loaded->numbered_from);
  damaged_ = loaded->damaged;
  return true;
}

bool Runner::select(std::string& error) {
  auto selection = select_streams(plan_, options_, error);
  if (!selection) return false;
  streams_ = std::move(selection->streams);
  broken_ = std::move(selection->broken);
  exact_ = std::move(selection->exact);
  copy_streams();
  if (options_.as == Role::initiator) {
    auto peers = peers_of(plan_, streams_, options_.mapped, options_.peer, error);
    if (!peers) return false;
    peers_ = std::move(*peers);
  }
  for (const std::uint32_t each : streams_) expected_.push_back(expected_log(plan_, each));
  return true;
}

// --copies.
void Runner::copy_streams() {
  if (options_.copies == 1) return;
  const std::vector<std::uint32_t> originals = streams_;
  const std::vector<ExactSide> exact = exact_;
  streams_ = add_copies(plan_, originals, options_.copies, options_.ramp);
  for (std::size_t first = originals.size(); first < streams_.size(); first += originals.size()) {
    for (const ExactSide& each : exact) {
      const auto place = std::ranges::find(originals, each.stream) - originals.begin();
      exact_.push_back({streams_[first + static_cast<std::size_t>(place)], each.role});
    }
  }
}

bool Runner::place_faults(std::string& error) {
  replay_ = options_.replay;
  return faults_.place(options_, plan_, streams_, exact_, plays(), replay_, error);
}

// Each once.
std::string names_of(const std::map<std::uint32_t, Endpoint>& peers) {
  std::set<std::string> names;
  for (const auto& [stream, peer] : peers) names.insert(to_string(peer));
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// Whether it can be had at all, before anything is opened.
bool Runner::possible(std::string& error) const {
  for (const std::uint32_t each : streams_) {
    error = impossible(plan_.streams[each], options_.replay, plays());
    if (!error.empty()) return false;
  }
  error = too_large(plan_, streams_, options_.replay);
  return error.empty();
}

bool Runner::open(std::string& error) {
  VenueNeeds& needs = needs_;
  needs.connections = streams_.size();
  needs.peers = peers_;
  needs.short_segments = faults_.needs_short_segments();
  venue_ = open_venue(options_, plan_, needs_, point_, error);
  if (!venue_) return false;
  clock_ = &venue_->clock();
  epoch_ = venue_->epoch();
  return true;
}

// Opened before the run, written when there is something to be written.
bool Runner::open_results(std::string& error) {
  const bool two = options_.record == "-" && options_.report == "-";
  if (two) error = "--record and --report cannot both go to standard output";
  if (two || overwrites_any("--report", options_.report, options_.inputs, error) ||
      overwrites_any("--record", options_.record, options_.inputs, error) ||
      overwrites("--record", options_.record, options_.report, error) ||
      overwrites_any("--junit", options_.junit, options_.inputs, error) ||
      overwrites("--junit", options_.junit, options_.report, error) ||
      overwrites("--junit", options_.junit, options_.record, error)) {
    return false;
  }
  text_aside_ = options_.report == "-" || options_.record == "-";
  if (!options_.report.empty() && !report_file_.open(options_.report, error)) return false;
  if (!options_.junit.empty() && !junit_file_.open(options_.junit, error)) return false;
  return options_.record.empty() || recording_.open(options_.record, error);
}

void Runner::begin_record() {
  if (options_.record.empty()) return;
  recording_.begin(epoch_);
  replay_.established = [this](std::uint32_t stream, const std::array<Endpoint, 2>& ends) {
    recording_.annotate(plan_.streams[stream], ends);
  };
}

void Runner::tell_missing() const {
  std::map<std::string, std::uint64_t> lacks;
  for (const std::uint32_t each : streams_) {
    for (const Missing& missing : plan_.streams[each].missing) ++lacks[lack_name(missing.lack)];
  }
  std::string text;
  for (const auto& [name, count] : lacks)
    text += (text.empty() ? "" : ", ") + name + " in " + std::to_string(count) + " places";
  if (!text.empty()) std::fprintf(stderr, "the capture lacks %s: seeded or left out\n", text.c_str());
}

// Between loops there is no replay.
RunFigures Runner::figures(const Replay* replay) const {
  RunFigures all = before_;
  all.loop = loop_ + 1;
  all.loops = options_.loops;
  all.diverged = diverged_loops_;
  all.elapsed = clock_->now() - begun_;
  all.planned = planned_;
  if (replay == nullptr) return all;
  const Stage& stage = replay->stage();
  all.posted += stage.posted;
  all.completed += stage.completed;
  all.octets += stage.octets_posted;
  all.of_loop = stage.posted;
  return all;
}

void Runner::tell_progress(const Replay* replay) {
  recording_.show();
  progress_.say(clock_->now(), [&] { return figures(replay); });
}

// Who waits for the network looks up for the bar, and for the recording.
TimeNs Runner::next_look() const {
  const bool followed = recording_.begun() && !options_.in_memory;  // there nobody waits
  return !progress_.watched() && !followed ? never : clock_->now() + second / 5;
}

// True: somebody was asked, or there is nothing to ask.
bool Runner::ask(Replay& replay) {
  if (!stepper_ || replay.steps().empty()) return true;
  if (clock_->wait(clock_->now() + 2 * millisecond)) return true;  // it is not over yet
  return stepper_->ask(replay, 20);
}

// What the live log may come to: a peer sends what it likes. An entry beyond the plan's and what comparing it
// takes are some 1 KiB.
std::uint64_t Runner::most_entries() const {
  std::uint64_t planned = 0;
  for (const std::uint32_t each : streams_) planned += plan_.streams[each].work.size();
  return planned + replay_.max_memory / 1024;
}

void Runner::drive(Replay& replay) {
  const std::uint64_t most = most_entries();
  for (replay.run(); !replay.done(); replay.run()) {
    tell_progress(&replay);
    if (program::interrupted() || !ask(replay)) {
      replay.interrupt();
      break;
    }
    if (point_.log != nullptr && point_.log->entries() > most) {
      log_is_full_ = true;
      replay.limit();
      break;
    }
    if (!stepper_ || replay.steps().empty())
      venue_->pass_time(replay, std::min(progress_.next_line(), next_look()));
  }
  venue_->pass_the_rest(replay);
  before_ = figures(&replay);
  before_.of_loop = 0;
}

bool Runner::verbs_loop(LoopReport& report, std::string& error) {
  verbs::Setup setup;
  setup.role = *options_.as;
  setup.device = options_.device;
  setup.at = *(options_.as == Role::initiator ? options_.peer : options_.listen_at);
  setup.replay = options_.replay;
  setup.epoch = epoch_;
  setup.interrupted = program::interrupted;
  setup.listening = [this](const Endpoint& at) {
    if (loop_ == 0) std::fprintf(stderr, "listening at %s\n", to_string(at).c_str());
  };
  verbs::Result result = verbs::run(plan_, streams_, setup);
  error = result.error;
  report.outcome = result.outcome;
  report.troubles = std::move(result.troubles);
  report.notes = std::move(result.notes);
  report.waits = std::move(result.waits);
  report.posted = result.posted;
  report.octets = result.octets;
  report.took = result.took;
  report.logs = std::move(result.logs);
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    verbs::keep_visible(expected_[i], plan_.streams[streams_[i]], setup.role);
  }
  if (result.started) report.comparison = compare(expected_, report.logs, compared_);
  report.too_slow = too_slow(options_.latency_limits, report.comparison, expected_);
  return result.started;
}

bool Runner::one_loop(LoopReport& report, std::string& error) {
  log_is_full_ = false;
  if (options_.verbs) return verbs_loop(report, error);
  const Placement placement = venue_->placement();
  LiveLog log(recording_.point(), std::min(live_payload_cap, replay_.max_memory / 4), epoch_, frames_);
  point_.log = &log;
  faults_.begin(log);
  Replay replay(plan_, streams_, replay_, placement);
  if (!replay.start(error)) {
    point_.log = nullptr;
    return false;
  }
  if (const auto at = replay.listening_at(); at && loop_ == 0) {
    std::fprintf(stderr, "listening at %s\n", to_string(*at).c_str());
  }
  const TimeNs begun = clock_->now();
  drive(replay);
  report.took = clock_->now() - begun;
  const bool ended_early = replay.outcome() == Outcome::limited || replay.outcome() == Outcome::interrupted;
  error = replay.failure();
  if (!error.empty()) {
    point_.log = nullptr;
    return false;
  }
  if (options_.as && !ended_early && replay.unconnected() == streams_.size()) {
    error = !peers_.empty()
                ? "nobody accepts a connection at " + names_of(peers_)
                : "nobody connected to " + to_string(replay.listening_at().value_or(*options_.listen_at)) +
                      " before --patience was over";
    for (const std::string& each : replay.turned_away()) error += "; " + each;
    point_.log = nullptr;
    return false;
  }
  report.outcome = replay.outcome();
  report.logs = replay.arrange(log.finish());
  point_.log = nullptr;
  report.found = log.found();
  frames_ = log.frames();
  const Stage& stage = replay.stage();
  report.troubles = stage.troubles;
  if (log_is_full_) {
    report.troubles.push_back(
        "the live run has " + std::to_string(log.requests()) + " requests and " +
        std::to_string(log.found().size()) +
        " findings, as many beyond the plan as --max-memory has room for: it was ended");
  }
  report.notes = stage.notes;
  for (std::string& each : replay.turned_away()) report.notes.push_back(std::move(each));
  report.waits = replay.waits();
  report.punctuality = stage.punctuality;
  std::ranges::sort(report.punctuality.late);
  report.posted = stage.posted;
  report.octets = stage.octets_posted;
  faults_.judge(replay, log, streams_, report);
  report.comparison = compare(expected_, report.logs, compared_);
  report.too_slow = too_slow(options_.latency_limits, report.comparison, expected_);
  return true;
}

int Runner::run() {
  std::string error;
  const bool ready = load(error) && select(error) && place_faults(error) && possible(error) && open(error) &&
                     open_results(error);
  if (!ready) return fail(error);
  add_captured(options_.inputs, numbered_from_, plan_, streams_, exact_, expected_);
  tell_missing();
  begin_record();
  if (options_.replay.timing == Timing::step) stepper_ = std::make_unique<Stepper>(plan_, STDIN_FILENO);
  for (const std::uint32_t each : streams_) planned_ += requests_of(plan_.streams[each], options_.as);
  planned_ = std::min(planned_, options_.replay.limit);
  begun_ = clock_->now();
  progress_.begin(begun_, options_.verbs ? 0 : options_.stats, stepper_ == nullptr);
  std::optional<LoopReport> kept;  // the first that diverged, else the latest that came to its end
  for (; options_.loops == 0 || loop_ < options_.loops; ++loop_) {
    if (loop_ != 0) pause_between_loops();
    if (program::interrupted()) stopped_ = true;
    if (stopped_) break;
    LoopReport report;
    if (!one_loop(report, error)) {
      stopped_ = true;
      progress_.hide();
      if (!kept) return give_up(error);
      (void)conclude(*kept);
      return fail(error);
    }
    stopped_ = report.outcome == Outcome::interrupted && report.unfinished();
    if (!report.unfinished()) ++whole_loops_;
    const bool first_diverged = !report.agrees() && diverged_loops_++ == 0;
    if (first_diverged) first_diverged_ = loop_ + 1;
    const bool worth = !kept || !report.unfinished();
    if (first_diverged || (diverged_loops_ == 0 && worth)) kept = std::move(report);
    if (first_diverged && options_.stop_on_divergence) {
      ++loop_;
      break;
    }
  }
  progress_.hide();
  return conclude(kept ? *kept : not_begun());
}

void Runner::pause_between_loops() {
  const TimeNs until = clock_->now() + options_.loop_delay;
  while (clock_->now() < until && !program::interrupted()) {
    (void)clock_->wait(std::min({until, progress_.next_line(), next_look()}));
    tell_progress(nullptr);
  }
}

// Ctrl-C came before the first loop.
LoopReport Runner::not_begun() const {
  LoopReport report;
  report.outcome = Outcome::interrupted;
  for (const StreamLog& expected : expected_) {
    StreamLog& log = report.logs.emplace_back();
    log.name = "no connection";
    log.stream = expected.stream;
    log.lacking.fill(Reason::limit);
  }
  report.comparison = compare(expected_, report.logs, compared_);
  return report;
}

RunResult Runner::result(const LoopReport& report) const {
  return {options_, plan_,           streams_,        expected_,    broken_, report,
          loop_,    diverged_loops_, first_diverged_, whole_loops_, stopped_};
}

int Runner::conclude(const LoopReport& report) {
  const RunResult result = this->result(report);
  std::vector<std::string> failures = {tell(result)};
  if (!options_.report.empty()) {
    report_file_.write(to_json(result).dump(2) + "\n");
    failures.push_back(report_file_.failure());
  }
  if (!options_.junit.empty()) {
    junit_file_.write(to_junit(result));
    failures.push_back(junit_file_.failure());
  }
  failures.push_back(recording_.end());
  std::erase(failures, "");
  for (const std::string& each : failures) (void)fail(each);
  if (!failures.empty() || report.lacks_injection() || damaged_) return program::exit_failed;
  switch (result.verdict()) {
    case RunVerdict::same: return report.deviates() ? program::exit_no : program::exit_done;
    case RunVerdict::diverged: return program::exit_no;
    case RunVerdict::unfinished: break;
  }
  if (result.left_out() != 0) return program::exit_failed;
  // What was run is as recorded; of nothing that cannot be said.
  return report.matched() != 0 ? program::exit_done : program::exit_failed;
}

// To people. Returns why they cannot read it; else nothing.
std::string Runner::tell(const RunResult& result) const {
  const std::string text = printed_text([&](std::FILE* out) { print(result, out); });
  std::string failure;
  if (options_.quiet && result.verdict() == RunVerdict::same && !result.report.deviates()) return failure;
  if (text_aside_) {
    std::fputs(text.c_str(), stderr);
  } else {
    failure = program::print(text);
  }
  for (const std::string& each : result.report.notes) std::fprintf(stderr, "%s\n", each.c_str());
  return failure;
}

// There is no loop to tell of; frames that went to and fro on a connection are kept.
int Runner::give_up(const std::string& error) {
  const std::string failure = recording_.connected() ? recording_.end() : std::string();
  if (!failure.empty()) (void)fail(failure);
  return fail(error);
}

}  // namespace

int run_command(const Options& options) {
  return Runner(options).run();
}

}  // namespace iwarp::replay
