// Segments into the stream. Out of it: reassembler_output.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/reassembler.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::stream {
namespace {

constexpr std::size_t alternate_capacity = 8;
constexpr std::size_t alternate_octets = 64U << 10U;
constexpr StreamOffset alternate_distance = 64U << 10U;

std::uint32_t length_of(const TcpSegment& segment) noexcept {
  const std::size_t length = std::max<std::size_t>(segment.payload.size(), segment.wire_length);
  return static_cast<std::uint32_t>(std::min<std::size_t>(length, max_window));
}

ByteView octets_of(const TcpSegment& segment) noexcept {
  return segment.payload.first(std::min<std::size_t>(segment.payload.size(), max_window));
}

// Sums of cut segments say nothing of the whole.
std::uint64_t sum_of(const TcpSegment& segment, std::uint32_t length) noexcept {
  return segment.payload.size() == length ? segment.payload_sum : 0;
}

std::uint32_t octets_between(StreamOffset begin, StreamOffset end) noexcept {
  return end > begin ? static_cast<std::uint32_t>(end - begin) : 0;
}

}  // namespace

bool Reassembler::push_due(const TcpSegment& segment, StreamOffset ack) {
  constexpr std::uint8_t special = tcp::syn | tcp::fin | tcp::rst;
  const std::uint32_t length = segment.wire_length;
  const bool usual = segment.sequence == next_sequence_ && (segment.flags & special) == 0 && length != 0 &&
                     length <= max_window && segment.payload.size() <= length &&
                     segment.checksum != ChecksumStatus::bad;
  const bool nothing_else = started_ && !provisional_ && !fin_ && store_.empty() && alternates_.empty();
  if (!usual || !nothing_else) return false;
  if (segment.checksum != ChecksumStatus::unknown) pushed_.add(segment.checksum);
  const ByteView octets = segment.payload;
  pending_.offset = next_;
  pending_.octets = octets;
  pending_.absent = length - octets.size();
  pending_.cause = Absence::snaplen;
  pending_.segment_start = !octets.empty();
  pending_.payload_offset = 0;
  pending_.frame = segment.frame;
  pending_.time_ns = segment.time_ns;
  pending_.ack = ack;
  pending_.cut = octets.size() < length;
  pending_ready_ = true;
  recent_.add({next_, segment.packet_identity, sum_of(segment, length), length});
  advance(length);
  return true;
}

// Counts it; true when such a segment is suspect.
bool Reassembler::note_checksum(ChecksumStatus checksum) noexcept {
  const bool suspect = checksum == ChecksumStatus::bad && !pushed_.mostly_bad();
  pushed_.add(checksum);
  return suspect;
}

void Reassembler::push_other(const TcpSegment& segment, StreamOffset ack, PushResult& result) {
  pending_ready_ = false;
  if ((segment.flags & tcp::rst) != 0) return;
  const bool suspect = segment.checksum != ChecksumStatus::unknown && note_checksum(segment.checksum);
  const std::uint32_t length = length_of(segment);
  const bool syn = (segment.flags & tcp::syn) != 0;
  const std::uint32_t sequence = segment.sequence + (syn ? 1U : 0U);
  if (!settle_origin(segment, sequence, length, result)) return;
  drop_old_alternates();

  Place place;
  place.begin = unwrap(sequence);
  place.end = place.begin + length;
  place.octets = octets_of(segment);
  place.suspect = suspect;
  if (length == 0) {
    note_empty(segment, place, result);
    return;
  }
  result.keepalive = is_keepalive(segment, place);
  if (result.keepalive) return;
  result.stray = is_stray(place, sequence);
  if (result.stray) return;
  if (place.end <= 0) {
    result.before_origin = length;
    return;
  }

  StreamOffset begin = place.begin < 0 ? 0 : static_cast<StreamOffset>(place.begin);
  result.before_origin = length - octets_between(begin, static_cast<StreamOffset>(place.end));
  result.duplicate = place.begin >= 0 && recent_.has(begin, length, segment.packet_identity);
  if (fin_ && place.end > static_cast<std::int64_t>(*fin_)) {
    result.beyond_fin = octets_between(std::max(begin, *fin_), static_cast<StreamOffset>(place.end));
    place.end = static_cast<std::int64_t>(*fin_);
    place.octets = place.octets.first(static_cast<std::size_t>(std::clamp<std::int64_t>(
        place.end - place.begin, 0, static_cast<std::int64_t>(place.octets.size()))));
  }
  note_late(segment, place, result);
  const StreamOffset next_before = next_;
  begin = std::max(begin, next_);
  if (begin < static_cast<StreamOffset>(place.end)) {
    highest_ = std::max(highest_, static_cast<StreamOffset>(place.end));
    if ((segment.flags & tcp::fin) != 0 && !place.suspect) note_fin(place.end);
    take(segment, place, begin, ack, result);
  } else if ((segment.flags & tcp::fin) != 0 && !suspect) {
    note_fin(place.end);
  }
  const bool sum_holds = !suspect && place.begin >= static_cast<std::int64_t>(next_before) &&
                         !result.conflict && result.refused == 0 && result.beyond_fin == 0;
  if (place.begin >= 0)
    recent_.add({static_cast<StreamOffset>(place.begin), segment.packet_identity,
                 sum_holds ? sum_of(segment, length) : 0, length});
}

