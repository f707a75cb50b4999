// One FPDU as octets in the stream: markers out, PAD, CRC and pointers looked at. Stateless.
// RFC 5044 §4.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>
#include <iwarp/event.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp::mpa {

// What of a ULPDU is kept: the longest DDP and RDMAP header together.
inline constexpr std::uint32_t max_header = 18 + max_rdmap_header;

// How the FPDUs of one direction are framed.
struct FramerParameters {
  Mode markers = Mode::off;  // unknown counts as off until something tells
  Mode crc = Mode::unknown;
  StreamOffset origin = 0;     // S: a marker starts wherever (offset - origin) mod 512 is 0
  bool revision_zero = false;  // RDMAC: DV and RV are 0 (RFC 5044 appendix C)

  [[nodiscard]] std::uint32_t phase(StreamOffset offset) const noexcept {
    return static_cast<std::uint32_t>((offset - origin) % wire::marker_interval);
  }
  // FPDUs of a marked stream are aligned to S, and a marker right before the ULPDU_Length field is their
  // first word.
  [[nodiscard]] bool may_begin(StreamOffset offset) const noexcept {
    return markers != Mode::on || (((offset - origin) & 3U) == 0 && phase(offset) != wire::marker_size);
  }
};

template <typename Codec>
void members(Codec& codec, FramerParameters& parameters) {
  auto& [markers, crc, origin, revision_zero] = parameters;
  codec(markers, crc, origin, revision_zero);
}

// An FPDU found in the stream.
struct FramedFpdu {
  StreamOffset begin = 0;  // its first octet: the leading marker, if it has one
  StreamOffset end = 0;
  std::uint16_t ulpdu_length = 0;
  std::uint8_t markers = 0;
  bool markers_missing = false;  // not all of them were captured
  std::uint8_t marker_faults = 0;
  std::uint8_t right_markers = 0;  // that were captured and point to its beginning, a leading one not counted
  std::array<std::uint16_t, marker_fault_kinds>
      marker_seen{};  // see FpduFact; only where the fault's bit is set
  std::array<std::uint32_t, marker_fault_kinds> marker_at{};
  CrcStatus crc = CrcStatus::undecidable;
  std::uint32_t crc_field = 0;
  std::uint32_t crc_computed = 0;
  std::uint32_t pad = 0;
  bool cut = false;
  bool marked = false;              // it stands in a stream with markers …
  std::uint32_t phase = 0;          // … so many octets behind where one is due
  bool unfinished = false;          // see FpduFact
  std::uint32_t header_octets = 0;  // see header()
  ByteView wire;  // the octets as captured, markers included; empty when cut. Until the framer's next call
  std::array<Byte, max_header> kept;  // header() where `wire` does not have it in one piece; not initialised

  // The ULPDU's first octets, markers removed: max_header at most, as far as they were captured. Lives as
  // `wire` and this do.
  [[nodiscard]] ByteView header() const noexcept {
    const bool in_wire = !wire.empty() && !marked;
    return {in_wire ? wire.data() + wire::length_field_size : kept.data(), header_octets};
  }
  // `wire` is no longer there; header() stays.
  void forget_wire() noexcept {
    const ByteView octets = header();
    if (octets.data() != kept.data()) std::copy(octets.begin(), octets.end(), kept.begin());
    wire = {};
  }
};

// Octets of the stream that an FPDU beginning at `begin` takes.
[[nodiscard]] inline std::uint32_t wire_size(const FramerParameters& parameters, StreamOffset begin,
                                             std::uint32_t ulpdu_length) noexcept {
  const std::uint32_t size = wire::unmarked_fpdu_size(ulpdu_length);
  if (parameters.markers != Mode::on) return size;
  return size + wire::marker_size * wire::marker_count(size, parameters.phase(begin));
}

// ULPDU_Length of the FPDU that begins at `begin`; `octets` start there. False while too few are there.
[[nodiscard]] bool read_ulpdu_length(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
                                     std::uint16_t& length) noexcept;

// Copies up to `wanted` ULPDU octets, markers removed, as far as `octets` (starting at `begin`) go; returns
// how many.
std::uint32_t copy_header(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
                          std::uint32_t wanted, Byte* out) noexcept;

// The same without a copy where no marker can part them: otherwise they lie in `room`, of `wanted` octets.
[[nodiscard]] inline ByteView header_view(const FramerParameters& parameters, StreamOffset begin,
                                          ByteView octets, std::uint32_t wanted, Byte* room) noexcept {
  if (parameters.markers == Mode::on) return {room, copy_header(parameters, begin, octets, wanted, room)};
  const ByteView ulpdu = octets.subspan(std::min<std::size_t>(octets.size(), wire::length_field_size));
  return ulpdu.first(std::min<std::size_t>(ulpdu.size(), wanted));
}

// Octets from the beginning of the FPDU at `begin`, in a marked stream, to the first place of a marker; the
// FPDU may end before.
[[nodiscard]] inline std::uint32_t first_marker(const FramerParameters& parameters,
                                                StreamOffset begin) noexcept {
  return (wire::marker_interval - parameters.phase(begin)) % wire::marker_interval;
}

// Notes what is wrong with `marker`, four octets, which stands `at` octets behind its FPDU's first one.
void check_marker(const Byte* marker, std::uint32_t at, FramedFpdu& fpdu) noexcept;

// Fills `fpdu` from the whole FPDU: header, PAD, CRC, marker checks.
void examine(const FramerParameters& parameters, StreamOffset begin, ByteView octets,
             std::uint16_t ulpdu_length, FramedFpdu& fpdu) noexcept;

// The FPDU at `begin` of which no more than `octets` are there, as its ULPDU_Length and header tell it:
// `cut`, without anything that its end would tell. Nothing while these, up to the end of the DDP header, are
// not there.
[[nodiscard]] std::optional<FramedFpdu> begun_fpdu(const FramerParameters& parameters, StreamOffset begin,
                                                   ByteView octets) noexcept;

// Copies all ulpdu_length octets of the ULPDU, markers removed. REQUIRES: `wire` is not empty.
void copy_ulpdu(const FramedFpdu& fpdu, Byte* out) noexcept;

// Whether the octets of a ULPDU can be a DDP segment of an iWARP stream, by all that its header shows;
// lengths that the opcode fixes included. Too short a `header` for its kind counts as implausible.
[[nodiscard]] bool plausible(const FramerParameters& parameters, std::uint16_t ulpdu_length,
                             ByteView header) noexcept;
// The same of the FPDU that begins at `at`, where `octets` start.
[[nodiscard]] bool plausible_at(const FramerParameters& parameters, StreamOffset at,
                                ByteView octets) noexcept;

// Whether the FPDU that begins at `at` shows a header with one field wrong at most: where framing is known,
// that is a header which breaks a rule rather than other octets. Nothing to find framing by.
[[nodiscard]] bool recognisable_at(const FramerParameters& parameters, StreamOffset at,
                                   ByteView octets) noexcept;

// Whether what is there of an FPDU, however little, has more than one field of its control octets wrong: then
// it is no header. Too few octets contradict nothing.
[[nodiscard]] bool contradicts_header_at(const FramerParameters& parameters, StreamOffset at,
                                         ByteView octets) noexcept;

}  // namespace iwarp::mpa
