// Synchronizer: markers told by one FPDU that has one in it, see probe_marker.hpp.
//
// Between two markers short FPDUs follow each other as if there were none, so a marked stream may be followed
// as unmarked until the first FPDU with a marker comes. It does not fit then, and is looked at again
// (expect_marker()). Where nothing is found yet, an FPDU with a marker that begins a TCP segment tells by its
// CRC (marked_at_segment()).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "mpa/marker_probe.hpp"
#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {
namespace {

// Octets in which a marker shows that splits a header, or stands before it.
constexpr std::size_t split_header = wire::length_field_size + wire::untagged_header_size + wire::marker_size;
// Octets in which markers stand that tell which of several words is one.
constexpr std::size_t enough_markers = 4 * wire::marker_interval;

}  // namespace

void Synchronizer::expect_marker(std::uint32_t farthest, bool else_unmarked) noexcept {
  expects_marker_ = true;
  else_unmarked_ = else_unmarked;
  farthest_marker_ = farthest;
}

// Whether an FPDU with a marker in it begins at `at`: by its CRC. That does not tell which word is the
// marker, if any other one is its own distance, too, such as MSN 12; the markers of the FPDUs behind it do.
// `due`: if no FPDU stands there, framing is lost; so its marker must do where its end is not there and will
// not come. `no` with `lock.chained` set: there is one, but which word is its marker nothing decides.
Synchronizer::Verdict Synchronizer::marked_at(StreamOffset at, std::uint32_t farthest, bool due, bool final,
                                              Lock& lock) {
  const ByteView present = present_from(at);
  const bool more_may_come = !final && at + present.size() == end_offset();
  // Words to come may be its marker as well; else it needs what its FPDUs do.
  marked_needs_ = present.size() < farthest + wire::marker_size ? end_offset() + 1 : never;
  bool waits = false;
  unsigned open = 0;  // candidates that nothing contradicts
  Chain best;
  bool best_stands = false;
  bool tied = false;  // another one is as good as the best
  FramerParameters found;
  for (auto marker = probe_marker(present, 0, farthest); marker;
       marker = probe_marker(present, *marker + wire::marker_size, farthest)) {
    FramerParameters parameters = parameters_;
    parameters.markers = parameters.crc = Mode::on;
    parameters.origin = (at + *marker) % wire::marker_interval;
    if (!parameters.may_begin(at)) continue;  // its leading marker is not there
    Path path{.begin = at};
    const Chain chain = follow(parameters, path, due, Avoid::nothing);
    marked_needs_ = std::min(marked_needs_, path.needs);
    if (chain.good > 0 && chain.first_end <= at + *marker) continue;  // the word is not in this FPDU
    if (chain.good == 0) {
      if (chain.broken) continue;
      waits = waits || more_may_come;
      if (else_unmarked_ && parameters_.crc != Mode::on) continue;  // marked_by_headers() tells
      if (!due || more_may_come || !plausible_at(parameters, at, present)) continue;
    }
    const bool stands = !chain.broken && !chain.misled;
    if (stands) ++open;
    const bool better = stands == best_stands ? fits_better(chain, best) : stands;
    const bool worse = stands == best_stands ? fits_better(best, chain) : !stands;
    tied = best.headers != 0 && !better && (tied || !worse);
    if (best.headers != 0 && !better) continue;
    best = chain;
    best_stands = stands;
    found = parameters;
  }
  if (best.headers != 0) {
    if (open > 1 && end_offset() - at < enough_markers) {
      marked_needs_ = end_offset() + 1;
      return Verdict::wait;  // even at the end: nothing decides
    }
    if (tied) {  // nor will what is behind them: another FPDU must tell
      lock.chained = 1;
      return Verdict::no;
    }
    lock = lock_before(at, found, best);
    return Verdict::yes;
  }
  if (waits) return Verdict::wait;
  marked_needs_ = end_offset() + 1;
  if (due && parameters_.crc != Mode::on) {
    const Verdict verdict = marked_by_headers(at, farthest, more_may_come, lock);
    if (verdict != Verdict::no) return verdict;
  }
  if (!more_may_come || present.size() > farthest) return Verdict::no;
  // The marker may still come, if it is one of an FPDU.
  FramerParameters unmarked = parameters_;
  unmarked.markers = Mode::off;
  std::uint16_t length = 0;
  const Verdict header = header_at(unmarked, at, due, length);
  if (header == Verdict::no && present.size() >= split_header) return Verdict::no;
  return header == Verdict::yes && wire_size(unmarked, at, length) <= present.size() ? Verdict::no
                                                                                     : Verdict::wait;
}

// The same of an FPDU that is due at `at`, where no CRC tells: headers follow it as if it had the marker, and
// none does as if it had not.
Synchronizer::Verdict Synchronizer::marked_by_headers(StreamOffset at, std::uint32_t farthest,
                                                      bool more_may_come, Lock& lock) {
  FramerParameters unmarked = parameters_;
  unmarked.markers = Mode::off;
  const bool else_fits = !follow_from(unmarked, at, true).broken;
  const ByteView present = present_from(at);
  for (auto marker = probe_marker(present, 0, farthest); marker;
       marker = probe_marker(present, *marker + wire::marker_size, farthest)) {
    FramerParameters parameters = parameters_;
    parameters.markers = Mode::on;
    parameters.origin = (at + *marker) % wire::marker_interval;
    const Chain chain = follow_from(parameters, at, true);
    if (!parameters.may_begin(at) || chain.broken) continue;
    if (chain.headers < 2 || else_fits) {
      if (more_may_come) return Verdict::wait;
      continue;
    }
    lock = make_lock(at, parameters, chain);
    return Verdict::yes;
  }
  return Verdict::no;
}

// The FPDU at start_, as expect_marker() told. `wait`: octets that decide are not there.
Synchronizer::Verdict Synchronizer::look_for_expected(bool final, Lock& lock) {
  if (!expects_marker_ || base_ != start_) return Verdict::no;
  if (end_offset() < marked_needs_ && !final) return Verdict::wait;
  const Verdict verdict = marked_at(start_, farthest_marker_, true, final, lock);
  if (verdict != Verdict::no) return verdict;
  expects_marker_ = false;
  marked_needs_ = 0;
  // Nothing may tell which of several words is its marker: it has one all the same.
  const bool marked_somewhere = lock.chained > 0;
  if (!else_unmarked_ || marked_somewhere) return Verdict::no;
  FramerParameters unmarked = parameters_;
  unmarked.markers = Mode::off;
  Chain chain;
  chain.headers = 1;
  lock = make_lock(start_, unmarked, chain);
  return Verdict::yes;
}

Synchronizer::Verdict Synchronizer::marked_at_segment(bool final, Lock& lock) {
  if (end_offset() < marked_needs_ && !final) return Verdict::wait;
  for (auto at = std::lower_bound(boundaries_.begin(), boundaries_.end(), marked_scan_);
       at != boundaries_.end(); ++at) {
    marked_scan_ = *at;
    const Verdict verdict = marked_at(*at, farthest_first_marker, false, final, lock);
    if (verdict != Verdict::no) return verdict;
    ++marked_scan_;
  }
  marked_needs_ = 0;
  return Verdict::no;
}

}  // namespace iwarp::mpa
