// Metrics: what an analysis concluded, as tables of columns that other threads read while it goes on.
//
//   for (const Event& event : analyzer.add(segment))
//     metrics.add(event, analyzer.analysis().connection(event.connection));
//   …
//   const OperationTable& operations = metrics.operations();     // in another thread
//   for (std::size_t row = 0; row < operations.size(); ++row) use(operations.latency_ns(row));
//
// Rows are appended in the order in which things were decided, and never change; only the totals of a stream
// grow. Pictures of any range need no walk over the rows: metrics/levels.hpp. Records and filters work on
// rows as on events: export/rows.hpp.
//
// Threads: one adds; any number reads, each row below size() as often as they like.
// Memory: some 20 octets an operation, 30 a message (and some of its RDMAP header), 100 a finding.
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
#include <iwarp/metrics/packed_column.hpp>
#include <iwarp/state.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// Some bits of a number: small values of a row share one.
struct BitField {
  unsigned first, count;

  [[nodiscard]] constexpr std::uint64_t put(std::uint64_t value) const noexcept { return value << first; }
  [[nodiscard]] constexpr std::uint64_t get(std::uint64_t number) const noexcept {
    return number >> first & ~(~std::uint64_t{0} << count);
  }
};

// How a stream ended, as far as the capture shows; the greatest that holds.
enum class StreamEnd : std::uint8_t {
  open,
  fin,  // of one end at least
  rst,
  rejected,   // by the responder's Reply
  terminated  // a Terminate was sent
};

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
  std::atomic<StreamEnd> end{StreamEnd::open};
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
  [[nodiscard]] ConnectionId connection(std::size_t row) const noexcept {
    return static_cast<ConnectionId>(connection_[row]);
  }
  [[nodiscard]] wire::Opcode opcode(std::size_t row) const noexcept {
    return static_cast<wire::Opcode>(opcode_bits.get(traits_[row]));
  }
  [[nodiscard]] Role from(std::size_t row) const noexcept {
    return static_cast<Role>(from_bit.get(traits_[row]));
  }
  [[nodiscard]] TimeNs time_ns(std::size_t row) const noexcept {  // of its last octet
    return static_cast<TimeNs>(time_ns_[row]);
  }
  [[nodiscard]] TimeNs begun_ns(std::size_t row) const noexcept;  // MessageConclusion::begun
  [[nodiscard]] std::uint64_t length(std::size_t row) const noexcept {
    return length_[row];
  }  // that were seen
  // The event as far as its record tells of it. The frame a Terminate is about: `refers_to`, 0: none is
  // known.
  [[nodiscard]] Event event(std::size_t row) const noexcept;
  [[nodiscard]] FrameNumber refers_to(std::size_t row) const noexcept { return refers_to_[row]; }

 private:
  friend class Metrics;
  // Of traits_; what varies most is lowest.
  static constexpr BitField opcode_bits{0, 4}, side_bit{4, 1}, from_bit{5, 1}, tagged_bit{6, 1};
  static constexpr BitField start_seen_bit{7, 1}, rtr_bit{8, 1}, rtr_known_bit{9, 1},
      rdmap_octets_bits{10, 6};
  static constexpr BitField end_bits{16, 2}, bit_order_bit{18, 1}, reason_bits{19, 8};

  Rows rows_;
  PackedColumn connection_, traits_, time_ns_, length_, number_, segments_, stag_, queue_, msn_, to_;
  PackedColumn decided_frame_;
  PackedColumn frame_, first_frame_, begun_frame_;  // folded differences from it
  PackedColumn begun_ns_;                           // folded difference from time_ns_
  PackedColumn refers_to_;
  PackedColumn header_;  // number of its RDMAP header among these: of its row in each of …
  std::array<PackedColumn, max_rdmap_header / sizeof(std::uint32_t)> rdmap_;  // … the words of headers
};

// Events of kind `operation`.
class OperationTable {
 public:
  static constexpr TimeNs unknown = -1;

  [[nodiscard]] std::size_t size() const noexcept { return rows_.count(); }
  [[nodiscard]] ConnectionId connection(std::size_t row) const noexcept {
    return static_cast<ConnectionId>(connection_[row]);
  }
  [[nodiscard]] OperationKind kind(std::size_t row) const noexcept {
    return static_cast<OperationKind>(kind_bits.get(traits_[row]));
  }
  [[nodiscard]] OperationStatus status(std::size_t row) const noexcept {
    return static_cast<OperationStatus>(status_bits.get(traits_[row]));
  }
  [[nodiscard]] Side side(std::size_t row) const noexcept {  // that asked for it
    return static_cast<Side>(side_bit.get(traits_[row]));
  }
  [[nodiscard]] Role from(std::size_t row) const noexcept {  // … its role
    return static_cast<Role>(from_bit.get(traits_[row]));
  }
  [[nodiscard]] bool requested(std::size_t row) const noexcept {  // its request was captured
    return requested_bit.get(traits_[row]) != 0;
  }
  // When its request was captured; of one that was not, when its response was, or it was decided.
  [[nodiscard]] TimeNs time_ns(std::size_t row) const noexcept { return static_cast<TimeNs>(time_ns_[row]); }
  // From the request to its response's last octet; `unknown`: OperationConclusion::latency() is nothing.
  [[nodiscard]] TimeNs latency_ns(std::size_t row) const noexcept {
    return static_cast<TimeNs>(latency_ns_[row]) + unknown;
  }
  [[nodiscard]] std::uint64_t length(std::size_t row) const noexcept { return length_[row]; }
  // When issued, itself included; 0: not known.
  [[nodiscard]] std::uint32_t outstanding(std::size_t row) const noexcept {
    return static_cast<std::uint32_t>(outstanding_[row]);
  }
  // The event as far as its record tells of it.
  [[nodiscard]] Event event(std::size_t row) const noexcept;

 private:
  friend class Metrics;
  // Of traits_; what varies most is lowest.
  static constexpr BitField kind_bits{0, 3}, side_bit{3, 1}, from_bit{4, 1}, requested_bit{5, 1};
  static constexpr BitField start_seen_bit{6, 1}, length_known_bit{7, 1}, retransmitted_bit{8, 1};
  static constexpr BitField status_bits{9, 3};

  Rows rows_;
  PackedColumn connection_, traits_, time_ns_, length_, outstanding_, message_, response_message_;
  PackedColumn latency_ns_;  // one more; 0: unknown
  PackedColumn decided_frame_;
  PackedColumn request_frame_, first_frame_, response_frame_;  // near it, or none: base/folding.hpp
  PackedColumn decided_ns_;                                    // its folded difference from the response
  PackedColumn first_ns_;                                      // near the response, or none
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
