// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/association_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "state/fold.hpp"

namespace iwarp {
namespace {

// What decides which association a packet belongs to: of an INIT that its tag is new.
struct Opening {
  std::optional<sctp::Init> init;
  bool answers = false;  // INIT ACK
};

Opening opening_of(const SctpPacket& packet) noexcept {
  sctp::ChunkReader chunks(packet);
  const auto first = chunks.next();  // neither is bundled with others (RFC 9260 §6.10)
  if (!first) return {};
  const bool answers = first->type == sctp::ChunkType::init_ack;
  if (first->type != sctp::ChunkType::init && !answers) return {};
  return {sctp::parse_init(*first), answers};
}

// A packet that ends its association may reflect the peer's tag (T, RFC 9260 §8.5.1).
bool reflects_tag(const SctpPacket& packet) noexcept {
  sctp::ChunkReader chunks(packet);
  const auto first = chunks.next();
  return first && (first->flags & 1U) != 0 &&
         (first->type == sctp::ChunkType::abort || first->type == sctp::ChunkType::shutdown_complete);
}

std::uint32_t ports_of(const Endpoint& source, const Endpoint& destination) noexcept {
  return std::uint32_t{source.port} << 16U | destination.port;
}

}  // namespace

AssociationTable::Entries::iterator AssociationTable::find(const SctpPacket& packet, Side& side) {
  const auto by_addresses = by_addresses_.find({packet.source, packet.destination, packet.network});
  if (by_addresses != by_addresses_.end()) {
    const auto& [a, b] = by_addresses->second->endpoints;
    side = (a.port != b.port ? packet.source.port == a.port : equal(packet.source, a)) ? Side::a : Side::b;
    return by_addresses->second;
  }
  const std::uint32_t tag = sctp::verification_tag(packet);
  const auto by_tag = by_tag_.find({ports_of(packet.source, packet.destination), tag, packet.network});
  if (tag == 0 || by_tag == by_tag_.end()) return entries_.end();
  constexpr std::size_t most_paths = 64;
  const auto& [entry, sender] = by_tag->second;
  side = sender;
  if (entry->keys.size() < most_paths) {
    entry->keys.emplace_back(packet.source, packet.destination, packet.network);
    by_addresses_[entry->keys.back()] = entry;
  }
  return entry;
}

bool AssociationTable::find_or_make(const SctpPacket& packet, Side& side) {
  const Opening opening = opening_of(packet);
  const auto entry = find(packet, side);
  if (entry == entries_.end()) {
    make(packet, side, opening.answers);
    return true;
  }
  const sctp::Association& known = entry->association;
  const std::uint32_t tag = sctp::verification_tag(packet);
  const bool fits = opening.init
                        ? !known.is_foreign(side, *opening.init)
                        : known.takes(side, tag) || (reflects_tag(packet) && known.takes(other(side), tag));
  if (!fits) {
    // Where both tags are certain its receiver drops the packet (RFC 9260 §8.5).
    const bool certain = known.half(Side::a).init && known.half(Side::b).init && !entry->over;
    if (!opening.init && certain) return false;
    end(entry, CloseCause::reused);
    make(packet, side, opening.answers);
    return true;
  }
  if (entry->over) return false;  // it was on its way when the association ended
  entries_.splice(entries_.end(), entries_, entry);
  return true;
}

void AssociationTable::make(const SctpPacket& packet, Side& side, bool answers) {
  while (entries_.size() >= options_.max_connections) evict_one(Phrase::connections);
  Entry& entry = entries_.emplace_back(options_.max_buffered_octets);
  side = answers ? Side::b : Side::a;
  entry.endpoints[index(side)] = packet.source;
  entry.endpoints[index(other(side))] = packet.destination;
  entry.keys.emplace_back(packet.source, packet.destination, packet.network);
  by_addresses_[entry.keys.back()] = std::prev(entries_.end());
}

// REQUIRES: the entry is the last.
void AssociationTable::note_tags(Entry& entry, std::uint32_t network) {
  for (const Side side : {Side::a, Side::b}) {
    const auto& tag = entry.association.half(side).tag;
    if (!tag || (entry.tags[index(side)] && entry.tags[index(side)]->tag == *tag)) continue;
    if (entry.tags[index(side)]) by_tag_.erase(*entry.tags[index(side)]);
    const std::uint32_t ports = ports_of(entry.endpoints[index(side)], entry.endpoints[index(other(side))]);
    const TagKey key{ports, *tag, network};
    if (by_tag_.try_emplace(key, std::prev(entries_.end()), side).second) entry.tags[index(side)] = key;
  }
}

void AssociationTable::take(const SctpPacket& packet) {
  Side side = Side::a;
  if (!find_or_make(packet, side)) return;
  Entry& entry = entries_.back();
  const std::size_t fragments_before = entry.association.waiting();
  const sctp::Association::End ends = entry.association.take(side, packet);
  const std::size_t more = entry.association.waiting() - fragments_before;  // may wrap, and back
  entry.octets_waiting += more;
  waiting_ += more;
  note_tags(entry, packet.network);
  take_acknowledgements(entry);
  for (sctp::UserMessage& message : entry.association.messages()) {
    take_message(entry, side, std::move(message));
  }
  give_up_old_holes(entry);
  limit_waiting(entry);
  if (ends == sctp::Association::End::none) return;
  const Placement placed{packet.frame, packet.time_ns};
  for (const auto& [stream, session] : entry.sessions) {
    change(entry, stream, *session, [&, &session = *session] {
      ends == sctp::Association::End::aborted ? session.abort(side, placed) : session.shut_down(side, placed);
    });
  }
  close_all(entry, CloseCause::fin);
  entry.over = true;
}

template <typename Step>
void AssociationTable::change(Entry& entry, std::uint16_t stream, DdpSession& session, const Step& step) {
  const std::size_t before = session.waiting();
  step();
  const std::size_t change = session.waiting() - before;  // may wrap, and back
  entry.octets_waiting += change;
  waiting_ += change;
  if (session.waiting() != 0) {
    entry.waiting.insert(stream);
  } else {
    entry.waiting.erase(stream);
  }
}

void AssociationTable::take_message(Entry& entry, Side side, sctp::UserMessage&& message) {
  const std::uint16_t stream = message.stream;
  const bool ddp = message.ppid == wire::ppid_ddp_segment || message.ppid == wire::ppid_session_control;
  if (!ddp) {
    // Of an association that shows no sign of DDP it is nobody's business.
    const auto& init = entry.association.half(side).init;
    const bool negotiated = init && init->adaptation == wire::adaptation_ddp;
    if (entry.sessions.empty() && !negotiated) return;
    session_of(entry, side, message).add_foreign(side, message);
  } else if (message.octets.size() >= wire::ddp_ssn_size) {  // its place is known
    constexpr std::size_t most = 32768;
    auto& unacknowledged = entry.unacknowledged[index(side)];
    if (unacknowledged.size() == most) unacknowledged.erase(unacknowledged.begin());
    unacknowledged.emplace(message.tsn, stream);
    const std::uint16_t ssn = load_be16(message.octets.data());
    DdpSession& session = session_of(entry, side, message);
    change(entry, stream, session, [&] { session.add(side, ssn, std::move(message)); });
  } else {
    entry.association.note_unreadable(side);
  }
}

void AssociationTable::take_acknowledgements(Entry& entry) {
  for (const Side side : {Side::a, Side::b}) {
    const auto& acknowledged = entry.association.half(side).acknowledged;
    auto& left = entry.unacknowledged[index(side)];
    while (acknowledged && !left.empty() && left.begin()->first <= *acknowledged) {
      const auto session = entry.sessions.find(left.begin()->second);
      left.erase(left.begin());
      if (session != entry.sessions.end()) session->second->acknowledge(other(side));
    }
  }
}

// Of some at a time, where very many wait.
void AssociationTable::give_up_old_holes(Entry& entry) {
  for (std::size_t left = std::min<std::size_t>(entry.waiting.size(), 64); left > 0 && !entry.waiting.empty();
       --left) {
    auto next = entry.waiting.upper_bound(entry.looked_at);
    if (next == entry.waiting.end()) next = entry.waiting.begin();
    entry.looked_at = *next;
    DdpSession& session = *entry.sessions.at(*next);
    change(entry, entry.looked_at, session, [&] { session.give_up_old_holes(); });
  }
}

// A session begins with DDP-SSN 0 (RFC 5043 §6.1): with an Initiate, or with the answer where that was not
// captured.
DdpSession& AssociationTable::session_of(Entry& entry, Side side, const sctp::UserMessage& message) {
  const bool control =
      message.ppid == wire::ppid_session_control && message.octets.size() >= wire::session_header_size;
  const auto function =
      control ? static_cast<wire::SessionFunction>(load_be16(message.octets.data() + wire::ddp_ssn_size))
              : wire::SessionFunction{};
  const bool initiates = wire::is_initiate(function);
  const bool answers = wire::is_accept(function) || wire::is_reject(function);
  const bool first = control && load_be16(message.octets.data()) == 0 && (initiates || answers);
  const auto known = entry.sessions.find(message.stream);
  if (known == entry.sessions.end()) return begin_session(entry, message.stream, first);
  DdpSession& session = *known->second;
  const bool begins = first && session.has_first(side) && (initiates || session.over());
  return begins ? begin_session(entry, message.stream, true) : session;
}

DdpSession& AssociationTable::begin_session(Entry& entry, std::uint16_t stream, bool from_start) {
  DdpSession::Origin origin;
  origin.endpoints = entry.endpoints;
  origin.stream = {stream, ++entry.session_counts[stream]};
  origin.from_start = from_start;
  if (const auto known = entry.sessions.find(stream); known != entry.sessions.end()) {
    DdpSession& last = *known->second;
    change(entry, stream, last, [&] { last.read_all(); });
    origin.last_open = !last.over();
    origin.doubt_of_last = last.doubt_of_end();
    close(entry, stream, CloseCause::reused);
  }
  make_room(entry);
  const ConnectionId id = next_id_();
  auto& place = entry.sessions[stream];
  place = std::make_unique<DdpSession>(id, origin, entry.association, options_, recorder_);
  open_.emplace(id, Open{std::prev(entries_.end()), stream});
  return *place;
}

void AssociationTable::close(Entry& entry, std::uint16_t stream, CloseCause otherwise) {
  const auto place = entry.sessions.find(stream);
  std::unique_ptr<DdpSession> session = std::move(place->second);
  entry.sessions.erase(place);
  change(entry, stream, *session, [&] { session->close(otherwise); });
  entry.octets_waiting -= session->waiting();
  waiting_ -= session->waiting();
  entry.waiting.erase(stream);
  const ConnectionId id = session->state().id;
  open_.erase(id);
  closed_.emplace(id, std::move(session));
}

void AssociationTable::close_all(Entry& entry, CloseCause cause) {
  while (!entry.sessions.empty()) close(entry, entry.sessions.begin()->first, cause);
}

void AssociationTable::end(Entries::iterator entry, CloseCause cause) {
  close_all(*entry, cause);
  waiting_ -= entry->octets_waiting;
  for (const ConnectionKey& key : entry->keys) by_addresses_.erase(key);
  for (const auto& tag : entry->tags) {
    if (tag) by_tag_.erase(*tag);
  }
  entries_.erase(entry);
}

void AssociationTable::close_first() {
  const auto& [entry, stream] = open_.begin()->second;
  close(*entry, stream, CloseCause::capture_end);
}

// REQUIRES: the entry is the last.
void AssociationTable::make_room(Entry& entry) {
  while (open_.size() >= options_.max_connections && !open_.empty()) {
    if (&entries_.front() != &entry) {
      evict_one(Phrase::connections);
      continue;
    }
    const std::uint16_t stream = open_.begin()->second.stream;
    entry.sessions.at(stream)->note_let_go(Phrase::connections);
    close(entry, stream, CloseCause::evicted);
  }
}

void AssociationTable::evict_one(Phrase limit) {
  const auto oldest = entries_.begin();
  for (const auto& [stream, session] : oldest->sessions) {
    session->note_let_go(limit);
    if (limit != Phrase::memory) continue;
    change(*oldest, stream, *session, [&session = *session] { session.forget_waiting(); });
  }
  end(oldest, CloseCause::evicted);
}

void AssociationTable::evict(std::size_t sessions) {
  const std::size_t left = followed() - std::min(sessions, followed());
  while (!entries_.empty() && (followed() > left || entries_.front().sessions.empty()))
    evict_one(Phrase::memory);
}

const DdpSession* AssociationTable::find(ConnectionId id) const noexcept {
  if (const auto open = open_.find(id); open != open_.end()) {
    const auto& [entry, stream] = open->second;
    return entry->sessions.find(stream)->second.get();
  }
  const auto closed = closed_.find(id);
  return closed == closed_.end() ? nullptr : closed->second.get();
}

void AssociationTable::limit_waiting(Entry& entry) {
  if (waiting_ <= options_.max_total_buffered) return;
  for (const auto& [stream, session] : entry.sessions) {
    change(entry, stream, *session,
           [&session = *session, this] { session.release_buffers(options_.max_total_buffered); });
  }
  const std::size_t fragments = entry.association.waiting();
  entry.association.forget_waiting();
  entry.octets_waiting -= fragments;
  waiting_ -= fragments;
}

}  // namespace iwarp
