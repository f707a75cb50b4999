// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/synchronizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <iwarp/wire/ddp.hpp>

namespace iwarp::mpa {
namespace {

constexpr std::size_t max_pending = 64;
constexpr std::size_t max_segments = 64;  // whose starts lock_at_segment() tries
// In a row, they count as the framing of an unknown stream where no FPDU is aligned to a segment.
constexpr std::uint64_t crossing_octets = 64U << 10U;
constexpr std::uint32_t chain_limit = 64;  // no need to look further

// Octets from the beginning of the FPDU at `at` that hold the first `count` of its length and ULPDU.
std::uint32_t octets_for(const FramerParameters& parameters, StreamOffset at, std::uint32_t count) noexcept {
  if (parameters.markers != Mode::on) return count;
  return wire::marked_position(count - 1, parameters.phase(at)) + 1;
}

// Where the window must end for more of the header at `at` to tell than octets before `end` do.
StreamOffset needed_for_header(const FramerParameters& parameters, StreamOffset at,
                               StreamOffset end) noexcept {
  // ULPDU_Length, which may be none already; both control octets; all that is fixed of an untagged header.
  constexpr std::uint32_t control = 2;
  constexpr std::uint32_t fixed = 10;
  for (std::uint32_t count = wire::length_field_size; count <= wire::length_field_size + fixed;
       count += count == wire::length_field_size ? control : fixed - control) {
    const StreamOffset needed = at + octets_for(parameters, at, count);
    if (needed > end) return needed;
  }
  return end + 1;
}

bool pointers_are_wrong(const FramerParameters& parameters, StreamOffset begin, ByteView octets) noexcept {
  if (parameters.markers != Mode::on) return false;
  FramedFpdu fpdu;
  fpdu.marker_faults = 0;
  for (std::uint32_t at = first_marker(parameters, begin); at + wire::marker_size <= octets.size();
       at += wire::marker_interval) {
    check_marker(octets.data() + at, at, fpdu);
    if ((fpdu.marker_faults & marker_pointer) != 0) return true;
  }
  return false;
}

}  // namespace

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
  pending_needs_ = marked_needs_ = enclosed_until_ = 0;
  pending_needs_border_ = false;
  crcs_.clear();
  dead_.clear();
  led_.clear();
  phases_.clear();
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
  doubted_path_.needs = pending_needs_ = marked_needs_ = 0;
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

ByteView Synchronizer::octets_from(StreamOffset at) const noexcept {
  return ByteView(octets_).subspan(static_cast<std::size_t>(at - base_));
}

// Octets from `at` up to the next hole.
ByteView Synchronizer::present_from(StreamOffset at) const noexcept {
  ByteView octets = octets_from(at);
  const auto hole =
      std::upper_bound(holes_.begin(), holes_.end(), at,
                       [](StreamOffset offset, const Hole& candidate) { return offset < candidate.end; });
  if (hole == holes_.end()) return octets;
  if (hole->begin <= at) return {};
  return octets.first(std::min<std::size_t>(octets.size(), static_cast<std::size_t>(hole->begin - at)));
}

Synchronizer::Piece Synchronizer::piece_at(StreamOffset at) const noexcept {
  Piece piece;
  piece.segment_start = std::binary_search(boundaries_.begin(), boundaries_.end(), at);
  piece.octets = present_from(at);
  if (piece.octets.empty()) {
    const auto hole = std::find_if(holes_.begin(), holes_.end(), [at](const Hole& candidate) {
      return candidate.begin <= at && at < candidate.end;
    });
    if (hole != holes_.end()) piece.absent = hole->end - at;
    return piece;
  }
  const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), at);
  if (next != boundaries_.end()) {
    piece.octets =
        piece.octets.first(std::min<std::size_t>(piece.octets.size(), static_cast<std::size_t>(*next - at)));
  }
  return piece;
}

bool Synchronizer::is_boundary(StreamOffset at) const noexcept {
  return at == end_offset() || (at >= base_ && borders_.has(static_cast<std::size_t>(at - base_)));
}

