// Connection: one TCP connection on its way from segments to facts. Data flow one way: causal order,
// reassembly, then Phases. What TCP itself tells (SYN, acknowledgements, windows, FIN, RST, the capture's
// flaws) becomes facts here.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <iwarp/analyzer.hpp>
#include <iwarp/state.hpp>

#include "analysis/capture_findings.hpp"
#include "analysis/connection_key.hpp"
#include "analysis/connection_log.hpp"
#include "analysis/gap_timeout.hpp"
#include "analysis/offered_window.hpp"
#include "analysis/phases.hpp"
#include "analysis/recorder.hpp"
#include "analysis/tcp_reach.hpp"
#include "stream/causal_order.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class Connection {
 public:
  // `first` is the segment that makes the connection known.
  Connection(ConnectionId id, const TcpSegment& first, const AnalyzerOptions& options, Recorder& recorder);
  // As another one was that was packed; REQUIRES: unpacked next.
  Connection(const AnalyzerOptions& options, Recorder& recorder);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // REQUIRES: `side`, here and below, is side_of(segment.source).
  void add(Side side, const TcpSegment& segment);

  // It goes before it ends, because of that limit.
  void note_let_go(Phrase limit);
  // It goes for its memory: what waits for octets that were not captured is not read any more.
  void forget_waiting();
  // Decides all that still waits and records `closed`. Nothing may be added afterwards.
  void close(CloseCause cause);

  [[nodiscard]] const ConnectionState& state() const noexcept { return state_; }
  [[nodiscard]] TimeNs last_time_ns() const noexcept { return last_.time_ns; }
  [[nodiscard]] ByteView private_data(std::uint32_t id) const noexcept {
    return phases_ ? phases_->private_data(id) : ByteView();
  }
  // REQUIRES: `source` is one of the endpoints.
  [[nodiscard]] Side side_of(const Endpoint& source) const noexcept {
    const auto& [a, b] = state_.endpoints;
    const bool is_a = a.port != b.port ? source.port == a.port : equal(source, a);
    return is_a ? Side::a : Side::b;
  }
  // Whichever of them sent.
  [[nodiscard]] bool is_between(const Endpoint& one, const Endpoint& another) const noexcept {
    const Side side = side_of(one);  // if it is one of the endpoints
    return equal(one, state_.endpoints[index(side)]) && equal(another, state_.endpoints[index(other(side))]);
  }
  [[nodiscard]] bool closed() const noexcept { return state_.closed.has_value(); }
  // Gives up every hole whose octets are waited for, to free what is buffered behind.
  void release_buffers();
  // Both ends closed, or one reset: only stray segments are to be expected.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] CloseCause end_cause() const noexcept;
  // Whether the segment fits as the first one of the direction that was not seen so far: its acknowledgement
  // to what was captured of the other one, its sequence number to what that acknowledged.
  [[nodiscard]] bool is_answered_by(const TcpSegment& segment) const noexcept;
  // Whether its octets are just those that come next.
  [[nodiscard]] bool is_continued_by(const TcpSegment& segment) const noexcept;
  // Whether both its numbers are near those of the connection: octets on their way at once.
  [[nodiscard]] bool is_near(const TcpSegment& segment) const noexcept;
  // Whether the segment repeats one that was captured: a SYN with the same sequence number, or the same
  // packet.
  [[nodiscard]] bool has_copy_of(const TcpSegment& segment) const noexcept;
  [[nodiscard]] TcpReach reach() const noexcept;
  // Whether a segment without SYN belongs to this connection by its numbers.
  [[nodiscard]] bool continues(Side side, const TcpSegment& segment) const noexcept {
    const stream::Reassembler& own = stream(side);
    const bool usual = segment.sequence == own.next_sequence() && own.started();
    if (usual && !ended()) return true;
    if ((segment.flags & tcp::rst) != 0) return true;  // it begins nothing
    return ended() ? reach().has_late(side, segment) : reach().has(side, segment);
  }
  // See Analysis::begun_in.
  [[nodiscard]] std::optional<FpduFact> begun_in(Side side, FrameNumber frame) const noexcept {
    const Direction* const direction = framed(side);
    return direction != nullptr ? direction->begun_in(frame) : std::nullopt;
  }
  // See Analysis::read_to.
  [[nodiscard]] StreamOffset read_to(Side side) const noexcept { return streams_[index(side)].next_offset(); }
  // Octets held for segments that wait.
  [[nodiscard]] std::size_t buffered() const noexcept;
  // … and those in which framing is sought.
  [[nodiscard]] std::size_t held() const noexcept;
  [[nodiscard]] bool syn_seen(Side side) const noexcept { return stream(side).syn_seen(); }
  [[nodiscard]] bool started(Side side) const noexcept { return stream(side).started(); }
  [[nodiscard]] bool foreign_syn(Side side, std::uint32_t sequence) const noexcept {
    return stream(side).is_foreign_syn(sequence);
  }
  [[nodiscard]] std::uint32_t syn_sequence(Side side) const noexcept {
    return ends_[index(side)].syn_sequence;
  }
  // It is a SYN-ACK to the captured SYN of the other side, as the one captured was that nobody confirmed yet.
  [[nodiscard]] bool answers_again(Side side, const TcpSegment& segment) const noexcept;

  // See base/packing.hpp. Connections with FPDUs cannot be packed.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [options, state, log, capture_findings, streams, order, phases, ends, ended, doubtful_rst, last,
           silence] = *this;
    codec(state, log, capture_findings, streams, order);
    bool octets = phases != nullptr;
    codec(octets);
    if (octets && phases == nullptr) phases = std::make_unique<Phases>(log, capture_findings, streams);
    if (octets) codec(*phases);
    codec(ends, ended, doubtful_rst, last, silence);
  }

 private:
  // What TCP headers showed of one end.
  struct End {
    bool seen = false;            // a segment of the side was captured …
    bool from_start = false;      // … its SYN …
    FrameNumber begun_frame = 0;  // … read with this frame
    bool window_closed = false;
    OfferedWindow window;           // offered to its peer
    std::int8_t window_scale = -1;  // of its SYN, as are …
    bool timestamps = false;        // … these
    WindowTerms window_terms;       // max_segment 0: not asked for
    bool fin_recorded = false;
    bool syn_unconfirmed = false;  // its SYN was captured, and no segment of its peer without SYN so far
    bool syn_repeated = false;
    std::uint32_t syn_sequence = 0;
    std::optional<std::uint32_t> fin_number;  // sequence number of its FIN, as soon as that came
    bool acknowledged_anything = false;
    std::uint32_t last_acknowledgement = 0;  // as on the wire
    Placement fin_segment;                   // that brought the FIN first …
    StreamOffset fin_ack = 0;                // … and what it acknowledged
    StreamOffset sent = 0;                   // how far its segments reached
    GapTimeout gap_timeout;

    void note_fin(const TcpSegment& segment, StreamOffset ack) noexcept {
      if (fin_segment.frame != 0) return;
      fin_segment = {segment.frame, segment.time_ns};
      fin_ack = ack;
    }
    template <typename Codec>
    void pack(Codec& codec) {
      codec(seen, from_start, begun_frame, window_closed, window, window_scale, timestamps, fin_recorded,
            syn_unconfirmed, syn_repeated, syn_sequence, fin_number, acknowledged_anything,
            last_acknowledgement, fin_segment, fin_ack, sent, gap_timeout);
    }
  };

  // A RST that its receiver may have refused (RFC 5961 §3): it counts when nothing comes behind it.
  struct DoubtfulRst {
    Side side = Side::a;
    Placement segment;
    StreamOffset ack = 0;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(side, segment, ack);
    }
  };

  [[nodiscard]] stream::Reassembler& stream(Side side) noexcept { return streams_[index(side)]; }
  [[nodiscard]] const stream::Reassembler& stream(Side side) const noexcept { return streams_[index(side)]; }

  // Made when the first octets come: many connections, such as those of a port scan, never have any.
  Phases& phases() { return phases_ ? *phases_ : make_phases(); }
  [[gnu::noinline]] Phases& make_phases();
  // Of a side whose octets may be FPDUs; nullptr where there are none.
  [[nodiscard]] const Direction* framed(Side side) const noexcept {
    const bool framing = phases_ && phases_->direction(side).framing();
    return framing ? &phases_->direction(side) : nullptr;
  }

  void run_steps();
  void deliver(Side side, const TcpSegment& segment, StreamOffset ack);
  // … whose octets are not just those that are due.
  [[gnu::noinline]] void deliver_other(Side side, const TcpSegment& segment, StreamOffset ack);
  // Reads what is in order by now.
  void drain(Side side, const stream::ReadLimit& limit = {}) {
    if (!stream(side).idle()) read_ready(side, limit);
  }
  void read_ready(Side side, const stream::ReadLimit& limit = {});
  // Reads what lies behind octets just given up, but for what comes behind a segment of the peer that waits.
  void drain_in_turn(Side side) { drain(side, order_.read_limit(side, streams_)); }
  StreamOffset note_sent(Side side, const TcpSegment& segment);
  void record_handshake_over(Side opener, const TcpSegment& segment);
  void record_acknowledgement(Side side, const TcpSegment& segment);
  void record_received(Side side, const TcpSegment& segment);
  // A bare acknowledgement that breaks a silence: whoever sent before it may have waited for it.
  [[nodiscard]] bool ends_silence(const TcpSegment& segment) const noexcept {
    constexpr TimeNs long_silence = 35'000'000;  // acknowledgements are delayed for 40 ms and more
    const bool bare = segment.wire_length == 0 && (segment.flags & (tcp::syn | tcp::fin | tcp::rst)) == 0;
    return bare && silence_ns_ >= long_silence && segment.frame == last_.frame && state_.iwarp;
  }
  void record_window(Side side, const TcpSegment& segment);
  void record_window_full(Side side, const TcpSegment& segment);
  [[nodiscard]] const WindowTerms& window_terms(Side receiver) noexcept {
    WindowTerms& terms = ends_[index(receiver)].window_terms;
    if (terms.max_segment == 0) terms = agreed_terms(receiver);
    return terms;
  }
  [[nodiscard]] WindowTerms agreed_terms(Side receiver) const noexcept;
  void record_push(Side side, const TcpSegment& segment, const stream::PushResult& result);
  [[nodiscard]] bool inside_fpdu(Side side) const noexcept {
    const Direction* const direction = framed(side);
    return direction != nullptr && direction->inside_fpdu();
  }
  [[nodiscard]] bool seeks_behind_hole(Side side) const noexcept {
    const Direction* const direction = framed(side);
    return direction != nullptr && direction->seeking_behind_hole();
  }
  [[nodiscard]] bool framing_uncertain(Side side) const noexcept;
  void finish_framing(Side side);

  // Once in a connection or a direction, and out of the way of what every segment passes through.
  [[gnu::noinline]] void record_opened(Side side, const TcpSegment& segment);
  [[gnu::noinline]] void record_syn(Side side, const TcpSegment& segment);
  [[gnu::cold]] void judge_syn(Side side, const TcpSegment& answer);
  [[gnu::noinline]] void record_fin(Side side);
  [[gnu::noinline]] void give_up_old_hole(Side side);
  [[gnu::noinline]] void give_up_holes(Side side);
  [[gnu::noinline]] void note_lacking_before_end() noexcept;
  [[gnu::cold]] void record_early_acknowledgement(Side side);
  [[gnu::cold]] void place_ahead(Side side, const TcpSegment& segment);
  [[gnu::cold]] void take_rst(Side side, const TcpSegment& segment, StreamOffset ack);
  [[gnu::cold]] void record_rst(Side side, const Placement& segment, StreamOffset ack);
  [[gnu::cold]] void note_cut(Side side, const TcpSegment& segment);
  [[gnu::cold]] void note_once(const Placement& placed, Side side, CheckId check, std::uint64_t first = 0,
                               std::uint64_t second = 0);

  const AnalyzerOptions& options_;
  ConnectionState state_;
  ConnectionLog log_;
  CaptureFindings capture_findings_;
  stream::StreamPair streams_;
  stream::CausalOrder order_;
  std::unique_ptr<Phases> phases_;  // see phases()
  std::array<End, 2> ends_;
  bool ended_ = false;
  std::optional<DoubtfulRst> doubtful_rst_;
  Placement last_;         // segment
  TimeNs silence_ns_ = 0;  // before it
};

}  // namespace iwarp
