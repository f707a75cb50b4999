// DdpSession: one session of a DDP stream over SCTP (RFC 5043 §6), on its way from messages to facts: a
// connection like those over TCP, for which session control messages are its start-up and its end. Its
// positions count the user data of its DATA chunks, in the order of their DDP-SSNs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <iwarp/analyzer.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/state.hpp>
#include <iwarp/wire/session.hpp>

#include "analysis/connection_log.hpp"
#include "analysis/private_data_store.hpp"
#include "analysis/span_map.hpp"
#include "sctp/association.hpp"
#include "sctp/delivery_order.hpp"

namespace iwarp {

class DdpSession {
 public:
  // What is known of it when its first message comes.
  struct Origin {
    std::array<Endpoint, 2> endpoints;  // by Side
    SctpStream stream;
    bool from_start = false;  // that message is the first of its side: none before it was missed
    bool last_open = false;   // the session before it on these streams was not over …
    std::optional<Reason> doubt_of_last{};  // … and why it may have been all the same
  };

  // REQUIRES: the references outlive this; `association` as long as it is not closed.
  DdpSession(ConnectionId id, const Origin& origin, const sctp::Association& association,
             const AnalyzerOptions& options, Recorder& recorder);
  DdpSession(const DdpSession&) = delete;
  DdpSession& operator=(const DdpSession&) = delete;

  // A message with that DDP-SSN; its octets begin with it.
  void add(Side side, std::uint16_t ssn, sctp::UserMessage&& message);
  // One that is neither a DDP segment nor session control.
  void add_foreign(Side side, const sctp::UserMessage& message);
  // What `side` acknowledged of its peer's messages, as far as these are delivered.
  void acknowledge(Side side);
  // Gives up messages that were waited for long enough: the rule of TCP's holes.
  void give_up_old_holes();
  // The association was aborted by `side`, or shut down.
  void abort(Side side, const Placement& packet);
  void shut_down(Side side, const Placement& packet);
  // Nothing that still waits is waited for any more.
  void read_all();
  // Decides what is left and records `closed`, with `otherwise` where the session had not ended itself.
  // Nothing may be added afterwards.
  void close(CloseCause otherwise);

  // What waits for messages that were not captured is not read any more.
  void forget_waiting() noexcept { order_.forget_waiting(); }
  // Gives up what is waited for, as the limit was reached.
  void release_buffers(std::uint64_t limit);
  void note_let_go(Phrase limit);

  [[nodiscard]] const ConnectionState& state() const noexcept { return state_; }
  [[nodiscard]] ByteView private_data(std::uint32_t id) const noexcept { return private_data_.find(id); }
  [[nodiscard]] StreamOffset read_to(Side side) const noexcept { return ends_[index(side)].offset; }
  // Its first message of that side came: another with DDP-SSN 0 is another session's.
  [[nodiscard]] bool has_first(Side side) const noexcept { return order_.has_first(side); }
  // Nothing more is to come: a session Terminate of one side is enough (RFC 5043 §6.2).
  [[nodiscard]] bool over() const noexcept { return rejected_ || ends_[0].terminated || ends_[1].terminated; }
  [[nodiscard]] CloseCause end_cause() const noexcept;
  // Why it may be over unseen.
  [[nodiscard]] std::optional<Reason> doubt_of_end() const noexcept;
  // Octets that wait, and a little for each message.
  [[nodiscard]] std::size_t waiting() const noexcept {
    return order_.waiting(Side::a) + order_.waiting(Side::b);
  }

 private:
  struct Sent {
    sctp::Tsn tsn = 0;
    StreamOffset end = 0;
  };
  struct End {
    StreamOffset offset = 0;        // of its next message
    StreamOffset origin = 0;        // what FpduFact::stream_offset counts from
    StreamOffset acknowledged = 0;  // of its messages by the peer
    bool opened = false;
    bool from_start = false;  // its first message was captured
    bool locked = false;      // a DDP segment was recorded
    bool initiated = false;
    bool terminated = false;
    bool misplaced_told = false;  // a DDP segment out of the sequence
    bool cut_told = false;
    Fifo<Sent> sent;  // that is not known to be acknowledged
  };
  // The message at hand.
  struct At {
    Side side = Side::a;
    StreamOffset offset = 0;
    StreamOffset ack = 0;
    Placement placed;
  };

  // What came before the answer to the Initiate did: the answer may still come, or be missing.
  struct Early {
    At at;
    Phrase what = Phrase::ddp_segment;
    Phrase why = Phrase::before_accept;
  };
  // Capture time runs backward: the directions may stand one behind the other.
  struct Backward {
    Placement placed;
    TimeNs by_ns = 0;
  };
  // When a message began to wait for what may be missing.
  struct Held {
    std::uint64_t heard = 0;  // packets of its sender's peer
    TimeNs time_ns = 0;
  };

  // Delivers what is ready; `all`: what is held back, too.
  void deliver_ready(bool all = false);
  // The message breaks a rule, unless messages of the peer are missing: they show that in a moment.
  [[nodiscard]] bool would_accuse(Side side, const sctp::UserMessage& message) const noexcept;
  void deliver(Side side, const sctp::UserMessage& message);
  void take_segment(const At& at, const sctp::UserMessage& message);
  void take_control(const At& at, const sctp::UserMessage& message);
  // A message that was captured, but not what it says.
  void record_unread(const At& at, std::uint64_t length);
  void record_opened(Side side, bool from_start);
  void record_startup(const At& at, wire::SessionFunction function, const sctp::UserMessage& message);
  void record_fin(const At& at);
  void record_locked(const At& at);
  void judge_segment(const At& at);
  [[nodiscard]] bool judge_initiate(const At& at);
  [[nodiscard]] bool judge_answer(const At& at, wire::SessionFunction function);
  void judge_terminate(const At& at);
  void judge_private_data(const At& at, wire::SessionFunction function, std::uint64_t length);
  void judge_adaptation(Side side, const Placement& placed);
  void judge_capture(const At& at, const sctp::UserMessage& message);
  void give_up(Side side);
  // Octets of `side` are captured that its peer is not known to have.
  [[nodiscard]] bool has_unacknowledged(Side side) const noexcept {
    return ends_[index(side)].acknowledged < ends_[index(side)].offset;
  }
  // Why messages of `side` may not have been captured …
  [[nodiscard]] std::optional<Reason> missing(Side side) const noexcept;
  // … or not have been read.
  [[nodiscard]] std::optional<Reason> lacks(Side side) const noexcept;
  void settle_early(std::optional<Reason> doubt);
  void out_of_sequence(const At& at, Phrase what, Phrase why, std::optional<Reason> doubt = std::nullopt);

  [[nodiscard]] End& end(Side side) noexcept { return ends_[index(side)]; }
  [[nodiscard]] const End& end(Side side) const noexcept { return ends_[index(side)]; }

  const AnalyzerOptions& options_;
  Recorder& recorder_;
  const sctp::Association& association_;
  const Origin origin_;
  ConnectionState state_;
  stream::StreamPair streams_;  // of TCP, for the log alone: neither ever begins
  ConnectionLog log_;
  sctp::DeliveryOrder order_;
  SpanMap spans_;  // of the message at hand
  PrivateDataStore private_data_;
  std::array<End, 2> ends_;
  std::optional<wire::SessionFunction> initiate_;  // that was recorded
  bool accepted_ = false;
  bool rejected_ = false;
  bool unknown_told_ = false;  // whether a DDP segment is in the sequence
  std::optional<Early> early_;
  std::optional<Held> held_;
  std::optional<Backward> backward_;
  Placement last_;
};

}  // namespace iwarp