bool Synchronizer::boundary_inside(StreamOffset begin, StreamOffset end) const noexcept {
  constexpr StreamOffset few = 512;
  if (end - begin <= few)
    return borders_.any(static_cast<std::size_t>(begin + 1 - base_), static_cast<std::size_t>(end - base_));
  const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), begin);
  return next != boundaries_.end() && *next < end;
}

// Whether a plausible FPDU header stands at `at`; `wait` when too few octets are there to tell. Octets that
// are absent are no header. `lenient`: any header with room for its length will do.
Synchronizer::Verdict Synchronizer::header_at(const FramerParameters& parameters, StreamOffset at,
                                              bool lenient, std::uint16_t& length) const noexcept {
  if (at >= end_offset()) return Verdict::wait;
  const ByteView present = present_from(at);
  const bool more_may_come = at + present.size() == end_offset();
  const Verdict too_short = more_may_come ? Verdict::wait : Verdict::no;
  if (!read_ulpdu_length(parameters, at, present, length)) return too_short;
  if (lenient) return Verdict::yes;
  std::array<Byte, wire::untagged_header_size> header;
  const std::uint32_t wanted = std::min<std::uint32_t>(length, wire::untagged_header_size);
  const std::uint32_t copied = copy_header(parameters, at, present, wanted, header.data());
  if (plausible(parameters, length, header.data(), copied)) return Verdict::yes;
  // The first two octets alone often refuse it; fewer than ten leave an untagged one open.
  if (copied >= std::min<std::uint32_t>(wanted, 10)) return Verdict::no;
  if (copied >= 2) {
    std::fill(header.begin() + copied, header.end(), Byte{0});
    store_be32(header.data() + 6, wire::queue_of(static_cast<wire::Opcode>(header[1] & 0x0fU)));
    if (!plausible(parameters, length, header.data(), 10)) return Verdict::no;
  }
  return too_short;
}

// Whether the markers between `begin` and `end`, an FPDU, point to its beginning, as far as they are there.
// Adds to `pointers` those that are no zeros.
bool Synchronizer::markers_fit(const FramerParameters& parameters, StreamOffset begin, StreamOffset end,
                               std::uint32_t& pointers) const noexcept {
  end = std::min(end, end_offset());
  std::uint32_t distance = (wire::marker_interval - parameters.phase(begin)) % wire::marker_interval;
  for (; begin + distance < end; distance += wire::marker_interval) {
    const ByteView marker = present_from(begin + distance);
    if (marker.size() < wire::marker_size) continue;
    const std::uint16_t expected = wire::fpdu_pointer(distance);
    if (wire::masked_fpdu_pointer(load_be16(marker.data() + 2)) != expected) return false;
    if (expected != 0) ++pointers;
  }
  return true;
}

// `sequence`: as the chain before the FPDU from `at` to `end` has it. One that goes on where another stream
// was joined fits that, but not the one before the hole.
void Synchronizer::judge_sequence(const FramerParameters& parameters, StreamOffset at, StreamOffset end,
                                  Sequence& sequence, Chain& chain) const noexcept {
  std::array<Byte, wire::untagged_header_size> header;
  const ByteView present = present_from(at);
  std::uint32_t copied = copy_header(parameters, at, present, 1, header.data());
  constexpr Byte tagged = 0x80;
  if (copied > 0 && (header[0] & tagged) != 0)
    return sequence.take(at, end, header.data(), copied);  // no MSN
  copied = copy_header(parameters, at, present, wire::untagged_header_size, header.data());
  const std::array fits{sequence_.judge(at, header.data(), copied),
                        sequence.judge(at, header.data(), copied)};
  if (std::find(fits.begin(), fits.end(), Sequence::Fit::contradicts) != fits.end()) {
    ++chain.unfit;
  } else if (fits[1] == Sequence::Fit::fits) {
    ++chain.fitting;
  }
  sequence.take(at, end, header.data(), copied);
}

bool Synchronizer::has_right_crc(StreamOffset begin, StreamOffset end) {
  const auto field = static_cast<std::size_t>(end - base_) - wire::crc_size;
  return load_le32(octets_.data() + field) ==
         crcs_.of(octets_, static_cast<std::size_t>(begin - base_), field);
}

