// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/connection_table.hpp"

#include <algorithm>
#include <cstring>

namespace iwarp {
namespace {

using EndpointWords = std::array<std::uint64_t, 3>;

EndpointWords words_of(const Endpoint& endpoint) noexcept {
  EndpointWords words;
  std::memcpy(words.data(), endpoint.address.octets.data(), endpoint.address.octets.size());
  words[2] = std::uint64_t{endpoint.address.version} << 16U | endpoint.port;
  return words;
}

// What == says; that of std::array calls memcmp().
template <std::size_t N>
bool equal(const std::array<std::uint64_t, N>& one, const std::array<std::uint64_t, N>& another) noexcept {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < N; ++i) difference |= one[i] ^ another[i];
  return difference == 0;
}

bool equal(const Endpoint& one, const Endpoint& another) noexcept {
  return equal(words_of(one), words_of(another));
}

}  // namespace

bool ConnectionTable::Key::operator==(const Key& another) const noexcept {
  return equal(words, another.words);
}

std::size_t ConnectionTable::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key.words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

ConnectionTable::Key ConnectionTable::key_of(const Endpoint& one, const Endpoint& another,
                                             std::uint32_t network) noexcept {
  EndpointWords low = words_of(one);
  EndpointWords high = words_of(another);
  if (high < low) std::swap(low, high);
  return {{low[0], low[1], low[2] | std::uint64_t{network} << 32U, high[0], high[1], high[2]}};
}

// A SYN that is neither the connection's own nor a repetition of it. A SYN of the other side opens the same
// connection while that side's is not known (the SYN+ACK, or a simultaneous open).
bool ConnectionTable::begins_anew(const Connection& connection, const TcpSegment& segment) noexcept {
  if ((segment.flags & tcp::syn) == 0) return false;
  const Side side = connection.side_of(segment.source);
  if (connection.syn_seen(side)) return connection.syn_sequence(side) != segment.sequence;
  if ((segment.flags & tcp::ack) == 0) {
    // On a connection that has ended, or of which only later octets, or only the other side, were seen.
    if (connection.ended() || connection.foreign_syn(side, segment.sequence)) return true;
    return !connection.started(side) && !connection.syn_seen(other(side));
  }
  if (!connection.syn_seen(other(side))) return connection.foreign_syn(side, segment.sequence);
  // It answers the SYN seen, and maybe octets in it (RFC 7413).
  constexpr std::uint32_t max_syn_octets = 0xffff;
  return segment.acknowledgement - connection.syn_sequence(other(side)) - 1 > max_syn_octets;
}

bool ConnectionTable::is_of_last(const TcpSegment& segment) const noexcept {
  if (last_ == nullptr || segment.network != last_network_) return false;
  if (equal(segment.source, last_source_)) return equal(segment.destination, last_destination_);
  return equal(segment.source, last_destination_) && equal(segment.destination, last_source_);
}

// The connection in another network whose missing direction the segment is of.
Connection* ConnectionTable::other_direction(const TcpSegment& segment) {
  const auto known = ids_in_any_network_.find(key_of(segment.source, segment.destination, 0));
  if (known == ids_in_any_network_.end()) return nullptr;
  Connection* const connection = followed(known->second);
  if (connection == nullptr) return nullptr;
  if (!connection->is_answered_by(segment)) {
    if (connection != last_) put_to_sleep(known->second);
    return nullptr;
  }
  const Key key = key_of(segment);
  ids_[key] = known->second;
  remember(key);
  return connection;
}

Connection* ConnectionTable::take(const TcpSegment& segment) {
  shown_.reset();
  let_go_ended(segment.time_ns);
  Connection* connection = is_of_last(segment) ? last_ : nullptr;
  if (connection == nullptr) {
    if (const auto known = ids_.find(key_of(segment)); known != ids_.end()) {
      connection = followed(known->second);
      if (connection == nullptr && (segment.flags & tcp::syn) == 0) return nullptr;
    } else {
      connection = other_direction(segment);
    }
  }
  if (connection != nullptr && begins_anew(*connection, segment)) {
    let_go(connection->state().id, CloseCause::reused);
    connection = nullptr;
  }
  if (connection == nullptr) connection = make(key_of(segment), segment);
  if (connection != last_) {
    if (last_ != nullptr) put_to_sleep(last_->state().id);
    last_ = connection;
    last_source_ = segment.source;
    last_destination_ = segment.destination;
    last_network_ = segment.network;
  }
  if (Place& place = places_[connection->state().id]; place.quiet) note_quiet(place, segment);
  const bool had_ended = connection->ended();
  const std::size_t buffered_before = connection->buffered();
  connection->add(segment);
  buffered_ += connection->buffered() - buffered_before;
  if (buffered_ > options_.max_total_buffered) {
    buffered_ -= connection->buffered();
    connection->release_buffers();
    buffered_ += connection->buffered();
  }
  if (!had_ended && connection->ended())
    ended_.push_back({connection->state().id, key_of(segment), segment.time_ns});
  return connection;
}

