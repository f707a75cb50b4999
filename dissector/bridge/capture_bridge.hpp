// CaptureBridge: one capture file as Wireshark reads it, on its way into the analyzer and back.
//
// The first pass adds every frame once, in order; whatever is rendered, then or later and in any order, is
// read from the event log. Knows nothing of epan, throws nothing, and hands out views that live until the
// file is closed. docs/dissector.md tells why whole frames come in here and not what TCP's dissector makes of
// them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/timeline.hpp>

#include "bridge/answers.hpp"
#include "bridge/ddp_messages.hpp"
#include "bridge/derived_findings.hpp"
#include "bridge/fpdu_octets.hpp"
#include "bridge/frame_numbers.hpp"
#include "bridge/message_segments.hpp"
#include "bridge/sctp_streams.hpp"
#include "bridge/send_octets.hpp"
#include "bridge/shown_events.hpp"

namespace iwarp::dissector {

// A frame that carries a TCP segment, as far as rendering needs it again.
struct FrameFacts {
  ConnectionId connection = 0;
  std::uint32_t sequence = 0;        // of the payload's first octet
  std::uint32_t payload_length = 0;  // octets captured
  std::uint32_t reassembled_in = 0;  // the later frame that completed an FPDU or start-up frame begun or
                                     // carried on in this one, or found that there is none
  std::uint16_t payload_offset = 0;  // in the frame
  Side side = Side::a;
  bool segment : 1 = false;  // false: not a TCP segment, the rest means nothing
  bool in_frame : 1 =
      false;               // false: the payload was put together from IP fragments, it lies not in this frame
  bool iwarp : 1 = false;  // when this frame had come, its sender was known to speak iWARP
  bool key : 1 = false;    // the payload begins as a start-up frame does, which this frame may not complete
  bool request : 1 = false;         // … as a Request
  bool retransmission : 1 = false;  // some of its octets had come before
  bool startup_part : 1 = false;    // `reassembled_in` completed a start-up frame
  bool skipped : 1 = false;         // `reassembled_in` told that its octets are no FPDU
};
static_assert(sizeof(FrameFacts) == 20, "there is one for every frame");

// A frame that carries an SCTP packet, whose messages may belong to several connections.
struct SctpFacts {
  std::uint32_t frame = 0;
  std::uint32_t packet_length = 0;  // octets captured
  std::uint32_t reassembled_in =
      0;  // the later frame with the last octet of a message begun or carried on in this one
  std::uint16_t packet_offset = 0;  // in the frame
  bool in_frame = false;            // as of FrameFacts
};

// A start-up frame that did not come in one frame, and the pieces it came in.
struct StartupPieces {
  FrameNumber frame = 0;  // with the last of them
  wire::StartupKind kind = wire::StartupKind::request;
  std::vector<Slice> slices;  // in the order of the stream
};

struct BridgeOptions {
  bool strict = false;  // as AnalyzerOptions::strict
  // Whether segments between these ports are looked at; nullptr: all are.
  bool (*is_port_tried)(std::uint16_t, std::uint16_t) noexcept = nullptr;
};

class CaptureBridge {
 public:
  explicit CaptureBridge(const BridgeOptions& options);

  // Counts the next frame, which Wireshark calls `shown`. All numbers of frames below are those of the file.
  FrameNumber next_frame(std::uint32_t shown) noexcept { return numbers_.add(shown); }
  [[nodiscard]] const FrameNumbers& numbers() const noexcept { return numbers_; }
  // Takes a frame. REQUIRES: frame numbers do not decrease.
  void add(const capture::Record& record) noexcept;
  // The last frame was added.
  void finish() noexcept;

  [[nodiscard]] FrameNumber last_frame() const noexcept { return last_frame_; }
  // With a TCP segment or an SCTP packet. The end of the capture belongs to it.
  [[nodiscard]] FrameNumber last_segment_frame() const noexcept { return last_segment_frame_; }
  [[nodiscard]] bool finished() const noexcept { return finished_; }
  // nullptr for a frame without a TCP segment.
  [[nodiscard]] const FrameFacts* facts(FrameNumber frame) const noexcept;
  // nullptr for a frame without an SCTP packet.
  [[nodiscard]] const SctpFacts* sctp_facts(FrameNumber frame) const noexcept;
  // Which connections are sessions over SCTP.
  [[nodiscard]] const SctpStreams& sctp_streams() const noexcept { return sctp_streams_; }
  // Messages of these, as captured.
  [[nodiscard]] const DdpMessages& ddp_messages() const noexcept { return ddp_messages_; }
  // What stands in the frame, in order (ShownEvents). Lives until another frame's events are asked for, or
  // the next add().
  [[nodiscard]] Events events(FrameNumber frame) noexcept;
  // What the end of the capture brought that stands in no frame: belongs to its last segment, and is known
  // only when all frames were read.
  [[nodiscard]] Events events_at_end(FrameNumber frame) const noexcept;
  [[nodiscard]] const Analysis& analysis() const noexcept { return analyzer_.analysis(); }

