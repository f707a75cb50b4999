// Captures of DDP over SCTP (RFC 5043), which no stack at hand speaks.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/generated_parts.hpp"
#include "support/sctp_conversation.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Two DDP streams of an association over IPv6, one of them used for two sessions: enhanced start-up, bundled,
// fragmented, repeated and unordered chunks, a rejection, an RDMAP Terminate.
Bytes sessions() {
  SctpConversation c({.a = endpoint("2001:db8::1", 40000), .b = endpoint("2001:db8::2", 5001)});
  c.associate();
  c.open(0, text("who?"), text("me"));
  c.packet(a, {c.control(a, 3, 5, cat(ird_ord_word({.ird = 4, .ord = 2}), text("reads")))});
  c.packet(b, {c.sack(b), c.control(b, 3, 6, ird_ord_word({.ird = 2, .ord = 4}))});
  const Bytes first = c.segment(a, 0, send(1, pattern(200, 1)));
  const Bytes second = c.segment(a, 0, send(2, pattern(100, 2)));
  c.packet(a, {c.sack(a), second, c.segment(a, 3, read_request(1, {0x11, 0x1000, 1500, 0x22, 0x2000}))});
  const std::size_t late = c.packet(a, {first});
  const Bytes rest = c.segment(b, 3, read_response(0x11, 0x1000, pattern(1000, 3), {.last = false}));
  c.packet(b, {c.sack(b), c.segment(b, 3, read_response(0x11, 0x1000 + 1000, pattern(500, 4)))});
  c.packet(b, {rest});
  c.repeat(late);
  const std::vector<Bytes> pieces = c.fragments(b, 0, write(0x33, 0x3000, pattern(2500, 5)), 1000);
  c.packet(b, {pieces[1]});
  c.packet(b, {pieces[0]});
  c.packet(b, {pieces[2], c.segment(b, 0, send(1, text("written")))});
  c.packet(a, {c.sack(a)});
  c.close(0);
  c.new_session(0);
  c.packet(a, {c.control(a, 0, 1, text("again?"))});
  c.packet(b, {c.sack(b), c.control(b, 0, 3, text("not now"))});
  c.packet(a, {c.sack(a), c.segment(a, 3, write(0x77, 0, pattern(20, 6)))});
  c.packet(
      b,
      {c.sack(b),
       c.segment(
           b, 3,
           terminate(0x1100, {.m = true, .d = true, .length = 34, .headers = part(write(0x77, 0), 0, 14)}))});
  c.packet(a, {c.sack(a)});
  c.close(3);
  c.shut_down();
  return c.to_pcap();
}

// One association for each rule of SCTP.
Bytes broken_sessions() {
  std::vector<FrameRecord> records;
  std::uint16_t port = 40001;
  const auto association = [&](const auto& script) {
    SctpConversation c({.a = endpoint("192.0.2.1", port++),
                        .start_ns = 1'700'000'000'000'000'000 + (port - 40000) * 10'000'000'000LL});
    script(c);
    for (const OwnedPacket& each : c.packets()) records.push_back(sctp_record(each));
  };
  association([](SctpConversation& c) {  // SCTP-ADAPT: no indication in the INIT ACK
    c.associate(1, {});
    c.open(0);
    c.close(0);
  });
  association([](SctpConversation& c) {  // SCTP-PPID
    c.associate();
    c.open(0);
    c.packet(a, {c.data(a, 0, 60, text("not DDP"))});
    c.packet(b, {c.sack(b)});
    c.close(0);
  });
  association([](SctpConversation& c) {  // SCTP-UFLAG
    c.associate();
    c.open(0);
    c.packet(a, {c.segment(a, 0, send(1), {.flags = 3})});
    c.packet(b, {c.sack(b)});
    c.close(0);
  });
  association([](SctpConversation& c) {  // SCTP-SSN: 2 is left out, and no TSN is missing
    c.associate();
    c.open(0);
    c.packet(a, {c.segment(a, 0, send(1), {.ssn = 1})});
    c.packet(a, {c.segment(a, 0, send(2), {.ssn = 3})});
    c.packet(b, {c.sack(b)});
    c.wait(1'000'000'000);
    c.packet(a, {c.control(a, 0, 4, {}, {.ssn = 4})});
    c.packet(b, {c.sack(b)});
  });
  association([](SctpConversation& c) {  // SCTP-SEQ: a DDP segment before the Accept
    c.associate();
    c.packet(a, {c.control(a, 0, 1), c.segment(a, 0, send(1))});
    c.packet(b, {c.sack(b), c.control(b, 0, 2)});
    c.packet(a, {c.sack(a)});
    c.close(0);
  });
  association([](SctpConversation& c) {  // SCTP-PD
    c.associate();
    c.open(0, pattern(513));
    c.close(0);
  });
  constexpr std::uint32_t ethernet_link = 1;
  return pcap_file(ethernet_link, records);
}

}  // namespace

std::vector<GeneratedCapture> captures_about_sctp() {
  return {{"sctp-sessions.pcap", sessions}, {"sctp-broken-sessions.pcap", broken_sessions}};
}

}  // namespace iwarp::test
