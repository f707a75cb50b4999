// Plan: the work requests behind a capture, and what they need to be posted again: registered memory,
// start-up parameters, what each request had waited for. docs/replay-plan.md tells how it is made and what is
// seeded.
//
// A value without protocol state: positions of TCP, MSNs and markers belong to the connection that replays
// it. Works and streams are named by their place in their vectors.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/segment.hpp>
#include <iwarp/state.hpp>
#include <iwarp/ulp.hpp>

#include "plan/content.hpp"

namespace iwarp::replay {

enum class WorkKind : std::uint8_t {
  send,
  send_inv,
  send_se,
  send_se_inv,
  write,
  read,
  atomic,
  immediate,
  immediate_se,
  terminate,  // as it was sent: an RNIC sends it by itself where the plan's work makes it
  fin,
  rst
};
// "send", "send_inv" … "rst".
[[nodiscard]] const char* work_kind_name(WorkKind kind) noexcept;
// What is posted to send such a message; nothing for responses, which are not posted, and unknown ones.
[[nodiscard]] std::optional<WorkKind> work_kind_of(wire::Opcode opcode) noexcept;
[[nodiscard]] constexpr bool is_send(WorkKind kind) noexcept {
  return kind <= WorkKind::send_se_inv;
}
[[nodiscard]] constexpr bool invalidates(WorkKind kind) noexcept {
  return kind == WorkKind::send_inv || kind == WorkKind::send_se_inv;
}
[[nodiscard]] constexpr bool is_close(WorkKind kind) noexcept {
  return kind == WorkKind::fin || kind == WorkKind::rst;
}

struct WorkRef {
  std::uint32_t stream = 0;
  std::uint32_t work = 0;

  auto operator<=>(const WorkRef&) const = default;
};

// What had happened at the poster's end, by its TCP acknowledgements, before it sent its request.
enum class WaitFor : std::uint8_t {
  received,   // a Send, an Immediate or a Terminate of the peer was delivered
  placed,     // the last octet of a peer's Write was
  completed,  // a Read or Atomic of its own: an application that waits, or a Read Fence (Verbs 1.0 §8.2.2.2)
  closed,     // the peer's FIN came
};

struct Wait {
  WaitFor what = WaitFor::received;
  WorkRef work;

  bool operator==(const Wait&) const = default;
};

// An STag in the payload of a Send or Write, or in Private Data. A replay that renames the STag changes it
// there. A length is kept where it stands beside the STag.
using Mention = StagMention;

struct PlannedWork {
  Role role = Role::initiator;  // who posts it
  WorkKind kind = WorkKind::send;
  OperationStatus outcome =
      OperationStatus::unknown;  // of Sends and Writes: complete when all of it was sent
  bool rtr = false;              // the ready-to-receive message: sent by the RNIC, not posted
  bool deduced = false;          // of a Read: told by its response alone
  // A message that no request makes: KeptFpdu has its octets. Posted as an empty Send, which is not what
  // goes.
  bool stands_in = false;
  std::uint64_t length = 0;  // octets: sent, or asked for
  Content content;  // Send, Write: what was sent. Read: what its response brought; empty where none did
  std::uint32_t stag = 0;  // Write: target. Read: sink. Atomic: remote. Send with Invalidate: that STag
  std::uint64_t to = 0;    // the same
  std::uint32_t source_stag = 0;  // Read
  std::uint64_t source_to = 0;
  std::optional<wire::AtomicRequest> atomic;
  std::optional<std::uint64_t> original;  // Atomic: the value returned
  std::uint64_t immediate = 0;
  Bytes terminate;                         // octets behind the DDP header
  std::uint16_t terminate_code = 0;        // what they mean, such as 0x1100
  std::optional<std::uint32_t> quoted;     // Terminate: the peer's work that it is about …
  std::optional<std::uint64_t> quoted_to;  // … and, of a Write, the TO of the segment
  std::uint32_t msn = 0;                   // as recorded; 0 where there is none
  std::vector<std::uint32_t>
      segments;             // payload of each DDP segment, where PlannedStream::mulpdu does not tell
  std::vector<Wait> waits;  // beyond those of earlier work of the same role
  std::vector<Mention> mentions;
  FrameNumber first_frame = 0;  // of its first octet
  FrameNumber frame = 0;        // that completed it
  TimeNs time_ns = 0;           // of its first FPDU, since Plan::start_ns

