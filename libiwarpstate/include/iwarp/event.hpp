// The event log's record. Octets become events once, in stream order; nothing else parses.
//
// Facts are what the octets say (start-up frames, FPDUs, gaps, FIN …): apply() folds them into
// ConnectionState. Conclusions (messages, operations, findings, undecidables) are drawn from facts and
// state; folding them only counts (a finding is remembered as a rule that its side broke).
// Events are trivially copyable and carry no pointers.
//
// FPDUs and messages have numbers, each counted from 1 in its connection, which events that speak of them
// repeat: an fpdu event says which message it is a segment of, an operation which messages are its request
// and its response, a finding which FPDU breaks the rule. So the log alone tells what belongs together.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <iwarp/finding.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class EventKind : std::uint8_t {
  // facts
  opened,        // first segment of `side` on a connection; the first of these opens it
  syn,           // a SYN of `side`
  startup,       // an MPA start-up frame of `side`, or a session control message that asks or answers (SCTP)
  fpdu,          // an FPDU of `side`, in stream order
  gap,           // octets of `side` that were never captured or cut off
  sync_lost,     // octets of `side` that are no FPDU, or may be none
  locked,        // framing of `side` found (again) without the help of a start-up frame
  acknowledged,  // `side` acknowledged the peer's octets up to `ack`, or its SYN; at points of interest alone
  retransmitted,  // octets of `side` seen before
  window,         // `side` closed or reopened its TCP receive window
  fin,            // a FIN of `side`; over SCTP its session Terminate
  rst,            // a RST of `side`; over SCTP an ABORT of the association
  closed,         // the connection is no longer followed
  placed,         // an FPDU of `side` which is there, and cannot be delivered yet
  revoked,        // what was told as placed is no FPDU
  window_full,    // the peer goes on where no segment of its fitted into the TCP receive window of `side`
  received,       // `side` acknowledged more of the peer's octets; with AnalyzerOptions::acknowledgements
  // conclusions
  message,
  operation,
  finding,
  undecidable,
};

enum class OpenedBy : std::uint8_t {
  handshake,
  midstream
};

// The lower layer protocol that carries a DDP stream: TCP with MPA (RFC 5044), or SCTP (RFC 5043).
enum class Llp : std::uint8_t {
  tcp,
  sctp
};

// Which DDP stream of an SCTP association, and which session on it (RFC 5043 §6): one connection of ours.
struct SctpStream {
  std::uint16_t id = 0;       // the Stream Identifier of both directions
  std::uint32_t session = 0;  // counted from 1 on this pair of streams

  bool operator==(const SctpStream&) const = default;
};

// Whether FPDUs of one direction carry markers, or a valid CRC.
enum class Mode : std::uint8_t {
  unknown,
  off,
  on
};

enum class CrcStatus : std::uint8_t {
  good,
  bad,
  unused,       // CRC is not in use: never checked (RFC 5044 §4.4)
  undecidable,  // octets are missing, or it is not known whether CRC is in use
};

enum class GapCause : std::uint8_t {
  uncaptured,
  snaplen
};

enum class CloseCause : std::uint8_t {
  fin,  // both FINs
  rst,
  reused,   // a new SYN on the same addresses and ports
  evicted,  // a cap
  capture_end,
};

// A piece of what a fact is about, as it was captured.
struct Slice {
  FrameNumber frame = 0;
  std::uint32_t payload_offset = 0;  // in that frame's TCP payload, or in its SCTP packet
  std::uint32_t length = 0;
};

// All pieces of it: for Analysis::slices.
struct Pieces {
  std::uint32_t count = 0;
  std::uint32_t begin = 0;  // of several, among those that Analysis keeps
  Slice only;               // of one
};

struct OpenedFact {
  std::array<Endpoint, 2> endpoints{};  // by Side
  OpenedBy by = OpenedBy::handshake;    // over SCTP: its session's first message was captured
  Llp llp = Llp::tcp;
  SctpStream sctp{};  // over SCTP
};

struct SynFact {
  std::uint16_t mss = 0;  // 0: no option
};

