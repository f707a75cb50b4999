// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/fpdu_view.hpp"

#include <algorithm>
#include <cstring>

#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace iwarp::mpa {
namespace {

// Octets of the leading marker: the FPDU begins exactly on a marker position.
std::uint32_t leading_marker(const FramerParameters& parameters, StreamOffset begin) noexcept {
  return parameters.markers == Mode::on && parameters.phase(begin) == 0 ? wire::marker_size : 0;
}

// The first of each kind is kept.
void note_marker_fault(FramedFpdu& fpdu, MarkerFault fault, std::uint16_t seen, std::uint32_t at) noexcept {
  if ((fpdu.marker_faults & fault) != 0) return;
  fpdu.marker_faults = static_cast<std::uint8_t>(fpdu.marker_faults | fault);
  fpdu.marker_seen[row_of(fault)] = seen;
  fpdu.marker_at[row_of(fault)] = at;
}

void check_markers(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
                   FramedFpdu& fpdu) noexcept {
  for (std::uint32_t at = first_marker(parameters, begin); at + wire::marker_size <= octets.size();
       at += wire::marker_interval) {
    ++fpdu.markers;
    check_marker(octets.data() + at, at, fpdu);
  }
}

// How many fields of a header no iWARP stream may have there; no_header: the header is not there.
constexpr unsigned no_header = 255;

// Of DDP's and RDMAP's control octets.
unsigned wrong_control_fields(const FramerParameters& parameters, Byte ddp, Byte rdmap) noexcept {
  const unsigned version = parameters.revision_zero ? 0 : 1;
  const bool tagged = (ddp & 0x80U) != 0;
  unsigned wrong = 0;
  if ((ddp & 0x03U) != version) ++wrong;
  if ((ddp & 0x3cU) != 0) ++wrong;
  if ((rdmap & 0xc0U) != version << 6U) ++wrong;
  if ((rdmap & 0x30U) != 0) ++wrong;
  const auto opcode = static_cast<wire::Opcode>(rdmap & 0x0fU);
  if (!wire::is_known(opcode) || wire::is_tagged(opcode) != tagged) ++wrong;
  return wrong;
}

unsigned wrong_fields(const FramerParameters& parameters, std::uint16_t ulpdu_length,
                      ByteView header) noexcept {
  // siw sends ULPDUs beyond RFC 5044's limit: length is no argument.
  if (header.size() < 2) return no_header;
  const bool tagged = (header[0] & 0x80U) != 0;
  if (ulpdu_length < (tagged ? wire::tagged_header_size : wire::untagged_header_size)) return no_header;
  if (!tagged && header.size() < 10) return no_header;
  unsigned wrong = wrong_control_fields(parameters, header[0], header[1]);
  if (tagged) return wrong;
  const auto opcode = static_cast<wire::Opcode>(header[1] & 0x0fU);
  const bool known = wire::is_known(opcode);
  const std::uint32_t queue = load_be32(header.data() + 6);
  if (!known || wire::is_tagged(opcode)) return wrong + (queue > wire::queue_atomic_response ? 1U : 0U);
  if (queue != wire::queue_of(opcode)) ++wrong;
  const std::uint32_t fixed = wire::rdmap_header_size(opcode);
  const bool fits = opcode == wire::Opcode::terminate
                        ? ulpdu_length >= 22 && ulpdu_length <= 70
                        : fixed == 0 || ulpdu_length == wire::untagged_header_size + fixed;
  return wrong + (fits ? 0U : 1U);
}

unsigned wrong_fields_at(const FramerParameters& parameters, StreamOffset at, ByteView octets) noexcept {
  std::uint16_t length = 0;
  std::array<Byte, wire::untagged_header_size> header;
  if (!read_ulpdu_length(parameters, at, octets, length)) return no_header;
  const std::uint32_t wanted = std::min<std::uint32_t>(length, wire::untagged_header_size);
  return wrong_fields(parameters, length, header_view(parameters, at, octets, wanted, header.data()));
}

}  // namespace

bool contradicts_header_at(const FramerParameters& parameters, StreamOffset at, ByteView octets) noexcept {
  constexpr std::uint32_t control_octets = 2;
  std::array<Byte, control_octets> control;
  return copy_header(parameters, at, octets, control_octets, control.data()) == control_octets &&
         wrong_control_fields(parameters, control[0], control[1]) > 1;
}

bool read_ulpdu_length(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
                       std::uint16_t& length) noexcept {
  const std::uint32_t at = leading_marker(parameters, begin);
  if (octets.size() < at + wire::length_field_size) return false;
  length = load_be16(octets.data() + at);
  return true;
}

std::uint32_t copy_header(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
                          std::uint32_t wanted, Byte* out) noexcept {
  if (parameters.markers != Mode::on) {
    if (octets.size() <= wire::length_field_size) return 0;
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(wanted, octets.size() - wire::length_field_size));
    if (count == max_header) {  // as of most; a known size needs no call
      std::memcpy(out, octets.data() + wire::length_field_size, max_header);
    } else {
      std::memcpy(out, octets.data() + wire::length_field_size, count);
    }
    return count;
  }
  const std::uint32_t phase = parameters.phase(begin);
  std::uint32_t copied = 0;
  while (copied < wanted) {
    const std::uint32_t from = wire::marked_position(wire::length_field_size + copied, phase);
    if (from >= octets.size()) break;
    // Octets up to the next marker, or all that is there.
    const std::uint32_t until_marker = wire::marker_interval - (phase + from) % wire::marker_interval;
    const auto count = static_cast<std::uint32_t>(
        std::min<std::size_t>({wanted - copied, until_marker, octets.size() - from}));
    std::memcpy(out + copied, octets.data() + from, count);
    copied += count;
  }
  return copied;
}

