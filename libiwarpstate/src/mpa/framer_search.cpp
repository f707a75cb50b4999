// Framer, the part that has lost framing: what it hands to a Synchronizer, and what it does with its answer.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "mpa/framer.hpp"

namespace iwarp::mpa {

void Framer::lose(Loss why, StreamOffset at, bool doubted) {
  if (!synchronizer_) synchronizer_ = std::make_unique<Synchronizer>();
  const bool doubtful = joined_ && why == Loss::nonsense;  // what was found may not have been the stream
  // Start-up frames agreed on it, even if its first FPDUs were not captured.
  const bool known_stream = why == Loss::gap || (why != Loss::start_missing && !first_ && !doubtful);
  lost_crc_ = parameters_.crc;
  if (doubtful) {
    parameters_.markers = Mode::unknown;
    if (parameters_.crc == Mode::off) parameters_.crc = Mode::unknown;
  }
  if (guessed_ || (markers_open_ && first_)) parameters_.markers = Mode::unknown;
  synchronizer_->start(at, parameters_, known_stream, doubted);
  synchronizer_->expect(sequence_);
  lost_unconfirmed_ = !confirmed_ || may_be_stored();
  if (guessed_ && doubted) synchronizer_->expect_marker(farthest_marker(), false);
  lost_ = true;
  loss_ = why;
  lost_at_ = at;
  at_ = at;
}

// What is gathered of the FPDU at at_, and the input behind it, are no FPDUs as they stand.
Framer::Output Framer::lose_open(bool believed) {
  if (open_.inner() > 0 && look_inside(input_)) return give_up_open();
  lose(Loss::nonsense, at_, true);
  if (believed) synchronizer_->expect_marker(farthest_marker(), true);
  open_.push_to(*synchronizer_);
  synchronizer_->push(input_, input_segment_start_);
  open_.clear();
  open_done_ = false;
  input_ = {};
  return poll_lost();
}

Framer::Output Framer::poll_lost() {
  const std::optional<Synchronizer::Lock> found = synchronizer_->try_lock(final_ && !replayed_);
  if (!found) return Output::none;
  // Nothing was lost: the FPDU that did not fit is the first one with a marker.
  const bool marked_after_all =
      guessed_ && loss_ == Loss::nonsense && found->skipped == 0 && found->parameters.markers == Mode::on;
  guessed_ = parameters_.markers == Mode::unknown && found->parameters.markers == Mode::off;
  const bool went_without_crc = loss_ == Loss::nonsense && found->skipped == 0 && lost_crc_ == Mode::off;
  lock_to(*found);
  if (went_without_crc && parameters_.crc == Mode::unknown) parameters_.crc = Mode::off;
  return marked_after_all ? Output::marker_use : Output::locked;
}

// Whether TCP segments inside the open FPDU begin with FPDUs that lead to the end of `behind`, which follows
// it. Then lock_ is where.
bool Framer::look_inside(ByteView behind) {
  auto inside = std::make_unique<Synchronizer>();
  inside->start(at_, parameters_, true, false);
  inside->expect(sequence_);
  open_.push_to(*inside);
  if (!behind.empty()) inside->push(behind, input_segment_start_);
  const std::optional<Synchronizer::Lock> found = inside->lock_at_segment();
  if (!found) return false;
  synchronizer_ = std::move(inside);
  lock_ = *found;
  loss_ = Loss::nonsense;
  lost_at_ = at_;
  lost_unconfirmed_ = !confirmed_ || may_be_stored();
  open_done_ = false;
  input_ = {};
  return true;
}

// The open FPDU is no FPDU, or its ULPDU_Length is wrong. What may be a header is reported, with the octets
// up to the FPDU that is next: the rest are not its own.
Framer::Output Framer::give_up_open() {
  lock_ready_ = tell_unfinished();
  if (lock_ready_) {
    fpdu_.end = std::min(fpdu_.end, lock_.begin);
    return Output::fpdu;
  }
  lock_to(lock_);
  return Output::locked;
}

// What the search gathered is framed next. While a replay is under way, its rest comes behind that.
void Framer::lock_to(Synchronizer::Lock lock) {
  lock_ = lock;
  const bool elsewhere =
      parameters_.markers != Mode::on || parameters_.phase(lock.begin) != lock.parameters.phase(lock.begin);
  if (lock.parameters.markers == Mode::on && elsewhere) {
    markers_refuted_ = markers_refuted_ || markers_open_to_doubt() || lock.tied;
    markers_sought_ = true;
    right_markers_ = lock.pointers < enough_markers ? 0 : enough_markers;  // one is counted again
  }
  parameters_ = lock.parameters;
  confirmed_ = confirmed_ && loss_ != Loss::gap;
  if (!confirmed_) {
    found_at_ = lock.begin;
    tentative_ = sequence_;
    misfit_ = aligned_ = torn_ = false;
    fitting_ = 0;
  }
  lost_ = false;
  at_ = unmarked_from_ = lock.begin;
  believed_ = true;
  believed_at_ = at_;
  open_.clear();
  if (replayed_) {
    for (StreamOffset at = replay_at_; at < replayed_->end_offset();) {
      const Synchronizer::Piece piece = replayed_->piece_at(at);
      if (piece.octets.empty()) {
        synchronizer_->push_absent(piece.absent);
        at += piece.absent;
      } else {
        synchronizer_->push(piece.octets, piece.segment_start);
        at += piece.octets.size();
      }
    }
  }
  replay_at_ = lock_.begin;
  replayed_ = std::move(synchronizer_);
}

// Pushes the next piece of what a search had gathered when it found framing. False when there is nothing to
// poll for.
bool Framer::feed_replay() {
  if (!replayed_) return false;
  if (replay_at_ >= replayed_->end_offset()) {
    if (!synchronizer_ && replayed_->small()) synchronizer_ = std::move(replayed_);
    replayed_.reset();
    return final_;
  }
  const Synchronizer::Piece piece = replayed_->piece_at(replay_at_);
  if (piece.octets.empty()) {
    replay_at_ += piece.absent;
    (void)push_absent(piece.absent);
  } else {
    replay_at_ += piece.octets.size();
    push(piece.octets, piece.segment_start);
  }
  return true;
}

bool Framer::unframed_undecided(bool& absent) const noexcept {
  absent = lost_ && synchronizer_->has_absent();
  return lost_ && synchronizer_->undecided();
}

}  // namespace iwarp::mpa
