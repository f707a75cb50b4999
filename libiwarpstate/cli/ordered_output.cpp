// Results of several captures in order.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "ordered_output.hpp"

#include "program/printable.hpp"
#include "program/standard_output.hpp"
#include "progress.hpp"

namespace iwarp::cli {

OrderedOutput::OrderedOutput(int descriptor, std::size_t slots, Progress& progress, std::size_t held_back)
    : slots_(slots), descriptor_(descriptor), held_back_(held_back), progress_(progress) {}

void OrderedOutput::put(std::string_view text) {
  if (!text.empty()) progress_.hide();
  if (broken_) return;
  const int error = program::write_whole(descriptor_, text);
  broken_ = error != 0;
  failure_ = program::standard_output_failure(error);
}

void OrderedOutput::write(std::size_t slot, std::string_view text) {
  std::unique_lock lock(mutex_);
  if (slot != turn_ && slots_[slot].held.size() + text.size() > held_back_) {
    turned_.wait(lock, [&] { return slot == turn_ || broken_; });
  }
  if (slot == turn_) {
    put(text);
  } else if (!broken_) {
    slots_[slot].held.append(text);
  }
}

void OrderedOutput::complain(std::size_t slot, const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  slots_[slot].complaints += "iwarp-analyze: " + program::printable(sentence) + "\n";
}

void OrderedOutput::announce(const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  progress_.hide();
  program::complain("iwarp-analyze: " + program::printable(sentence) + "\n");
}

void OrderedOutput::release(Slot& slot) {
  put(slot.held);
  slot.held = std::string();
  if (!slot.finished || slot.complaints.empty()) return;
  progress_.hide();
  program::complain(slot.complaints);
  slot.complaints.clear();
}

void OrderedOutput::finish(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  slots_[slot].finished = true;
  while (turn_ < slots_.size()) {
    release(slots_[turn_]);
    if (!slots_[turn_].finished) break;
    ++turn_;
  }
  turned_.notify_all();
}

bool OrderedOutput::usable() {
  const std::scoped_lock lock(mutex_);
  return !broken_;
}

std::string OrderedOutput::failure() {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

}  // namespace iwarp::cli
