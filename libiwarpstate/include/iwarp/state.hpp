// ConnectionState: all that is known of one connection, a TCP connection or a session of a DDP stream over
// SCTP, and its iWARP stream after a number of events.
//
// A value: copying it is a snapshot. It changes only by apply(), so any state can be computed again from the
// log, and two readers of one log cannot disagree (docs/architecture.md, "State is a fold").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/on_demand.hpp>
#include <iwarp/request_list.hpp>
#include <iwarp/segment.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class RoleBasis : std::uint8_t {
  assumed,
  syn,
  mpa
};

// Where a direction stands.
enum class Phase : std::uint8_t {
  streaming,  // octets of another protocol, or none yet
  startup,    // this side's start-up frame was sent, FPDUs have not begun
  fpdu,       // Full Operation (RFC 5044 §7.1)
  lost,       // Full Operation, framing not known at this point
  closed,
};

// What the wire tells of an endpoint's queue pair (Verbs 1.0 §6.2; inference rules in docs/architecture.md).
enum class QpValue : std::uint8_t {
  idle,
  startup,
  rts,
  closing,
  terminate,
  error
};

enum class QpEvidence : std::uint8_t {
  none,
  startup_sent,
  reply_accepted,  // the responder's accepting Reply
  first_fpdu,      // the initiator's first FPDU
  midstream,       // FPDUs of a stream whose start was not captured
  peer_fpdu,       // the peer's FPDUs; of this end nothing was captured
  startup_rejected,
  fin_sent,
  fin_acknowledged,
  terminate_sent,
  terminate_received,
  fin_with_work_outstanding,
  rst_sent,
  rst_received,
  closed_after_terminate,
  both_fins_acknowledged,
};

enum class Confidence : std::uint8_t {
  low,
  medium,
  high
};

struct QpState {
  QpValue value = QpValue::idle;
  QpEvidence evidence = QpEvidence::none;
  Confidence confidence = Confidence::high;
  FrameNumber frame = 0;

  bool operator==(const QpState&) const = default;
};

// IRD or ORD of one endpoint. 0x3FFF offered: not negotiated, effective unknown.
struct Depth {
  std::optional<std::uint32_t> offered;
  std::optional<std::uint32_t> effective;

  bool operator==(const Depth&) const = default;
};

enum class LimitsSource : std::uint8_t {
  none,
  mpa,
  smbd
};
enum class RtrKind : std::uint8_t {
  none,
  read,
  write,
  send
};

// The latest start-up of the connection.
struct MpaState {
  std::array<std::optional<StartupFact>, 2> frames;  // by wire::StartupKind
  std::array<FrameNumber, 2> frame_numbers{};
  std::array<TimeNs, 2> frame_times{};
  std::array<StreamOffset, 2> frame_ends{};  // offset behind the frame, in its sender's direction
  std::uint32_t startups = 0;                // Requests seen on this connection
  bool crossed = false;                      // the other side sent a Request, too: MPA-INITINIT
  bool accepted = false;                     // Request and accepting Reply are there
  bool rejected = false;
  bool peer_to_peer = false;
  RtrKind rtr = RtrKind::none;  // of the ready-to-receive message seen
  LimitsSource limits_source = LimitsSource::none;
  std::array<Depth, 2> ird;  // by Role
  std::array<Depth, 2> ord;
};

// Numbers of a sequence (MSN, MO, TO) that may be due besides the one behind the latest number: where a
// number did not fit, what comes next tells which of them was wrong. All are the same while every number
// fits.
template <typename Number>
struct AlsoDue {
  Number resumed = 0;    // if just the latest number that did not fit is wrong
  Number counted = 0;    // if every number that did not fit is wrong
  Number aside = 0;      // if what had the latest number that did not fit was out of its turn
  bool strayed = false;  // that number lay before the one due: this stayed due, `aside` is behind that number
  std::uint8_t vouched = 2;  // by how many numbers behind a hole, 2: by two or more, or there was none
  [[nodiscard]] bool sure() const noexcept { return vouched >= 2; }
};

