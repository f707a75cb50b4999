// FPDU framing of the receiver.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/fpdu_receiver.hpp"

#include <algorithm>

#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp::rnic {

void FpduReceiver::start(const FpduModes& modes) {
  modes_ = modes;
  position_ = 0;
  failed_ = false;
  used_partial_ = false;
  partial_.clear();
}

// 0: not known yet.
std::size_t FpduReceiver::size_of_next(ByteView begun) const noexcept {
  const auto phase = static_cast<std::uint32_t>(position_ % wire::marker_interval);
  const std::size_t leading = modes_.markers && phase == 0 ? wire::marker_size : 0;
  if (begun.size() < leading + wire::length_field_size) return 0;
  const std::uint32_t unmarked = wire::unmarked_fpdu_size(load_be16(begun.data() + leading));
  return modes_.markers ? unmarked + wire::marker_size * wire::marker_count(unmarked, phase) : unmarked;
}

FpduReceiver::Result FpduReceiver::take(ByteView& octets) {
  if (used_partial_) {
    partial_.clear();
    used_partial_ = false;
  }
  if (failed_) return Result::more;
  if (partial_.empty()) {
    const std::size_t size = size_of_next(octets);
    if (size != 0 && octets.size() >= size) {
      const ByteView fpdu = octets.first(size);
      octets = octets.subspan(size);
      return judge(fpdu);
    }
  }
  while (!octets.empty()) {
    const std::size_t size = size_of_next(partial_);
    // Until the length is there, octet by octet: at most six of them.
    const std::size_t missing = size == 0 ? 1 : size - partial_.size();
    const std::size_t piece = std::min(missing, octets.size());
    partial_.insert(partial_.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(piece));
    octets = octets.subspan(piece);
    if (size != 0 && partial_.size() == size) {
      used_partial_ = true;
      return judge(partial_);
    }
  }
  return Result::more;
}

FpduReceiver::Result FpduReceiver::judge(ByteView fpdu) {
  const ByteView covered = fpdu.first(fpdu.size() - wire::crc_size);
  if (modes_.crc && load_le32(covered.data() + covered.size()) != wire::crc32c(covered)) {
    failed_ = true;
    return Result::crc_error;
  }
  if (modes_.markers) {
    if (!remove_markers(fpdu)) {
      failed_ = true;
      return Result::marker_error;
    }
  } else {
    ulpdu_ = fpdu.subspan(wire::length_field_size, load_be16(fpdu.data()));
  }
  position_ += fpdu.size();
  return Result::fpdu;
}

bool FpduReceiver::remove_markers(ByteView fpdu) {
  unmarked_.clear();
  auto phase = static_cast<std::uint32_t>(position_ % wire::marker_interval);
  std::size_t at = 0;
  while (at < fpdu.size()) {
    if (phase == 0) {
      const std::uint32_t expected = wire::fpdu_pointer(static_cast<std::uint32_t>(at));
      if (wire::masked_fpdu_pointer(load_be16(fpdu.data() + at + 2)) != expected) return false;
      at += wire::marker_size;
      phase = wire::marker_size;
    }
    const std::size_t piece = std::min<std::size_t>(fpdu.size() - at, wire::marker_interval - phase);
    unmarked_.insert(unmarked_.end(), fpdu.begin() + static_cast<std::ptrdiff_t>(at),
                     fpdu.begin() + static_cast<std::ptrdiff_t>(at + piece));
    at += piece;
    phase = (phase + static_cast<std::uint32_t>(piece)) % wire::marker_interval;
  }
  ulpdu_ = ByteView(unmarked_).subspan(wire::length_field_size, load_be16(unmarked_.data()));
  return true;
}

}  // namespace iwarp::rnic
