// ConnectionTable: finds the connection of a segment, makes new ones, lets ended ones go.
//
// A new SYN on the addresses and ports of a connection begins another one (port reuse). Ids count up as
// Wireshark's tcp.stream does. A connection that ended is followed for a while, for what still trickles in;
// then only its key is remembered, so that stray segments do not look like a connection begun mid-stream.
//
// Equal addresses in two networks (VLANs, tunnels) are two connections. But a mirror may tag one direction
// only, or each with a tag of its own: so a segment of a network where its addresses are new belongs to a
// connection of another network of which just the other direction was seen, if the sequence and
// acknowledgement numbers of the two interlock.
//
// A connection without octets (of a port scan, say) is *quiet*: where no log is kept, only its few segments
// are, while others' are added, and it is made of them again when it is asked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <iwarp/fifo.hpp>
#include <iwarp/segment.hpp>

#include "analysis/connection.hpp"

namespace iwarp {

class ConnectionTable {
 public:
  // Capture time an ended connection is still followed.
  static constexpr TimeNs linger_ns = 30'000'000'000;
  // Keys of connections let go that are remembered.
  static constexpr std::size_t max_remembered = 1U << 16U;

  ConnectionTable(const AnalyzerOptions& options, Recorder& recorder)
      : options_(options), recorder_(recorder) {}

  // Takes the segment to its connection, made if need be; nullptr for a stray segment of one let go.
  Connection* take(const TcpSegment& segment);
  // Closes everything, in order of id.
  void finish();
  // Connections closed since the last call are dropped: nobody asks for them any more.
  void drop_closed() {
    if (!closed_.empty()) drop_all_closed();
  }

  // nullptr: never seen, or no longer followed. Until the next call of any function but count().
  [[nodiscard]] const Connection* find(ConnectionId id) const;
  [[nodiscard]] ConnectionId count() const noexcept { return static_cast<ConnectionId>(places_.size()); }

 private:
  // Both endpoints, the lower one first, and the network: as words, which compare and hash at once.
  struct Key {
    std::array<std::uint64_t, 6> words{};

    bool operator==(const Key& another) const noexcept;
  };
  // Not noexcept: so the tables keep hashes and need not make them again for each key they pass.
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Followed {
    ConnectionId id = 0;
    Key key;
  };
  struct Ended {
    ConnectionId id = 0;
    Key key;
    TimeNs since_ns = 0;
  };

  [[nodiscard]] static Key key_of(const Endpoint& one, const Endpoint& another,
                                  std::uint32_t network) noexcept;
  [[nodiscard]] static Key key_of(const TcpSegment& segment) noexcept {
    return key_of(segment.source, segment.destination, segment.network);
  }
  [[nodiscard]] static bool begins_anew(const Connection& connection, const TcpSegment& segment) noexcept;
  [[nodiscard]] bool is_of_last(const TcpSegment& segment) const noexcept;
  [[nodiscard]] Connection* other_direction(const TcpSegment& segment);
  Connection* make(const Key& key, const TcpSegment& segment);
  void let_go(ConnectionId id, CloseCause cause);
  // Those that ended long enough ago.
  void let_go_ended(TimeNs now_ns) {
    while (!ended_.empty() && now_ns - ended_.front().since_ns > linger_ns) let_go_first_ended();
  }
  void let_go_first_ended();
  void drop_all_closed();
  void remember(const Key& key);
  // The connection of an id while it is followed, else nullptr. Wakes it.
  [[nodiscard]] Connection* followed(ConnectionId id);
  void evict_one();

  // What a quiet connection is made of.
  struct Quiet {
    static constexpr std::size_t max_segments = 8;

    std::vector<TcpSegment> segments;  // without payload
    std::optional<CloseCause> closed;
  };
  struct Place {
    std::unique_ptr<Connection> connection;  // null: let go and dropped, or asleep
    std::unique_ptr<Quiet> quiet;            // null: octets came, or more segments than are worth it
  };

  void note_quiet(Place& place, const TcpSegment& segment);
  [[nodiscard]] std::unique_ptr<Connection> made_again(ConnectionId id) const;
  void put_to_sleep(ConnectionId id);
  [[nodiscard]] bool is_followed(ConnectionId id) const noexcept;
  [[nodiscard]] TimeNs last_time_ns(ConnectionId id) const noexcept;

  const AnalyzerOptions& options_;
  Recorder& recorder_;
  std::vector<Place> places_;                  // by id
  mutable std::unique_ptr<Connection> shown_;  // one that is asleep, made again to be looked at
  std::unordered_map<Key, ConnectionId, KeyHash> ids_;
  std::unordered_map<Key, ConnectionId, KeyHash> ids_in_any_network_;  // the latest
  std::size_t followed_ = 0;                                           // connections that are not closed
  Fifo<Ended> ended_;
  Fifo<Key> remembered_;              // keys in ids_ whose connection was let go, oldest first
  std::vector<ConnectionId> closed_;  // their state is still asked for
  Fifo<Followed> in_order_;           // connections followed, oldest first, and some let go since
  std::size_t buffered_ = 0;          // octets that wait, of all connections
  // The segment before is often of the same connection.
  Endpoint last_source_;
  Endpoint last_destination_;
  std::uint32_t last_network_ = 0;
  Connection* last_ = nullptr;
};

}  // namespace iwarp