// A segment whose MO lies behind octets that did not come: they may still, out of order.
struct JumpedOver {
  std::uint64_t due = 0;   // the octets from here …
  std::uint64_t mo = 0;    // … to here were jumped over
  std::uint64_t left = 0;  // of them, did not come
  Placement placed;        // of the segment
  std::uint32_t fpdu = 0;  // its FpduFact::number
};
inline constexpr std::size_t max_jumps = 2;

// A message whose last segment has not come. A message of one segment leaves its traces in the first members
// alone, which lie together in memory.
struct OpenMessage {
  bool active = false;
  bool holed = false;  // octets of it are missing: gap, or an FPDU with a bad CRC
  Reason hole_reason = Reason::gap;
  bool adrift = false;     // a hole came since its last segment: it may or may not be holed
  bool start_seen = true;  // see MessageConclusion
  bool last_seen = false;  // L came, earlier segments did not (yet)
  bool overrun = false;    // segments came behind its last one, and DDP-LDUP is told
  // What stays the same within a message: of the latest segment, and as it was at first. One of the two is
  // due.
  wire::Opcode opcode = wire::Opcode::send;
  wire::Opcode first_opcode = wire::Opcode::send;
  std::uint8_t rdmap_octets = 0;  // of rdmap
  std::uint32_t queue = 0;
  std::uint32_t msn = 0;
  std::uint64_t end = 0;        // untagged: behind the segment with L
  FrameNumber first_frame = 0;  // of its first octet
  FrameNumber last_frame = 0;   // untagged: of the segment with L
  std::uint64_t next = 0;       // MO or TO that is due
  AlsoDue<std::uint64_t> also_due;
  std::uint64_t length = 0;  // octets received
  std::uint64_t to = 0;      // tagged: TO of the first segment
  std::uint32_t segments = 0;
  std::uint32_t number = 0;    // see MessageConclusion
  std::uint32_t also_msn = 0;  // another one that a segment of it had, or that was due for it
  std::uint32_t stag = 0;      // tagged: STag, untagged: Invalidate STag
  std::uint32_t first_stag = 0;
  // Of the second segment, where it has another STag than the first: the third tells which of them is wrong.
  Placement stag_changed;
  Placement begun;                // of its first FPDU
  Placement placed;               // of all that came
  std::vector<JumpedOver> jumps;  // untagged: the latest, oldest first; max_jumps at most
  std::array<Byte, max_rdmap_header> rdmap{};
};

struct QueueState {
  bool known = false;     // next_msn is certain: from the start, or since a baseline was taken
  bool baseline = false;  // the next MSN seen is taken as it is (mid-stream, behind a gap)
  Reason baseline_reason = Reason::midstream;
  std::uint32_t next_msn = 1;
  std::uint64_t messages = 0;  // begun on this queue
  AlsoDue<std::uint32_t> also_due{.resumed = 1, .counted = 1, .aside = 1};
  std::optional<std::uint32_t> given_up;  // MSN of the latest message whose last segment never came
  OpenMessage open;
};

// What a side had several requests outstanding for at once, so that nothing tells their responses apart.
struct AlikeRequests {
  static constexpr std::size_t most = 4;
  std::array<RequestKey, most> keys;
  std::size_t count = 0;  // more than `most`: they are not told one by one
};

// Requests that were taken for answered by what may be no response to them: it has another sink or identifier
// (RDMAP-RRMATCH, RDMAP-ATREQID), or repeats the response before. Their own responses may come behind it.
struct MistakenRequests {
  static constexpr std::size_t most = 32;
  struct Each {
    RequestKey key;
    StreamOffset end_offset = 0;  // Request::end_offset
  };
  Fifo<Each> all;
};

// What a Read Response lacks that ended before all octets asked for came (RDMAP-RRSHORT): segments that go on
// with it show that its L was wrong.
struct ShortResponse {
  std::uint32_t stag = 0;
  std::uint32_t left = 0;
  std::uint64_t next = 0;  // TO
};

