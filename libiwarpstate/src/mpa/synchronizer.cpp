// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/synchronizer.hpp"

#include <algorithm>
#include <array>

#include <iwarp/wire/ddp.hpp>

namespace iwarp::mpa {
namespace {

constexpr std::size_t max_pending = 64;
constexpr std::size_t max_segments = 64;   // whose starts lock_at_segment() tries
constexpr std::uint32_t chain_enough = 3;  // headers in a row that count as framing without a CRC
// FPDUs, or octets, in a row that count as the framing of an unknown stream where none is aligned to a
// segment.
constexpr std::uint32_t crossing_enough = 8;
constexpr std::uint64_t crossing_octets = 64U << 10U;
constexpr std::uint32_t chain_limit = 64;  // no need to look further
constexpr std::size_t marker_search_octets = 3 * wire::marker_interval;

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
  expects_marker_ = false;
  searched_ = 0;
}

void Synchronizer::clear() noexcept {
  octets_.clear();
  holes_.clear();
  boundaries_.clear();
  pending_.clear();
}

void Synchronizer::push(ByteView octets, bool segment_start) {
  if (segment_start && (boundaries_.empty() || boundaries_.back() < end_offset()))
    boundaries_.push_back(end_offset());
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
  trim();
}

void Synchronizer::trim() {
  if (octets_.size() <= window) return;
  const std::size_t dropped = octets_.size() - window / 2;
  octets_.erase(octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(dropped));
  base_ += dropped;
  scan_ = std::max(scan_, base_);
  doubted_ = false;
  searched_ = 0;
  std::erase_if(holes_, [this](const Hole& hole) { return hole.end <= base_; });
  std::erase_if(boundaries_, [this](StreamOffset at) { return at < base_; });
  std::erase_if(pending_, [this](StreamOffset at) { return at < base_; });
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
  return at == end_offset() || std::binary_search(boundaries_.begin(), boundaries_.end(), at);
}

bool Synchronizer::boundary_inside(StreamOffset begin, StreamOffset end) const noexcept {
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
  const std::uint32_t copied =
      copy_header(parameters, at, present_from(at), wire::untagged_header_size, header.data());
  const std::array fits{sequence_.judge(at, header.data(), copied),
                        sequence.judge(at, header.data(), copied)};
  if (std::find(fits.begin(), fits.end(), Sequence::Fit::contradicts) != fits.end()) {
    ++chain.unfit;
  } else if (fits[1] == Sequence::Fit::fits) {
    ++chain.fitting;
  }
  sequence.take(at, end, header.data(), copied);
}

Synchronizer::Chain Synchronizer::follow(const FramerParameters& parameters, StreamOffset at,
                                         bool lenient) const noexcept {
  Chain chain;
  Sequence sequence = sequence_;
  chain.end = at;
  while (chain.headers < chain_limit) {
    std::uint16_t length = 0;
    const Verdict header = header_at(parameters, at, lenient && chain.headers == 0, length);
    if (header != Verdict::yes) {
      chain.broken = header == Verdict::no;
      // Behind an absent header nothing can be said against the chain.
      if (chain.broken && present_from(at).empty()) chain.broken = false;
      return chain;
    }
    const StreamOffset end = at + wire_size(parameters, at, length);
    if (chain.headers == 0) chain.first_end = end;
    judge_sequence(parameters, at, end, sequence, chain);
    const bool by_markers = parameters.markers == Mode::on && parameters.crc != Mode::on;
    if (by_markers && chain.good == 0 && !markers_fit(parameters, at, end, chain.pointers)) {
      chain.broken = true;
      return chain;
    }
    if (end > end_offset()) {
      ++chain.headers;
      chain.crosses = chain.crosses || boundary_inside(at, end_offset());
      return chain;
    }
    const ByteView present = present_from(at);
    if (present.size() >= end - at) {
      FramedFpdu fpdu;
      FramerParameters checked = parameters;
      if (checked.crc == Mode::off) checked.crc = Mode::unknown;  // a right CRC is evidence all the same
      examine(checked, at, present.first(static_cast<std::size_t>(end - at)), length, fpdu);
      ++chain.whole;
      if (fpdu.crc == CrcStatus::good) {
        ++chain.good;
        chain.misled = chain.misled || (fpdu.marker_faults & marker_pointer) != 0;
      } else if (parameters.crc == Mode::on || (fpdu.marker_faults & marker_pointer) != 0) {
        chain.broken = true;
        return chain;
      }
    }
    ++chain.headers;
    chain.on_boundary = chain.on_boundary || is_boundary(end);
    chain.crosses = chain.crosses || boundary_inside(at, end);
    at = chain.end = end;
  }
  return chain;
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

Synchronizer::Verdict Synchronizer::judge(const FramerParameters& parameters, StreamOffset at, bool lenient,
                                          bool final, Chain& chain) const noexcept {
  chain = follow(parameters, at, lenient);
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

// Whether FPDUs that may be ones follow each other from `from` to `to`.
bool Synchronizer::leads_to(const FramerParameters& parameters, StreamOffset from, StreamOffset to,
                            bool lenient) const noexcept {
  for (; from < to; lenient = false) {
    std::uint16_t length = 0;
    if (header_at(parameters, from, lenient, length) != Verdict::yes) return false;
    from += wire_size(parameters, from, length);
  }
  return from == to;
}

// The same by right CRCs, whatever the headers say.
bool Synchronizer::checks_to(const FramerParameters& parameters, StreamOffset from,
                             StreamOffset to) const noexcept {
  while (from < to) {
    std::uint16_t length = 0;
    const ByteView present = present_from(from);
    if (!read_ulpdu_length(parameters, from, present, length)) return false;
    const std::uint32_t size = wire_size(parameters, from, length);
    if (size > present.size() || size > to - from) return false;
    FramedFpdu fpdu;
    examine(parameters, from, present.first(size), length, fpdu);
    if (fpdu.crc != CrcStatus::good) return false;
    from += size;
  }
  return true;
}

// The first segment before `to` from which FPDUs with right CRCs lead there, where the stream uses CRC.
std::optional<StreamOffset> Synchronizer::first_checked(const FramerParameters& parameters,
                                                        StreamOffset to) const noexcept {
  if (parameters.crc != Mode::on) return std::nullopt;
  std::size_t tried = 0;
  for (const StreamOffset from : boundaries_) {
    if (from >= to || ++tried > max_segments) return std::nullopt;
    if (from >= base_ && parameters.may_begin(from) && checks_to(parameters, from, to)) return from;
  }
  return std::nullopt;
}

// Framing was found at `at`: it begins at the first waiting candidate that leads there.
Synchronizer::Lock Synchronizer::lock_before(StreamOffset at, const FramerParameters& parameters,
                                             const Chain& chain) const noexcept {
  if (doubted_ && base_ == start_ && leads_to(parameters, start_, at, true))
    return make_lock(start_, parameters, chain);
  at = first_checked(parameters, at).value_or(at);
  for (const StreamOffset earlier : pending_) {
    if (earlier < at && parameters.may_begin(earlier) && leads_to(parameters, earlier, at, false))
      return make_lock(earlier, parameters, chain);
  }
  return make_lock(at, parameters, chain);
}

std::optional<Synchronizer::Lock> Synchronizer::scan(const FramerParameters& parameters, bool final) {
  Chain chain;
  if (doubted_ && base_ == start_) {
    switch (judge(parameters, start_, true, final, chain)) {
      case Verdict::yes: return make_lock(start_, parameters, chain);
      case Verdict::no:
        undecided_ = final && !chain.broken;
        doubted_ = false;
        break;
      case Verdict::wait: break;
    }
  }
  StreamOffset enclosed_until = 0;  // a waiting candidate that begins a segment comes before those inside it
  for (std::size_t i = 0; i < pending_.size();) {
    const StreamOffset at = pending_[i];
    const Verdict verdict = at < enclosed_until ? Verdict::wait : judge(parameters, at, false, final, chain);
    if (verdict == Verdict::yes) return lock_before(at, parameters, chain);
    if (verdict == Verdict::no) {
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (is_boundary(at)) enclosed_until = std::max(enclosed_until, chain.first_end);
    ++i;
  }
  const bool marked = parameters.markers == Mode::on;
  for (; scan_ + wire::length_field_size + 2 <= end_offset(); ++scan_) {
    if (!parameters.may_begin(scan_)) continue;
    if (!marked) {
      const Byte* at = octets_.data() + (scan_ - base_);
      const unsigned version = parameters.revision_zero ? 0 : 1;
      if ((at[2] & 0x3fU) != version || (at[3] & 0xf0U) != version << 6U) continue;
    }
    std::uint16_t length = 0;
    const Verdict header = header_at(parameters, scan_, false, length);
    if (header == Verdict::no) continue;
    if (header == Verdict::wait && !final) break;
    if (header == Verdict::wait) continue;
    const Verdict verdict =
        scan_ < enclosed_until ? Verdict::wait : judge(parameters, scan_, false, final, chain);
    if (verdict == Verdict::yes) return lock_before(scan_, parameters, chain);
    if (verdict == Verdict::no) continue;
    if (pending_.size() == max_pending) pending_.erase(pending_.begin());
    pending_.push_back(scan_);
    if (is_boundary(scan_)) enclosed_until = std::max(enclosed_until, chain.first_end);
  }
  if (!final || !known_stream_) return std::nullopt;
  // Nothing behind them will come.
  const auto checked = first_checked(parameters, end_offset());
  if (!checked) return std::nullopt;
  chain = {};
  chain.good = chain.headers = chain.whole = 1;
  return make_lock(*checked, parameters, chain);
}

// Of the chains of two phases.
bool Synchronizer::fits_better(const Chain& chain, const Chain& than) noexcept {
  if (chain.misled != than.misled) return than.misled;
  return chain.good != than.good ? chain.good > than.good : chain.headers > than.headers;
}

std::optional<Synchronizer::Lock> Synchronizer::lock_at_segment() const noexcept {
  std::size_t tried = 0;
  for (const StreamOffset at : boundaries_) {
    if (at <= start_ || !parameters_.may_begin(at) || ++tried > max_segments) continue;
    const Chain chain = follow(parameters_, at, false);
    const bool enough = chain.good >= 1 || (parameters_.crc != Mode::on && chain.headers >= chain_enough);
    if (chain.broken || !enough) continue;
    Lock lock = make_lock(at, parameters_, chain);
    lock.inside = true;
    return lock;
  }
  return std::nullopt;
}

// Tries each of the 512 phases at which words 0000|FPDUPTR stand every 512 octets, pointers going up by 512
// within one FPDU, and follows the pointers to FPDUs.
std::optional<Synchronizer::Lock> Synchronizer::search_markers(bool final) {
  if (octets_.size() < marker_search_octets && !final) return std::nullopt;
  if (octets_.size() < searched_ + wire::marker_interval && !final) return std::nullopt;
  searched_ = octets_.size();
  std::optional<Lock> best;
  Chain best_chain;
  for (std::uint32_t phase = 0; phase < wire::marker_interval; ++phase) {
    std::uint32_t markers = 0;
    std::uint32_t previous = 0;
    bool fits = true;
    for (std::size_t at = phase; fits && at + wire::marker_size <= octets_.size();
         at += wire::marker_interval) {
      if (present_from(base_ + at).size() < wire::marker_size) continue;
      const std::uint32_t pointer = load_be16(octets_.data() + at + 2);
      fits = load_be16(octets_.data() + at) == 0 && (pointer & 3U) == 0 &&
             (markers == 0 || pointer < wire::marker_interval || pointer == previous + wire::marker_interval);
      previous = pointer;
      ++markers;
    }
    if (!fits || markers < 2) continue;
    FramerParameters parameters = parameters_;
    parameters.markers = Mode::on;
    parameters.origin = base_ + phase;
    // Only differences to the origin matter, modulo 512: keep it at or below every offset in use.
    parameters.origin %= wire::marker_interval;
    for (std::size_t at = phase; at + wire::marker_size <= octets_.size(); at += wire::marker_interval) {
      const std::uint32_t pointer = load_be16(octets_.data() + at + 2);
      if (pointer > at) continue;
      const StreamOffset begin = base_ + at - pointer;
      // An FPDU that begins right behind its leading marker begins with that marker.
      const StreamOffset first =
          parameters.phase(begin) == wire::marker_size && begin >= base_ + wire::marker_size && pointer != 0
              ? begin - wire::marker_size
              : begin;
      if (!parameters.may_begin(first)) continue;  // its leading marker is not there
      const Chain chain = follow(parameters, first, false);
      if (chain.first_end <= base_ + at) break;  // a marker points to the FPDU that it stands in
      const bool pointed = parameters.crc == Mode::on || chain.pointers > 0;  // zeros may be anything
      const bool proven = chain.good >= 1 || (!chain.broken && chain.headers >= chain_enough && pointed);
      if (proven && (!best || fits_better(chain, best_chain))) {
        best = make_lock(first, parameters, chain);
        best_chain = chain;
      }
      break;  // one start a phase: the first that is there
    }
  }
  return best;
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
  if (parameters_.markers != Mode::unknown) return lock;
  Lock marked;
  const Verdict verdict = marked_at_segment(final, marked);
  if (verdict == Verdict::yes && (!lock || marked.begin < lock->begin)) return marked;
  if (verdict == Verdict::wait && final) return lock;
  if (verdict == Verdict::wait && lock && marked_scan_ < lock->begin) return std::nullopt;
  return lock ? lock : search_markers(final);
}

}  // namespace iwarp::mpa
