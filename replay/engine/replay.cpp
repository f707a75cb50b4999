// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/replay.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "engine/negotiation.hpp"

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

TimeNs begin_of(const PlannedStream& stream) {
  TimeNs first = never;
  for (const std::optional<PlannedStartup>& each : stream.startup) {
    if (each) first = std::min(first, each->time_ns);
  }
  for (const PlannedWork& work : stream.work) first = std::min(first, work.time_ns);
  return first == never ? 0 : first;
}

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
      stage_(std::make_unique<Stage>(plan, options_)),
      hosts_(plan.hosts.size()),
      streams_(selected_.size()) {
  for (const std::uint32_t each : selected_) stage_->played[each] = true;
  stage_->both = placement_.plays[0] && placement_.plays[1];
}

Replay::~Replay() = default;

Network& Replay::network() const {
  const PlannedStream& first = plan_.streams[selected_.front()];
  return placement_.network(first.hosts[placement_.plays[0] ? 0 : 1]);
}

Host* Replay::host(std::uint32_t number) {
  return hosts_[number].get();
}

bool Replay::start(std::string& error) {
  if (selected_.empty()) {
    error = "no stream was selected";
    return false;
  }
  for (const std::uint32_t each : selected_) {
    error = impossible(plan_.streams[each], options_);
    if (!error.empty()) return false;
  }
  error = too_large(plan_, selected_, options_);
  if (!error.empty()) return false;
  begun_ = last_change_ = stage_->now = network().now();
  TimeNs first = never;
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    const PlannedStream& planned = plan_.streams[selected_[i]];
    const TimeNs begins = begin_of(planned);
    first = std::min(first, begins);
    for (std::size_t before = 0; before < i; ++before) {
      const auto end = end_of(plan_.streams[selected_[before]]);
      if (end && *end <= begins) streams_[i].after.push_back(selected_[before]);
    }
    for (const Role role : {Role::initiator, Role::responder}) {
      if (!placement_.plays[static_cast<std::size_t>(role)]) continue;
      const std::uint32_t number = planned.hosts[static_cast<std::size_t>(role)];
      if (!hosts_[number]) {
        hosts_[number] = std::make_unique<Host>(plan_, number, stage_->names, options_);
        if (!hosts_[number]->start(error)) return false;
        for (const std::string& note : hosts_[number]->notes()) stage_->notes.push_back(note);
      }
      streams_[i].players[static_cast<std::size_t>(role)] =
          std::make_unique<Player>(*stage_, selected_[i], role, *hosts_[number]);
    }
  }
  stage_->anchor =
      begun_ - (first == never ? 0 : static_cast<TimeNs>(static_cast<double>(first) / options_.speed));
  const bool alone = !placement_.plays[0] || !placement_.plays[1];
  if (alone) {
    stage_->order.emplace(plan_, selected_, placement_.plays[0] ? Role::initiator : Role::responder,
                          stage_->progress);
  }
  try {
    if (alone && !placement_.peer) {
      const std::uint32_t own = plan_.streams[selected_.front()].hosts[placement_.plays[0] ? 0 : 1];
      listener_ = network().listen(placement_.listen_at(own));
    }
  } catch (const std::system_error& failure) {
    error = failure.what();
    return false;
  }
  return begin_streams(error);
}

std::optional<Endpoint> Replay::listening_at() const {
  if (!listener_) return std::nullopt;
  return listener_->local();
}

// Opens what may be opened now: behind streams that were over before, at its recorded time.
bool Replay::begin_streams(std::string& error) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (stream.begun) continue;
    const bool behind = std::ranges::all_of(
        stream.after, [&](std::uint32_t each) { return stage_->progress.over(each) != never; });
    if (!behind) return true;  // those behind it wait for the same ones
    Order::Turn turn;
    if (stage_->order && !listener_) {
      const auto found = stage_->order->turn_to_open(selected_[i], stage_->now);
      if (!found) continue;
      turn = *found;
    }
    if (options_.timing != Timing::topspeed) {
      const TimeNs begins = begin_of(plan_.streams[selected_[i]]);
      const auto sped = [&](TimeNs time) {
        return static_cast<TimeNs>(static_cast<double>(time) / options_.speed);
      };
      TimeNs at = stage_->anchor + sped(begins);
      if (options_.timing == Timing::causal && turn.since != 0) {
        at = turn.since + sped(std::min(begins - std::min(begins, turn.recorded), options_.max_gap));
      }
      if (at > stage_->now && (options_.timing == Timing::original || stream.after.empty())) {
        due_ = std::min(due_, at);
        return true;
      }
    }
    if (!begin(selected_[i], stream, error)) return false;
    stream.begun = true;
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
      stream.players[role]->open(placement_.network(planned.hosts[role]).connect(*placement_.peer));
      return true;
    }
    const auto opener = static_cast<std::size_t>(planned.opened_by);
    const std::uint32_t listening = planned.hosts[1 - opener];
    stream.listener = placement_.network(listening).listen(placement_.listen_at(listening));
    stream.players[opener]->open(placement_.network(planned.hosts[opener]).connect(stream.listener->local()));
  } catch (const std::system_error& failure) {
    error = failure.what();
    return false;
  }
  return true;
}

