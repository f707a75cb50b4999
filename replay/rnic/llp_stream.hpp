// One LLP Stream: a TCP connection as the RNIC sees it. Streaming mode, MPA start-up, Full Operation, close.
//
// Octets come in by handle_input() and leave by poll_output(), a start-up frame or an FPDU at a time. Time is
// what the calls say.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#include "rnic/event_queue.hpp"
#include "rnic/fpdu_receiver.hpp"
#include "rnic/fpdu_sender.hpp"
#include "rnic/ids.hpp"
#include "rnic/mpa_startup.hpp"
#include "rnic/mutator.hpp"
#include "rnic/queue_pair.hpp"
#include "rnic/ring.hpp"
#include "rnic/timer_heap.hpp"

namespace iwarp::rnic {

inline constexpr TimeNs never = std::numeric_limits<TimeNs>::max();

struct StreamParameters {
  Role role = Role::initiator;
  MpaParameters mpa = {};
  std::uint32_t emss = 1460;  // TCP segment size that FPDUs are to fit
  // Instead of the MULPDU that follows from it; 0: none. What is below 128 or above 64 768 is taken for the
  // nearest of these (RFC 5044 §3).
  std::uint32_t max_ulpdu = 0;
  bool delayed = false;  // stay in streaming mode until start_mpa()
  TimeNs startup_timeout = 30'000'000'000;
  TimeNs close_timeout = 10'000'000'000;
  Mutator* mutator = nullptr;  // not owned; instead of the RNIC's
};

enum class StreamPhase : std::uint8_t {
  streaming,        // not MPA, or not any more
  waiting,          // for the peer's start-up frame
  request_arrived,  // responder: a QP accepts it, or reject()
  reply_arrived,    // initiator: a QP takes it up
  full_operation,
  closed,
};

enum class StreamEventKind : std::uint8_t {
  streaming_octets,  // read_streaming() has some
  request_arrived,
  reply_arrived,
  rejected,     // the Reply had R: the connection stays open, in streaming mode
  peer_closed,  // the peer sent FIN in streaming mode: close() when done
  failed,       // start-up went wrong or timed out: the connection is being closed
  closed,       // no QP is associated, and the connection is gone
};

struct StreamEvent {
  StreamEventKind kind = StreamEventKind::closed;
  StreamId stream = StreamId::none;
};

enum class StreamClose : std::uint8_t {
  graceful,  // FIN
  reset,     // RST
  lost       // the LLP gave up
};

enum class OutputKind : std::uint8_t {
  none,            // for now
  octets,          // to be sent, in a TCP segment of their own if that can be had
  close_graceful,  // FIN; said once
  reset,           // RST; said once, the last
};

struct Output {
  OutputKind kind = OutputKind::none;
  ByteView octets;     // until the next call that names the stream
  bool alone = false;  // a segment of its own, for what a Mutator made
};

class LlpStream final : public Llp {
 public:
  // REQUIRES: `timers` outlives this object.
  LlpStream(StreamId id, const StreamParameters& parameters, EventQueue<StreamEvent>& events,
            Mutator* mutator, TimerHeap<StreamId>& timers, TimeNs now);

  // --- the Consumer -------------------------------------------------------------------------------------
  [[nodiscard]] StreamPhase phase() const noexcept { return phase_; }
  [[nodiscard]] const Negotiated& negotiated() const noexcept { return startup_.negotiated(); }
  // A responder that heard nothing says nothing (RFC 5044 §7.1.2 (4)).
  [[nodiscard]] bool may_speak() const noexcept { return heard_; }
  // The segment that the QP was given last: what a Terminate about it quotes.
  struct LastSegment {
    std::array<Byte, wire::untagged_header_size> header{};  // as far as `length` goes
    std::uint16_t length = 0;                               // of its ULPDU; 0: none came
  };
  [[nodiscard]] const LastSegment& last_segment() const noexcept { return last_segment_; }
  [[nodiscard]] ByteView peer_private_data() const noexcept { return startup_.peer_private_data(); }
  [[nodiscard]] QpId qp() const noexcept { return qp_ == nullptr ? QpId::none : qp_->id(); }
  [[nodiscard]] bool send_streaming(ByteView octets);
  [[nodiscard]] Bytes read_streaming();
  [[nodiscard]] bool start_mpa(TimeNs now);
  // Octets of private data that the own start-up frame holds, whatever else may come into it.
  [[nodiscard]] std::size_t private_data_room() const noexcept;
  // False: the frame was sent, or it has no room for as much.
  [[nodiscard]] bool set_private_data(ByteView octets);
  // False: there is no Request, or the Reply has no room for as much.
  [[nodiscard]] bool reject(ByteView private_data);
  // Of a responder, before its Reply: which RTR of those that both ends named comes (RFC 6581 §9.2).
  void accept_rtr(Rtr kind) noexcept { startup_.accept_rtr(kind); }
  void close(bool gracefully, TimeNs now);
  // Whether a QP may come to RTS with it.
  [[nodiscard]] bool can_associate(ByteView stream_message) const noexcept;
  // REQUIRES: can_associate(), and the QP has become RTS.
  void associate(QueuePair& qp, ByteView stream_message, TimeNs now);
  // Sends `ulpdu` as it is, as an FPDU, at the next segment boundary: for tests and fault injection.
  void inject(ByteView ulpdu, const Framing& framing);
  // No start-up frame waits to be sent.
  [[nodiscard]] bool startup_sent() const noexcept { return frames_.empty(); }
  // Some of these have not gone: a reset would drop them.
  [[nodiscard]] bool injecting() const noexcept { return !injected_.empty(); }

