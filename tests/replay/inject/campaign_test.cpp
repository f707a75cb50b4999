// A campaign against a peer that is not always there: the runs are in memory, and what is missing is the
// peer.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iwarp/wire/mpa.hpp>

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

Injection of(const char* rule, Role role) {
  std::string error;
  return {parse_wanted(rule, error)->breach, 0, role, send_message, 1};
}

Bytes startup_frame(const Byte* key, Byte flags) {
  Bytes frame(key, key + wire::startup_key_size);
  frame.insert(frame.end(), {flags, 1, 0, 0});
  return frame;
}

// Whoever closes in the end, having gone on as if nothing were wrong, did not do what is due.
TEST(Judge, AcceptingABadRequestIsNoClose) {
  std::array<ObservedActions, 2> of_ends;
  ObservedActions& peer = of_ends[1];
  peer.fin = true;
  EXPECT_EQ(judge(of("MPA-KEY", Role::initiator), of_ends, RunEnd::complete).conformance,
            Conformance::conforms);
  peer.opening = startup_frame(wire::reply_key, 0x60);  // C, R
  peer.octets = 20;
  EXPECT_EQ(judge(of("MPA-REV", Role::initiator), of_ends, RunEnd::complete).conformance,
            Conformance::conforms);
  peer.opening = startup_frame(wire::reply_key, 0x40);
  const Verdict accepted = judge(of("MPA-REV", Role::initiator), of_ends, RunEnd::complete);
  EXPECT_EQ(accepted.seen, "accepts the connection");
  EXPECT_EQ(accepted.conformance, Conformance::deviates);
}

TEST(Judge, FpdusBehindABadReplyAreNoClose) {
  std::array<ObservedActions, 2> of_ends;
  ObservedActions& peer = of_ends[0];
  peer.fin = true;
  peer.opening = startup_frame(wire::request_key, 0x40);
  peer.octets = 20;
  EXPECT_EQ(judge(of("MPA-SREV", Role::responder), of_ends, RunEnd::complete).conformance,
            Conformance::conforms);
  peer.octets = 21;
  const Verdict talks = judge(of("MPA-SREV", Role::responder), of_ends, RunEnd::complete);
  EXPECT_EQ(talks.seen, "sends FPDUs");
  EXPECT_EQ(talks.conformance, Conformance::deviates);
}

TEST(Judge, MessagesBehindATerminateAreNoClose) {
  std::array<ObservedActions, 2> of_ends;
  of_ends[1].fin = true;
  EXPECT_EQ(judge(of("RDMAP-TERM1", Role::initiator), of_ends, RunEnd::complete).conformance,
            Conformance::conforms);
  of_ends[1].broken = {CheckId::rdmap_afterterm};
  EXPECT_EQ(judge(of("RDMAP-TERM1", Role::initiator), of_ends, RunEnd::complete).conformance,
            Conformance::deviates);
}

TEST(Judge, ARunThatWasEndedEarlyTellsOnlyWhatWasSeen) {
  std::array<ObservedActions, 2> of_ends;
  EXPECT_EQ(judge(of("DDP-RSVD", Role::initiator), of_ends, RunEnd::early).conformance,
            Conformance::not_tried);
  EXPECT_EQ(judge(of("DDP-RSVD", Role::initiator), of_ends, RunEnd::stuck).conformance,
            Conformance::deviates);
  of_ends[1].terminates = {0x1206};
  EXPECT_EQ(judge(of("DDP-RSVD", Role::initiator), of_ends, RunEnd::early).conformance,
            Conformance::deviates);
  EXPECT_EQ(end_of_run(Outcome::limited, true), RunEnd::complete);
  EXPECT_EQ(end_of_run(Outcome::limited, false), RunEnd::early);
  EXPECT_EQ(end_of_run(Outcome::interrupted, true), RunEnd::early);
  EXPECT_EQ(end_of_run(Outcome::gave_up, false), RunEnd::stuck);
}

}  // namespace
}  // namespace iwarp::replay
