// ConnectionTable: finds the connection of a segment, makes new ones, lets ended ones go.
//
// A new SYN on the addresses and ports of a connection begins another one (port reuse); so does a segment
// that is of another one by its numbers (TcpReach). Ids count up as Wireshark's tcp.stream does. A connection
// that ended is followed for a while, for what still trickles in; then it is remembered by
// EarlierConnections.
//
// Equal addresses in two networks (VLANs, tunnels) are two connections. But a mirror may tag one direction
// only, or each with a tag of its own: so a segment of a network where its addresses are new belongs to a
// connection of another network of which just the other direction was seen, if the sequence and
// acknowledgement numbers of the two interlock; and a mirror may take each packet twice, with another tag: so
// does a copy of a segment of the connection.
//
// Of the connections that nothing was added to lately, those without FPDUs are *at rest*: packed in a few
// hundred octets (base/packing.hpp), unpacked when a segment comes or when they are asked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <iwarp/fifo.hpp>
#include <iwarp/segment.hpp>

#include "analysis/connection.hpp"
#include "analysis/connection_index.hpp"
#include "analysis/connection_key.hpp"
#include "analysis/connection_places.hpp"
#include "analysis/earlier_connections.hpp"
#include "analysis/idle_order.hpp"
#include "analysis/lately_used.hpp"

namespace iwarp {

class ConnectionTable {
 public:
  // Capture time an ended connection is still followed.
  static constexpr TimeNs linger_ns = 30'000'000'000;
  // Times come from files: they may be any.
  [[nodiscard]] static constexpr TimeNs due_behind(TimeNs ended_ns) noexcept {
    constexpr TimeNs greatest = std::numeric_limits<TimeNs>::max();
    return ended_ns > greatest - linger_ns ? greatest : ended_ns + linger_ns;
  }

  ConnectionTable(const AnalyzerOptions& options, Recorder& recorder)
      : options_(options), recorder_(recorder) {}

  // Takes the segment to its connection, made if need be; nullptr for a stray segment of one let go.
  Connection* take(const TcpSegment& segment);
  // Closes everything, in order of id.
  void finish();
  // Closes some of those that are left and below `end`, in order of id; false: none was.
  [[nodiscard]] bool finish_some(ConnectionId end = ~ConnectionId{0});
  // All of them are.
  [[nodiscard]] bool finished() const noexcept { return finished_ == count(); }
  // What other tables' segments tell, see Analyzer.
  void set_latest_time(TimeNs latest_ns) noexcept { latest_ns_ = std::max(latest_ns_, latest_ns); }
  [[nodiscard]] std::optional<Analyzer::Due> next_due() const noexcept {
    if (ended_.empty()) return std::nullopt;
    return Analyzer::Due{ended_.front().frame, due_behind(ended_.front().since_ns)};
  }
  void close_first_ended() { let_go_first_ended(); }
  // An id that no connection of this table has.
  [[nodiscard]] ConnectionId reserve_id() {
    const ConnectionId id = places_.count();
    places_.add();
    places_.drop(id);
    return id;
  }
  // For their memory: forgets those that were let go, else lets the oldest that are idle go; as many as that.
  void evict(std::size_t connections);
  // Connections closed since the last call are dropped: nobody asks for them any more.
  void drop_closed() {
    if (!closed_.empty()) drop_all_closed();
  }

  // nullptr: never seen, or no longer followed. Until the next call of any function but count(), find()
  // included.
  [[nodiscard]] const Connection* find(ConnectionId id) const;
  [[nodiscard]] ConnectionId count() const noexcept { return places_.count(); }
  [[nodiscard]] std::size_t followed() const noexcept { return followed_; }
  // Those that were let go, which EarlierConnections remembers.
  [[nodiscard]] std::size_t remembered() const noexcept { return earlier_.size(); }
  // Segments of connections let go before.
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
  // How often one that was at rest was unpacked for a segment or its end.
  [[nodiscard]] std::uint64_t woken() const noexcept { return woken_; }

 private:
  using Place = ConnectionPlaces::Place;

  struct Ended {
    ConnectionId id = 0;
    FrameNumber frame = 0;  // that ended it
    TimeNs since_ns = 0;
  };

  [[nodiscard]] static ConnectionKey key_of(const TcpSegment& segment) noexcept {
    return {segment.source, segment.destination, segment.network};
  }
  [[nodiscard]] static bool begins_anew(const Connection& connection, Side side,
                                        const TcpSegment& segment) noexcept;
  [[nodiscard]] Place* find(const TcpSegment& segment);
  [[nodiscard, gnu::noinline]] Place* of_other_network(const TcpSegment& segment, ConnectionId latest);
  [[gnu::noinline]] Place& make(const TcpSegment& segment);
  // REQUIRES of both: the connection is awake.
  void close(Place& place, CloseCause cause);
  // Closes it, and takes what comes for another one's.
  [[gnu::noinline]] void let_go(Place& place, CloseCause cause);
  // Those that ended long enough ago.
  void let_go_ended() {
    while (!ended_.empty() && latest_ns_ > due_behind(ended_.front().since_ns)) let_go_first_ended();
  }
  [[gnu::noinline]] void let_go_first_ended();
  void drop_all_closed();
  // The connection of an id while it is followed, else nullptr. Wakes it.
  [[nodiscard]] Place* followed(ConnectionId id);
  // Nothing: it is not followed.
  [[nodiscard]] std::optional<std::uint64_t> last_segment_of(ConnectionId id) const noexcept;
  // `limit`: the one that was reached.
  [[gnu::cold]] void evict_one(Phrase limit);

  void note_awake(ConnectionId id);
  // Packing it now, and unpacking it when its next segment comes, may cost too much.
  [[nodiscard]] bool is_busy(const Place& place) const noexcept;
  // Whether it is at rest, or never will be.
  bool rest(Place& place);
  [[nodiscard]] std::unique_ptr<Connection> unpacked(const Place& place) const;

  const AnalyzerOptions& options_;
  Recorder& recorder_;
  ConnectionPlaces places_;
  mutable std::unique_ptr<Connection> shown_;  // one at rest, unpacked to be looked at
  Fifo<ConnectionId> awake_;                   // that may come to rest, in the order in which they woke
  ConnectionIndex index_;
  std::size_t followed_ = 0;  // connections that are not closed
  Fifo<Ended> ended_;
  TimeNs latest_ns_ = std::numeric_limits<TimeNs>::min();  // capture time may run backward, this does not
  EarlierConnections earlier_;
  std::vector<ConnectionId> closed_;  // their state is still asked for
  IdleOrder idle_;                    // connections followed
  ConnectionId finished_ = 0;         // those before are closed: the capture has ended
  std::uint64_t late_ = 0;
  std::uint64_t woken_ = 0;
  std::uint64_t taken_ = 0;   // segments
  std::size_t buffered_ = 0;  // octets that wait, of all connections
  LatelyUsed lately_;
};

}  // namespace iwarp
