// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/socket_recorder.hpp"

#include <algorithm>

#include "transport/frame.hpp"
#include "transport/random.hpp"

namespace iwarp::replay {

SocketRecorder::SocketRecorder(CapturePoint& point, std::uint64_t seed) : point_(point) {
  Random random(seed);
  for (Side* const side : {&own_, &peer_}) {
    side->initial_sequence = static_cast<std::uint32_t>(random.next());
    side->identification = static_cast<std::uint16_t>(random.next());
  }
}

void SocketRecorder::begin(const Endpoint& local, const Endpoint& peer) {
  own_.endpoint = local;
  peer_.endpoint = peer;
  open_ = true;
}

void SocketRecorder::established(const Endpoint& local, const Endpoint& peer, bool opened_here,
                                 const SegmentSizes& sizes, TimeNs now) {
  begin(local, peer);
  max_segment_ = std::clamp<std::size_t>(sizes.sent, 1, max_frame_payload);
  const std::size_t advertised = std::clamp<std::size_t>(sizes.advertised, 1, max_frame_payload);
  Side& opener = opened_here ? own_ : peer_;
  Side& other = opened_here ? peer_ : own_;
  // A SYN's option limits the other side's segments (RFC 9293 §3.7.1): the peer's tells of ours.
  const auto option = [&](const Side& side) { return &side == &own_ ? advertised : max_segment_; };
  write_syn(opener, other, tcp::syn, option(opener), now);
  write_syn(other, opener, tcp::syn | tcp::ack, option(other), now);
  write(opener, other, tcp::ack, {}, now);
}

void SocketRecorder::refused(const Endpoint& local, const Endpoint& peer, TimeNs now) {
  begin(local, peer);
  write_syn(own_, peer_, tcp::syn, max_frame_payload, now);
  packet_.clear();
  packet_.source = peer;
  packet_.destination = local;
  packet_.acknowledgement = own_.initial_sequence + 1;
  packet_.flags = tcp::rst | tcp::ack;
  packet_.identification = ++peer_.identification;
  point_.captured(packet_, now);
  open_ = false;
}

void SocketRecorder::write_syn(Side& from, const Side& to, std::uint8_t flags, std::size_t max_segment,
                               TimeNs now) {
  packet_.clear();
  packet_.source = from.endpoint;
  packet_.destination = to.endpoint;
  packet_.sequence = from.initial_sequence;
  packet_.flags = flags;
  if ((flags & tcp::ack) != 0) packet_.acknowledgement = to.initial_sequence + 1;
  packet_.window = 0xffff;
  packet_.max_segment = static_cast<std::uint16_t>(max_segment);
  packet_.identification = ++from.identification;
  point_.captured(packet_, now);
}

void SocketRecorder::write(Side& from, const Side& to, std::uint8_t flags, ByteView octets, TimeNs now) {
  packet_.clear();
  packet_.source = from.endpoint;
  packet_.destination = to.endpoint;
  packet_.sequence = from.initial_sequence + 1 + static_cast<std::uint32_t>(from.next);
  packet_.acknowledgement = to.initial_sequence + 1 + static_cast<std::uint32_t>(from.acknowledged);
  packet_.flags = flags;
  packet_.window = 0xffff;
  packet_.identification = ++from.identification;
  packet_.payload.assign(octets.begin(), octets.end());
  from.next += octets.size() + (packet_.has(tcp::fin) ? 1 : 0);
  point_.captured(packet_, now);
}

void SocketRecorder::write_octets(Side& from, const Side& to, ByteView octets, std::size_t size, TimeNs now) {
  while (!octets.empty()) {
    const ByteView segment = octets.first(std::min(size, octets.size()));
    octets = octets.subspan(segment.size());
    write(from, to, octets.empty() ? tcp::ack | tcp::psh : tcp::ack, segment, now);
  }
}

void SocketRecorder::sent(ByteView octets, TimeNs now) {
  if (open_) write_octets(own_, peer_, octets, max_segment_, now);
}

void SocketRecorder::received(ByteView octets, TimeNs now) {
  if (!open_) return;
  write_octets(peer_, own_, octets, max_frame_payload, now);
  own_.acknowledged = peer_.next;
  write(own_, peer_, tcp::ack, {}, now);
}

void SocketRecorder::finished(TimeNs now) {
  if (!open_ || own_.finished) return;
  write(own_, peer_, tcp::fin | tcp::ack, {}, now);
  own_.finished = true;
}

void SocketRecorder::peer_finished(TimeNs now) {
  if (!open_ || peer_.finished) return;
  write(peer_, own_, tcp::fin | tcp::ack, {}, now);
  peer_.finished = true;
  own_.acknowledged = peer_.next;
  write(own_, peer_, tcp::ack, {}, now);
}

void SocketRecorder::reset(TimeNs now) {
  if (!open_) return;
  write(own_, peer_, tcp::rst | tcp::ack, {}, now);
  open_ = false;
}

void SocketRecorder::peer_reset(TimeNs now) {
  if (!open_) return;
  write(peer_, own_, tcp::rst | tcp::ack, {}, now);
  open_ = false;
}

void SocketRecorder::peer_acknowledged(std::uint64_t outstanding, TimeNs now) {
  if (!open_ || outstanding > own_.next) return;
  const std::uint64_t acknowledged = own_.next - outstanding;
  if (acknowledged <= peer_.acknowledged) return;
  peer_.acknowledged = acknowledged;
  write(peer_, own_, tcp::ack, {}, now);
}

void SocketRecorder::ended(TimeNs now) {
  if (own_.finished && peer_.finished) peer_acknowledged(0, now);
  open_ = false;
}

}  // namespace iwarp::replay
