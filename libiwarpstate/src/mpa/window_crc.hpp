// WindowCrc: the CRC32c of any octets of a window that grows, in constant time. Where any octet may begin an
// FPDU, most are covered by many of these, each with a CRC of its own.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/wire/crc32c.hpp>

namespace iwarp::mpa {

class WindowCrc {
 public:
  // The window begins with other octets than before.
  void clear() noexcept { upto_.clear(); }

  // CRC of octets [begin, end) of `window`, which is that of the last call and what came behind since.
  [[nodiscard]] std::uint32_t of(ByteView window, std::size_t begin, std::size_t end) {
    if (end - begin < worth_it) return wire::crc32c(window.subspan(begin, end - begin));
    if (upto_.empty()) upto_.push_back(0);
    for (std::size_t at = upto_.size() * step; at <= end; at += step)
      upto_.push_back(wire::crc32c(window.subspan(at - step, step), upto_.back()));
    return wire::crc32c_of_last(before(window, end), before(window, begin),
                                static_cast<std::uint32_t>(end - begin));
  }

 private:
  static constexpr std::size_t step = 32;
  static constexpr std::size_t worth_it = 512;  // shorter ones cost less octet by octet

  [[nodiscard]] std::uint32_t before(ByteView window, std::size_t end) const noexcept {
    const std::size_t known = end / step;
    return wire::crc32c(window.subspan(known * step, end % step), upto_[known]);
  }

  std::vector<std::uint32_t> upto_;  // [n]: of the first n * step octets
};

}  // namespace iwarp::mpa
