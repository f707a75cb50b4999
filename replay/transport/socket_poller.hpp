// SocketPoller: waits for events of many file descriptors, or a time, exactly (epoll and a timer descriptor).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/ids.hpp>

#include "transport/file_descriptor.hpp"

namespace iwarp::replay {

class Pollable {
 public:
  Pollable() = default;
  Pollable(const Pollable&) = delete;
  Pollable& operator=(const Pollable&) = delete;
  virtual ~Pollable() = default;
  // Bits of epoll_wait(2). May destroy this object.
  virtual void handle_events(std::uint32_t events) = 0;
};

class SocketPoller {
 public:
  SocketPoller();

  // Edge-triggered: each change is told once. Closing the descriptor ends it.
  void add(int descriptor, Pollable& pollable);
  // From here on another one is told.
  void move(int descriptor, Pollable& pollable);

  enum class Woken : std::uint8_t {
    events,
    deadline,
    signal
  };
  // Waits until `deadline` of the steady clock, in nanoseconds, and hands events to whom they belong.
  Woken wait(TimeNs deadline);

  // Nanoseconds of the steady clock.
  [[nodiscard]] static TimeNs now() noexcept;

 private:
  void arm(TimeNs deadline);

  FileDescriptor epoll_;
  FileDescriptor timer_;
  TimeNs armed_ = 0;  // 0: not
};

}  // namespace iwarp::replay
