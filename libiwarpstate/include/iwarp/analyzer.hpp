// Analyzer: TCP segments and SCTP packets in capture order in, events out. Analysis: what it found.
//
// Not thread-safe; one Analyzer belongs to one thread at a time, several run side by side without sharing
// anything. Neither class reads a clock, opens a file, starts a thread or calls back, but for
// AnalyzerOptions::take_portion.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/sctp_packet.hpp>
#include <iwarp/segment.hpp>
#include <iwarp/state.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// Which FPDUs' payload is kept, and how long.
enum class KeepPayload : std::uint8_t {
  none,
  beginnings,  // of the first FPDU of each Send, and of Writes of up to 32 octets, until the next add() or
               // finish()
  all          // as long as their events
};

using Events = std::span<const Event>;
// Where events that are read from the log are unpacked. Used again and again, it soon allocates nothing more.
using EventBuffer = std::vector<Event>;

struct AnalyzerOptions {
  // Keep every event (Analysis::events_of), as the plugin and the viewer need it. Off: streaming mode, events
  // live until the next add() and memory follows open work only.
  bool keep_log = false;
  KeepPayload keep_payload = KeepPayload::none;  // for Analysis::payload
  bool strict = false;                           // vendor deviations at their full severity
  bool acknowledgements = false;                 // events `received` (deliveries.hpp)
  // Caps. Reaching one is reported as CAP-LIMIT and other connections go on.
  std::size_t max_buffered_octets = 4U << 20U;       // early segments of one direction
  std::size_t max_total_buffered = 512U << 20U;      // of all directions
  std::size_t max_connections = 1U << 20U;           // followed at once; the oldest closed, then idle, go
  std::size_t max_outstanding_requests = 1U << 16U;  // of one side
  // Connections without FPDUs that are ready for their next segment at once, about; others are packed in a
  // few hundred octets each, which costs a microsecond when one is needed again. No cap: so few that they
  // stay in a processor's cache until they are packed.
  std::size_t max_awake = 128;
  // One of these that holds octets which wait, or in which framing is sought, costs more than that to pack:
  // it is left ready until so many segments of others came.
  std::size_t awake_segments = 4096;
  // A hole is declared a gap when the peer acknowledged octets behind it and this many further frames of
  // the connection, or this much capture time, went by (a mirror may deliver the directions skewed).
  std::uint32_t reorder_frames = 16;
  TimeNs reorder_time_ns = 100'000'000;
  // Takes the first events of a call, `portion` and some at a time, where these are more: what waited behind
  // a hole may be hundreds of thousands. The call returns the rest, among them the end of each connection
  // that it closes. Portions live until take_portion() returns, as do their slices and payloads; it may ask
  // the Analysis, whose states are those after the portion, and calls no other function of the Analyzer.
  // Empty: calls return all of their events, as with keep_log.
  std::function<void(Events)> take_portion = {};
  std::size_t portion = 4096;
  // Capture time after which an unanswered start-up frame, or a connection that a Terminate did not end,
  // is reported.
  TimeNs startup_timeout_ns = 10'000'000'000;
  TimeNs close_timeout_ns = 60'000'000'000;
};

class Analysis {
 public:
  // State of a connection after the last event; nullptr: never seen, or let go. Until the next add(),
  // finish() or let_go(), or this is asked for another connection: those at rest are unpacked to be looked
  // at.
  [[nodiscard]] const ConnectionState* connection(ConnectionId id) const noexcept;
  // That of the TCP segment added last; nullptr where none takes it any more, and before the first.
  [[nodiscard]] const ConnectionState* connection_of_last_segment() const noexcept;
  // Octets of that one which wait for others before them, and a little for each of their segments.
  [[nodiscard]] std::size_t waiting_octets() const noexcept;
  // One past the highest ConnectionId handed out.
  [[nodiscard]] ConnectionId connection_count() const noexcept;

  // With keep_log: the events of one frame, in any order of questions; frames without events: empty. What
  // finish() concludes carries the last frame's number, but is asked for as that of `end_of_capture`. The log
  // is packed: events are unpacked into `buffer`, whose old content goes; the result is all that is in it
  // then. The work is that of the events.
  [[nodiscard]] Events events_of(FrameNumber frame, EventBuffer& buffer) const;
  // … the frames with events of one connection, ascending; the last may be `end_of_capture`. Lives until the
  // next add(), finish() or let_go(). ConnectionEvents walks through the events themselves.
  [[nodiscard]] std::span<const FrameNumber> frames_of(ConnectionId connection) const noexcept;
  // … when a frame was captured; frames without a segment have the time of the one before them, 0 before the
  // first.
  [[nodiscard]] TimeNs time_of(FrameNumber frame) const noexcept;
  // … the first frame that was captured at that time or later, though others before it may be later still:
  // capture time may run backward. end_of_capture: there is none.
  [[nodiscard]] FrameNumber frame_at(TimeNs time_ns) const noexcept;
  // The frame that was added last; 0: none.
  [[nodiscard]] FrameNumber last_frame() const noexcept;

