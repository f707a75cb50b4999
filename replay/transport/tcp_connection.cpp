// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/tcp_connection.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

constexpr unsigned duplicates_for_retransmission = 3;  // RFC 5681 §3.2
constexpr unsigned segments_per_ack = 2;               // RFC 9293 §3.8.6.3
constexpr std::uint8_t max_window_shift = 14;          // RFC 7323 §2.3

std::uint16_t usual_max_segment(const Endpoint& endpoint) noexcept {
  return endpoint.address.version == 4 ? 1460 : 1440;
}

std::uint8_t window_shift(std::size_t buffer) noexcept {
  std::uint8_t shift = 0;
  while (shift < max_window_shift && buffer >> shift > 0xffff) ++shift;
  return shift;
}

TimeNs later(TimeNs now, TimeNs duration) noexcept {
  return duration >= never - now ? never : now + duration;
}

}  // namespace

TcpConnection::TcpConnection(const TcpOptions& options, const Endpoint& local, const Endpoint& peer,
                             std::uint32_t initial_sequence)
    : options_(options),
      local_(local),
      peer_(peer),
      sending_(options.send_buffer),
      initial_sequence_(options.initial_sequence.value_or(initial_sequence)),
      receiving_(options.receive_buffer),
      receive_shift_(window_shift(options.receive_buffer)),
      timer_(options.retransmission) {
  if (options_.max_segment == 0) options_.max_segment = usual_max_segment(local);
}

// --- handshake (RFC 9293 §3.5) -------------------------------------------------------------------------

void TcpConnection::open(TimeNs now) {
  syn_due_ = true;
  progress_at_ = now;
  arm_retransmission(now);
}

void TcpConnection::accept(const Packet& syn, TimeNs now) {
  phase_ = Phase::syn_received;
  note_syn(syn);
  syn_due_ = true;
  progress_at_ = now;
  arm_retransmission(now);
}

void TcpConnection::note_syn(const Packet& syn) {
  peer_initial_sequence_ = syn.sequence;
  send_max_segment_ =
      std::min(syn.max_segment == 0 ? std::uint16_t{536} : syn.max_segment, options_.max_segment);
  if (syn.window_shift) {
    send_shift_ = std::min(*syn.window_shift, max_window_shift);
  } else {
    receive_shift_ = 0;  // RFC 7323 §2.2: both or none
  }
  send_window_end_ = syn.window;  // never scaled in a SYN
  send_window_largest_ = syn.window;
}

void TcpConnection::handle_in_syn_sent(const Packet& packet, TimeNs now) {
  const bool acknowledges = packet.has(tcp::ack) && packet.acknowledgement == own_sequence(0);
  if (!acknowledges) return;
  if (packet.has(tcp::rst)) return end(Arrival::reset);
  if (!packet.has(tcp::syn)) return;
  note_syn(packet);
  if (!syn_repeated_) timer_.measured(now - progress_at_);
  ack_due_ = true;
  establish(now);
}

void TcpConnection::establish(TimeNs now) {
  phase_ = Phase::established;
  syn_due_ = false;
  timer_.restart();
  retransmission_at_ = never;
  progress_at_ = now;
  tell_established_ = true;
  news_ = true;
}

// --- segments ------------------------------------------------------------------------------------------

std::int64_t TcpConnection::peer_position(std::uint32_t sequence) const noexcept {
  const std::uint64_t expected = receiving_.next();
  const std::uint32_t expected_sequence = peer_initial_sequence_ + 1 + static_cast<std::uint32_t>(expected);
  return static_cast<std::int64_t>(expected) + static_cast<std::int32_t>(sequence - expected_sequence);
}

std::int64_t TcpConnection::own_position(std::uint32_t sequence) const noexcept {
  const std::uint64_t oldest = sending_.acknowledged();
  return static_cast<std::int64_t>(oldest) + static_cast<std::int32_t>(sequence - own_sequence(oldest));
}

bool TcpConnection::handle_segment(const Packet& packet, TimeNs now) {
  switch (phase_) {
    case Phase::over: return false;
    case Phase::syn_sent: handle_in_syn_sent(packet, now); return true;
    case Phase::syn_received:
      if (packet.has(tcp::syn)) {
        syn_due_ = true;  // our answer was lost
        syn_repeated_ = true;
        return true;
      }
      if (!packet.has(tcp::rst)) {
        if (!packet.has(tcp::ack) || packet.acknowledgement != own_sequence(0)) return true;
        if (!syn_repeated_) timer_.measured(now - progress_at_);
        establish(now);
      }
      break;
    case Phase::established: break;
  }
  handle_established(packet, now);
  update_persist(now);
  update_linger(now);
  return true;
}

