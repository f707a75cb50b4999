// Phases: which octets of a connection are another protocol's, which are start-up frames and which are FPDUs.
// It hands the octets of each direction to a start-up scanner or to a framer, and follows what Negotiation
// decides: the one arrow back, framers get their modes from start-up frames (RFC 5044 §7.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analysis/capture_findings.hpp"
#include "analysis/connection_log.hpp"
#include "analysis/direction.hpp"
#include "analysis/private_data_store.hpp"
#include "mpa/negotiation.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class Phases {
 public:
  Phases(ConnectionLog& log, CaptureFindings& capture_findings, const stream::StreamPair& streams) noexcept
      : log_(log),
        capture_findings_(capture_findings),
        directions_{Direction(Side::a, log, streams[0]), Direction(Side::b, log, streams[1])} {}

  // The first segment of `side` was captured, with or without octets. `from_start`: it is its SYN.
  void captured(Side side, bool from_start) noexcept { negotiation_.captured(side, from_start); }
  // … and is read with this frame: what segments before it acknowledge is not known.
  void begun(Side side, FrameNumber frame) noexcept { marks_[index(side)].begun_frame = frame; }
  // The next octets of `side`. `syn_seen`: its SYN was captured.
  void take(Side side, const stream::Chunk& chunk, bool syn_seen);
  // The octets of `side` came to their end: first, before that is recorded, FPDUs are what they are by now;
  // then, the rest of a start-up frame will not come.
  void finish_framing(Side side) { finish_framing(side, true); }
  void ended(Side side);
  // Nothing more will come: decides what can be decided.
  void finish();

  [[nodiscard]] Direction& direction(Side side) noexcept { return directions_[index(side)]; }
  [[nodiscard]] const Direction& direction(Side side) const noexcept { return directions_[index(side)]; }
  // Nothing is open: neither an FPDU nor a start-up frame.
  [[nodiscard]] bool may_end(Side side) const noexcept;
  [[nodiscard]] ByteView private_data(std::uint32_t id) const noexcept { return private_data_.find(id); }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [log, capture_findings, negotiation, negotiation_due, directions, marks, private_data] = *this;
    codec(negotiation, negotiation_due, directions, marks, private_data);
  }

 private:
  struct Marks {
    FrameNumber begun_frame = 0;  // with which its first segment was read
    bool syn_seen = false;
    bool opened = false;    // a first octet came, or is known to be missing
    bool captured = false;  // one was captured
    bool refused = false;   // a start-up was rejected: FPDUs would be wrong
    Placement first;        // octet

    template <typename Codec>
    void pack(Codec& codec) {
      codec(begun_frame, syn_seen, opened, captured, refused, first);
    }
  };

  void finish_framing(Side side, bool by_sender);
  void take_octets(Side side, ByteView octets, bool segment_start);
  void take_absent(Side side, const stream::Chunk& chunk);
  void seek(Side side, StreamOffset at);
  void settle();
  void run_framer(Side side);
  void run_negotiation();
  void take_startup(const mpa::Decision& decision);
  void judge_early_reply(Side responder);
  void judge_early(Side side, const mpa::Decision& decision);
  void judge_early_fpdus(Side initiator, std::uint32_t octets);
  [[nodiscard]] bool ack_unknown(Side initiator, const StreamSpan* span, StreamOffset at) const noexcept;
  void judge_unanswered();
  void operate(const mpa::Decision& decision);
  void leave_operation(Side side);
  void back_to_streaming(Side side, StreamOffset at, ByteView octets);
  void take_rejection();
  void answer_nonsense(const mpa::Decision& decision);
  void take_broken_reply(const mpa::Decision& decision);
  void seek_behind_request(Side side, Mode markers);
  void judge_refused(Side side, ByteView octets);

  ConnectionLog& log_;
  CaptureFindings& capture_findings_;
  mpa::Negotiation negotiation_;
  bool negotiation_due_ = false;  // a scanner has octets that it was not asked about
  std::array<Direction, 2> directions_;
  std::array<Marks, 2> marks_;
  PrivateDataStore private_data_;
};

}  // namespace iwarp
