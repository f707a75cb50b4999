// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <system_error>

#include <unistd.h>

#include <iwarp/export/names.hpp>

#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/junit.hpp"
#include "commands/load.hpp"
#include "commands/printed_text.hpp"
#include "commands/progress_bar.hpp"
#include "commands/result_file.hpp"
#include "commands/run_report.hpp"
#include "commands/selection.hpp"
#include "commands/stepper.hpp"
#include "commands/venue.hpp"
#include "compare/comparison.hpp"
#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "engine/startup_parameters.hpp"
#include "inject/injector.hpp"
#include "inject/recorded_fpdus.hpp"
#include "inject/trial.hpp"
#include "inject/witness.hpp"
#include "plan/combine.hpp"
#include "program/interrupt.hpp"
#include "program/status_line.hpp"
#include "transport/recording_comment.hpp"
#include "verbs/backend.hpp"

namespace iwarp::replay {
namespace {

constexpr TimeNs second = 1'000'000'000;
constexpr TimeNs millisecond = 1'000'000;
using BarTime = std::chrono::steady_clock::time_point;
constexpr std::chrono::milliseconds bar_pause(200);
constexpr std::chrono::milliseconds record_pause(200);

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

// Packets wait in the buffer until somebody answered: a run without any connection leaves the file as it was.
class FilePoint final : public CapturePoint {
 public:
  FilePoint(CaptureWriter& writer, TimeNs epoch, ResultBuffer& buffer)
      : sink_(writer, epoch), buffer_(buffer) {
    buffer_.hold(true);
  }
  void captured(const Packet& packet, TimeNs now) override {
    sink_.captured(packet, now);
    if (connected_ || !packet.has(tcp::syn) || !packet.has(tcp::ack)) return;
    connected_ = true;
    buffer_.hold(false);
  }
  [[nodiscard]] bool connected() const noexcept { return connected_; }
  void tell(const PlannedStream& stream, const std::array<Endpoint, 2>& ends) {
    const auto name = [](const std::array<Endpoint, 2>& of) {
      return to_string(of[0]) + " to " + to_string(of[1]);
    };
    sink_.annotate(ends, comment_of({stream.number, name(stream.endpoints), name(ends)}));
  }

 private:
  PcapSink sink_;
  ResultBuffer& buffer_;
  bool connected_ = false;
};

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {}
  int run();

