// SctpStreams: which connections are sessions of DDP streams over SCTP (RFC 5043 §6), and of which streams.
// All others are TCP's. Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <unordered_map>

#include <iwarp/event.hpp>

namespace iwarp::dissector {

class SctpStreams {
 public:
  // The events of the frame just added: a connection's `opened` comes before what is told of it.
  void note(Events events) {
    for (const Event& event : events) {
      if (event.kind == EventKind::opened && event.opened.llp == Llp::sctp)
        streams_[event.connection] = event.opened.sctp;
    }
  }

  // nullptr: it is carried by TCP.
  [[nodiscard]] const SctpStream* find(ConnectionId connection) const noexcept {
    const auto found = streams_.find(connection);
    return found == streams_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<ConnectionId, SctpStream> streams_;
};

}  // namespace iwarp::dissector
