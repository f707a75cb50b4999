// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/causal_order.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::stream {
namespace {

constexpr StreamOffset plausible_lead = 16U << 20U;
constexpr std::uint8_t silent_after = 3;

std::uint32_t first_sequence(const TcpSegment& segment) noexcept {
  return segment.sequence + ((segment.flags & tcp::syn) != 0 ? 1U : 0U);
}

std::uint32_t end_sequence(const TcpSegment& segment) noexcept {
  return first_sequence(segment) +
         std::max(static_cast<std::uint32_t>(segment.payload.size()), segment.wire_length);
}

bool not_behind(std::uint32_t left, std::uint32_t right) noexcept {
  return static_cast<std::int32_t>(left - right) <= 0;
}

}  // namespace

CausalOrder::Need CausalOrder::need_of(Side side, const TcpSegment& segment,
                                       const StreamPair& streams) const noexcept {
  Need need;
  const Reassembler& peer = streams[index(other(side))];
  if ((segment.flags & tcp::ack) == 0 || !peer.started()) return need;
  need.upto = *peer.offset_of(segment.acknowledgement);
  if (need.upto <= peer.available_offset()) {
    need.ack = need.upto;
    return need;
  }
  const auto fin = peer.fin_offset();
  if (fin && need.upto > *fin) {
    need.upto = *fin;
    need.ack = need.upto;
    if (need.upto <= peer.available_offset()) return need;
  }
  if (need.upto - std::min(need.upto, peer.highest_offset()) > plausible_lead) return need;
  need.fin_only =
      !fin && need.upto == peer.available_offset() + 1 && peer.highest_offset() == peer.available_offset();
  need.ack = need.fin_only ? need.upto - 1 : need.upto;
  const bool silent = silent_gaps_[index(other(side))] >= silent_after && held_[index(other(side))].empty();
  need.ahead = (segment.flags & tcp::syn) == 0 && !silent && need.upto > given_up_[index(other(side))];
  return need;
}

void CausalOrder::add(Side side, const TcpSegment& segment, const StreamPair& streams) {
  ++added_;
  latest_ns_ = segment.time_ns;
  silent_gaps_[index(side)] = 0;
  const Reassembler& own = streams[index(side)];
  if (const auto begin = own.offset_of(first_sequence(segment))) {
    StreamOffset& frontier = frontier_[index(side)];
    const StreamOffset end = *begin + (end_sequence(segment) - first_sequence(segment));
    if (end > frontier && end <= std::max(frontier, own.highest_offset()) + plausible_lead) frontier = end;
  }
  if (held_[index(side)].empty()) {
    const Need need = need_of(side, segment, streams);
    if (!need.ahead) {
      direct_ = &segment;
      direct_side_ = side;
      direct_ack_ = need.ack;
      return;
    }
  }
  hold(side, segment);
}

ReadLimit CausalOrder::read_limit(Side side, const StreamPair& streams) const noexcept {
  const Fifo<Held>& queue = held_[index(other(side))];
  if (queue.empty()) return {};
  const TcpSegment& first = queue.front().segment;
  return {need_of(other(side), first, streams).ack, first.frame};
}

StreamOffset CausalOrder::waiting_end(Side side, const StreamPair& streams) const noexcept {
  StreamOffset last = 0;
  for (const Held& held : held_[index(side)]) {
    const TcpSegment& segment = held.segment;
    const auto begin = streams[index(side)].offset_of(first_sequence(segment));
    const std::uint32_t length = end_sequence(segment) - first_sequence(segment);
    if (begin && length > 0) last = std::max(last, *begin + length);
  }
  return last;
}

// REQUIRES: something waits.
bool CausalOrder::next_held(Step& step, const StreamPair& streams) {
  // Of two, the earlier captured.
  const auto earlier = [&](std::size_t a, std::size_t b) {
    return arrival_of(Side::a, a) < arrival_of(Side::b, b) ? Side::a : Side::b;
  };
  const std::array ready{first_ready(Side::a, streams), first_ready(Side::b, streams)};
  if (ready[0] != none || ready[1] != none) {
    const Side side = earlier(ready[0], ready[1]);
    release(side, ready[index(side)], streams, step);
    return true;
  }
  // Both wait, each for octets that wait in the other direction: one is a repeated segment whose first
  // copy was not captured, most likely the later one.
  const std::array carriers{carrier(Side::a, streams), carrier(Side::b, streams)};
  if (carriers[0] != none && carriers[1] != none) {
    const Side side = other(earlier(carriers[0], carriers[1]));
    release(side, carriers[index(side)], streams, step);
    step.repeated = need_of(side, released_.segment, streams).ahead;
    return true;
  }
  const std::array due{overdue(Side::a, streams) || overfull(Side::a),
                       overdue(Side::b, streams) || overfull(Side::b)};
  if (!due[0] && !due[1]) return false;
  const Side side = earlier(due[0] ? 0 : none, due[1] ? 0 : none);
  // What it waits for is at hand where it waits itself: for octets of this side that nothing brings.
  const bool at_hand = carriers[index(other(side))] != none;
  give_up(at_hand ? other(side) : side, streams, step);
  return true;
}