struct TerminateSeen {
  FrameNumber frame = 0;
  StreamOffset end_offset = 0;
  bool code_captured = false;  // its control field was captured
  wire::TerminateCode meant;
  wire::BitOrder bit_order = wire::BitOrder::rfc;
  std::uint32_t raw = 0;
  TimeNs time_ns = 0;
  FrameNumber quoted_frame = 0;  // of the segment whose header it quotes; 0: none, or not found …
  wire::Opcode quoted_opcode = wire::Opcode::send;  // … and that segment's opcode
  FrameNumber cause_frame = 0;         // that showed the error it states; 0: none, or no single one
  FrameNumber acknowledged_frame = 0;  // by the segment in this frame; 0: not yet, as far as events told
  TimeNs acknowledged_time_ns = 0;
  StreamOffset acknowledged_at = 0;  // where that segment lies in the stream of who sent it
  // Octets before that were not known to be acknowledged: more may have been due.
  bool crossing_octets = false;

  // The frame that it is about: of the segment that it quotes, else one that shows the error it states; 0:
  // none is known.
  [[nodiscard]] FrameNumber refers_to() const noexcept {
    return quoted_frame != 0 ? quoted_frame : cause_frame;
  }
};

// An FPDU with a bad CRC whose fate at the receiver is not known yet.
struct SuspectFpdu {
  FrameNumber frame = 0;  // 0: none
  StreamOffset end_offset = 0;
  FrameNumber acknowledged_frame = 0;
  TimeNs acknowledged_time_ns = 0;
};

// What was known of a direction before its latest FPDU with a bad CRC was passed over: a good copy of that
// FPDU, if it comes next, is taken in its place.
struct CrcRecovery {
  StreamOffset end_offset = 0;   // of that FPDU
  bool put_back = false;         // the good copy came, and what is kept here holds again
  std::uint64_t fpdus = 0;       // of this direction, the one passed over included
  std::uint64_t peer_fpdus = 0;  // of the other one
  // As in SideState.
  std::uint64_t holes = 0;
  StreamOffset hole_end = 0;
  Reason missing_reason = Reason::gap;
  std::optional<Reason> requests_doubt;
  std::optional<Reason> responses_doubt;
  OnDemand<std::array<QueueState, wire::queue_count>> queues;
  OnDemand<OpenMessage> write;
  OnDemand<OpenMessage> interrupted_write;
  OnDemand<OpenMessage> read_response;
};

// A DDP segment seen lately, to find what a Terminate talks about.
struct RecentSegment {
  wire::DdpHeader ddp;
  FrameNumber frame = 0;  // in which it lies
};
inline constexpr std::size_t max_recent_segments = 64;

struct CrcCounts {
  std::uint64_t good = 0;
  std::uint64_t bad = 0;
  std::uint64_t unchecked = 0;  // unused or undecidable
};

// How FPDUs lie in TCP segments: MPA-ALIGN.
struct AlignmentCounts {
  std::uint64_t judged = 0;     // FPDUs of which the capture tells
  std::uint64_t unaligned = 0;  // neither first in their segment, nor behind whole FPDUs that are
  FrameNumber first_unaligned_frame = 0;
  // The FPDU before: where it ended, and the segment that it lay in whole.
  StreamOffset end = 0;
  FrameNumber segment_frame = 0;  // 0: none, or it was not aligned itself
};

