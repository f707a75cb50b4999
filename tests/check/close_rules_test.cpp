// Rules of how a connection ends (Verbs 1.0 §6.2, §6.6.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

TEST(Badclose, OwnRequestUnanswered) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.fin(a);
  EXPECT_EQ(scene.only(CheckId::verbs_badclose).arguments, (std::vector<std::uint64_t>{1, 0}));
}

TEST(Badclose, InboundRequestUnserved) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.fin(b);
  EXPECT_EQ(scene.only(CheckId::verbs_badclose).arguments, (std::vector<std::uint64_t>{0, 1}));

  Scene crossing;
  crossing.converse();
  const StreamOffset before = crossing.end[0];
  crossing.read_request(a, 1, 100);
  crossing.ack(before).fin(b);
  EXPECT_EQ(crossing.count(CheckId::verbs_badclose), 0U) << "it had not arrived";
}

TEST(Badclose, Undecidable) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.gap(b, 120);
  scene.fin(a);
  EXPECT_EQ(scene.count(CheckId::verbs_badclose), 0U);
  EXPECT_EQ(scene.undecided(CheckId::verbs_badclose, Reason::gap), 1U);
}

TEST(Badclose, NotBehindATerminate) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.terminate(b, {0, 0, 0, 0});
  scene.part();
  EXPECT_EQ(scene.verdict(), "");
}

TEST(Closeterm, AnswerToABadClose) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.fin(a);
  const FrameNumber fin = scene.frame;
  scene.acknowledged(b);
  scene.terminate(b, {0x02, 0x07, 0, 0});
  EXPECT_EQ(scene.only(CheckId::verbs_closeterm).arguments, (std::vector<std::uint64_t>{0x0207, fin}));
  EXPECT_EQ(scene.count(CheckId::rdmap_afterfin), 0U);
  EXPECT_EQ(scene.count(CheckId::verbs_closedata), 0U);
  EXPECT_EQ(scene.count(CheckId::rdmap_termwhy), 0U);
}

TEST(Afterfin, SendBehindAnAcknowledgedFin) {
  Scene scene;
  scene.converse();
  scene.fin(a);
  const FrameNumber fin = scene.frame;
  scene.acknowledged(b);
  scene.send(b, 2);
  scene.send(b, 3);
  EXPECT_EQ(scene.only(CheckId::rdmap_afterfin).arguments, (std::vector<std::uint64_t>{3, fin}));
  EXPECT_EQ(scene.count(CheckId::verbs_closedata), 0U);
}

TEST(Closedata, SendThatArrivesBehindTheFin) {
  Scene scene;
  scene.converse();
  scene.fin(a);
  scene.send(b, 2);
  EXPECT_EQ(scene.only(CheckId::verbs_closedata).side, b);
  EXPECT_EQ(scene.count(CheckId::rdmap_afterfin), 0U);
}

TEST(Closedata, NotWhereTheClosingSideWasNotReadToItsEnd) {
  Scene scene;
  scene.converse();
  const StreamOffset before = scene.end[1];
  scene.send(b, 2);
  scene.ack(before).fin(a, {.inside_fpdu = true, .missing = true});  // a Terminate may be what seems open
  EXPECT_EQ(scene.count(CheckId::verbs_closedata), 0U);
  EXPECT_EQ(scene.undecided(CheckId::verbs_closedata, Reason::gap), 1U);
}

TEST(Cut, InsideAnFpduOrAMessage) {
  Scene fpdu;
  fpdu.converse();
  fpdu.fin(a, {true, false});
  EXPECT_EQ(fpdu.only(CheckId::mpa_cut).arguments[1], static_cast<std::uint64_t>(Phrase::in_fpdu));

  Scene message;
  message.converse();
  message.send(a, 2, 100, false);
  message.rst(a);
  message.close(CloseCause::rst);
  EXPECT_EQ(message.only(CheckId::mpa_cut).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::rst),
                                        static_cast<std::uint64_t>(Phrase::in_message)}));
  Scene write;
  write.converse();
  write.tagged(a, {Opcode::rdma_write, 5, 0, 10, false});
  write.fin(a);
  EXPECT_EQ(write.count(CheckId::mpa_cut), 1U);
}

