// Feeds octets to a Framer or a Synchronizer in pieces as TCP would, and keeps what comes out.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "mpa/framer.hpp"
#include "mpa/synchronizer.hpp"
#include "support/octets.hpp"

namespace iwarp::mpa {

inline FramerParameters unmarked(Mode crc = Mode::on) {
  FramerParameters parameters;
  parameters.crc = crc;
  return parameters;
}

inline FramerParameters marked(StreamOffset origin = 0, Mode crc = Mode::on) {
  FramerParameters parameters = unmarked(crc);
  parameters.markers = Mode::on;
  parameters.origin = origin;
  return parameters;
}

// Nothing known, as in the middle of a stream.
inline FramerParameters unknown() {
  FramerParameters parameters;
  parameters.markers = Mode::unknown;
  parameters.crc = Mode::unknown;
  return parameters;
}

// `count` FPDUs with Sends of growing length, MSN from 1.
inline std::vector<Bytes> sends(std::size_t count, test::FpduStream stream = test::FpduStream()) {
  std::vector<Bytes> fpdus;
  for (std::uint32_t msn = 1; msn <= count; ++msn) {
    fpdus.push_back(stream.add(test::send(msn, test::pattern(40 + 7 * msn, msn))));
  }
  return fpdus;
}

// What a Framer told.
struct Framed {
  struct Fpdu {
    StreamOffset begin = 0;
    StreamOffset end = 0;
    std::uint16_t length = 0;
    CrcStatus crc = CrcStatus::undecidable;
    std::uint8_t markers = 0;
    bool cut = false;
    std::uint32_t header_octets = 0;
    std::uint32_t msn = 0;  // of an untagged one whose header is there
    bool markers_missing = false;
    std::uint8_t marker_faults = 0;
    std::array<std::uint32_t, marker_fault_kinds> marker_at = {};
  };
  std::vector<Framer::Output> outputs = {};
  std::vector<Fpdu> fpdus = {};
  std::vector<Synchronizer::Lock> locks = {};
};

inline void poll(Framer& framer, Framed& told) {
  for (;;) {
    const Framer::Output output = framer.poll();
    if (output == Framer::Output::none) return;
    told.outputs.push_back(output);
    if (output == Framer::Output::startup) return;
    if (output == Framer::Output::locked) told.locks.push_back(framer.lock());
    if (output != Framer::Output::fpdu) continue;
    const FramedFpdu& fpdu = framer.fpdu();
    const std::uint32_t msn = fpdu.header_octets >= 14 ? load_be32(fpdu.header().data() + 10) : 0;
    told.fpdus.push_back({fpdu.begin, fpdu.end, fpdu.ulpdu_length, fpdu.crc, fpdu.markers, fpdu.cut,
                          fpdu.header_octets, msn, fpdu.markers_missing, fpdu.marker_faults, fpdu.marker_at});
  }
}

// Octets in segments of `size`, 0 for one; the last segment may be shorter.
inline void feed(Framer& framer, const Bytes& octets, std::size_t size, Framed& told) {
  const std::size_t step = size == 0 ? std::max<std::size_t>(octets.size(), 1) : size;
  for (std::size_t at = 0; at < octets.size(); at += step) {
    const Bytes piece = test::part(octets, at, step);
    framer.push(piece, true);
    poll(framer, told);
  }
}

inline std::vector<std::uint32_t> msns(const Framed& told) {
  std::vector<std::uint32_t> found;
  for (const Framed::Fpdu& fpdu : told.fpdus) found.push_back(fpdu.msn);
  return found;
}

inline std::vector<std::uint32_t> numbers(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> all;
  for (; first <= last; ++first) all.push_back(first);
  return all;
}

}  // namespace iwarp::mpa
