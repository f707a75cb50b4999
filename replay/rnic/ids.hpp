// Handles of the RNIC's objects. Zero is never handed out; a handle is not used again for another object
// until 4 095 others have stood in its place, so a stale one is refused (Verbs 1.0 §9.5.1: "Invalid …
// handle").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace iwarp::rnic {

enum class PdId : std::uint32_t {
  none = 0
};
enum class CqId : std::uint32_t {
  none = 0
};
enum class SrqId : std::uint32_t {
  none = 0
};
enum class QpId : std::uint32_t {
  none = 0
};
enum class StreamId : std::uint32_t {
  none = 0
};  // an LLP Stream: one direction pair of a TCP connection

// Objects by handle. Addresses of objects are stable.
template <typename Id, typename T>
class HandleTable {
 public:
  // `none` when `limit` objects exist.
  template <typename... Arguments>
  Id add(std::size_t limit, Arguments&&... arguments) {
    if (count_ >= limit || count_ >= slot_mask) return Id::none;
    std::uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    const Id id = make(slot);
    slots_[slot].object = std::make_unique<T>(id, std::forward<Arguments>(arguments)...);
    ++count_;
    return id;
  }

  [[nodiscard]] T* find(Id id) const noexcept {
    const auto value = static_cast<std::uint32_t>(id);
    const std::uint32_t slot = (value & slot_mask) - 1;
    if (slot >= slots_.size() || slots_[slot].generation != value >> slot_bits) return nullptr;
    return slots_[slot].object.get();
  }

  void remove(Id id) {
    if (find(id) == nullptr) return;
    const std::uint32_t slot = (static_cast<std::uint32_t>(id) & slot_mask) - 1;
    slots_[slot].object.reset();
    slots_[slot].generation = (slots_[slot].generation + 1) & generation_mask;
    free_.push_back(slot);
    --count_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.object) visit(*slot.object);
    }
  }

 private:
  static constexpr unsigned slot_bits = 20;
  static constexpr std::uint32_t slot_mask = (1U << slot_bits) - 1;
  static constexpr std::uint32_t generation_mask = 0xfff;

  struct Slot {
    std::unique_ptr<T> object;
    std::uint32_t generation = 0;
  };

  [[nodiscard]] Id make(std::uint32_t slot) const noexcept {
    return static_cast<Id>(slots_[slot].generation << slot_bits | (slot + 1));
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t count_ = 0;
};

}  // namespace iwarp::rnic
