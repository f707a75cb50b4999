// Direction: what one side of a connection sends, in stream order: where FPDUs are among it, and which frames
// brought them. The framer's word becomes facts here; who decides when Full Operation begins is Phases.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "analysis/connection_log.hpp"
#include "analysis/fpdu_fact.hpp"
#include "analysis/overlaps.hpp"
#include "analysis/placed_ahead.hpp"
#include "analysis/span_map.hpp"
#include "mpa/framer.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class Direction {
 public:
  enum class Reception : std::uint8_t {
    streaming,  // another protocol's octets, or a start-up frame's
    seeking,    // the same, but Full Operation may be under way unseen
    framing,    // Full Operation
    abandoned,  // too many start-ups: octets are passed over
  };

  Direction(Side side, ConnectionLog& log, const stream::Reassembler& stream) noexcept
      : side_(side), log_(log), stream_(stream) {}
  Direction(const Direction&) = delete;
  Direction& operator=(const Direction&) = delete;

  [[nodiscard]] bool framing() const noexcept { return reception_ == Reception::framing; }
  [[nodiscard]] bool seeking() const noexcept { return reception_ == Reception::seeking; }
  [[nodiscard]] bool abandoned() const noexcept { return reception_ == Reception::abandoned; }
  // Its octets go to the start-up scanner.
  [[nodiscard]] bool streaming() const noexcept { return reception_ == Reception::streaming || seeking(); }
  // Its octets go to the framer.
  [[nodiscard]] bool framed() const noexcept { return framing() || seeking(); }

  // FpduFact::stream_offset counts from `origin`.
  void count_from(StreamOffset origin) noexcept { origin_ = origin; }
  [[nodiscard]] StreamOffset from_origin(StreamOffset at) const noexcept {
    return at - (at < origin_ ? at : origin_);
  }

  // FPDUs may begin from `at` on. `why`: see Framer::seek.
  void seek(const mpa::FramerParameters& parameters, StreamOffset at, mpa::Framer::Loss why);
  // A start-up frame tells modes of what is sought.
  void learn(const mpa::FramerParameters& parameters) noexcept {
    if (seeking()) framer_.learn(parameters.markers, parameters.crc);
  }
  // Full Operation begins at `at`. Where the use of markers is not known, the first FPDU tells.
  void operate(const mpa::FramerParameters& parameters, StreamOffset at);
  void back_to_streaming();
  void abandon() noexcept { reception_ = Reception::abandoned; }

  // Notes which frame brought the octets of `chunk`; they are pushed next.
  void arrived(const stream::Chunk& chunk) { spans_.add(chunk); }
  // REQUIRES for these: framed(). What the framer then has to say, run() tells.
  void push(ByteView octets, bool segment_start);
  // Octets that a scanner had held back.
  void hand_over(ByteView octets);
  // Returns whether framing survives.
  bool push_absent(std::uint64_t length);
  // Nothing more will come.
  void finish();
  // … and all that the framer had to say was recorded: tells of octets at the end that are no FPDUs, or may
  // be none. `by_sender`: the sender ended the direction, not the capture. Says all once.
  void tell_end(bool by_sender);
  // The framer has octets that it was not asked about.
  [[nodiscard]] bool due() const noexcept { return due_; }
  // Records what the framer finds. False when a start-up key stands where an FPDU should begin: Full
  // Operation is over, framer().rest() is unread.
  [[nodiscard]] bool run();
  // Framing was lost behind a hole, and is sought: what comes has to wait for that.
  [[nodiscard]] bool seeking_behind_hole() const noexcept {
    return framing() && !framer_.synchronized() && framer_.why() == mpa::Framer::Loss::gap;
  }
  // A segment came whose octets have to wait: FPDUs that are whole in it are recorded as placed.
  [[gnu::cold]] void place_ahead(const stream::Chunk& chunk);
  // What waits will not be read any more, and what was placed of it stays that.
  void forget_placed() noexcept { ahead_.reset(); }
  // Nothing will be delivered any more of what was placed.
  void revoke_placed() {
    if (ahead_) ahead_->revoke_before(~StreamOffset{0});
  }
  // Records an FPDU that was found without the framer.
  void record(const mpa::FramedFpdu& fpdu) { record(fpdu, spans_); }
  // Octets before `at` are not asked for any more.
  void forget_before(StreamOffset at) noexcept { spans_.forget_before(at); }
  // REQUIRES: framed(). Octets before it are not asked for any more. Of octets that are no FPDU all may be:
  // SyncLostFact has the frames of each.
  [[nodiscard]] StreamOffset needed_from() const noexcept {
    return framer_.why() == mpa::Framer::Loss::nonsense ? framer_.position() : framer_.next_from();
  }

  // Of the FPDUs that are not there in full yet the one that begins in `frame`, as its header tells it.
  [[nodiscard]] std::optional<FpduFact> begun_in(FrameNumber frame) const noexcept;

  // Octets came twice with other content, the second time in `frame`.
  void add_conflict(const stream::Conflict& conflict, FrameNumber frame);
  // … and were read.
  void settle_conflict();
  void settle_all_conflicts() { settle_conflicts(0, ~StreamOffset{0}, false); }

  [[nodiscard]] const mpa::Framer& framer() const noexcept { return framer_; }
  void expect_reply(bool may_come) noexcept { framer_.expect_reply(may_come); }
  [[nodiscard]] const SpanMap& spans() const noexcept { return spans_; }
  // Octets pushed since FPDUs were last sought.
  [[nodiscard]] std::uint64_t sought() const noexcept { return sought_; }
  // Its octets end inside an FPDU, as far as they were read …
  [[nodiscard]] bool inside_fpdu() const noexcept { return framing() && framer_.inside_fpdu(); }
  // It is known where FPDUs begin.
  [[nodiscard]] bool synchronized() const noexcept { return framing() && framer_.synchronized(); }
  // No FPDU is open for certain: here a direction may end.
  [[nodiscard]] bool between_fpdus() const noexcept {
    return framer_.synchronized() && !framer_.inside_fpdu();
  }
  // … or seem to: framing is not certain.
  [[nodiscard]] bool end_doubtful() const noexcept { return framing() && framer_.end_doubtful(); }
  // … which may be none.
  [[nodiscard]] bool in_doubt() const noexcept { return framing() && framer_.in_doubt(); }
  // See mpa::Framer.
  [[nodiscard]] bool guesses_markers() const noexcept { return framing() && framer_.guesses_markers(); }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [side, log, stream, reception, basis, due, end_reported, origin, sought, framer, spans, overlaps,
           handed_over, ahead] = *this;
    codec(reception, basis, due, end_reported, origin, sought, framer, spans);
    codec.absent(overlaps, ahead);
  }

 private:
  void record(const mpa::FramedFpdu& fpdu, const SpanMap& spans) {
    Delivery delivery;
    if (framer_.doubtful() || framer_.guesses(fpdu)) delivery.doubt = log_.state().side(side_).missing_reason;
    if (ahead_) delivery.number = ahead_->confirm(fpdu, spans.placement(fpdu.begin, fpdu.end));
    record_fpdu(log_, side_, fpdu, spans, origin_, delivery);
  }
  void take_fpdu();
  // Whether another copy of its octets is right. Out of the way of those that are.
  [[gnu::noinline]] bool take_bad_fpdu();
  void take_hole();
  void take_lock();
  void take_marker_use();
  void count_marker_use(Side missing);
  void record_modes();
  void take_doubt();
  [[nodiscard]] std::optional<Reason> doubt_of_framing() const noexcept;
  void record_lost(StreamOffset at, std::uint64_t length, std::optional<Reason> doubt);
  void settle_conflicts(StreamOffset from, StreamOffset upto, bool crc_decided);

  const Side side_;
  ConnectionLog& log_;
  const stream::Reassembler& stream_;
  Reception reception_ = Reception::streaming;
  // Who told the modes: start-up frames that agreed, some that did not, or none that was captured.
  enum class Basis : std::uint8_t {
    agreed,
    not_agreed,
    none
  } basis_ = Basis::none;
  bool due_ = false;
  bool end_reported_ = false;
  StreamOffset origin_ = 0;  // what FpduFact::stream_offset counts from
  std::uint64_t sought_ = 0;
  mpa::Framer framer_;
  SpanMap spans_;
  Overlaps overlaps_;
  Bytes handed_over_;                   // while the framer reads them
  std::unique_ptr<PlacedAhead> ahead_;  // made when first needed
};

}  // namespace iwarp
