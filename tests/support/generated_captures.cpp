// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/generated_captures.hpp"

#include "support/conversation.hpp"
#include "support/generated_parts.hpp"
#include "support/pcap_file.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

Conversation started(const Startup& request = {}, const Startup& reply = {},
                     const Conversation::Options& options = {}) {
  Conversation c(options);
  c.handshake();
  c.startup(request, reply);
  return c;
}

const Startup markers{.markers = true};

Bytes several_markers() {
  Conversation c = started(markers, markers);
  c.fpdu(a, send(1, pattern(1400, 1)));
  c.fpdu(b, send(1, pattern(1300, 2)));
  c.fpdu(a, write(0xa1b2c3, 0x1000, pattern(1410, 3)));
  c.close();
  return c.to_pcap();
}

Bytes packed_marked() {
  Conversation c = started(markers, markers);
  c.packed(a, {send(1, pattern(100, 1)), send(2, pattern(200, 2)), send(3, pattern(300, 3)),
               send(4, pattern(400, 4))});
  c.packed(b, {send(1, pattern(30, 5)), send(2, pattern(700, 6)), send(3, pattern(5, 7))}, {333, 400});
  c.close();
  return c.to_pcap();
}

Bytes one_direction_marked() {
  Conversation c = started(markers, {});  // the initiator wants markers: the responder sends them
  for (std::uint32_t msn = 1; msn <= 4; ++msn) {
    c.fpdu(a, send(msn, pattern(600, msn)));
    c.fpdu(b, send(msn, pattern(700, 10 + msn)));
  }
  c.close();
  return c.to_pcap();
}

Bytes marker_behind_pad() {
  Conversation c = started({}, markers);
  // 20 octets behind the first marker; then an FPDU whose PAD ends where the marker at 512 stands.
  c.fpdu(a, send(1));
  const std::size_t rest = 512 - static_cast<std::size_t>(c.stream(a).position());
  c.fpdu(a, send(2, pattern(rest - 2 - 18 - 2, 1)));  // two octets of PAD
  c.fpdu(a, send(3, pattern(50, 2)));
  c.close();
  return c.to_pcap();
}

Bytes sequence_wrap() {
  Conversation c;
  c.handshake({.isn_a = 0xfffffe00U, .isn_b = 0xffffff00U});
  c.startup(markers, markers);
  for (std::uint32_t msn = 1; msn <= 4; ++msn) {
    c.fpdu(a, send(msn, pattern(900, msn)));
    c.fpdu(b, send(msn, pattern(800, 10 + msn)));
  }
  c.close();
  return c.to_pcap();
}

Bytes terminated_headers() {
  // One connection each: Terminates about a Read Request, about a tagged segment in RDMAP's layer, about an
  // untagged.
  const auto connection = [](std::uint16_t port, const Bytes& bad, unsigned code, bool rdma_header,
                             bool read_first) {
    Conversation c = started({}, {}, {.a = endpoint("192.0.2.1", port)});
    c.fpdu(a, send(1));
    if (read_first) c.fpdu(b, read_request(1, {.sink_stag = 9, .size = 16, .source_stag = 8}));
    c.fpdu(a, bad);
    c.fpdu(b, terminate(code, about(bad, rdma_header)));
    c.close(b);
    return c;
  };
  const Conversation read = connection(
      40001, read_request(1, {.sink_stag = 7, .size = 64, .source_stag = 0xdeadbe00}), 0x0100, true, false);
  const Conversation tagged = connection(40002, read_response(9, 0, pattern(24)), 0x0207, false, true);
  const Conversation untagged = connection(40003, send(2, pattern(100), {.queue = 5}), 0x1201, false, false);
  return pcap_file(merge({&read, &tagged, &untagged}));
}

Bytes glued_to_the_reply() {
  Conversation c;
  c.handshake();
  const Startup reply{.private_data = text("yes")};
  c.send(a, request_frame());
  c.full_operation({}, reply);
  c.send(b, cat(reply_frame(reply), c.frame(b, send(1, text("too early")))));
  c.fpdu(a, send(1, text("first")));
  c.fpdu(b, send(2, text("then")));
  c.close();
  return c.to_pcap();
}

Bytes joined_midstream() {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1, pattern(400)));
    c.fpdu(b, send(1, pattern(400)));
  });
  const Bytes half = c.frame(a, send(2, pattern(900)));
  c.unseen([&] { c.send(a, part(half, 0, 300)); });
  c.send(a, part(half, 300));
  for (std::uint32_t msn = 3; msn <= 6; ++msn) {
    c.fpdu(a, send(msn, pattern(500, msn)));
    c.fpdu(b, send(msn - 1, pattern(200, msn)));
  }
  c.close();
  return c.to_pcap();
}