Connection* ConnectionTable::make(const Key& key, const TcpSegment& segment) {
  if (followed_ >= options_.max_connections) evict_one();
  const ConnectionId id = count();
  Place& place = places_.emplace_back();
  place.connection = std::make_unique<Connection>(id, segment, options_, recorder_);
  if (!options_.keep_log) place.quiet = std::make_unique<Quiet>();
  ++followed_;
  ids_[key] = id;
  ids_in_any_network_[key_of(segment.source, segment.destination, 0)] = id;
  in_order_.push_back({id, key});
  return place.connection.get();
}

// Makes room: an ended connection, else the oldest that was idle since this was last asked for.
void ConnectionTable::evict_one() {
  if (!ended_.empty()) {
    let_go_ended(ended_.front().since_ns + linger_ns + 1);
    if (followed_ < options_.max_connections) return;
  }
  constexpr int second_chances = 8;
  for (int chance = 0; !in_order_.empty();) {
    const Followed oldest = in_order_.front();
    in_order_.pop_front();
    if (!is_followed(oldest.id)) continue;
    const bool busy = last_time_ns(oldest.id) + linger_ns > recorder_.time_ns();
    if (busy && chance++ < second_chances) {
      in_order_.push_back(oldest);
      continue;
    }
    let_go(oldest.id, CloseCause::evicted);
    remember(oldest.key);
    return;
  }
}

void ConnectionTable::let_go(ConnectionId id, CloseCause cause) {
  Connection* connection = followed(id);
  if (connection == nullptr) return;
  buffered_ -= connection->buffered();
  connection->close(cause);
  if (Place& place = places_[id]; place.quiet) place.quiet->closed = cause;
  const auto& [a, b] = connection->state().endpoints;
  const auto latest = ids_in_any_network_.find(key_of(a, b, 0));
  if (latest != ids_in_any_network_.end() && latest->second == id) ids_in_any_network_.erase(latest);
  --followed_;
  if (last_ == connection) last_ = nullptr;
  closed_.push_back(id);
  while (!in_order_.empty() && !is_followed(in_order_.front().id)) in_order_.pop_front();
}

void ConnectionTable::let_go_first_ended() {
  const Ended ended = ended_.front();
  ended_.pop_front();
  const auto known = ids_.find(ended.key);
  if (known == ids_.end() || known->second != ended.id) return;  // its addresses were reused
  if (const Connection* connection = followed(ended.id)) let_go(ended.id, connection->end_cause());
  remember(ended.key);
}

void ConnectionTable::remember(const Key& key) {
  remembered_.push_back(key);
  if (remembered_.size() <= max_remembered) return;
  const auto oldest = ids_.find(remembered_.front());
  if (oldest != ids_.end() && !is_followed(oldest->second)) ids_.erase(oldest);
  remembered_.pop_front();
}

void ConnectionTable::finish() {
  shown_.reset();
  for (ConnectionId id = 0; id < count(); ++id) {
    if (const Connection* connection = followed(id)) {
      let_go(id, connection->ended() ? connection->end_cause() : CloseCause::capture_end);
      put_to_sleep(id);
    }
  }
}

void ConnectionTable::drop_all_closed() {
  for (const ConnectionId id : closed_) places_[id] = Place();
  closed_.clear();
}

// Before the segment is added.
void ConnectionTable::note_quiet(Place& place, const TcpSegment& segment) {
  std::vector<TcpSegment>& segments = place.quiet->segments;
  if (segment.wire_length > 0 || segments.size() == Quiet::max_segments) {
    place.quiet.reset();
    return;
  }
  segments.push_back(segment);
  segments.back().payload = {};
}

// The same segments give the same connection; what they told was recorded.
std::unique_ptr<Connection> ConnectionTable::made_again(ConnectionId id) const {
  const Quiet& quiet = *places_[id].quiet;
  const Recorder::Repetition repetition(recorder_);
  const FrameNumber frame = recorder_.frame();
  const TimeNs time_ns = recorder_.time_ns();
  auto connection = std::make_unique<Connection>(id, quiet.segments.front(), options_, recorder_);
  for (const TcpSegment& segment : quiet.segments) {
    recorder_.begin_frame(segment.frame, segment.time_ns);
    connection->add(segment);
  }
  recorder_.begin_frame(frame, time_ns);
  if (quiet.closed) connection->close(*quiet.closed);
  return connection;
}

void ConnectionTable::put_to_sleep(ConnectionId id) {
  Place& place = places_[id];
  if (place.quiet) place.connection.reset();
}

bool ConnectionTable::is_followed(ConnectionId id) const noexcept {
  const Place& place = places_[id];
  return place.connection ? !place.connection->closed() : place.quiet && !place.quiet->closed;
}

TimeNs ConnectionTable::last_time_ns(ConnectionId id) const noexcept {
  const Place& place = places_[id];
  return place.connection ? place.connection->last_time_ns() : place.quiet->segments.back().time_ns;
}

Connection* ConnectionTable::followed(ConnectionId id) {
  if (!is_followed(id)) return nullptr;
  Place& place = places_[id];
  if (!place.connection) place.connection = made_again(id);
  return place.connection.get();
}

const Connection* ConnectionTable::find(ConnectionId id) const {
  if (id >= places_.size()) return nullptr;
  const Place& place = places_[id];
  if (place.connection || !place.quiet) return place.connection.get();
  if (!shown_ || shown_->state().id != id) shown_ = made_again(id);
  return shown_.get();
}

}  // namespace iwarp
