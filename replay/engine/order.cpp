// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/order.hpp"

#include <algorithm>
#include <tuple>

namespace iwarp::replay {
namespace {

// What the peer did and this end can see: it is noted as arrived, or closed.
bool is_seen(const PlannedWork& work) {
  return !work.rtr && (work.outcome == OperationStatus::complete || is_close(work.kind));
}

}  // namespace

Order::Order(const Plan& plan, const std::vector<std::uint32_t>& streams, Role role, const Progress& progress,
             Schedule& schedule)
    : plan_(plan), progress_(progress), schedule_(schedule), role_(role), streams_(plan.streams.size()) {
  std::map<std::array<std::uint32_t, 2>, std::size_t> count;
  for (const std::uint32_t each : streams) ++count[plan.streams[each].hosts];
  for (const std::uint32_t each : streams) {
    const auto& hosts = plan.streams[each].hosts;
    if (count[hosts] > 1) add(each, role, groups_[hosts]);
  }
  for (auto& [hosts, group] : groups_) {
    std::ranges::sort(group.events, {},
                      [](const Event& each) { return std::tuple(each.frame, each.stream, each.work); });
    group.passed.assign(group.events.size() + 1, never);
    group.passed[0] = 0;
    for (std::size_t i = 0; i < group.events.size(); ++i) {
      const Event& event = group.events[i];
      Stream& stream = streams_[event.stream];
      if (event.kind == Kind::open) {
        stream.opening = i;
        stream.opening_known = true;
      } else if (event.kind == Kind::own) {
        stream.places[event.work] = i;
      }
    }
  }
}

void Order::add(std::uint32_t number, Role role, Group& group) {
  const PlannedStream& planned = plan_.streams[number];
  Stream& stream = streams_[number];
  stream.group = &group;
  stream.places.resize(planned.work.size());
  stream.done.assign(planned.work.size(), never);
  const auto& request = planned.startup[0];
  const auto& reply = planned.startup[1];
  if (request) group.events.push_back({request->frame, number, 0, Kind::open, request->time_ns});
  if (request && reply && !reply->rejected) {
    const bool later = reply->frame > request->frame;
    const PlannedStartup& last = later ? *reply : *request;
    group.events.push_back({last.frame, number, 0, Kind::established, last.time_ns});
  }
  for (std::uint32_t i = 0; i < planned.work.size(); ++i) {
    const PlannedWork& work = planned.work[i];
    if (work.role == role) {
      if (work.kind == WorkKind::read || work.kind == WorkKind::atomic) stream.reads = true;
      if (!work.rtr) group.events.push_back({work.first_frame, number, i, Kind::own, work.time_ns});
    } else if (is_seen(work)) {
      group.events.push_back({work.frame, number, i, Kind::peers, work.time_ns});
    }
  }
}

TimeNs Order::when(const Event& event) const {
  const Stream& stream = streams_[event.stream];
  TimeNs at = never;
  switch (event.kind) {
    case Kind::open: return 0;  // for what comes behind it the Reply counts
    case Kind::established: at = stream.established; break;
    case Kind::own: {
      const WorkRef ref{event.stream, event.work};
      at = std::min(stream.done[event.work], progress_.when({WaitFor::completed, ref}));
      break;
    }
    case Kind::peers: {
      const PlannedWork& work = plan_.streams[event.stream].work[event.work];
      at = is_close(work.kind) ? progress_.closed(event.stream, work.role)
                               : progress_.arrived({event.stream, event.work});
      break;
    }
  }
  return std::min(at, progress_.over(event.stream));
}

void Order::pass(Group& group) const {
  for (; group.next < group.events.size(); ++group.next) {
    const TimeNs at = when(group.events[group.next]);
    if (at == never) return;
    group.passed[group.next + 1] = std::max(group.passed[group.next], at);
  }
}

void Order::note_waits(std::uint32_t stream, bool waits) {
  if (streams_[stream].waits == waits) return;
  streams_[stream].waits = waits;
  waiting_ = waits ? waiting_ + 1 : waiting_ - 1;
}

std::optional<Order::Turn> Order::turn(Group& group, std::size_t place) {
  pass(group);
  // Its own connection's order is kept by who plays it.
  const std::uint32_t own = group.events[place].stream;
  for (std::size_t i = group.next; i < place; ++i) {
    if (group.events[i].stream == own || when(group.events[i]) != never) continue;
    note_waits(own, true);
    schedule_.wake_after(player_number(own, role_), group.events[i].stream);
    return std::nullopt;
  }
  note_waits(own, false);
  if (place == 0) return Turn{};
  const TimeNs passed = group.passed[std::min(place, group.next)];
  return Turn{passed, group.events[place - 1].time_ns};
}

std::optional<Order::Turn> Order::turn_of(const WorkRef& own) {
  const Stream& stream = streams_[own.stream];
  if (stream.group == nullptr) return Turn{};
  return turn(*stream.group, stream.places[own.work]);
}

std::optional<Order::Turn> Order::turn_to_open(std::uint32_t number) {
  const Stream& stream = streams_[number];
  if (stream.group == nullptr || !stream.opening_known) return Turn{};
  return turn(*stream.group, stream.opening);
}

void Order::note_established(std::uint32_t stream, TimeNs now) {
  streams_[stream].established = now;
  schedule_.happened(stream);
}

void Order::note_tried(const WorkRef& own, bool in_flight, TimeNs now) {
  Stream& stream = streams_[own.stream];
  if (stream.group == nullptr) return;
  note_waits(own.stream, false);
  if (in_flight && !stream.reads) return;
  stream.done[own.work] = now;
  schedule_.happened(own.stream);
}

std::string Order::release(TimeNs now) {
  const auto first = std::ranges::find(streams_, true, &Stream::waits);
  if (first == streams_.end()) return {};
  Group& group = *first->group;
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    if (!streams_[i].waits || streams_[i].group != &group) continue;
    note_waits(i, false);  // it asks again
    schedule_.wake(player_number(i, role_));
  }
  pass(group);
  if (group.next >= group.events.size()) return {};
  const Event& event = group.events[group.next];
  group.passed[++group.next] = now;
  std::string text = "the other streams do not wait any longer for stream " +
                     std::to_string(plan_.streams[event.stream].number);
  if (event.kind == Kind::established) return text + "'s start-up";
  return text + "'s work " + std::to_string(event.work);
}

}  // namespace iwarp::replay