// What the FPDU from `at` to `end`, whose header is one, adds to the chain before it.
void Synchronizer::add_to(Chain& chain, Sequence& sequence, const FramerParameters& parameters,
                          StreamOffset at, StreamOffset end) {
  judge_sequence(parameters, at, end, sequence, chain);
  const bool by_markers = parameters.markers == Mode::on && parameters.crc != Mode::on;
  chain.broken = by_markers && chain.good == 0 && !markers_fit(parameters, at, end, chain.pointers);
  if (chain.broken) return;
  if (end > end_offset()) {
    ++chain.headers;
    chain.crosses = chain.crosses || boundary_inside(at, end_offset());
    return;
  }
  const ByteView present = present_from(at);
  if (present.size() >= end - at) {
    ++chain.whole;
    const ByteView octets = present.first(static_cast<std::size_t>(end - at));
    if (has_right_crc(at, end)) {  // evidence, whether CRC is in use or not
      ++chain.good;
      chain.misled = chain.misled || pointers_are_wrong(parameters, at, octets);
    } else {
      chain.broken = parameters.crc == Mode::on || pointers_are_wrong(parameters, at, octets);
      if (chain.broken) return;
    }
  }
  ++chain.headers;
  chain.on_boundary = chain.on_boundary || is_boundary(end);
  chain.crosses = chain.crosses || boundary_inside(at, end);
  chain.end = end;
}

// Goes on with the path as far as octets are there. An FPDU that ends where they do, or behind, is in the
// chain that is returned, but not in the path's: what comes next may begin a segment or not.
Synchronizer::Chain Synchronizer::follow(const FramerParameters& parameters, Path& path, bool lenient,
                                         Avoid avoid) {
  if (!path.followed) {
    path.at = path.chain.end = path.begin;
    path.sequence = sequence_;
    path.followed = true;
    path.at_border = is_boundary(path.begin);
  }
  Chain& known = path.chain;
  std::array<StreamOffset, chain_limit> passed;
  std::size_t passed_count = 0;
  path.needs_border = false;
  while (!path.ended) {
    ++steps_;
    path.ended = known.headers >= chain_limit;
    if (path.ended) break;
    const StreamOffset at = path.at;
    const bool any_header = lenient && known.headers == 0;
    const bool may_be_dead = avoid == Avoid::dead && known.good == 0 && !any_header;
    if (may_be_dead && dead_.has(static_cast<std::size_t>(at - base_))) {
      known.broken = path.ended = true;
      break;
    }
    std::uint16_t length = 0;
    const Verdict header = header_at(parameters, at, any_header, length);
    if (header == Verdict::wait) {
      const bool any_octet =
          any_header || length < wire::tagged_header_size;  // … is no header's, if it is there
      path.needs = any_octet ? end_offset() + 1 : needed_for_header(parameters, at, end_offset());
      return known;
    }
    if (header == Verdict::no) {
      // Behind an absent header nothing can be said against the chain.
      known.broken = !present_from(at).empty();
      path.ended = true;
      break;
    }
    if (may_be_dead) passed[passed_count++] = at;
    const StreamOffset end = at + wire_size(parameters, at, length);
    if (known.headers == 0) known.first_end = end;
    if (end < end_offset()) {
      add_to(known, path.sequence, parameters, at, end);
      path.ended = known.broken;
      path.at = end;
      if (path.leads && !path.ended) led_.add(static_cast<std::size_t>(end - base_));
      continue;
    }
    Chain open = known;
    Sequence sequence = path.sequence;
    add_to(open, sequence, parameters, at, end);
    if (open.broken) {
      known = open;
      path.ended = true;
      break;
    }
    const StreamOffset header_end =
        at + octets_for(parameters, at, wire::length_field_size + wire::untagged_header_size);
    const bool by_markers = parameters.markers == Mode::on && parameters.crc != Mode::on;
    const bool any_octet = end == end_offset() || by_markers;
    path.needs = any_octet ? end_offset() + 1 : header_end > end_offset() ? std::min(header_end, end) : end;
    path.needs_border = !open.crosses;
    return open;
  }
  path.needs = never;
  if (known.broken && known.good == 0) {
    for (std::size_t i = 0; i < passed_count; ++i) dead_.add(static_cast<std::size_t>(passed[i] - base_));
  }
  return known;
}

