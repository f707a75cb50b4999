// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/connection_table.hpp"

#include <utility>

#include "base/packing.hpp"
#include "state/state_members.hpp"

namespace iwarp {

// A SYN that is neither the connection's own nor a repetition of it, or a segment that is not near it. A SYN
// of the other side opens the same connection while that side's is not known (the SYN+ACK, or a simultaneous
// open), if it fits what was captured of it.
bool ConnectionTable::begins_anew(const Connection& connection, Side side,
                                  const TcpSegment& segment) noexcept {
  if ((segment.flags & tcp::syn) == 0) return !connection.continues(side, segment);
  if (connection.syn_seen(side))
    return connection.syn_sequence(side) != segment.sequence && !connection.answers_again(side, segment);
  const bool answers = (segment.flags & tcp::ack) != 0;
  // On a connection that has ended, or of which only the other side was seen, without its SYN.
  if (!answers && (connection.ended() || (!connection.started(side) && !connection.syn_seen(other(side)))))
    return true;
  if (answers && connection.syn_seen(other(side))) {
    // It answers the SYN seen, and maybe octets in it (RFC 7413).
    constexpr std::uint32_t max_syn_octets = 0xffff;
    if (segment.acknowledgement - connection.syn_sequence(other(side)) - 1 > max_syn_octets) return true;
  }
  return connection.foreign_syn(side, segment.sequence) || !connection.reach().may_open(side, segment);
}

// The latest connection of these addresses, in another network, if the segment is a copy of one of its
// segments, or of one that is under way with them, the next one of these, whose copy follows, or of its
// missing direction.
ConnectionTable::Place* ConnectionTable::of_other_network(const TcpSegment& segment, ConnectionId latest) {
  Place* const place = followed(latest);
  if (place == nullptr) return nullptr;
  const Connection& connection = *place->connection;
  if (!connection.is_answered_by(segment) && !connection.has_copy_of(segment) &&
      !connection.is_continued_by(segment) && !connection.is_near(segment)) {
    return nullptr;
  }
  index_.add_network(segment.source, segment.destination, segment.network, latest);
  return place;
}

ConnectionTable::Place* ConnectionTable::find(const TcpSegment& segment) {
  const auto [own, latest] = index_.find(segment.source, segment.destination, segment.network);
  if (own) return followed(*own);
  return latest ? of_other_network(segment, *latest) : nullptr;
}

Connection* ConnectionTable::take(const TcpSegment& segment) {
  shown_.reset();
  set_latest_time(segment.time_ns);
  let_go_ended();
  Place* const lately = lately_.find(segment);
  Place* place = lately != nullptr ? lately : find(segment);
  Side side = place == nullptr ? Side::a : place->connection->side_of(segment.source);
  const bool anew = place == nullptr || begins_anew(*place->connection, side, segment);
  if (anew && (segment.flags & tcp::syn) == 0 && earlier_.has(key_of(segment), segment)) {
    ++late_;
    return nullptr;
  }
  if (anew) {
    if (place != nullptr) let_go(*place, CloseCause::reused);
    place = &make(segment);
    side = place->connection->side_of(segment.source);
  }
  if (place != lately) lately_.note(*place);
  place->last_segment = ++taken_;
  place->used = true;
  Connection& connection = *place->connection;
  const bool had_ended = connection.ended();
  const std::size_t buffered_before = connection.buffered();
  connection.add(side, segment);
  buffered_ += connection.buffered() - buffered_before;
  if (buffered_ > options_.max_total_buffered) {
    buffered_ -= connection.buffered();
    connection.release_buffers();
    buffered_ += connection.buffered();
  }
  if (!had_ended && connection.ended()) ended_.push_back({connection.state().id, segment.frame, latest_ns_});
  return &connection;
}

ConnectionTable::Place& ConnectionTable::make(const TcpSegment& segment) {
  if (followed_ >= options_.max_connections) evict_one(Phrase::connections);
  const ConnectionId id = places_.count();
  Place& place = places_.add();
  place.connection = std::make_unique<Connection>(id, segment, options_, recorder_);
  place.network = segment.network;
  ++followed_;
  index_.add(segment.source, segment.destination, segment.network, id);
  idle_.add(id, taken_ + 1);
  note_awake(id);
  return place;
}

// Makes room: an ended connection, else the one that was idle longest.
void ConnectionTable::evict_one(Phrase limit) {
  if (!ended_.empty()) {
    const std::size_t followed = followed_;
    let_go_first_ended();
    if (followed_ < followed) return;
  }
  const auto oldest = idle_.take_oldest([this](ConnectionId id) { return last_segment_of(id); });
  if (!oldest) return;
  Place& place = *followed(*oldest);
  place.connection->note_let_go(limit);
  if (limit == Phrase::memory) {
    buffered_ -= place.connection->buffered();
    place.connection->forget_waiting();
  }
  let_go(place, CloseCause::evicted);
}

std::optional<std::uint64_t> ConnectionTable::last_segment_of(ConnectionId id) const noexcept {
  const Place* const place = places_.find(id);
  return place == nullptr || place->closed ? std::nullopt : std::optional(place->last_segment);
}

void ConnectionTable::evict(std::size_t connections) {
  connections -= earlier_.forget(connections);
  for (; connections > 0 && followed_ > 0; --connections) evict_one(Phrase::memory);
}

void ConnectionTable::close(Place& place, CloseCause cause) {
  Connection& connection = *place.connection;
  buffered_ -= connection.buffered();
  connection.close(cause);
  place.closed = true;
  --followed_;
  lately_.forget(place);
  closed_.push_back(connection.state().id);
}

void ConnectionTable::let_go(Place& place, CloseCause cause) {
  close(place, cause);
  const Connection& connection = *place.connection;
  const auto& [a, b] = connection.state().endpoints;
  if (cause != CloseCause::evicted) {
    earlier_.add({a, b, place.network}, a, connection.reach(), recorder_.time_ns());
  }
  index_.forget(a, b, place.network, connection.state().id);
  idle_.note_gone(followed_, [this](ConnectionId other) { return last_segment_of(other); });
}

void ConnectionTable::let_go_first_ended() {
  const Ended ended = ended_.front();
  ended_.pop_front();
  Place* const place = followed(ended.id);
  if (place != nullptr) let_go(*place, place->connection->end_cause());
}

void ConnectionTable::finish() {
  while (finish_some()) {
  }
}

bool ConnectionTable::finish_some(ConnectionId end) {
  // What is closed stays awake until its events were read.
  constexpr std::size_t enough_connections = 64;
  constexpr std::size_t enough_events = 4096;
  shown_.reset();
  std::size_t closed = 0;
  end = std::min(end, count());
  while (finished_ < end && closed < enough_connections) {
    Place* const place = followed(finished_++);
    if (place == nullptr) continue;
    ++closed;
    recorder_.begin_portion();
    const Connection& connection = *place->connection;
    close(*place, connection.ended() ? connection.end_cause() : CloseCause::capture_end);
    if (recorder_.events().size() >= enough_events) break;
  }
  return closed > 0;
}

void ConnectionTable::drop_all_closed() {
  shown_.reset();
  for (const ConnectionId id : closed_) places_.drop(id);
  closed_.clear();
}

ConnectionTable::Place* ConnectionTable::followed(ConnectionId id) {
  Place* const place = places_.find(id);
  if (place == nullptr || place->closed) return nullptr;
  if (!place->connection) {
    place->connection = unpacked(*place);
    ++woken_;
    place->rest.reset();
    place->used = true;
    note_awake(id);
  }
  return place;
}

const Connection* ConnectionTable::find(ConnectionId id) const {
  const Place* const place = places_.find(id);
  if (place == nullptr || place->connection) return place == nullptr ? nullptr : place->connection.get();
  if (!shown_ || shown_->state().id != id) shown_ = unpacked(*place);
  return shown_.get();
}

std::unique_ptr<Connection> ConnectionTable::unpacked(const Place& place) const {
  auto connection = std::make_unique<Connection>(options_, recorder_);
  base::Unpacker unpacker(place.rest.get());
  connection->pack(unpacker);
  return connection;
}

// Where too many are awake, one or two that were not used lately come to rest for it.
void ConnectionTable::note_awake(ConnectionId id) {
  for (int tries = 2; tries > 0 && !awake_.empty() && awake_.size() >= options_.max_awake; --tries) {
    const ConnectionId oldest = awake_.front();
    awake_.pop_front();
    Place* const place = places_.find(oldest);
    if (place != nullptr && !rest(*place)) awake_.push_back(oldest);
  }
  awake_.push_back(id);
}

bool ConnectionTable::is_busy(const Place& place) const noexcept {
  constexpr std::size_t few_octets = 1024;
  const std::uint64_t idle_for = taken_ - place.last_segment;
  return idle_for < options_.awake_segments && place.connection->held() > few_octets;
}

bool ConnectionTable::rest(Place& place) {
  if (!place.connection) return true;
  if (std::exchange(place.used, false)) return false;
  const ConnectionState& state = place.connection->state();
  if (state.side(Side::a).fpdus + state.side(Side::b).fpdus > 0) return true;  // it never will be
  if (is_busy(place) || state.closed) return false;
  base::Packer packer;
  place.connection->pack(packer);
  if (!packer.fits()) return false;
  lately_.forget(place);
  place.rest = packer.octets();
  place.connection.reset();
  return true;
}

}  // namespace iwarp
