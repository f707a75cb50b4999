// Scenarios C17 to C19, C21 to C23, C25, C26: what lies below TCP in a capture file, and damaged files.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include <unistd.h>

#include "established.hpp"
#include "framing_log.hpp"
#include "support/analyze_program.hpp"
#include "support/capture_read.hpp"
#include "support/pcap_file.hpp"
#include "support/put.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr std::uint32_t ethernet = 1;
constexpr std::uint32_t raw = 101;

// A capture file in memory, read and analysed.
struct FileRead : CaptureRead {
  Analysed result;

  explicit FileRead(const Bytes& file) : CaptureRead(read_capture(file)), result(segments) {}
  [[nodiscard]] const Analysed& operator*() const { return result; }
  [[nodiscard]] const Analysed* operator->() const { return &result; }
};

Established usual(const Conversation::Options& options = {}) {
  Established c({}, {}, options);
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 3000, .source_stag = 8}));
  for (const Bytes& each : read_response_segments(7, 0, pattern(3000), 1000)) c.fpdu(b, each);
  c.fpdu(a, send(1, pattern(500)));
  c.fpdu(a, write(9, 64, pattern(700)));
  c.fpdu(b, send(1, pattern(30)));
  c.close();
  return c;
}

// The frames of a conversation, each made from its IP packet.
template <typename Wrap>
std::vector<FrameRecord> frames(const Conversation& c, Wrap wrap) {
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : c.segments()) records.push_back({each.meta.time_ns, wrap(ip_packet(each))});
  return records;
}

const Bytes macs = hex("02000000000b 02000000000a");

Bytes ether(unsigned type, const Bytes& payload) {
  Bytes out = macs;
  put16(out, type);
  return cat(out, payload);
}

const Conversation::Options six{.a = endpoint("2001:db8::1", 40000), .b = endpoint("2001:db8::2", 18515)};

void expect_usual(const Bytes& file, const std::vector<std::string>& expected) {
  const FileRead read(file);
  EXPECT_EQ(log_of(*read), expected);
  EXPECT_EQ(read->ids(Severity::note), Ids{}) << read->told();
  EXPECT_FALSE(read.damage);
}

std::vector<std::string> usual_log() {
  return log_of(Analysed(usual()));
}

// --- C17: IPv6, extension headers, fragments -----------------------------------------------------------

TEST(ScenarioC, C17_IPv6) {
  expect_usual(pcap_file(usual(six).segments()), usual_log());
}

TEST(ScenarioC, C17_HopByHopAndFragmentHeader) {
  const auto wrap = [](const Bytes& packet) {
    Bytes head = part(packet, 0, 40);
    const Bytes extensions = hex("2c 00 01 04 00000000  06 00 0000 12345678");  // PadN; atomic fragment
    store_be16(head.data() + 4, static_cast<std::uint16_t>(packet.size() - 40 + extensions.size()));
    head[6] = 0;
    return cat(head, extensions, part(packet, 40));
  };
  expect_usual(pcap_file(raw, frames(usual(six), wrap)), usual_log());
}

// The packet in two IPv4 fragments.
std::vector<Bytes> fragments(const Bytes& packet, std::size_t first_octets, unsigned identification) {
  std::vector<Bytes> out;
  for (const bool first : {true, false}) {
    const std::size_t from = first ? 0 : first_octets;
    const Bytes data = part(packet, 20 + from, first ? first_octets : SIZE_MAX);
    Bytes head = part(packet, 0, 20);
    store_be16(head.data() + 2, static_cast<std::uint16_t>(20 + data.size()));
    store_be16(head.data() + 4, static_cast<std::uint16_t>(identification));
    store_be16(head.data() + 6, static_cast<std::uint16_t>((first ? 0x2000U : 0U) | from / 8));
    out.push_back(cat(head, data));
  }
  return out;
}

TEST(ScenarioC, C17_IPv4FragmentsOfAJumbo) {
  for (const bool swapped : {false, true}) {
    SCOPED_TRACE(swapped);
    Established c;
    const Packets large = c.fpdu(a, send(1, pattern(8900)));
    c.fpdu(a, send(2));
    c.close();
    std::vector<FrameRecord> records;
    FrameNumber completed = 0;
    for (const OwnedSegment& each : c.segments()) {
      const Bytes packet = ip_packet(each);
      if (each.octets.size() < 8000) {
        records.push_back({each.meta.time_ns, packet});
        continue;
      }
      std::vector<Bytes> pieces = fragments(packet, 4480, 77);
      if (swapped) std::swap(pieces[0], pieces[1]);
      for (const Bytes& piece : pieces) records.push_back({each.meta.time_ns, piece});
      completed = records.size();
    }
    const FileRead read(pcap_file(raw, records));
    EXPECT_EQ(read->ids(), Ids{}) << read->told();
    ASSERT_EQ(read->messages().size(), 2U);
    EXPECT_EQ(read->messages()[0].message.length, 8900U);
    EXPECT_EQ(read->messages()[0].frame, completed);
    EXPECT_EQ(read->side(a).crc_counts.good, 2U);
    EXPECT_EQ(large.count, 1U);
  }
}

