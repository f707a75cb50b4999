// SendOctets: the payload of Sends that came in several FPDUs, put together for the ULP's dissector.
//
// A Send of one FPDU costs nothing. Messages put together live as long as the file is open, as those of
// Wireshark's own reassembly do: people click on them in any order.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/event.hpp>

#include "direction.hpp"

namespace iwarp::dissector {

class SendOctets {
 public:
  // The next FPDU of a direction, whose pieces are `slices`. `octets`: all of it as it stood in the stream,
  // markers included; empty where some were not captured. A Send is given up where a segment of it is missing
  // or its CRC is bad.
  void add(Direction direction, const FpduFact& fpdu, std::span<const Slice> slices, ByteView octets);

  // Of the FPDU that ended a Send of several: the whole payload. Empty: there is none, or not all of it came.
  [[nodiscard]] ByteView find(const FpduFact& last) const noexcept;
  // The frames that brought it, as the octets have it.
  [[nodiscard]] std::span<const std::uint32_t> frames(const FpduFact& last) const noexcept;

 private:
  struct Message {
    Bytes octets;
    std::vector<std::uint32_t> frames;  // none twice in a row
  };
  struct Open {
    Message message;
    std::uint32_t msn = 0;
    bool whole = false;  // nothing is missing so far
  };

  std::unordered_map<std::uint64_t, Open> open_;                                // by Direction::key
  std::unordered_map<std::uint32_t, std::unique_ptr<const Message>> messages_;  // by FpduFact::number
};

}  // namespace iwarp::dissector
