// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/replay.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/startup_parameters.hpp"

namespace iwarp::replay {
namespace {

// When the stream was over; nothing where the capture ended before.
std::optional<TimeNs> end_of(const PlannedStream& stream) {
  std::array<bool, 2> closed{};
  TimeNs last = 0;
  for (const PlannedWork& work : stream.work) {
    last = std::max(last, work.time_ns);
    if (work.kind == WorkKind::rst) closed = {true, true};
    if (work.kind == WorkKind::fin) closed[static_cast<std::size_t>(work.role)] = true;
  }
  return closed[0] && closed[1] ? std::optional(last) : std::nullopt;
}

// For an answer to what was made wrong, behind the plan's end.
constexpr TimeNs linger = 200'000'000;

}  // namespace

std::string too_large(const Plan& plan, const std::vector<std::uint32_t>& streams,
                      const ReplayOptions& options) {
  std::set<std::uint32_t> hosts;
  std::uint64_t longest = 0;
  const std::uint64_t far = UINT64_MAX / 4;
  for (const std::uint32_t each : streams) {
    for (const std::uint32_t host : plan.streams[each].hosts) hosts.insert(host);
    std::uint64_t of_stream = 0;
    for (const PlannedWork& work : plan.streams[each].work)
      of_stream = std::max(of_stream, std::min(work.length, far));
    longest = std::min(longest + 4 * of_stream, far);  // twice, at both ends
  }
  std::uint64_t memory = longest;
  for (const std::uint32_t host : hosts)
    memory = std::min(memory + std::min(memory_of(plan.hosts[host]), far), far);
  if (memory <= options.max_memory) return {};
  const auto mebibytes = [](std::uint64_t octets) { return std::to_string((octets >> 20U) + 1) + " MiB"; };
  return "the plan needs up to " + mebibytes(memory) +
         " for its memory regions and messages, more than the " + mebibytes(options.max_memory - 1) +
         " allowed (--max-memory)";
}

Replay::Replay(const Plan& plan, std::vector<std::uint32_t> streams, const ReplayOptions& options,
               const Placement& placement)
    : plan_(plan),
      options_(options),
      placement_(placement),
      selected_(std::move(streams)),
      hosts_(plan.hosts.size()),
      streams_(selected_.size()),
      place_(plan.streams.size()) {
  for (std::uint32_t i = 0; i < selected_.size(); ++i) place_[selected_[i]] = i;
  // So long that it can be added to any time.
  options_.patience = patience_ = std::min(options_.patience, never / 2);
  if (options_.duration != never) options_.duration = std::min(options_.duration, never / 2);
}

Replay::~Replay() = default;

Network& Replay::network() const {
  return *network_;
}

Host* Replay::host(std::uint32_t number) {
  return hosts_[number].get();
}

Player& Replay::player(PlayerNumber number) {
  return *streams_[place_[number / 2]].players[number % 2];
}

bool Replay::start(std::string& error) {
  if (selected_.empty()) {
    error = "no stream was selected";
    return false;
  }
  for (const std::uint32_t each : selected_) {
    error = impossible(plan_.streams[each], options_, placement_.plays);
    if (!error.empty()) return false;
    for (std::size_t role = 0; role < 2; ++role) {
      if (!placement_.plays[role]) continue;
      Network* const used = &placement_.network(plan_.streams[each].hosts[role]);
      networks_.insert(used);
      if (network_ == nullptr) network_ = used;
    }
  }
  error = too_large(plan_, selected_, options_);
  if (!error.empty()) return false;
  stage_ = std::make_unique<Stage>(plan_, selected_, options_, network());
  stage_->both = placement_.plays[0] && placement_.plays[1];
  if (!prepare(error)) return false;
  // Recorded times count from here: making memory and queues has taken its time.
  begun_ = last_change_ = stage_->now = network().now();
  stage_->due_times = DueTimes(plan_, selected_, options_, begun_);
  if (!stage_->both) {
    stage_->order.emplace(plan_, selected_, placement_.plays[0] ? Role::initiator : Role::responder,
                          stage_->progress, stage_->schedule);
  }
  try {
    if (!stage_->both && !placement_.peer_of) {
      const std::uint32_t own = plan_.streams[selected_.front()].hosts[placement_.plays[0] ? 0 : 1];
      listener_ = network().listen(placement_.listen_at(own));
      ReceptionOptions reception;
      reception.patience = std::min(reception.patience, options_.patience);
      reception.only = options_.accept_only;
      reception_.emplace(*listener_, reception);
    }
  } catch (const std::system_error& failure) {
    error = failure.what();
    return false;
  }
  return begin_streams(error);
}

bool Replay::prepare(std::string& error) {
  plan_order();
  std::vector<std::vector<std::uint32_t>> streams_of = streams_of_hosts(plan_);
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    const PlannedStream& planned = plan_.streams[selected_[i]];
    for (const Role role : {Role::initiator, Role::responder}) {
      if (!placement_.plays[static_cast<std::size_t>(role)]) continue;
      const std::uint32_t number = planned.hosts[static_cast<std::size_t>(role)];
      if (!hosts_[number]) {
        hosts_[number] =
            std::make_unique<Host>(plan_, number, std::move(streams_of[number]), stage_->names, options_);
        if (!hosts_[number]->start(error)) return false;
        for (const std::string& note : hosts_[number]->notes()) stage_->notes.push_back(note);
        for (const auto& [work, befores] : hosts_[number]->successions()) {
          for (const WorkRef& before : befores) {
            // What a live peer waits for it knows best.
            const bool own = work_of(plan_, work).role == role && work_of(plan_, before).role == role;
            if (stage_->both || own) stage_->successions[work].push_back(before);
          }
        }
      }
      streams_[i].players[static_cast<std::size_t>(role)] =
          std::make_unique<Player>(*stage_, selected_[i], role, *hosts_[number]);
    }
    const auto& [initiator, responder] = streams_[i].players;
    if (initiator && responder) {
      initiator->meet(*responder);
      responder->meet(*initiator);
    }
  }
  return true;
}