// False: nothing of the segment may be taken.
bool Reassembler::settle_origin(const TcpSegment& segment, std::uint32_t sequence, std::uint32_t length,
                                PushResult& result) {
  const bool syn = (segment.flags & tcp::syn) != 0;
  if (!started_) {
    started_ = true;
    syn_seen_ = syn;
    provisional_ = !syn && length == 0;
    next_sequence_ = sequence;
    return true;
  }
  if (syn) {
    const bool same_origin =
        next_ < max_window && sequence == next_sequence_ - static_cast<std::uint32_t>(next_);
    if (!same_origin && !provisional_) {
      result.foreign_syn = true;
      return false;
    }
    if (!same_origin) move_origin(sequence, -unwrap(sequence));
    result.syn_repeated = syn_seen_;
    syn_seen_ = true;
    provisional_ = false;
  } else if (provisional_ && length > 0) {
    const std::int64_t offset = unwrap(sequence);
    if (offset == -1 && length == 1) return true;  // a keepalive
    if (offset < 0 || (offset == 1 && !fin_)) move_origin(sequence, -offset);
    provisional_ = false;
  }
  return true;
}

// REQUIRES: provisional_. Offsets grow by `by`.
void Reassembler::move_origin(std::uint32_t sequence, std::int64_t by) noexcept {
  next_sequence_ = sequence;
  acknowledged_ = 0;  // counted from another origin; the peer will tell again
  if (fin_)
    fin_ = static_cast<StreamOffset>(std::max<std::int64_t>(0, static_cast<std::int64_t>(*fin_) + by));
}

void Reassembler::note_empty(const TcpSegment& segment, const Place& place, PushResult& result) {
  const bool fin = (segment.flags & tcp::fin) != 0;
  const bool syn = (segment.flags & tcp::syn) != 0;
  // A FIN in a damaged segment without octets is not believed: its sender will repeat it.
  if (fin && !place.suspect) note_fin(place.end);
  const auto last = static_cast<std::int64_t>(fin_ ? *fin_ : highest_) - (fin_ ? 0 : 1);
  result.keepalive = !fin && !syn && place.begin == last && (place.begin < static_cast<std::int64_t>(next_));
  if (segment.packet_identity != 0) result.duplicate = recent_.note_empty(segment.packet_identity);
  if (result.duplicate) result.keepalive = result.syn_repeated = false;
}

// One octet, made up, just behind what was sent last. A zero-window probe repeated looks the same, but its
// octet was seen in a segment of its own before.
bool Reassembler::is_keepalive(const TcpSegment& segment, const Place& place) const {
  if (place.end - place.begin != 1 || (segment.flags & (tcp::syn | tcp::fin)) != 0) return false;
  const bool last = place.end == static_cast<std::int64_t>(highest_) ||
                    place.end == static_cast<std::int64_t>(next_) ||
                    (fin_ && place.begin == static_cast<std::int64_t>(*fin_));
  if (!last || place.begin < 0) return last;
  const RecentSegment* earlier = recent_.find(static_cast<StreamOffset>(place.begin), 1);
  if (earlier == nullptr) return true;
  return place.end <= static_cast<std::int64_t>(next_) && earlier->sum != 0 && segment.payload_sum != 0 &&
         earlier->sum != segment.payload_sum;
}

bool Reassembler::is_stray(const Place& place, std::uint32_t sequence) {
  if (place.begin <= static_cast<std::int64_t>(highest_) + max_window) return false;
  const bool continued = stray_end_ == sequence;
  stray_end_ = sequence + static_cast<std::uint32_t>(place.end - place.begin);
  return !continued;
}

// The first FIN counts, if nothing was seen behind it.
void Reassembler::note_fin(std::int64_t end) noexcept {
  if (fin_ || end < static_cast<std::int64_t>(highest_) ||
      end > static_cast<std::int64_t>(highest_) + max_window)
    return;
  fin_ = static_cast<StreamOffset>(end);
}

