// What a report collects of the events of one capture.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <iwarp/export/report.hpp>
#include <iwarp/stack.hpp>

#include "export/report/histogram.hpp"

namespace iwarp::report {

// What a row of the tables shows of one end of a stream.
struct EndRow {
  Endpoint endpoint;
  Depth ird;
  Depth ord;
  Mode markers = Mode::unknown;  // in what it sends
  std::uint64_t fpdus = 0;
  std::uint64_t payload_octets = 0;
  std::uint64_t retransmitted_octets = 0;
  std::uint64_t gaps = 0;
  std::uint64_t gap_octets = 0;
  std::uint32_t max_outstanding = 0;
  QpState qp;
  std::optional<StackGuess> stack;
};

// What keeps a capture from telling all, in the order in which it is told.
enum class Flaw : std::uint8_t {
  one_direction,
  midstream,
  gaps,
  cut,         // by the snapshot length
  duplicates,  // packets captured twice
  backward,    // times
  checksums,   // wrong
};
inline constexpr std::size_t flaw_count = 7;

// A stream when it was closed.
struct StreamRow {
  ConnectionId id = 0;
  Llp llp = Llp::tcp;
  SctpStream sctp;
  FrameNumber first_frame = 0;
  const char* start = "";
  const char* close = "";
  RoleBasis role_basis = RoleBasis::assumed;
  std::optional<std::uint8_t> revision;
  bool rejected = false;
  Mode crc = Mode::unknown;
  CrcCounts crc_counts;
  const char* rtr = nullptr;
  std::array<EndRow, 2> ends;               // by Role
  std::array<std::uint64_t, 4> findings{};  // by Severity
  std::bitset<flaw_count> flaws;            // by Flaw
};
[[nodiscard]] StreamRow stream_row(const ConnectionState& connection);

// Streams that differ in nothing but their initiator's port, their frames and what they carried.
struct StreamGroup {
  std::uint64_t count = 0;
  std::uint64_t with_findings = 0;  // warnings or errors
  StreamRow first;
};
// Equal for streams of one group.
[[nodiscard]] std::string stream_likeness(const StreamRow& row);

// Terminates with the same octets by the same role.
struct TerminateGroup {
  std::uint64_t count = 0;
  ConnectionId stream = 0;  // of the first one
  TerminateSeen first;
};
using TerminateKey = std::tuple<Role, bool, std::uint32_t, wire::BitOrder>;

// Findings of one check by one side of one stream.
struct FindingGroup {
  std::uint64_t count = 0;
  FrameNumber first_frame = 0;  // that shows it
  FrameNumber last_frame = 0;
  Event first;  // of kind finding
  Role from = Role::initiator;
};

// Findings of one check. One that every stream has crowds out no other: the bound is each check's own.
struct CheckFindings {
  std::uint64_t count = 0;
  std::map<std::pair<ConnectionId, Side>, FindingGroup> groups;
  bool all_grouped = true;  // they are of no more ends of streams than max_ends_of_check
};

// The most severe first, then the order of the table of checks.
struct CheckKey {
  Severity severity = Severity::information;
  CheckId check = CheckId::mpa_key;

  bool operator<(const CheckKey& other) const noexcept {
    return std::tie(other.severity, check) < std::tie(severity, other.check);
  }
};

// What a report says of a stream that closed, or of one finding.
struct Entry {
  // Of a stream: `row`, and the rest beside it.
  struct Stream {
    StreamRow row;
    std::array<std::array<std::uint64_t, wire::opcode_count>, 2> messages{};  // by Role
    std::vector<std::pair<Role, TerminateSeen>> terminates;
  };
  struct Found {
    Event event;  // of kind finding, its connection being the stream's number
    Role from = Role::initiator;
  };
  std::variant<Stream, Found> what;
};
// `number`: the stream's in the capture.
[[nodiscard]] Entry::Stream closed(const ConnectionState& connection, ConnectionId number);
[[nodiscard]] Entry::Found found(const Event& finding, const ConnectionState& connection,
                                 ConnectionId number);

inline constexpr std::size_t max_terminate_groups = 32;
inline constexpr std::size_t max_stream_groups = 24;
inline constexpr std::size_t max_worst = 10;  // streams listed one by one where groups are shown

// Where the time of Reads and Atomics went.
struct TimeSpent {
  std::array<std::uint64_t, latency_part_count> ns{};  // of all of them
  std::uint64_t operations = 0;
  // The one that took longest, of equal ones that of the first frame.
  LatencyParts slowest;
  TimeNs slowest_ns = 0;
  FrameNumber slowest_request = 0;  // 0: none
  FrameNumber slowest_response = 0;

  void add(const LatencyParts& parts, const OperationConclusion& operation);
  void merge(const TimeSpent& other);
};

// A cause that cost streams time: findings of a PERF-* check.
struct Cost {
  std::uint64_t count = 0;
  std::uint64_t lost_ns = 0;  // by all of them
  Entry::Found worst;
};

struct Content {
  ReportOptions options;
  std::map<ConnectionId, StreamRow> rows;    // while there are no more than max_streams
  std::map<std::string, StreamGroup> alike;  // by stream_likeness()
  std::uint64_t unlike = 0;                  // streams beyond max_stream_groups
  std::vector<StreamRow> worst;              // those with warnings or errors, the worst first
  std::uint64_t streams = 0;
  std::array<std::uint64_t, wire::opcode_count> messages{};    // complete ones
  std::array<std::uint64_t, wire::opcode_count> incomplete{};  // whose payload counts all the same
  std::array<std::uint64_t, 2> fpdus{};                        // by Role
  std::array<std::uint64_t, 2> payload_octets{};
  std::array<std::uint64_t, 2> retransmitted_octets{};
  std::uint64_t gaps = 0;
  std::uint64_t gap_octets = 0;
  CrcCounts crc_counts;
  std::array<std::uint64_t, 3> closed{};           // by FIN, by RST, open at the end
  std::array<std::uint64_t, flaw_count> flawed{};  // streams, by Flaw
  std::uint64_t streams_with_findings = 0;         // warnings or errors
  std::array<std::uint64_t, 4> findings{};         // by Severity, also those that are not shown
  std::map<CheckKey, CheckFindings> by_check;
  std::map<CheckId, Cost> costs;
  std::map<TerminateKey, TerminateGroup> terminates;
  std::uint64_t ungrouped_terminates = 0;
  Histogram read_first;
  Histogram read_full;
  Histogram atomic;
  TimeSpent spent;
  // Of reads and atomics, by OperationStatus.
  std::array<std::array<std::uint64_t, 5>, 2> statuses{};

  void add(const Entry::Stream& stream);
  void add_terminates(const Entry::Stream& stream);
  void add(const Entry::Found& found);
  void add_cost(const Entry::Found& found);
  void add_message(const MessageConclusion& message);
  void add_operation(const OperationConclusion& operation);
  // Adds the messages and operations of another one.
  void merge(const Content& other);
  [[nodiscard]] bool listed(ConnectionId stream) const noexcept {
    return !options.stream || *options.stream == stream;
  }
};

}  // namespace iwarp::report
