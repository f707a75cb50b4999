// Sending, receiving and the capture point of a scripted conversation.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/conversation.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

// The longest payload of one packet: IPv4's total length has 16 bits.
constexpr std::size_t max_packet_payload = 65535 - 20 - 24;

// Sum of 16-bit words, first octet low, an odd last octet padded with zero.
std::uint64_t sum_of_words(ByteView octets) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    sum += static_cast<std::uint64_t>(octets[i]) << (i % 2 == 0 ? 0U : 8U);
  }
  return sum;
}

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "Conversation: %s\n", what);
  std::abort();
}

}  // namespace

Endpoint endpoint(const std::string& address, std::uint16_t port) {
  Endpoint result;
  result.port = port;
  const bool six = address.find(':') != std::string::npos;
  result.address.version = six ? 6 : 4;
  if (inet_pton(six ? AF_INET6 : AF_INET, address.c_str(), result.address.octets.data()) != 1) {
    give_up("no IP address");
  }
  return result;
}

TcpSegment OwnedSegment::segment() const {
  TcpSegment made = meta;
  made.payload = ByteView(octets).first(std::min(captured, octets.size()));
  made.wire_length = static_cast<std::uint32_t>(octets.size());
  made.payload_sum = sum_of_words(made.payload);
  const bool whole = made.payload.size() == octets.size();
  if (made.checksum == ChecksumStatus::unknown && whole) made.checksum = ChecksumStatus::good;
  if (!whole) made.checksum = ChecksumStatus::unknown;
  return made;
}

std::vector<Bytes> Cuts::apply(const Bytes& octets) const {
  std::vector<Bytes> out;
  std::size_t done = 0;
  for (std::size_t i = 0; done < octets.size(); ++i) {
    const std::size_t rest = repeat_ != 0 ? repeat_ : max_packet_payload;
    const std::size_t size = i < sizes_.size() ? sizes_[i] : rest;
    out.push_back(part(octets, done, size));
    done += size;
  }
  return out;
}

Conversation::Conversation(const Options& options) : options_(options) {
  sides_[0].endpoint = options.a;
  sides_[1].endpoint = options.b;
  sides_[0].isn = options.isn_a;
  sides_[1].isn = options.isn_b;
  sides_[1].next_ip_id = 0x8001;
}

// --- TCP -------------------------------------------------------------------------------------------------

Packets Conversation::handshake(const Handshake& handshake) {
  for (const Side side : {Side::a, Side::b}) {
    Peer& peer = sides_[index(side)];
    peer.isn = side == Side::a ? handshake.isn_a : handshake.isn_b;
    peer.fin_sent = false;
    peer.fin_received = false;
    peer.history.clear();
    peer.received.clear();
    peer.framing = FpduStream();
  }
  const Side opener = handshake.opener;
  const auto mss_of = [&](Side side) {
    return static_cast<std::uint16_t>(side == Side::a ? handshake.mss_a : handshake.mss_b);
  };
  const Packets syn = emit(opener, 0, handshake.syn_payload, tcp::syn);
  packet(syn).meta.sequence = sides_[index(opener)].isn;
  packet(syn).meta.mss = mss_of(opener);
  sides_[index(opener)].history = handshake.syn_payload;

  const Packets answer = emit(other(opener), 0, {}, tcp::syn | tcp::ack);
  packet(answer).meta.sequence = sides_[index(other(opener))].isn;
  packet(answer).meta.mss = mss_of(other(opener));
  emit(opener, sent(opener), {}, tcp::ack);
  return {syn.first, 3};
}

Packets Conversation::send(Side side, const Bytes& octets, const Cuts& cuts) {
  Bytes& history = sides_[index(side)].history;
  const StreamOffset offset = history.size();
  history.insert(history.end(), octets.begin(), octets.end());
  return emit_cut(side, offset, octets, cuts);
}

Packets Conversation::lose(Side side, const Bytes& octets, const Cuts& cuts) {
  delivering_ = false;
  const Packets packets = send(side, octets, cuts);
  delivering_ = true;
  drop(packets);
  return packets;
}

Packets Conversation::ack(Side side) {
  const Peer& peer = sides_[index(side)];
  return emit(side, peer.history.size() + (peer.fin_sent ? 1 : 0), {}, tcp::ack);
}

Packets Conversation::ack(Side side, StreamOffset octets) {
  const Packets packets = ack(side);
  packet(packets).meta.acknowledgement =
      static_cast<std::uint32_t>(sides_[index(other(side))].isn + 1 + octets);
  return packets;
}

Packets Conversation::fin(Side side) {
  Peer& peer = sides_[index(side)];
  const Packets packets = emit(side, peer.history.size(), {}, tcp::fin | tcp::ack);
  peer.fin_sent = true;
  peer.fin_received = delivering_;
  return packets;
}

Packets Conversation::rst(Side side) {
  return emit(side, sent(side), {}, tcp::rst | tcp::ack);
}

Packets Conversation::close(Side first) {
  const Packets packets = fin(first);
  fin(other(first));
  ack(first);
  return {packets.first, 3};
}

