// The inference table of the queue pairs, every value with every trigger, and whole lives of a connection
// (Verbs 1.0 §6.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "state/qp_state.hpp"
#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using V = QpValue;
using T = QpTrigger;

// What becomes of each value; anything not named stays. The start-up was accepted.
const std::map<std::pair<T, V>, V> moves = {
    {{T::startup_sent, V::idle}, V::startup},
    {{T::startup_sent, V::rts}, V::startup},
    {{T::accept_sent, V::idle}, V::rts},
    {{T::accept_sent, V::startup}, V::rts},
    {{T::startup_rejected, V::startup}, V::idle},
    {{T::fpdu_sent, V::idle}, V::rts},
    {{T::fpdu_sent, V::startup}, V::rts},
    {{T::midstream_fpdu, V::idle}, V::rts},
    {{T::midstream_fpdu, V::startup}, V::rts},
    {{T::peer_fpdu_sent, V::idle}, V::rts},
    {{T::terminate_sent, V::idle}, V::terminate},
    {{T::terminate_sent, V::startup}, V::terminate},
    {{T::terminate_sent, V::rts}, V::terminate},
    {{T::terminate_sent, V::closing}, V::terminate},
    {{T::terminate_received, V::idle}, V::terminate},
    {{T::terminate_received, V::startup}, V::terminate},
    {{T::terminate_received, V::rts}, V::terminate},
    {{T::terminate_received, V::closing}, V::terminate},
    {{T::terminate_acknowledged, V::rts}, V::terminate},
    {{T::terminate_acknowledged, V::closing}, V::terminate},
    {{T::fin_sent, V::rts}, V::closing},
    {{T::fin_sent, V::startup}, V::closing},
    {{T::fin_sent_with_work, V::rts}, V::closing},
    {{T::fin_sent_with_work, V::startup}, V::closing},
    {{T::fin_acknowledged, V::rts}, V::closing},
    {{T::fin_acknowledged, V::startup}, V::closing},
    {{T::fin_acknowledged_with_work, V::rts}, V::terminate},
    {{T::fin_acknowledged_with_work, V::startup}, V::terminate},
    {{T::both_fins_acknowledged, V::closing}, V::idle},
    {{T::both_fins_acknowledged, V::terminate}, V::error},
    {{T::rst_sent, V::rts}, V::error},
    {{T::rst_sent, V::closing}, V::error},
    {{T::rst_sent, V::terminate}, V::error},
    {{T::rst_sent, V::startup}, V::error},
    {{T::rst_received, V::rts}, V::error},
    {{T::rst_received, V::closing}, V::error},
    {{T::rst_received, V::terminate}, V::error},
    {{T::rst_received, V::startup}, V::error},
    {{T::closed, V::terminate}, V::error},
};

TEST(QpTable, EveryValueWithEveryTrigger) {
  for (unsigned t = 0; t < static_cast<unsigned>(T::count); ++t) {
    for (unsigned v = 0; v <= static_cast<unsigned>(V::error); ++v) {
      const auto trigger = static_cast<T>(t);
      const QpState now{static_cast<V>(v), QpEvidence::none, Confidence::high, 7};
      const QpState next = infer(now, trigger, true, false, 9);
      const auto move = moves.find({trigger, now.value});
      const V due = move == moves.end() ? now.value : move->second;
      EXPECT_EQ(next.value, due) << "trigger " << t << " value " << v;
      if (next.value != now.value) {
        EXPECT_EQ(next.frame, 9U);
        EXPECT_NE(next.evidence, QpEvidence::none);
      }
    }
  }
}

TEST(QpTable, WithoutAnAcceptedStartupNothingClosesOrFails) {
  const QpState startup{V::startup, QpEvidence::startup_sent, Confidence::high, 1};
  for (const T trigger : {T::fin_sent, T::fin_sent_with_work, T::fin_acknowledged,
                          T::fin_acknowledged_with_work, T::rst_sent, T::rst_received, T::closed}) {
    EXPECT_EQ(infer(startup, trigger, false, false, 2), startup) << static_cast<unsigned>(trigger);
  }
}

TEST(QpTable, MissingOctetsLowerTheConfidence) {
  const QpState rts{V::rts, QpEvidence::first_fpdu, Confidence::high, 1};
  const QpState closing = infer(rts, T::fin_sent, true, true, 2);
  EXPECT_EQ(closing.value, V::closing);
  EXPECT_EQ(closing.confidence, Confidence::low);
  EXPECT_EQ(infer(closing, T::both_fins_acknowledged, true, false, 3).confidence, Confidence::low);
  EXPECT_EQ(infer(rts, T::terminate_sent, true, true, 2).confidence, Confidence::high);
}