  // Where the octets of an fpdu, placed, startup or sync_lost event lie, as far as they were captured, in
  // stream order. Lives as long as `fact`.
  [[nodiscard]] std::span<const Slice> slices(const Event& fact) const noexcept;
  // The FPDU of that side that begins in `frame` and of which octets are still to come, as its header tells
  // it: `cut`, `placed` in frame 0, without number, CRC, PAD and pieces. Nothing while its DDP header is
  // not there, or may be none.
  [[nodiscard]] std::optional<FpduFact> begun_in(ConnectionId id, Side side,
                                                 FrameNumber frame) const noexcept;
  // How far the octets of that side were read, in order: those of an FPDU whose end is still to come and
  // those that were given up among them. 0: the connection is not followed.
  [[nodiscard]] StreamOffset read_to(ConnectionId id, Side side) const noexcept;
  // With keep_payload: the octets behind the DDP header of an fpdu event, markers removed; empty where some
  // of them were not captured. Lives as KeepPayload says.
  [[nodiscard]] ByteView payload(const Event& fpdu) const noexcept;
  // Private Data of a start-up event, IRD/ORD word included. Lives as long as what connection() returns of
  // it.
  [[nodiscard]] ByteView private_data(ConnectionId connection, const StartupFact& startup) const noexcept;

  // Connections that are not closed.
  [[nodiscard]] std::size_t followed() const noexcept;
  // Connections that ended, of which it is remembered how far they came: what comes late is not taken for
  // another one.
  [[nodiscard]] std::size_t remembered() const noexcept;
  // Segments that nothing was made of: they came late on addresses and ports of a connection that had ended.
  [[nodiscard]] std::uint64_t late_segments() const noexcept;
  // Segments with octets that lie before the first one captured of their stream, which are not read: where a
  // capture begins in the middle of a connection, repeated ones, or those that came out of order just then.
  [[nodiscard]] std::uint64_t early_segments() const noexcept;
  // Segments with octets behind the FIN of their sender, which are not read.
  [[nodiscard]] std::uint64_t segments_behind_fin() const noexcept;
  // How often each check could not be decided.
  [[nodiscard]] std::uint64_t undecidable(CheckId check, Reason reason) const noexcept;

  struct [[gnu::visibility("hidden")]] Impl;
  explicit Analysis(const Impl& impl) noexcept : impl_(&impl) {}

 private:
  const Impl* impl_;
};

class Analyzer {
 public:
  explicit Analyzer(AnalyzerOptions options = {});
  ~Analyzer();
  Analyzer(Analyzer&&) noexcept;
  Analyzer& operator=(Analyzer&&) noexcept;

  // Takes one segment; returns the events it caused, in order, those first of connections that ended half a
  // minute before: close_due() has them one by one, where they may be many. The segment's payload is read
  // during the call only. The returned events live until the next add() or finish(); see keep_log. Events of
  // `segment.frame` carry that frame number: also those of other segments that waited for it. REQUIRES: frame
  // numbers do not decrease.
  Events add(const TcpSegment& segment);

  // The same of an SCTP packet. Each session of a DDP stream (RFC 5043 §6) is a connection of its own; one
  // packet may begin several. Associations without DDP are none.
  Events add(const SctpPacket& packet);

  // Ends the capture: what still waited is decided, every connection gets its closed event.
  Events finish();

  // The same in parts, where connections may be too many to hold all that their end tells: some are closed at
  // each call, in order of their ids, of those below `end`. Empty when all of these are. With keep_log the
  // first part is all.
  Events finish_some(ConnectionId end = ~ConnectionId{0});

  // Lets connections go for their memory, as many as that: those first that are only remembered, then those
  // that ended, then those idle longest, before they end (CAP-LIMIT tells of it); octets of theirs that wait
  // behind a hole are not read any more. What is captured of them later is another connection, joined
  // mid-stream. Their states are dropped at the next call of this, add() or finish_some(), without keep_log.
  Events let_go(std::size_t connections);

  // Several Analyzers may share a capture, each on a thread of its own: every segment goes to one of them,
  // all segments between two addresses and ports to the same. All conclude what one would alone, as a
  // connection depends on no other but in three ways, which are known to whoever shares segments out: ids
  // count up from 0 in each, caps are each one's own, and a connection that ended is closed by the first
  // segment, of whatever connection, that the capture brings half a minute later.
  //
  // The connection that is closed next, and the latest capture time behind which it is.
  struct Due {
    FrameNumber ended = 0;  // the frame that ended it: of several that are due this tells the order
    TimeNs behind_ns = 0;
  };
  [[nodiscard]] std::optional<Due> next_due() const noexcept;
  // Of a connection that ended when this was the latest capture time: Due::behind_ns.
  [[nodiscard]] static TimeNs due_behind(TimeNs ended_ns) noexcept;
  // Goes on to a frame, which may be another one's; `latest_ns` is the latest capture time up to it. Events
  // that follow carry it. REQUIRES: frame numbers do not decrease, and nothing is due before.
  void go_on_to(FrameNumber frame, TimeNs time_ns, TimeNs latest_ns);
  // Closes the one connection that is next. REQUIRES: it is due.
  Events close_due();

  [[nodiscard]] const Analysis& analysis() const noexcept;

 private:
  std::unique_ptr<Analysis::Impl> impl_;
  Analysis analysis_;
};

}  // namespace iwarp
#pragma GCC visibility pop
