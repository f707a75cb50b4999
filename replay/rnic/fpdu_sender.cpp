// FPDU framing of the sender.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/fpdu_sender.hpp"

#include <algorithm>

#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp::rnic {
namespace {

// Writes an FPDU that begins at `position`, with a marker in front of each octet that would stand in its
// place.
class MarkedWriter {
 public:
  MarkedWriter(Bytes& out, std::uint64_t position, const Framing& framing)
      : out_(out), phase_(static_cast<std::uint32_t>(position % wire::marker_interval)), framing_(framing) {}

  void add(ByteView octets) {
    while (!octets.empty()) {
      put_due_marker();
      const std::size_t piece = std::min<std::size_t>(octets.size(), wire::marker_interval - phase_);
      out_.insert(out_.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(piece));
      phase_ = (phase_ + static_cast<std::uint32_t>(piece)) % wire::marker_interval;
      octets = octets.subspan(piece);
    }
  }

  void put_due_marker() {
    if (phase_ != 0) return;
    const std::uint32_t pointer = wire::fpdu_pointer(static_cast<std::uint32_t>(out_.size()));
    Byte marker[wire::marker_size];
    store_be16(marker, framing_.marker_reserved);
    store_be16(marker + 2,
               static_cast<std::uint16_t>(pointer + static_cast<std::uint32_t>(framing_.pointer_delta)));
    out_.insert(out_.end(), marker, marker + wire::marker_size);
    phase_ = wire::marker_size;
  }

 private:
  Bytes& out_;
  std::uint32_t phase_;
  const Framing& framing_;
};

}  // namespace

std::uint32_t mulpdu(std::uint32_t emss, bool markers) noexcept {
  std::uint32_t overhead = wire::length_field_size + wire::crc_size + emss % 4;
  if (markers) {
    overhead += wire::marker_size * ((emss + wire::marker_interval - 1) / wire::marker_interval);
  }
  if (emss < wire::min_mulpdu + overhead) return wire::min_mulpdu;
  return std::min(emss - overhead, wire::max_ulpdu_length);
}

void FpduSender::start(const FpduModes& modes) {
  modes_ = modes;
  position_ = 0;
}

ByteView FpduSender::end(const Framing& framing) {
  fpdu_.clear();
  Byte length[wire::length_field_size];
  const auto size = static_cast<std::uint32_t>(ulpdu_.size());
  store_be16(length, framing.length.value_or(static_cast<std::uint16_t>(size)));
  const Byte pad[4] = {framing.pad, framing.pad, framing.pad, framing.pad};
  const ByteView padding(pad, wire::pad_size(size));
  if (framing.markers.value_or(modes_.markers)) {
    MarkedWriter writer(fpdu_, position_, framing);
    writer.add(length);
    writer.add(ulpdu_);
    writer.add(padding);
    writer.put_due_marker();  // one between PAD and CRC belongs to this FPDU (RFC 5044 §4.3)
  } else {
    fpdu_.insert(fpdu_.end(), length, length + wire::length_field_size);
    fpdu_.insert(fpdu_.end(), ulpdu_.begin(), ulpdu_.end());
    fpdu_.insert(fpdu_.end(), padding.begin(), padding.end());
  }
  // Where CRC is off the field is there and means nothing (RFC 5044 §4.4): zero.
  Byte crc[wire::crc_size];
  store_le32(crc, (modes_.crc ? wire::crc32c(fpdu_) : 0) ^ framing.crc_xor);
  if (framing.crc_reversed) std::reverse(crc, crc + wire::crc_size);
  fpdu_.insert(fpdu_.end(), crc, crc + wire::crc_size);
  position_ += fpdu_.size();
  return fpdu_;
}

}  // namespace iwarp::rnic
