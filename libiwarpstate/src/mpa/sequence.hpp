// Sequence: which MSNs may stand where in one direction, by the FPDUs seen so far (RFC 5041 §4.3).
//
// Behind a hole an FPDU with a right CRC may be one that is stored in a payload. Its MSN tells: that of the
// stream itself is not behind the one that was open before the hole, and not further on than FPDUs fit in
// between. The stream may have wrong MSNs, too, so this makes one candidate better than another, no more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp::mpa {

class Sequence {
 public:
  enum class Fit {
    unknown,  // it has no MSN, nothing was seen before, or so much is missing that most would do
    fits,
    contradicts
  };

  // Full Operation begins at `at`: every queue with MSN 1.
  void begin(StreamOffset at) noexcept {
    end_ = at;
    queues_.fill({0, 1, 1, true});
  }

  // Whether an FPDU that begins at `at` may have the header `octets`, DDP's first `count` octets.
  [[nodiscard]] Fit judge(StreamOffset at, const Byte* octets, std::size_t count) const noexcept {
    const std::size_t number = queue_of(octets, count);
    if (number >= queues || !queues_[number].known || at < end_) return Fit::unknown;
    const Queue& queue = queues_[number];
    const std::uint32_t ahead = msn_of(octets) - queue.lowest;
    const std::uint64_t room = (queue.next - queue.lowest) + (queue.missing + (at - end_)) / smallest_fpdu;
    if (ahead > room) return Fit::contradicts;
    return room <= telling ? Fit::fits : Fit::unknown;
  }

  // The FPDU from `begin` to `end` has this header. Octets between the one before and it are missing.
  void take(StreamOffset begin, StreamOffset end, const Byte* octets, std::size_t count) noexcept {
    if (begin > end_) {
      for (Queue& queue : queues_) queue.missing += begin - end_;
    }
    end_ = end;
    const std::size_t number = queue_of(octets, count);
    if (number >= queues) return;
    const std::uint32_t msn = msn_of(octets);
    const bool last = (octets[0] & 0x40U) != 0;
    queues_[number] = {0, last ? msn + 1 : msn, msn + 1, true};
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(end_, queues_);
  }

 private:
  struct Queue {
    std::uint64_t missing = 0;  // octets, since the FPDU that told
    std::uint32_t lowest = 0;   // MSN that may come behind it
    std::uint32_t next = 0;     // … of the next message
    bool known = false;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(missing, lowest, next, known);
    }
  };

  static constexpr std::size_t queues = 4;
  static constexpr std::uint64_t telling = 256;  // of so few of all MSNs it is one
  static constexpr std::uint64_t smallest_fpdu =
      wire::length_field_size + wire::untagged_header_size + wire::crc_size;

  // `queues` or more: none that has MSNs.
  [[nodiscard]] static std::size_t queue_of(const Byte* octets, std::size_t count) noexcept {
    const bool untagged = count >= wire::untagged_header_size && (octets[0] & 0x80U) == 0;
    return untagged ? load_be32(octets + 6) : queues;
  }
  [[nodiscard]] static std::uint32_t msn_of(const Byte* octets) noexcept { return load_be32(octets + 10); }

  StreamOffset end_ = 0;  // of the last FPDU
  std::array<Queue, queues> queues_{};
};

}  // namespace iwarp::mpa
