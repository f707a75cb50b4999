// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/deliveries.hpp>

#include <algorithm>

#include "latency/delivery_stream.hpp"

namespace iwarp {
namespace {

// Of each side: what a hostile stream makes more of is told sooner, or not kept.
constexpr std::size_t most_told_later = 4096;
constexpr std::size_t most_open_requests = 4096;
constexpr std::size_t most_acknowledgements = 64;

std::optional<OperationKind> kind_without_response(wire::Opcode opcode) noexcept {
  if (opcode == wire::Opcode::rdma_write) return OperationKind::write;
  if (wire::is_send(opcode)) return OperationKind::send;
  if (wire::is_immediate(opcode)) return OperationKind::immediate;
  return std::nullopt;
}

}  // namespace

DeliveryTracker::DeliveryTracker() = default;
DeliveryTracker::~DeliveryTracker() = default;
DeliveryTracker::DeliveryTracker(DeliveryTracker&&) noexcept = default;
DeliveryTracker& DeliveryTracker::operator=(DeliveryTracker&&) noexcept = default;

void DeliveryTracker::add(const Event& event, const ConnectionState* connection) {
  told_.clear();
  DeliveryStream* stream = streams_.find(event.connection);
  switch (event.kind) {
    case EventKind::fpdu:
      if (stream == nullptr) stream = &streams_.add(event.connection);
      [[fallthrough]];
    case EventKind::message:
    case EventKind::operation:
    case EventKind::received:
      if (stream != nullptr) stream->add(event, told_);
      break;
    case EventKind::closed:
      if (stream == nullptr) return;
      stream->close(told_);
      streams_.drop(event.connection);
      break;
    default: return;
  }
  for (Delivery& delivery : told_) {
    delivery.stream = event.connection;
    if (connection != nullptr) delivery.from = connection->role_of(delivery.side);
  }
}

void DeliveryStream::add(const Event& event, std::vector<Delivery>& told) {
  switch (event.kind) {
    case EventKind::fpdu: senders_[index(event.side)].fpdu_end = event.offset + event.fpdu.wire_size; return;
    case EventKind::message: return take_message(event, told);
    case EventKind::received: {
      Sender& sender = senders_[index(other(event.side))];
      take_acknowledgement(sender, event.received);
      return tell_settled(sender, told);
    }
    case EventKind::operation: return take_response(senders_[index(event.side)], event.operation, told);
    default: return;
  }
}

void DeliveryStream::take_message(const Event& event, std::vector<Delivery>& told) {
  const MessageConclusion& message = event.message;
  Sender& sender = senders_[index(event.side)];
  if (wire::is_request(message.opcode)) {
    if (sender.requests.size() >= most_open_requests) sender.requests.pop_front();
    sender.requests.push_back({.message = message.number, .end = sender.fpdu_end});
    return;
  }
  const auto kind = kind_without_response(message.opcode);
  if (!kind || message.end != MessageEnd::complete || !message.start_seen) return;
  if (sender.messages.size() >= most_told_later) tell_first(sender, told);
  Message& added = sender.messages.emplace_back();
  added.end = sender.fpdu_end;
  added.delivery = {.side = event.side,
                    .kind = *kind,
                    .message = message.number,
                    .length = message.length,
                    .begun = message.begun,
                    .placed = message.placed,
                    .acknowledged = {},
                    .proven = {}};
  if (sender.history.empty() || sender.history.back().upto < added.end) return;
  // It was acknowledged while it waited for octets before it, or the directions are out of step.
  const auto by = std::find_if(sender.history.begin(), sender.history.end(),
                               [&](const Acknowledged& each) { return each.upto >= added.end; });
  added.delivery.acknowledged = by->by;
  sender.settled = sender.messages.size();
  tell_settled(sender, told);
}

void DeliveryStream::take_acknowledgement(Sender& sender, const ReceivedFact& fact) {
  if (!sender.history.empty() && sender.history.back().upto >= fact.upto) return;
  if (sender.history.size() >= most_acknowledgements) sender.history.pop_front();
  sender.history.push_back({fact.upto, fact.segment});
  for (; sender.settled < sender.messages.size(); ++sender.settled) {
    Message& message = sender.messages[sender.settled];
    if (message.end > fact.upto) break;
    message.delivery.acknowledged = fact.segment;
  }
}

void DeliveryStream::take_response(Sender& sender, const OperationConclusion& operation,
                                   std::vector<Delivery>& told) {
  Fifo<Request>& open = sender.requests;
  const auto found =
      std::lower_bound(open.begin(), open.end(), operation.message,
                       [](const Request& each, std::uint32_t message) { return each.message < message; });
  if (found == open.end() || found->message != operation.message || found->concluded) return;
  const Placement& by = operation.first_response.frame != 0 ? operation.first_response : operation.response;
  if (operation.answered() && by.frame != 0) {
    while (!sender.messages.empty() && sender.messages.front().end <= found->end) {
      sender.messages.front().delivery.proven = by;
      tell_first(sender, told);
    }
  }
  found->concluded = true;
  while (!open.empty() && open.front().concluded) open.pop_front();
  tell_settled(sender, told);
}

void DeliveryStream::tell_settled(Sender& sender, std::vector<Delivery>& told) {
  const auto may_be_proven = [&](const Message& message) {
    return !sender.requests.empty() && sender.requests.back().end > message.end;
  };
  while (sender.settled > 0 && !may_be_proven(sender.messages.front())) tell_first(sender, told);
}

void DeliveryStream::tell_first(Sender& sender, std::vector<Delivery>& told) {
  told.push_back(sender.messages.front().delivery);
  sender.messages.pop_front();
  if (sender.settled > 0) --sender.settled;
}

void DeliveryStream::close(std::vector<Delivery>& told) {
  for (Sender& sender : senders_) {
    while (!sender.messages.empty()) tell_first(sender, told);
  }
}

}  // namespace iwarp
