// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/direction.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "state/coverage.hpp"

namespace iwarp {

void Direction::seek(const mpa::FramerParameters& parameters, StreamOffset at, mpa::Framer::Loss why) {
  framer_.seek(parameters, at, why);
  basis_ = why == mpa::Framer::Loss::not_agreed ? Basis::not_agreed : Basis::none;
  reception_ = Reception::seeking;
  sought_ = 0;
  end_reported_ = false;
}

void Direction::operate(const mpa::FramerParameters& parameters, StreamOffset at) {
  reception_ = Reception::framing;
  end_reported_ = false;
  const bool told = parameters.markers != Mode::unknown && parameters.crc != Mode::unknown;
  basis_ = told ? Basis::agreed : Basis::none;
  origin_ = at;
  framer_.begin(parameters, at);
  spans_.forget_before(at);
}

void Direction::back_to_streaming() {
  revoke_placed();
  reception_ = Reception::streaming;
  framer_ = mpa::Framer();  // frees what it holds
}

void Direction::push(ByteView octets, bool segment_start) {
  sought_ += octets.size();
  framer_.push(octets, segment_start);
}

void Direction::hand_over(ByteView octets) {
  handed_over_.assign(octets.begin(), octets.end());
  framer_.push(handed_over_, false);
  due_ = true;
}

bool Direction::push_absent(std::uint64_t length) {
  due_ = true;
  return framer_.push_absent(length);
}

void Direction::place_ahead(const stream::Chunk& chunk) {
  if (!synchronized() && !seeking_behind_hole()) return;
  if (framer_.parameters().markers == Mode::unknown) return;
  // Without CRC what is sure must be the framing itself.
  if (framer_.end_doubtful() && framer_.parameters().crc == Mode::off) return;
  if (!ahead_) ahead_ = std::make_unique<PlacedAhead>(log_, side_);
  if (synchronized() && chunk.offset == stream_.next_offset()) {
    const std::optional<ByteView> open = framer_.open();
    if (!open) return;
    ahead_->go_on(framer_.position(), *open, spans_);
  }
  ahead_->take(chunk, framer_.parameters(), origin_);
}

std::optional<FpduFact> Direction::begun_in(FrameNumber frame) const noexcept {
  if (const auto open = framer_.open_fpdu()) {
    const FpduFact fact = fact_of_begun(*open, spans_, origin_);
    if (fact.first_frame == frame) return fact;
  }
  return ahead_ ? ahead_->begun_in(frame, framer_.parameters(), origin_) : std::nullopt;
}

void Direction::finish() {
  framer_.finish();
  due_ = true;
}

bool Direction::run() {
  due_ = false;
  for (;;) {
    switch (framer_.poll()) {
      case mpa::Framer::Output::none:
        if (framer_.synchronized()) log_.coverage().note_read(side_, stream_.next_offset());
        if (ahead_ && !ahead_->empty()) {
          ahead_->settle(framer_.position(),
                         framer_.synchronized() ? stream_.next_offset() : framer_.position());
        }
        return true;
      case mpa::Framer::Output::fpdu: take_fpdu(); break;
      case mpa::Framer::Output::hole: take_hole(); break;
      case mpa::Framer::Output::locked: take_lock(); break;
      case mpa::Framer::Output::doubted: take_doubt(); break;
      case mpa::Framer::Output::marker_use: take_marker_use(); break;
      case mpa::Framer::Output::startup: return false;
    }
  }
}

void Direction::take_fpdu() {
  const mpa::FramedFpdu& fpdu = framer_.fpdu();
  bool bettered = false;
  if (fpdu.crc == CrcStatus::bad) {
    bettered = take_bad_fpdu();
  } else {
    record(fpdu);
  }
  if (fpdu.crc == CrcStatus::good && framer_.parameters().crc == Mode::unknown) {
    framer_.set_crc(Mode::on);
    record_modes();
  }
  settle_conflicts(fpdu.begin, framer_.position(), bettered);
  spans_.forget_before(framer_.position());
}

bool Direction::take_bad_fpdu() {
  const mpa::FramedFpdu& fpdu = framer_.fpdu();
  const auto better = Overlaps::better(fpdu, framer_.parameters(), spans_, stream_.alternates());
  if (!better) overlaps_.keep_bad(fpdu, framer_.parameters(), spans_);
  better ? record(better->fpdu, better->spans) : record(fpdu);
  return better.has_value();
}

// The gap was told when it came, before the FPDUs that stand before it.
void Direction::take_hole() {
  const mpa::Framer::Hole& hole = framer_.hole();
  Event event = log_.make(EventKind::gap, side_, hole.begin);
  GapFact gap;
  gap.length = hole.length;
  gap.cause =
      log_.state().side(side_).missing_reason == Reason::snaplen ? GapCause::snaplen : GapCause::uncaptured;
  gap.restated = true;
  std::construct_at(&event.gap, gap);
  log_.fact(event);
}

void Direction::take_lock() {
  const mpa::Synchronizer::Lock& lock = framer_.lock();
  const bool first = !framing();
  reception_ = Reception::framing;
  if (framer_.why() == mpa::Framer::Loss::nonsense) {
    const Reason missing = log_.state().side(side_).missing_reason;
    if (lock.skipped == 0) {  // an FPDU with a strange header, but one
      if (lock.good == 0 && lock.absent)
        log_.count_undecidable(side_, lock.begin, CheckId::mpa_sync, missing);
      return;
    }
    // A single FPDU inside another at the very end may be stored in its payload.
    const bool single = lock.inside && framer_.finished() && lock.good == 1;
    record_lost(framer_.lost_at(), lock.skipped,
                single ? std::optional(Reason::capture_end) : doubt_of_framing());
  }
  if (first) count_marker_use(side_);
  const bool after_gap = framer_.why() == mpa::Framer::Loss::gap;
  if (after_gap && lock.skipped > 0) {  // the rest of an FPDU that lay in the hole, or none
    log_.count_undecidable(side_, lock.begin, CheckId::mpa_sync, log_.state().side(side_).missing_reason);
  }
  Event event = log_.make(EventKind::locked, side_, lock.begin);
  LockedFact fact;
  fact.markers = lock.parameters.markers;
  fact.crc = lock.parameters.crc;
  fact.inferred = lock.inferred && basis_ != Basis::not_agreed;
  fact.first = first;
  fact.chained = lock.chained;
  fact.after_gap = after_gap;
  fact.skipped = lock.skipped;
  std::construct_at(&event.locked, fact);
  log_.fact(event);
  spans_.forget_before(lock.begin);
}

void Direction::take_marker_use() {
  const bool present = framer_.parameters().markers == Mode::on;
  if (basis_ == Basis::agreed) {
    const auto phrase = [](bool used) {
      return static_cast<std::uint64_t>(used ? Phrase::present : Phrase::absent);
    };
    log_.finding(side_, framer_.position(), CheckId::mpa_mkuse, {phrase(present), phrase(!present)});
  } else {
    count_marker_use(other(side_));
  }
  record_modes();
}

// Markers or none, without the frame of `missing` that shows where they stand, or asks for them.
void Direction::count_marker_use(Side missing) {
  const Reason reason =
      basis_ == Basis::not_agreed ? Reason::mode_unknown : reason_of_missing(log_.state(), missing);
  log_.count_undecidable(side_, framer_.position(), CheckId::mpa_mkuse, reason);
}

void Direction::record_modes() {
  Event event = log_.make(EventKind::locked, side_, framer_.position());
  LockedFact fact;
  fact.markers = framer_.parameters().markers;
  fact.crc = framer_.parameters().crc;
  fact.inferred = basis_ == Basis::none;
  std::construct_at(&event.locked, fact);
  log_.fact(event);
}

// An FPDU is open that may be none: until that is settled, what else of this side is in it nobody knows.
void Direction::take_doubt() {
  Event event = log_.make(EventKind::sync_lost, side_, framer_.position());
  std::construct_at(&event.sync_lost, SyncLostFact{framer_.open_octets(), true, {}});
  log_.fact(event);
}

// Framing that was lost may never have been that of the stream.
std::optional<Reason> Direction::doubt_of_framing() const noexcept {
  if (!framer_.lost_unconfirmed()) return std::nullopt;
  return log_.state().side(side_).missing_reason;
}

// `doubt`: why it is not certain that the octets are no FPDU.
void Direction::record_lost(StreamOffset at, std::uint64_t length, std::optional<Reason> doubt) {
  Event event = log_.make(EventKind::sync_lost, side_, at);
  std::construct_at(&event.sync_lost, SyncLostFact{length, false, log_.pieces(spans_, at, at + length)});
  log_.fact(event);
  if (basis_ == Basis::none) doubt = Reason::midstream;
  if (basis_ == Basis::not_agreed) doubt = Reason::mode_unknown;
  // It lies where the first octet does that is none of an FPDU, wherever that was found out.
  const StreamSpan* const first = spans_.find(at);
  Culprit culprit;
  if (first != nullptr) culprit.placed = first->placement();
  log_.verdict(side_, at, CheckId::mpa_sync, doubt, {from_origin(at), length}, {}, culprit);
}

void Direction::tell_end(bool by_sender) {
  if (std::exchange(end_reported_, true)) return;
  if (framer_.inside_fpdu()) {
    if (by_sender) return;  // MPA-CUT
    if (framer_.parameters().crc == Mode::on) {
      log_.count_undecidable(side_, framer_.position(), CheckId::mpa_crc, Reason::capture_end);
    }
    if (framer_.in_doubt()) {
      log_.count_undecidable(side_, framer_.position(), CheckId::mpa_sync, Reason::capture_end);
    }
    return;
  }
  const bool nonsense = !framer_.synchronized() && framer_.why() == mpa::Framer::Loss::nonsense;
  if (!nonsense || framer_.unframed() == 0) return;
  bool absent = false;
  std::optional<Reason> doubt = doubt_of_framing();
  if (framer_.unframed_undecided(absent)) {
    if (!by_sender) doubt = Reason::capture_end;
    if (absent) doubt = log_.state().side(side_).missing_reason;
  }
  record_lost(framer_.lost_at(), framer_.unframed(), doubt);
}

void Direction::add_conflict(const stream::Conflict& conflict, FrameNumber frame) {
  if (overlaps_.conflicts_full()) settle_all_conflicts();
  overlaps_.add_conflict(conflict, frame);
}

void Direction::settle_conflict() {
  bool recovered = false;
  while (const auto better = overlaps_.recover(stream_.alternates())) {
    record_fpdu(log_, side_, better->fpdu, better->spans, origin_, {.recovered = true});
    recovered = true;
  }
  settle_conflicts(0, framed() ? framer_.position() : stream_.next_offset(), recovered);
}

void Direction::settle_conflicts(StreamOffset from, StreamOffset upto, bool crc_decided) {
  if (overlaps_.has_conflicts()) overlaps_.settle(log_, side_, origin_, from, upto, crc_decided);
}

}  // namespace iwarp