// The first segment that need not wait: nothing that waits in front of it comes before it in the stream.
std::size_t CausalOrder::first_ready(Side side, const StreamPair& streams) const noexcept {
  const Fifo<Held>& queue = held_[index(side)];
  std::uint32_t lowest = 0;
  for (std::size_t position = 0; position < queue.size(); ++position) {
    const TcpSegment& segment = queue[position].segment;
    const bool may_pass = position == 0 || not_behind(end_sequence(segment), lowest);
    if (may_pass && !need_of(side, segment, streams).ahead) return position;
    const std::uint32_t first = first_sequence(segment);
    if (position == 0 || not_behind(first, lowest)) lowest = first;
  }
  return none;
}

// The waiting segment with the first octet that is missing in the stream of `side`.
std::size_t CausalOrder::carrier(Side side, const StreamPair& streams) const noexcept {
  const Reassembler& stream = streams[index(side)];
  const Fifo<Held>& queue = held_[index(side)];
  for (std::size_t position = 0; position < queue.size(); ++position) {
    const TcpSegment& segment = queue[position].segment;
    const StreamOffset missing = stream.available_offset();
    const StreamOffset begin = stream.offset_of(first_sequence(segment)).value_or(missing);
    const std::uint32_t length = end_sequence(segment) - first_sequence(segment);
    if (begin <= missing && missing < begin + length) return position;
  }
  return none;
}

// Of the waiting segments of `side` that lie behind the octets available, the lowest: what it has is not
// missing.
CausalOrder::HoleEnd CausalOrder::first_held(Side side, const StreamPair& streams) const noexcept {
  const Reassembler& stream = streams[index(side)];
  HoleEnd lowest;
  for (const Held& held : held_[index(side)]) {
    const TcpSegment& segment = held.segment;
    const auto begin = stream.offset_of(first_sequence(segment));
    const bool empty = end_sequence(segment) == first_sequence(segment);
    if (!begin || empty || *begin <= stream.available_offset() || *begin >= lowest.upto) continue;
    lowest = {*begin, {segment.frame, segment.time_ns}};
  }
  return lowest;
}

std::uint64_t CausalOrder::arrival_of(Side side, std::size_t position) const noexcept {
  return position == none ? ~std::uint64_t{0} : held_[index(side)][position].arrival;
}

// Nothing was captured of `side` from `upto` on: octets before it are not missing for certain, they may be
// late.
bool CausalOrder::lags(Side side, StreamOffset upto, const StreamPair& streams) const noexcept {
  return upto > std::max(frontier_[index(side)], streams[index(side)].highest_offset());
}

// The first in the queue waited long enough.
bool CausalOrder::overdue(Side side, const StreamPair& streams) const noexcept {
  const Fifo<Held>& queue = held_[index(side)];
  if (queue.empty()) return false;
  if (flushing_) return true;
  const Held& first = queue.front();
  const Need need = need_of(side, first.segment, streams);
  const bool late = !need.fin_only && lags(other(side), need.upto, streams);
  if (!late && added_ - first.arrival >= options_.reorder_frames) return true;
  if (latest_ns_ <= first.segment.time_ns) return false;
  const std::uint64_t waited =
      static_cast<std::uint64_t>(latest_ns_) - static_cast<std::uint64_t>(first.segment.time_ns);
  const TimeNs patience = late ? options_.lag_time_ns : options_.reorder_time_ns;
  return waited >= static_cast<std::uint64_t>(std::max<TimeNs>(patience, 0));
}

bool CausalOrder::overfull(Side side) const noexcept {
  return held_[index(side)].size() > options_.max_segments || octets_[index(side)] > options_.max_octets;
}

void CausalOrder::hold(Side side, const TcpSegment& segment) {
  Held held;
  held.segment = segment;
  held.payload.assign(segment.payload.begin(), segment.payload.end());
  held.segment.payload = held.payload;
  held.arrival = added_;
  waited_ = true;
  octets_[index(side)] += held.payload.size();
  held_[index(side)].push_back(std::move(held));
}

void CausalOrder::release(Side side, std::size_t position, const StreamPair& streams, Step& step) {
  Fifo<Held>& queue = held_[index(side)];
  released_ = std::move(queue[position]);
  queue.erase(position);
  octets_[index(side)] -= released_.payload.size();
  silent_gaps_[index(side)] = 0;  // its holes had octets behind them
  const StreamOffset ack = need_of(side, released_.segment, streams).ack;
  step = {Kind::deliver, side, false, &released_.segment, ack, 0, false, {}};
}

// Lets the first in the queue go. Where octets are missing the caller is told first, and the segment, which
// no longer waits for what was given up, comes with a later step.
void CausalOrder::give_up(Side side, const StreamPair& streams, Step& step) {
  const TcpSegment& first = held_[index(side)].front().segment;
  const Need need = need_of(side, first, streams);
  const Side silent = other(side);
  const HoleEnd held = first_held(silent, streams);
  // A hole that was given up before is still there: its end is no step forward.
  const bool inside = held.upto <= need.upto && held.upto != given_up_[index(silent)];
  const auto [upto, shown_by] = inside ? held : HoleEnd{need.upto, {first.frame, first.time_ns}};
  given_up_[index(silent)] = upto;
  if (need.fin_only) {
    step = {Kind::missing_end, silent, false, nullptr, 0, upto, false, shown_by};
    return;
  }
  // A gap with something behind it is no silence.
  silent_gaps_[index(silent)] =
      lags(silent, upto, streams) ? static_cast<std::uint8_t>(silent_gaps_[index(silent)] + 1) : 0;
  step = {Kind::missing, silent,  overfull(side) && !overdue(side, streams), nullptr, 0, upto,
          false,         shown_by};
}

}  // namespace iwarp::stream