// Private Data is kept by Analysis (Analysis::private_data). Over SCTP an Initiate is a request, Accept and
// Reject are replies; an enhanced one has S and its word (RFC 6581 §7), M, CRC and revision say nothing.
struct StartupFact {
  wire::StartupKind kind = wire::StartupKind::request;
  std::uint8_t revision = 0;
  bool markers = false;
  bool crc = false;
  bool rejected = false;
  bool enhanced = false;
  std::uint8_t reserved_flags = 0;
  bool has_word = false;                    // an IRD/ORD word (rev 2, S)
  bool has_smbd = false;                    // MS-SMBD's two 32-bit words, TCP port 5445
  bool delayed = false;                     // streaming data of this side came before
  std::uint16_t private_data_length = 0;    // PD_Length as sent
  std::uint16_t private_data_received = 0;  // octets that came before the peer answered
  std::uint16_t private_data_captured = 0;  // of these, as far as no octet is missing
  std::uint32_t early_octets = 0;  // of a Reply: octets the initiator had sent behind its Request before it
  wire::EnhancedWord word;
  std::uint32_t smbd_ird = 0;
  std::uint32_t smbd_ord = 0;
  FrameNumber first_frame = 0;
  Placement placed;  // of its last octet
  // S promises an IRD/ORD word, and it came, but was not captured.
  [[nodiscard]] bool word_missing() const noexcept {
    constexpr std::uint16_t word_size = 4;
    return enhanced && !has_word && private_data_received >= word_size;
  }
  std::uint32_t private_data_id = 0;  // for Analysis::private_data, 0: none
  Pieces pieces;                      // of what was captured of it; the state does not keep them
};

inline constexpr std::size_t max_rdmap_header = 52;

// What marker checks found wrong in an FPDU: bits, and the rows of what is kept of each.
enum MarkerFault : std::uint8_t {
  marker_pointer = 1,
  marker_low_bits = 2,
  marker_reserved = 4
};
inline constexpr std::size_t marker_fault_kinds = 3;
[[nodiscard]] constexpr std::size_t row_of(MarkerFault fault) noexcept {
  return fault >> 1U;
}

struct FpduFact {
  FrameNumber first_frame = 0;  // the frame of its first octet; 0: that was not captured
  // Its last octet to come. Event::frame, which delivered it, is a later one where its octets had to wait:
  // for a hole before them, or for what they answer.
  Placement placed;
  // Octets from S (RFC 5044 §4.3) to its first octet, or from the first captured octet of the direction where
  // the start is missing. (Event::offset counts from the first octet of the TCP stream.)
  StreamOffset stream_offset = 0;
  std::uint32_t wire_size = 0;  // octets in the stream, markers, PAD and CRC included
  std::uint16_t ulpdu_length = 0;
  std::uint8_t markers = 0;
  CrcStatus crc = CrcStatus::undecidable;
  std::uint8_t header_octets = 0;  // of DDP header plus RDMAP header that were captured
  bool malformed = false;          // ULPDU_Length too small for its DDP header
  bool cut = false;                // some of its octets were not captured, or never came
  bool aligned = false;            // begins at the start of a TCP segment
  bool recovered = false;          // a better copy of an FPDU whose CRC was bad
  bool markers_missing = false;    // some of its markers were not captured
  // The octets of its direction end inside it, or it was given up: only its header tells something. Never a
  // message's.
  bool unfinished = false;
  bool ahead = false;  // of an fpdu event: a placed event came before, with the same number
  std::uint8_t rdmap_octets = 0;
  std::uint8_t marker_faults = 0;  // bits of MarkerFault, of those that were
  // By row_of(fault): the first faulty value (FPDUPTR, or the reserved half), and octets from the FPDU's
  // first one to its marker.
  std::array<std::uint16_t, marker_fault_kinds> marker_seen{};
  std::array<std::uint32_t, marker_fault_kinds> marker_at{};
  std::uint32_t pad = 0;        // PAD octets, zero as they should be or not
  std::uint32_t crc_field = 0;  // as register value (load_le32)
  std::uint32_t crc_computed = 0;
  wire::DdpHeader ddp;
  std::array<Byte, max_rdmap_header> rdmap{};  // octets behind the DDP header; rdmap_octets were captured
  std::uint32_t payload_length = 0;            // octets behind the DDP header
  std::uint32_t number = 0;                    // of all FPDUs of the connection, from 1
  std::uint32_t message = 0;     // MessageConclusion::number of its message; 0: of none, or not delivered yet
  std::uint32_t payload_id = 0;  // for Analysis::payload, 0: none
  bool end_missing = false;      // no segment with its last octet was captured
  Pieces pieces;                 // markers included

