// SMB Direct on its own port and on that of SMB over TCP: the messages of MS-SMBD §2.2, with an SMB2
// NEGOTIATE inside.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/conversation.hpp"
#include "support/generated_parts.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

constexpr Side client = Side::a;
constexpr Side server = Side::b;

Bytes little_endian(std::uint64_t value, unsigned size) {
  Bytes octets;
  for (unsigned i = 0; i < size; ++i) octets.push_back(static_cast<Byte>(value >> (8 * i)));
  return octets;
}
Bytes u16(std::uint64_t value) {
  return little_endian(value, 2);
}
Bytes u32(std::uint64_t value) {
  return little_endian(value, 4);
}
Bytes u64(std::uint64_t value) {
  return little_endian(value, 8);
}

constexpr unsigned version_1 = 0x0100;

// §2.2.1: versions, credits, sizes.
Bytes negotiate_request() {
  return cat(u16(version_1), u16(version_1), u16(0), u16(10), u32(1364), u32(8192), u32(1048576));
}

// §2.2.2
Bytes negotiate_response() {
  return cat(u16(version_1), u16(version_1), u16(version_1), u16(0), u16(10), u16(10), u32(0), u32(1048576),
             u32(1364), u32(8192), u32(1048576));
}

// §2.2.3: asks for credits and grants as many; `remaining` octets of the same SMB2 message follow in later
// ones.
Bytes data_transfer(const Bytes& data, std::size_t remaining = 0) {
  constexpr unsigned data_offset = 24;
  return cat(u16(10), u16(10), u16(0), u16(0), u32(remaining), u32(data_offset), u32(data.size()), u32(0),
             data);
}

// MS-SMB2 §2.2.1.2
Bytes smb2_header(bool is_response) {
  return cat(hex("fe534d42"), u16(64), u16(1), u32(0), u16(0), u16(1), u32(is_response ? 1 : 0), u32(0),
             u64(0), u32(0xfeff), u32(0), u64(0), zeros(16));
}

constexpr unsigned dialect_3_0 = 0x0300;

// MS-SMB2 §2.2.3
Bytes smb2_negotiate_request() {
  return cat(smb2_header(false), u16(36), u16(1), u16(1), u16(0), u32(0), pattern(16, 1), u64(0),
             u16(dialect_3_0));
}

// MS-SMB2 §2.2.4, without a security blob.
Bytes smb2_negotiate_response() {
  return cat(smb2_header(true), u16(65), u16(1), u16(dialect_3_0), u16(0), pattern(16, 2), u32(0),
             u32(1048576), u32(1048576), u32(1048576), u64(0), u64(0), u16(128), u16(0), u32(0));
}

Conversation smb_direct_at(std::uint16_t port_a, std::uint16_t port_b) {
  Conversation c({.a = endpoint("192.0.2.1", port_a), .b = endpoint("192.0.2.2", port_b)});
  c.handshake();
  // As Windows does it: revision 1, IRD and ORD as two words of 32 bits.
  c.startup({.private_data = hex("00000010 00000010")}, {.private_data = hex("00000010 00000010")});
  c.fpdu(client, send(1, negotiate_request()));
  c.fpdu(server, send(1, negotiate_response()));
  c.fpdu(client, send_se(2, data_transfer(smb2_negotiate_request())));
  const Bytes answer = smb2_negotiate_response();
  constexpr std::size_t half = 70;
  c.fpdu(server, send(2, data_transfer(part(answer, 0, half), answer.size() - half)));
  c.fpdu(server, send(3, data_transfer(part(answer, half))));
  c.close();
  return c;
}

Bytes smb_direct() {
  const Conversation own_port = smb_direct_at(40001, 5445);
  const Conversation smb_port = smb_direct_at(40002, 445);
  return pcap_file(merge({&own_port, &smb_port}));
}

}  // namespace

std::vector<GeneratedCapture> captures_about_smb_direct() {
  return {{"smb-direct.pcap", smb_direct}};
}

}  // namespace iwarp::test