// Copies know nothing of each other.
void Replay::plan_order() {
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    const PlannedStream& planned = plan_.streams[selected_[i]];
    const bool first = i == 0 || plan_.streams[selected_[i - 1]].copy != planned.copy;
    if (first) sequences_.push_back({i, i, i, planned.delay_ns});
    ++sequences_.back().end;
  }
  for (Sequence& each : sequences_) plan_order(each);
}

// A stream begins behind those that were over when it was recorded to begin. Streams begin in their order, so
// each of these is told to the first one that waits for it.
void Replay::plan_order(Sequence& sequence) {
  rnic::TimerHeap<std::uint32_t> ends;
  std::optional<TimeNs> first_end;
  for (std::size_t i = sequence.next; i < sequence.end; ++i) {
    const PlannedStream& planned = plan_.streams[selected_[i]];
    const TimeNs begins = begin_of(planned);
    for (; !ends.empty() && ends.front().at <= begins; ends.pop_front())
      streams_[i].after.push_back(ends.front().what);
    streams_[i].follows = first_end && *first_end <= begins;
    if (const auto end = end_of(planned)) {
      ends.push(*end, selected_[i]);
      first_end = std::min(*end, first_end.value_or(*end));
    }
  }
}

std::optional<Endpoint> Replay::listening_at() const {
  if (!listener_) return std::nullopt;
  return listener_->local();
}

// Opens what may be opened now. Copies start in their order, so those behind one whose time has not come have
// not to be looked at.
bool Replay::begin_streams(std::string& error) {
  due_ = never;
  bool ended = false;
  for (Sequence& each : sequences_) {
    if (begun_ + each.delay > stage_->now) {
      due_ = std::min(due_, begun_ + each.delay);
      break;
    }
    if (!begin_next(each, error)) return false;
    ended = ended || each.next == each.end;
  }
  if (ended) std::erase_if(sequences_, [](const Sequence& each) { return each.next == each.end; });
  return true;
}