// --- C18: what stands in front of IP -------------------------------------------------------------------

TEST(ScenarioC, C18_TagsAndTunnels) {
  const std::vector<std::string> expected = usual_log();
  const Established c = usual();
  const auto check = [&](const char* name, auto wrap) {
    SCOPED_TRACE(name);
    expect_usual(pcap_file(ethernet, frames(c, wrap)), expected);
  };
  const auto outer = [](unsigned protocol, const Bytes& payload) {
    Bytes head = hex("4500 0000 0001 4000 40 00 0000 0a000001 0a000002");
    store_be16(head.data() + 2, static_cast<std::uint16_t>(20 + payload.size()));
    head[9] = static_cast<Byte>(protocol);
    return ether(0x0800, cat(head, payload));
  };
  check("plain", [](const Bytes& ip) { return ether(0x0800, ip); });
  check("VLAN", [](const Bytes& ip) { return ether(0x8100, cat(hex("0005 0800"), ip)); });
  check("QinQ", [](const Bytes& ip) { return ether(0x88a8, cat(hex("0064 8100 0005 0800"), ip)); });
  check("MPLS", [](const Bytes& ip) { return ether(0x8847, cat(hex("00064040 00065140"), ip)); });
  check("GRE", [&](const Bytes& ip) { return outer(47, cat(hex("0000 0800"), ip)); });
  check("VXLAN", [&](const Bytes& ip) {
    Bytes udp = hex("c000 12b5 0000 0000 08000000 00000700");
    const Bytes inner = ether(0x0800, ip);
    store_be16(udp.data() + 4, static_cast<std::uint16_t>(udp.size() + inner.size()));
    return outer(17, cat(udp, inner));
  });
}

TEST(ScenarioC, C18_TheSameAddressesInTwoVlansAreTwoStreams) {
  const auto in_vlan = [](std::uint32_t vlan, const char* words) {
    Conversation c(Conversation::Options{.network = vlan});
    c.handshake({.isn_a = 1000 * vlan, .isn_b = 2000 * vlan});
    c.startup();
    c.fpdu(a, send(1, text(words)));
    c.fpdu(a, send(2, text(words)));
    c.close();
    return c;
  };
  const Conversation first = in_vlan(5, "five");
  const Conversation second = in_vlan(6, "six");
  const FileRead read(pcap_file(merge({&first, &second})));
  EXPECT_EQ(read->ids(), Ids{}) << read->told();
  ASSERT_EQ(read->analysis().connection_count(), 2U);
  for (const ConnectionId id : {0U, 1U}) EXPECT_EQ(read->side(a, id).queues[0].next_msn, 3U);
  EXPECT_EQ(read->messages().size(), 4U);
}

// --- C19: offloading -----------------------------------------------------------------------------------

TEST(ScenarioC, C19_IpLengthZero) {
  const auto four = [](Bytes packet) {
    store_be16(packet.data() + 2, 0);
    return ether(0x0800, packet);
  };
  const auto six_of = [](Bytes packet) {
    store_be16(packet.data() + 4, 0);
    return ether(0x86dd, packet);
  };
  expect_usual(pcap_file(ethernet, frames(usual(), four)), usual_log());
  expect_usual(pcap_file(ethernet, frames(usual(six), six_of)), usual_log());
}

