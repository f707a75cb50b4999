// AssociationTable: finds the SCTP association of a packet and the session of each DDP message, makes new
// ones, and closes those that are over.
//
// An association is found by addresses and ports; where an end has several addresses (RFC 5043 §7.2), by
// ports and Verification Tag. An INIT or INIT ACK with another tag than the one known begins another. A
// session ends for us when the next one begins on its streams, or with its association. Associations without
// DDP are followed to know their TSNs, and nothing is said of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <iwarp/sctp_packet.hpp>

#include "analysis/connection_key.hpp"
#include "analysis/ddp_session.hpp"
#include "sctp/association.hpp"

namespace iwarp {

class AssociationTable {
 public:
  // `next_id` hands out the ids of sessions. REQUIRES: the references outlive this.
  AssociationTable(const AnalyzerOptions& options, Recorder& recorder, std::function<ConnectionId()> next_id)
      : options_(options), recorder_(recorder), next_id_(std::move(next_id)) {}

  void take(const SctpPacket& packet);
  // The session with the least id that is not closed.
  [[nodiscard]] std::optional<ConnectionId> first() const noexcept {
    return open_.empty() ? std::nullopt : std::optional(open_.begin()->first);
  }
  void close_first();
  // Lets as many go for their memory, the associations idle longest first.
  void evict(std::size_t sessions);
  // Sessions closed since the last call are dropped.
  void drop_closed() noexcept { closed_.clear(); }

  // nullptr: none has this id, or it was dropped. Lives as long as Analysis::connection() says.
  [[nodiscard]] const DdpSession* find(ConnectionId id) const noexcept;
  // Sessions that are not closed.
  [[nodiscard]] std::size_t followed() const noexcept { return open_.size(); }

 private:
  // Ports of a direction and the tag of its packets.
  struct TagKey {
    std::uint32_t ports = 0;
    std::uint32_t tag = 0;
    std::uint32_t network = 0;

    auto operator<=>(const TagKey&) const = default;
  };
  struct Entry {
    explicit Entry(std::size_t max_waiting) : association(max_waiting) {}

    sctp::Association association;
    bool over = false;                                              // aborted, or shut down
    std::array<Endpoint, 2> endpoints;                              // by Side
    std::vector<ConnectionKey> keys;                                // addresses and ports …
    std::array<std::optional<TagKey>, 2> tags;                      // … and tags it is found by, by Side
    std::map<std::uint16_t, std::unique_ptr<DdpSession>> sessions;  // by SCTP stream
    std::map<std::uint16_t, std::uint32_t> session_counts;
    // By Side: of which stream the messages are that are not known to be acknowledged.
    std::array<std::map<sctp::Tsn, std::uint16_t>, 2> unacknowledged;
    std::set<std::uint16_t> waiting;  // streams with messages that wait …
    std::uint16_t looked_at = 0;      // … and the last of them that was asked whether it waits still
    std::size_t octets_waiting = 0;   // of its sessions and fragments
  };
  using Entries = std::list<Entry>;  // the one that a packet came of last is the last
  struct Open {
    Entries::iterator entry;
    std::uint16_t stream = 0;
  };

  // The one that the packet belongs to is the last then; false: it belongs to none.
  [[nodiscard]] bool find_or_make(const SctpPacket& packet, Side& side);
  [[nodiscard]] Entries::iterator find(const SctpPacket& packet, Side& side);
  void make(const SctpPacket& packet, Side& side, bool answers);
  void note_tags(Entry& entry, std::uint32_t network);
  void take_message(Entry& entry, Side side, sctp::UserMessage&& message);
  void take_acknowledgements(Entry& entry);
  void give_up_old_holes(Entry& entry);
  DdpSession& session_of(Entry& entry, Side side, const sctp::UserMessage& message);
  DdpSession& begin_session(Entry& entry, std::uint16_t stream, bool from_start);
  // What changes how much of the stream waits.
  template <typename Step>
  void change(Entry& entry, std::uint16_t stream, DdpSession& session, const Step& step);
  void close(Entry& entry, std::uint16_t stream, CloseCause otherwise);
  void close_all(Entry& entry, CloseCause cause);
  void end(Entries::iterator entry, CloseCause cause);
  void make_room(Entry& entry);
  void evict_one(Phrase limit);
  void limit_waiting(Entry& entry);

  const AnalyzerOptions& options_;
  Recorder& recorder_;
  std::function<ConnectionId()> next_id_;
  Entries entries_;
  std::unordered_map<ConnectionKey, Entries::iterator, ConnectionKey::Hash> by_addresses_;
  std::map<TagKey, std::pair<Entries::iterator, Side>> by_tag_;
  std::map<ConnectionId, Open> open_;
  std::map<ConnectionId, std::unique_ptr<DdpSession>> closed_;  // their state is still asked for
  std::size_t waiting_ = 0;                                     // octets, of all
};

}  // namespace iwarp