// One direction: what `side` sends, and the state of its endpoint.
struct SideState {
  // What each FPDU changes comes first, and so lies together in memory.
  Phase phase = Phase::streaming;
  Mode markers = Mode::unknown;  // in this side's FPDUs
  Mode crc = Mode::unknown;
  bool inferred = false;       // modes were told by no start-up frame
  bool unmarked = false;       // FPDUs followed each other for longer than from marker to marker, without one
  bool captured = false;       // at least one segment of this side was seen
  bool window_closed = false;  // this side advertises a zero window
  bool crc_confirmed = true;   // no octets were missed since an FPDU with a right CRC, or at all
  // A response may have been taken for another request's: which of `requests` is due nobody knows. Implies
  // requests_doubt.
  bool pairing_doubtful = false;
  Reason missing_reason = Reason::gap;    // of the latest gap or hole
  std::optional<Reason> requests_doubt;   // why requests of this side may be missing
  std::optional<Reason> responses_doubt;  // why responses *by* this side may be
  std::uint16_t mss = 0;                  // this side's MSS option: bounds what the *peer* sends
  StreamOffset unmarked_since = 0;        // where the FPDUs that follow each other without a marker began
  FrameNumber first_fpdu_frame = 0;       // of the present start-up, 0: none
  Placement last_fpdu;                    // in stream order
  std::uint64_t fpdus = 0;
  CrcCounts crc_counts;
  AlignmentCounts alignment;
  std::uint64_t payload_octets = 0;  // ULP octets of Sends, Writes, Read Responses, Immediates
  std::uint64_t rq_consumed = 0;     // receive buffers of the *peer* used up by messages on queue 0
  std::uint64_t holes = 0;           // times that FPDUs were missed: gaps, lost framing, bad CRCs
  StreamOffset hole_end = 0;         // where the latest hole ended
  StreamOffset acknowledged = 0;     // of the peer's octets, as far as events told
  StreamOffset consumed_to = 0;      // events covered the octets of this side up to here
  OnDemand<std::array<QueueState, wire::queue_count>> queues;
  OnDemand<OpenMessage> write;
  // Another Write's segment came within it (DDP-TOSEQ): it may still go on.
  OnDemand<OpenMessage> interrupted_write;
  OnDemand<OpenMessage> read_response;
  OnDemand<ShortResponse> short_response;  // the latest Read Response, if it was
  std::vector<RecentSegment> recent;       // ring of the last max_recent_segments
  std::uint64_t recent_count = 0;          // ever seen
  OnDemand<AlikeRequests> alike_requests;
  OnDemand<MistakenRequests> mistaken_requests;
  std::optional<RequestKey> answered_last;  // the request that the latest response was taken for
  RequestList requests;                     // issued by this side, oldest first
  std::uint32_t max_outstanding = 0;
  std::uint32_t unseen_requests = 0;  // of `requests`: known by the MSNs around a hole alone
  SuspectFpdu suspect;
  std::array<std::uint64_t, wire::opcode_count> messages{};  // completed, by opcode

  StreamOffset first_fpdu_end = 0;
  std::uint64_t gaps = 0;
  std::uint64_t gap_octets = 0;
  std::uint64_t retransmitted_octets = 0;
  StreamOffset repeated_offset = 0;  // of the latest retransmission …
  std::uint32_t repeats = 0;         // … and how often just that was sent again
  std::uint64_t duplicate_frames = 0;
  std::uint64_t placed_ahead =
      0;  // FPDUs that are there, behind a hole or before what they answer, not delivered

  std::uint32_t strays = 0;        // responses to requests of this side that lay in a hole, since then
  std::uint32_t early_strays = 0;  // … or that stood before all that was captured of it, when they came
  // Requests given up because a later one was answered behind a hole: their responses may come out of turn
  // instead.
  std::uint32_t presumed_answered = 0;
  // Requests that broke a rule, so do not count; the peer may answer them all the same.
  std::uint32_t broken_requests = 0;

  std::vector<TerminateSeen> terminates;
  std::uint32_t terminate_segments = 0;  // of Terminates, those that were not kept too
  std::optional<FrameNumber> fin_frame;
  StreamOffset fin_offset = 0;             // stream offset of the FIN
  StreamOffset fin_ack = 0;                // what this side had acknowledged when it sent the FIN
  bool fin_acknowledged = false;           // by the peer …
  FrameNumber fin_acknowledged_frame = 0;  // … by the segment in this frame …
  StreamOffset fin_acknowledged_at = 0;    // … which lies here in the peer's stream
  std::optional<FrameNumber> rst_frame;
  // Offsets of this side's octets whose acknowledgement by the peer matters (behind a bad FPDU, a Terminate,
  // a Send with Invalidate, a FIN): the analysis makes an `acknowledged` event when one is passed. Ascending.
  Fifo<StreamOffset> watched;
  OnDemand<CrcRecovery> crc_recovery;