Synchronizer::Chain Synchronizer::follow_from(const FramerParameters& parameters, StreamOffset at,
                                              bool lenient) {
  Path path{.begin = at};
  return follow(parameters, path, lenient, Avoid::nothing);
}

// Whether FPDUs may be stored in a payload of the stream, and better ones come still.
bool Synchronizer::may_be_stored(StreamOffset at, bool final, const Chain& chain) const noexcept {
  if (chain.unfit > chain.fitting) {
    if (chain.broken) return true;
    return chain.end - at < crossing_octets && !(final && chain.good > 0 && chain.end == end_offset());
  }
  return known_stream_ && chain.broken && chain.fitting == 0 && !last_resort_ &&
         end_offset() - at < crossing_octets;
}

Synchronizer::Verdict Synchronizer::judge(const FramerParameters& parameters, Path& path, bool lenient,
                                          bool final, Chain& chain) {
  chain = follow(parameters, path, lenient, Avoid::dead);
  const Verdict verdict = verdict_of(parameters, path.begin, lenient, final, chain);
  if (verdict == Verdict::yes) path.needs = 0;  // another one may have to be waited for
  // What breaks off is waited for no further than that: see may_be_stored().
  const StreamOffset far = path.begin + crossing_octets;
  if (verdict == Verdict::wait && chain.broken && end_offset() < far) path.needs = far;
  return verdict;
}

Synchronizer::Verdict Synchronizer::verdict_of(const FramerParameters& parameters, StreamOffset at,
                                               bool lenient, bool final, const Chain& chain) const noexcept {
  if (lenient && chain.good > 0) return Verdict::yes;  // an FPDU is due here: a right CRC says all
  // … and so do FPDUs of which octets are absent, if they lead to the end of everything.
  const bool complete = chain.headers > 0 && chain.end == end_offset();
  if (lenient && final && complete && !chain.broken && has_absent()) return Verdict::yes;
  if (!lenient && may_be_stored(at, final, chain)) {
    const bool framed = chain.good > 0 || !chain.broken;
    return framed && !(final && last_resort_) ? Verdict::wait : Verdict::no;
  }
  // A stream that is stored in a payload crosses segments, too, but breaks off where its FPDU does.
  const bool long_enough = chain.good >= crossing_enough || chain.end - at >= crossing_octets;
  const bool crossing = chain.crosses && chain.good >= 2 && (known_stream_ || (long_enough && !chain.broken));
  const bool anchored = is_boundary(at) || chain.on_boundary || crossing || parameters.markers == Mode::on;
  // Short FPDUs of a marked stream follow each other between two markers as if there were none.
  const bool markers_guessed = parameters_.markers == Mode::unknown && parameters.markers == Mode::off;
  if (markers_guessed && (chain.good == 0 || relapsed_) && chain.end - at < wire::marker_interval && !final) {
    return chain.broken ? Verdict::no : Verdict::wait;
  }
  if (chain.broken) {
    // Good FPDUs up to the break: taken when nothing better can come, or when they are many and anchored.
    return chain.good >= 1 && (final || (anchored && chain.good >= 2)) ? Verdict::yes : Verdict::no;
  }
  if (chain.good >= 1) return anchored || final ? Verdict::yes : Verdict::wait;
  if (parameters.crc != Mode::on || chain.good == 0) {
    const bool complete_unproven = parameters.crc == Mode::on &&
                                   present_from(at).size() >= chain.first_end - at &&
                                   chain.first_end <= end_offset();
    if (complete_unproven) return Verdict::no;
    if (chain.headers >= chain_enough && (is_boundary(at) || chain.on_boundary || chain.crosses || final)) {
      return Verdict::yes;
    }
    // A known stream behind a hole: one plausible FPDU that fills its segment, or is all that will come.
    const bool fills = is_boundary(at) && chain.on_boundary && is_boundary(chain.first_end);
    if (known_stream_ && !lenient && chain.headers >= 1 && chain.end > at &&
        (fills || (final && is_boundary(at)))) {
      return Verdict::yes;
    }
  }
  return final ? Verdict::no : Verdict::wait;
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
  lock.absent = has_absent();
  lock.skipped = at - start_;
  return lock;
}

