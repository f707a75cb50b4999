// OctetReader: numbers one behind the other. Where octets are missing it reads zeros, and is good no longer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>

namespace iwarp::ulp {

[[nodiscard]] inline bool is_zero(ByteView octets) noexcept {
  return std::all_of(octets.begin(), octets.end(), [](Byte octet) { return octet == 0; });
}

class OctetReader {
 public:
  explicit OctetReader(ByteView octets) noexcept : octets_(octets) {}

  [[nodiscard]] std::uint32_t be32() noexcept { return static_cast<std::uint32_t>(take(4)); }
  [[nodiscard]] std::uint64_t be64() noexcept { return take(8); }
  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] std::size_t left() const noexcept { return octets_.size(); }
  // Octets that were read.
  [[nodiscard]] std::uint32_t at() const noexcept { return at_; }
  void fail() noexcept {
    good_ = false;
    octets_ = {};
  }

 private:
  std::uint64_t take(std::size_t size) noexcept {
    if (octets_.size() < size) {
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t at = 0; at < size; ++at) value = value << 8U | octets_[at];
    octets_ = octets_.subspan(size);
    at_ += static_cast<std::uint32_t>(size);
    return value;
  }

  ByteView octets_;
  std::uint32_t at_ = 0;
  bool good_ = true;
};

}  // namespace iwarp::ulp
