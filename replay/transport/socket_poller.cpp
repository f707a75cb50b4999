// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/socket_poller.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "transport/network.hpp"

namespace iwarp::replay {
namespace {

constexpr TimeNs second = 1'000'000'000;
constexpr std::uint32_t all_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SocketPoller::SocketPoller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!epoll_.is_open()) fail("epoll_create1");
  if (!timer_.is_open()) fail("timerfd_create");
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event) != 0) fail("epoll_ctl");
}

void SocketPoller::add(int descriptor, Pollable& pollable) {
  epoll_event event{};
  event.events = all_events;
  event.data.ptr = &pollable;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
}

void SocketPoller::move(int descriptor, Pollable& pollable) {
  epoll_event event{};
  event.events = all_events;
  event.data.ptr = &pollable;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event) != 0) fail("epoll_ctl");
}

void SocketPoller::arm(TimeNs deadline) {
  if (deadline == armed_) return;
  itimerspec when{};
  when.it_value.tv_sec = deadline / second;
  when.it_value.tv_nsec = deadline % second;
  if (timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0) fail("timerfd_settime");
  armed_ = deadline;
}

SocketPoller::Woken SocketPoller::wait(TimeNs deadline) {
  const bool at_once = deadline <= now();
  // A timer that is armed for an earlier time stays: deadlines that only move away cost no call of the
  // system.
  const auto arm_for = [this](TimeNs time) {
    if (armed_ == 0 || time < armed_) arm(time == never ? 0 : time);
  };
  if (!at_once) arm_for(deadline);
  std::array<epoll_event, 256> events;
  for (;;) {
    const int count =
        epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), at_once ? 0 : -1);
    if (count < 0) {
      if (errno == EINTR) return Woken::signal;
      fail("epoll_wait");
    }
    bool any = false;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.ptr == nullptr) {
        armed_ = 0;  // it has fired
        continue;
      }
      static_cast<Pollable*>(event.data.ptr)->handle_events(event.events);
      any = true;
    }
    if (any) return Woken::events;
    if (at_once || now() >= deadline) return Woken::deadline;
    arm_for(deadline);
  }
}

TimeNs SocketPoller::now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<TimeNs>(time.tv_sec) * second + time.tv_nsec;
}

}  // namespace iwarp::replay
