// Captures about single fields, headers and ports.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/conversation.hpp"
#include "support/generated_parts.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

Conversation started_at(std::uint16_t port_a, std::uint16_t port_b = 18515, const Startup& request = {},
                        const Startup& reply = {}) {
  Conversation c({.a = endpoint("192.0.2.1", port_a), .b = endpoint("192.0.2.2", port_b)});
  c.handshake();
  c.startup(request, reply);
  return c;
}

// Each of the rules that only a decoder with a state can check is broken once, with a right CRC everywhere.
Bytes wrong_fields() {
  const Startup markers{.markers = true};
  Conversation c = started_at(40000, 18515, markers, markers);
  c.fpdu(a, send(1, pattern(40)));  // a marker before it, right
  c.stream(a).break_marker({.pointer_delta = 8});
  c.fpdu(a, send(2, pattern(600)));  // FPDUPTR
  c.stream(a).break_marker({.reserved = 0x0bad});
  c.fpdu(a, send(3, pattern(500)));                       // the marker's reserved half
  c.fpdu(a, send(4, pattern(41)), {.pad = 0x5a}, {});     // PAD
  c.fpdu(a, send(5, pattern(44), {.ddp_version = 2}));    // DV
  c.fpdu(a, send(6, pattern(44), {.rdmap_version = 3}));  // RV
  c.fpdu(a, send(8, pattern(44)));                        // MSN 7 is due
  c.fpdu(a, send(9, pattern(44), {.mo = 4}));             // MO
  c.fpdu(b, untagged_segment(0, 0, 1, pattern(44)));      // a Write that is untagged
  c.close();
  return c.to_pcap();
}

// The frames of RFC 6581 §9, and the ready-to-receive Read that they agree on.
Bytes revision_2() {
  Conversation c = started_at(
      40000, 18515,
      {.word = Depths{.peer_to_peer = true, .rtr_write = true, .rtr_read = true, .ird = 16, .ord = 8},
       .private_data = text("priv")},
      {.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 8, .ord = 16}});
  c.fpdu(a, read_request(1, {}));
  c.fpdu(b, read_response(0, 0));
  c.fpdu(b, send(1, text("ready")));
  c.close();
  return c.to_pcap();
}

Bytes immediates() {
  Conversation c = started_at(40000);
  c.fpdu(a, immediate(1, 0x1122334455667788U));
  c.fpdu(a, immediate_se(2, 0xfedcba9876543210U));
  c.fpdu(b, immediate(1, 42));
  c.close();
  return c.to_pcap();
}

// A length without a header behind it; codes of MPA's layer that products use and IANA does not list.
Bytes bare_terminates() {
  const auto ended_by = [](std::uint16_t port, unsigned code, const Terminate& fields) {
    Conversation c = started_at(port);
    c.fpdu(a, send(1, pattern(30)));
    c.fpdu(b, terminate(code, fields));
    c.close(b);
    return c;
  };
  const Conversation length_only = ended_by(40001, 0x0205, {.m = true, .length = 48});
  const Conversation crc = ended_by(40002, 0x2302, {});
  const Conversation depth = ended_by(40003, 0x2306, {});
  return pcap_file(merge({&length_only, &crc, &depth}));
}

Bytes atomics() {
  Conversation c = started_at(40000);
  c.fpdu(a, send(1));
  c.fpdu(b, fetch_add(1, {.id = 0xa0000001U,
                          .stag = 0x1234ab01,
                          .to = 0x1008,
                          .data = 5,
                          .mask = 0x8000000080000000U,
                          .reserved = 0x0abcdef}));  // bits that a receiver ignores (RFC 7306 §5.2.1)
  c.fpdu(a, atomic_response(1, 0xa0000001U, 0x25));
  c.fpdu(b, cmp_swap(2, {.id = 0xa0000002U,
                         .stag = 0x1234ab01,
                         .to = 0x1010,
                         .data = 0x2222,
                         .mask = 0xffffffffU,
                         .compare = 0x1111,
                         .compare_mask = 0xffffffff00000000U}));
  c.fpdu(a, atomic_response(2, 0xa0000002U, 0x3333));
  c.close();
  return c.to_pcap();
}

// Ports tell no roles here; and an FPDU without any ULPDU between others.
Bytes equal_ports() {
  Conversation c = started_at(18515, 18515);
  c.fpdu(a, send(1, pattern(100)));
  c.fpdu(b, send(1, pattern(100)));
  c.fpdu(a, Bytes());
  c.fpdu(a, send(2, pattern(50)));
  c.close();
  return c.to_pcap();
}

// Sends too short for any ULP, alone and packed, and one that is not.
Bytes short_sends() {
  Conversation c = started_at(40000, 20049);
  std::uint32_t msn = 0;
  std::vector<Bytes> all;
  for (const std::size_t size : {0U, 1U, 3U, 4U, 8U, 12U, 15U, 27U}) {
    ++msn;
    c.fpdu(a, send(msn, pattern(size, msn)));
    all.push_back(send(msn, pattern(size, msn)));
  }
  c.packed(b, all);
  c.fpdu(a, send(msn + 1, pattern(100)));
  c.close();
  return c.to_pcap();
}

Bytes ports_of_others() {
  const auto at = [](std::uint16_t number, std::uint16_t port) {
    Conversation c = started_at(static_cast<std::uint16_t>(40000 + number), port);
    c.fpdu(a, send(1, pattern(200, number)));
    c.fpdu(b, send(1, pattern(300, number)));
    c.close();
    return c;
  };
  const Conversation http = at(1, 80);
  const Conversation https = at(2, 443);
  const Conversation smb = at(3, 445);
  const Conversation nvme = at(4, 4420);
  const Conversation smb_direct = at(5, 5445);
  const Conversation ajp = at(6, 8009);
  return pcap_file(merge({&http, &https, &smb, &nvme, &smb_direct, &ajp}));
}

// The first connection never ends; a new one on its ports does it, while 12 octets of an FPDU are there.
Bytes ports_used_again() {
  Conversation c = started_at(40000);
  c.fpdu(a, send(1, pattern(20)));
  c.send(a, part(c.frame(a, read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 8})), 0, 12));
  c.wait(1'000'000'000);
  c.handshake({.isn_a = 0x20000000, .isn_b = 0x30000000});
  c.send(a, text("nothing of iWARP any more"));
  return c.to_pcap();
}

}  // namespace

std::vector<GeneratedCapture> captures_about_fields() {
  return {
      {"t06-wrong-fields.pcap", wrong_fields},
      {"t07-revision-2.pcap", revision_2},
      {"t08-immediates.pcap", immediates},
      {"t10-bare-terminates.pcap", bare_terminates},
      {"t11-atomics.pcap", atomics},
      {"t13-equal-ports.pcap", equal_ports},
      {"t15-short-sends.pcap", short_sends},
      {"t17-ports-of-others.pcap", ports_of_others},
      {"ports-used-again.pcap", ports_used_again},
  };
}

}  // namespace iwarp::test
