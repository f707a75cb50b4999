// Frames ULPDUs as FPDUs: ULPDU_Length, PAD, CRC, and markers where the peer asked for them (RFC 5044 §4).
//
//   Bytes& ulpdu = sender.begin();   // append the ULPDU
//   ByteView octets = sender.end();  // the FPDU, valid until the next begin()
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>

#include "rnic/mutator.hpp"

namespace iwarp::rnic {

// What the start-up frames decided for one direction.
struct FpduModes {
  bool markers = false;
  bool crc = true;
};

class FpduSender {
 public:
  // Full Operation begins with the next octet.
  void start(const FpduModes& modes);

  // Empty, with room for the largest ULPDU so far. Append only.
  [[nodiscard]] Bytes& begin() noexcept {
    ulpdu_.clear();
    return ulpdu_;
  }
  // REQUIRES: the ULPDU has at most 65 535 octets.
  [[nodiscard]] ByteView end(const Framing& framing = {});

  [[nodiscard]] const FpduModes& modes() const noexcept { return modes_; }
  // Octets sent since Full Operation began.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  FpduModes modes_;
  std::uint64_t position_ = 0;
  Bytes ulpdu_;
  Bytes fpdu_;
};

// The largest ULPDU whose FPDU fits a TCP segment of `emss` octets (RFC 5044 §4.5), at least 128 and at most
// 64768.
[[nodiscard]] std::uint32_t mulpdu(std::uint32_t emss, bool markers) noexcept;

}  // namespace iwarp::rnic
