// Places in captures as they are: whatever a campaign puts into them, the soft-RNIC answers as is due, and
// the injected rule alone is found.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inject/built_in_plan.hpp"
#include "inject/campaign.hpp"
#include "plan/planner.hpp"
#include "replay/engine/closed_loop.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

class CampaignOfACapture : public testing::TestWithParam<std::string> {};

TEST_P(CampaignOfACapture, NobodyDeviates) {
  std::string error;
  const auto made = plan_capture(GetParam(), {}, error);
  ASSERT_TRUE(made) << error;
  ReplayOptions options;
  options.timing = Timing::topspeed;
  Campaign campaign(made->plan, options, {true, true},
                    [](const Plan& plan, std::uint32_t stream, const ReplayOptions& with,
                       CapturePoint& point) { return rehearse(plan, {stream}, with, point); });
  ASSERT_TRUE(campaign.healthy(error)) << error;
  for (const Breach* each : all_breaches()) {
    const Attempt attempt = campaign.attempt({each, {}}, error);
    ASSERT_EQ(error, "");
    if (!attempt.injection) continue;
    SCOPED_TRACE(describe(*attempt.injection, made->plan));
    EXPECT_EQ(attempt.verdict.conformance, Conformance::conforms)
        << attempt.why_not << "\nexpected: " << attempt.verdict.expected
        << "\nseen: " << attempt.verdict.seen;
    Seen seen;
    seen.found = attempt.found;
    EXPECT_TRUE(is_found_alone(*attempt.injection, seen));
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, CampaignOfACapture,
                         testing::ValuesIn(captures_without({"03i-", "07a-", "t06-", "t19-"})),
                         capture_test_name);

// A campaign needs a stream that a peer which keeps the rules can take part in.
TEST(Campaign, IsRefusedWhereNoStreamConforms) {
  for (const char* name : {"real/03i-no-listener-rst.pcap", "real/07a-negative-plain-tcp-rstream.pcap",
                           "generated/t06-wrong-fields.pcap", "generated/t19-uncaptured-segment.pcap"}) {
    SCOPED_TRACE(name);
    const Plan plan = plan_of_file(name);
    EXPECT_THAT(conforming(plan), testing::IsEmpty());
    Campaign campaign(plan, {}, {true, true},
                      [](const Plan& of, std::uint32_t stream, const ReplayOptions& with,
                         CapturePoint& point) { return rehearse(of, {stream}, with, point); });
    std::string error;
    EXPECT_FALSE(campaign.healthy(error));
    EXPECT_NE(error, "");
  }
}

// An Invalidate STag field that has a meaning is not wrong; a Send that only tells is passed over.
TEST(Choose, PassesOverPlacesWhereNoRuleIsBroken) {
  Plan plan = built_in_plan();
  std::string error;
  const auto wanted = parse_wanted("RDMAP-INV0@0,initiator", error);
  const ReplayOptions options = {.timing = Timing::topspeed};
  const auto first = choose(*wanted, plan, {0}, {true, true}, options, error);
  ASSERT_TRUE(first) << error;
  EXPECT_EQ(first->message, 1U);
  plan.streams[0].work[0].kind = WorkKind::send_inv;
  plan.streams[0].work[0].stag = 0x00002202;
  const auto second = choose(*wanted, plan, {0}, {true, true}, options, error);
  ASSERT_TRUE(second) << error;
  EXPECT_EQ(second->message, 2U);
}

// Against a live peer only what the soft-RNIC answers as is due says anything of the peer.
TEST(Choose, NeedsAnAnswerThatIsDueToJudgeALivePeer) {
  Plan plan = built_in_plan();
  ReplayOptions options = {.timing = Timing::topspeed};
  options.startup.crc = false;
  std::string error;
  const auto wanted = parse_wanted("MPA-CRC", error);
  EXPECT_FALSE(choose(*wanted, plan, {0}, {true, false}, options, error));
  EXPECT_THAT(error, testing::HasSubstr("needs CRC: --crc on"));
  // What is asked for is not changed to suit a rule.
  provide(*wanted->breach, options);
  EXPECT_EQ(options.startup.crc, false);
}

}  // namespace
}  // namespace iwarp::replay