// False where an earlier walk passed, in vain.
bool Synchronizer::walk_on(StreamOffset at) {
  const auto offset = static_cast<std::size_t>(at - base_);
  if (walked_.has(offset)) return false;
  walked_.add(offset);
  return true;
}

// Whether FPDUs that may be ones follow each other from `from` to `to`.
bool Synchronizer::leads_to(const FramerParameters& parameters, StreamOffset from, StreamOffset to,
                            bool lenient) {
  for (; from < to; lenient = false) {
    ++steps_;
    std::uint16_t length = 0;
    if (header_at(parameters, from, lenient, length) != Verdict::yes) return false;
    if (!lenient && !walk_on(from)) return false;
    from += wire_size(parameters, from, length);
  }
  return from == to;
}

// The same by right CRCs, whatever the headers say.
bool Synchronizer::checks_to(const FramerParameters& parameters, StreamOffset from, StreamOffset to) {
  while (from < to) {
    ++steps_;
    std::uint16_t length = 0;
    const ByteView present = present_from(from);
    if (!read_ulpdu_length(parameters, from, present, length)) return false;
    const std::uint32_t size = wire_size(parameters, from, length);
    if (size > present.size() || size > to - from || !has_right_crc(from, from + size)) return false;
    if (!walk_on(from)) return false;
    from += size;
  }
  return true;
}

// The first segment before `to` from which FPDUs with right CRCs lead there, where the stream uses CRC.
std::optional<StreamOffset> Synchronizer::first_checked(const FramerParameters& parameters, StreamOffset to) {
  if (parameters.crc != Mode::on) return std::nullopt;
  walked_.clear();
  std::size_t tried = 0;
  for (const StreamOffset from : boundaries_) {
    if (from >= to || ++tried > max_segments) return std::nullopt;
    if (from >= base_ && parameters.may_begin(from) && checks_to(parameters, from, to)) return from;
  }
  return std::nullopt;
}

// The first waiting candidate that leads to `to`.
std::optional<StreamOffset> Synchronizer::first_leading(const FramerParameters& parameters, StreamOffset to) {
  walked_.clear();
  for (const Waiting& waiting : pending_) {
    const StreamOffset from = waiting.begin;
    if (from < to && parameters.may_begin(from) && leads_to(parameters, from, to, false)) return from;
  }
  return std::nullopt;
}

// Framing was found at `at`: it begins at the first waiting candidate that leads there.
Synchronizer::Lock Synchronizer::lock_before(StreamOffset at, const FramerParameters& parameters,
                                             const Chain& chain) {
  walked_.clear();
  if (doubted_ && base_ == start_ && leads_to(parameters, start_, at, true))
    return make_lock(start_, parameters, chain);
  at = first_checked(parameters, at).value_or(at);
  return make_lock(first_leading(parameters, at).value_or(at), parameters, chain);
}

void Synchronizer::note_wait(const Path& path) noexcept {
  pending_needs_ = std::min(pending_needs_, path.needs);
  pending_needs_border_ = pending_needs_border_ || path.needs_border;
  if (path.at_border) enclosed_until_ = std::max(enclosed_until_, path.chain.first_end);
}

std::optional<Synchronizer::Lock> Synchronizer::judge_pending(const FramerParameters& parameters,
                                                              bool final) {
  const bool may_tell = end_offset() >= pending_needs_ || (pending_needs_border_ && new_border_);
  if (pending_.empty() || (!may_tell && !final)) return std::nullopt;
  enclosed_until_ = 0;
  pending_needs_ = never;
  pending_needs_border_ = false;
  std::optional<StreamOffset> found;
  Chain chain;
  steps_ += pending_.size();
  bool others = false;
  for (Waiting& waiting : pending_) {
    if (waiting.begin < enclosed_until_) continue;
    const bool first = !waiting.path;
    if (first) waiting.path = std::make_unique<Path>(Path{.begin = waiting.begin, .leads = true});
    if (first || final || may_tell_more(*waiting.path)) {
      const Verdict verdict = judge(parameters, *waiting.path, false, final, chain);
      waiting.refused = verdict == Verdict::no;
      if (verdict == Verdict::yes) found = waiting.begin;
    }
    if (waiting.refused && chain.good > 0) {  // what it leads to may be framing all the same
      others = others || chain.first_end < scan_;
      led_.remove(static_cast<std::size_t>(chain.first_end - base_));
      waiting = {.begin = chain.first_end, .path = nullptr, .refused = chain.first_end >= scan_};
    }
    if (!waiting.refused && waiting.path) note_wait(*waiting.path);
    if (found) break;
  }
  pending_.erase_if([](const Waiting& waiting) { return waiting.refused; });
  if (others) {
    std::sort(pending_.begin(), pending_.end(),
              [](const Waiting& one, const Waiting& other) { return one.begin < other.begin; });
    pending_needs_ = 0;
    if (!found) return judge_pending(parameters, final);
  }
  if (!found) return std::nullopt;
  pending_needs_ = 0;  // those behind were not judged
  return lock_before(*found, parameters, chain);
}