void TcpConnection::handle_established(const Packet& packet, TimeNs now) {
  const std::int64_t position = peer_position(packet.sequence);
  const auto expected = static_cast<std::int64_t>(receiving_.next());
  if (packet.has(tcp::rst)) {
    // RFC 5961 §3.2: only the exact number ends a connection; others in the window are asked about.
    if (position == expected) return end(both_done() ? Arrival::nothing : Arrival::reset);
    if (position > expected && position <= static_cast<std::int64_t>(receiving_.limit())) ack_due_ = true;
    return;
  }
  if (packet.has(tcp::syn)) {  // a repeated answer to our SYN, or RFC 5961 §4.2
    ack_due_ = true;
    return;
  }
  if (!packet.has(tcp::ack)) return;
  const std::int64_t acknowledged = own_position(packet.acknowledgement);
  if (acknowledged > static_cast<std::int64_t>(sending_.next())) {  // of what was never sent
    ack_due_ = true;
    return;
  }
  handle_acknowledgement(packet, position, now);

  const bool fin = packet.has(tcp::fin);
  if (packet.payload.empty() && !fin) {
    if (position < expected) ack_due_ = true;  // keepalive, window probe (RFC 9293 §3.8.4)
    return;
  }
  const bool had_fin = receiving_.fin_taken();
  switch (receiving_.take(position, packet.payload, fin)) {
    case ReceiveStream::Taken::nothing:
    case ReceiveStream::Taken::early:
    case ReceiveStream::Taken::filling: ack_due_ = true; break;  // RFC 5681 §4.2
    case ReceiveStream::Taken::in_order:
      if (++segments_unacknowledged_ >= segments_per_ack) {
        ack_due_ = true;
      } else if (delayed_ack_at_ == never) {
        delayed_ack_at_ = later(now, options_.delayed_ack);
      }
  }
  if (receiving_.readable()) {
    news_ = true;
    if (!attached_) {  // nobody will ever read it (RFC 9293 §3.6.1)
      reset_due_ = true;
      return;
    }
  }
  if (receiving_.fin_taken() && !had_fin) {
    ack_due_ = true;
    tell_closed_ = true;
    news_ = true;
  }
}

void TcpConnection::handle_acknowledgement(const Packet& packet, std::int64_t position, TimeNs now) {
  const std::int64_t acknowledged = own_position(packet.acknowledgement);
  const auto oldest = static_cast<std::int64_t>(sending_.acknowledged());
  if (persisting_) progress_at_ = now;  // the peer lives
  if (acknowledged < oldest) return;
  const std::uint64_t window = std::uint64_t{packet.window} << send_shift_;
  const std::uint64_t window_end = static_cast<std::uint64_t>(acknowledged) + window;
  const bool duplicate = acknowledged == oldest && sending_.in_flight() && packet.payload.empty() &&
                         !packet.has(tcp::fin) && window_end == send_window_end_;
  if (window_sequence_ < position ||
      (window_sequence_ == position && window_acknowledgement_ <= acknowledged)) {
    window_sequence_ = position;
    window_acknowledgement_ = acknowledged;
    send_window_end_ = window_end;
    send_window_largest_ = std::max(send_window_largest_, window);
  }
  if (acknowledged > oldest) return acknowledge(static_cast<std::uint64_t>(acknowledged), now);
  if (duplicate && ++duplicate_acks_ == duplicates_for_retransmission && !recovering_) {
    recovering_ = true;
    recover_until_ = sending_.next();
    retransmission_due_ = true;
    arm_retransmission(now);
  }
}

void TcpConnection::acknowledge(std::uint64_t position, TimeNs now) {
  sending_.acknowledge(position);
  duplicate_acks_ = 0;
  progress_at_ = now;
  retransmission_due_ = false;
  if (timed_ && position >= *timed_) {
    timer_.measured(now - timed_since_);
    timed_.reset();
  } else {
    timer_.restart();
  }
  if (recovering_ && position < recover_until_) {
    retransmission_due_ = true;  // the next hole (RFC 6582 §3.2)
  } else {
    recovering_ = false;
  }
  if (sending_.in_flight()) {
    arm_retransmission(now);
  } else {
    retransmission_at_ = never;
  }
  if (std::exchange(refused_, false)) news_ = true;
}

// --- time ----------------------------------------------------------------------------------------------

void TcpConnection::arm_retransmission(TimeNs now) {
  retransmission_at_ =
      std::max(now, std::min(later(now, timer_.timeout()), later(progress_at_, options_.patience)));
}