  bool operator==(const PlannedWork&) const = default;
};

// One side's start-up frame.
struct PlannedStartup {
  std::uint8_t revision = 1;
  bool markers = false;  // demanded of the peer
  bool crc = false;
  bool rejected = false;
  std::uint8_t reserved_flags = 0;
  std::optional<wire::EnhancedWord> word;
  std::optional<std::array<std::uint32_t, 2>>
      smbd;            // MS-SMBD's IRD and ORD: the first octets of private_data
  Bytes private_data;  // without the IRD/ORD word
  bool private_data_known = true;
  std::vector<Mention> mentions;  // in private_data
  FrameNumber frame = 0;
  TimeNs time_ns = 0;

  bool operator==(const PlannedStartup&) const = default;
};

// What a capture does not tell, and what the plan has in its place.
enum class Lack : std::uint8_t {
  octets,        // octets [offset, offset + length) of a work's payload: seeded
  messages,      // `length` octets of a direction, which may have held whole messages: left out
  read_source,   // octets asked for which no response showed: seeded
  request,       // a Read is known by its response only: its source STag is made up
  rest,          // a message that the capture, or the connection, cuts short: as far as it went
  startup,       // start-up frames: what the FPDUs show, else defaults
  private_data,  // left out
  direction,     // nothing of this role was captured: its work is missing, and what it acknowledged
  memory,        // an access beyond the caps on memory: left out of the registrations
};
[[nodiscard]] const char* lack_name(Lack lack) noexcept;

struct Missing {
  Lack lack = Lack::octets;
  Reason reason = Reason::gap;
  Role role = Role::initiator;
  FrameNumber frame = 0;
  std::optional<std::uint32_t> work;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const Missing&) const = default;
};

// A rule that the recorded octets break, warnings and errors.
struct PlannedViolation {
  std::string check;  // "DDP-MSNGAP"
  Severity severity = Severity::error;
  Role role = Role::initiator;
  FrameNumber frame = 0;
  std::string text;

  bool operator==(const PlannedViolation&) const = default;
};

// An FPDU of a side that broke a rule, as it was sent (PlannerOptions::keep_faults). Files of plans have
// none.
struct KeptFpdu {
  Role role = Role::initiator;             // who sent it
  std::optional<std::uint32_t> work = {};  // whose message it is of; nothing: of a response
  wire::DdpHeader header = {};
  std::uint32_t length = 0;  // octets behind it
  Bytes octets = {};         // the first of them: all, where no request makes them …
  bool verbatim = false;     // … and these are not those that a request has for it
  std::uint32_t crc_xor = 0;
  Byte pad = 0;
  std::int32_t pointer_delta = 0;  // of its markers, as in rnic::Framing
  std::uint16_t marker_reserved = 0;

  bool operator==(const KeptFpdu&) const = default;
};

// RFC 5044 §3. Senders may cut shorter all the same: their works tell of each segment.
[[nodiscard]] constexpr bool can_be_mulpdu(std::uint32_t length) noexcept {
  return length >= wire::min_mulpdu && length <= wire::max_ulpdu_length;
}

struct PlannedStream {
  std::uint32_t number = 0;              // ConnectionId of the capture
  std::uint32_t attempt = 0;             // start-ups before this one on the same TCP connection
  std::uint32_t copy = 0;                // of a stream that is run several times at once, not in files …
  TimeNs delay_ns = 0;                   // … which starts so much behind the beginning, at any pace
  std::array<Endpoint, 2> endpoints;     // by Role
  std::array<std::uint32_t, 2> hosts{};  // by Role: place in Plan::hosts
  RoleBasis role_basis = RoleBasis::assumed;
  Role opened_by = Role::initiator;                      // who sent the SYN
  std::array<std::optional<PlannedStartup>, 2> startup;  // by Role
  bool accepted = false;                                 // by the Reply, or FPDUs show it
  bool midstream = false;
  // The capture ended before the stream did, or another start-up began in its place: what followed is not
  // known.
  bool left_open = false;
  RtrKind rtr = RtrKind::none;
  bool crc = false;                    // in use
  std::array<bool, 2> markers{};       // by Role: in what it sends
  std::array<std::uint16_t, 2> mss{};  // by Role: its MSS option, 0 when not seen
  // By Role: ULPDU length at which it cuts messages, which can_be_mulpdu(); 0: none was cut at such a length.
  std::array<std::uint32_t, 2> mulpdu{};
  std::vector<PlannedWork> work;  // of both roles, each in the order of posting, as they began
  std::vector<Missing> missing;
  std::vector<PlannedViolation> violations;
  std::vector<KeptFpdu> kept;  // of roles that broke a rule, each in the order of sending

