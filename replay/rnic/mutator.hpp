// The one point where something outgoing may be made wrong on purpose, before its CRC is computed: fault
// injection by check ID stands behind this interface. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>

#include "rnic/ids.hpp"

namespace iwarp::rnic {

// How an FPDU is framed; what is right by default.
struct Framing {
  std::uint32_t crc_xor = 0;                 // into the CRC field
  std::optional<std::uint16_t> length = {};  // ULPDU_Length other than the ULPDU's
  Byte pad = 0;
  std::int32_t pointer_delta = 0;     // added to FPDUPTR of its markers
  std::uint16_t marker_reserved = 0;  // into the reserved half of its markers
  unsigned copies = 1;                // 0: not sent, 2: sent twice (only without markers)
};

class Mutator {
 public:
  virtual ~Mutator() = default;

  // A start-up frame, or the last streaming-mode octets: whole.
  virtual void startup(StreamId /*stream*/, Bytes& /*frame*/) {}
  // `ulpdu`: DDP header and what follows, at most 65 535 octets afterwards; may be made longer or shorter.
  virtual void fpdu(StreamId /*stream*/, Bytes& /*ulpdu*/, Framing& /*framing*/) {}
};

}  // namespace iwarp::rnic
