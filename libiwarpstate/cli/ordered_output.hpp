// OrderedOutput: what several captures print at the same time comes out in the order of the arguments.
//
// Each capture has a slot. The lowest slot that is not finished writes straight through; others are held
// back, up to a bound: beyond it their writer waits for its turn. Slots must be started in order, so that the
// one whose turn it is is always being worked on.
//
// Threads: a slot belongs to one thread at a time; different slots may be used at once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace iwarp::cli {

class Progress;

class OrderedOutput {
 public:
  // Writes results to `descriptor` and sentences to standard error. REQUIRES: progress outlives this.
  OrderedOutput(int descriptor, std::size_t slots, Progress& progress, std::size_t held_back = 32U << 20U);

  void write(std::size_t slot, std::string_view text);
  // A sentence for standard error, printed behind what the slot has written.
  void complain(std::size_t slot, const std::string& sentence);
  // A sentence for standard error, printed at once.
  void announce(const std::string& sentence);
  // Nothing more comes from this slot.
  void finish(std::size_t slot);

  // False once nobody reads the results any more, or they cannot be written: working on is of no use.
  [[nodiscard]] bool usable();
  // Why results could not be written; empty when they could, or when the reader just went away.
  [[nodiscard]] std::string failure();

 private:
  struct Slot {
    std::string held;
    std::string complaints;
    bool finished = false;
  };

  void put(std::string_view text);
  void release(Slot& slot);

  std::mutex mutex_;
  std::condition_variable turned_;
  std::vector<Slot> slots_;
  std::size_t turn_ = 0;  // the slot that writes through
  int descriptor_;
  std::size_t held_back_;
  Progress& progress_;
  bool broken_ = false;
  std::string failure_;
};

}  // namespace iwarp::cli