  // --- the LLP ------------------------------------------------------------------------------------------
  void handle_input(ByteView octets, TimeNs now);
  void handle_close(StreamClose how, TimeNs now);
  void handle_timeout(TimeNs now);
  [[nodiscard]] TimeNs next_timeout() const noexcept { return deadline_.at(); }
  // Whether the first entry of the heap of timers, at `entry`, is what next_timeout() says.
  [[nodiscard]] bool timer_stands(TimeNs entry) noexcept { return deadline_.stands(entry); }
  // Octets are waiting here for the Consumer: better leave more in the LLP, so that its window closes.
  [[nodiscard]] bool accepts_input() const noexcept { return waiting_.empty() && !holding_; }
  // How many: taken up as the Consumer posts receives, at the next poll_output().
  [[nodiscard]] std::size_t held_octets() const noexcept { return waiting_.size() + held_.size(); }
  [[nodiscard]] Output poll_output(TimeNs now);
  // It says RST next, whatever was to be sent before.
  [[nodiscard]] bool reset_pending() const noexcept { return reset_due_; }

  // --- Llp ----------------------------------------------------------------------------------------------
  void begin_close() override;
  void reset() override;
  void disassociate() override;

 private:
  struct Injected {
    Bytes ulpdu;
    Framing framing;
  };

  static constexpr std::size_t max_streaming = std::size_t{1} << 20;  // octets that nobody read

  void tell(StreamEventKind kind);
  void time_close();
  void run(TimeNs now);
  void take(ByteView& octets, TimeNs now);
  void take_startup(ByteView& octets, TimeNs now);
  void take_fpdus(ByteView& octets);
  [[nodiscard]] bool deliver(ByteView ulpdu);
  [[nodiscard]] bool acceptable_rtr(ByteView ulpdu) const;
  void accept();
  void take_up_reply();
  void enter_full_operation();
  void fail_startup();
  void take_peer_close();
  void finish_if_closed();
  void queue_frame(Bytes frame);
  [[nodiscard]] bool next_fpdu();
  [[nodiscard]] bool next_made();
  void make(const std::vector<Extra>& extras);
  void cut_off(Cutoff how);
  [[nodiscard]] bool stalled() const noexcept {
    return holding_ || phase_ == StreamPhase::request_arrived || phase_ == StreamPhase::reply_arrived ||
           (phase_ == StreamPhase::streaming && streaming_in_.size() >= max_streaming);
  }

  StreamId id_;
  StreamParameters parameters_;
  EventQueue<StreamEvent>& events_;
  Mutator* mutator_;
  StreamPhase phase_ = StreamPhase::streaming;
  LastSegment last_segment_;
  MpaStartup startup_;
  FpduSender sender_;
  FpduReceiver receiver_;
  QueuePair* qp_ = nullptr;

  Bytes streaming_in_;
  Bytes waiting_;  // octets nobody can take yet
  Bytes held_;     // a ULPDU for which no receive WQE is there
  bool holding_ = false;

  Ring<Bytes> frames_;  // streaming-mode octets and start-up frames to send
  Bytes frame_;         // the one handed out
  Ring<Injected> injected_;
  ByteView fpdu_;
  unsigned repeats_ = 0;
  Ring<Bytes> made_;  // by a Mutator: goes as it is, before anything else
  Cutoff cutoff_ = Cutoff::none;
  bool cut_off_ = false;       // nothing is sent any more
  bool quiet_ = false;         // … FIN, too, waits for the peer's
  bool asked_at_end_ = false;  // the Mutator, for what goes before FIN
  std::uint32_t max_ulpdu_ = 0;

  bool heard_ = false;  // an FPDU came: a responder may send
  bool first_fpdu_ = true;
  bool closing_ = false;      // FIN is to be sent, when everything else is
  bool close_timed_ = false;  // deadline_ is that of the close, by a time that was told since it began
  bool fin_sent_ = false;
  bool peer_closed_ = false;
  bool peer_close_due_ = false;  // … behind waiting_
  bool reset_due_ = false;
  bool gone_ = false;  // RST, from either side
  TimeNs now_;
  Timer<StreamId> deadline_;
};

}  // namespace iwarp::rnic
