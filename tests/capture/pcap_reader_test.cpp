// pcap files in all their kinds, whole and damaged.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "capture/capture_files.hpp"

namespace iwarp::test {
namespace {

TEST(Pcap, OctetByOctet) {
  const Reading reading =
      read_octets(hex("d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000"
                      "00f15365 40e20100 04000000 dc050000 01020304"
                      "01f15365 00000000 00000000 00000000"));
  ASSERT_EQ(reading.error, "");
  ASSERT_EQ(reading.damage, "");
  ASSERT_EQ(reading.records.size(), 2U);
  const OwnedRecord& first = reading.records[0];
  EXPECT_EQ(first.meta.number, 1U);
  EXPECT_EQ(first.meta.time_ns, 1'700'000'000'123'456'000);
  EXPECT_TRUE(first.meta.has_time);
  EXPECT_EQ(first.meta.link_type, 1U);
  EXPECT_EQ(first.meta.interface, 0U);
  EXPECT_EQ(first.meta.wire_length, 1500U);
  EXPECT_EQ(first.octets, hex("01020304"));
  EXPECT_EQ(reading.records[1].meta.number, 2U);
  EXPECT_EQ(reading.records[1].meta.time_ns, 1'700'000'001'000'000'000);
  EXPECT_TRUE(reading.records[1].octets.empty());
}

TEST(Pcap, EveryMagicInBothByteOrders) {
  for (const ByteOrder& order : {ByteOrder::big(), ByteOrder::little()}) {
    const Bytes record = pcap_record(order, 0xfffffff0, 999'999, pattern(33), 2000);
    Reading reading = read_octets(cat(pcap_header(order, pcap_us, 113), record, record));
    ASSERT_EQ(reading.records.size(), 2U);
    EXPECT_EQ(reading.records[1].meta.time_ns, 4'294'967'280'999'999'000);
    EXPECT_EQ(reading.records[1].meta.link_type, 113U);
    EXPECT_EQ(reading.records[1].meta.wire_length, 2000U);
    EXPECT_EQ(reading.records[1].octets, pattern(33));

    reading = read_octets(cat(pcap_header(order, pcap_ns), record));
    ASSERT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.records[0].meta.time_ns, 4'294'967'280'000'999'999);

    // Interface index, protocol, packet type and padding stand between header and octets.
    const Bytes modified = cat(part(record, 0, 16), zeros(8), part(record, 16));
    reading = read_octets(cat(pcap_header(order, pcap_modified), modified, modified));
    ASSERT_EQ(reading.records.size(), 2U);
    EXPECT_EQ(reading.records[1].meta.time_ns, 4'294'967'280'999'999'000);
    EXPECT_EQ(reading.records[1].octets, pattern(33));
    EXPECT_EQ(reading.damage, "");
  }
}

TEST(Pcap, FrameCheckSequenceBitsAreNoLinkType) {
  const ByteOrder order = ByteOrder::little();
  const Reading reading =
      read_octets(cat(pcap_header(order, pcap_us, 0x24000001), pcap_record(order, 0, 0, zeros(60))));
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.records[0].meta.link_type, 1U);
}

TEST(Pcap, WireLengthIsNeverLessThanWhatIsThere) {
  const ByteOrder order = ByteOrder::little();
  const Reading reading =
      read_octets(cat(pcap_header(order, pcap_us), pcap_record(order, 0, 0, zeros(60), 10)));
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.records[0].meta.wire_length, 60U);
}

TEST(Pcap, NoRecordsAtAll) {
  const Reading reading = read_octets(pcap_header(ByteOrder::little(), pcap_us));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.damage, "");
  EXPECT_TRUE(reading.records.empty());
}

TEST(Pcap, CutAnywhereKeepsWhatCameBefore) {
  const ByteOrder order = ByteOrder::little();
  const Bytes file = cat(pcap_header(order, pcap_us), pcap_record(order, 1, 0, pattern(10)),
                         pcap_record(order, 2, 0, pattern(20)));
  const std::size_t first_end = 24 + 26, second_end = first_end + 36;
  ASSERT_EQ(file.size(), second_end);
  for (std::size_t size = 24; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    const Reading reading = read_octets(part(file, 0, size));
    EXPECT_EQ(reading.records.size(), size < first_end ? 0U : 1U);
    if (size == 24 || size == first_end) {
      EXPECT_EQ(reading.damage, "");
    } else if (size < first_end) {
      EXPECT_EQ(reading.damage, "a.pcap: record 1 at 0x18 is longer than the file");
      EXPECT_EQ(reading.damage_offset, 24U);
    } else {
      EXPECT_EQ(reading.damage, "a.pcap: record 2 at 0x32 is longer than the file");
      EXPECT_EQ(reading.damage_offset, first_end);
    }
  }
}

TEST(Pcap, LengthsNobodyWritesAreDamage) {
  const ByteOrder order = ByteOrder::little();
  const Bytes start = cat(pcap_header(order, pcap_us), pcap_record(order, 1, 0, pattern(10)));
  Reading reading = read_octets(cat(start, pcap_record(order, 2, 0, pattern(500), {}, 0xffffffff)));
  EXPECT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.damage, "a.pcap: record 2 at 0x32 is longer than the file");
  reading = read_octets(cat(start, pcap_record(order, 2, 0, pattern(500), {}, 501)));
  EXPECT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.damage, "a.pcap: record 2 at 0x32 is longer than the file");
}

TEST(Pcap, WhatIsNoCaptureIsToldByItsOctets) {
  EXPECT_EQ(read_octets({}).error, "a.pcap: is empty");
  const std::string no_capture = "a.pcap: is no capture file (pcap or pcapng, also in gzip or zstd)";
  EXPECT_EQ(read_octets(hex("d4")).error, no_capture);
  EXPECT_EQ(read_octets(text("#!/bin/sh\n")).error, no_capture);
  EXPECT_EQ(read_octets(zeros(100)).error, no_capture);
  EXPECT_EQ(read_octets(hex("d4c3b2a1 02000400")).error,
            "a.pcap: file header at 0x0 is longer than the file");
}

}  // namespace
}  // namespace iwarp::test