// What lies before next_.
void Reassembler::note_late(const TcpSegment& segment, const Place& place, PushResult& result) {
  const StreamOffset begin = place.begin < 0 ? 0 : static_cast<StreamOffset>(place.begin);
  const StreamOffset end = std::min(static_cast<StreamOffset>(place.end), next_);
  if (begin >= end) return;
  for (const DeclaredGap& gap : gaps_)
    result.too_late += octets_between(std::max(begin, gap.begin), std::min(end, gap.end));
  if (!result.duplicate) result.retransmitted = octets_between(begin, end) - result.too_late;

  const bool whole = result.before_origin == 0 && result.beyond_fin == 0 &&
                     static_cast<StreamOffset>(place.end) == end && place.octets.size() == end - begin;
  if (!whole || !recent_.differs(begin, end, segment.payload_sum)) return;
  result.conflict = Conflict{begin, octets_between(begin, end), false};
  keep_alternate({begin, Bytes(place.octets.begin(), place.octets.end()), segment.frame, 0, segment.time_ns});
}

// REQUIRES: next_ <= begin < place.end.
void Reassembler::take(const TcpSegment& segment, const Place& place, StreamOffset begin, StreamOffset ack,
                       PushResult& result) {
  const auto end = static_cast<StreamOffset>(place.end);
  if (begin == next_ && !place.suspect) {
    const StreamOffset ready_end = store_.empty() ? end : std::min(end, store_.front_offset());
    if (begin < ready_end) {
      const auto skip = static_cast<std::size_t>(static_cast<std::int64_t>(begin) - place.begin);
      const ByteView rest = place.octets.subspan(std::min(skip, place.octets.size()));
      const ByteView octets = rest.first(std::min<std::size_t>(rest.size(), ready_end - begin));
      pending_ = {begin,
                  octets,
                  ready_end - begin - octets.size(),
                  Absence::snaplen,
                  skip == 0 && !octets.empty(),
                  static_cast<std::uint32_t>(skip),
                  segment.frame,
                  segment.time_ns,
                  ack,
                  is_cut(place)};
      pending_ready_ = true;
      result.fresh = octets_between(begin, ready_end);
      advance(ready_end - begin);
      begin = ready_end;
    }
  }
  if (begin < end) wait(segment, place, begin, ack, result);
  available_ = store_.run_end(std::max(available_, next_));
}

void Reassembler::wait(const TcpSegment& segment, const Place& place, StreamOffset begin, StreamOffset ack,
                       PushResult& result) {
  const auto skip = static_cast<std::size_t>(static_cast<std::int64_t>(begin) - place.begin);
  Arrival arrival;
  arrival.offset = begin;
  arrival.octets = place.octets.subspan(std::min(skip, place.octets.size()));
  arrival.absent = static_cast<StreamOffset>(place.end) - begin - arrival.octets.size();
  arrival.origin = {segment.frame,
                    segment.time_ns,
                    ack,
                    static_cast<std::uint32_t>(skip),
                    segment.checksum == ChecksumStatus::bad,
                    place.suspect,
                    place.suspect && (segment.flags & tcp::fin) != 0,
                    is_cut(place)};
  MergeResult merged = merge(store_, arrival, store_.cost() >= options_.max_waiting);
  result.fresh += merged.fresh;
  result.refused = merged.refused;
  if (!result.duplicate) result.retransmitted += merged.repeated;
  result.suspect = place.suspect;
  result.limit = merged.refused > 0 || store_.cost() >= options_.max_waiting;
  if (!merged.conflict) return;
  result.conflict = merged.conflict;
  recent_.forget_sums(merged.conflict->offset, merged.conflict->offset + merged.conflict->length);
  for (const Displaced& out : merged.displaced) {
    const ByteView octets = out.piece.octets.view();
    keep_alternate({out.offset, Bytes(octets.begin(), octets.end()), out.piece.origin.frame,
                    out.piece.origin.payload_offset, out.piece.origin.time_ns});
  }
  if (merged.first_kept)
    keep_alternate({begin, Bytes(arrival.octets.begin(), arrival.octets.end()), segment.frame,
                    arrival.origin.payload_offset, segment.time_ns});
}

void Reassembler::keep_alternate(Alternate alternate) {
  if (alternate.octets.size() > alternate_octets) alternate.octets.resize(alternate_octets);
  if (alternates_.size() == alternate_capacity) alternates_.erase(alternates_.begin());
  alternates_.push_back(std::move(alternate));
}

void Reassembler::drop_old_alternates() {
  std::erase_if(alternates_, [&](const Alternate& alternate) {
    return next_ > alternate.offset + alternate.octets.size() + alternate_distance;
  });
}

}  // namespace iwarp::stream
