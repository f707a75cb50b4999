// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics.hpp>

#include <cstring>
#include <limits>

namespace iwarp {
namespace {

constexpr std::size_t octets_per_word = sizeof(std::uint32_t);

template <typename... Frames>
bool fit(Frames... frames) noexcept {
  return ((frames <= std::numeric_limits<std::uint32_t>::max()) && ...);
}
std::uint32_t narrow(FrameNumber frame) noexcept {
  return static_cast<std::uint32_t>(frame);
}

// One thread writes: no need to add in one step.
template <typename T>
void raise(std::atomic<T>& value, T by = 1) noexcept {
  value.store(value.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace

void Metrics::add(const Event& event, const ConnectionState* connection) {
  if (connection == nullptr) return;
  StreamTotals* const totals = totals_of(event, *connection);
  const Role from = connection->role_of(event.side);
  const unsigned role = static_cast<unsigned>(from);
  if (totals != nullptr) {
    totals->last_time_ns.store(event.time_ns, std::memory_order_relaxed);
    totals->initiator_is_b.store(connection->role_of(Side::b) == Role::initiator, std::memory_order_relaxed);
  }
  switch (event.kind) {
    case EventKind::fpdu:
      if (totals == nullptr) return;
      raise(totals->fpdus[role]);
      raise(totals->octets[role], std::uint64_t{event.fpdu.payload_length});
      return;
    case EventKind::gap:
      if (totals != nullptr && !event.gap.again) raise(totals->gaps);
      return;
    case EventKind::message:
      if (totals != nullptr && event.message.end == MessageEnd::complete) raise(totals->messages[role]);
      return add_message(event, *connection);
    case EventKind::operation:
      if (totals != nullptr) raise(totals->operations);
      return add_operation(event, from);
    case EventKind::finding:
      if (totals != nullptr) raise(totals->findings[static_cast<unsigned>(event.finding.severity)]);
      return add_finding(event, from);
    case EventKind::closed:
      if (totals != nullptr) totals->closed.store(true, std::memory_order_relaxed);
      return;
    default: return;
  }
}

// Of the connection's stream, which is appended when iWARP is found on it; nullptr: none was.
StreamTotals* Metrics::totals_of(const Event& event, const ConnectionState& connection) {
  if (connection.id >= rows_of_streams_.size()) {
    if (!connection.iwarp) return nullptr;
    rows_of_streams_.resize(connection.id + 1);
  }
  std::uint32_t& row = rows_of_streams_[connection.id];
  if (row == 0) {
    if (!connection.iwarp) return nullptr;
    if (streams_.fixed_.size() == max_rows) {
      leave_out();
      return nullptr;
    }
    streams_.fixed_.push_back(connection.endpoints, connection.id, event.time_ns);
    streams_.totals_.push_back();
    row = static_cast<std::uint32_t>(streams_.fixed_.size());
    streams_.rows_.publish();
  }
  return &streams_.totals_[row - 1];
}

void Metrics::add_message(const Event& event, const ConnectionState& connection) {
  const MessageConclusion& message = event.message;
  const FrameNumber refers_to = connection.referred_frame(event);
  const std::size_t words = (message.rdmap_octets + octets_per_word - 1) / octets_per_word;
  const bool full = messages_.rest_.size() == max_rows || messages_.rdmap_.size() + words > max_rows;
  if (full || !fit(message.placed.frame, message.first_frame, event.frame, refers_to)) return leave_out();
  MessageTable::Rest& rest = messages_.rest_.push_back();
  rest.connection = event.connection;
  rest.number = message.number;
  rest.frame = narrow(message.placed.frame);
  rest.first_frame = narrow(message.first_frame);
  rest.decided_frame = narrow(event.frame);
  rest.refers_to = narrow(refers_to);
  rest.segments = message.segments;
  rest.stag = message.stag;
  rest.queue = message.queue;
  rest.msn = message.msn;
  rest.rdmap = static_cast<std::uint32_t>(messages_.rdmap_.size());
  rest.to = message.to;
  rest.opcode = message.opcode;
  rest.end = message.end;
  rest.reason = message.reason;
  rest.side = event.side;
  rest.from = connection.role_of(event.side);
  rest.bit_order = message.bit_order;
  rest.rdmap_octets = message.rdmap_octets;
  rest.start_seen = message.start_seen;
  rest.tagged = message.tagged;
  rest.rtr = message.rtr;
  rest.rtr_known = message.rtr_known;
  for (std::size_t at = 0; at < message.rdmap_octets; at += octets_per_word) {
    std::uint32_t word = 0;
    std::memcpy(&word, message.rdmap.data() + at, octets_per_word);
    messages_.rdmap_.push_back(word);
  }
  messages_.time_ns_.push_back(message.placed.time_ns);
  messages_.length_.push_back(message.length);
  messages_.rows_.publish();
}

static_assert(max_rdmap_header % octets_per_word == 0, "headers are copied by words");

Event MessageTable::event(std::size_t row) const noexcept {
  const Rest& rest = rest_[row];
  Event event;
  event.kind = EventKind::message;
  event.connection = rest.connection;
  event.side = rest.side;
  event.frame = rest.decided_frame;
  MessageConclusion& message = *std::construct_at(&event.message);
  message.number = rest.number;
  message.placed = {rest.frame, time_ns_[row]};
  message.first_frame = rest.first_frame;
  message.length = length_[row];
  message.segments = rest.segments;
  message.opcode = rest.opcode;
  message.end = rest.end;
  message.reason = rest.reason;
  message.start_seen = rest.start_seen;
  message.tagged = rest.tagged;
  message.rtr = rest.rtr;
  message.rtr_known = rest.rtr_known;
  message.stag = rest.stag;
  message.queue = rest.queue;
  message.msn = rest.msn;
  message.to = rest.to;
  message.rdmap_octets = rest.rdmap_octets;
  message.bit_order = rest.bit_order;
  for (std::size_t at = 0; at < rest.rdmap_octets; at += octets_per_word) {
    const std::uint32_t word = rdmap_[rest.rdmap + at / octets_per_word];
    std::memcpy(message.rdmap.data() + at, &word, octets_per_word);
  }
  return event;
}

void Metrics::add_operation(const Event& event, Role from) {
  const OperationConclusion& operation = event.operation;
  const bool frames_fit =
      fit(operation.request.frame, operation.first_response.frame, operation.response.frame, event.frame);
  if (operations_.rest_.size() == max_rows || !frames_fit) return leave_out();
  const bool requested = operation.request.frame != 0;
  const bool answered = operation.response.frame != 0;
  operations_.connection_.push_back(event.connection);
  OperationTable::Traits& traits = operations_.traits_.push_back();
  traits.kind = operation.kind;
  traits.status = operation.status;
  traits.side = event.side;
  traits.from = from;
  traits.requested = requested;
  traits.start_seen = operation.response_start_seen;
  traits.length_known = operation.length_known;
  traits.retransmitted = operation.request_retransmitted;
  operations_.time_ns_.push_back(requested  ? operation.request.time_ns
                                 : answered ? operation.response.time_ns
                                            : event.time_ns);
  operations_.latency_ns_.push_back(operation.latency().value_or(OperationTable::unknown));
  operations_.length_.push_back(operation.length);
  operations_.outstanding_.push_back(operation.outstanding);
  operations_.rest_.push_back(operation.message, operation.response_message, narrow(operation.request.frame),
                              narrow(operation.first_response.frame), narrow(operation.response.frame),
                              narrow(event.frame), operation.first_response.time_ns, event.time_ns);
  operations_.rows_.publish();
}

Event OperationTable::event(std::size_t row) const noexcept {
  const Traits& traits = traits_[row];
  const Rest& rest = rest_[row];
  Event event;
  event.kind = EventKind::operation;
  event.connection = connection_[row];
  event.side = traits.side;
  event.frame = rest.decided_frame;
  event.time_ns = rest.decided_ns;
  OperationConclusion& operation = *std::construct_at(&event.operation);
  operation.message = rest.message;
  operation.response_message = rest.response_message;
  operation.kind = traits.kind;
  operation.status = traits.status;
  if (traits.requested) operation.request = {rest.request_frame, time_ns_[row]};
  operation.first_response = {rest.first_frame, rest.first_ns};
  // One that seems to come before its request has no latency: any earlier time tells the same.
  const TimeNs latency = latency_ns_[row];
  operation.response = {rest.response_frame, time_ns_[row] + (traits.requested ? latency : 0)};
  operation.response_start_seen = traits.start_seen;
  operation.length = length_[row];
  operation.length_known = traits.length_known;
  operation.outstanding = outstanding_[row];
  operation.request_retransmitted = traits.retransmitted;
  return event;
}

void Metrics::add_finding(const Event& event, Role from) {
  if (findings_.rest_.size() == max_rows || !fit(event.frame)) return leave_out();
  findings_.finding_.push_back(event.finding);
  findings_.rest_.push_back(event.connection, narrow(event.frame), event.time_ns, event.side, from);
  findings_.rows_.publish();
}

Event FindingTable::event(std::size_t row) const noexcept {
  const Rest& rest = rest_[row];
  Event event;
  event.kind = EventKind::finding;
  event.connection = rest.connection;
  event.side = rest.side;
  event.frame = rest.decided_frame;
  event.time_ns = rest.decided_ns;
  std::construct_at(&event.finding, finding_[row]);
  return event;
}

}  // namespace iwarp
