// Synchronizer: chains of FPDUs. Where one ends the next one is due. What can be said of those that lead to
// each other from an offset on is a Chain, how far they were followed is a Path.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include <iwarp/wire/ddp.hpp>

#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {
namespace {

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
  std::array<Byte, wire::untagged_header_size> room;
  const std::uint32_t wanted = std::min<std::uint32_t>(length, wire::untagged_header_size);
  const ByteView header = header_view(parameters, at, present, wanted, room.data());
  const auto count = static_cast<std::uint32_t>(header.size());
  if (plausible(parameters, length, header)) return Verdict::yes;
  // The first two octets alone often refuse it; fewer than ten leave an untagged one open.
  constexpr std::uint32_t fixed = 10;
  if (count >= std::min(wanted, fixed)) return Verdict::no;
  if (count >= 2) {
    std::array<Byte, fixed> completed{};
    std::copy(header.begin(), header.end(), completed.begin());
    store_be32(completed.data() + 6, wire::queue_of(static_cast<wire::Opcode>(header[1] & 0x0fU)));
    if (!plausible(parameters, length, completed)) return Verdict::no;
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
    if (expected != 0 && load_be32(marker.data()) == expected) ++pointers;
  }
  return true;
}

// `sequence`: as the chain before the FPDU from `at` to `end` has it. One that goes on where another stream
// was joined fits that, but not the one before the hole.
void Synchronizer::judge_sequence(const FramerParameters& parameters, StreamOffset at, StreamOffset end,
                                  Sequence& sequence, Chain& chain) const noexcept {
  std::array<Byte, wire::untagged_header_size> room;
  const ByteView header =
      header_view(parameters, at, present_from(at), wire::untagged_header_size, room.data());
  constexpr Byte tagged = 0x80;
  if (!header.empty() && (header[0] & tagged) != 0)
    return sequence.take(at, end, header.data(), header.size());  // no MSN
  const std::array fits{sequence_.judge(at, header.data(), header.size()),
                        sequence.judge(at, header.data(), header.size())};
  if (std::find(fits.begin(), fits.end(), Sequence::Fit::contradicts) != fits.end()) {
    ++chain.unfit;
  } else if (fits[1] == Sequence::Fit::fits) {
    ++chain.fitting;
  }
  sequence.take(at, end, header.data(), header.size());
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
  // Until a CRC can tell, markers do.
  const bool by_markers =
      parameters.markers == Mode::on && (parameters.crc != Mode::on || end > end_offset());
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

}  // namespace iwarp::mpa
