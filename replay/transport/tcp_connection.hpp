// TcpConnection: one end of a TCP connection (RFC 9293), without clock or network.
//
// Methods come in three kinds:
//   from the network   handle_segment, handle_timeout: with the time at which it happens
//   to the network     poll_output until false, deadline: after each of the others
//   for the user       send, receive, close, detach
//
// What it does: handshake with MSS and window scale options, sequence numbers that wrap, cumulative and
// delayed acknowledgements, receive window, zero-window probes, retransmission by timer (RFC 6298) and after
// three duplicate acknowledgements (RFC 6582), half-close, RST (RFC 5961 §3.2), bounded patience. What it
// does not: congestion control, SACK, urgent data, simultaneous open.
//
// A segment begins where a call of send() began, and is cut at the MSS; it waits rather than be cut at the
// window.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/network.hpp"
#include "transport/packet.hpp"
#include "transport/receive_stream.hpp"
#include "transport/retransmission_timer.hpp"
#include "transport/send_stream.hpp"

namespace iwarp::replay {

struct TcpOptions {
  std::uint16_t max_segment = 0;  // octets we take in a segment; 0: what an MTU of 1 500 leaves
  std::size_t send_buffer = std::size_t{256} << 10U;
  std::size_t receive_buffer = std::size_t{256} << 10U;
  TimeNs delayed_ack = 40'000'000;
  RetransmissionTimes retransmission = {};
  TimeNs patience = 100'000'000'000;  // without any progress, before the connection is lost
  // How long an ended connection still answers repeated segments, and one without user awaits the peer's FIN.
  TimeNs linger = 120'000'000'000;
  std::optional<std::uint32_t> initial_sequence = std::nullopt;  // instead of one by the network's seed
};

class TcpConnection {
 public:
  TcpConnection(const TcpOptions& options, const Endpoint& local, const Endpoint& peer,
                std::uint32_t initial_sequence);

  void open(TimeNs now);                       // sends the SYN
  void accept(const Packet& syn, TimeNs now);  // answers it

  // False: of a connection that is over, so a stranger's (RFC 9293 §3.10.7.1).
  [[nodiscard]] bool handle_segment(const Packet& packet, TimeNs now);
  void handle_timeout(TimeNs now);

  // Fills in the next packet, all but its IPv4 identification. `packet` is cleared before.
  [[nodiscard]] bool poll_output(Packet& packet, TimeNs now);
  // When handle_timeout is due.
  [[nodiscard]] TimeNs deadline() const noexcept;

  std::size_t send(ByteView octets);
  [[nodiscard]] Received receive();
  void close(Close how);
  // The user has gone: resets the connection if it was not closed or octets of the peer were left unread.
  void detach(TimeNs now);

  // Since the last call: is there something for receive(), or for a send() that was refused?
  [[nodiscard]] bool take_news() noexcept;
  [[nodiscard]] bool established() const noexcept { return phase_ == Phase::established; }
  // Nothing more will happen; to be dropped once the user has gone.
  [[nodiscard]] bool over() const noexcept { return phase_ == Phase::over; }

  [[nodiscard]] const Endpoint& local() const noexcept { return local_; }
  [[nodiscard]] const Endpoint& peer() const noexcept { return peer_; }

 private:
  enum class Phase : std::uint8_t {
    syn_sent,
    syn_received,
    established,  // and all states behind it: what is left to do is in the two streams
    over
  };

  void handle_in_syn_sent(const Packet& packet, TimeNs now);
  void handle_established(const Packet& packet, TimeNs now);
  void handle_acknowledgement(const Packet& packet, std::int64_t position, TimeNs now);
  void acknowledge(std::uint64_t position, TimeNs now);
  void establish(TimeNs now);
  void note_syn(const Packet& syn);
  void end(Arrival why);
  void update_linger(TimeNs now);
  void arm_retransmission(TimeNs now);
  void update_persist(TimeNs now);

  [[nodiscard]] std::optional<SendStream::Piece> next_piece() const;
  void fill(Packet& packet, std::uint64_t position);
  void fill_piece(Packet& packet, const SendStream::Piece& piece);
  void fill_syn(Packet& packet);
  [[nodiscard]] std::uint64_t window_end() const noexcept;
  // Both FINs sent and acknowledged: the users know how it ended.
  [[nodiscard]] bool both_done() const noexcept {
    return sending_.finished() && sending_.all_acknowledged() && receiving_.fin_taken();
  }

  [[nodiscard]] std::uint32_t own_sequence(std::uint64_t position) const noexcept {
    return initial_sequence_ + 1 + static_cast<std::uint32_t>(position);
  }
  // Positions of a sequence and an acknowledgement number, near what is expected.
  [[nodiscard]] std::int64_t peer_position(std::uint32_t sequence) const noexcept;
  [[nodiscard]] std::int64_t own_position(std::uint32_t sequence) const noexcept;

  TcpOptions options_;
  Endpoint local_;
  Endpoint peer_;
  Phase phase_ = Phase::syn_sent;

  SendStream sending_;
  std::uint32_t initial_sequence_;
  std::size_t send_max_segment_ = 536;  // RFC 9293 §3.7.1
  std::uint8_t send_shift_ = 0;
  std::uint64_t send_window_end_ = 0;
  std::uint64_t send_window_largest_ = 0;
  std::int64_t window_sequence_ = -1;         // SND.WL1
  std::int64_t window_acknowledgement_ = -1;  // SND.WL2

  ReceiveStream receiving_;
  std::uint32_t peer_initial_sequence_ = 0;
  std::uint8_t receive_shift_ = 0;
  std::uint64_t advertised_end_ = 0;
  unsigned segments_unacknowledged_ = 0;

  // What poll_output is to send.
  bool syn_due_ = false;
  bool syn_repeated_ = false;
  bool ack_due_ = false;
  bool reset_due_ = false;
  bool probe_due_ = false;
  bool retransmission_due_ = false;

  RetransmissionTimer timer_;
  TimeNs retransmission_at_ = never;  // or the next window probe
  TimeNs delayed_ack_at_ = never;
  TimeNs linger_until_ = never;
  TimeNs progress_at_ = 0;
  bool persisting_ = false;
  unsigned duplicate_acks_ = 0;
  std::uint64_t recover_until_ = 0;  // in recovery while this is not acknowledged
  bool recovering_ = false;
  std::optional<std::uint64_t> timed_ =
      std::nullopt;  // the position whose acknowledgement gives a round trip
  TimeNs timed_since_ = 0;

  // Of the user.
  bool attached_ = true;
  bool refused_ = false;  // send() did not take all
  bool news_ = false;
  bool tell_established_ = false;
  bool tell_closed_ = false;
  Arrival tell_end_ = Arrival::nothing;
};

}  // namespace iwarp::replay