TEST(ScenarioC, C19_BigTcpJumbogram) {
  Established c({}, {}, six);
  std::vector<Bytes> octets;
  for (std::uint32_t msn = 1; msn <= 3; ++msn) octets.push_back(c.frame(a, send(msn, pattern(60000, msn))));
  for (const Bytes& each : octets) c.send(a, each);
  c.close();
  // The sender's stack handed the three of them down as one packet.
  std::vector<FrameRecord> records;
  std::vector<OwnedSegment> segments = c.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].octets.size() < 50000) {
      records.push_back({segments[i].meta.time_ns, ip_packet(segments[i])});
      continue;
    }
    OwnedSegment whole = segments[i];
    whole.octets = cat(octets);
    const Bytes tcp = tcp_octets(whole);
    Bytes head = part(ip_packet(segments[i]), 0, 40);
    store_be16(head.data() + 4, 0);
    head[6] = 0;
    Bytes jumbo = hex("06 00 c2 04 00000000");
    store_be32(jumbo.data() + 4, static_cast<std::uint32_t>(8 + tcp.size()));
    records.push_back({whole.meta.time_ns, cat(head, jumbo, tcp)});
    i += 2;
  }
  const FileRead read(pcap_file(raw, records));
  EXPECT_EQ(read->ids(), Ids{}) << read->told();
  ASSERT_EQ(read->messages().size(), 3U);
  for (const Event& event : read->messages()) EXPECT_EQ(event.message.length, 60000U);
  EXPECT_EQ(read->side(a).crc_counts.good, 3U);
}

// --- C21: a mirror that captures twice -----------------------------------------------------------------

TEST(ScenarioC, C21_EveryPacketTwice) {
  Established c = usual();
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : c.segments()) {
    records.push_back({each.meta.time_ns, ether(0x0800, ip_packet(each)), SIZE_MAX, 0});
    records.push_back({each.meta.time_ns + 3000, ether(0x0800, ip_packet(each)), SIZE_MAX, 1});
  }
  const FileRead read(pcapng_file(ethernet, records));
  EXPECT_EQ(read.segments.size(), records.size());
  EXPECT_EQ(read->ids(Severity::note), (Ids{"CAP-DUPFRAME", "CAP-DUPFRAME"})) << read->told();
  std::vector<std::string> lines = log_of(*read);
  std::erase_if(lines,
                [](const std::string& line) { return line.find("CAP-DUPFRAME") != std::string::npos; });
  EXPECT_EQ(lines, usual_log());
  const Analysed once(c);
  for (const Side side : {a, b}) {
    EXPECT_EQ(read->side(side).fpdus, once.side(side).fpdus);
    EXPECT_EQ(read->side(side).payload_octets, once.side(side).payload_octets);
    EXPECT_EQ(read->side(side).retransmitted_octets, 0U);
    EXPECT_GT(read->side(side).duplicate_frames, 0U);
  }
}

TEST(ScenarioC, C21_TrueRetransmissionsAreStillCounted) {
  Established c;
  const Packets sent = c.fpdu(a, send(1, pattern(100)));
  c.fpdu(a, send(2));
  const std::size_t octets = c.packet(sent).octets.size();
  c.resend(sent);  // a new IP identification
  c.close();
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : c.segments()) {
    for (const unsigned interface : {0U, 1U}) {
      records.push_back({each.meta.time_ns, ether(0x0800, ip_packet(each)), SIZE_MAX, interface});
    }
  }
  const FileRead read(pcapng_file(ethernet, records));
  EXPECT_EQ(read->side(a).retransmitted_octets, octets);
  EXPECT_EQ(read->messages().size(), 2U);
}

// --- C22: interfaces with other clocks -----------------------------------------------------------------

TEST(ScenarioC, C22_MicrosecondAndNanosecondInterfacesMixed) {
  Established c;
  const Packets request = c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 10, .source_stag = 8}));
  const Packets response = c.fpdu(b, read_response(7, 0, pattern(10)));
  c.set_time(request, 1'700'000'100'000'000'900);
  c.set_time(response, 1'700'000'100'000'000'950);  // told as …000 by the microsecond interface
  c.fpdu(a, send(1));
  c.close();
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : c.segments()) {
    const unsigned interface = each.meta.source.port == 40000 ? 0 : 1;
    records.push_back({each.meta.time_ns, ether(0x0800, ip_packet(each)), SIZE_MAX, interface});
  }
  const FileRead read(pcapng_file(ethernet, records));
  ASSERT_GE(read.segments.size(), 7U);
  EXPECT_EQ(read.segments[5].meta.time_ns, 1'700'000'100'000'000'900);
  EXPECT_EQ(read.segments[6].meta.time_ns, 1'700'000'100'000'000'000);
  EXPECT_TRUE(read->has("CAP-TSREV")) << read->told();
  EXPECT_EQ(read->ids(), Ids{}) << read->told();
  ASSERT_EQ(read->operations(OperationKind::read).size(), 1U);
  EXPECT_EQ(read->operations(OperationKind::read)[0].status, OperationStatus::complete);
}

// --- C23: link types -----------------------------------------------------------------------------------

