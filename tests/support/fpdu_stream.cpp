// FPDUs octet by octet: whatever the next octet is, a marker goes before it where one is due.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/octets.hpp"
#include "support/put.hpp"

namespace iwarp::test {

Bytes fpdu(const Bytes& ulpdu, const Framing& framing) {
  return FpduStream().add(ulpdu, framing);
}

Bytes FpduStream::add(const Bytes& ulpdu, const Framing& framing) {
  Bytes out;
  std::uint64_t start = 0;  // position of the first octet of ULPDU_Length, once it is there
  bool started = false;

  const auto marker_if_due = [&] {
    if (markers_ == Markers::off || position_ % 512 != 0) return;
    // RFC 5044 §4.3: octets from the beginning of the ULPDU_Length field to the marker; between FPDUs zero.
    auto pointer = started ? static_cast<unsigned>(position_ - start) : 0U;
    unsigned reserved = 0;
    if (error_ && error_->skip != 0) {
      --error_->skip;
    } else if (error_) {
      pointer += static_cast<unsigned>(error_->pointer_delta);
      reserved = error_->reserved;
      error_.reset();
    }
    put16(out, reserved & 0xffffU);
    put16(out, pointer & 0xffffU);
    position_ += 4;
  };
  const auto put = [&](Byte octet) {
    marker_if_due();
    if (!started) start = position_;
    started = true;
    out.push_back(octet);
    ++position_;
  };

  Bytes length;
  put16(length, framing.length.value_or(static_cast<unsigned>(ulpdu.size())));
  for (const Byte octet : length) put(octet);
  for (const Byte octet : ulpdu) put(octet);
  for (std::size_t size = 2 + ulpdu.size(); size % 4 != 0; ++size) put(framing.pad);

  // The CRC field follows, behind a marker that is due right here and is covered as well.
  marker_if_due();
  std::uint32_t value = framing.crc == Crc::unused ? framing.unused_crc : bitwise_crc32c(out);
  if (framing.crc == Crc::wrong) value ^= 0xA5A5A5A5U;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned shift = framing.crc == Crc::big_endian ? 24U - 8U * i : 8U * i;
    put(static_cast<Byte>(value >> shift));
  }
  return out;
}

Bytes FpduStream::garbage(const Bytes& octets) {
  position_ += octets.size();
  return octets;
}

}  // namespace iwarp::test
