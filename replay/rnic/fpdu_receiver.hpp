// Takes FPDUs out of one direction's octets, strictly in order: CRC, then markers (RFC 5044 §4.4, §6). An
// error is the last thing it says: nothing behind it is ever delivered (RFC 5044 §6). Memory: twice
// the largest FPDU so far.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>

#include "rnic/fpdu_sender.hpp"

namespace iwarp::rnic {

class FpduReceiver {
 public:
  enum class Result : std::uint8_t {
    more,          // everything was taken, and no FPDU is complete
    fpdu,          // ulpdu() holds one
    crc_error,     // 2002
    marker_error,  // 2003
  };

  // Full Operation begins with the next octet.
  void start(const FpduModes& modes);

  // Takes octets from the front of `octets`, up to the end of one FPDU.
  [[nodiscard]] Result take(ByteView& octets);

  // Valid until the next take(), and as long as the octets it was taken from.
  [[nodiscard]] ByteView ulpdu() const noexcept { return ulpdu_; }

  // Octets of an FPDU are there whose end is not.
  [[nodiscard]] bool inside_fpdu() const noexcept { return !partial_.empty() && !used_partial_; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  [[nodiscard]] std::size_t size_of_next(ByteView begun) const noexcept;
  [[nodiscard]] Result judge(ByteView fpdu);
  [[nodiscard]] bool remove_markers(ByteView fpdu);

  FpduModes modes_;
  std::uint64_t position_ = 0;  // of the next FPDU
  bool failed_ = false;
  bool used_partial_ = false;  // ulpdu_ may point into it
  Bytes partial_;
  Bytes unmarked_;
  ByteView ulpdu_;
};

}  // namespace iwarp::rnic