  // Of an fpdu event: whether its octets may be believed. A CRC that is wrong in its octet order only
  // (MPA-CRCORDER) does not make them wrong.
  [[nodiscard]] bool is_trusted() const noexcept { return crc != CrcStatus::bad || message != 0; }
};

struct RevokedFact {
  std::uint32_t number = 0;  // FpduFact::number of the placed event
};

struct GapFact {
  std::uint64_t length = 0;  // over SCTP 0: how long the missing messages are nobody knows
  GapCause cause = GapCause::uncaptured;
  bool framing_kept = false;  // it lay inside the payload of FPDUs whose lengths are known
  // Not a further gap: FPDUs before one that was told already were found, or completed, only now. This is
  // where it stands among them.
  bool restated = false;
};

struct SyncLostFact {
  std::uint64_t length = 0;  // octets skipped until framing was found again, or so far
  // Nothing is decided yet: an FPDU is open whose ULPDU_Length is in doubt. It comes as `fpdu`, or `locked`
  // and another sync_lost tell that it was none.
  bool doubted = false;
  Pieces pieces;  // of the octets that were skipped and captured
};

struct LockedFact {
  Mode markers = Mode::unknown;
  Mode crc = Mode::unknown;
  bool inferred = false;     // modes were told by no start-up frame
  bool first = false;        // no FPDU phase of this side was known before
  std::uint8_t chained = 0;  // plausible headers that follow each other
  bool after_gap = false;
  std::uint64_t skipped = 0;  // octets passed over to get here
};

struct RetransmittedFact {
  std::uint64_t length = 0;
  bool duplicate_frame = false;  // a mirror's second copy of one packet: not a retransmission
};

struct AcknowledgedFact {
  Placement segment;      // that acknowledged, and may have waited for others (Event::frame)
  StreamOffset sent = 0;  // where it lies in the stream of `side`: octets before it were sent earlier
};

// Every acknowledgement that goes on, where these are asked for: no state and no verdict depends on it.
struct ReceivedFact {
  Placement segment;      // that acknowledged
  StreamOffset upto = 0;  // in the peer's stream
};

struct WindowFact {
  bool closed = false;  // zero window
};

// A wait of the peer that is over with this event: it sends octets that it had not sent before. Windows that
// were closed in between have events of their own. Needs the SYNs of both, which agree on the scale of
// windows.
struct WindowFullFact {
  Placement since;   // the peer's segment that filled the window, but for less than a segment
  Placement opened;  // the segment of `side` that made room
};

// Of fin and rst: where in the framing the direction of `side` ends.
struct EndFact {
  bool inside_fpdu = false;  // octets of an FPDU are there, its end is not
  bool missing = false;      // octets before the end were never captured: inside_fpdu is not certain
  // Of a rst, which ends both directions: the same of the other one.
  bool peer_inside_fpdu = false;
  bool peer_missing = false;
  Placement segment{};  // that brought it, and may have waited for others (Event::frame)
};

struct ClosedFact {
  CloseCause cause = CloseCause::capture_end;
  FrameNumber last_frame = 0;  // of the connection, acknowledgements included
  TimeNs last_time_ns = 0;
};

enum class MessageEnd : std::uint8_t {
  complete,
  incomplete,  // all that was sent of it was seen, and its last segment is not among that
  unknown      // octets of it are missing, or the capture ends first: it may have been complete
};

struct MessageConclusion {
  // Of all messages of the connection, from 1, in the order in which they began.
  std::uint32_t number = 0;
  FrameNumber first_frame = 0;  // of its first octet
  Placement begun;              // of its first FPDU
  Placement placed;             // of all that were seen
  std::uint64_t length = 0;     // octets behind the DDP headers that were seen
  std::uint32_t segments = 0;   // that were seen
  wire::Opcode opcode = wire::Opcode::send;
  MessageEnd end = MessageEnd::complete;
  Reason reason = Reason::gap;  // of an unknown end
  // Its first segment was. Else first_frame, begun, to and rdmap are those of the first one that was.
  bool start_seen = true;
  bool tagged = false;
  bool rtr = false;        // the ready-to-receive message
  bool rtr_known = true;   // false: it may be that, start-up frames or octets before it are missing
  std::uint32_t stag = 0;  // tagged: STag; untagged: Invalidate STag
  std::uint32_t queue = 0;
  std::uint32_t msn = 0;
  std::uint64_t to = 0;  // tagged: of the first segment
  std::uint8_t rdmap_octets = 0;
  std::array<Byte, max_rdmap_header> rdmap{};      // of the first segment
  wire::BitOrder bit_order = wire::BitOrder::rfc;  // of a Terminate, as taken