// Behind streams that were over before, at its recorded time.
bool Replay::begin_next(Sequence& sequence, std::string& error) {
  for (; sequence.next < sequence.end; ++sequence.next) {
    Stream& stream = streams_[sequence.next];
    const std::uint32_t number = selected_[sequence.next];
    const bool behind = std::ranges::all_of(
        stream.after, [&](std::uint32_t each) { return stage_->progress.over(each) != never; });
    if (!behind) return true;
    Order::Turn turn;
    if (stage_->order && !listener_) {
      const auto found = stage_->order->turn_to_open(number);
      if (!found) return true;  // those behind it were opened behind it
      turn = *found;
    }
    if (options_.timing == Timing::original || (options_.timing == Timing::causal && !stream.follows)) {
      const TimeNs begins = begin_of(plan_.streams[number]);
      TimeNs at = stage_->due_times.at(begins) + sequence.delay;
      if (options_.timing == Timing::causal && turn.since != 0)
        at = turn.since + stage_->due_times.pause(begins - turn.recorded);
      if (at > stage_->now) {
        due_ = std::min(due_, at);
        return true;
      }
    }
    if (!begin(number, stream, error)) return false;
  }
  return true;
}

bool Replay::begin(std::uint32_t number, Stream& stream, std::string& error) {
  if (listener_) return true;
  const PlannedStream& planned = plan_.streams[number];
  const bool alone = !placement_.plays[0] || !placement_.plays[1];
  try {
    if (alone) {
      const std::size_t role = placement_.plays[0] ? 0 : 1;
      stream.players[role]->open(placement_.network(planned.hosts[role]).connect(placement_.peer_of(number)));
      return true;
    }
    const auto opener = static_cast<std::size_t>(planned.opened_by);
    const std::uint32_t listening = planned.hosts[1 - opener];
    stream.listener = placement_.network(listening).listen(placement_.listen_at(listening));
    listening_.push_back(place_[number]);
    stream.players[opener]->open(placement_.network(planned.hosts[opener]).connect(stream.listener->local()));
  } catch (const std::system_error& failure) {
    error = failure.what();
    return false;
  }
  return true;
}

bool Replay::accept() {
  try {
    accept_all();
  } catch (const std::system_error& failure) {
    failure_ = failure.what();
  }
  return failure_.empty();
}

void Replay::accept_all() {
  if (listener_) {
    while (next_accepted_ < streams_.size()) {
      std::unique_ptr<Transport> transport = reception_->next(network().now());
      if (!transport) return;
      streams_[next_accepted_++].players[placement_.plays[0] ? 0 : 1]->open(std::move(transport));
    }
    return;
  }
  std::erase_if(listening_, [&](std::uint32_t place) {
    Stream& stream = streams_[place];
    std::unique_ptr<Transport> transport = stream.listener->accept();
    if (!transport) return false;
    stream.players[1 - static_cast<std::size_t>(plan_.streams[selected_[place]].opened_by)]->open(
        std::move(transport));
    stream.listener.reset();
    return true;
  });
}

void Replay::dispatch_events() {
  while (!stage_->active.empty()) {
    Host& host = *stage_->active.back();
    stage_->active.pop_back();
    host.active = false;
    const auto& streams = stage_->by_stream[host.number()];
    while (const auto event = host.rnic().poll_stream_event()) {
      const auto found = streams.find(event->stream);
      if (found != streams.end()) found->second->take_event(event->kind);
    }
    const auto& qps = stage_->by_qp[host.number()];
    while (const auto event = host.rnic().poll_event()) {
      const auto found = qps.find(event->qp);
      if (found != qps.end()) found->second->take_event(event->kind);
    }
  }
}

void Replay::advance_players() {
  while (stage_->schedule.take(stage_->now, woken_)) {
    for (const PlayerNumber each : woken_) player(each).advance();
  }
  while (const auto admitted = stage_->gate.take(stage_->now)) {
    player(*admitted).advance();
    stage_->gate.end_turn();
  }
}

void Replay::run() {
  if (done()) return;
  ready_networks_.clear();
  network().ready_networks(ready_networks_);
  for (Network* const each : ready_networks_) {
    if (!networks_.contains(each)) continue;
    stage_->pump.collect(*each, [this](const Transport& transport) {
      if (reception_) reception_->note_ready(transport);
    });
  }
  if (!accept()) {
    outcome_ = Outcome::gave_up;
    return;
  }
  do {
    stage_->now = network().now();
    stage_->pump.run(stage_->now);
    dispatch_events();
    advance_players();
    if (!sequences_.empty() && !begin_streams(failure_)) {
      outcome_ = Outcome::gave_up;
      return;
    }
  } while ((!stage_->pump.idle() && !stage_->pump.paused()) || !stage_->active.empty() ||
           !stage_->schedule.idle());
  judge();
}