void check_marker(const Byte* marker, std::uint32_t at, FramedFpdu& fpdu) noexcept {
  const std::uint16_t reserved = load_be16(marker);
  const std::uint16_t pointer = load_be16(marker + 2);
  const std::uint16_t expected = wire::fpdu_pointer(at);
  if (wire::masked_fpdu_pointer(pointer) != expected) {
    note_marker_fault(fpdu, marker_pointer, pointer, at);
  } else if (pointer != expected) {
    note_marker_fault(fpdu, marker_low_bits, pointer, at);
  }
  if (reserved != 0) note_marker_fault(fpdu, marker_reserved, reserved, at);
  if (at != 0 && reserved == 0 && pointer == expected) ++fpdu.right_markers;
}

void examine(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
             std::uint16_t ulpdu_length, FramedFpdu& fpdu) noexcept {
  fpdu.begin = begin;
  fpdu.end = begin + octets.size();
  fpdu.ulpdu_length = ulpdu_length;
  fpdu.markers = 0;
  fpdu.markers_missing = false;
  fpdu.marker_faults = fpdu.right_markers = 0;
  fpdu.cut = fpdu.unfinished = false;
  fpdu.wire = octets;
  fpdu.header_octets = std::min<std::uint32_t>(ulpdu_length, max_header);

  const bool marked = parameters.markers == Mode::on;
  fpdu.marked = marked;
  fpdu.phase = marked ? parameters.phase(begin) : 0;
  if (marked) {
    copy_header(parameters, begin, octets, fpdu.header_octets, fpdu.kept.data());
    check_markers(parameters, begin, octets, fpdu);
  }

  const std::uint32_t pad_octets = wire::pad_size(ulpdu_length);
  fpdu.pad = 0;
  if (pad_octets != 0) {
    // PAD is never parted from the last payload octets by a marker: both lie in one aligned word.
    const std::uint32_t pad_at = wire::length_field_size + ulpdu_length;
    const std::uint32_t at = marked ? wire::marked_position(pad_at, parameters.phase(begin)) : pad_at;
    for (std::uint32_t i = 0; i < pad_octets; ++i) fpdu.pad = fpdu.pad << 8U | octets[at + i];
  }

  const ByteView covered = octets.first(octets.size() - wire::crc_size);
  fpdu.crc_field = load_le32(octets.data() + covered.size());
  fpdu.crc_computed = 0;
  if (parameters.crc == Mode::off) {
    fpdu.crc = CrcStatus::unused;
    return;
  }
  fpdu.crc_computed = wire::crc32c(covered);
  if (fpdu.crc_field == fpdu.crc_computed) {
    fpdu.crc = CrcStatus::good;
  } else {
    fpdu.crc = parameters.crc == Mode::on ? CrcStatus::bad : CrcStatus::undecidable;
  }
}

std::optional<FramedFpdu> begun_fpdu(const FramerParameters& parameters, StreamOffset begin,
                                     ByteView octets) noexcept {
  std::uint16_t length = 0;
  if (!read_ulpdu_length(parameters, begin, octets, length)) return std::nullopt;
  FramedFpdu fpdu;
  fpdu.begin = begin;
  fpdu.end = begin + wire_size(parameters, begin, length);
  fpdu.ulpdu_length = length;
  fpdu.cut = true;
  fpdu.marked = parameters.markers == Mode::on;
  const std::uint32_t wanted = std::min<std::uint32_t>(length, max_header);
  fpdu.header_octets = copy_header(parameters, begin, octets, wanted, fpdu.kept.data());
  const bool tagged = fpdu.header_octets != 0 && (fpdu.kept[0] & 0x80U) != 0;
  const std::uint32_t ddp_size = tagged ? wire::tagged_header_size : wire::untagged_header_size;
  return fpdu.header_octets < ddp_size ? std::nullopt : std::optional(fpdu);
}

void copy_ulpdu(const FramedFpdu& fpdu, Byte* out) noexcept {
  FramerParameters parameters;
  parameters.markers = fpdu.marked ? Mode::on : Mode::off;
  parameters.origin = fpdu.begin - fpdu.phase;
  copy_header(parameters, fpdu.begin, fpdu.wire, fpdu.ulpdu_length, out);
}

bool plausible(const FramerParameters& parameters, std::uint16_t ulpdu_length, ByteView header) noexcept {
  return wrong_fields(parameters, ulpdu_length, header) == 0;
}

bool plausible_at(const FramerParameters& parameters, StreamOffset at, ByteView octets) noexcept {
  return wrong_fields_at(parameters, at, octets) == 0;
}

bool recognisable_at(const FramerParameters& parameters, StreamOffset at, ByteView octets) noexcept {
  return wrong_fields_at(parameters, at, octets) <= 1;
}

}  // namespace iwarp::mpa
