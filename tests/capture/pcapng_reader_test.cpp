// pcapng files: sections, interfaces, times, every kind of block, damage.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/capture/record_reader.hpp>

#include <limits>

#include "capture/capture_files.hpp"

namespace iwarp::test {
namespace {

constexpr TimeNs max_time = std::numeric_limits<TimeNs>::max();

TEST(Pcapng, OctetByOctet) {
  const Reading reading = read_octets(
      hex("0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c"
          "00000001 00000014 0001 0000 00040000 00000014"
          "00000006 00000028 00000000 00060a24 181e4000 00000005 000005dc 0102030405000000 00000028"));
  ASSERT_EQ(reading.error, "");
  ASSERT_EQ(reading.damage, "");
  ASSERT_EQ(reading.records.size(), 1U);
  const OwnedRecord& record = reading.records[0];
  EXPECT_EQ(record.meta.number, 1U);
  EXPECT_EQ(record.meta.time_ns, 1'700'000'000'000'000'000);  // 60a24181e4000 microseconds
  EXPECT_TRUE(record.meta.has_time);
  EXPECT_EQ(record.meta.link_type, 1U);
  EXPECT_EQ(record.meta.wire_length, 1500U);
  EXPECT_EQ(record.octets, hex("0102030405"));
}

class InBothByteOrders : public testing::TestWithParam<bool> {
 protected:
  const ByteOrder order = GetParam() ? ByteOrder::big() : ByteOrder::little();
};

INSTANTIATE_TEST_SUITE_P(Pcapng, InBothByteOrders, testing::Values(false, true),
                         [](const auto& chosen) { return chosen.param ? "Big" : "Little"; });

TEST_P(InBothByteOrders, EveryKindOfPacketBlockIsARecord) {
  const Bytes octets = pattern(9);
  const Bytes old_packet = block(
      order, 2,
      cat(order.u16(1), order.u16(77), order.u32(0), order.u32(5), order.u32(9), order.u32(90), octets));
  const Bytes simple = block(order, 3, cat(order.u32(9), octets));
  const Bytes simple_cut = block(order, 3, cat(order.u32(1000), pattern(64)));
  const Bytes statistics = block(order, 5, cat(order.u32(0), zeros(8)));
  const Bytes custom = block(order, 0x00000bad, pattern(1000));
  const Reading reading = read_octets(
      cat({section(order), custom, interface(order, 1, 64), interface(order, 113), statistics,
           enhanced_packet(order, 1, 3, octets), old_packet, custom, simple, simple_cut, statistics}));
  ASSERT_EQ(reading.damage, "");
  ASSERT_EQ(reading.records.size(), 4U);
  EXPECT_EQ(reading.records[0].meta.link_type, 113U);
  EXPECT_EQ(reading.records[0].meta.interface, 1U);
  EXPECT_EQ(reading.records[0].meta.time_ns, 3000);
  EXPECT_EQ(reading.records[1].meta.number, reading.records[0].meta.number + 1);
  EXPECT_EQ(reading.records[1].meta.interface, 1U);
  EXPECT_EQ(reading.records[1].meta.time_ns, 5000);
  EXPECT_EQ(reading.records[1].meta.wire_length, 90U);
  EXPECT_EQ(reading.records[2].meta.link_type, 1U);
  EXPECT_EQ(reading.records[2].meta.interface, 0U);
  EXPECT_FALSE(reading.records[2].meta.has_time);
  EXPECT_EQ(reading.records[2].meta.time_ns, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reading.records[static_cast<std::size_t>(i)].octets, octets);
  EXPECT_EQ(reading.records[3].meta.wire_length, 1000U);
  EXPECT_EQ(reading.records[3].octets, pattern(64));
}

TEST_P(InBothByteOrders, FrameNumbersAreWiresharks) {
  const auto number_behind = [&](std::uint32_t type) {
    const Reading reading =
        read_octets(cat({section(order), interface(order, 1), enhanced_packet(order, 0, 1, pattern(9)),
                         block(order, type, pattern(40)), enhanced_packet(order, 0, 2, pattern(9))}));
    EXPECT_EQ(reading.damage, "");
    return reading.records.back().meta.number;
  };
  // Records that are no packets: a systemd journal entry, custom blocks, Sysdig's events.
  for (const std::uint32_t type : {9U, 0xbadU, 0x40000badU, 0x204U, 0x216U, 0x221U})
    EXPECT_EQ(number_behind(type), 3U) << type;
  // No records: names, statistics, secrets, Sysdig's lists and events with flags, and what nobody knows.
  for (const std::uint32_t type : {4U, 5U, 7U, 8U, 10U, 0x101U, 0x201U, 0x207U, 0x208U, 0x217U, 0x222U,
                                   0x7777U, 0x80000009U, 0x80000001U})
    EXPECT_EQ(number_behind(type), 2U) << type;
}

TEST_P(InBothByteOrders, SimplePacketIsCutByTheInterfacesSnapshotLength) {
  // Padding to four octets is no part of the packet.
  const Bytes simple = block(order, 3, cat(order.u32(1000), pattern(61)));
  const Reading reading = read_octets(cat(section(order), interface(order, 1, 61), simple));
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.records[0].octets, pattern(61));
}

TEST_P(InBothByteOrders, TimeResolutions) {
  struct Case {
    unsigned resolution;
    std::uint64_t ticks;
    TimeNs time_ns;
  };
  constexpr std::uint64_t most = ~0ULL;
  for (const Case& each : std::initializer_list<Case>{
           {0, 1'700'000'000, 1'700'000'000'000'000'000},
           {3, 1'700'000'000'123, 1'700'000'000'123'000'000},
           {6, 1'700'000'000'123'456, 1'700'000'000'123'456'000},
           {9, 1'700'000'000'123'456'789, 1'700'000'000'123'456'789},
           {12, 1'234'567, 1'234},
           {28, most, 1},
           {30, most, 0},
           {127, most, 0},
           {0, 10'000'000'000, max_time},
           {9, most, max_time},
           {0x80, 17, 17'000'000'000},
           {0x81, 3, 1'500'000'000},
           {0x8a, 1024 + 1, 1'000'976'562},                     // 2^-10
           {0xa0, (5ULL << 32) + (1ULL << 31), 5'500'000'000},  // 2^-32, as NTP
           {0xbf, most, 1'999'999'999},                         // 2^-63
           {0xc0, most, 999'999'999},                           // 2^-64
           {0xff, most, 0},
           {0x80, most, max_time},
       }) {
    const Bytes options =
        cat(option(order, 2, text("eth0")), option(order, 9, {static_cast<Byte>(each.resolution)}));
    const Reading reading = read_octets(cat(section(order), interface(order, 1, 0, options),
                                            enhanced_packet(order, 0, each.ticks, zeros(4))));
    ASSERT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.records[0].meta.time_ns, each.time_ns) << each.resolution << ' ' << each.ticks;
  }
}

TEST_P(InBothByteOrders, TimeOffsets) {
  struct Case {
    std::int64_t offset;
    std::uint64_t ticks;
    TimeNs time_ns;
  };
  for (const Case& each : std::initializer_list<Case>{
           {1'700'000'000, 5, 1'700'000'000'000'005'000},
           {-1, 5, -999'995'000},
           {std::numeric_limits<std::int64_t>::max(), 5, max_time},
           {std::numeric_limits<std::int64_t>::min(), 0, std::numeric_limits<TimeNs>::min()},
       }) {
    const Bytes options = option(order, 14, order.u64(static_cast<std::uint64_t>(each.offset)));
    const Reading reading = read_octets(cat(section(order), interface(order, 1, 0, options),
                                            enhanced_packet(order, 0, each.ticks, zeros(4))));
    ASSERT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.records[0].meta.time_ns, each.time_ns);
  }
}

TEST_P(InBothByteOrders, OptionsThatMakeNoSenseAreLeftOut) {
  for (const Bytes& options :
       {cat(option(order, 0, {}), option(order, 9, {9})),              // behind the end
        cat(order.u16(9), order.u16(200), order.u32(9)),               // longer than the block
        option(order, 9, {9, 9}), cat(order.u16(9), order.u16(1))}) {  // wrong length; no value
    const Reading reading = read_octets(
        cat(section(order), interface(order, 1, 0, options), enhanced_packet(order, 0, 7, zeros(4))));
    ASSERT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.records[0].meta.time_ns, 7000);
  }
}

// The first comment of a packet is told; those of the interface, and of other kinds of blocks, are not.
TEST_P(InBothByteOrders, CommentsOfPackets) {
  const Bytes octets = pattern(9);  // and three octets of padding
  const auto packet = [&](const Bytes& options) {
    return block(
        order, 6,
        cat(order.u32(0), order.u32(0), order.u32(1), order.u32(9), order.u32(9), octets, zeros(3), options));
  };
  const Bytes file =
      cat({section(order), interface(order, 1, 0, option(order, 1, text("of the interface"))), packet({}),
           packet(cat(option(order, 2, zeros(4)), option(order, 1, text("first")),
                      option(order, 1, text("second")), option(order, 0, {}))),
           packet(cat(option(order, 0, {}), option(order, 1, text("behind the end")))),
           packet(cat(order.u16(1), order.u16(40), zeros(4))),
           block(order, 3, cat(order.u32(9), octets, zeros(3)))});
  std::string error;
  const auto records = capture::RecordReader::open_memory(file, "comments", error);
  ASSERT_TRUE(records) << error;
  std::vector<std::string> comments;
  for (capture::Record record; records->next(record);) {
    EXPECT_EQ(Bytes(record.octets.begin(), record.octets.end()), octets);
    comments.emplace_back(record.comment);
  }
  EXPECT_FALSE(records->damage());
  EXPECT_EQ(comments, (std::vector<std::string>{"", "first", "", "", ""}));
}

TEST(Pcapng, SectionsChangeByteOrderAndInterfaces) {
  const ByteOrder big = ByteOrder::big(), little = ByteOrder::little();
  const Reading reading = read_octets(
      cat({section(big), interface(big, 1), interface(big, 101), enhanced_packet(big, 1, 1, pattern(5)),
           section(little), interface(little, 276), enhanced_packet(little, 0, 2, pattern(6))}));
  ASSERT_EQ(reading.damage, "");
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(reading.records[0].meta.link_type, 101U);
  EXPECT_EQ(reading.records[0].meta.interface, 1U);
  EXPECT_EQ(reading.records[1].meta.link_type, 276U);
  EXPECT_EQ(reading.records[1].meta.interface, 2U);
  EXPECT_EQ(reading.records[1].meta.number, 2U);
  EXPECT_EQ(reading.records[1].octets, pattern(6));
}

TEST_P(InBothByteOrders, InterfacesOfASectionAreCounted) {
  constexpr std::size_t most = 65536;
  const Bytes one = interface(order, 1);
  Bytes file = section(order);
  for (std::size_t i = 0; i < most; ++i) file.insert(file.end(), one.begin(), one.end());
  const Bytes last = enhanced_packet(order, most - 1, 1, pattern(5));
  EXPECT_EQ(read_octets(cat(file, last)).records.size(), 1U);
  const Reading reading = read_octets(cat(file, one, last));
  EXPECT_EQ(reading.records.size(), 0U);
  EXPECT_EQ(reading.damage_offset, file.size());
  EXPECT_NE(reading.damage.find(" describes one interface more than the 65536 of a section that are read"),
            std::string::npos)
      << reading.damage;
}

TEST_P(InBothByteOrders, WhatHoldsNoPacketIsPassedOverUntilCancelled) {
  Bytes file = cat(section(order), interface(order, 1), enhanced_packet(order, 0, 1, pattern(5)));
  const Bytes names = block(order, 4, zeros(8));
  for (unsigned i = 0; i < 1000; ++i) file.insert(file.end(), names.begin(), names.end());
  file = cat(file, enhanced_packet(order, 0, 2, pattern(5)));
  const TemporaryFile there(file);
  for (const bool cancelled : {false, true}) {
    std::string error;
    const auto reader = capture::RecordReader::open(there.path(), error, [&] { return cancelled; });
    ASSERT_TRUE(reader) << error;
    capture::Record record;
    EXPECT_TRUE(reader->next(record));
    EXPECT_EQ(reader->next(record), !cancelled);
    EXPECT_EQ(reader->damage().has_value(), cancelled);
  }
}

TEST_P(InBothByteOrders, CutAnywhereKeepsWhatCameBefore) {
  const Bytes start = cat(section(order), interface(order, 1));
  const Bytes first = enhanced_packet(order, 0, 1, pattern(10));
  const Bytes skipped = block(order, 0xbad, pattern(40));
  const Bytes file = cat(start, first, skipped);
  for (std::size_t size = start.size() + 1; size < file.size(); ++size) {
    const Reading reading = read_octets(part(file, 0, size));
    if (size == start.size() + first.size()) {
      EXPECT_EQ(reading.damage, "");
    } else if (size < start.size() + first.size()) {
      EXPECT_EQ(reading.damage, "a.pcap: block 3 at 0x30 is longer than the file");
      EXPECT_EQ(reading.records.size(), 0U);
    } else {
      EXPECT_EQ(reading.damage, "a.pcap: block 4 at 0x5c is longer than the file");
      EXPECT_EQ(reading.damage_offset, 0x5cU);
      EXPECT_EQ(reading.records.size(), 1U);
    }
  }
  for (std::size_t size = 4; size < 28; ++size) {
    EXPECT_EQ(read_octets(part(file, 0, size)).error, "a.pcap: block 1 at 0x0 is longer than the file");
  }
}

TEST_P(InBothByteOrders, DamagedBlocksEndTheReadingOnce) {
  const Bytes good = cat(section(order), interface(order, 1), enhanced_packet(order, 0, 1, pattern(12)));
  ASSERT_EQ(good.size(), 0x5cU);
  const auto damage_of = [&](const Bytes& bad) {
    const Reading reading = read_octets(cat(good, bad, enhanced_packet(order, 0, 2, pattern(12))));
    EXPECT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.damage_offset, good.size());
    return reading.damage;
  };
  const std::string place = "a.pcap: block 4 at 0x5c ";
  const auto headed = [&](std::uint32_t type, std::uint32_t length) {
    return cat(order.u32(type), order.u32(length), zeros(40));
  };
  for (const std::uint32_t type : {1U, 2U, 3U, 5U, 6U, 0xbadU}) {
    EXPECT_EQ(damage_of(headed(type, 0)), place + "has the impossible length 0");
    EXPECT_EQ(damage_of(headed(type, 8)), place + "has the impossible length 8");
    EXPECT_EQ(damage_of(headed(type, 33)), place + "has the impossible length 33");
    EXPECT_EQ(damage_of(headed(type, 0xfffffffc)), place + "is longer than the file");
    EXPECT_EQ(damage_of(headed(type, 36)), place + "has two different lengths, 36 and 0");
  }
  const auto last_octets = [&](std::uint32_t length) {
    return read_octets(cat(good, order.u32(6), order.u32(length))).damage;
  };
  EXPECT_EQ(last_octets(0), place + "has the impossible length 0");
  EXPECT_EQ(last_octets(10), place + "has the impossible length 10");
  EXPECT_EQ(last_octets(32), place + "is longer than the file");
  EXPECT_EQ(damage_of(headed(6, 28)), place + "has the impossible length 28");
  EXPECT_EQ(damage_of(enhanced_packet(order, 1, 1, pattern(12))),
            place + "names an interface that no block describes");
  Bytes too_much = enhanced_packet(order, 0, 1, pattern(12));
  const Bytes claimed = order.u32(13);
  std::copy(claimed.begin(), claimed.end(), too_much.begin() + 20);
  EXPECT_EQ(damage_of(too_much), place + "is shorter than the packet it holds");
  EXPECT_EQ(damage_of(cat(hex("0a0d0d0a 0000001c 1a2b3c4e"), zeros(16))),
            place + "has an unknown byte order");
  EXPECT_EQ(damage_of(block(order, 0x0a0d0d0a,
                            cat(order.u32(0x1a2b3c4d), order.u16(2), order.u16(0), order.u64(0)))),
            place + "is of an unknown version of pcapng");
}

TEST_P(InBothByteOrders, PacketsBeforeAnyInterface) {
  for (const Bytes& packet : {enhanced_packet(order, 0, 1, zeros(4)), block(order, 3, order.u32(0))}) {
    const Reading reading = read_octets(cat(section(order), packet));
    EXPECT_EQ(reading.damage, "a.pcap: block 2 at 0x1c names an interface that no block describes");
  }
}

}  // namespace
}  // namespace iwarp::test
