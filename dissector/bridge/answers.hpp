// Answers: which response answered which request, both ways. A Read or atomic costs 24 octets. Knows nothing
// of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/event.hpp>

namespace iwarp::dissector {

class Answers {
 public:
  // What a response answers.
  struct Answered {
    FrameNumber request = 0;  // where that lies
    OperationStatus status = OperationStatus::complete;
  };

  // An operation event.
  void add(const Event& operation);

  // By numbers of messages: where the response of a request ends, 0: it has none, or not yet; and the request
  // of a response, as far as that is over.
  [[nodiscard]] FrameNumber response_frame(ConnectionId connection, std::uint32_t request) const noexcept;
  [[nodiscard]] std::optional<Answered> answered_by(ConnectionId connection,
                                                    std::uint32_t response) const noexcept;

 private:
  struct Link {
    std::uint32_t message = 0;
    std::uint32_t frame = 0;
    OperationStatus status = OperationStatus::complete;
  };
  using Links = std::vector<Link>;  // by message

  struct OfConnection {
    Links requests;   // with the frame of their response
    Links responses;  // with that of their request
  };

  static void insert(Links& links, const Link& link);
  [[nodiscard]] static const Link* find(const Links& links, std::uint32_t message) noexcept;

  std::vector<OfConnection> connections_;  // by ConnectionId
};

}  // namespace iwarp::dissector