TEST(ScenarioC, C23_LinkTypes) {
  const std::vector<std::string> expected = usual_log();
  const Established c = usual();
  const auto check = [&](std::uint32_t link, const Bytes& header) {
    SCOPED_TRACE(link);
    expect_usual(pcap_file(link, frames(c, [&](const Bytes& ip) { return cat(header, ip); })), expected);
  };
  check(ethernet, cat(macs, hex("0800")));
  check(113, hex("0000 0001 0006 02000000000a0000 0800"));
  check(276, hex("0800 0000 00000002 0001 00 06 02000000000a0000"));
  check(raw, {});
  check(0, hex("02000000"));
  check(0, hex("00000002"));
  check(108, hex("00000002"));
}

TEST(ScenarioC, C23_UnknownTypeIsSkippedWithACount) {
  const Established c = usual();
  const std::vector<FrameRecord> records = frames(c, [](const Bytes& ip) { return ip; });
  const FileRead read(pcap_file(147, records));
  EXPECT_TRUE(read.segments.empty());
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped.begin()->second, records.size());
  EXPECT_NE(read.skipped.begin()->first.find("147"), std::string::npos);
  EXPECT_FALSE(read.damage);
}

// --- C25: damaged files --------------------------------------------------------------------------------

ProgramRun analyze(const Bytes& file) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("iwarp-c25-" + std::to_string(::getpid()))).string();
  if (!write_file(path, file)) return {};
  const ProgramRun run = run_analyze(path);
  std::filesystem::remove(path);
  return run;
}

void expect_partial(const Bytes& file, std::size_t segments) {
  const FileRead read(file);
  EXPECT_EQ(read.segments.size(), segments);
  ASSERT_TRUE(read.damage);
  EXPECT_FALSE(read.damage->text.empty());
  EXPECT_EQ(read.damage->text.find('\n'), std::string::npos) << "one sentence";
  EXPECT_EQ(read->messages().empty(), segments < 7);
  const ProgramRun run = analyze(file);
  EXPECT_EQ(run.status, 2);
  EXPECT_FALSE(run.out.empty()) << "what could be read is printed";
}

TEST(ScenarioC, C25_FileCutInsideARecord) {
  const Established c = usual();
  const std::size_t segments = c.segments().size();
  const Bytes whole = pcap_file(c.segments());
  EXPECT_EQ(analyze(whole).status, 0);
  for (const std::size_t cut : {1U, 17U, 60U}) {
    SCOPED_TRACE(cut);
    expect_partial(part(whole, 0, whole.size() - cut), segments - 1);
  }
}

Bytes pcapng_with(const Bytes& damage) {
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : usual().segments()) records.push_back({each.meta.time_ns, ip_packet(each)});
  return cat(pcapng_file(raw, records), damage);
}

TEST(ScenarioC, C25_BlockOfLengthZeroAndOfFourGigabytes) {
  const std::size_t segments = usual().segments().size();
  for (const char* damage :
       {"06000000 00000000 64*00", "06000000 fcffffff 64*00", "06000000 20000000 8*00"}) {
    SCOPED_TRACE(damage);
    expect_partial(pcapng_with(hex(damage)), segments);
  }
}

// --- C26: TCP options ----------------------------------------------------------------------------------

TEST(ScenarioC, C26_OptionsAndTheUrgentPointerHaveNoInfluence) {
  const Established c = usual();
  std::vector<FrameRecord> records;
  std::uint32_t clock = 1;
  for (const OwnedSegment& each : c.segments()) {
    const Bytes packet = ip_packet(each);
    Bytes tcp = part(packet, 20);
    const std::size_t header = (tcp[12] >> 4U) * std::size_t{4};
    Bytes options = hex("0101 080a");
    put32(options, clock++);
    put32(options, clock);
    options = cat(options, hex("0101 050a 00000001 00000002"));  // SACK
    Bytes head = part(tcp, 0, header);
    head[12] = static_cast<Byte>((header + options.size()) / 4 << 4U);
    head[13] = static_cast<Byte>(head[13] | tcp::urg | 0xc0U);
    store_be16(head.data() + 16, 0);  // the checksum is not filled in yet
    store_be16(head.data() + 18, 5);  // urgent: five octets
    Bytes ip = part(packet, 0, 20);
    store_be16(ip.data() + 2, static_cast<std::uint16_t>(packet.size() + options.size()));
    records.push_back({each.meta.time_ns, cat({ip, head, options, part(tcp, header)})});
  }
  expect_usual(pcap_file(raw, records), usual_log());
}

}  // namespace
}  // namespace iwarp::test
