// One direction captured: what needs the other one is undecidable, the rest goes on.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

constexpr LockedFact lock{Mode::off, Mode::on, true, true, 3, false, 0};

TEST(OneDirection, RequesterOnly) {
  Scene scene;
  scene.open(OpenedBy::midstream, a);
  scene.locked(a, lock);
  for (std::uint32_t i = 0; i < 3000; ++i) scene.read_request(a, 10 + i, 100, 0x2000, i * 100);
  EXPECT_LE(scene.side(a).outstanding(), 1024U) << "nothing will ever answer them";
  scene.fin(a);
  scene.close(CloseCause::fin);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_ord, Reason::one_direction), 3000U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrlost, Reason::one_direction), 1U);
  EXPECT_EQ(scene.undecided(CheckId::verbs_badclose, Reason::one_direction), 1U);
  EXPECT_EQ(scene.operations.size(), 3000U);
  for (const OperationConclusion& operation : scene.operations) {
    ASSERT_EQ(operation.status, OperationStatus::unknown);
  }
}

TEST(OneDirection, ResponderOnly) {
  Scene scene;
  scene.open(OpenedBy::midstream, b);
  scene.locked(b, lock);
  scene.read_response(b, 100, 0x2000, 0, false);
  scene.read_response(b, 100, 0x2000, 100);
  scene.read_response(b, 100, 0x2000, 500);
  scene.send(b, 77);
  scene.send(b, 78);
  scene.send(b, 80);
  scene.terminate(b, {0x11, 0x00, 0xc0, 0, 0, 0x18, 0xc1, 0x40, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(scene.verdict(), "DDP-MSNGAP");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrnone, Reason::one_direction), 2U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_termref, Reason::one_direction), 1U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_termwhy, Reason::one_direction), 1U);
}

TEST(OneDirection, ReplyOnly) {
  Scene scene;
  scene.open(OpenedBy::midstream, b);
  scene.reply(b);
  scene.send(b, 1);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::mpa_srev, Reason::one_direction), 1U);
  EXPECT_EQ(scene.undecided(CheckId::mpa_respfirst, Reason::one_direction), 1U);
}

TEST(OneDirection, RequestOnly) {
  Scene scene;
  scene.open(OpenedBy::midstream, a);
  scene.request(a);
  scene.send(a, 1);
  scene.send(a, 3);
  EXPECT_EQ(scene.verdict(), "DDP-MSNGAP") << "the start of this direction is known";
  scene.wait(20 * seconds);
  scene.close(CloseCause::capture_end);
  EXPECT_EQ(scene.undecided(CheckId::mpa_tmo, Reason::one_direction), 1U);
}

}  // namespace
}  // namespace iwarp::testing
