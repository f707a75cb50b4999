// Synchronizer: candidates, offsets where a plausible header stands. Each is judged by the chain that it
// begins: it is framing, or none, or waits for more octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <utility>

#include <iwarp/wire/ddp.hpp>

#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {
namespace {

constexpr std::size_t max_pending = 64;
constexpr std::size_t max_segments = 64;  // whose starts lock_at_segment() tries
// In a row, they count as the framing of an unknown stream where no FPDU is aligned to a segment.
constexpr std::uint64_t crossing_octets = 64U << 10U;
// Octets after which a header can be ruled out, and the most that one takes.
constexpr std::size_t shortest_header = wire::length_field_size + 2;
constexpr std::size_t longest_header =
    wire::length_field_size + wire::untagged_header_size + 2 * wire::marker_size;

// DDP's and RDMAP's versions, and bits that are reserved, in the first two octets of an unmarked ULPDU.
inline bool are_versions(const FramerParameters& parameters, const Byte* ulpdu) noexcept {
  return (load_be16(ulpdu) & 0x3ff0U) == (parameters.revision_zero ? 0U : 0x0140U);
}

}  // namespace

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

// The first segment before `to` from which FPDUs that may be ones lead there; `to`: none does.
StreamOffset Synchronizer::first_at_border(const FramerParameters& parameters, StreamOffset to) {
  walked_.clear();
  std::size_t tried = 0;
  for (const StreamOffset from : boundaries_) {
    if (from >= to || ++tried > max_segments) break;
    if (from >= base_ && parameters.may_begin(from) && leads_to(parameters, from, to, false)) return from;
  }
  return to;
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

std::optional<Synchronizer::Lock> Synchronizer::judge_pending(const FramerParameters& parameters,
                                                              bool final) {
  const bool may_tell = end_offset() >= waits_.needs || (waits_.needs_border && new_border_);
  if (!may_tell && !final) return std::nullopt;
  succeeded_.clear();
  std::optional<StreamOffset> found;
  Chain chain;
  for (bool others = true; others && !found && !pending_.empty();)
    others = judge_pending_once(parameters, final, found, chain);
  if (!found) return std::nullopt;
  waits_.needs = 0;  // those behind were not judged
  return lock_before(*found, parameters, chain);
}

// … whether others took the place of those that were refused. `found`: that one is framing.
bool Synchronizer::judge_pending_once(const FramerParameters& parameters, bool final,
                                      std::optional<StreamOffset>& found, Chain& chain) {
  Waits waits{.needs = never};
  steps_ += pending_.size();
  bool others = false;
  for (Waiting& waiting : pending_) {
    if (waiting.begin < waits.enclosed_until) continue;
    const bool first = !waiting.path;
    if (first) waiting.path = std::make_unique<Path>(Path{.begin = waiting.begin, .leads = true});
    if (first || final || may_tell_more(*waiting.path)) {
      const Verdict verdict = judge(parameters, *waiting.path, false, final, chain);
      waiting.refused = verdict == Verdict::no;
      if (verdict == Verdict::yes) found = waiting.begin;
    }
    if (waiting.refused && chain.good > 0) {  // what it leads to may be framing all the same
      const auto next = static_cast<std::size_t>(chain.first_end - base_);
      led_.remove(next);
      if (!succeeded_.has(next)) {  // another one came there before
        succeeded_.add(next);
        others = others || chain.first_end < scan_;
        waiting = {.begin = chain.first_end, .path = nullptr, .refused = chain.first_end >= scan_};
      }
    }
    if (!waiting.refused && waiting.path) waits.add(*waiting.path);
    if (found) break;
  }
  waits_ = waits;
  pending_.erase_if([](const Waiting& waiting) { return waiting.refused; });
  if (!others) return false;
  std::sort(pending_.begin(), pending_.end(),
            [](const Waiting& one, const Waiting& other) { return one.begin < other.begin; });
  waits_.needs = 0;
  return true;
}

void Synchronizer::add_pending(Waiting waiting) {
  if (pending_.size() == max_pending) {
    if (is_boundary(pending_.front().begin)) waits_.needs = 0;  // it encloses those behind it no longer
    pending_.pop_front();
  }
  if (waiting.path) waits_.add(*waiting.path);
  pending_.push_back(std::move(waiting));
}

// The first of [at, end) that was captured and at which DDP's and RDMAP's reserved bits and versions may
// stand behind a ULPDU_Length: at most octets they do not. `end` if there is none. In a marked stream, where
// these may lie elsewhere, the first that was captured.
StreamOffset Synchronizer::next_versions(const FramerParameters& parameters, StreamOffset at,
                                         StreamOffset end) noexcept {
  constexpr std::uint64_t octets_a_step = 64;  // a candidate costs as much
  while (at < end) {
    const StreamOffset stop = std::min<StreamOffset>(end, at + present_from(at).size());
    if (stop == at) {  // holes may be many times as long as what was captured
      at = hole_at(at)->end;
      continue;
    }
    if (parameters.markers == Mode::on) return at;
    const Byte* const first = octets_.data() + (at - base_) + wire::length_field_size;
    const Byte* const last = first + (stop - at);
    const Byte* octets = first;
    while (octets != last && !are_versions(parameters, octets)) ++octets;
    steps_ += static_cast<std::uint64_t>(octets - first) / octets_a_step;
    if (octets != last) return at + static_cast<StreamOffset>(octets - first);
    at = stop;
  }
  return end;
}

// Whether an FPDU may begin at `at`, by these and by what was found before. Two octets behind a ULPDU_Length
// are there.
bool Synchronizer::may_be_candidate(const FramerParameters& parameters, StreamOffset at) const noexcept {
  const auto offset = static_cast<std::size_t>(at - base_);
  const bool versions = parameters.markers == Mode::on ||
                        are_versions(parameters, octets_.data() + offset + wire::length_field_size);
  return versions && parameters.may_begin(at) && !dead_.has(offset) && !led_.has(offset);
}

// Whether all octets of an FPDU of that length at `at` are there, and its CRC says that it is no FPDU.
bool Synchronizer::is_wrong_by_crc(const FramerParameters& parameters, StreamOffset at,
                                   std::uint16_t length) {
  if (parameters.crc != Mode::on) return false;
  const std::uint32_t size = wire_size(parameters, at, length);
  return size <= present_from(at).size() && !has_right_crc(at, at + size);
}

// Candidates inside one that begins a segment are not judged as long as that one waits. Of many the last are
// kept, so they are looked for from behind; but for those whose headers may still be coming.
void Synchronizer::keep_last_enclosed(const FramerParameters& parameters) {
  const StreamOffset end =
      std::min(waits_.enclosed_until, end_offset() - std::min(octets_.size(), longest_header));
  std::array<StreamOffset, max_pending> kept;
  std::size_t count = 0;
  StreamOffset at = end;
  while (at > scan_ && count < max_pending) {
    if (const Hole* const hole = hole_at(at - 1)) {
      at = std::max(hole->begin, scan_);
      continue;
    }
    if (!may_be_candidate(parameters, --at)) continue;
    ++steps_;
    std::uint16_t length = 0;
    if (header_at(parameters, at, false, length) == Verdict::yes) kept[count++] = at;
  }
  // One that begins a segment may be among those before: what it would have enclosed is to be judged.
  if (borders_.any(static_cast<std::size_t>(scan_ - base_), static_cast<std::size_t>(at - base_)))
    waits_.needs = 0;
  while (count > 0) add_pending({.begin = kept[--count], .path = nullptr});
  scan_ = std::max(scan_, end);
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
  const StreamOffset end = end_offset() - std::min(octets_.size(), shortest_header - 1);
  for (; scan_ < end; ++scan_) {
    if (scan_ < waits_.enclosed_until) keep_last_enclosed(parameters);
    scan_ = next_versions(parameters, scan_, end);
    if (scan_ == end) break;
    if (!may_be_candidate(parameters, scan_)) continue;
    ++steps_;
    std::uint16_t length = 0;
    const Verdict header = header_at(parameters, scan_, false, length);
    if (header == Verdict::no) continue;
    if (header == Verdict::wait && !final) break;
    if (header == Verdict::wait) continue;
    if (scan_ < waits_.enclosed_until) {
      add_pending({.begin = scan_, .path = nullptr});
      continue;
    }
    if (is_wrong_by_crc(parameters, scan_, length)) continue;
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

}  // namespace iwarp::mpa
