// Scenarios I: what trackers of drivers and storage software tell of real peers, where no other scenario has
// it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"
#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

Conversation peer_to_peer(bool write, bool read) {
  const Startup enhanced = {
      .word = Depths{.peer_to_peer = true, .rtr_write = write, .rtr_read = read, .ird = 8, .ord = 8}};
  return operating(enhanced, enhanced);
}

TEST(ScenarioI, I4_EachOfSeveralAgreedKindsWillDo) {
  Conversation by_write = peer_to_peer(true, true);
  by_write.fpdu(a, write(1, 0));
  by_write.close();
  expect_ids(by_write, {});
  Conversation by_read = peer_to_peer(true, true);
  by_read.fpdu(a, read_request(1, {.sink_stag = 1, .source_stag = 1}));
  by_read.fpdu(b, read_response(1, 0));
  by_read.close();
  expect_ids(by_read, {});
}

// Of a zero-length message the STag is not looked at (RFC 5040 §5.2.1, RFC 6581 §9.2).
TEST(ScenarioI, I4_ReadyToReceiveWithStagZero) {
  Conversation by_write = peer_to_peer(true, false);
  by_write.fpdu(a, write(0, 0));
  by_write.close();
  expect_ids(by_write, {});
  Conversation by_read = peer_to_peer(false, true);
  by_read.fpdu(a, read_request(1, {.sink_stag = 0, .source_stag = 0}));
  by_read.fpdu(b, read_response(0, 0));
  by_read.close();
  expect_ids(by_read, {});
}

// New octets, not a retransmission: they stand where an FPDU is due.
TEST(ScenarioI, I9_AReplyTwice) {
  Established c;
  c.fpdu(a, send(1, pattern(40)));
  const Packets twice = c.Conversation::send(b, reply_frame());
  c.fpdu(b, send(1, pattern(40)));
  c.fpdu(a, send(2, pattern(40)));
  for (std::uint32_t i = 2; i < 12; ++i) c.fpdu(b, send(i, pattern(40)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"MPA-SYNC"}) << result.told();
  const std::vector<Event> found = result.findings("MPA-SYNC");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].side, b);
  EXPECT_EQ(found[0].finding.evidence[0], c.at(twice));
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 13U);
}

}  // namespace
}  // namespace iwarp::test
