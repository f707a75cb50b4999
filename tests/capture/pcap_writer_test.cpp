// What is written as pcap reads back as it was.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/capture/pcap_writer.hpp>

#include "capture/capture_files.hpp"

namespace iwarp::test {
namespace {

using namespace iwarp::capture;

Record record_of(TimeNs time_ns, const Bytes& octets, std::uint64_t wire_length) {
  Record record;
  record.time_ns = time_ns;
  record.has_time = true;
  record.octets = octets;
  record.wire_length = wire_length;
  return record;
}

TEST(PcapWriter, OctetByOctet) {
  const Bytes octets = hex("010203");
  Bytes file;
  append_pcap_header(file, link_type::linux_sll2, 0x40000);
  append_pcap_record(file, record_of(1'700'000'000'123'456'789, octets, 1500));
  EXPECT_EQ(file, hex("4d3cb2a1 0200 0400 00000000 00000000 00000400 14010000"
                      "00f15365 15cd5b07 03000000 dc050000 010203"));
}

TEST(PcapWriter, RecordsReadBackAsTheyWere) {
  const Bytes octets[] = {pattern(60), {}, pattern(262'144), pattern(7)};
  const TimeNs times[] = {0, 1'700'000'000'999'999'999, 4'294'967'295'000'000'001, 5};
  const std::uint64_t wire_lengths[] = {60, 1, 262'144, std::uint64_t{1} << 40U};
  Bytes file;
  append_pcap_header(file, link_type::raw, 262'144);
  for (std::size_t i = 0; i < 4; ++i)
    append_pcap_record(file, record_of(times[i], octets[i], wire_lengths[i]));
  const Reading reading = read_octets(file);
  ASSERT_EQ(reading.error, "");
  ASSERT_EQ(reading.damage, "");
  ASSERT_EQ(reading.records.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(reading.records[i].octets, octets[i]) << i;
    EXPECT_EQ(reading.records[i].meta.time_ns, times[i]) << i;
    EXPECT_EQ(reading.records[i].meta.link_type, link_type::raw) << i;
    EXPECT_EQ(reading.records[i].meta.wire_length, std::min<std::uint64_t>(wire_lengths[i], 0xffffffff)) << i;
  }
}

}  // namespace
}  // namespace iwarp::test
