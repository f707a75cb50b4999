// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/framer.hpp"

#include <algorithm>
#include <cstring>

#include "mpa/own_marker.hpp"

namespace iwarp::mpa {
namespace {

// Octets that show whether the first FPDU carries markers: a leading marker, ULPDU_Length, and a header's ten.
constexpr std::size_t first_look = wire::marker_size + wire::length_field_size + 10;

bool is_startup_key(ByteView octets) noexcept {
  return octets.size() >= wire::startup_key_size &&
         (std::memcmp(octets.data(), wire::request_key, wire::startup_key_size) == 0 ||
          std::memcmp(octets.data(), wire::reply_key, wire::startup_key_size) == 0);
}

}  // namespace

void Framer::begin(const FramerParameters& parameters, StreamOffset at) {
  *this = Framer();
  parameters_ = parameters;
  at_ = at;
  first_ = true;
}

void Framer::seek(const FramerParameters& parameters, StreamOffset at, bool known_stream) {
  *this = Framer();
  parameters_ = parameters;
  at_ = at;
  first_ = !known_stream;
  joined_ = !known_stream;
  lose(known_stream ? Loss::gap : Loss::start_missing, at, false);
}

void Framer::push(ByteView octets, bool segment_start) {
  input_ = octets;
  input_segment_start_ = segment_start;
  if (lost_) {
    synchronizer_->push(octets, segment_start);
    input_ = {};
  }
}

bool Framer::push_absent(std::uint64_t length) {
  if (lost_) {
    synchronizer_->push_absent(length);
    return false;
  }
  if (carry_done_) {
    carry_.clear();
    carry_done_ = false;
  }
  std::uint16_t ulpdu_length = 0;
  const bool known = !carry_.empty() && read_ulpdu_length(parameters_, at_, ByteView(carry_).first(
                                            carry_cut_ ? carry_present_ : carry_.size()), ulpdu_length);
  if (!known) {
    const StreamOffset behind = at_ + carry_.size() + length;
    carry_.clear();
    lose(Loss::gap, behind, false);
    return false;
  }
  const std::uint32_t size = wire_size(parameters_, at_, ulpdu_length);
  if (!carry_cut_) carry_present_ = carry_.size();
  carry_cut_ = true;
  const std::uint64_t missing = size - carry_.size();
  if (length < missing) {
    carry_.resize(carry_.size() + static_cast<std::size_t>(length));
    return true;
  }
  finish_cut(ulpdu_length, size);
  if (length > missing) {
    relost_ = true;
    relost_at_ = at_ + (length - missing);
    return false;
  }
  return true;
}

// The FPDU at at_ is complete but for absent octets.
void Framer::finish_cut(std::uint16_t length, std::uint32_t size) {
  fpdu_.begin = at_;
  fpdu_.end = at_ + size;
  fpdu_.ulpdu_length = length;
  fpdu_.markers = 0;
  fpdu_.marker_faults = 0;
  fpdu_.pad = 0;
  fpdu_.crc = parameters_.crc == Mode::off ? CrcStatus::unused : CrcStatus::undecidable;
  fpdu_.crc_field = fpdu_.crc_computed = 0;
  fpdu_.cut = true;
  fpdu_.wire = {};
  fpdu_.header_octets = copy_header(parameters_, at_, ByteView(carry_).first(carry_present_),
                                    std::min<std::uint32_t>(length, max_header), fpdu_.header.data());
  carry_.clear();
  carry_cut_ = false;
  at_ = fpdu_.end;
  note_unmarked();
  first_ = false;
  cut_ready_ = true;
}

void Framer::lose(Loss why, StreamOffset at, bool doubted) {
  if (!synchronizer_) synchronizer_ = std::make_unique<Synchronizer>();
  const bool doubtful = joined_ && why == Loss::nonsense;  // what was found may not have been the stream
  const bool known_stream = why != Loss::start_missing && !first_ && !doubtful;
  if (doubtful) {
    parameters_.markers = Mode::unknown;
    if (parameters_.crc == Mode::off) parameters_.crc = Mode::unknown;
  }
  if (guessed_) parameters_.markers = Mode::unknown;
  synchronizer_->start(at, parameters_, known_stream, doubted);
  if (guessed_ && doubted) synchronizer_->expect_marker(farthest_marker(), false);
  lost_ = true;
  loss_ = why;
  lost_at_ = at;
  at_ = at;
}

Framer::Output Framer::poll() {
  if (cut_ready_) {
    cut_ready_ = false;
    if (relost_) {
      relost_ = false;
      lose(Loss::gap, relost_at_, false);
    }
    return Output::fpdu;
  }
  if (carry_done_) {
    carry_.clear();
    carry_done_ = false;
  }
  do {
    const Output output = cut_ready_ ? poll() : lost_ ? poll_lost() : poll_synchronized();
    if (output != Output::none) return output;
  } while (feed_replay());
  return Output::none;
}

// Pushes the next piece of what a search had gathered when it found framing.
bool Framer::feed_replay() {
  if (!replayed_) return false;
  if (replay_at_ >= replayed_->end_offset()) {
    replayed_.reset();
    return false;
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

// Moves input to carry_ until it holds `size` octets or the input is used up.
void Framer::gather(std::size_t size) {
  const std::size_t count = std::min(size - carry_.size(), input_.size());
  carry_.insert(carry_.end(), input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(count));
  input_ = input_.subspan(count);
}

Framer::Output Framer::poll_synchronized() {
  while (!input_.empty()) {
    if (carry_.empty()) {
      if (first_) {
        const Output output = check_first(input_);
        if (output != Output::fpdu) return output;
      }
      std::uint16_t length = 0;
      if (read_ulpdu_length(parameters_, at_, input_, length)) {
        const std::uint32_t size = wire_size(parameters_, at_, length);
        if (input_.size() >= size) {
          const ByteView octets = input_.first(size);
          input_ = input_.subspan(size);
          return take(octets, length, input_);
        }
        if (input_[0] == wire::request_key[0] && is_startup_key(input_)) return Output::startup;
      }
      carry_.assign(input_.begin(), input_.end());
      input_ = {};
    } else {
      if (first_ && carry_.size() < first_look) {
        gather(first_look);
        const Output output = check_first(carry_);
        if (output != Output::fpdu) return output;
      }
      std::uint16_t length = 0;
      if (!read_ulpdu_length(parameters_, at_, carry_, length)) {
        gather(wire::marker_size + wire::length_field_size);
        if (!read_ulpdu_length(parameters_, at_, carry_, length)) return Output::none;
      }
      const std::uint32_t size = wire_size(parameters_, at_, length);
      if (carry_.size() <= size) gather(size);
      if (carry_.size() >= size) {
        if (carry_.size() > size) {  // a short FPDU behind a long first look: go on from what is left
          Bytes left(carry_.begin() + static_cast<std::ptrdiff_t>(size), carry_.end());
          carry_.resize(size);
          const Output output = take(carry_, length, left);
          if (output == Output::fpdu) {
            fpdu_.wire = {};
            carry_ = std::move(left);
          }
          return output;
        }
        if (carry_cut_) {
          finish_cut(length, size);
          cut_ready_ = false;
          return Output::fpdu;
        }
        carry_done_ = true;
        return take(carry_, length, input_);
      }
    }
    // An FPDU that is not complete: a header that cannot be one is not waited for.
    const bool believed = believed_ && at_ == believed_at_;
    if (carry_.size() >= first_look && !carry_cut_ && !believed && !plausible_at(parameters_, at_, carry_)) {
      if (is_startup_key(carry_)) return Output::startup;
      const bool key_may_come = carry_.size() < wire::startup_key_size;
      if (!key_may_come) {
        lose(Loss::nonsense, at_, true);
        synchronizer_->push(carry_, input_segment_start_);
        carry_.clear();
        return poll_lost();
      }
    }
  }
  return Output::none;
}

// Looks whether the first octets carry markers as announced. Output::fpdu: go on.
Framer::Output Framer::check_first(ByteView octets) {
  FramerParameters other_way = parameters_;
  other_way.markers = parameters_.markers == Mode::on ? Mode::off : Mode::on;
  if (octets.size() >= wire::marker_size) {
    // A marked direction begins with the marker 0000 0000; an unmarked one never does (ULPDU_Length >= 14).
    const bool begins_with_marker = load_be32(octets.data()) == 0 && parameters_.phase(at_) == 0;
    if (begins_with_marker == (parameters_.markers == Mode::on)) return Output::fpdu;
  }
  if (octets.size() < first_look) {
    if (final_) return Output::fpdu;
    if (carry_.empty()) {
      carry_.assign(input_.begin(), input_.end());
      input_ = {};
    }
    return Output::none;
  }
  if (plausible_at(other_way, at_, octets) && !plausible_at(parameters_, at_, octets)) {
    parameters_.markers = other_way.markers;
    return Output::marker_use;
  }
  return Output::fpdu;
}

// An FPDU of `octets` is there in full, `behind` are those that follow as far as they came.
Framer::Output Framer::take(ByteView octets, std::uint16_t length, ByteView behind) {
  examine(parameters_, at_, octets, length, fpdu_);
  const bool believed = fpdu_.crc == CrcStatus::good || believable(behind);
  if (!believed || may_be_marked(octets)) {
    if (is_startup_key(octets)) {
      // Octets that were taken for one FPDU are a start-up frame.
      if (!carry_done_) input_ = ByteView(octets.data(), octets.size() + behind.size());
      carry_done_ = false;
      return Output::startup;
    }
    Bytes all(octets.begin(), octets.end());
    const StreamOffset at = at_;
    lose(Loss::nonsense, at, true);
    if (believed) synchronizer_->expect_marker(farthest_marker(), true);
    synchronizer_->push(all, true);
    synchronizer_->push(behind, false);
    if (behind.data() != input_.data()) synchronizer_->push(input_, false);
    carry_.clear();
    carry_done_ = false;
    input_ = {};
    return poll_lost();
  }
  at_ = fpdu_.end;
  note_unmarked();
  first_ = false;
  return Output::fpdu;
}

// A stream that was joined is followed as unmarked, and FPDUs bear that out: how far behind the beginning of the next
// one its first marker can stand, if it is a marked stream all the same.
std::uint32_t Framer::farthest_marker() const noexcept {
  return farthest_first_marker - static_cast<std::uint32_t>(at_ - unmarked_from_);
}

// Whether the FPDU of `octets`, whose CRC is wrong, is to be looked at again as one of a marked stream.
bool Framer::may_be_marked(ByteView octets) const noexcept {
  if (!guessed_ || fpdu_.crc == CrcStatus::good || (believed_ && at_ == believed_at_)) return false;
  return own_marker(octets, 0, farthest_marker()).has_value();
}

// fpdu_ was taken: no marker stands in it if its CRC is right.
void Framer::note_unmarked() noexcept {
  if (fpdu_.crc != CrcStatus::good) unmarked_from_ = fpdu_.end;
  if (fpdu_.end - unmarked_from_ >= wire::marker_interval) guessed_ = false;
}

// Without a right CRC: by its own header, or by the one behind it.
bool Framer::believable(ByteView behind) const noexcept {
  if (believed_ && fpdu_.begin == believed_at_) return true;
  // In a stream joined on the way the framing itself is in doubt: a wrong CRC before octets that are no header
  // tells that it was that of another stream, stored in a payload.
  if (joined_ && fpdu_.crc == CrcStatus::bad && behind.size() >= first_look &&
      !plausible_at(parameters_, fpdu_.end, behind)) {
    return false;
  }
  if (plausible(parameters_, fpdu_.ulpdu_length, fpdu_.header.data(), fpdu_.header_octets)) return true;
  if (behind.empty()) return true;  // it ends where its TCP segment ends
  return plausible_at(parameters_, fpdu_.end, behind);
}

Framer::Output Framer::poll_lost() {
  const std::optional<Synchronizer::Lock> found = synchronizer_->try_lock(final_ && !replayed_);
  if (!found) return Output::none;
  lock_ = *found;
  // Nothing was lost: the FPDU that did not fit is the first one with a marker.
  const bool marked_after_all =
      guessed_ && loss_ == Loss::nonsense && lock_.skipped == 0 && lock_.parameters.markers == Mode::on;
  guessed_ = parameters_.markers == Mode::unknown && lock_.parameters.markers == Mode::off &&
             lock_.parameters.crc == Mode::on;
  unmarked_from_ = lock_.begin;
  parameters_ = found->parameters;
  lost_ = false;
  at_ = found->begin;
  believed_ = true;
  believed_at_ = at_;
  carry_.clear();
  carry_cut_ = false;
  // What the search gathered is framed next. While a replay is under way, its rest comes behind that.
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
  return marked_after_all ? Output::marker_use : Output::locked;
}

}  // namespace iwarp::mpa
