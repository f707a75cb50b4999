// Connection: one TCP connection on its way from segments to facts. Data flow one way: causal order,
// reassembly, start-up frames or framing, facts; the only arrow back is Negotiation giving the framers their
// modes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/state.hpp>

#include "analysis/private_data_store.hpp"
#include "analysis/recorder.hpp"
#include "analysis/span_map.hpp"
#include "mpa/framer.hpp"
#include "mpa/negotiation.hpp"
#include "stream/causal_order.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class Connection {
 public:
  // `first` is the segment that makes the connection known.
  Connection(ConnectionId id, const TcpSegment& first, const AnalyzerOptions& options, Recorder& recorder);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void add(const TcpSegment& segment);

  // Decides all that still waits and records `closed`. Nothing may be added afterwards.
  void close(CloseCause cause);

  [[nodiscard]] const ConnectionState& state() const noexcept { return state_; }
  [[nodiscard]] TimeNs last_time_ns() const noexcept { return last_time_ns_; }
  [[nodiscard]] ByteView private_data(std::uint32_t id) const noexcept { return private_data_.find(id); }
  [[nodiscard]] Side side_of(const Endpoint& source) const noexcept {
    return source == state_.endpoints[0] ? Side::a : Side::b;
  }
  [[nodiscard]] bool closed() const noexcept { return state_.closed.has_value(); }
  // Gives up every hole whose octets are waited for, to free what is buffered behind.
  void release_buffers();
  // Both ends closed, or one reset: only stray segments are to be expected.
  [[nodiscard]] bool ended() const noexcept;
  [[nodiscard]] CloseCause end_cause() const noexcept;
  // Octets held for segments that wait.
  [[nodiscard]] std::size_t buffered() const noexcept;
  [[nodiscard]] bool syn_seen(Side side) const noexcept { return streams_[index(side)].syn_seen(); }
  [[nodiscard]] bool started(Side side) const noexcept { return streams_[index(side)].started(); }
  [[nodiscard]] bool foreign_syn(Side side, std::uint32_t sequence) const noexcept {
    return streams_[index(side)].is_foreign_syn(sequence);
  }
  [[nodiscard]] std::uint32_t syn_sequence(Side side) const noexcept { return directions_[index(side)].syn_sequence; }

 private:
  // `abandoned`: too many start-ups, octets are passed over.
  enum class Reception : std::uint8_t { streaming, framing, abandoned };

  // An FPDU whose CRC was bad, kept in case a better copy of its octets comes.
  struct BadFpdu {
    StreamOffset begin = 0;
    mpa::FramerParameters parameters;
    std::uint16_t ulpdu_length = 0;
    FrameNumber frame = 0;
    Bytes octets;
  };

  // Copies of octets that differ; told when the FPDU around them is done, for its CRC may decide.
  struct OpenConflict {
    stream::Conflict octets;
    FrameNumber frame = 0;
  };

  struct Direction {
    Reception reception = Reception::streaming;
    bool seeking = false;       // streaming, but Full Operation may be under way unseen
    bool window_closed = false;
    bool fin_recorded = false;
    bool gapped = false;        // an uncaptured octet at all
    bool opened = false;        // a first octet came
    bool refused = false;       // a start-up was rejected: FPDUs would be wrong
    bool modes_told = false;    // by start-up frames
    std::uint32_t syn_sequence = 0;
    std::uint64_t sought = 0;   // octets looked through while seeking
    StreamOffset origin = 0;    // what FpduFact::stream_offset counts from
    TimeNs hole_since_ns = 0;
    FrameNumber hole_since = 0;  // 0: no hole
    StreamOffset fin_ack = 0;   // what the segment with the FIN acknowledged
    SpanMap spans;
    mpa::Framer framer;
    bool unpolled = false;      // the framer has octets that it was not asked about
    Bytes handed_over;          // octets that negotiation had held, while the framer reads them
    std::vector<BadFpdu> bad;
    std::vector<OpenConflict> conflicts;  // ascending by frame
  };

  struct Note {
    Side side;
    CheckId check;
    std::array<std::uint64_t, 2> arguments;
  };

  void record_opened(Side side, const TcpSegment& segment);
  void run_steps();
  void deliver(Side side, const TcpSegment& segment, StreamOffset ack);
  void record_syn(Side side, const TcpSegment& segment);
  void record_acknowledgement(Side side, const TcpSegment& segment);
  void record_push(Side side, const TcpSegment& segment, const stream::PushResult& result);
  void drain(Side side);
  void take_chunk(Side side, const stream::Chunk& chunk);
  void take_octets(Side side, ByteView octets, bool segment_start);
  void take_absent(Side side, const stream::Chunk& chunk);
  void seek(Side side, StreamOffset at);
  void settle();
  [[nodiscard]] bool run_framer(Side side);
  void run_negotiation();
  void hand_over(Side side, ByteView octets);
  void record_startup(const mpa::Decision& decision);
  void operate(const mpa::Decision& decision);
  void leave_operation(Side side);
  void record_fpdu(Side side, const mpa::FramedFpdu& fpdu, bool recovered);
  void record_lock(Side side);
  void record_lost(Side side, StreamOffset at, std::uint64_t length);
  void record_mode(Side side);
  void back_to_streaming(Side side, StreamOffset at, ByteView octets);
  void answer_nonsense(const mpa::Decision& decision);
  void expect_terminate(Side side);
  void judge_refused(Side side, ByteView octets);
  void record_fin(Side side);
  [[nodiscard]] bool try_alternates(Side side, const mpa::FramedFpdu& fpdu, Bytes& patched);
  void keep_bad(Side side, const mpa::FramedFpdu& fpdu);
  [[nodiscard]] bool recover(Side side);
  void settle_conflicts(Side side, StreamOffset from, StreamOffset upto, bool crc_decided);
  void give_up_old_holes(Side side);
  void note_once(Side side, CheckId check, std::uint64_t first = 0, std::uint64_t second = 0);
  void flush_notes();

  const AnalyzerOptions& options_;
  Recorder& recorder_;
  ConnectionState state_;
  stream::StreamPair streams_;
  stream::CausalOrder order_;
  mpa::Negotiation negotiation_;
  bool negotiation_due_ = false;  // a scanner has octets that it was not asked about
  std::array<Direction, 2> directions_;
  PrivateDataStore private_data_;
  std::array<bool, 2> seen_{};  // a segment of the side was captured
  FrameNumber last_frame_ = 0;
  TimeNs last_time_ns_ = 0;
  std::vector<Note> notes_;                   // waiting until the connection turns out to be iWARP
  std::array<std::vector<CheckId>, 2> noted_;  // said once already, by Side
};

}  // namespace iwarp