Packets Conversation::resend(Packets packets) {
  const Packets sent_again{planned_.size(), packets.count};
  for (std::size_t i = 0; i < packets.count; ++i) {
    const Planned before = planned_.at(packets.first + i);
    OwnedSegment& again =
        packet(emit(before.side, before.offset, before.owned.octets, before.owned.meta.flags));
    again.meta.sequence = before.owned.meta.sequence;
    again.meta.mss = before.owned.meta.mss;
  }
  return sent_again;
}

Packets Conversation::resend(Side side, StreamOffset from, std::size_t count, const Cuts& cuts) {
  return emit_cut(side, from, part(sides_[index(side)].history, from, count), cuts);
}

Packets Conversation::inject(Side side, StreamOffset at, const Bytes& octets) {
  delivering_ = false;
  const Packets packets = emit(side, at, octets, tcp::ack);
  delivering_ = true;
  return packets;
}

// --- MPA -------------------------------------------------------------------------------------------------

Packets Conversation::startup(const Startup& request, const Startup& reply, Side initiator) {
  const Packets packets = send(initiator, request_frame(request));
  send(other(initiator), reply_frame(reply));
  full_operation(request, reply, initiator);
  return {packets.first, 2};
}

void Conversation::full_operation(const Startup& request, const Startup& reply, Side initiator) {
  const Framing framing{.crc = request.crc || reply.crc ? Crc::right : Crc::unused};
  // M asks the peer of its sender for markers (RFC 5044 §7.1.1).
  stream(initiator) = FpduStream(reply.markers ? Markers::on : Markers::off, 0, framing);
  stream(other(initiator)) = FpduStream(request.markers ? Markers::on : Markers::off, 0, framing);
}

Packets Conversation::fpdu(Side side, const Bytes& ulpdu, const Cuts& cuts) {
  return send(side, frame(side, ulpdu), cuts);
}

Packets Conversation::fpdu(Side side, const Bytes& ulpdu, const Framing& framing, const Cuts& cuts) {
  return send(side, frame(side, ulpdu, framing), cuts);
}

Packets Conversation::fpdus(Side side, const std::vector<Bytes>& ulpdus) {
  Packets packets{planned_.size(), 0};
  for (const Bytes& ulpdu : ulpdus) packets.count += fpdu(side, ulpdu).count;
  return packets;
}

Packets Conversation::packed(Side side, const std::vector<Bytes>& ulpdus, const Cuts& cuts) {
  Bytes octets;
  for (const Bytes& ulpdu : ulpdus) octets = cat(octets, frame(side, ulpdu));
  return send(side, octets, cuts);
}

// --- sending and receiving -------------------------------------------------------------------------------

Packets Conversation::emit_cut(Side side, StreamOffset offset, const Bytes& octets, const Cuts& cuts) {
  Packets packets{planned_.size(), 0};
  for (const Bytes& piece : cuts.apply(octets)) {
    emit(side, offset, piece, tcp::ack | tcp::psh);
    offset += piece.size();
    ++packets.count;
  }
  return packets;
}

Packets Conversation::emit(Side side, StreamOffset offset, const Bytes& octets, std::uint8_t flags) {
  Peer& peer = sides_[index(side)];
  if (octets.size() > max_packet_payload) give_up("too much for one packet");
  const std::size_t id = planned_.size();
  Planned made;
  made.side = side;
  made.offset = offset;
  TcpSegment& meta = made.owned.meta;
  meta.source = peer.endpoint;
  meta.destination = sides_[index(other(side))].endpoint;
  meta.network = options_.network;
  meta.sequence = static_cast<std::uint32_t>(peer.isn + 1 + offset);
  meta.acknowledgement = (flags & tcp::ack) != 0 ? acknowledgement(side) : 0;
  meta.window = peer.window;
  meta.flags = flags;
  made.owned.octets = octets;
  made.owned.ip_id = peer.next_ip_id++;
  if (snaplen_ != 0) {
    const std::size_t headers = headers_size(meta);
    made.owned.captured = snaplen_ > headers ? snaplen_ - headers : 0;
  }
  made.gap_ns = options_.step_ns + std::exchange(waited_ns_, 0);
  made.captured = peer.captured;
  made.transmission = id + 1;
  planned_.push_back(std::move(made));
  order_.push_back(id);
  if (delivering_) receive(peer, offset, offset + octets.size());
  return {id, 1};
}

void Conversation::receive(Peer& sender, StreamOffset from, StreamOffset to) {
  if (from == to) return;
  auto& ranges = sender.received;
  ranges.emplace_back(from, to);
  std::ranges::sort(ranges);
  std::vector<std::pair<StreamOffset, StreamOffset>> merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

StreamOffset Conversation::in_order(Side receiver) const {
  const Peer& sender = sides_[index(other(receiver))];
  if (sender.received.empty() || sender.received.front().first != 0) return 0;
  return sender.received.front().second;
}

std::uint32_t Conversation::acknowledgement(Side side) const {
  const Peer& sender = sides_[index(other(side))];
  const StreamOffset octets = in_order(side);
  const bool with_fin = sender.fin_received && octets == sender.history.size();
  return static_cast<std::uint32_t>(sender.isn + 1 + octets + (with_fin ? 1 : 0));
}

}  // namespace iwarp::test
