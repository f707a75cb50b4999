// Long messages on several connections at once, towards one receiver.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

constexpr std::size_t megabyte = 1'000'000;
constexpr std::size_t segment_size = 1429;  // 700 of them

// A connection from a port of its own to the one server, which has one shared receive queue for all.
Established client(std::uint16_t port) {
  Conversation::Options options;
  options.a = endpoint("192.0.2.1", port);
  return Established({.crc = false}, {.crc = false}, options);
}

TEST(ScenarioD, D19_FourLongSendsMixed) {
  std::vector<Established> clients;
  for (std::uint16_t i = 0; i < 4; ++i) clients.push_back(client(static_cast<std::uint16_t>(40000 + i)));
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (const Bytes& each : send_segments(1, pattern(megabyte, i), segment_size)) clients[i].fpdu(a, each);
    clients[i].close();
  }

  const Analysed result(merge({&clients[0], &clients[1], &clients[2], &clients[3]}));
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  ASSERT_EQ(result.messages(false).size(), 4U);
  for (const Event& each : result.messages()) {
    EXPECT_EQ(each.message.opcode, wire::Opcode::send);
    EXPECT_EQ(each.message.length, megabyte);
    EXPECT_EQ(each.message.segments, 700U);
    EXPECT_EQ(each.message.msn, 1U);
  }
  for (ConnectionId id = 0; id < 4; ++id) {
    EXPECT_EQ(result.side(a, id).rq_consumed, 1U);
    EXPECT_EQ(result.side(a, id).fpdus, 700U);
    EXPECT_EQ(result.side(a, id).payload_octets, megabyte);
    EXPECT_EQ(result.side(a, id).queues[0].next_msn, 2U);
  }
}

TEST(ScenarioD, D19_TheSamePackedIntoFullSegments) {
  Established one = client(40000);
  Established two = client(40001);
  one.packed(a, send_segments(1, pattern(megabyte / 20, 1), segment_size), Cuts::every(1460));
  two.packed(a, send_segments(1, pattern(megabyte / 20, 2), segment_size), Cuts::every(1460));
  one.close();
  two.close();

  const Analysed result(merge({&one, &two}));
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  ASSERT_EQ(result.messages(false).size(), 2U);
  for (const Event& each : result.messages()) EXPECT_EQ(each.message.length, megabyte / 20);
}

}  // namespace
}  // namespace iwarp::test::established