void Synchronizer::add_pending(Waiting waiting) {
  if (pending_.size() == max_pending) {
    if (is_boundary(pending_.front().begin)) pending_needs_ = 0;  // it encloses those behind it no longer
    pending_.pop_front();
  }
  if (waiting.path) note_wait(*waiting.path);
  pending_.push_back(std::move(waiting));
}

std::optional<Synchronizer::Lock> Synchronizer::scan(const FramerParameters& parameters, bool final) {
  Chain chain;
  if (doubted_ && base_ == start_ && (final || may_tell_more(doubted_path_))) {
    switch (judge(parameters, doubted_path_, true, final, chain)) {
      case Verdict::yes: return make_lock(start_, parameters, chain);
      case Verdict::no:
        undecided_ = final && !chain.broken;
        doubted_ = false;
        break;
      case Verdict::wait: break;
    }
  }
  if (auto lock = judge_pending(parameters, final)) return lock;
  const bool marked = parameters.markers == Mode::on;
  for (; scan_ + wire::length_field_size + 2 <= end_offset(); ++scan_) {
    if (!parameters.may_begin(scan_)) continue;
    if (!marked) {
      const Byte* at = octets_.data() + (scan_ - base_);
      const unsigned version = parameters.revision_zero ? 0 : 1;
      if ((at[2] & 0x3fU) != version || (at[3] & 0xf0U) != version << 6U) continue;
    }
    const auto offset = static_cast<std::size_t>(scan_ - base_);
    if (dead_.has(offset) || led_.has(offset)) continue;
    std::uint16_t length = 0;
    const Verdict header = header_at(parameters, scan_, false, length);
    if (header == Verdict::no) continue;
    if (header == Verdict::wait && !final) break;
    if (header == Verdict::wait) continue;
    if (scan_ < enclosed_until_) {
      add_pending({.begin = scan_, .path = nullptr});
      continue;
    }
    Path path{.begin = scan_, .leads = true};
    const Verdict verdict = judge(parameters, path, false, final, chain);
    if (verdict == Verdict::yes) return lock_before(scan_, parameters, chain);
    if (verdict == Verdict::no && chain.good > 0)
      led_.remove(static_cast<std::size_t>(chain.first_end - base_));
    if (verdict == Verdict::wait) add_pending({.begin = scan_, .path = std::make_unique<Path>(path)});
  }
  if (!final || !known_stream_) return std::nullopt;
  // Nothing behind them will come.
  const auto checked = first_checked(parameters, end_offset());
  if (!checked) return std::nullopt;
  chain = {};
  chain.good = chain.headers = chain.whole = 1;
  return make_lock(*checked, parameters, chain);
}

std::optional<Synchronizer::Lock> Synchronizer::lock_at_segment() {
  std::size_t tried = 0;
  for (const StreamOffset at : boundaries_) {
    if (at <= start_ || !parameters_.may_begin(at) || ++tried > max_segments) continue;
    Path path{.begin = at};
    const Chain chain = follow(parameters_, path, false, Avoid::dead);
    const bool enough = chain.good >= 1 || (parameters_.crc != Mode::on && chain.headers >= chain_enough);
    if (chain.broken || !enough) continue;
    Lock lock = make_lock(at, parameters_, chain);
    lock.inside = true;
    return lock;
  }
  return std::nullopt;
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
