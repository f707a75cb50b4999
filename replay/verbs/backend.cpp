// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/backend.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "transport/socket_address.hpp"
#include "verbs/connection.hpp"

namespace iwarp::replay::verbs {
namespace {

constexpr auto nap = std::chrono::microseconds(100);
constexpr TimeNs order_patience = 2'000'000'000;
constexpr int backlog = 128;

TimeNs clock_now() {
  return static_cast<TimeNs>(std::chrono::steady_clock::now().time_since_epoch() /
                             std::chrono::nanoseconds(1));
}

// Whether there is a device to play with; else why not.
bool find_device(const std::string& wanted, std::string& error) {
  int count = 0;
  ibv_device** const devices = ibv_get_device_list(&count);
  std::string names;
  bool found = false;
  for (int i = 0; devices != nullptr && i < count; ++i) {
    const std::string name = ibv_get_device_name(devices[i]);
    names += (names.empty() ? "" : ", ") + name;
    found = found || wanted.empty() || name == wanted;
  }
  if (devices != nullptr) ibv_free_device_list(devices);
  if (found) return true;
  error = names.empty()
              ? "--rnic verbs: this machine has no RDMA device; 'rdma link add NAME type siw netdev CARD' "
                "makes one where the kernel has siw"
              : "--rnic verbs: there is no RDMA device " + wanted + "; there are: " + names;
  return false;
}

class Run {
 public:
  Run(const Plan& plan, const std::vector<std::uint32_t>& streams, const Setup& setup, Result& result)
      : setup_(setup),
        result_(result),
        scene_(plan, streams, setup.replay, setup.role, setup.device, clock_now()) {
    scene_.order.emplace(plan, streams, setup.role, scene_.progress, scene_.schedule);
    for (const std::uint32_t each : streams)
      connections_.push_back(std::make_unique<Connection>(scene_, each));
  }

  bool start();
  void drive();

 private:
  bool listen();
  bool open_due();
  bool take_events();
  bool take_request(rdma_cm_event& event);
  void judge(bool any);
  bool fail(std::string error) {
    result_.error = std::move(error);
    return false;
  }

  const Setup& setup_;
  Result& result_;
  Scene scene_;
  Owned<rdma_event_channel> channel_;
  Owned<rdma_cm_id> listener_;
  std::vector<std::unique_ptr<Connection>> connections_;  // beside the streams
  std::size_t next_ = 0;                                  // to be opened, or taken
  TimeNs last_change_ = 0;
};

bool Run::start() {
  std::string error;
  if (!find_device(setup_.device, error)) return fail(error);
  channel_.reset(rdma_create_event_channel());
  if (!channel_) return fail("no RDMA connection manager: " + reason() + " (is the module rdma_ucm loaded?)");
  if (::fcntl(channel_->fd, F_SETFL, O_NONBLOCK) != 0) return fail(reason());
  scene_.now = last_change_ = clock_now();
  return setup_.role == Role::initiator || listen();
}

bool Run::listen() {
  rdma_cm_id* id = nullptr;
  if (rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP) != 0)
    return fail("no RDMA connection: " + reason());
  listener_.reset(id);
  SocketAddress address(setup_.at);
  if (rdma_bind_addr(id, address.get()) != 0)
    return fail("no RDMA device has the address " + to_string(setup_.at) + ": " + reason());
  if (rdma_listen(id, backlog) != 0)
    return fail("nobody can listen at " + to_string(setup_.at) + ": " + reason());
  Endpoint at = setup_.at;
  at.port = ntohs(rdma_get_src_port(id));
  if (setup_.listening) setup_.listening(at);
  return true;
}

bool Run::open_due() {
  while (setup_.role == Role::initiator && next_ < connections_.size()) {
    Connection& connection = *connections_[next_];
    if (!scene_.order->turn_to_open(connection.stream())) return true;
    std::string error;
    if (!connection.open(channel_.get(), setup_.at, error)) return fail(error);
    ++next_;
  }
  return true;
}

bool Run::take_request(rdma_cm_event& event) {
  if (next_ < connections_.size()) {
    std::string error;
    return connections_[next_++]->take(event, error) || fail(error);
  }
  (void)rdma_reject(event.id, nullptr, 0);
  return true;
}

bool Run::take_events() {
  rdma_cm_event* event = nullptr;
  while (rdma_get_cm_event(channel_.get(), &event) == 0) {
    last_change_ = scene_.now = clock_now();
    bool good = true;
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
      good = take_request(*event);
    } else {
      const auto found =
          std::ranges::find_if(connections_, [&](const auto& each) { return each->owns(event->id); });
      std::string error;
      if (found != connections_.end() && !(*found)->handle(*event, error)) good = fail(error);
    }
    (void)rdma_ack_cm_event(event);
    if (!good) return false;
  }
  return true;
}

void Run::drive() {
  const TimeNs begun = clock_now();
  result_.started = true;
  while (result_.outcome == Outcome::running) {
    scene_.now = clock_now();
    if (!take_events() || !open_due()) {
      result_.started = false;
      break;
    }
    bool any = false;
    for (const auto& each : connections_) any = each->advance() || any;
    judge(any);
    if (setup_.interrupted && setup_.interrupted()) result_.outcome = Outcome::interrupted;
    if (setup_.replay.duration != never && scene_.now - begun >= setup_.replay.duration)
      result_.outcome = Outcome::limited;
    if (!any) std::this_thread::sleep_for(nap);
  }
  if (result_.outcome == Outcome::gave_up && setup_.role == Role::responder && next_ == 0) {
    result_.started = fail("nobody connected to " + to_string(setup_.at) + " before --patience was over");
  }
  result_.took = clock_now() - begun;
  for (const auto& each : connections_) {
    StreamLog& log = result_.logs.emplace_back(each->log());
    for (auto& entries : log.entries) {
      for (LogEntry& entry : entries) entry.time_ns += setup_.epoch;
    }
    log.timed_out = result_.outcome == Outcome::gave_up;
    if (result_.outcome == Outcome::limited || result_.outcome == Outcome::interrupted)
      log.lacking.fill(Reason::limit);
    if (!each->settled()) result_.waits.push_back(each->describe_wait());
  }
  result_.troubles = scene_.troubles;
  result_.notes = scene_.notes;
  result_.posted = scene_.posted;
  result_.octets = scene_.octets;
}

void Run::judge(bool any) {
  if (any) last_change_ = scene_.now;
  if (std::ranges::all_of(connections_, [](const auto& each) { return each->settled(); })) {
    result_.outcome = scene_.posted >= setup_.replay.limit ? Outcome::limited : Outcome::complete;
    return;
  }
  const TimeNs quiet = scene_.now - last_change_;
  if (scene_.order->waited_for() && quiet >= std::min<TimeNs>(order_patience, setup_.replay.patience / 2)) {
    const std::string note = scene_.order->release(scene_.now);
    if (!note.empty()) scene_.notes.push_back(note);
  }
  if (quiet >= setup_.replay.patience) result_.outcome = Outcome::gave_up;
}

}  // namespace

bool built() noexcept {
  return true;
}

Result run(const Plan& plan, const std::vector<std::uint32_t>& streams, const Setup& setup) {
  Result result;
  Run run(plan, streams, setup, result);
  if (run.start()) run.drive();
  return result;
}

}  // namespace iwarp::replay::verbs
