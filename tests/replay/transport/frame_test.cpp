// Packets as octets, and octets in capture files.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/frame.hpp"

#include <gtest/gtest.h>

#include "replay/transport/station.hpp"
#include "replay/transport/wire_capture.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

replay::Packet sample(const std::string& from, const std::string& to, std::size_t octets) {
  replay::Packet packet;
  packet.source = endpoint(from, 40000);
  packet.destination = endpoint(to, 4420);
  packet.sequence = 0xfffffff0;
  packet.acknowledgement = 0x01020304;
  packet.flags = tcp::ack | tcp::psh;
  packet.window = 0xabcd;
  packet.identification = 0x1234;
  packet.payload = pattern(octets);
  return packet;
}

OwnedSegment expected(const replay::Packet& packet) {
  OwnedSegment owned;
  owned.meta.source = packet.source;
  owned.meta.destination = packet.destination;
  owned.meta.sequence = packet.sequence;
  owned.meta.acknowledgement = packet.acknowledgement;
  owned.meta.flags = packet.flags;
  owned.meta.window = packet.window;
  owned.meta.mss = packet.max_segment;
  owned.meta.checksum = ChecksumStatus::good;
  owned.octets = packet.payload;
  owned.ip_id = packet.identification;
  return owned;
}

Bytes frame_of(const replay::Packet& packet) {
  Bytes out;
  append_frame(out, packet);
  return out;
}

// SYN with both options; checksums worked out apart from this project.
TEST(Frame, OctetsOfASyn) {
  replay::Packet packet;
  packet.source = endpoint("192.0.2.1", 0x1000);
  packet.destination = endpoint("192.0.2.2", 0x1144);
  packet.sequence = 0x00000001;
  packet.flags = tcp::syn;
  packet.window = 0xffff;
  packet.identification = 7;
  packet.max_segment = 1460;
  packet.window_shift = 2;
  EXPECT_EQ(to_hex(frame_of(packet)), to_hex(hex("0204c0000202 0204c0000201 0800"
                                                 "4500 0030 0007 4000 40 06 b6bd c0000201 c0000202"
                                                 "1000 1144 00000001 00000000 70 02 ffff ded4 0000"
                                                 "020405b4 01030302")));
}

TEST(Frame, IsWhatAnotherEncoderMakes) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 1459U, 1460U, 60000U}) {
    for (const bool ipv6 : {false, true}) {
      replay::Packet packet = ipv6 ? sample("2001:db8::1", "2001:db8:ffff::fffe", size)
                                   : sample("192.0.2.1", "255.254.253.252", size);
      if (size == 0) packet.flags = tcp::syn | tcp::ack;
      if (size == 0) packet.max_segment = 1460;
      const Bytes frame = frame_of(packet);
      EXPECT_EQ(part(frame, 12, 2), ipv6 ? hex("86dd") : hex("0800"));
      EXPECT_TRUE(part(frame, 14) == ip_packet(expected(packet))) << size << (ipv6 ? " IPv6" : " IPv4");
    }
  }
}

TEST(Frame, DamageShowsInTheChecksumAlone) {
  replay::Packet packet = sample("192.0.2.1", "192.0.2.2", 100);
  WireCapture capture;
  capture.captured(packet, 0);
  packet.checksum_wrong = true;
  capture.captured(packet, 0);
  const CaptureRead read = capture.read();
  ASSERT_EQ(read.segments.size(), 2U);
  EXPECT_EQ(read.segments[0].meta.checksum, ChecksumStatus::good);
  EXPECT_EQ(read.segments[1].meta.checksum, ChecksumStatus::bad);
  EXPECT_EQ(read.segments[0].octets, read.segments[1].octets);
}

TEST(CaptureWriter, FilesAreReadAsTheyWereWritten) {
  for (const auto format : {replay::CaptureFormat::pcap, replay::CaptureFormat::pcapng}) {
    WireCapture capture(format, 1'700'000'000'123'456'789);
    const TimeNs times[] = {0, 1, 999'999'999, 5'000'000'001};
    for (std::size_t i = 0; i < 4; ++i) capture.captured(sample("192.0.2.1", "192.0.2.2", i), times[i]);
    const CaptureRead read = capture.read();
    EXPECT_FALSE(read.damage);
    EXPECT_TRUE(read.skipped.empty());
    ASSERT_EQ(read.segments.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(read.segments[i].meta.time_ns, 1'700'000'000'123'456'789 + times[i]);
      EXPECT_EQ(read.segments[i].octets, pattern(i));
    }
  }
}

// draft-ietf-opsawg-pcapng §4.1, §4.2: section header with shb_userappl, interface with if_tsresol 9,
// little-endian.
TEST(CaptureWriter, PcapngHeader) {
  std::ostringstream file;
  const replay::CaptureWriter writer(file);
  const std::string octets = file.str();
  EXPECT_EQ(to_hex(Bytes(octets.begin(), octets.end())),
            to_hex(hex("0a0d0d0a 30000000 4d3c2b1a 0100 0000 ffffffffffffffff"
                       "0400 0c00 69776172702d7265706c6179 0000 0000 30000000"
                       "01000000 20000000 0100 0000 00000000 0900 0100 09000000 0000 0000 20000000")));
}

TEST(CaptureWriter, SnapshotLengthCutsFrames) {
  for (const auto format : {replay::CaptureFormat::pcap, replay::CaptureFormat::pcapng}) {
    std::ostringstream file;
    replay::CaptureWriter writer(file, format, 61);
    EXPECT_TRUE(writer.write(0, frame_of(sample("192.0.2.1", "192.0.2.2", 100))));
    EXPECT_EQ(writer.frames(), 1U);
    const std::string octets = file.str();
    const CaptureRead read = read_capture(Bytes(octets.begin(), octets.end()));
    ASSERT_EQ(read.segments.size(), 1U);
    EXPECT_EQ(read.segments[0].captured, 7U);
    EXPECT_EQ(read.segments[0].octets.size(), 100U);
  }
}

TEST(CaptureWriter, TellsThatItsFileFailed) {
  std::ostringstream file;
  replay::CaptureWriter writer(file);
  replay::PcapSink sink(writer);
  sink.captured(sample("192.0.2.1", "192.0.2.2", 1), 0);
  EXPECT_FALSE(sink.failed());
  file.setstate(std::ios::badbit);
  sink.captured(sample("192.0.2.1", "192.0.2.2", 1), 0);
  EXPECT_TRUE(sink.failed());
  EXPECT_EQ(writer.frames(), 1U);
}

}  // namespace
}  // namespace iwarp::test