void Replay::judge() {
  const std::uint64_t count = stage_->progress.count() + stage_->posted;
  const std::uint64_t moved = stage_->pump.octets_moved();
  if (count != last_count_ || moved != last_moved_) {
    last_count_ = count;
    last_moved_ = moved;
    last_change_ = stage_->now;
    patience_ = options_.patience;
  }
  // A pause that the plan makes is no silence: that begins when nothing is due any more.
  if (std::exchange(paused_, own_due() != never) && !paused_) last_change_ = stage_->now;
  // Streams settle more or less in order: those before `unsettled_from_` need not be asked again, unless work
  // came late.
  bool settled = true;
  for (; unsettled_from_ < streams_.size(); ++unsettled_from_) {
    for (const std::unique_ptr<Player>& player : streams_[unsettled_from_].players) {
      if (player && !player->settled()) settled = false;
    }
    if (!settled) break;
  }
  lingering_ = settled && lingers();
  if (lingering_) return;
  if (settled) {
    outcome_ = stage_->posted >= options_.limit ? Outcome::limited : Outcome::complete;
  } else if (options_.duration != never && stage_->now - begun_ >= options_.duration) {
    outcome_ = Outcome::limited;
  } else if (stage_->gate.holds()) {
    last_change_ = stage_->now;  // somebody takes his time
  } else if (out_of_order() && stage_->now - last_change_ >= order_patience()) {
    const std::string note = stage_->order->release(stage_->now);
    if (!note.empty()) stage_->notes.push_back(note);
    if (!sequences_.empty()) due_ = stage_->now;
  } else if (doubts() && stage_->now - last_change_ >= order_patience()) {
    for (Player* const each : stage_->doubtful) each->pass_doubtful();
    stage_->doubtful.clear();
  } else if (own_due() == never && stage_->now - last_change_ >= patience_) {
    if (patience_ == options_.patience) patience_ += std::min(recorded_silence(), never / 4);
    if (stage_->now - last_change_ >= patience_ && !pass_stuck_streams()) outcome_ = Outcome::gave_up;
  }
}

// How long nothing happened in the recording where this run is now. A live peer may pause as the recorded one
// did.
TimeNs Replay::recorded_silence() const {
  if (stage_->both || options_.timing == Timing::topspeed) return 0;
  TimeNs past = 0;
  TimeNs next = never;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const std::uint32_t number = selected_[i];
    const PlannedStream& planned = plan_.streams[number];
    if (stage_->progress.over(number) != never) continue;
    const Player* const player = streams_[i].players[placement_.plays[0] ? 0 : 1].get();
    if (player == nullptr || !player->opened()) {
      next = std::min(next, begin_of(planned));
      continue;
    }
    past = std::max(past, begin_of(planned));
    for (std::uint32_t j = 0; j < planned.work.size(); ++j) {
      const TimeNs at = planned.work[j].time_ns;
      if (player->has_happened(j)) {
        past = std::max(past, at);
      } else {
        next = std::min(next, at);
      }
    }
  }
  return next == never || next <= past ? 0 : stage_->due_times.pause(next - past);
}

// Something was made wrong, and where the recorded stream stays open an answer to it may still come.
bool Replay::lingers() const {
  if (!options_.mutator || stage_->now - last_change_ >= linger) return false;
  return std::ranges::any_of(streams_, [](const Stream& stream) {
    return std::ranges::any_of(stream.players, [](const std::unique_ptr<Player>& player) {
      return player && player->opened() && !player->link()->over();
    });
  });
}

// Streams that were recorded later do not have to wait for one that comes to no end. Returns whether any did.
bool Replay::pass_stuck_streams() {
  if (sequences_.empty()) return false;
  const std::uint64_t before = stage_->progress.count();
  for (const Sequence& each : sequences_) {
    for (std::size_t i = each.first; i < each.next; ++i) {
      if (stage_->progress.over(selected_[i]) != never) continue;
      stage_->progress.note_over(selected_[i], stage_->now);
      stage_->notes.push_back("stream " + std::to_string(plan_.streams[selected_[i]].number) +
                              " came to no end: those behind it did not wait any longer");
    }
  }
  due_ = stage_->now;
  return stage_->progress.count() != before;
}

void Replay::starve() {
  if (!done() && next_due() == never) outcome_ = Outcome::gave_up;
}

