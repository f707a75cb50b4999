// PlacedAhead: FPDUs of one direction that are whole although they cannot be delivered yet, for octets before
// them are missing, or what they answer is (RFC 5041 §5.3 keeps the two apart: placed when they come, in any
// order; delivered in order).
//
// Where FPDUs begin is known only up to the hole. Behind it TCP segments should begin with one: senders are
// asked to see to that (RFC 5044 §5.1). A CRC that is right proves it; so do FPDUs that follow each other
// from there. Without CRC they must be plausible, lead to the end of their segment, and have an MSN that
// fits. The tail of an FPDU that the hole cut is followed by such a segment, too. What is placed is confirmed
// when the framer delivers the same octets as an FPDU, or revoked when it finds others there.
//
// Nothing here waits, and nothing waits for it: what cannot be placed is delivered later all the same.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>

#include "analysis/connection_log.hpp"
#include "analysis/span_map.hpp"
#include "mpa/framer.hpp"

namespace iwarp {

class PlacedAhead {
 public:
  PlacedAhead(ConnectionLog& log, Side side) noexcept : log_(log), side_(side) {}

  // A segment came whose octets are not delivered: `chunk` has those of them that were captured. FPDUs in it
  // are recorded as placed. `parameters`: how the FPDUs of the direction are framed; `origin`: what
  // FpduFact::stream_offset counts from.
  void take(const stream::Chunk& chunk, const mpa::FramerParameters& parameters, StreamOffset origin);
  // The same of octets that come right behind those delivered: `open` is what there is of the FPDU that they
  // go on with, and begins at `at`.
  void go_on(StreamOffset at, ByteView open, const SpanMap& pieces);

  // Of those that follow placed ones and are not there in full, the one that begins in `frame`, as its header
  // tells it.
  [[nodiscard]] std::optional<FpduFact> begun_in(FrameNumber frame, const mpa::FramerParameters& parameters,
                                                 StreamOffset origin) const noexcept;

  // The framer delivers an FPDU: the number under which it was placed, 0: it was not.
  [[nodiscard]] std::uint32_t confirm(const mpa::FramedFpdu& fpdu, const Placement& placed);
  // What was placed before `upto`, and was not confirmed, is no FPDU of the stream.
  void revoke_before(StreamOffset upto);
  // The framer stands at `position`, and took everything before `delivered`.
  void settle(StreamOffset position, StreamOffset delivered);

  [[nodiscard]] bool empty() const noexcept { return chains_.empty() && placed_.empty(); }

 private:
  // FPDUs that follow each other, from the border of a segment on.
  struct Chain {
    StreamOffset begin = 0;
    StreamOffset at = 0;   // where the next FPDU begins
    StreamOffset end = 0;  // behind the last octet that came
    bool proven = false;   // an FPDU of it was placed
    Bytes open;            // octets from `at` to `end`
    SpanMap pieces;        // which frames brought them
  };
  struct Placed {
    StreamOffset end = 0;
    Placement placed;
    std::uint32_t number = 0;
  };
  using Chains = std::vector<Chain>;

  // What a hostile capture may make this hold; beyond it FPDUs are only delivered.
  static constexpr std::size_t max_chains = 16;
  static constexpr std::size_t max_placed = 16384;

  [[nodiscard]] Chain* chain_for(const stream::Chunk& chunk);
  [[nodiscard]] bool extend(Chain& chain, const stream::Chunk& chunk, const mpa::FramerParameters& parameters,
                            StreamOffset origin);
  [[nodiscard]] bool take_fpdus(Chain& chain, ByteView octets, const mpa::FramerParameters& parameters,
                                StreamOffset origin);
  [[nodiscard]] bool leads_to_end(const Chain& chain, ByteView octets,
                                  const mpa::FramerParameters& parameters) const;
  [[nodiscard]] bool fits(const mpa::FramerParameters& parameters, std::uint16_t length,
                          ByteView header) const noexcept;
  void place(const mpa::FramedFpdu& fpdu, const SpanMap& pieces, StreamOffset origin);

  ConnectionLog& log_;
  const Side side_;
  Chains chains_;                          // of which none touch each other
  std::map<StreamOffset, Placed> placed_;  // by where they begin
};

}  // namespace iwarp
