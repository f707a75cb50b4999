// Metrics: what an analysis concluded, as tables of columns that other threads read while it goes on.
//
//   for (const Event& event : analyzer.add(segment))
//     metrics.add(event, analyzer.analysis().connection(event.connection));
//   …
//   const OperationTable& operations = metrics.operations();     // in another thread
//   for (std::size_t row = 0; row < operations.size(); ++row) use(operations.latency(row));
//
// Rows are appended in the order in which things were decided, and never change; only the totals of a stream
// grow. Pictures of any range need no walk over the rows: metrics/levels.hpp. Records and filters work on
// rows as on events: export/rows.hpp.
//
// Threads: one adds; any number reads, each row below size() as often as they like.
// Memory: some 80 octets an operation, 80 a message (and what its RDMAP header has), 100 a finding.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/metrics/column.hpp>
#include <iwarp/state.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// What is counted of one stream. Each value is right by itself; they grow one after the other.
struct StreamTotals {
  std::array<std::atomic<std::uint64_t>, 2> fpdus{};     // by Role of the sender
  std::array<std::atomic<std::uint64_t>, 2> messages{};  // … that were complete
  std::array<std::atomic<std::uint64_t>, 2> octets{};    // … behind the DDP headers of the FPDUs
  std::array<std::atomic<std::uint64_t>, 4> findings{};  // by Severity
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> gaps{0};       // of both directions
  std::atomic<TimeNs> last_time_ns{0};      // when the latest of all these was decided
  std::atomic<bool> initiator_is_b{false};  // Side of the MPA initiator, as far as is known by now
  std::atomic<bool> closed{false};
};

// TCP connections on which iWARP was found, in the order in which it was.
class StreamTable {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return rows_.count(); }
  [[nodiscard]] ConnectionId connection(std::size_t row) const noexcept { return fixed_[row].connection; }
  [[nodiscard]] const std::array<Endpoint, 2>& endpoints(std::size_t row) const noexcept {  // by Side
    return fixed_[row].endpoints;
  }
  // When the first frame of it was captured that is still known.
  [[nodiscard]] TimeNs begun_ns(std::size_t row) const noexcept { return fixed_[row].begun_ns; }
  [[nodiscard]] const StreamTotals& totals(std::size_t row) const noexcept { return totals_[row]; }

 private:
  friend class Metrics;
  struct Fixed {
    std::array<Endpoint, 2> endpoints;
    ConnectionId connection;
    TimeNs begun_ns;
  };
  Rows rows_;
  Column<Fixed> fixed_;
  Column<StreamTotals> totals_;
};

// Events of kind `message`.
class MessageTable {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return rows_.count(); }
  [[nodiscard]] ConnectionId connection(std::size_t row) const noexcept { return rest_[row].connection; }
  [[nodiscard]] wire::Opcode opcode(std::size_t row) const noexcept { return rest_[row].opcode; }
  [[nodiscard]] Role from(std::size_t row) const noexcept { return rest_[row].from; }
  [[nodiscard]] TimeNs time_ns(std::size_t row) const noexcept { return time_ns_[row]; }  // of its last octet
  [[nodiscard]] std::uint64_t length(std::size_t row) const noexcept {
    return length_[row];
  }  // that were seen
  // The event as far as its record tells of it. The frame a Terminate is about: `refers_to`, 0: none is
  // known.
  [[nodiscard]] Event event(std::size_t row) const noexcept;
  [[nodiscard]] FrameNumber refers_to(std::size_t row) const noexcept { return rest_[row].refers_to; }

 private:
  friend class Metrics;
  struct Rest {
    ConnectionId connection;
    std::uint32_t number, frame, first_frame, decided_frame, refers_to, segments, stag, queue, msn;
    std::uint32_t rdmap;  // place in rdmap_
    std::uint64_t to;
    wire::Opcode opcode;
    MessageEnd end;
    Reason reason;
    Side side;
    Role from;
    wire::BitOrder bit_order;
    std::uint8_t rdmap_octets;
    bool start_seen : 1, tagged : 1, rtr : 1, rtr_known : 1;
  };
  Rows rows_;
  Column<TimeNs> time_ns_;
  Column<std::uint64_t> length_;
  Column<Rest> rest_;
  Column<std::uint32_t> rdmap_;  // octets of RDMAP headers, four in each
};

