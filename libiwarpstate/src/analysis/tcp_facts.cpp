// What TCP itself tells, as facts: Connection's record_… functions.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/connection.hpp"
#include "state/fold.hpp"

namespace iwarp {

void Connection::record_opened(Side side, const TcpSegment& segment) {
  const bool from_start = (segment.flags & tcp::syn) != 0;
  End& end = ends_[index(side)];
  end.from_start = from_start;
  if (phases_) phases_->captured(side, from_start);
  Event opened = log_.make(EventKind::opened, side, 0);
  std::construct_at(&opened.opened,
                    OpenedFact{state_.endpoints, from_start ? OpenedBy::handshake : OpenedBy::midstream});
  log_.fact(opened);
}

void Connection::record_syn(Side side, const TcpSegment& segment) {
  if (syn_seen(side)) {
    ends_[index(side)].syn_repeated = true;
    return;
  }
  ends_[index(side)].syn_sequence = segment.sequence;
  ends_[index(side)].syn_unconfirmed = true;
  ends_[index(side)].window_scale = segment.window_scale;
  ends_[index(side)].timestamps = segment.timestamps;
  Event syn = log_.make(EventKind::syn, side, 0);
  std::construct_at(&syn.syn, SynFact{segment.mss});
  log_.fact(syn);
}

// `answer`: the first segment without SYN of the peer of `side`, after that one's SYN was captured. What it
// acknowledges may be far from that, or lie before it: then another SYN counts, which was not captured, as
// where a server forgot a half-open connection and answered the SYN again a second later, with another number
// (of a clock: RFC 6528). Octets are counted as if no SYN had been captured.
void Connection::judge_syn(Side side, const TcpSegment& answer) {
  constexpr std::uint32_t far = 4U << 20U;  // a clock's number a quarter of a second later
  if ((answer.flags & (tcp::syn | tcp::rst)) != 0 || (answer.flags & tcp::ack) == 0) return;
  ends_[index(side)].syn_unconfirmed = false;
  if (syn_seen(other(side))) record_handshake_over(other(side), answer);
  stream::Reassembler& own = stream(side);
  const bool in_order = started(other(side)) && answer.sequence == stream(other(side)).next_sequence();
  const bool fits = answer.acknowledgement - own.next_sequence() < far;
  if (!in_order || fits || own.highest_offset() != 0) return;
  own = stream::Reassembler({options_.max_buffered_octets});
  ends_[index(side)].sent = 0;
}

// Where the segment lies in the stream of `side`: behind all that its earlier segments reached, a repeated
// one too, and those that have no octets but follow some that were not captured yet.
StreamOffset Connection::note_sent(Side side, const TcpSegment& segment) {
  constexpr StreamOffset plausible = StreamOffset{16} << 20U;  // beyond what was captured
  StreamOffset& sent = ends_[index(side)].sent;
  const auto begin = stream(side).offset_of(segment.sequence);
  // Octets that come later may have been sent before: offsets are counted from them on.
  const bool uncounted = !begin || stream(side).provisional();
  if (uncounted && segment.wire_length == 0 && (segment.flags & tcp::syn) == 0) return sent_unknown;
  if (!begin) return sent;
  const StreamOffset before = std::max(*begin, sent);
  const bool near = *begin <= stream(side).highest_offset() + plausible;
  if (near && (segment.flags & tcp::rst) == 0) sent = std::max(sent, *begin + segment.wire_length);
  return before;
}

// The time since the SYN-ACK is that of the way to who opened the connection, and back: where it was sent
// once, and the segment is its acknowledgement alone. With octets it may have waited for these.
void Connection::record_handshake_over(Side opener, const TcpSegment& segment) {
  const End& acceptor = ends_[index(other(opener))];
  const bool alone = segment.wire_length == 0 && segment.acknowledgement == acceptor.syn_sequence + 1;
  if (!alone || acceptor.syn_repeated || state_.iwarp || ends_[index(opener)].acknowledged_anything) return;
  Event acknowledged = log_.make(EventKind::acknowledged, opener, stream(opener).next_offset());
  std::construct_at(&acknowledged.acknowledged, AcknowledgedFact{{segment.frame, segment.time_ns}, 0});
  log_.fact(acknowledged);
}

// Only acknowledgements that somebody waits for become facts, or may have waited for.
void Connection::record_acknowledgement(Side side, const TcpSegment& segment) {
  const StreamOffset sent = note_sent(side, segment);
  End& end = ends_[index(side)];
  const bool further =
      segment.acknowledgement - end.last_acknowledgement < 1U << 31U;  // captures swap frames
  const bool anything = std::exchange(end.acknowledged_anything, true);
  const bool more = !anything || (further && segment.acknowledgement != end.last_acknowledgement);
  if (!anything || further) end.last_acknowledgement = segment.acknowledgement;
  if (more && log_.acknowledgements()) record_received(side, segment);
  const Fifo<StreamOffset>& watched = state_.side(other(side)).watched;
  const bool ends_silence = this->ends_silence(segment);
  if (!watched.empty() || ends_silence) {
    const auto offset = stream(other(side)).offset_of(segment.acknowledgement);
    if (offset && (ends_silence || *offset >= watched.front())) {
      Event acknowledged = log_.make(EventKind::acknowledged, side, stream(side).next_offset(), *offset);
      std::construct_at(&acknowledged.acknowledged, AcknowledgedFact{{segment.frame, segment.time_ns}, sent});
      log_.fact(acknowledged);
    }
  }
  record_window(side, segment);
  if (state_.iwarp && syn_seen(Side::a) && syn_seen(Side::b)) record_window_full(side, segment);
}

void Connection::record_received(Side side, const TcpSegment& segment) {
  const auto upto = stream(other(side)).offset_of(segment.acknowledgement);
  if (!upto || !state_.iwarp) return;
  Event received = log_.make(EventKind::received, side, stream(side).next_offset());
  std::construct_at(&received.received, ReceivedFact{{segment.frame, segment.time_ns}, *upto});
  log_.fact(received);
}

// The other side's first segment came: now it is known what `side` has acknowledged of it all along, the two
// directions being out of step.
void Connection::record_early_acknowledgement(Side side) {
  if (!ends_[index(side)].acknowledged_anything) return;
  constexpr StreamOffset plausible = StreamOffset{1} << 30U;
  const auto offset = stream(other(side)).offset_of(ends_[index(side)].last_acknowledgement);
  if (!offset || *offset == 0 || *offset > plausible) return;
  Event acknowledged = log_.make(EventKind::acknowledged, side, stream(side).next_offset(), *offset);
  std::construct_at(&acknowledged.acknowledged,
                    AcknowledgedFact{{log_.frame(), log_.time_ns()}, acknowledged.offset});
  log_.fact(acknowledged);
}

void Connection::record_window(Side side, const TcpSegment& segment) {
  const bool closed = segment.window == 0 && (segment.flags & (tcp::rst | tcp::syn)) == 0;
  if (closed == std::exchange(ends_[index(side)].window_closed, closed)) return;
  Event window = log_.make(EventKind::window, side, stream(side).next_offset());
  std::construct_at(&window.window, WindowFact{closed});
  log_.fact(window);
}

// What the SYNs of both offered counts only where both did (RFC 7323 §2.2, §3.2).
WindowTerms Connection::agreed_terms(Side receiver) const noexcept {
  constexpr std::uint32_t default_segment = 536;  // RFC 9293 §3.7.1
  constexpr std::uint32_t timestamps_octets = 12;
  const End& own = ends_[index(receiver)];
  const End& peer = ends_[index(other(receiver))];
  WindowTerms terms;
  if (own.window_scale >= 0 && peer.window_scale >= 0) terms.shift = static_cast<unsigned>(own.window_scale);
  terms.max_segment = default_segment;
  const std::uint32_t smaller = std::min(state_.side(receiver).mss, state_.side(other(receiver)).mss);
  if (smaller != 0) terms.max_segment = smaller;
  if (own.timestamps && peer.timestamps && terms.max_segment > timestamps_octets)
    terms.max_segment -= timestamps_octets;
  return terms;
}

void Connection::record_window_full(Side side, const TcpSegment& segment) {
  if ((segment.flags & (tcp::rst | tcp::syn)) != 0) return;
  ends_[index(side)].window.offered(segment, window_terms(side));
  if (segment.wire_length == 0) return;
  const Side receiver = other(side);
  const auto wait = ends_[index(receiver)].window.sent(segment, window_terms(receiver));
  if (!wait) return;
  Event full = log_.make(EventKind::window_full, receiver, stream(receiver).next_offset());
  std::construct_at(&full.window_full, *wait);
  log_.fact(full);
}

void Connection::record_push(Side side, const TcpSegment& segment, const stream::PushResult& result) {
  const Placement placed{segment.frame, segment.time_ns};
  if (segment.checksum == ChecksumStatus::bad) note_once(placed, side, CheckId::cap_cksum);
  if (segment.payload.size() < segment.wire_length) note_cut(side, segment);
  if (result.duplicate) note_once(placed, side, CheckId::cap_dupframe);
  if (result.before_origin > 0) log_.count_early_segment();
  if (result.beyond_fin > 0) log_.count_segment_behind_fin();
  if (result.retransmitted == 0 && !result.duplicate) return;
  Event retransmission =
      log_.make(EventKind::retransmitted, side,
                stream(side).offset_of(segment.sequence).value_or(stream(side).next_offset()));
  std::construct_at(&retransmission.retransmitted, RetransmittedFact{result.retransmitted, result.duplicate});
  log_.fact(retransmission);
}

void Connection::note_cut(Side side, const TcpSegment& segment) {
  note_once({segment.frame, segment.time_ns}, side, CheckId::cap_snap, segment.payload.size(),
            segment.wire_length);
}

// Octets are missing, and no CRC tells that what stands behind them are FPDUs of this stream.
bool Connection::framing_uncertain(Side side) const noexcept {
  if (!phases_) return false;
  const Direction& direction = phases_->direction(side);
  if (direction.end_doubtful() || direction.guesses_markers()) return true;
  if (!log_.coverage().absent(side)) return false;
  const SideState& state = state_.side(side);
  const bool proven =
      phases_->direction(side).synchronized() && state.crc == Mode::on && state.missing_reason == Reason::gap;
  return !proven;
}

// Nothing more comes of `side`: its octets are what they seem to be by now.
void Connection::finish_framing(Side side) {
  if (phases_ && phases_->direction(side).framed()) phases_->finish_framing(side);
}

void Connection::record_fin(Side side) {
  if (std::exchange(ends_[index(side)].fin_recorded, true)) return;
  ended_ = ended_ || ends_[index(other(side))].fin_recorded;
  finish_framing(side);
  Event fin = log_.make(EventKind::fin, side, *stream(side).fin_offset(), ends_[index(side)].fin_ack);
  const EndFact end{.inside_fpdu = inside_fpdu(side),
                    .missing = framing_uncertain(side),
                    .segment = ends_[index(side)].fin_segment};
  if (end.inside_fpdu && end.missing) log_.coverage().note_lacking_before_end();
  std::construct_at(&fin.end, end);
  log_.fact(fin);
  if (phases_) phases_->ended(side);
}

// A segment without octets lies behind some that were never captured, or acknowledges them.
void Connection::note_lacking_before_end() noexcept {
  constexpr StreamOffset plausible = StreamOffset{16} << 20U;
  for (const Side side : {Side::a, Side::b}) {
    const StreamOffset captured = stream(side).captured_upto();
    const End& peer = ends_[index(other(side))];
    const auto received = stream(side).offset_of(peer.last_acknowledgement);
    const bool lacking =
        peer.acknowledged_anything && received && *received > captured && *received - captured < plausible;
    if (lacking || ends_[index(side)].sent > captured) log_.coverage().note_lacking_before_end();
  }
}

// RFC 5961 §3.2: only a RST with just the sequence number that is due closes a connection; so one that lies
// behind what the other side acknowledged, or beyond all that was captured, is doubtful.
void Connection::take_rst(Side side, const TcpSegment& segment, StreamOffset ack) {
  const stream::Reassembler& stream = this->stream(side);
  const StreamOffset at = stream.offset_of(segment.sequence).value_or(0);
  // Without an acknowledgement it answers octets for which there is no connection any more, with the number
  // that they acknowledge (RFC 9293 §3.10.7.1). If nothing captured did, these are missing; if its sender had
  // sent more than that, how it had ended is.
  const bool after_the_end = ack == 0 && (at > stream.acknowledged_offset() || at < stream.next_offset());
  if (after_the_end || at > stream.captured_upto()) log_.coverage().note_lacking_before_end();
  const bool due = at >= stream.acknowledged_offset() && at <= stream.highest_offset() + 1;
  if (due || !stream.started()) {
    record_rst(side, {segment.frame, segment.time_ns}, ack);
  } else if (!doubtful_rst_) {
    doubtful_rst_ = DoubtfulRst{side, {segment.frame, segment.time_ns}, ack};
  }
}

void Connection::record_rst(Side side, const Placement& segment, StreamOffset ack) {
  if (state_.side(side).rst_frame) return;
  ended_ = true;
  if (ack == 0) {
    log_.coverage().note_bare_rst();
    note_lacking_before_end();
  }
  if (stream(side).waiting_octets() == 0) finish_framing(side);
  Event rst = log_.make(EventKind::rst, side, stream(side).next_offset(), ack);
  const Side peer = other(side);
  // Behind a hole an FPDU may be open as well.
  const auto inside = [this](Side each) {
    return inside_fpdu(each) || (framed(each) != nullptr && stream(each).hole());
  };
  const auto uncertain = [this](Side each) {
    const Direction* const direction = framed(each);
    return framing_uncertain(each) || (direction != nullptr && direction->in_doubt()) || stream(each).hole();
  };
  std::construct_at(&rst.end, EndFact{inside(side), uncertain(side), inside(peer), uncertain(peer), segment});
  log_.fact(rst);
}

}  // namespace iwarp