Bytes mixed_messages() {
  Conversation c = started();
  c.fpdu(a, send(1));
  const std::vector<Bytes> sends = send_segments(2, pattern(3000, 1), 1000);
  const std::vector<Bytes> response = read_response_segments(7, 0x100, pattern(3000, 2), 1000);
  c.fpdu(b, read_request(1, {.sink_stag = 7, .sink_to = 0x100, .size = 3000, .source_stag = 8}));
  c.fpdu(a, sends[0]);
  c.fpdu(a, response[0]);
  c.fpdu(a, response[1]);
  c.fpdu(a, sends[1]);
  c.fpdu(a, response[2]);
  c.fpdu(a, sends[2]);
  for (const Bytes& each : write_segments(9, 0, pattern(2500, 3), 1000)) c.fpdu(a, each);
  c.close();
  return c.to_pcap();
}

Bytes late_segments() {
  Conversation c = started();
  const Packets first = c.fpdu(a, send(1, pattern(300, 1)));
  const Packets second = c.fpdu(a, send(2, pattern(300, 2)));
  const Packets third = c.fpdu(a, send(3, pattern(300, 3)));
  c.move_behind(second, third);
  c.ack(b);
  // Lost, and sent again with other cut points, over octets that had arrived.
  const StreamOffset begin = c.sent(a);
  c.fpdu(a, send(4, pattern(600, 4)));
  c.lose(a, c.frame(a, send(5, pattern(600, 5))));
  c.fpdu(a, send(6, pattern(600, 6)));
  c.ack(b);
  c.wait(200'000'000);
  c.resend(a, begin + 100, 1500, {777});
  c.ack(b);
  c.fpdu(a, send(7, pattern(600, 7)));
  c.close();
  (void)first;
  return c.to_pcap();
}

Bytes uncaptured() {
  Conversation c = started();
  c.fpdu(a, send(1, pattern(500, 1)));
  c.drop(c.fpdu(a, send(2, pattern(500, 2))));
  for (std::uint32_t msn = 3; msn <= 6; ++msn) {
    c.fpdu(a, send(msn, pattern(500, msn)));
    c.ack(b);
    c.wait(50'000'000);
  }
  c.fpdu(a, send(8, pattern(500, 8)));  // an error of the sender, not of the capture
  c.close();
  return c.to_pcap();
}

Bytes snapped() {
  Conversation c;
  c.handshake();
  c.snaplen(96);
  c.startup();
  c.fpdu(a, send(1, pattern(1000, 1)));
  c.fpdu(a, write(0xa1b2c3, 0x1000, pattern(1200, 2)));
  c.fpdu(b, send(1, pattern(900, 3)));
  c.fpdu(a, send(2, pattern(3)));
  c.close();
  return c.to_pcap();
}

Bytes ipv6_payload_length_zero() {
  Conversation c =
      started({}, {}, {.a = endpoint("2001:db8::1", 40000), .b = endpoint("2001:db8::2", 18515)});
  c.packed(a, {send(1, pattern(1400, 1)), send(2, pattern(1400, 2)), send(3, pattern(1400, 3))});
  c.fpdu(b, send(1, pattern(100, 4)));
  c.close();
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : c.segments()) {
    Bytes packet = ip_packet(each);
    if (each.octets.size() > 1460) store_be16(packet.data() + 4, 0);
    records.push_back({each.meta.time_ns, cat(hex("02000000000b 02000000000a 86dd"), packet)});
  }
  return pcap_file(1, records);
}

// The responder knows revision 1 alone, and resets who asks for another one.
Bytes revision_fallback() {
  const Conversation::Options again{.a = endpoint("192.0.2.1", 40002), .b = endpoint("192.0.2.2", 20049)};
  Conversation refused({.a = endpoint("192.0.2.1", 40001), .b = again.b});
  refused.handshake();
  refused.send(a, request_frame({.word = Depths{.ird = 16, .ord = 8}}));
  refused.rst(b);
  Conversation accepted(again);
  accepted.wait(5'000'000);
  accepted.handshake();
  accepted.startup();
  accepted.fpdu(a, send(1, text("question")));
  accepted.fpdu(b, send(1, text("answer")));
  accepted.close();
  return pcap_file(merge({&refused, &accepted}));
}

}  // namespace

const std::vector<GeneratedCapture>& generated_captures() {
  static const std::vector<GeneratedCapture> all = [] {
    std::vector<GeneratedCapture> list = {
        {"t01-several-markers.pcap", several_markers},
        {"t02-packed-marked.pcap", packed_marked},
        {"t03-one-direction-marked.pcap", one_direction_marked},
        {"t04-marker-behind-pad.pcap", marker_behind_pad},
        {"t05-sequence-wrap-marked.pcap", sequence_wrap},
        {"t09-terminated-headers.pcap", terminated_headers},
        {"t12-fpdu-behind-reply.pcap", glued_to_the_reply},
        {"t12-midstream.pcap", joined_midstream},
        {"t14-mixed-messages.pcap", mixed_messages},
        {"t18-late-segments.pcap", late_segments},
        {"t19-uncaptured-segment.pcap", uncaptured},
        {"t20-snaplen96.pcap", snapped},
        {"t20-ipv6-length-zero.pcap", ipv6_payload_length_zero},
        {"revision-fallback.pcap", revision_fallback},
    };
    for (const auto& more : {captures_about_fields(), captures_about_smb_direct(), captures_about_sctp()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

std::string generated_path(const std::string& name) {
  return places::captures() + "/generated/" + name;
}

}  // namespace iwarp::test
