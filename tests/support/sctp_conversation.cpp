// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/sctp_conversation.hpp"

#include <algorithm>

#include "support/put.hpp"

namespace iwarp::test {
namespace {

constexpr std::size_t common_header = 12;

Bytes padded(Bytes octets) {
  octets.resize((octets.size() + 3) / 4 * 4);
  return octets;
}

Bytes address_of(const IpAddress& address) {
  return part(address.octets, 0, address.version == 4 ? 4 : 16);
}

}  // namespace

SctpPacket OwnedPacket::packet() const {
  SctpPacket packet = meta;
  packet.octets = ByteView(octets).first(std::min(captured, octets.size()));
  packet.wire_length = static_cast<std::uint32_t>(octets.size());
  return packet;
}

void set_checksum(Bytes& packet) {
  std::fill_n(packet.begin() + 8, 4, Byte{0});
  store_le32(packet.data() + 8, bitwise_crc32c(packet));
}

SctpConversation::SctpConversation(const Options& options)
    : options_(options), tsns_{options.tsn_a, options.tsn_b}, now_ns_(options.start_ns) {}

Bytes SctpConversation::chunk(unsigned type, unsigned flags, const Bytes& value) const {
  Bytes out;
  put8(out, type);
  put8(out, flags);
  put16(out, static_cast<unsigned>(4 + value.size()));
  return padded(cat(out, value));
}

Bytes SctpConversation::data(Side side, unsigned stream, std::uint32_t ppid, const Bytes& user,
                             const DataField& field) {
  Bytes value;
  put32(value, field.tsn.value_or(tsns_[index(side)]));
  if (!field.tsn) ++tsns_[index(side)];
  put16(value, stream);
  put16(value, 0);  // SCTP's own stream sequence number: of ordered chunks
  put32(value, ppid);
  return chunk(0, field.flags, cat(value, user));
}

Bytes SctpConversation::segment(Side side, unsigned stream, const Bytes& ulpdu, const DataField& field) {
  Bytes user;
  put16(user, field.ssn ? *field.ssn : ssns_[{side, stream}]++ & 0xffffU);
  return data(side, stream, ddp_segment_ppid, cat(user, ulpdu), field);
}

Bytes SctpConversation::control(Side side, unsigned stream, unsigned function, const Bytes& private_data,
                                const DataField& field) {
  Bytes user;
  put16(user, field.ssn ? *field.ssn : ssns_[{side, stream}]++ & 0xffffU);
  put16(user, function);
  return data(side, stream, session_control_ppid, cat(user, private_data), field);
}

std::vector<Bytes> SctpConversation::fragments(Side side, unsigned stream, const Bytes& ulpdu,
                                               std::size_t size) {
  Bytes user;
  put16(user, ssns_[{side, stream}]++ & 0xffffU);
  user = cat(user, ulpdu);
  std::vector<Bytes> chunks;
  for (std::size_t at = 0; at < user.size(); at += size) {
    const unsigned begins = at == 0 ? 2 : 0;
    const unsigned ends = at + size >= user.size() ? 1 : 0;
    chunks.push_back(
        data(side, stream, ddp_segment_ppid, part(user, at, size), {.flags = 4U | begins | ends}));
  }
  return chunks;
}

Bytes SctpConversation::init(Side side, std::optional<std::uint32_t> adaptation, bool answers) const {
  Bytes value;
  put32(value, side == Side::a ? options_.tag_a : options_.tag_b);
  put32(value, 0x00100000);  // receive window
  put16(value, 16);          // streams out
  put16(value, 16);          // … and in
  put32(value, side == Side::a ? options_.tsn_a : options_.tsn_b);
  if (answers) value = cat(value, hex("0007 0008 c00c1e00"));  // State Cookie
  if (adaptation) {
    put16(value, 0xc006);
    put16(value, 8);
    put32(value, *adaptation);
  }
  return chunk(answers ? 2 : 1, 0, value);
}

Bytes SctpConversation::sack(Side side, std::optional<std::uint32_t> tsn) const {
  Bytes value;
  put32(value, tsn.value_or(tsns_[index(other(side))] - 1));
  put32(value, 0x00100000);
  put32(value, 0);  // no gaps, no duplicates
  return chunk(3, 0, value);
}

void SctpConversation::new_session(unsigned stream) {
  ssns_.erase({Side::a, stream});
  ssns_.erase({Side::b, stream});
}

std::size_t SctpConversation::packet(Side side, const std::vector<Bytes>& chunks,
                                     std::optional<std::uint32_t> tag) {
  const bool from_a = side == Side::a;
  OwnedPacket packet;
  packet.meta.time_ns = now_ns_;
  now_ns_ += options_.step_ns;
  packet.meta.source = from_a ? options_.a : options_.b;
  packet.meta.destination = from_a ? options_.b : options_.a;
  put16(packet.octets, packet.meta.source.port);
  put16(packet.octets, packet.meta.destination.port);
  put32(packet.octets, tag.value_or(from_a ? options_.tag_b : options_.tag_a));
  put32(packet.octets, 0);
  packet.octets = cat(packet.octets, cat(chunks));
  set_checksum(packet.octets);
  packets_.push_back(packet);
  return packets_.size() - 1;
}

void SctpConversation::associate(std::optional<std::uint32_t> adaptation_a,
                                 std::optional<std::uint32_t> adaptation_b) {
  packet(Side::a, {init(Side::a, adaptation_a)}, 0);
  packet(Side::b, {init(Side::b, adaptation_b, true)});
  packet(Side::a, {chunk(10, 0, hex("c00c1e00"))});
  packet(Side::b, {chunk(11, 0, {})});
}

void SctpConversation::open(unsigned stream, const Bytes& asked, const Bytes& given) {
  packet(Side::a, {control(Side::a, stream, 1, asked)});
  packet(Side::b, {sack(Side::b), control(Side::b, stream, 2, given)});
  packet(Side::a, {sack(Side::a)});
}

void SctpConversation::close(unsigned stream) {
  packet(Side::a, {sack(Side::a), control(Side::a, stream, 4)});
  packet(Side::b, {sack(Side::b), control(Side::b, stream, 4)});
  packet(Side::a, {sack(Side::a)});
}

void SctpConversation::shut_down(Side side) {
  Bytes acknowledged;
  put32(acknowledged, tsns_[index(other(side))] - 1);
  packet(side, {chunk(7, 0, acknowledged)});
  packet(other(side), {chunk(8, 0, {})});
  packet(side, {chunk(14, 0, {})});
}

void SctpConversation::repeat(std::size_t place) {
  OwnedPacket again = packets_[place];
  again.meta.time_ns = now_ns_;
  now_ns_ += options_.step_ns;
  packets_.push_back(again);
}

std::vector<OwnedPacket> SctpConversation::packets() const {
  std::vector<OwnedPacket> captured;
  for (const OwnedPacket& each : packets_) {
    if (each.captured < common_header) continue;
    captured.push_back(each);
    captured.back().meta.frame = options_.first_frame + captured.size() - 1;
  }
  return captured;
}

Bytes SctpConversation::to_pcap() const {
  std::vector<FrameRecord> records;
  for (const OwnedPacket& each : packets()) records.push_back(sctp_record(each));
  constexpr std::uint32_t ethernet_link = 1;
  return pcap_file(ethernet_link, records);
}

Bytes sctp_frame(const OwnedPacket& packet) {
  const bool v4 = packet.meta.source.address.version == 4;
  Bytes out = hex("02000000000b 02000000000a");
  put16(out, v4 ? 0x0800 : 0x86dd);
  if (v4) {
    Bytes header = hex("4500");
    put16(header, static_cast<unsigned>(20 + packet.octets.size()));
    header = cat(header, hex("0000 4000 40 84 0000"), address_of(packet.meta.source.address),
                 address_of(packet.meta.destination.address));
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < header.size(); i += 2) sum += load_be16(header.data() + i);
    sum = (sum & 0xffffU) + (sum >> 16U);
    store_be16(header.data() + 10, static_cast<std::uint16_t>(~((sum & 0xffffU) + (sum >> 16U))));
    return cat(out, header, packet.octets);
  }
  put32(out, 0x60000000);
  put16(out, static_cast<unsigned>(packet.octets.size()));
  put16(out, 0x8440);  // SCTP, hop limit 64
  return cat(out, address_of(packet.meta.source.address), address_of(packet.meta.destination.address),
             packet.octets);
}

FrameRecord sctp_record(const OwnedPacket& packet) {
  const Bytes frame = sctp_frame(packet);
  const std::size_t missing = packet.octets.size() - std::min(packet.captured, packet.octets.size());
  return {packet.meta.time_ns, frame, frame.size() - missing};
}

}  // namespace iwarp::test
