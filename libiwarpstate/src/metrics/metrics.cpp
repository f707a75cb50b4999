// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics.hpp>

#include <limits>

#include "base/folding.hpp"

namespace iwarp {
namespace {

constexpr std::size_t octets_per_word = sizeof(std::uint32_t);

template <typename... Frames>
bool fit(Frames... frames) noexcept {
  return ((frames <= std::numeric_limits<std::uint32_t>::max()) && ...);
}
constexpr std::size_t words_of(std::size_t octets) noexcept {
  return (octets + octets_per_word - 1) / octets_per_word;
}

template <typename T>
constexpr std::uint64_t number_of(T value) noexcept {
  return static_cast<std::uint64_t>(value);
}
std::uint32_t narrow(FrameNumber frame) noexcept {
  return static_cast<std::uint32_t>(frame);
}

// When an operation's response was captured, as its row tells. One that seems to come before its request has
// no latency: any earlier time tells the same.
std::uint64_t response_time(TimeNs time, bool requested, TimeNs latency) noexcept {
  return number_of(time) + (requested ? number_of(latency) : 0);
}

// One thread writes: no need to add in one step.
template <typename T>
void raise(std::atomic<T>& value, T by = 1) noexcept {
  value.store(value.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

void reach(std::atomic<StreamEnd>& end, StreamEnd at_least) noexcept {
  if (end.load(std::memory_order_relaxed) < at_least) end.store(at_least, std::memory_order_relaxed);
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
      if (totals != nullptr && !event.gap.restated) raise(totals->gaps);
      return;
    case EventKind::message:
      if (totals != nullptr && event.message.end == MessageEnd::complete) raise(totals->messages[role]);
      if (totals != nullptr && event.message.opcode == wire::Opcode::terminate)
        reach(totals->end, StreamEnd::terminated);
      return add_message(event, *connection);
    case EventKind::operation:
      if (totals != nullptr) raise(totals->operations);
      return add_operation(event, from);
    case EventKind::finding:
      if (totals != nullptr) raise(totals->findings[static_cast<unsigned>(event.finding.severity)]);
      return add_finding(event, from);
    case EventKind::startup:
      if (totals != nullptr && connection->mpa.rejected) reach(totals->end, StreamEnd::rejected);
      return;
    case EventKind::fin:
      if (totals != nullptr) reach(totals->end, StreamEnd::fin);
      return;
    case EventKind::rst:
      if (totals != nullptr) reach(totals->end, StreamEnd::rst);
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
  const std::size_t words = words_of(message.rdmap_octets);
  if (messages_.traits_.size() == max_rows ||
      !fit(message.placed.frame, message.first_frame, message.begun.frame, event.frame, refers_to)) {
    return leave_out();
  }
  MessageTable& table = messages_;
  const Role from = connection.role_of(event.side);
  table.connection_.push_back(event.connection);
  table.traits_.push_back(MessageTable::opcode_bits.put(number_of(message.opcode)) |
                          MessageTable::side_bit.put(index(event.side)) |
                          MessageTable::from_bit.put(number_of(from)) |
                          MessageTable::tagged_bit.put(number_of(message.tagged)) |
                          MessageTable::start_seen_bit.put(number_of(message.start_seen)) |
                          MessageTable::rtr_bit.put(number_of(message.rtr)) |
                          MessageTable::rtr_known_bit.put(number_of(message.rtr_known)) |
                          MessageTable::rdmap_octets_bits.put(message.rdmap_octets) |
                          MessageTable::end_bits.put(number_of(message.end)) |
                          MessageTable::bit_order_bit.put(number_of(message.bit_order)) |
                          MessageTable::reason_bits.put(number_of(message.reason)));
  table.time_ns_.push_back(number_of(message.placed.time_ns));
  table.length_.push_back(message.length);
  table.number_.push_back(message.number);
  table.segments_.push_back(message.segments);
  table.stag_.push_back(message.stag);
  table.queue_.push_back(message.queue);
  table.msn_.push_back(message.msn);
  table.to_.push_back(message.to);
  table.decided_frame_.push_back(event.frame);
  table.frame_.push_back(folded(event.frame - message.placed.frame));
  table.first_frame_.push_back(folded(event.frame - message.first_frame));
  table.begun_frame_.push_back(folded(event.frame - message.begun.frame));
  table.begun_ns_.push_back(folded(number_of(message.placed.time_ns) - number_of(message.begun.time_ns)));
  table.refers_to_.push_back(refers_to);
  table.header_.push_back(table.rdmap_.front().size());
  for (std::size_t at = 0; words > 0 && at < table.rdmap_.size(); ++at) {
    std::uint32_t word = 0;
    if (at < words) word = load_be32(message.rdmap.data() + at * octets_per_word);
    table.rdmap_[at].push_back(word);
  }
  table.rows_.publish();
}

static_assert(max_rdmap_header % octets_per_word == 0, "headers are copied by words");

TimeNs MessageTable::begun_ns(std::size_t row) const noexcept {
  return static_cast<TimeNs>(time_ns_[row] - unfolded(begun_ns_[row]));
}

Event MessageTable::event(std::size_t row) const noexcept {
  const std::uint64_t traits = traits_[row];
  Event event;
  event.kind = EventKind::message;
  event.connection = connection(row);
  event.side = static_cast<Side>(side_bit.get(traits));
  event.frame = decided_frame_[row];
  MessageConclusion& message = *std::construct_at(&event.message);
  message.number = static_cast<std::uint32_t>(number_[row]);
  message.placed = {event.frame - unfolded(frame_[row]), time_ns(row)};
  message.first_frame = event.frame - unfolded(first_frame_[row]);
  message.begun = {event.frame - unfolded(begun_frame_[row]), begun_ns(row)};
  message.length = length_[row];
  message.segments = static_cast<std::uint32_t>(segments_[row]);
  message.opcode = static_cast<wire::Opcode>(opcode_bits.get(traits));
  message.end = static_cast<MessageEnd>(end_bits.get(traits));
  message.reason = static_cast<Reason>(reason_bits.get(traits));
  message.start_seen = start_seen_bit.get(traits) != 0;
  message.tagged = tagged_bit.get(traits) != 0;
  message.rtr = rtr_bit.get(traits) != 0;
  message.rtr_known = rtr_known_bit.get(traits) != 0;
  message.stag = static_cast<std::uint32_t>(stag_[row]);
  message.queue = static_cast<std::uint32_t>(queue_[row]);
  message.msn = static_cast<std::uint32_t>(msn_[row]);
  message.to = to_[row];
  message.rdmap_octets = static_cast<std::uint8_t>(rdmap_octets_bits.get(traits));
  message.bit_order = static_cast<wire::BitOrder>(bit_order_bit.get(traits));
  const std::uint64_t header = header_[row];
  for (std::size_t at = 0; at < words_of(message.rdmap_octets); ++at) {
    store_be32(message.rdmap.data() + at * octets_per_word, static_cast<std::uint32_t>(rdmap_[at][header]));
  }
  return event;
}

void Metrics::add_operation(const Event& event, Role from) {
  const OperationConclusion& operation = event.operation;
  const bool frames_fit =
      fit(operation.request.frame, operation.first_response.frame, operation.response.frame, event.frame);
  if (operations_.traits_.size() == max_rows || !frames_fit) return leave_out();
  const bool requested = operation.request.frame != 0;
  const bool answered = operation.response.frame != 0;
  const TimeNs time = requested  ? operation.request.time_ns
                      : answered ? operation.response.time_ns
                                 : event.time_ns;
  const TimeNs latency = operation.latency().value_or(OperationTable::unknown);
  OperationTable& table = operations_;
  table.connection_.push_back(event.connection);
  table.traits_.push_back(OperationTable::kind_bits.put(number_of(operation.kind)) |
                          OperationTable::side_bit.put(index(event.side)) |
                          OperationTable::from_bit.put(number_of(from)) |
                          OperationTable::requested_bit.put(number_of(requested)) |
                          OperationTable::start_seen_bit.put(number_of(operation.response_start_seen)) |
                          OperationTable::length_known_bit.put(number_of(operation.length_known)) |
                          OperationTable::retransmitted_bit.put(number_of(operation.request_retransmitted)) |
                          OperationTable::status_bits.put(number_of(operation.status)));
  table.time_ns_.push_back(number_of(time));
  table.latency_ns_.push_back(number_of(latency - OperationTable::unknown));
  table.length_.push_back(operation.length);
  table.outstanding_.push_back(operation.outstanding);
  table.message_.push_back(operation.message);
  table.response_message_.push_back(operation.response_message);
  table.decided_frame_.push_back(event.frame);
  table.request_frame_.push_back(code_or_zero(operation.request.frame, event.frame));
  table.first_frame_.push_back(code_or_zero(operation.first_response.frame, event.frame));
  table.response_frame_.push_back(code_or_zero(operation.response.frame, event.frame));
  const std::uint64_t response = response_time(time, requested, latency);
  table.decided_ns_.push_back(folded(number_of(event.time_ns) - response));
  table.first_ns_.push_back(code_or_zero(number_of(operation.first_response.time_ns), response));
  table.rows_.publish();
}

Event OperationTable::event(std::size_t row) const noexcept {
  const std::uint64_t traits = traits_[row];
  const bool requested = requested_bit.get(traits) != 0;
  const TimeNs time = time_ns(row);
  const std::uint64_t answered_ns = response_time(time, requested, latency_ns(row));
  Event event;
  event.kind = EventKind::operation;
  event.connection = connection(row);
  event.side = side(row);
  event.frame = decided_frame_[row];
  event.time_ns = static_cast<TimeNs>(answered_ns + unfolded(decided_ns_[row]));
  OperationConclusion& operation = *std::construct_at(&event.operation);
  operation.message = static_cast<std::uint32_t>(message_[row]);
  operation.response_message = static_cast<std::uint32_t>(response_message_[row]);
  operation.kind = static_cast<OperationKind>(kind_bits.get(traits));
  operation.status = static_cast<OperationStatus>(status_bits.get(traits));
  if (requested) operation.request = {value_or_zero(request_frame_[row], event.frame), time};
  operation.first_response = {value_or_zero(first_frame_[row], event.frame),
                              static_cast<TimeNs>(value_or_zero(first_ns_[row], answered_ns))};
  operation.response = {value_or_zero(response_frame_[row], event.frame), static_cast<TimeNs>(answered_ns)};
  operation.response_start_seen = start_seen_bit.get(traits) != 0;
  operation.length = length_[row];
  operation.length_known = length_known_bit.get(traits) != 0;
  operation.outstanding = outstanding(row);
  operation.request_retransmitted = retransmitted_bit.get(traits) != 0;
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
