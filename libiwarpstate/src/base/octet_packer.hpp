// OctetPacker, OctetUnpacker: numbers in as few octets as they need, two after one octet that holds both
// sizes. A zero costs half an octet.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <iwarp/bytes.hpp>

namespace iwarp {

// What one number may write or read beyond its own octets.
inline constexpr std::size_t packer_slack = 8;

class OctetPacker {
 public:
  // REQUIRES: there is room at `to` for nine octets for each number, eight more behind the last one.
  explicit OctetPacker(Byte* to) noexcept : at_(to) {}

  void put(std::uint64_t number) noexcept {
    const auto size = (71U - static_cast<unsigned>(std::countl_zero(number))) / 8U;
    if (sizes_ == nullptr) {
      sizes_ = at_++;
      *sizes_ = static_cast<Byte>(size);
    } else {
      *sizes_ = static_cast<Byte>(*sizes_ | size << 4U);
      sizes_ = nullptr;
    }
    store_le64(at_, number);
    at_ += size;
  }

  // Octets as they are; of none the pointer may be null.
  void put(const Byte* octets, std::size_t count) noexcept {
    std::copy_n(octets, count, at_);
    at_ += count;
  }

  [[nodiscard]] Byte* end() const noexcept { return at_; }

 private:
  Byte* at_;
  Byte* sizes_ = nullptr;  // whose upper half is free
};

class OctetUnpacker {
 public:
  // REQUIRES: what an OctetPacker wrote, with eight readable octets behind it.
  explicit OctetUnpacker(const Byte* from) noexcept : at_(from) {}

  [[nodiscard]] std::uint64_t take() noexcept {
    unsigned size = 0;
    if (!half_) {
      sizes_ = *at_++;
      size = sizes_ & 0x0fU;
    } else {
      size = sizes_ >> 4U;
    }
    half_ = !half_;
    const std::uint64_t number = size == 0 ? 0 : load_le64(at_) & ~std::uint64_t{0} >> (64U - 8U * size);
    at_ += size;
    return number;
  }

  void take(Byte* octets, std::size_t count) noexcept {
    std::copy_n(at_, count, octets);
    at_ += count;
  }

  [[nodiscard]] const Byte* end() const noexcept { return at_; }

 private:
  const Byte* at_;
  unsigned sizes_ = 0;
  bool half_ = false;
};

}  // namespace iwarp