  // How long it is; nothing where octets of it are missing.
  [[nodiscard]] std::optional<std::uint64_t> known_length() const noexcept {
    return end == MessageEnd::unknown ? std::nullopt : std::optional(length);
  }
};

enum class OperationKind : std::uint8_t {
  read,
  write,
  send,
  atomic,
  immediate
};
enum class OperationStatus : std::uint8_t {
  complete,
  unanswered,
  terminated,
  incomplete,
  unknown
};

struct OperationConclusion {
  // MessageConclusion::number of the request, or of the Send, Write or Immediate itself. It names the
  // operation: no other one of the connection has it.
  std::uint32_t message = 0;
  // That of the response; 0: there is none, or nothing of it was captured. A response that a hole took apart
  // may be several messages: the one that first_response is of.
  std::uint32_t response_message = 0;
  OperationKind kind = OperationKind::read;
  OperationStatus status = OperationStatus::complete;
  // Where the request lies, or of a Send or Write its first FPDU; the first segment of the response that was
  // seen; its last one. Frame 0: there is none, or it was not captured.
  Placement request;
  Placement first_response;
  Placement response;
  bool response_start_seen = false;  // first_response is that of the response's first segment
  std::uint64_t length = 0;          // octets transferred, as far as they were seen, or asked for
  bool length_known = true;          // false: octets that would tell are missing
  std::uint32_t outstanding = 0;     // when issued, itself included; 0: not known, or no request
  bool request_retransmitted = false;

  [[nodiscard]] std::optional<std::uint64_t> known_length() const noexcept {
    return length_known ? std::optional(length) : std::nullopt;
  }
  // From the request to its response's last octet, and to the first segment; nothing where one was not
  // captured, or where the two directions are so far out of step that the response seems to come first.
  [[nodiscard]] std::optional<TimeNs> latency() const noexcept { return since_request(response); }
  [[nodiscard]] std::optional<TimeNs> first_byte_latency() const noexcept {
    return since_request(response_start_seen ? first_response : Placement());
  }
  // From the request to `delivered_ns`, when the response stood in stream order (Event::time_ns); nothing
  // where latency() is.
  [[nodiscard]] std::optional<TimeNs> delivery(TimeNs delivered_ns) const noexcept {
    return since_request(latency() ? Placement{response.frame, delivered_ns} : Placement());
  }
  // Of a Read or atomic: octets of its response were seen.
  [[nodiscard]] bool answered() const noexcept {
    return status == OperationStatus::complete || status == OperationStatus::incomplete;
  }

 private:
  [[nodiscard]] std::optional<TimeNs> since_request(const Placement& answer) const noexcept {
    if (request.frame == 0 || answer.frame == 0 || answer.time_ns < request.time_ns) return std::nullopt;
    return answer.time_ns - request.time_ns;
  }
};

struct Event {
  // The frame whose arrival completed this in stream order: delivered it (RFC 5041 §5.3), or decided it.
  // Where its octets lie, the fact or the conclusion tells.
  FrameNumber frame = 0;
  TimeNs time_ns = 0;
  StreamOffset offset = 0;  // in the direction of `side`, from its first stream octet
  // What `side` had acknowledged of the peer's stream when it sent this (0 when unknown): the cause
  // relation between the directions, whatever the order in the file.
  StreamOffset ack = 0;
  ConnectionId connection = 0;
  EventKind kind = EventKind::opened;
  Side side = Side::a;

  union {
    OpenedFact opened;
    SynFact syn;
    StartupFact startup;
    FpduFact fpdu;  // of placed, too
    GapFact gap;
    SyncLostFact sync_lost;
    LockedFact locked;
    AcknowledgedFact acknowledged;
    RetransmittedFact retransmitted;
    WindowFact window;
    WindowFullFact window_full;
    EndFact end;
    ClosedFact closed;
    RevokedFact revoked;
    ReceivedFact received;
    MessageConclusion message;
    OperationConclusion operation;
    Finding finding;
    Undecidable undecidable;
  };

  Event() noexcept : opened{} {}
};

static_assert(std::is_trivially_copyable_v<Event>);

}  // namespace iwarp
#pragma GCC visibility pop
