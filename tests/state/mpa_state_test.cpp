// Start-up frames: roles, modes, IRD and ORD, ready-to-receive (RFC 5044 §7.1, RFC 6581 §9).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

StartupFact plain(bool markers, bool crc) {
  StartupFact fact;
  fact.markers = markers;
  fact.crc = crc;
  return fact;
}

TEST(MpaState, MarkersAreADemandOnThePeer) {
  Scene scene;
  scene.open();
  scene.request(a, plain(true, false));
  scene.reply(b, plain(false, false));
  EXPECT_EQ(scene.side(b).markers, Mode::on);
  EXPECT_EQ(scene.side(a).markers, Mode::off);
  EXPECT_EQ(scene.side(a).crc, Mode::off);
  EXPECT_TRUE(scene.state.mpa.accepted);
}

TEST(MpaState, CrcIsInUseWhenEitherAsks) {
  for (const bool in_request : {false, true}) {
    Scene scene;
    scene.open();
    scene.request(a, plain(false, in_request));
    scene.reply(b, plain(false, !in_request));
    EXPECT_EQ(scene.side(a).crc, Mode::on);
    EXPECT_EQ(scene.side(b).crc, Mode::on);
  }
}

TEST(MpaState, ModesOfOneFrameAlone) {
  Scene scene;
  scene.open();
  scene.request(a, plain(true, false));
  EXPECT_EQ(scene.side(b).markers, Mode::on);
  EXPECT_EQ(scene.side(a).markers, Mode::unknown);
  EXPECT_EQ(scene.side(a).crc, Mode::unknown);

  Scene reply_only;
  reply_only.open(OpenedBy::midstream);
  reply_only.reply(b, plain(true, true));
  EXPECT_EQ(reply_only.state.initiator, a);
  EXPECT_EQ(reply_only.side(a).markers, Mode::on);
  EXPECT_EQ(reply_only.side(b).markers, Mode::unknown);
  EXPECT_EQ(reply_only.side(a).crc, Mode::on);
  EXPECT_FALSE(reply_only.state.mpa.accepted);
}

TEST(MpaState, RolesComeFromTheFramesNotFromTheSyn) {
  Scene scene;
  scene.open();
  EXPECT_EQ(scene.state.role_basis, RoleBasis::syn);
  scene.request(b, plain(false, true));
  scene.reply(a, plain(false, true));
  EXPECT_EQ(scene.state.initiator, b);
  EXPECT_EQ(scene.state.role_basis, RoleBasis::mpa);
  EXPECT_EQ(scene.state.role_of(a), Role::responder);
}

TEST(MpaState, EffectiveDepths) {
  Scene scene;
  scene.open();
  scene.negotiate({false, false, false, false, 4, 20}, {false, false, false, false, 8, 3});
  const MpaState& mpa = scene.state.mpa;
  EXPECT_EQ(mpa.limits_source, LimitsSource::mpa);
  EXPECT_EQ(mpa.ord[0].offered, 20U);
  EXPECT_EQ(mpa.ord[0].effective, 8U);
  EXPECT_EQ(mpa.ird[0].effective, 4U);
  EXPECT_EQ(mpa.ord[1].effective, 3U);
  EXPECT_EQ(mpa.ird[1].effective, 8U);
}

TEST(MpaState, NotNegotiatedIsUnknown) {
  Scene scene;
  scene.open();
  scene.negotiate({false, false, false, false, 16, 0x3fff}, {false, false, false, false, 0x3fff, 16});
  const MpaState& mpa = scene.state.mpa;
  EXPECT_EQ(mpa.ord[0].offered, 0x3fffU);
  EXPECT_FALSE(mpa.ord[0].effective);
  EXPECT_FALSE(mpa.ird[1].effective);
  EXPECT_EQ(mpa.ord[1].effective, 16U);
  EXPECT_EQ(mpa.ird[0].effective, 16U);
}