// Something to send, nothing in flight that would be answered, and no window: the peer has to be asked.
void TcpConnection::update_persist(TimeNs now) {
  if (phase_ != Phase::established) return;
  const bool stuck = sending_.unsent() && !sending_.in_flight() && !next_piece();
  if (stuck == persisting_) return;
  persisting_ = stuck;
  probe_due_ = false;
  progress_at_ = now;
  timer_.restart();
  if (stuck) {
    arm_retransmission(now);
  } else if (!sending_.in_flight()) {
    retransmission_at_ = never;
  }
}

void TcpConnection::update_linger(TimeNs now) {
  if (linger_until_ != never || phase_ != Phase::established) return;
  const bool own_done = sending_.finished() && sending_.all_acknowledged();
  if (both_done() || (own_done && !attached_)) linger_until_ = later(now, options_.linger);
}

TimeNs TcpConnection::deadline() const noexcept {
  if (phase_ == Phase::over) return never;
  return std::min({retransmission_at_, delayed_ack_at_, linger_until_});
}

void TcpConnection::handle_timeout(TimeNs now) {
  if (phase_ == Phase::over) return;
  if (now >= linger_until_) {
    if (!receiving_.fin_taken()) reset_due_ = true;  // FIN-WAIT-2 without a user
    if (!reset_due_) end(Arrival::nothing);
    return;
  }
  if (now >= delayed_ack_at_) {
    delayed_ack_at_ = never;
    ack_due_ = true;
  }
  if (now < retransmission_at_) return;
  if (now - progress_at_ >= options_.patience) return end(Arrival::lost);
  timer_.expired();
  arm_retransmission(now);
  if (phase_ != Phase::established) {
    syn_due_ = true;
    syn_repeated_ = true;
  } else if (persisting_) {
    probe_due_ = true;
  } else {
    // What the peer kept of the octets behind the oldest ones shows with its next acknowledgement.
    retransmission_due_ = true;
    recovering_ = true;
    recover_until_ = sending_.next();
  }
}

// --- output --------------------------------------------------------------------------------------------

// The octets that can go now. A segment is cut at the window only when it is all there ever was of it (RFC
// 9293 §3.8.6.2.1): otherwise FPDUs would lose their alignment.
std::optional<SendStream::Piece> TcpConnection::next_piece() const {
  if (!sending_.unsent()) return std::nullopt;
  SendStream::Piece piece = sending_.new_piece(send_max_segment_);
  const std::uint64_t room =
      send_window_end_ > piece.position ? send_window_end_ - piece.position : std::uint64_t{0};
  if (piece.length <= room) return piece;
  if (sending_.in_flight() || room == 0 || 2 * room < send_window_largest_) return std::nullopt;
  piece.length = static_cast<std::size_t>(room);
  piece.push = false;
  piece.fin = false;
  return piece;
}

bool TcpConnection::poll_output(Packet& packet, TimeNs now) {
  if (phase_ == Phase::over) return false;
  if (reset_due_) {
    fill(packet, sending_.next());
    packet.flags = tcp::rst | tcp::ack;
    end(Arrival::nothing);
    return true;
  }
  if (phase_ != Phase::established) {
    if (!syn_due_) return false;
    syn_due_ = false;
    fill_syn(packet);
    return true;
  }
  if (retransmission_due_) {
    retransmission_due_ = false;
    timed_.reset();
    if (sending_.in_flight()) {
      fill_piece(packet, sending_.oldest_piece(send_max_segment_));
      return true;
    }
  }
  if (const auto piece = next_piece()) {
    const bool first = !sending_.in_flight();
    sending_.sent(*piece);
    if (first) {
      progress_at_ = now;
      arm_retransmission(now);
    }
    if (!timed_) {
      timed_ = piece->behind();
      timed_since_ = now;
    }
    fill_piece(packet, *piece);
    return true;
  }
  update_persist(now);
  if (probe_due_) {
    // An old sequence number asks as well as an octet beyond the window would (RFC 9293 §3.8.6.1), and cuts
    // no FPDU.
    probe_due_ = false;
    fill(packet, sending_.acknowledged());
    --packet.sequence;
    return true;
  }
  if (!ack_due_) return false;
  fill(packet, sending_.next());
  return true;
}

