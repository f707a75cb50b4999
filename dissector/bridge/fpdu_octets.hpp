// FpduOctets: the octets of FPDUs that came in several frames, put together again for a data source of their
// own.
//
// Holds what segments of iWARP directions brought until FPDUs use it (bounded), and the FPDUs put together
// for as long as the file is open, as Wireshark's own reassembly does. FPDUs that lie in one frame cost
// nothing.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>

#include <iwarp/event.hpp>
#include <iwarp/segment.hpp>

#include "bridge/keys.hpp"

namespace iwarp::dissector {

class FpduOctets {
 public:
  // Remembers what `segment` brought and no FPDU has used: `sequence` is that of its payload's first octet.
  // Less is kept of a direction that only may be iWARP.
  void keep(Direction direction, const TcpSegment& segment, std::uint32_t sequence, bool is_iwarp);
  // FPDUs have used all octets of the direction before `sequence`.
  void used(Direction direction, std::uint32_t sequence);
  // Keeps the octets of an FPDU whose pieces are `slices`; `present` is the segment being added. Nothing is
  // kept when octets are missing.
  void put_together(const Event& fpdu, std::span<const Slice> slices, const TcpSegment& present);
  // No more segments come.
  void forget_unused() noexcept { open_.clear(); }

  [[nodiscard]] ByteView find(const Event& fpdu) const noexcept;

 private:
  struct Piece {
    FrameNumber frame = 0;
    std::uint32_t sequence = 0;        // of its first octet
    std::uint32_t payload_offset = 0;  // of that octet in the frame's TCP payload
    Bytes octets;
  };
  struct Open {
    std::deque<Piece> pieces;  // by frame
    std::size_t octets = 0;
    std::uint32_t used_up_to = 0;  // sequence number
    bool used_known = false;
  };

  [[nodiscard]] static ByteView find_slice(const Open* open, const Slice& slice) noexcept;

  std::unordered_map<std::uint64_t, Open> open_;                           // by Direction::key
  std::unordered_map<std::uint64_t, std::unique_ptr<const Bytes>> fpdus_;  // by fpdu_key()
};

}  // namespace iwarp::dissector
