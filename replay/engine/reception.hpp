// Reception: where connections wait that a peer opened, until they have sent a whole MPA Request. A port that
// listens is found by others, too: what says nothing, something else or the half of it is turned away, and
// takes no stream of the plan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/network.hpp"

namespace iwarp::replay {

struct ReceptionOptions {
  TimeNs patience = 10'000'000'000;  // for the whole Request
  std::size_t most = 256;            // that wait at once; the oldest without a Request gives way
  std::vector<IpAddress> only = {};  // that may come; empty: all
};

class Reception {
 public:
  // REQUIRES: the listener outlives this.
  Reception(Listener& listener, const ReceptionOptions& options) : listener_(listener), options_(options) {}
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  // Something came on a connection that nobody else knows.
  void note_ready(const Transport& transport);
  // The next connection with a Request, which its first receive() calls tell as if it had not waited;
  // nullptr: none yet. Throws std::system_error as Listener::accept() does.
  [[nodiscard]] std::unique_ptr<Transport> next(TimeNs now);
  // When the first of those that wait has waited long enough.
  [[nodiscard]] TimeNs next_due() const noexcept;
  // "2 connections were turned away: they sent no MPA Request (the first from 192.0.2.7:40000)" …
  [[nodiscard]] std::vector<std::string> turned_away() const;

 private:
  enum class Why : std::uint8_t {
    address,  // is none of those that may come
    left,     // closed before its Request was whole
    other,    // sent something else
    slow,     // sent no whole Request in time
    crowd,    // too many wait
    count
  };
  struct Waiting {
    std::unique_ptr<Transport> transport;
    Bytes octets = {};
    std::size_t max_segment = 0;  // 0: not established yet
    TimeNs since = 0;
    bool unread = true;
    bool asks = false;  // its Request is whole
  };
  using Place = std::list<Waiting>::iterator;
  struct Count {
    std::size_t connections = 0;
    Endpoint first = {};
  };

  void accept(TimeNs now);
  // The oldest that does not ask gives way.
  void make_room();
  // What came. True: a Request is there.
  [[nodiscard]] bool listen(Place place);
  void turn_away(Place place, Why why);
  [[nodiscard]] std::unique_ptr<Transport> take(Place place);

  Listener& listener_;
  ReceptionOptions options_;
  std::list<Waiting> waiting_;  // in the order in which they came
  std::unordered_map<const Transport*, Place> places_;
  std::array<Count, static_cast<std::size_t>(Why::count)> turned_away_{};
};

}  // namespace iwarp::replay
