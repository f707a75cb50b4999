// The one point where something outgoing may be made wrong on purpose, before its CRC is computed: fault
// injection by check ID stands behind this interface.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>

#include "rnic/ids.hpp"

namespace iwarp::rnic {

// Sent besides what the RNIC has to send.
struct Extra {
  Bytes octets = {};
  bool raw = false;  // as they are; else a ULPDU, which is framed as it should be
};

// How the connection ends behind an FPDU, whatever the QP thinks.
enum class Cutoff : std::uint8_t {
  none,
  silence,  // FIN only behind the peer's
  fin,
  rst
};

// How an FPDU is framed; what is right by default.
struct Framing {
  std::uint32_t crc_xor = 0;                 // into the CRC field
  bool crc_reversed = false;                 // its octets in the other order
  std::optional<std::uint16_t> length = {};  // ULPDU_Length other than the ULPDU's
  Byte pad = 0;
  std::int32_t pointer_delta = 0;     // added to FPDUPTR of its markers
  std::uint16_t marker_reserved = 0;  // into the reserved half of its markers
  unsigned copies = 1;                // 0: not sent, 2: sent twice (only without markers)
  // Given: as agreed. Markers of all further FPDUs stand where this one leaves off.
  std::optional<bool> markers = {};
  std::vector<Extra> before = {};          // …
  std::vector<Extra> behind = {};          // … it, in this order
  std::optional<std::size_t> octets = {};  // of the FPDU that are sent, where not all of them
  Cutoff cutoff = Cutoff::none;            // behind it, and nothing else is sent
};

class Mutator {
 public:
  virtual ~Mutator() = default;

  // A start-up frame, or the last streaming-mode octets: whole.
  virtual void startup(StreamId /*stream*/, Bytes& /*frame*/) {}
  // `ulpdu`: DDP header and what follows, at most 65 535 octets afterwards; may be made longer or shorter.
  virtual void fpdu(StreamId /*stream*/, Bytes& /*ulpdu*/, Framing& /*framing*/) {}
  // Whether what closing() tells waits for the peer's FIN, and no FIN comes behind it: with one TCP would be
  // over before the peer could reset.
  [[nodiscard]] virtual bool listens_on(StreamId /*stream*/) const { return false; }
  // Everything is sent, FIN is next: `last` goes before it.
  virtual void closing(StreamId /*stream*/, std::vector<Extra>& /*last*/) {}
};

}  // namespace iwarp::rnic