TEST(MpaState, SmbdWords) {
  Scene scene;
  scene.open();
  StartupFact fact;
  fact.has_smbd = true;
  fact.smbd_ird = fact.smbd_ord = 16;
  fact.private_data_length = fact.private_data_received = 8;
  scene.request(a, fact);
  EXPECT_EQ(scene.state.mpa.limits_source, LimitsSource::none);
  fact.smbd_ird = 4;
  scene.reply(b, fact);
  EXPECT_EQ(scene.state.mpa.limits_source, LimitsSource::smbd);
  EXPECT_EQ(scene.state.mpa.ord[0].effective, 4U);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(MpaState, RejectedStartupLeadsBackToStreaming) {
  Scene scene;
  scene.open();
  scene.request(a, plain(true, true));
  StartupFact refusal;
  refusal.rejected = true;
  scene.reply(b, refusal);
  EXPECT_TRUE(scene.state.mpa.rejected);
  EXPECT_FALSE(scene.state.mpa.accepted);
  EXPECT_EQ(scene.side(a).phase, Phase::streaming);
  EXPECT_EQ(scene.side(b).phase, Phase::streaming);
  EXPECT_EQ(scene.side(b).markers, Mode::unknown);
  EXPECT_EQ(scene.side(a).qp.value, QpValue::idle);
  EXPECT_EQ(scene.side(a).qp.evidence, QpEvidence::startup_rejected);
}

TEST(MpaState, SecondStartupBeginsAnew) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 10, false);
  scene.read_request(a, 1, 100);
  scene.request(a, plain(false, false));
  EXPECT_EQ(scene.count(CheckId::verbs_restart), 1U);
  EXPECT_EQ(scene.messages.back().end, MessageEnd::unknown);
  EXPECT_EQ(scene.operations.back().status, OperationStatus::unanswered);
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
  scene.reply(b, plain(false, false));
  EXPECT_EQ(scene.state.mpa.startups, 2U);
  EXPECT_EQ(scene.side(a).crc, Mode::off);
  scene.send(a, 1);
  scene.send(b, 1);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(MpaState, CrossingRequestsStartNothing) {
  Scene scene;
  scene.open();
  scene.request(a);
  scene.request(b);
  EXPECT_EQ(scene.verdict(), "MPA-INITINIT");
  EXPECT_TRUE(scene.state.mpa.crossed);
  EXPECT_FALSE(scene.state.mpa.accepted);
  EXPECT_EQ(scene.count(CheckId::verbs_restart), 0U);
}

wire::EnhancedWord rtr(bool send, bool write, bool read) {
  return {true, send, write, read, 16, 16};
}

TEST(MpaState, RtrReadTakesAnMsn) {
  Scene scene;
  scene.open();
  scene.negotiate(rtr(false, true, true), rtr(false, false, true));
  scene.read_request(a, 1, 0, 1, 0, 1, 0);
  EXPECT_EQ(scene.state.mpa.rtr, RtrKind::read);
  EXPECT_TRUE(scene.messages.back().rtr);
  EXPECT_EQ(scene.side(a).outstanding(), 1U);
  scene.read_response(b, 0, 1, 0);
  scene.read_request(a, 2, 100);
  EXPECT_FALSE(scene.messages.back().rtr);
  scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(MpaState, RtrSendTakesAnMsnAndABuffer) {
  Scene scene;
  scene.open();
  scene.negotiate(rtr(true, false, false), rtr(true, false, false));
  scene.send(a, 1, 0);
  EXPECT_EQ(scene.state.mpa.rtr, RtrKind::send);
  EXPECT_TRUE(scene.messages.back().rtr);
  EXPECT_EQ(scene.side(a).rq_consumed, 1U);
  scene.send(a, 2);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(MpaState, RtrWriteTakesNothing) {
  Scene scene;
  scene.open();
  scene.negotiate(rtr(false, true, false), rtr(false, true, true));
  scene.tagged(a, {Opcode::rdma_write, 1, 0, 0});
  EXPECT_EQ(scene.state.mpa.rtr, RtrKind::write);
  scene.send(a, 1);
  EXPECT_EQ(scene.verdict(), "");
}

}  // namespace
}  // namespace iwarp::testing
