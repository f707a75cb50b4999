// A campaign against a peer that is not always there: the runs are in memory, and what is missing is the
// peer.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inject/built_in_plan.hpp"

namespace iwarp::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeNs millisecond = 1'000'000;

class CampaignOfALivePeer : public testing::Test {
 protected:
  static ReplayOptions options() {
    ReplayOptions options;
    options.timing = Timing::topspeed;
    return options;
  }

  // The peer does not come for this many runs from now on.
  void away_for(int runs) { away_ = runs; }

  Attempt attempt(const std::string& rule) {
    std::string error;
    const auto wanted = parse_wanted(rule, error);
    EXPECT_TRUE(wanted) << error;
    const Attempt made = campaign_.attempt(*wanted, error);
    EXPECT_EQ(error, "");
    return made;
  }

  int runs_ = 0;
  std::vector<TimeNs> pauses_;

 private:
  Rehearsed run(const Plan& plan, std::uint32_t stream, const ReplayOptions& options, CapturePoint& point) {
    ++runs_;
    if (away_ > 0) {
      --away_;
      Rehearsed nobody;
      nobody.unconnected = true;
      return nobody;
    }
    return rehearse(plan, {stream}, options, point);
  }

  int away_ = 0;
  const Plan plan_ = built_in_plan();

 protected:
  Campaign campaign_{plan_,
                     options(),
                     {false, true},
                     [this](const Plan& plan, std::uint32_t stream, const ReplayOptions& options,
                            CapturePoint& point) { return run(plan, stream, options, point); },
                     std::nullopt,
                     [this](TimeNs length) { pauses_.push_back(length); }};
};

TEST_F(CampaignOfALivePeer, TriesOnceWhereThePeerIsThere) {
  const Attempt made = attempt("DDP-QN");
  EXPECT_EQ(made.verdict.conformance, Conformance::conforms) << made.why_not;
  EXPECT_EQ(runs_, 1);
  EXPECT_THAT(pauses_, IsEmpty());
}

TEST_F(CampaignOfALivePeer, WaitsTwiceAsLongEachTimeForOneThatIsNotBack) {
  away_for(3);
  const Attempt made = attempt("DDP-QN");
  EXPECT_EQ(made.verdict.conformance, Conformance::conforms) << made.why_not;
  EXPECT_EQ(runs_, 4);
  EXPECT_THAT(pauses_, ElementsAre(100 * millisecond, 200 * millisecond, 400 * millisecond));
  EXPECT_FALSE(campaign_.gone());
}

TEST_F(CampaignOfALivePeer, TriesNothingMoreWhenItIsGone) {
  away_for(1000);
  const Attempt first = attempt("DDP-QN");
  EXPECT_EQ(first.verdict.conformance, Conformance::not_tried);
  EXPECT_EQ(first.why_not, "no peer connected");
  EXPECT_TRUE(campaign_.gone());
  const int runs = runs_;
  const Attempt second = attempt("DDP-MSN1");
  EXPECT_EQ(second.verdict.conformance, Conformance::not_tried);
  EXPECT_EQ(second.why_not, "no peer connects any more");
  EXPECT_EQ(runs_, runs);
}

}  // namespace
}  // namespace iwarp::replay