// What is due by the plan alone, whatever the network does.
TimeNs Replay::own_due() {
  return std::min({due_, stage_->schedule.next_due(), stage_->gate.next_due()});
}

// Somebody waits for what came before on another connection, and may not have to.
bool Replay::out_of_order() {
  return stage_->order && stage_->order->waited_for() && own_due() == never;
}

// Somebody waits for what a live peer may leave out.
bool Replay::doubts() {
  return !stage_->doubtful.empty() && own_due() == never;
}

TimeNs Replay::order_patience() const noexcept {
  return std::min<TimeNs>(options_.patience / 2, 2'000'000'000);
}

TimeNs Replay::next_due() {
  if (!stage_->pump.idle()) return stage_->now;  // it paused
  const TimeNs own = own_due();
  TimeNs due = std::min(own, stage_->pump.next_timeout());
  if (reception_ && next_accepted_ < streams_.size()) due = std::min(due, reception_->next_due());
  if (own == never && !stage_->gate.holds()) {
    due = std::min(due, last_change_ + (out_of_order() || doubts() ? order_patience() : patience_));
  }
  if (options_.duration != never) due = std::min(due, begun_ + options_.duration);
  if (lingering_) due = std::min(due, last_change_ + linger);
  return due;
}

const Player* Replay::connected(std::size_t selected) const {
  for (const std::unique_ptr<Player>& player : streams_[selected].players) {
    if (player && player->link() != nullptr) return player.get();
  }
  return nullptr;
}

std::optional<std::array<Endpoint, 2>> Replay::endpoints(std::size_t selected) const {
  const Player* const player = connected(selected);
  return player == nullptr ? std::nullopt : std::optional(player->ends());
}

std::vector<StreamLog> Replay::arrange(std::vector<StreamLog> logs) const {
  std::multimap<std::string_view, StreamLog*> by_name;
  for (StreamLog& log : logs) by_name.emplace(log.name, &log);
  // Of connections that had the same addresses and ports, one after the other, the last that had begun by
  // then.
  const auto take = [&](const std::string& name, TimeNs by, StreamLog& log) {
    auto found = by_name.end();
    const auto [first, last] = by_name.equal_range(name);
    for (auto each = first; each != last && each->second->begun <= by; ++each) found = each;
    if (found == by_name.end()) return false;
    StreamLog& there = *found->second;
    by_name.erase(found);
    log = std::move(there);
    return true;
  };
  std::vector<StreamLog> arranged(streams_.size());
  for (std::size_t i = streams_.size(); i-- > 0;) {
    StreamLog& log = arranged[i];
    log.name = "no connection";
    if (const Player* const player = connected(i)) {
      const std::array<Endpoint, 2> ends = player->ends();
      const std::string name = to_string(ends[0]) + " to " + to_string(ends[1]);
      const TimeNs by = player->established_at();
      // Start-up frames that were made wrong may say otherwise; who connects for whom is known here.
      if (!take(name, by, log) && take(to_string(ends[1]) + " to " + to_string(ends[0]), by, log))
        exchange_roles(log);
      log.name = name;
    }
    log.stream = plan_.streams[selected_[i]].number;
    log.timed_out = outcome_ == Outcome::gave_up;
    // What a limit, or Ctrl-C, kept from happening is no divergence.
    if (outcome_ == Outcome::limited || outcome_ == Outcome::interrupted) log.lacking.fill(Reason::limit);
  }
  return arranged;
}

std::size_t Replay::unconnected() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(streams_, [](const Stream& stream) {
    return std::ranges::any_of(stream.players, [](const std::unique_ptr<Player>& player) {
      return player && player->unconnected();
    });
  }));
}

std::vector<Replay::Step> Replay::steps() const {
  std::vector<Step> all;
  for (const Gate::Held& each : stage_->gate.held()) {
    all.push_back({{each.player / 2, each.work}, static_cast<Role>(each.player % 2)});
  }
  return all;
}

std::vector<std::string> Replay::waits() const {
  std::vector<std::string> all;
  for (const Stream& stream : streams_) {
    for (const std::unique_ptr<Player>& player : stream.players) {
      if (player && !player->settled()) all.push_back(player->describe_wait());
    }
  }
  return all;
}

}  // namespace iwarp::replay