TEST(Cut, Undecidable) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, false);
  scene.gap(a, 100);
  scene.fin(a, {true, true});
  EXPECT_EQ(scene.count(CheckId::mpa_cut), 0U);
  EXPECT_EQ(scene.undecided(CheckId::mpa_cut, Reason::gap), 1U);
}

TEST(Cut, ATerminateMayInterrupt) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 100, false);
  scene.terminate(a, {0, 0, 0, 0});
  scene.part();
  EXPECT_EQ(scene.count(CheckId::mpa_cut), 0U);
}

TEST(Rst, InRts) {
  Scene scene;
  scene.converse();
  scene.rst(b);
  scene.rst(a);
  scene.close(CloseCause::rst);
  EXPECT_EQ(scene.only(CheckId::verbs_rst).side, b);

  Scene closing;
  closing.converse();
  closing.fin(a);
  closing.acknowledged(b);
  closing.rst(b);
  closing.close(CloseCause::rst);
  EXPECT_EQ(closing.count(CheckId::verbs_rst), 0U);

  Scene gapped;
  gapped.converse();
  gapped.gap(a, 30);
  gapped.rst(b);
  gapped.close(CloseCause::rst);
  EXPECT_EQ(gapped.count(CheckId::verbs_rst), 0U);
  EXPECT_EQ(gapped.undecided(CheckId::verbs_rst, Reason::gap), 1U);
}

TEST(Rst, WhatComesBehindItShowsThatOctetsWereMissed) {
  for (const Side lacking : {a, b}) {
    Scene scene;
    scene.converse();
    scene.rst(b);
    scene.gap(lacking, 28);
    scene.close(CloseCause::rst);
    EXPECT_EQ(scene.count(CheckId::verbs_rst), 0U);
    EXPECT_EQ(scene.undecided(CheckId::verbs_rst, Reason::gap), 1U);
  }
}

TEST(Rrlost, UnansweredAtTheEnd) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  const FrameNumber asked = scene.frame;
  scene.read_request(a, 2, 100);
  scene.rst(b);
  scene.close(CloseCause::rst);
  EXPECT_EQ(scene.only(CheckId::rdmap_rrlost).arguments, (std::vector<std::uint64_t>{2, asked}));
  EXPECT_EQ(scene.operations.back().status, OperationStatus::unanswered);
}

TEST(Rrlost, Undecidable) {
  Scene end;
  end.converse();
  end.read_request(a, 1, 100);
  end.close(CloseCause::capture_end);
  EXPECT_EQ(end.undecided(CheckId::rdmap_rrlost, Reason::capture_end), 1U);
  EXPECT_EQ(end.operations.back().status, OperationStatus::unknown);

  Scene gapped;
  gapped.converse();
  gapped.read_request(a, 1, 100);
  gapped.gap(b, 120);
  gapped.close(CloseCause::fin);
  EXPECT_EQ(gapped.count(CheckId::rdmap_rrlost), 0U);
  EXPECT_EQ(gapped.operations.back().status, OperationStatus::unknown);
}

TEST(Rqstall, ZeroWindow) {
  Scene scene;
  scene.converse();
  scene.send(a, 2);
  scene.window(b, true);
  scene.window(b, false);
  scene.window(b, true);
  EXPECT_EQ(scene.only(CheckId::verbs_rqstall).side, b);
  EXPECT_EQ(scene.verdict(), "");

  Scene writes;
  writes.converse();
  writes.tagged(a, {Opcode::rdma_write, 5, 0, 10});
  writes.window(b, true);
  EXPECT_EQ(writes.count(CheckId::verbs_rqstall), 0U);
}

TEST(Rqstall, TheSameOctetsAgainAndAgain) {
  Scene scene;
  scene.converse();
  const StreamOffset begin = scene.end[0];
  scene.send(a, 2);
  scene.retransmitted(a, begin, 36);
  scene.retransmitted(a, begin, 36, true);
  scene.retransmitted(a, begin, 36);
  EXPECT_EQ(scene.count(CheckId::verbs_rqstall), 0U);
  scene.retransmitted(a, begin, 36);
  EXPECT_EQ(scene.only(CheckId::verbs_rqstall).arguments[0],
            static_cast<std::uint64_t>(Phrase::retransmission));
}

}  // namespace
}  // namespace iwarp::testing
