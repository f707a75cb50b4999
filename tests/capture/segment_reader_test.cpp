// From a capture file to its TCP segments, and the totals.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/capture/segment_reader.hpp>

#include "capture/capture_files.hpp"
#include "capture/frames.hpp"

namespace iwarp::test {
namespace {

const ByteOrder order = ByteOrder::little();

TEST(SegmentReader, DeliversTcpAndCountsTheRest) {
  const Bytes arp = ethernet(0x0806, zeros(28)),
              datagram = ethernet(0x0800, ipv4({.protocol = 17}, udp(53, {})));
  const Bytes first = ethernet(0x0800, tcp4({.payload = text("first")}));
  const Bytes second = ethernet(0x86dd, tcp6({.payload = text("second")}));
  const Bytes file =
      cat({pcap_header(order, pcap_us), pcap_record(order, 1, 0, arp), pcap_record(order, 2, 0, first),
           pcap_record(order, 3, 0, datagram), pcap_record(order, 4, 0, second, {}, 79), zeros(3)});
  ASSERT_EQ(second.size(), 80U);

  std::string error;
  const auto records = capture::RecordReader::open_memory(file, "a.pcap", error);
  ASSERT_TRUE(records) << error;
  capture::SegmentReader reader(*records);
  TcpSegment segment;
  ASSERT_TRUE(reader.next(segment));
  EXPECT_EQ(segment.frame, 2U);
  EXPECT_EQ(segment.time_ns, 2'000'000'000);
  EXPECT_EQ(Bytes(segment.payload.begin(), segment.payload.end()), text("first"));
  ASSERT_TRUE(reader.next(segment));
  EXPECT_EQ(segment.frame, 4U);
  EXPECT_EQ(Bytes(segment.payload.begin(), segment.payload.end()), text("secon"));
  EXPECT_FALSE(reader.next(segment));
  EXPECT_FALSE(reader.next(segment));

  EXPECT_EQ(reader.frames(), 4U);
  EXPECT_EQ(reader.segments(), 2U);
  EXPECT_EQ(reader.octets(), arp.size() + first.size() + datagram.size() + 79);
  EXPECT_EQ(reader.skipped(), (Skipped{{"not IP", 1}, {"not TCP", 1}}));
  ASSERT_TRUE(records->damage());
}

TEST(SegmentReader, StepsThroughFramesWithoutTcp) {
  const Bytes arp = ethernet(0x0806, zeros(28));
  const Bytes file = cat(pcap_header(order, pcap_us), pcap_record(order, 1, 0, arp),
                         pcap_record(order, 2, 0, ethernet(0x0800, tcp4({}))));
  std::string error;
  const auto records = capture::RecordReader::open_memory(file, "a.pcap", error);
  ASSERT_TRUE(records) << error;
  capture::SegmentReader reader(*records);
  using Step = capture::SegmentReader::Step;
  TcpSegment segment;
  EXPECT_EQ(reader.step(segment), Step::skipped);
  EXPECT_EQ(reader.step(segment), Step::segment);
  EXPECT_EQ(reader.step(segment), Step::end);
  EXPECT_FALSE(records->damage());
}

}  // namespace
}  // namespace iwarp::test