// Events of kind `operation`.
class OperationTable {
 public:
  static constexpr TimeNs unknown = -1;

  [[nodiscard]] std::size_t size() const noexcept { return rows_.count(); }
  [[nodiscard]] ConnectionId connection(std::size_t row) const noexcept { return connection_[row]; }
  [[nodiscard]] OperationKind kind(std::size_t row) const noexcept { return traits_[row].kind; }
  [[nodiscard]] OperationStatus status(std::size_t row) const noexcept { return traits_[row].status; }
  [[nodiscard]] Side side(std::size_t row) const noexcept { return traits_[row].side; }  // that asked for it
  [[nodiscard]] Role from(std::size_t row) const noexcept { return traits_[row].from; }  // … its role
  // When its request was captured; of one that was not, when its response was, or it was decided.
  [[nodiscard]] TimeNs time_ns(std::size_t row) const noexcept { return time_ns_[row]; }
  // From the request to its response's last octet; `unknown`: OperationConclusion::latency() is nothing.
  [[nodiscard]] TimeNs latency_ns(std::size_t row) const noexcept { return latency_ns_[row]; }
  [[nodiscard]] std::uint64_t length(std::size_t row) const noexcept { return length_[row]; }
  // When issued, itself included; 0: not known.
  [[nodiscard]] std::uint32_t outstanding(std::size_t row) const noexcept { return outstanding_[row]; }
  // The event as far as its record tells of it.
  [[nodiscard]] Event event(std::size_t row) const noexcept;

 private:
  friend class Metrics;
  struct Traits {
    OperationKind kind;
    OperationStatus status;
    Side side;
    Role from;
    bool requested : 1, start_seen : 1, length_known : 1, retransmitted : 1;
  };
  struct Rest {
    std::uint32_t message, response_message, request_frame, first_frame, response_frame, decided_frame;
    TimeNs first_ns, decided_ns;
  };
  Rows rows_;
  Column<ConnectionId> connection_;
  Column<Traits> traits_;
  Column<TimeNs> time_ns_;
  Column<TimeNs> latency_ns_;
  Column<std::uint64_t> length_;
  Column<std::uint32_t> outstanding_;
  Column<Rest> rest_;
};

// Events of kind `finding`.
class FindingTable {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return rows_.count(); }
  [[nodiscard]] ConnectionId connection(std::size_t row) const noexcept { return rest_[row].connection; }
  [[nodiscard]] Role from(std::size_t row) const noexcept { return rest_[row].from; }
  [[nodiscard]] const Finding& finding(std::size_t row) const noexcept { return finding_[row]; }
  [[nodiscard]] Event event(std::size_t row) const noexcept;

 private:
  friend class Metrics;
  struct Rest {
    ConnectionId connection;
    std::uint32_t decided_frame;
    TimeNs decided_ns;
    Side side;
    Role from;
  };
  Rows rows_;
  Column<Finding> finding_;
  Column<Rest> rest_;
};

class Metrics {
 public:
  // Takes the next event. `connection` is that of the event; nullptr when no longer followed.
  void add(const Event& event, const ConnectionState* connection);

  [[nodiscard]] const StreamTable& streams() const noexcept { return streams_; }
  [[nodiscard]] const MessageTable& messages() const noexcept { return messages_; }
  [[nodiscard]] const OperationTable& operations() const noexcept { return operations_; }
  [[nodiscard]] const FindingTable& findings() const noexcept { return findings_; }
  // Rows that were not appended: a table had max_rows already, or their frame's number has more than 32 bits.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] StreamTotals* totals_of(const Event& event, const ConnectionState& connection);
  void add_message(const Event& event, const ConnectionState& connection);
  void add_operation(const Event& event, Role from);
  void add_finding(const Event& event, Role from);
  void leave_out() noexcept { left_out_.fetch_add(1, std::memory_order_relaxed); }

  StreamTable streams_;
  MessageTable messages_;
  OperationTable operations_;
  FindingTable findings_;
  std::atomic<std::uint64_t> left_out_{0};
  std::vector<std::uint32_t> rows_of_streams_;  // the writing thread's: by ConnectionId, one more; 0: none
};

}  // namespace iwarp
#pragma GCC visibility pop
