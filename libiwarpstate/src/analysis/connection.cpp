// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/connection.hpp"

#include <memory>
#include <utility>

namespace iwarp {
namespace {

constexpr Side sides[] = {Side::a, Side::b};

stream::CausalOrderOptions order_options(const AnalyzerOptions& options) {
  stream::CausalOrderOptions order;
  order.reorder_frames = options.reorder_frames;
  order.reorder_time_ns = options.reorder_time_ns;
  return order;
}

// The SYN's sender is side a; a SYN+ACK names it as its destination.
bool first_is_side_b(const TcpSegment& first) noexcept {
  return (first.flags & tcp::syn) != 0 && (first.flags & tcp::ack) != 0;
}

}  // namespace

Connection::Connection(const AnalyzerOptions& options, Recorder& recorder)
    : options_(options),
      log_(recorder, state_, streams_),
      capture_findings_(log_),
      streams_{stream::Reassembler({options.max_buffered_octets}),
               stream::Reassembler({options.max_buffered_octets})},
      order_(order_options(options)) {}

Connection::Connection(ConnectionId id, const TcpSegment& first, const AnalyzerOptions& options,
                       Recorder& recorder)
    : Connection(options, recorder) {
  state_.id = id;
  state_.endpoints = first_is_side_b(first) ? std::array{first.destination, first.source}
                                            : std::array{first.source, first.destination};
  last_.time_ns = first.time_ns;
}

void Connection::add(Side side, const TcpSegment& segment) {
  const bool in_doubt = syn_seen(side) && syn_sequence(side) != segment.sequence;
  if (in_doubt && answers_again(side, segment)) return;  // judge_syn tells which of them counts
  End& end = ends_[index(side)];
  if (!std::exchange(end.seen, true)) record_opened(side, segment);
  if ((segment.flags & tcp::fin) != 0 && !end.fin_number && segment.checksum != ChecksumStatus::bad)
    end.fin_number = segment.sequence + segment.wire_length;
  log_.coverage().note_seen(side);
  if (segment.time_ns < last_.time_ns) {
    log_.coverage().note_shuffled();
    note_once({segment.frame, segment.time_ns}, side, CheckId::cap_tsrev,
              static_cast<std::uint64_t>(last_.time_ns - segment.time_ns));
  }
  silence_ns_ = segment.time_ns - last_.time_ns;
  last_ = {segment.frame, segment.time_ns};
  if (ends_[index(other(side))].syn_unconfirmed) judge_syn(other(side), segment);
  stream(side).captured(segment.checksum);
  order_.add(side, segment, streams_);
  if (order_.waited()) log_.coverage().note_out_of_step();
  run_steps();
  for (const Side each : sides) {
    if (!ends_[index(each)].gap_timeout.unneeded(stream(each))) give_up_old_hole(each);
  }
  const auto captured = static_cast<std::uint32_t>(segment.payload.size());
  const bool is_last = segment.sequence + captured == stream(side).next_sequence();
  if (captured != 0 && (!is_last || seeks_behind_hole(side))) place_ahead(side, segment);
  capture_findings_.flush();
}

// The segment did not end what was delivered, or it is not known where FPDUs begin in that: its octets wait,
// or came before.
void Connection::place_ahead(Side side, const TcpSegment& segment) {
  constexpr StreamOffset plausible = StreamOffset{16} << 20U;  // beyond what was captured
  const stream::Reassembler& stream = this->stream(side);
  if (framed(side) == nullptr || !stream.started()) return;
  if (segment.checksum == ChecksumStatus::bad || (segment.flags & tcp::rst) != 0) return;
  const StreamOffset begin =
      *stream.offset_of(segment.sequence + ((segment.flags & tcp::syn) != 0 ? 1U : 0U));
  const StreamOffset next =
      seeks_behind_hole(side) ? framed(side)->framer().position() : stream.next_offset();
  const StreamOffset end = begin + segment.payload.size();
  if (end <= next || begin > stream.highest_offset() + plausible) return;
  const StreamOffset late = next - std::min(next, begin);  // octets that were delivered before
  stream::Chunk chunk;
  chunk.offset = begin + late;
  chunk.octets = segment.payload.subspan(static_cast<std::size_t>(late));
  chunk.segment_start = late == 0;
  chunk.payload_offset = static_cast<std::uint32_t>(late);
  chunk.frame = segment.frame;
  chunk.time_ns = segment.time_ns;
  chunk.cut = segment.payload.size() < segment.wire_length;
  phases_->direction(side).place_ahead(chunk);
}

Phases& Connection::make_phases() {
  phases_ = std::make_unique<Phases>(log_, capture_findings_, streams_);
  for (const Side side : sides) {
    const End& end = ends_[index(side)];
    if (end.seen) phases_->captured(side, end.from_start);
    phases_->begun(side, end.begun_frame);
    if (end.fin_recorded) phases_->ended(side);
  }
  return *phases_;
}

void Connection::run_steps() {
  for (stream::CausalOrder::Step step; order_.next(step, streams_);) {
    if (step.kind == stream::CausalOrder::Kind::missing_end) {
      if (!phases_ || phases_->may_end(step.side)) continue;  // no FIN comes inside an FPDU: it is the octet
      if (stream(step.side).declare_gap(step.upto, step.shown_by)) drain_in_turn(step.side);
    } else if (step.kind == stream::CausalOrder::Kind::missing) {
      drain_in_turn(step.side);  // what waited for a segment of the peer that has gone by now
      while (stream(step.side).declare_gap(step.upto, step.shown_by)) drain_in_turn(step.side);
    } else {
      drain(step.side);
      stream(other(step.side)).acknowledged(step.ack);
      drain(other(step.side), {step.ack, step.segment->frame});
      const bool unknown = step.repeated && framed(step.side) != nullptr;
      deliver(step.side, *step.segment, unknown ? 0 : step.ack);
    }
  }
  for (const Side side : sides) drain(side);
}

void Connection::deliver(Side side, const TcpSegment& segment, StreamOffset ack) {
  if ((segment.flags & tcp::syn) != 0) record_syn(side, segment);
  if ((segment.flags & tcp::ack) != 0) record_acknowledgement(side, segment);
  if (stream(side).push_due(segment, ack)) {
    if (segment.payload.size() < segment.wire_length) note_cut(side, segment);
    read_ready(side);
    doubtful_rst_.reset();  // whoever got it did not close
  } else {
    deliver_other(side, segment, ack);
  }
}

void Connection::deliver_other(Side side, const TcpSegment& segment, StreamOffset ack) {
  const bool is_first = !started(side);
  if (is_first) {
    ends_[index(side)].begun_frame = log_.frame();
    if (phases_) phases_->begun(side, log_.frame());
  }
  const stream::PushResult result = stream(side).push(segment, ack);
  if (is_first) record_early_acknowledgement(other(side));
  record_push(side, segment, result);
  if ((segment.flags & tcp::fin) != 0) ends_[index(side)].note_fin(segment, ack);
  if (result.conflict) phases().direction(side).add_conflict(*result.conflict, segment.frame);
  drain(side);
  if (result.limit || result.refused > 0) {
    note_once({segment.frame, segment.time_ns}, side, CheckId::cap_limit,
              static_cast<std::uint64_t>(Phrase::buffered_octets), stream(side).waiting_octets());
    if (const auto hole = stream(side).hole(); hole && stream(side).declare_gap(hole->end)) drain(side);
  }
  if (result.conflict) phases().direction(side).settle_conflict();
  if ((segment.flags & tcp::rst) != 0) {
    take_rst(side, segment, ack);
  } else if (segment.wire_length > 0 || (segment.flags & tcp::fin) != 0) {
    doubtful_rst_.reset();
  }
}

void Connection::read_ready(Side side, const stream::ReadLimit& limit) {
  stream::Reassembler& stream = this->stream(side);
  while (const stream::Chunk* const chunk = stream.poll(limit)) {
    if (chunk->cut && (streams_[0].damaged() || streams_[1].damaged())) log_.coverage().note_unverified();
    phases().take(side, *chunk, stream.syn_seen());
  }
  if (stream.fin_reached()) record_fin(side);
}

void Connection::give_up_old_hole(Side side) {
  stream::Reassembler& stream = this->stream(side);
  if (!ends_[index(side)].gap_timeout.exhausted(stream, !started(other(side)), log_.time_ns())) return;
  if (!stream.declare_gap(stream.hole()->end, ends_[index(side)].fin_segment)) return;
  drain_in_turn(side);
  run_steps();
}

void Connection::give_up_holes(Side side) {
  while (const auto hole = stream(side).hole()) {
    if (!stream(side).declare_gap(hole->end, ends_[index(side)].fin_segment)) break;
    drain(side);
  }
}

void Connection::release_buffers() {
  order_.flush();
  run_steps();
  for (const Side side : sides) {
    give_up_holes(side);
    note_once(last_, side, CheckId::cap_limit, static_cast<std::uint64_t>(Phrase::buffered_octets),
              options_.max_total_buffered);
  }
}

void Connection::note_let_go(Phrase limit) {
  const Placement added = log_.own_placement();
  log_.set_own_placement(last_);  // the one being added is another connection's
  note_once(last_, Side::a, CheckId::cap_letgo, static_cast<std::uint64_t>(limit));
  log_.set_own_placement(added);
}

void Connection::forget_waiting() {
  order_.forget_waiting();
  for (const Side side : sides) {
    stream(side).forget_waiting();
    if (phases_) phases_->direction(side).forget_placed();
  }
}

void Connection::close(CloseCause cause) {
  const Placement added = log_.own_placement();
  log_.set_own_placement(last_);  // the one being added is another connection's
  order_.flush();
  run_steps();
  for (const Side side : sides) give_up_holes(side);
  if (phases_) phases_->finish();
  capture_findings_.flush();
  if (doubtful_rst_) record_rst(doubtful_rst_->side, doubtful_rst_->segment, doubtful_rst_->ack);
  note_lacking_before_end();
  // How it ended was not captured.
  if (cause == CloseCause::reused && !ended()) log_.coverage().note_lacking_before_end();
  Event closed = log_.make(EventKind::closed, Side::a, 0);
  std::construct_at(&closed.closed, ClosedFact{cause, last_.frame, last_.time_ns});
  log_.fact(closed);
  log_.set_own_placement(added);
}

CloseCause Connection::end_cause() const noexcept {
  const bool reset = state_.side(Side::a).rst_frame || state_.side(Side::b).rst_frame;
  return reset ? CloseCause::rst : CloseCause::fin;
}

bool Connection::answers_again(Side side, const TcpSegment& segment) const noexcept {
  constexpr std::uint8_t both = tcp::syn | tcp::ack;
  return (segment.flags & both) == both && ends_[index(side)].syn_unconfirmed && syn_seen(other(side)) &&
         segment.acknowledgement == syn_sequence(other(side)) + 1;
}

namespace {

bool are_near(std::uint32_t one, std::uint32_t another, std::uint32_t distance) noexcept {
  return one - another + distance <= 2 * distance;
}

}  // namespace

bool Connection::is_answered_by(const TcpSegment& segment) const noexcept {
  const Side side = side_of(segment.source);
  const Side heard = other(side);
  if (ends_[index(side)].seen || !started(heard) || (segment.flags & tcp::ack) == 0) return false;
  constexpr std::uint32_t window = 1U << 20U;
  const std::uint32_t sent = stream(heard).next_sequence();
  if (!are_near(segment.acknowledgement, sent, window)) return false;
  const End& end = ends_[index(heard)];
  return end.acknowledged_anything ? are_near(segment.sequence, end.last_acknowledgement, window)
                                   : segment.acknowledgement == sent;
}

bool Connection::is_continued_by(const TcpSegment& segment) const noexcept {
  const stream::Reassembler& own = stream(side_of(segment.source));
  return own.started() && (segment.flags & tcp::syn) == 0 && segment.wire_length > 0 &&
         segment.sequence == own.next_sequence();
}

bool Connection::is_near(const TcpSegment& segment) const noexcept {
  constexpr std::uint32_t under_way = 1U << 16U;
  const Side side = side_of(segment.source);
  const End& own = ends_[index(side)];
  if (!started(side) || (segment.flags & (tcp::syn | tcp::ack)) != tcp::ack) return false;
  // Where both connections began in the capture only their SYNs tell that they are one.
  const bool started_up = state_.mpa.frames[0] || state_.mpa.frames[1];
  if (started_up && !syn_seen(Side::a) && !syn_seen(Side::b)) return false;
  return own.acknowledged_anything && are_near(segment.sequence, stream(side).next_sequence(), under_way) &&
         are_near(segment.acknowledgement, own.last_acknowledgement, under_way);
}

bool Connection::has_copy_of(const TcpSegment& segment) const noexcept {
  const Side side = side_of(segment.source);
  if ((segment.flags & tcp::syn) == 0) return stream(side).has_copy_of(segment);
  if (!syn_seen(side) || syn_sequence(side) != segment.sequence) return false;
  const bool answers = (segment.flags & tcp::ack) != 0 && syn_seen(other(side));
  return !answers || segment.acknowledgement == syn_sequence(other(side)) + 1;
}

TcpReach Connection::reach() const noexcept {
  TcpReach reach;
  for (const Side side : sides) {
    const stream::Reassembler& stream = this->stream(side);
    const End& end = ends_[index(side)];
    const End& peer = ends_[index(other(side))];
    std::optional<std::uint32_t>& next = reach.next[index(side)];
    std::uint64_t& carried = reach.carried[index(side)];
    carried = stream.highest_offset();
    const auto number_of = [&](StreamOffset offset) {
      return stream.next_sequence() + static_cast<std::uint32_t>(offset - stream.next_offset());
    };
    if (stream.started()) {
      next = number_of(carried);
    } else if (peer.acknowledged_anything) {
      next = peer.last_acknowledgement;
    }
    reach.started_up[index(side)] = state_.side(side).phase != Phase::streaming;
    reach.finished[index(side)] = end.fin_number && (!next || *end.fin_number - *next < 1U << 31U);
    if (reach.finished[index(side)]) {
      carried += next ? *end.fin_number - *next : 0U;
      next = end.fin_number;
    } else if (const StreamOffset waiting = order_.waiting_end(side, streams_); waiting > carried) {
      // What waits for octets of the other direction was captured, too. It is not read yet: mostly FPDUs.
      reach.started_up[index(side)] = true;
      carried = waiting;
      next = number_of(carried);
    }
    reach.begun[index(side)] = stream.syn_seen();
    reach.acknowledged[index(side)] =
        end.acknowledged_anything ? std::optional(end.last_acknowledgement) : std::nullopt;
  }
  return reach;
}

std::size_t Connection::buffered() const noexcept {
  return streams_[0].waiting_octets() + streams_[1].waiting_octets() + order_.waiting_octets();
}

std::size_t Connection::held() const noexcept {
  std::size_t octets = buffered();
  for (const Side side : sides) {
    if (phases_) octets += phases_->direction(side).framer().held();
  }
  return octets;
}

void Connection::note_once(const Placement& placed, Side side, CheckId check, std::uint64_t first,
                           std::uint64_t second) {
  capture_findings_.once(placed, side, stream(side).next_offset(), check, first, second);
}

}  // namespace iwarp
