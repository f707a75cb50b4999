// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/order.hpp"

#include <algorithm>
#include <tuple>

namespace iwarp::replay {
namespace {

constexpr std::uint8_t was_posted = 1;
constexpr std::uint8_t was_left = 2;

// What the peer did and this end can see: it is noted as arrived, or closed.
bool is_seen(const PlannedWork& work) {
  return !work.rtr && (work.outcome == OperationStatus::complete || is_close(work.kind));
}

}  // namespace

Order::Order(const Plan& plan, const std::vector<std::uint32_t>& streams, Role role, const Progress& progress)
    : plan_(plan), progress_(progress), streams_(plan.streams.size()) {
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
  stream.tried.resize(planned.work.size());
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

bool Order::happened(const Event& event) const {
  const Stream& stream = streams_[event.stream];
  if (progress_.over(event.stream) != never) return true;
  switch (event.kind) {
    case Kind::open: return true;  // for what comes behind it the Reply counts
    case Kind::established: return stream.established;
    case Kind::own: {
      const std::uint8_t tried = stream.tried[event.work];
      if (tried != was_posted) return tried == was_left;
      const WorkRef ref{event.stream, event.work};
      return stream.reads || progress_.when({WaitFor::completed, ref}) != never;
    }
    case Kind::peers: {
      const PlannedWork& work = plan_.streams[event.stream].work[event.work];
      if (is_close(work.kind)) return progress_.closed(event.stream, work.role) != never;
      return progress_.arrived({event.stream, event.work}) != never;
    }
  }
  return true;
}

void Order::pass(Group& group, TimeNs now) {
  while (group.next < group.events.size() && happened(group.events[group.next])) {
    group.passed[++group.next] = now;
    waited_for_ = waited_for_ && waiting_ != &group;
  }
}

std::optional<Order::Turn> Order::turn(Group& group, std::size_t place, TimeNs now) {
  pass(group, now);
  // Its own connection's order is kept by who plays it.
  const std::uint32_t own = group.events[place].stream;
  for (std::size_t i = group.next; i < place; ++i) {
    if (group.events[i].stream == own || happened(group.events[i])) continue;
    waiting_ = &group;
    waited_for_ = true;
    return std::nullopt;
  }
  if (place == 0) return Turn{};
  const TimeNs passed = group.passed[std::min(place, group.next)];
  return Turn{passed, group.events[place - 1].time_ns};
}

std::optional<Order::Turn> Order::turn_of(const WorkRef& own, TimeNs now) {
  const Stream& stream = streams_[own.stream];
  if (stream.group == nullptr) return Turn{};
  return turn(*stream.group, stream.places[own.work], now);
}

std::optional<Order::Turn> Order::turn_to_open(std::uint32_t number, TimeNs now) {
  const Stream& stream = streams_[number];
  if (stream.group == nullptr || !stream.opening_known) return Turn{};
  return turn(*stream.group, stream.opening, now);
}

void Order::note_tried(const WorkRef& own, bool in_flight) {
  Stream& stream = streams_[own.stream];
  if (stream.group != nullptr) stream.tried[own.work] = in_flight ? was_posted : was_left;
}

std::string Order::release(TimeNs now) {
  waited_for_ = false;
  if (waiting_ == nullptr || waiting_->next >= waiting_->events.size()) return {};
  const Event& event = waiting_->events[waiting_->next];
  waiting_->passed[++waiting_->next] = now;
  std::string text = "the other streams do not wait any longer for stream " +
                     std::to_string(plan_.streams[event.stream].number);
  if (event.kind == Kind::established) return text + "'s start-up";
  return text + "'s work " + std::to_string(event.work);
}

}  // namespace iwarp::replay
