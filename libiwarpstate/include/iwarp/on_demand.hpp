// OnDemand: a value that takes memory only once it is changed. Copyable, so that states can be snapshots.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)
namespace iwarp {

// Reads as a T() as long as nobody called edit(). Moving takes the value along; its address stays the same.
template <typename T>
class OnDemand {
 public:
  OnDemand() = default;
  OnDemand(const OnDemand& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  OnDemand(OnDemand&&) noexcept = default;
  OnDemand& operator=(const OnDemand& other) {
    if (this != &other) *this = OnDemand(other);
    return *this;
  }
  OnDemand& operator=(OnDemand&&) noexcept = default;
  ~OnDemand() = default;

  [[nodiscard]] const T& operator*() const noexcept { return value_ ? *value_ : nothing(); }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }
  // For arrays.
  [[nodiscard]] const auto& operator[](std::size_t position) const noexcept { return (**this)[position]; }
  [[nodiscard]] auto begin() const noexcept { return (**this).begin(); }
  [[nodiscard]] auto end() const noexcept { return (**this).end(); }
  [[nodiscard]] auto size() const noexcept { return (**this).size(); }

  // Whether edit() was called since the beginning, or the last reset().
  [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
  [[nodiscard]] T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() noexcept { value_.reset(); }

 private:
  [[nodiscard]] static const T& nothing() noexcept {
    static const T value{};
    return value;
  }

  std::unique_ptr<T> value_;
};

}  // namespace iwarp
#pragma GCC visibility pop