void TcpConnection::fill_syn(Packet& packet) {
  packet.clear();
  packet.source = local_;
  packet.destination = peer_;
  packet.sequence = initial_sequence_;
  packet.flags = tcp::syn;
  packet.max_segment = options_.max_segment;
  packet.window = static_cast<std::uint16_t>(std::min<std::size_t>(options_.receive_buffer, 0xffff));
  advertised_end_ = packet.window;
  if (phase_ == Phase::syn_sent) {
    packet.window_shift = receive_shift_;
    return;
  }
  packet.flags |= tcp::ack;
  packet.acknowledgement = peer_initial_sequence_ + 1;
  // Only if the peer's SYN had it (RFC 7323 §2.2); then receive_shift_ was left as it is.
  if (window_shift(options_.receive_buffer) == receive_shift_) packet.window_shift = receive_shift_;
}

std::uint64_t TcpConnection::window_end() const noexcept {
  // RFC 9293 §3.8.6.2.2: no small steps forward.
  const std::uint64_t possible = receiving_.limit();
  const std::uint64_t step = std::min<std::uint64_t>(options_.receive_buffer / 2, options_.max_segment);
  return possible >= advertised_end_ + step ? possible : std::min(advertised_end_, possible);
}

void TcpConnection::fill(Packet& packet, std::uint64_t position) {
  packet.clear();
  packet.source = local_;
  packet.destination = peer_;
  packet.sequence = own_sequence(position);
  packet.flags = tcp::ack;
  packet.acknowledgement = peer_initial_sequence_ + 1 + static_cast<std::uint32_t>(receiving_.next());
  const std::uint64_t end = window_end();
  const std::uint64_t window = end > receiving_.next() ? (end - receiving_.next()) >> receive_shift_ : 0;
  packet.window = static_cast<std::uint16_t>(std::min<std::uint64_t>(window, 0xffff));
  advertised_end_ =
      std::max(advertised_end_, receiving_.next() + (std::uint64_t{packet.window} << receive_shift_));
  ack_due_ = false;
  delayed_ack_at_ = never;
  segments_unacknowledged_ = 0;
}

void TcpConnection::fill_piece(Packet& packet, const SendStream::Piece& piece) {
  fill(packet, piece.position);
  if (piece.push) packet.flags |= tcp::psh;
  if (piece.fin) packet.flags |= tcp::fin;
  sending_.append_to(packet.payload, piece);
}

// --- user ----------------------------------------------------------------------------------------------

std::size_t TcpConnection::send(ByteView octets) {
  if (phase_ != Phase::established || reset_due_) return 0;
  const std::size_t taken = sending_.write(octets);
  if (taken < octets.size()) refused_ = true;
  return taken;
}

Received TcpConnection::receive() {
  if (tell_established_) {
    tell_established_ = false;
    return {.arrival = Arrival::established, .max_segment = send_max_segment_};
  }
  // What was read may open a window that was getting narrow: the peer has to be told.
  const std::uint64_t narrow =
      std::min<std::uint64_t>(options_.receive_buffer / 2, 2 * std::uint64_t{options_.max_segment});
  if (receiving_.release() && phase_ == Phase::established && !receiving_.fin_taken() &&
      window_end() > advertised_end_ && advertised_end_ < receiving_.next() + narrow) {
    ack_due_ = true;
  }
  if (receiving_.readable()) return {.arrival = Arrival::octets, .octets = receiving_.read()};
  if (tell_closed_) {
    tell_closed_ = false;
    return {.arrival = Arrival::closed};
  }
  return {.arrival = std::exchange(tell_end_, Arrival::nothing)};
}

void TcpConnection::close(Close how) {
  if (phase_ == Phase::over) {
    if (how == Close::graceful) return;
  } else if (how == Close::graceful && phase_ == Phase::established) {
    return sending_.finish();
  } else if (phase_ == Phase::syn_sent) {
    end(Arrival::nothing);
  } else if (!both_done()) {
    reset_due_ = true;
  }
  tell_established_ = false;
  tell_closed_ = false;
  tell_end_ = Arrival::nothing;
  receiving_.drop();
}

void TcpConnection::detach(TimeNs now) {
  attached_ = false;
  if (phase_ == Phase::over) return;
  if (!sending_.finished() || receiving_.readable()) return close(Close::reset);
  tell_closed_ = false;
  update_linger(now);
}

bool TcpConnection::take_news() noexcept {
  return std::exchange(news_, false);
}

void TcpConnection::end(Arrival why) {
  phase_ = Phase::over;
  reset_due_ = false;
  retransmission_at_ = delayed_ack_at_ = linger_until_ = never;
  sending_.drop();
  if (why == Arrival::nothing) return;
  tell_end_ = why;
  news_ = true;
}

}  // namespace iwarp::replay