  // The octets of an FPDU which lies not in its completing frame alone, markers included. Empty when it does,
  // or when octets of it are missing.
  [[nodiscard]] ByteView octets(const Event& fpdu) const noexcept { return octets_.find(fpdu); }

  // Of the FPDU that came last of a Send of several FPDUs: the payload of all of them. Empty for others, or
  // when octets of it are missing.
  [[nodiscard]] ByteView send_octets(const Event& fpdu) const noexcept { return sends_.find(fpdu); }
  // The frames that brought those.
  [[nodiscard]] std::span<const std::uint32_t> send_frames(const Event& fpdu) const noexcept {
    return sends_.frames(fpdu);
  }

  // The frame in which each of its segments ends.
  [[nodiscard]] std::span<const std::uint32_t> send_segments(const Event& fpdu) const noexcept {
    return sends_.segments(fpdu);
  }

  // The frames of a message of several segments, as far as is known by now.
  [[nodiscard]] SegmentFrames segments(ConnectionId connection, std::uint32_t message) const noexcept {
    return segments_.find(connection, message);
  }
  // What messages of the frames added so far name and tell of STags.
  [[nodiscard]] const StagStory& stag_story() const noexcept { return derived_findings_.stag_story(); }
  // Where the time of the operations that are over by now went.
  [[nodiscard]] const OperationParts& operation_parts() const noexcept { return derived_findings_.parts(); }
  // Of the requests that are over by now.
  [[nodiscard]] const Answers& answers() const noexcept { return answers_; }

  // Of the start-up frame of that side that is shown in `frame`; nullptr when it lies in that frame alone.
  [[nodiscard]] const StartupPieces* startup_pieces(FrameNumber frame, ConnectionId connection,
                                                    Side side) const noexcept;

  // Of a frame whose octets had come before: the frame that brought them first. 0: not among those looked at.
  [[nodiscard]] FrameNumber first_copy_of(FrameNumber frame) const noexcept;
  // While the frame is the one added last: the FPDU that begins in it and ends in one still to come.
  [[nodiscard]] std::optional<FpduFact> begun_in(FrameNumber frame) const noexcept;
  // Of the frames in which FPDUs end with octets of this one the last before `limit`; 0: none.
  [[nodiscard]] FrameNumber completed_before(FrameNumber frame, FrameNumber limit) const noexcept;
  // events() of another frame than the one being rendered. Lives until the next call.
  [[nodiscard]] Events events_elsewhere(FrameNumber frame) noexcept;

  // State behind a frame; nullptr when the connection was not known then. Lives until the next call or add().
  [[nodiscard]] const ConnectionState* state_after(ConnectionId connection, FrameNumber frame) noexcept;

 private:
  // FPDUs with octets of `frame`, which end in another one.
  struct Completion {
    std::uint32_t frame = 0;
    std::uint32_t completing = 0;
  };

  void add(const capture::Record& record, const TcpSegment& segment);
  void add(const capture::Record& record, const SctpPacket& packet);
  // Events that the analyzer returned, before anything else is made of them.
  void take(Events events);
  void note(const TcpSegment& segment, FrameFacts& facts, Events events);
  void note_events(const TcpSegment& segment, Events events);
  void note_session(const Event& event);
  void note_segments(Events events);
  void note_fpdu(const TcpSegment& segment, const Event& event);
  void note_delivered(const Event& event);
  void note_startup(const Event& event);
  void note_skipped(const Event& event);
  [[nodiscard]] FrameNumber latest_copy_of(FrameNumber frame, FrameNumber least) const noexcept;
  [[nodiscard]] bool speaks_iwarp(const FrameFacts& facts, Events events) const noexcept;

  BridgeOptions options_;
  FrameNumbers numbers_;
  capture::PacketDecoder decoder_;
  Analyzer analyzer_;
  Timeline timeline_;
  Snapshot state_;
  FpduOctets octets_;
  SendOctets sends_;
  MessageSegments segments_;
  Answers answers_;
  std::vector<FrameFacts> frames_;       // by number
  std::vector<Completion> completions_;  // those before FrameFacts::reassembled_in, in order
  // By the frames that tell of them: where they end, and a later one that they had to wait for.
  std::map<std::tuple<FrameNumber, ConnectionId, Side>, std::shared_ptr<const StartupPieces>> startups_;
  std::vector<SctpFacts> sctp_frames_;  // by number
  SctpStreams sctp_streams_;
  DdpMessages ddp_messages_;
  ShownEvents shown_events_;
  DerivedFindings derived_findings_;
  EventBuffer shown_;            // events of …
  FrameNumber shown_frame_ = 0;  // … this frame; 0: none
  EventBuffer elsewhere_;        // events of yet another frame
  EventBuffer end_;              // what the end of the capture brought that stands in no frame
  Events present_;               // of the frame being added
  FrameNumber last_frame_ = 0;
  FrameNumber last_segment_frame_ = 0;
  bool finished_ = false;
};

}  // namespace iwarp::dissector