void Replay::accept() {
  if (listener_) {
    while (next_accepted_ < streams_.size()) {
      std::unique_ptr<Transport> transport = listener_->accept();
      if (!transport) return;
      streams_[next_accepted_++].players[placement_.plays[0] ? 0 : 1]->open(std::move(transport));
    }
    return;
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (!stream.listener) continue;
    std::unique_ptr<Transport> transport = stream.listener->accept();
    if (!transport) continue;
    stream.players[1 - static_cast<std::size_t>(plan_.streams[selected_[i]].opened_by)]->open(
        std::move(transport));
    stream.listener.reset();
  }
}

void Replay::dispatch_events() {
  for (const std::unique_ptr<Host>& host : hosts_) {
    if (!host) continue;
    const auto find = [&](auto matches) -> Player* {
      for (Stream& stream : streams_) {
        for (const std::unique_ptr<Player>& player : stream.players) {
          if (player && &player->host() == host.get() && matches(*player)) return player.get();
        }
      }
      return nullptr;
    };
    while (const auto event = host->rnic().poll_stream_event()) {
      Player* const player = find([&](const Player& each) { return each.llp() == event->stream; });
      if (player != nullptr) player->take_event(event->kind);
    }
    while (const auto event = host->rnic().poll_event()) {
      if (event->qp == rnic::QpId::none) continue;
      Player* const player = find([&](const Player& each) { return each.qp() == event->qp; });
      if (player != nullptr) player->take_event(event->kind);
    }
  }
}

void Replay::run() {
  if (done()) return;
  stage_->now = network().now();
  due_ = never;
  std::set<Network*> networks;
  for (const std::uint32_t each : selected_) {
    for (std::size_t role = 0; role < 2; ++role) {
      if (placement_.plays[role]) networks.insert(&placement_.network(plan_.streams[each].hosts[role]));
    }
  }
  for (Network* const each : networks) stage_->pump.collect(*each);
  for (;;) {
    const std::uint64_t before = stage_->progress.count() + stage_->posted + stage_->pump.octets_moved();
    accept();
    stage_->pump.run(stage_->now);
    dispatch_events();
    due_ = never;
    for (Stream& stream : streams_) {
      for (const std::unique_ptr<Player>& player : stream.players) {
        if (!player) continue;
        player->advance();
        due_ = std::min(due_, player->next_due());
      }
    }
    if (!begin_streams(failure_)) {
      stage_->troubles.push_back(failure_);
      outcome_ = Outcome::gave_up;
      return;
    }
    stage_->pump.run(stage_->now);
    dispatch_events();
    stage_->pump.run(stage_->now);
    if (stage_->progress.count() + stage_->posted + stage_->pump.octets_moved() == before) break;
  }
  judge();
}

void Replay::judge() {
  const std::uint64_t count = stage_->progress.count() + stage_->posted;
  const std::uint64_t moved = stage_->pump.octets_moved();
  if (count != last_count_ || moved != last_moved_) {
    last_count_ = count;
    last_moved_ = moved;
    last_change_ = stage_->now;
  }
  // Streams settle more or less in order: those before `unsettled_from_` need not be asked again, unless work
  // came late.
  bool settled = true;
  for (; unsettled_from_ < streams_.size(); ++unsettled_from_) {
    for (const std::unique_ptr<Player>& player : streams_[unsettled_from_].players) {
      if (player && !player->settled()) settled = false;
    }
    if (!settled) break;
  }
  if (settled) {
    outcome_ = stage_->posted >= options_.limit ? Outcome::limited : Outcome::complete;
  } else if (options_.duration != never && stage_->now - begun_ >= options_.duration) {
    outcome_ = Outcome::limited;
  } else if (out_of_order() && stage_->now - last_change_ >= order_patience()) {
    const std::string note = stage_->order->release(stage_->now);
    if (!note.empty()) stage_->notes.push_back(note);
    due_ = stage_->now;
  } else if (due_ == never && stage_->now - last_change_ >= options_.patience) {
    outcome_ = Outcome::gave_up;
  }
}

// Somebody waits for what came before on another connection, and may not have to.
bool Replay::out_of_order() const {
  return due_ == never && stage_->order && stage_->order->waited_for();
}

TimeNs Replay::order_patience() const noexcept {
  return std::min<TimeNs>(options_.patience / 2, 2'000'000'000);
}

void Replay::starve() noexcept {
  if (!done() && next_due() == never) outcome_ = Outcome::gave_up;
}

TimeNs Replay::next_due() const {
  TimeNs due = std::min(due_, stage_->pump.next_timeout());
  if (due_ == never) due = std::min(due, last_change_ + options_.patience);
  if (out_of_order()) due = std::min(due, last_change_ + order_patience());
  if (options_.duration != never) due = std::min(due, begun_ + options_.duration);
  return due;
}

std::vector<EventLog> Replay::arrange(std::vector<EventLog> logs) const {
  std::vector<EventLog> arranged;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    std::string name;
    for (const Role role : {Role::initiator, Role::responder}) {
      const std::unique_ptr<Player>& player = streams_[i].players[static_cast<std::size_t>(role)];
      if (!player || player->link() == nullptr) continue;
      const Transport& transport = player->link()->transport();
      const bool first = role == Role::initiator;
      name = to_string(first ? transport.local() : transport.peer()) + " to " +
             to_string(first ? transport.peer() : transport.local());
      break;
    }
    const auto found = std::ranges::find(logs, name, &EventLog::name);
    EventLog& log = arranged.emplace_back();
    if (found != logs.end()) log = std::move(*found);
    log.name = name.empty() ? "no connection" : name;
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
      return player && player->link() != nullptr && player->link()->over() &&
             player->llp() == rnic::StreamId::none;
    });
  }));
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
