// GapTimeout: how long one direction's hole is waited for where nobody acknowledges its octets: what is
// buffered behind it must be read some day.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/ids.hpp>

#include "stream/reassembler.hpp"

namespace iwarp {

class GapTimeout {
 public:
  // Whether the hole in front of `stream` is to be given up. `one_sided`: the other direction is not
  // captured, so acknowledgements cannot tell. Asked with each segment of the connection, unless unneeded().
  [[nodiscard]] bool exhausted(const stream::Reassembler& stream, bool one_sided, TimeNs now_ns) noexcept {
    if (!stream.may_have_hole() || !stream.hole()) {
      waiting_ = false;
      return false;
    }
    if (!waiting_) {
      waiting_ = true;
      since_ns_ = now_ns;
    }
    const bool too_long = now_ns - since_ns_ > (one_sided ? max_one_sided_ns : max_ns);
    const bool too_much = one_sided && stream.waiting_octets() > max_one_sided_octets;
    if (!too_long && !too_much) return false;
    waiting_ = false;
    return true;
  }

  // There is not even a hole, nor was there one when it was asked last: the usual case.
  [[nodiscard]] bool unneeded(const stream::Reassembler& stream) const noexcept {
    return !waiting_ && !stream.may_have_hole();
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [waiting, since_ns] = *this;
    codec(waiting, since_ns);
  }

 private:
  static constexpr TimeNs max_ns = 10'000'000'000;
  static constexpr TimeNs max_one_sided_ns = 1'000'000'000;
  static constexpr std::size_t max_one_sided_octets = 64U << 10U;

  bool waiting_ = false;
  TimeNs since_ns_ = 0;  // while waiting_
};

}  // namespace iwarp
