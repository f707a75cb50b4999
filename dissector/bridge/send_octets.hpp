// SendOctets: the payload of Sends that came in several FPDUs, put together for the ULP's dissector.
//
// Segments come in any order: where packets were lost, each as soon as it is there (RFC 5041 §5.3). A Send of
// one FPDU costs nothing. Messages put together live as long as the file is open, as those of Wireshark's own
// reassembly do: people click on them in any order.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/event.hpp>

#include "bridge/keys.hpp"

namespace iwarp::dissector {

class SendOctets {
 public:
  // Another fpdu or placed event, whose pieces are `slices`. `octets`: all of it as it stood in the stream,
  // markers included; empty where some were not captured. A Send is given up where a segment of it is missing
  // for good or its CRC is bad.
  void add(const Event& fpdu, std::span<const Slice> slices, ByteView octets);

  // Of the FPDU that came last of a Send of several: the whole payload. Empty: it is another one, or not all
  // of the Send came.
  [[nodiscard]] ByteView find(const Event& last) const noexcept;
  // The frames that brought it, as the octets have it.
  [[nodiscard]] std::span<const std::uint32_t> frames(const Event& last) const noexcept;
  // The frame in which each of its segments ends, in order.
  [[nodiscard]] std::span<const std::uint32_t> segments(const Event& last) const noexcept;

 private:
  struct Message {
    Bytes octets;
    std::vector<std::uint32_t> frames;  // none twice in a row
    std::vector<std::uint32_t> segments;
  };
  // Of one MSN.
  struct Open {
    std::uint32_t msn = 0;
    Message begun;                             // from MO 0 on, without a hole
    std::map<std::uint32_t, Message> further;  // by MO: segments behind a hole
    std::size_t further_octets = 0;
    std::optional<std::size_t> length;  // told by the segment with L
  };
  using Queue = std::deque<Open>;

  [[nodiscard]] static Open& open_for(Queue& queue, std::uint32_t msn);
  static void append(Open& open, const FpduFact& fpdu, std::span<const Slice> slices, ByteView octets);

  std::unordered_map<std::uint64_t, Queue> open_;  // by Direction::key, oldest first
  std::unordered_map<std::uint64_t, std::unique_ptr<const Message>> messages_;  // by fpdu_key()
};

}  // namespace iwarp::dissector
