// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/answers.hpp"

#include <algorithm>

namespace iwarp::dissector {

// Nearly always they come in order (RFC 5040 §5.5).
void Answers::insert(Links& links, const Link& link) {
  const auto behind =
      links.empty() || links.back().message < link.message
          ? links.end()
          : std::upper_bound(links.begin(), links.end(), link.message,
                             [](std::uint32_t message, const Link& each) { return message < each.message; });
  links.insert(behind, link);
}

const Answers::Link* Answers::find(const Links& links, std::uint32_t message) noexcept {
  const auto found =
      std::lower_bound(links.begin(), links.end(), message,
                       [](const Link& each, std::uint32_t wanted) { return each.message < wanted; });
  return found == links.end() || found->message != message ? nullptr : &*found;
}

void Answers::add(const Event& event) {
  const OperationConclusion& operation = event.operation;
  if (operation.kind != OperationKind::read && operation.kind != OperationKind::atomic) return;
  if (operation.response_message == 0) return;
  if (connections_.size() <= event.connection) connections_.resize(event.connection + std::size_t{1});
  OfConnection& connection = connections_[event.connection];
  const auto frame = [](const Placement& placed) { return static_cast<std::uint32_t>(placed.frame); };
  insert(connection.requests, {operation.message, frame(operation.response), operation.status});
  insert(connection.responses, {operation.response_message, frame(operation.request), operation.status});
}

FrameNumber Answers::response_frame(ConnectionId connection, std::uint32_t request) const noexcept {
  if (connection >= connections_.size()) return 0;
  const Link* const link = find(connections_[connection].requests, request);
  return link == nullptr ? 0 : link->frame;
}

std::optional<Answers::Answered> Answers::answered_by(ConnectionId connection,
                                                      std::uint32_t response) const noexcept {
  if (connection >= connections_.size()) return std::nullopt;
  const Link* const link = find(connections_[connection].responses, response);
  if (link == nullptr) return std::nullopt;
  return Answered{link->frame, link->status};
}

}  // namespace iwarp::dissector