  std::bitset<check_count> violated;                              // checks that this side's octets broke
  OnDemand<std::array<FrameNumber, check_count>> violated_frame;  // the first frame of each

  QpState qp;

  // `markers`, but for a stream that only seems to have none: between two of them it would look the same.
  [[nodiscard]] Mode known_markers() const noexcept {
    return inferred && markers == Mode::off && !unmarked ? Mode::unknown : markers;
  }
  // Reads and atomics that were seen and whose response was not, or not all of it.
  [[nodiscard]] std::uint32_t outstanding() const noexcept {
    return static_cast<std::uint32_t>(requests.size()) - unseen_requests;
  }
};

// Where the octets of a side were when a fin or rst ended them.
struct CutEnd {
  bool inside_fpdu = false;     // or in what may be one
  bool inside_message = false;  // its last segment had not come
  std::optional<Reason> doubt;  // octets before it are missing: where it is nobody knows
  StreamOffset behind = 0;      // the latest FPDU ended here
};

// The RST that ended the connection, as far as octets were read when it came. What comes behind it may show
// that octets before it were not captured, so the rules about it are judged when the connection is closed.
struct Reset {
  Side side = Side::a;
  Placement segment;
  bool abortive = false;        // in RTS, without a Terminate before it
  std::optional<Reason> doubt;  // a Terminate may have come before it all the same
  std::array<CutEnd, 2> ends;   // by Side; of one that acknowledges nothing, else that is judged at once
};

struct ConnectionState {
  ConnectionId id = 0;
  std::array<Endpoint, 2> endpoints;  // by Side
  Llp llp = Llp::tcp;
  SctpStream sctp;  // over SCTP
  FrameNumber first_frame = 0;
  FrameNumber last_frame = 0;
  TimeNs first_time_ns = 0;
  TimeNs last_time_ns = 0;
  std::uint32_t messages = 0;      // that began: the latest MessageConclusion::number
  std::uint32_t fpdu_message = 0;  // FpduFact::message of the FPDU folded last
  OpenedBy opened_by = OpenedBy::handshake;
  bool iwarp = false;  // a start-up frame or FPDUs were recognised
  Side initiator = Side::a;
  RoleBasis role_basis = RoleBasis::assumed;
  MpaState mpa;
  std::array<SideState, 2> sides;
  std::optional<Reset> reset;
  std::optional<CloseCause> closed;
  std::array<std::uint64_t, 4> findings{};  // by Severity

  // TerminateSeen::refers_to() of the Terminate of a message event; 0: it is no Terminate.
  [[nodiscard]] FrameNumber referred_frame(const Event& message) const noexcept {
    if (message.message.opcode != wire::Opcode::terminate) return 0;
    for (const TerminateSeen& seen : side(message.side).terminates) {
      if (seen.frame == message.message.placed.frame && seen.end_offset > message.offset)
        return seen.refers_to();
    }
    return 0;
  }
  [[nodiscard]] Role role_of(Side side) const noexcept {
    return side == initiator ? Role::initiator : Role::responder;
  }
  [[nodiscard]] Side side_of(Role role) const noexcept {
    return role == Role::initiator ? initiator : other(initiator);
  }
  // Whether requests can be told from their responses at all: what is outstanding needs both directions.
  [[nodiscard]] bool outstanding_known() const noexcept { return sides[0].captured && sides[1].captured; }
  [[nodiscard]] SideState& side(Side which) noexcept { return sides[index(which)]; }
  [[nodiscard]] const SideState& side(Side which) const noexcept { return sides[index(which)]; }
};

// Folds one event into the state of its connection. Pure and total: every event is accepted in every state,
// the same events give the same state.
void apply(ConnectionState& state, const Event& event) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
