// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/synchronizer.hpp"

#include <algorithm>

namespace iwarp::mpa {

void Synchronizer::start(StreamOffset at, const FramerParameters& parameters, bool known_stream,
                         bool doubted) {
  clear();
  parameters_ = parameters;
  known_stream_ = known_stream;
  doubted_ = doubted;
  undecided_ = false;
  relapsed_ = doubted && !known_stream;
  start_ = base_ = scan_ = marked_scan_ = at;
  doubted_path_ = Path{.begin = at};
  expects_marker_ = false;
  new_border_ = false;
}

void Synchronizer::clear() noexcept {
  octets_.clear();
  holes_.clear();
  boundaries_.clear();
  borders_.clear();
  pending_.clear();
  forget_tries();
}

// What candidates waited for may be there: the window begins elsewhere, or the parameters are others.
void Synchronizer::forget_tries() noexcept {
  waits_ = {};
  marked_needs_ = 0;
  crcs_.clear();
  dead_.clear();
  led_.clear();
  phases_.clear();
  unmarked_ = false;
  searched_ = 0;
}

// What candidates waited for will not come.
void Synchronizer::wake_all() noexcept {
  for (Waiting& waiting : pending_) {
    if (waiting.path) waiting.path->needs = 0;
  }
  for (Phase& phase : phases_) {
    if (phase.path.has_value()) phase.path.edit().needs = 0;
  }
  doubted_path_.needs = waits_.needs = marked_needs_ = 0;
}

void Synchronizer::learn(Mode markers, Mode crc) noexcept {
  if (parameters_.markers == Mode::unknown) parameters_.markers = markers;
  if (parameters_.crc == Mode::unknown) parameters_.crc = crc;
  for (Waiting& waiting : pending_) waiting.path.reset();
  doubted_path_ = Path{.begin = start_};
  forget_tries();
}

void Synchronizer::push(ByteView octets, bool segment_start) {
  if (segment_start && (boundaries_.empty() || boundaries_.back() < end_offset())) {
    boundaries_.push_back(end_offset());
    borders_.add(octets_.size());
    new_border_ = true;
  }
  octets_.insert(octets_.end(), octets.begin(), octets.end());
  trim();
}

void Synchronizer::push_absent(std::uint64_t length) {
  if (length >= window) {  // nothing before it can lead beyond it
    const StreamOffset behind = end_offset() + length;
    clear();
    base_ = scan_ = behind;
    doubted_ = false;
    return;
  }
  holes_.push_back({end_offset(), end_offset() + length});
  octets_.resize(octets_.size() + length);
  wake_all();
  trim();
}

void Synchronizer::trim() {
  if (octets_.size() <= window) return;
  const std::size_t dropped = octets_.size() - window / 2;
  octets_.erase(octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(dropped));
  base_ += dropped;
  scan_ = std::max(scan_, base_);
  doubted_ = false;
  std::erase_if(holes_, [this](const Hole& hole) { return hole.end <= base_; });
  std::erase_if(boundaries_, [this](StreamOffset at) { return at < base_; });
  borders_.clear();
  for (const StreamOffset at : boundaries_) borders_.add(static_cast<std::size_t>(at - base_));
  pending_.erase_if([this](const Waiting& waiting) { return waiting.begin < base_; });
  forget_tries();
}

ByteView Synchronizer::present_before_hole(StreamOffset at) const noexcept {
  const ByteView octets = octets_from(at);
  const auto hole =
      std::upper_bound(holes_.begin(), holes_.end(), at,
                       [](StreamOffset offset, const Hole& candidate) { return offset < candidate.end; });
  if (hole == holes_.end()) return octets;
  if (hole->begin <= at) return {};
  return octets.first(std::min<std::size_t>(octets.size(), static_cast<std::size_t>(hole->begin - at)));
}

const Synchronizer::Hole* Synchronizer::hole_at(StreamOffset at) const noexcept {
  if (holes_.empty() || holes_.back().end <= at) return nullptr;
  const auto hole =
      std::upper_bound(holes_.begin(), holes_.end(), at,
                       [](StreamOffset offset, const Hole& candidate) { return offset < candidate.end; });
  return hole->begin <= at ? &*hole : nullptr;
}

Synchronizer::Piece Synchronizer::piece_at(StreamOffset at) const noexcept {
  Piece piece;
  piece.segment_start = std::binary_search(boundaries_.begin(), boundaries_.end(), at);
  piece.octets = present_from(at);
  if (piece.octets.empty()) {
    if (const Hole* const hole = hole_at(at)) piece.absent = hole->end - at;
    return piece;
  }
  const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), at);
  if (next != boundaries_.end()) {
    piece.octets =
        piece.octets.first(std::min<std::size_t>(piece.octets.size(), static_cast<std::size_t>(*next - at)));
  }
  return piece;
}

bool Synchronizer::boundary_between(StreamOffset begin, StreamOffset end) const noexcept {
  const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), begin);
  return next != boundaries_.end() && *next < end;
}

Synchronizer::Lock Synchronizer::make_lock(StreamOffset at, const FramerParameters& parameters,
                                           const Chain& chain) const noexcept {
  Lock lock;
  lock.begin = at;
  lock.parameters = parameters;
  lock.inferred = parameters_.crc == Mode::unknown || parameters_.markers == Mode::unknown;
  if (lock.parameters.markers == Mode::unknown) lock.parameters.markers = Mode::off;
  // A known stream's few FPDUs do not show that nobody uses CRC, nor do FPDUs that were cut.
  if (lock.parameters.crc == Mode::unknown && chain.good > 0) lock.parameters.crc = Mode::on;
  if (lock.parameters.crc == Mode::unknown && !known_stream_ && chain.whole > 0)
    lock.parameters.crc = Mode::off;
  lock.chained = static_cast<std::uint8_t>(std::min<std::uint32_t>(chain.headers, 255));
  lock.good = static_cast<std::uint8_t>(std::min<std::uint32_t>(chain.good, 255));
  lock.pointers = static_cast<std::uint8_t>(std::min<std::uint32_t>(chain.pointers, 255));
  lock.absent = has_absent();
  lock.skipped = at - start_;
  return lock;
}

std::optional<Synchronizer::Lock> Synchronizer::try_lock(bool final) {
  if (octets_.empty()) return std::nullopt;
  Lock expected;
  switch (look_for_expected(final, expected)) {
    case Verdict::yes: return expected;
    case Verdict::wait: return std::nullopt;
    case Verdict::no: break;
  }
  FramerParameters parameters = parameters_;
  if (parameters.markers == Mode::unknown) parameters.markers = Mode::off;
  std::optional<Lock> lock = scan(parameters, final);
  if (!lock && final && known_stream_) {
    last_resort_ = true;
    lock = scan(parameters, final);
    last_resort_ = false;
  }
  new_border_ = false;
  if (parameters_.markers != Mode::unknown) return lock;
  Lock marked;
  const Verdict verdict = marked_at_segment(final, marked);
  if (verdict == Verdict::yes && (!lock || marked.begin < lock->begin)) return marked;
  if (verdict == Verdict::wait && final) return lock;
  if (verdict == Verdict::wait && lock && marked_scan_ < lock->begin) return std::nullopt;
  return lock ? lock : search_markers(final);
}

}  // namespace iwarp::mpa
