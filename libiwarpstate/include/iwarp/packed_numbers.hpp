// PackedNumbers: a sequence of numbers, appended and taken away at its end, each in as few bits as its
// neighbours need.
//
// Octets lie in chunks. Full ones never change, and copies of a sequence share them: a copy costs little.
//
// Threads: an object belongs to one thread at a time; copies of it may belong to others.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <iwarp/packed_group.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

class PackedNumbers {
 public:
  PackedNumbers() = default;
  ~PackedNumbers() = default;
  PackedNumbers(const PackedNumbers& other);
  PackedNumbers& operator=(const PackedNumbers& other);
  PackedNumbers(PackedNumbers&& other) noexcept;
  PackedNumbers& operator=(PackedNumbers&& other) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return groups_.size() * PackedGroup::width + waiting_; }
  // REQUIRES: at < size().
  [[nodiscard]] std::uint64_t operator[](std::size_t at) const noexcept {
    const std::size_t group = at / PackedGroup::width;
    return group == groups_.size() ? last_[at % PackedGroup::width]
                                   : PackedGroup::read(octets(groups_[group]), at % PackedGroup::width);
  }

  // REQUIRES: the numbers take less than 4 GiB: 2^28 of them always do.
  void push_back(std::uint64_t number) {
    last_[waiting_] = number;
    if (++waiting_ == PackedGroup::width) pack();
  }
  // Only the first `size` ones stay. REQUIRES: size <= this->size().
  void truncate(std::size_t size);

  // Of memory, what copies share included.
  [[nodiscard]] std::size_t octets() const noexcept {
    std::size_t all = groups_.capacity() * sizeof(std::uint32_t);
    for (std::size_t chunk = 0; chunk < full_.size() + (open_ ? 1 : 0); ++chunk) all += size_of(chunk);
    return all;
  }

 private:
  static constexpr std::uint32_t chunk_size = 1U << 14U;

  // The first ones are smaller: few numbers take little.
  [[nodiscard]] static constexpr std::uint32_t size_of(std::size_t chunk) noexcept {
    constexpr std::uint32_t first = 1U << 10U;
    return chunk < 4 ? first << chunk : chunk_size;
  }

  [[nodiscard]] const Byte* octets(std::uint32_t place) const noexcept {
    const std::size_t chunk = place / chunk_size;
    return (chunk == full_.size() ? open_.get() : full_[chunk].get()) + place % chunk_size;
  }
  void pack();

  std::vector<std::shared_ptr<const Byte[]>> full_;
  std::unique_ptr<Byte[]> open_;       // behind them
  std::uint32_t used_ = 0;             // octets of it
  std::vector<std::uint32_t> groups_;  // where each begins: its chunk times chunk_size, plus the octet in it
  std::array<std::uint64_t, PackedGroup::width> last_{};  // not packed yet
  std::size_t waiting_ = 0;                               // how many of these there are
};

}  // namespace iwarp
#pragma GCC visibility pop