 private:
  [[nodiscard]] bool load(std::string& error);
  [[nodiscard]] bool select(std::string& error);
  void copy_streams();
  [[nodiscard]] bool place_injections(std::string& error);
  void note_unsent(LoopReport& report) const;
  [[nodiscard]] std::vector<Injected> judge_injections(const Replay& replay, const LiveLog& log,
                                                       const LoopReport& report) const;
  // By Role: whether it is played here.
  [[nodiscard]] std::array<bool, 2> plays() const noexcept {
    return {options_.as != Role::responder, options_.as != Role::initiator};
  }
  void add_latencies();
  [[nodiscard]] bool possible(std::string& error) const;
  [[nodiscard]] bool open(std::string& error);
  [[nodiscard]] bool open_results(std::string& error);
  void begin_record();
  [[nodiscard]] std::string end_record();
  void show_record();
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
  std::vector<Injection> injections_;
  std::unique_ptr<Injector> injector_;
  std::unique_ptr<RecordedFpdus> recorded_;  // of exact_
  CompareOptions compared_;
  ResultFile record_file_;
  ResultBuffer record_buffer_{record_file_};
  std::ostream record_stream_{&record_buffer_};
  ResultFile report_file_;
  ResultFile junit_file_;
  bool text_aside_ = false;  // standard output has a result: people read standard error
  std::unique_ptr<CaptureWriter> writer_;
  std::unique_ptr<FilePoint> sink_;
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
  TimeNs next_stats_ = never;
  BarTime next_record_ = BarTime::min();  // when who follows the recording is to see more of it
  BarTime next_bar_ = BarTime::max();     // of whoever watches, whatever time the run has
  program::StatusLine bar_;
  RunFigures before_;    // of the loops before
  RunFigures told_;      // in the last line of --stats
  RunFigures bar_told_;  // … on the bar
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

bool Runner::place_injections(std::string& error) {
  replay_ = options_.replay;
  if (!exact_.empty()) {
    recorded_ = std::make_unique<RecordedFpdus>(plan_, options_.replay);
    for (const ExactSide& each : exact_) recorded_->add(each.stream, each.role);
    replay_.mutator = recorded_->hook();
  }
  if (options_.inject.empty()) return true;
  injector_ = std::make_unique<Injector>(plan_, options_.replay);
  for (const std::string& each : options_.inject) {
    const auto wanted = parse_wanted(each, error);
    if (!wanted) return false;
    const auto injection = choose(*wanted, plan_, streams_, plays(), options_.replay, error);
    if (!injection) return false;
    const bool exact = std::ranges::any_of(exact_, [&](const ExactSide& side) {
      return side.stream == injection->stream && side.role == injection->role;
    });
    if (exact) {
      error = describe(*injection, plan_) + " cannot be broken: --keep-broken=exact has that side send " +
              "what it sent; --keep-broken, without exact, lets it be";
      return false;
    }
    injections_.push_back(*injection);
    injector_->add(*injection);
  }
  replay_.mutator = recorded_ ? recorded_->hook(injector_->hook()) : injector_->hook();
  return true;
}

// Each once.
std::string names_of(const std::map<std::uint32_t, Endpoint>& peers) {
  std::set<std::string> names;
  for (const auto& [stream, peer] : peers) names.insert(to_string(peer));
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// A faulty message is in the log of its capture what it will be in that of the run, whatever a plan makes of
// it. What is known of the octets the plan tells.
std::vector<LogEntry> as_captured(const std::vector<LogEntry>& captured,
                                  const std::vector<LogEntry>& planned) {
  std::vector<LogEntry> made = captured;
  auto from = planned.begin();
  for (LogEntry& each : made) {
    const auto found = std::find_if(from, planned.end(), [&](const LogEntry& entry) {
      return entry.kind == each.kind && entry.frame == each.frame && entry.length == each.length;
    });
    if (found == planned.end()) continue;
    each.known = found->known;
    each.advertised = found->advertised;
    from = found + 1;
  }
  return made;
}

// A plan has no latencies; the capture that it was made from has.
void Runner::add_latencies() {
  std::string error;
  std::vector<StreamLog> logs;
  for (std::size_t i = 0; i < options_.inputs.size(); ++i) {
    auto more = load_logs(options_.inputs[i], error);
    if (!more) return;
    for (StreamLog& each : *more) {
      each.stream += numbered_from_[i];
      logs.push_back(std::move(each));
    }
  }
  std::map<std::uint32_t, std::size_t> attempts;
  std::map<std::pair<std::uint32_t, std::size_t>, const StreamLog*> found;
  for (const StreamLog& log : logs) found[{log.stream, attempts[log.stream]++}] = &log;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const PlannedStream& stream = plan_.streams[streams_[i]];
    const auto log = found.find({stream.number, stream.attempt});
    if (log == found.end()) continue;
    const bool exact =
        std::ranges::any_of(exact_, [&](const ExactSide& side) { return side.stream == streams_[i]; });
    for (std::size_t role = 0; role < 2; ++role) {
      std::vector<LogEntry>& to = expected_[i].entries[role];
      const std::vector<LogEntry>& from = log->second->entries[role];
      if (exact) to = as_captured(from, to);
      if (to.size() != from.size()) continue;
      for (std::size_t j = 0; j < to.size(); ++j) to[j].latency_ns = from[j].latency_ns;
    }
  }
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
  needs.short_segments = std::ranges::any_of(
      injections_, [](const Injection& each) { return each.breach->check == CheckId::mpa_mulpdu; });
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
  return options_.record.empty() || record_file_.open(options_.record, error);
}

void Runner::begin_record() {
  if (options_.record.empty()) return;
  writer_ = std::make_unique<CaptureWriter>(record_stream_);
  sink_ = std::make_unique<FilePoint>(*writer_, epoch_, record_buffer_);
  replay_.established = [this](std::uint32_t stream, const std::array<Endpoint, 2>& ends) {
    sink_->tell(plan_.streams[stream], ends);
  };
}

// Who follows the recording sees the present, not what was 64 KiB ago.
void Runner::show_record() {
  if (!sink_ || !sink_->connected()) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_record_) return;
  next_record_ = now + record_pause;
  record_stream_.flush();
}

// What there is to say against the recording.
std::string Runner::end_record() {
  if (!writer_) return {};
  record_stream_.flush();
  return record_file_.failure();
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
  show_record();
  const TimeNs now = clock_->now();
  if (now >= next_stats_) {
    next_stats_ += options_.stats * std::max<TimeNs>(1, (now - next_stats_) / options_.stats + 1);
    const RunFigures all = figures(replay);
    bar_.hide();
    std::fprintf(stderr, "%s\n", stats_line(all, told_).c_str());
    told_ = all;
  }
  if (const auto seen = std::chrono::steady_clock::now(); seen >= next_bar_) {
    next_bar_ = seen + bar_pause;
    const RunFigures all = figures(replay);
    bar_.show(bar_line(all, bar_told_, program::terminal_columns()));
    bar_told_ = all;
  }
}

// Who waits for the network looks up for the bar, and for the recording.
TimeNs Runner::next_look() const {
  const bool followed = writer_ != nullptr && !options_.in_memory;  // there nobody waits
  return next_bar_ == BarTime::max() && !followed ? never : clock_->now() + second / 5;
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
    if (!stepper_ || replay.steps().empty()) venue_->pass_time(replay, std::min(next_stats_, next_look()));
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
  LiveLog log(sink_.get(), std::min(live_payload_cap, replay_.max_memory / 4), epoch_, frames_);
  point_.log = &log;
  if (injector_) log.watch_actions();
  if (injector_) injector_->begin_again();
  if (recorded_) recorded_->begin_again();
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
  if (recorded_) note_unsent(report);
  report.punctuality = stage.punctuality;
  std::ranges::sort(report.punctuality.late);
  report.posted = stage.posted;
  report.octets = stage.octets_posted;
  if (injector_) report.injected = judge_injections(replay, log, report);
  report.comparison = compare(expected_, report.logs, compared_);
  report.too_slow = too_slow(options_.latency_limits, report.comparison, expected_);
  return true;
}

// What was to be sent as recorded, and the run did not come to it.
void Runner::note_unsent(LoopReport& report) const {
  for (const auto& [side, count] : recorded_->unsent()) {
    report.troubles.push_back(std::string("of what the ") + role_name(side.second) + " of stream " +
                              std::to_string(plan_.streams[side.first].number) + " had sent " +
                              std::to_string(count) + " FPDUs were not sent again");
  }
}

std::vector<Injected> Runner::judge_injections(const Replay& replay, const LiveLog& log,
                                               const LoopReport& report) const {
  const std::vector<Injection> not_done = injector_->not_done();
  std::vector<Injected> all;
  for (const Injection& each : injections_) {
    Injected& injected = all.emplace_back(Injected{each});
    if (std::ranges::find(not_done, each) != not_done.end()) continue;
    const auto at = static_cast<std::size_t>(std::ranges::find(streams_, each.stream) - streams_.begin());
    const auto ends = replay.endpoints(at);
    if (!ends) continue;
    const std::array<ObservedActions, 2> actions = {log.actions_of((*ends)[0]), log.actions_of((*ends)[1])};
    const bool found = actions[static_cast<std::size_t>(each.role)].broken.contains(each.breach->check);
    injected.how = found ? InjectedHow::broken : InjectedHow::unbroken;
    if (found) injected.verdict = judge(each, actions, end_of_run(report.outcome, report.waits.empty()));
    if (found && injected.verdict.conformance == Conformance::not_tried)
      injected.how = InjectedHow::unanswered;
  }
  // What the peer does about the one is no answer to the other.
  for (Injected& each : all) {
    if (each.how != InjectedHow::broken || each.injection.breach->oracle.answer != Answer::carries_on)
      continue;
    const bool other = std::ranges::any_of(all, [&](const Injected& fault) {
      return fault.how == InjectedHow::broken && fault.injection.stream == each.injection.stream &&
             fault.injection.breach->oracle.answer != Answer::carries_on;
    });
    if (other) each.how = InjectedHow::overtaken;
    if (other) each.verdict.conformance = Conformance::not_tried;
  }
  return all;
}

int Runner::run() {
  std::string error;
  const bool ready = load(error) && select(error) && place_injections(error) && possible(error) &&
                     open(error) && open_results(error);
  if (!ready) return fail(error);
  add_latencies();
  tell_missing();
  begin_record();
  if (options_.replay.timing == Timing::step) stepper_ = std::make_unique<Stepper>(plan_, STDIN_FILENO);
  for (const std::uint32_t each : streams_) planned_ += requests_of(plan_.streams[each], options_.as);
  planned_ = std::min(planned_, options_.replay.limit);
  begun_ = clock_->now();
  if (options_.stats != 0 && !options_.verbs) next_stats_ = begun_ + options_.stats;
  if (bar_.shown() && !stepper_) next_bar_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::optional<LoopReport> kept;  // the first that diverged, else the latest that came to its end
  for (; options_.loops == 0 || loop_ < options_.loops; ++loop_) {
    if (loop_ != 0) pause_between_loops();
    if (program::interrupted()) stopped_ = true;
    if (stopped_) break;
    LoopReport report;
    if (!one_loop(report, error)) {
      stopped_ = true;
      bar_.hide();
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
  bar_.hide();
  return conclude(kept ? *kept : not_begun());
}

void Runner::pause_between_loops() {
  const TimeNs until = clock_->now() + options_.loop_delay;
  while (clock_->now() < until && !program::interrupted()) {
    (void)clock_->wait(std::min({until, next_stats_, next_look()}));
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
  failures.push_back(end_record());
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
  const bool seen = sink_ && sink_->connected();
  const std::string failure = seen ? end_record() : std::string();
  if (!failure.empty()) (void)fail(failure);
  return fail(error);
}

}  // namespace

int run_command(const Options& options) {
  return Runner(options).run();
}

}  // namespace iwarp::replay