  bool operator==(const PlannedStream&) const = default;
};

enum Right : std::uint8_t {
  remote_read = 1,
  remote_write = 2,
  read_sink = 4,  // target of Read Responses to the owner's Reads
  atomic_target = 8
};

struct InitialOctets {
  std::uint64_t to = 0;
  Content content;

  bool operator==(const InitialOctets&) const = default;
};

// Memory that a host registered. STags may be used again after their invalidation: then a second region has
// it.
struct PlannedRegion {
  std::uint32_t stag = 0;
  std::uint32_t generation = 0;
  std::uint64_t base = 0;  // TO of its first octet
  std::uint64_t length = 0;
  std::uint8_t rights = 0;  // bits of Right
  bool bounds_known =
      false;             // told by an advertisement, or by the Terminate of an access beyond; else rounded
  bool foreign = false;  // a Terminate says that it is not associated with the stream
  std::vector<InitialOctets> initial;  // octets that are read before anything was put there
  std::optional<WorkRef> advertised;   // the owner's work that mentions it, by which it must be registered
  std::optional<std::uint32_t> advertised_in_startup;  // the same in Private Data of that stream
  std::optional<WorkRef> first_use;
  std::optional<WorkRef> invalidated;  // by this Send with Invalidate

  bool operator==(const PlannedRegion&) const = default;
};

// Octets that the owner's application put into its own memory: a Read showed others than were known to be
// there. They are in place before the owner posts `before`, or, where that is the Read itself, before it is
// served.
struct PlannedStore {
  std::uint32_t region = 0;
  std::uint64_t to = 0;
  Content content;
  WorkRef before;

  bool operator==(const PlannedStore&) const = default;
};

// An RNIC: STags belong to it, not to a stream.
struct PlannedHost {
  IpAddress address;
  std::vector<PlannedRegion> regions;  // in order of first use
  std::vector<PlannedStore> stores;    // in order

  bool operator==(const PlannedHost&) const = default;
};

struct Plan {
  std::string source;  // the capture it was made from
  TimeNs start_ns = 0;
  std::uint64_t seed = 0;
  bool anonymised = false;
  bool keeps_faults = false;  // of streams that broke rules: PlannerOptions; not in files
  std::vector<PlannedHost> hosts;
  std::vector<PlannedStream> streams;
  PayloadStore payloads;

  bool operator==(const Plan&) const = default;
};

[[nodiscard]] inline const PlannedWork& work_of(const Plan& plan, const WorkRef& ref) {
  return plan.streams[ref.stream].work[ref.work];
}
// REQUIRES: there is memory for length_of(content) octets. A plan file may tell of much more than it holds.
[[nodiscard]] Bytes octets_of(const Plan& plan, const Content& content);

// The queue whose MSNs it takes part in; nothing: a Write, or a close.
[[nodiscard]] std::optional<std::size_t> queue_of(WorkKind kind) noexcept;
// Only a piece of the message is known: the capture, or the connection, cuts it short.
[[nodiscard]] bool is_cut(const PlannedStream& stream, std::uint32_t work) noexcept;

// Why a replay that keeps the rules cannot show what was recorded: the first error that is not about framing
// alone (PAD, markers, CRC, lengths of FPDUs: the replay's RNIC makes these anew), or for whose framing, or
// experimental opcode, the peer ended the stream. nullptr where there is none.
[[nodiscard]] const PlannedViolation* refusal(const PlannedStream& stream) noexcept;
// All of these, in the order of the capture.
[[nodiscard]] std::vector<const PlannedViolation*> faults(const PlannedStream& stream);

}  // namespace iwarp::replay
