// Synchronizer: markers of unknown phase. Words 0000|FPDUPTR stand every 512 octets, pointers going up by 512
// within one FPDU (RFC 5044 §4.3); for each of the 512 phases at which all of them do, the pointers are
// followed to FPDUs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {
namespace {

constexpr std::size_t marker_search_octets = 3 * wire::marker_interval;
constexpr std::uint32_t max_starts = 16;  // of FPDUs that markers of one phase point to, tried in a window

}  // namespace

// Of the chains of two phases.
bool Synchronizer::fits_better(const Chain& chain, const Chain& than) noexcept {
  if (chain.misled != than.misled) return than.misled;
  return chain.good != than.good ? chain.good > than.good : chain.headers > than.headers;
}

// The word at `octets`, of the phase of which `words` are those before it.
inline bool Synchronizer::goes_on(const Words& words, const Byte* octets) noexcept {
  const std::uint32_t pointer = load_be16(octets + 2);
  return load_be16(octets) == 0 && (pointer & 3U) == 0 &&
         (words.count == 0 || words.absent || pointer < wire::marker_interval ||
          pointer == words.previous + wire::marker_interval);
}

// Those that begin in [from, to), which are all there.
void Synchronizer::note_words(StreamOffset from, StreamOffset to) noexcept {
  const Byte* octets = octets_.data() + (from - base_);
  for (; from < to && phases_fitting_ > 0; ++from, ++octets) {
    Words& words = words_[from % wire::marker_interval];
    if (!words.fit) continue;
    ++steps_;
    words.fit = goes_on(words, octets);
    words.absent = false;
    words.previous = load_be16(octets + 2);
    ++words.count;
    if (!words.fit) --phases_fitting_;
  }
}

// Looks at the words that came since; those that are not all there tell nothing, nor do they to those behind
// them.
void Synchronizer::note_words() {
  if (phases_.empty()) {
    phases_.resize(wire::marker_interval);
    words_.assign(wire::marker_interval, {});
    phases_fitting_ = wire::marker_interval;
    words_from_ = base_;
  }
  const StreamOffset end =
      std::max(end_offset(), words_from_ + wire::marker_size - 1) - (wire::marker_size - 1);
  while (words_from_ < end && phases_fitting_ > 0) {
    const ByteView present = present_from(words_from_);
    if (present.size() < wire::marker_size) {
      const Piece piece = piece_at(words_from_ + present.size());
      const StreamOffset behind = words_from_ + present.size() + std::max<std::uint64_t>(piece.absent, 1);
      const StreamOffset all = std::min(behind, words_from_ + wire::marker_interval);
      for (StreamOffset at = words_from_; at < all; ++at) words_[at % wire::marker_interval].absent = true;
      words_from_ = behind;
      continue;
    }
    const StreamOffset stop = words_from_ + present.size() - (wire::marker_size - 1);
    note_words(words_from_, stop);
    words_from_ = stop;
  }
  words_from_ = std::max(words_from_, end);
  if (phases_fitting_ > 0) return;
  unmarked_ = true;
  phases_ = {};
  words_ = {};
}

// An FPDU that a marker of this phase points to, the first one that is there: `yes`, it begins at `begin`.
// That one may be wrong itself; then those that further markers point to are tried, of which it takes more
// FPDUs to tell. Where it leads into a hole too early to tell, those behind the hole are tried likewise.
Synchronizer::Verdict Synchronizer::try_phase(Phase& phase, std::uint32_t number, bool final,
                                              StreamOffset& begin, Chain& chain) {
  if (!words_[number].fit || phase.refused || words_[number].count < 2) return Verdict::no;
  FramerParameters parameters = parameters_;
  parameters.markers = Mode::on;
  // Only differences to the origin matter, modulo 512: keep it at or below every offset in use.
  parameters.origin = number;
  StreamOffset& at = phase.tried_at;
  if (at == 0)
    at = base_ + (number + wire::marker_interval - base_ % wire::marker_interval) % wire::marker_interval;
  for (; at + wire::marker_size <= end_offset(); at += wire::marker_interval) {
    const std::uint32_t pointer = load_be16(octets_.data() + (at - base_) + 2);
    if (pointer > at - base_) continue;
    begin = at - pointer;
    // An FPDU that begins right behind its leading marker begins with that marker.
    if (parameters.phase(begin) == wire::marker_size && begin >= base_ + wire::marker_size && pointer != 0)
      begin -= wire::marker_size;
    if (!parameters.may_begin(begin)) continue;  // its leading marker is not there
    const bool followed = phase.path.has_value();
    if (followed && !final && !may_tell_more(*phase.path)) return Verdict::wait;
    if (!followed && (begin < phase.passed || (phase.starts > 0 && begin == phase.begin))) continue;
    phase.begin = begin;
    std::uint16_t length = 0;
    const bool none = !followed && !present_from(begin).empty() &&
                      header_at(parameters, begin, false, length) == Verdict::no;
    if (!none) {
      Path& path = phase.path.edit();
      path.begin = begin;
      chain = follow(parameters, path, false, Avoid::nothing);
      const bool points = chain.first_end > at;  // a marker points to the FPDU that it stands in
      // Zeros may be anything, and so may one word behind a hole: an MSN, say.
      const std::uint32_t pointers = phase.passed == 0 ? 1 : 2;
      const bool pointed = parameters.crc == Mode::on || chain.pointers >= pointers;
      const std::uint32_t enough = phase.starts == 0 ? chain_enough : crossing_enough;
      const bool proven = chain.good >= 1 || (!chain.broken && chain.headers >= enough && pointed);
      if (points && proven) {
        path.needs = 0;
        return Verdict::yes;
      }
      const bool refused = chain.broken || (chain.first_end != 0 && !points);
      const bool ended_in_hole = path.ended && !refused;
      if (!refused && !final && !ended_in_hole) return Verdict::wait;
      if (ended_in_hole) phase.passed = path.at;
      phase.path.reset();
      if (ended_in_hole) continue;
    }
    phase.refused = ++phase.starts == max_starts;
    if (phase.refused) return Verdict::no;
  }
  return Verdict::no;
}

std::optional<Synchronizer::Lock> Synchronizer::search_markers(bool final) {
  if (octets_.size() < marker_search_octets && !final) return std::nullopt;
  if (octets_.size() < searched_ + wire::marker_interval && !final) return std::nullopt;
  searched_ = octets_.size();
  if (!unmarked_) note_words();
  if (unmarked_) return std::nullopt;
  std::optional<Lock> best;
  Chain best_chain;
  bool tied = false;  // another phase is as good as the best
  for (std::uint32_t i = 0; i < wire::marker_interval; ++i) {
    const auto number = static_cast<std::uint32_t>((base_ + i) % wire::marker_interval);
    StreamOffset begin = 0;
    Chain chain;
    if (try_phase(phases_[number], number, final, begin, chain) != Verdict::yes) continue;
    if (best && !fits_better(chain, best_chain)) {
      tied = tied || !fits_better(best_chain, chain);
      continue;
    }
    tied = false;
    FramerParameters parameters = parameters_;
    parameters.markers = Mode::on;
    parameters.origin = number;
    best = make_lock(begin, parameters, chain);
    best_chain = chain;
  }
  // Those that come before the first marker's own, as segments begin with them.
  if (best) {
    best = make_lock(first_at_border(best->parameters, best->begin), best->parameters, best_chain);
    best->tied = tied;
  }
  return best;
}

}  // namespace iwarp::mpa
