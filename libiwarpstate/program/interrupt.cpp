// Signals become a flag.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace iwarp::program {

namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void handle(int) {
  came.store(true, std::memory_order_relaxed);
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() noexcept {
  return came.load(std::memory_order_relaxed);
}

}  // namespace iwarp::program