TEST(QpTable, AcknowledgedTerminateIsCertain) {
  const QpState seen =
      infer({V::rts, QpEvidence::first_fpdu, Confidence::high, 1}, T::terminate_received, true, false, 2);
  EXPECT_EQ(seen.confidence, Confidence::medium);
  EXPECT_EQ(infer(seen, T::terminate_acknowledged, true, false, 3).confidence, Confidence::high);
}

TEST(QpLife, BothEndsReachRtsAtTheirOwnTime) {
  Scene scene;
  scene.open();
  scene.request();
  EXPECT_EQ(scene.side(a).qp.value, V::startup);
  EXPECT_EQ(scene.side(b).qp.value, V::idle);
  scene.reply();
  EXPECT_EQ(scene.side(a).qp.value, V::startup);
  EXPECT_EQ(scene.side(b).qp.value, V::rts);
  EXPECT_EQ(scene.side(b).qp.evidence, QpEvidence::reply_accepted);
  scene.send(a, 1);
  EXPECT_EQ(scene.side(a).qp.value, V::rts);
  EXPECT_EQ(scene.side(a).qp.evidence, QpEvidence::first_fpdu);
}

TEST(QpLife, GracefulClose) {
  Scene scene;
  scene.converse();
  scene.fin(a);
  EXPECT_EQ(scene.side(a).qp.value, V::closing);
  EXPECT_EQ(scene.side(b).qp.value, V::rts);
  scene.acknowledged(b);
  EXPECT_EQ(scene.side(b).qp.value, V::closing);
  EXPECT_EQ(scene.side(b).qp.evidence, QpEvidence::fin_acknowledged);
  scene.fin(b);
  scene.acknowledged(a);
  for (const Side side : {a, b}) {
    EXPECT_EQ(scene.side(side).qp.value, V::idle);
    EXPECT_EQ(scene.side(side).qp.evidence, QpEvidence::both_fins_acknowledged);
    EXPECT_EQ(scene.side(side).qp.confidence, Confidence::high);
  }
  scene.close(CloseCause::fin);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(QpLife, FinWithWorkOutstanding) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.acknowledged(b);
  scene.fin(b);
  EXPECT_EQ(scene.side(b).qp.evidence, QpEvidence::fin_sent);
  EXPECT_EQ(scene.side(b).qp.value, V::closing);
  EXPECT_EQ(scene.side(b).qp.confidence, Confidence::low);
  scene.acknowledged(a);
  EXPECT_EQ(scene.side(a).qp.value, V::terminate);
}

TEST(QpLife, TerminateThenClose) {
  Scene scene;
  scene.converse();
  scene.terminate(a, {0, 0, 0, 0});
  EXPECT_EQ(scene.side(a).qp.value, V::terminate);
  EXPECT_EQ(scene.side(b).qp.value, V::terminate);
  EXPECT_EQ(scene.side(b).qp.confidence, Confidence::medium);
  scene.acknowledged(b);
  EXPECT_EQ(scene.side(b).qp.confidence, Confidence::high);
  scene.part();
  EXPECT_EQ(scene.side(a).qp.value, V::error);
  EXPECT_EQ(scene.side(b).qp.value, V::error);
  EXPECT_EQ(scene.side(b).qp.evidence, QpEvidence::closed_after_terminate);
}

TEST(QpLife, ResetFails) {
  Scene scene;
  scene.converse();
  scene.rst(b);
  EXPECT_EQ(scene.side(a).qp.value, V::error);
  EXPECT_EQ(scene.side(a).qp.evidence, QpEvidence::rst_received);
  EXPECT_EQ(scene.side(b).qp.evidence, QpEvidence::rst_sent);
}

TEST(QpLife, UnansweredRequestStaysInStartup) {
  Scene scene;
  scene.open();
  scene.request();
  scene.wait(30 * seconds);
  scene.rst(b);
  EXPECT_EQ(scene.side(a).qp.value, V::startup);
  EXPECT_EQ(scene.side(b).qp.value, V::idle);
}

TEST(QpLife, MidstreamIsAtLeastRts) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  scene.locked(a, {Mode::off, Mode::on, true, true, 3, false, 0});
  scene.send(a, 9);
  EXPECT_EQ(scene.side(a).qp.value, V::rts);
  EXPECT_EQ(scene.side(a).qp.evidence, QpEvidence::midstream);
}

TEST(QpLife, TerminateInAHole) {
  Scene scene;
  scene.converse();
  scene.gap(a, 50);
  scene.part();
  EXPECT_EQ(scene.side(a).qp.value, V::idle);
  EXPECT_EQ(scene.side(a).qp.confidence, Confidence::low);
}

}  // namespace
}  // namespace iwarp::testing
