// Every breach of the table, by either role that can make it: put into a plan, run between two soft-RNICs and
// recorded, the analyzer finds exactly the injected rule, at the side that broke it, and the other soft-RNIC
// does what the oracle says.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compare/comparison.hpp"
#include "inject/built_in_plan.hpp"
#include "inject/injector.hpp"
#include "inject/rehearsal.hpp"
#include "inject/trial.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

struct Case {
  const Breach* breach;
  Role role;
};

std::optional<Injection> place_of(const Case& one, const Plan& plan, const ReplayOptions& options,
                                  std::string& error) {
  Wanted wanted{one.breach, {}};
  wanted.place.role = one.role;
  const std::vector<Injection> all = places(wanted, plan, {0, 1}, {true, true}, options, 1, error);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

ReplayOptions options_for(const Breach& breach) {
  ReplayOptions options;
  options.timing = Timing::topspeed;
  provide(breach, options);
  return options;
}

std::vector<Case> cases() {
  const Plan plan = built_in_plan();
  std::vector<Case> all;
  for (const Breach* each : all_breaches()) {
    for (const Role role : {Role::initiator, Role::responder}) {
      std::string error;
      if (place_of({each, role}, plan, options_for(*each), error)) all.push_back({each, role});
    }
  }
  return all;
}

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.breach->name();
}

std::string listed(const Seen& seen) {
  std::string text;
  for (const Seen::Found& each : seen.found) {
    text += std::string(severity_name(each.severity)) + " " + check_info(each.check).id + " of " +
            (each.role == Role::initiator ? "initiator" : "responder") + " in frame " +
            std::to_string(each.frame) + ": " + each.text + "\n";
  }
  return text;
}

class InjectedBreach : public testing::TestWithParam<Case> {};

TEST_P(InjectedBreach, IsFoundAloneAndAnsweredAsTheOracleSays) {
  const Breach& breach = *GetParam().breach;
  const Plan plan = built_in_plan();
  ReplayOptions options = options_for(breach);
  std::string error;
  const auto injection = place_of(GetParam(), plan, options, error);
  ASSERT_TRUE(injection) << error;
  Injector injector(plan, options);
  injector.add(*injection);
  options.mutator = injector.hook();
  Witness witness;
  const Rehearsed run = rehearse(plan, {injection->stream}, options, witness);
  ASSERT_EQ(run.error, "");
  EXPECT_TRUE(injector.not_done().empty());
  const Seen seen = witness.finish(run.ends);
  SCOPED_TRACE(describe(*injection, plan) + "\n" + listed(seen));
  // Below warning the analyzer tells more, such as of a Terminate that explains itself.
  bool found = false;
  for (const Seen::Found& each : seen.found) {
    if (each.check == breach.check) {
      found = true;
      EXPECT_EQ(each.role, injection->role);
    } else {
      EXPECT_LT(each.severity, Severity::warning) << check_info(each.check).id;
    }
  }
  EXPECT_TRUE(found);
  const Verdict verdict = judge(*injection, seen.of, end_of_run(run.outcome, run.waits.empty()));
  EXPECT_EQ(verdict.conformance, Conformance::conforms)
      << "expected: " << verdict.expected << "\nseen: " << verdict.seen;
}

INSTANTIATE_TEST_SUITE_P(Breaches, InjectedBreach, testing::ValuesIn(cases()), [](const auto& made) {
  std::string name = made.param.breach->name();
  name += made.param.role == Role::initiator ? "_initiator" : "_responder";
  std::erase_if(name, [](char each) { return each == '-' || each == ':'; });
  return name;
});

TEST(Breaches, TheBuiltInPlanIsHealthyAndHasSomethingForEachOfThem) {
  const Plan plan = built_in_plan();
  ASSERT_EQ(plan.streams.size(), 2U);
  for (const std::uint32_t stream : {0U, 1U}) {
    for (const auto rtr : {std::optional<RtrKind>(), std::optional(RtrKind::read),
                           std::optional(RtrKind::write), std::optional(RtrKind::send)}) {
      ReplayOptions options;
      options.startup.rtr = rtr;
      Witness witness;
      LiveLog log(&witness);
      const Rehearsed run = rehearse(plan, {stream}, options, log);
      EXPECT_EQ(run.error, "");
      EXPECT_EQ(run.outcome, Outcome::complete) << testing::PrintToString(run.waits);
      Seen seen = witness.finish(run.ends);
      std::erase_if(seen.found, [](const Seen::Found& each) { return each.severity < Severity::note; });
      EXPECT_EQ(listed(seen), "");
      const std::vector<StreamLog> expected = {expected_log(plan, stream)};
      EXPECT_TRUE(compare(expected, log.finish()).same());
    }
  }
  std::set<const Breach*> placed;
  for (const Case& each : cases()) placed.insert(each.breach);
  for (const Breach* each : all_breaches()) EXPECT_TRUE(placed.contains(each)) << each->name();
}

TEST(Breaches, MessagesAfterAPlaceAreCountedInThePlansOrder) {
  const Plan plan = built_in_plan();
  const ReplayOptions options = {.timing = Timing::topspeed};
  std::string error;
  const auto put = [&](const std::string& text) -> std::string {
    error.clear();
    const auto wanted = parse_wanted(text, error);
    if (!wanted) return error;
    const auto injection = choose(*wanted, plan, {0, 1}, {true, true}, options, error);
    return injection ? describe(*injection, plan) : error;
  };
  EXPECT_EQ(put("DDP-MSNGAP"), "DDP-MSNGAP in Send (message 2) of the initiator of stream 0");
  EXPECT_EQ(put("DDP-MSNGAP@0,responder,3"), "DDP-MSNGAP in Send (message 3) of the responder of stream 0");
  EXPECT_EQ(put("DDP-MSNGAP@,r"), "DDP-MSNGAP in Send (message 2) of the responder of stream 0");
  EXPECT_EQ(put("DDP-RSVD@0,i,3,2"), "DDP-RSVD in Send (message 3), FPDU 2, of the initiator of stream 0");
  EXPECT_EQ(put("RDMAP-RRLONG@0,initiator,2"),
            "RDMAP-RRLONG in Read Response (message 2) of the initiator of stream 0");
  EXPECT_EQ(put("MPA-KEY"), "MPA-KEY of the initiator of stream 0");
  // What is missing, and what to do.
  EXPECT_EQ(put("DDP-MSNGAP@0,initiator,1"),
            "DDP-MSNGAP needs Send or RDMA Read, not the first of its queue; message 1 is no such message");
  EXPECT_EQ(put("MPA-KEY@0,initiator,1"), "MPA-KEY needs no number of a message: it is about MPA Request");
  EXPECT_EQ(put("MPA-MKPTR"), "MPA-MKPTR needs markers in what it sends: --markers on");
  EXPECT_EQ(put("MPA-RTR"), "MPA-RTR needs a ready-to-receive message: --rtr write");
  EXPECT_EQ(put("MPA-KEY@0,responder"), "MPA-KEY needs the role of the initiator");
  EXPECT_EQ(put("DDP-MSNGAP@7"), "no stream is run that DDP-MSNGAP could be injected into");
  EXPECT_EQ(put("RDMAP-EXT"),
            "RDMAP-EXT cannot be injected: it tells what the peer lacks; any Atomic or Immediate shows it");
  EXPECT_EQ(put("DDP-NOSUCH"), "there is no fault 'DDP-NOSUCH'; --inject list shows all");
  for (const char* const place :
       {"x", "0,sideways", "0,initiator,0", "0,initiator,1,0", "0,initiator,1,1,1"}) {
    EXPECT_THAT(put(std::string("DDP-DV@") + place),
                HasSubstr("is no place: stream,initiator|responder,message"));
  }
}

// Not only at the default place: in the middle of a message, and at another one of the same kind.
TEST(Breaches, OtherPlacesAreFoundThere) {
  const Plan plan = built_in_plan();
  for (const char* const text :
       {"DDP-DV@0,initiator,3,2", "MPA-CRC@0,responder,5,3", "DDP-MSNDUP@0,initiator,3",
        "RDMAP-RRMATCH@0,responder,2", "RDMAP-RSV@0,responder,11"}) {
    ReplayOptions options = {.timing = Timing::topspeed};
    std::string error;
    const auto wanted = parse_wanted(text, error);
    ASSERT_TRUE(wanted) << error;
    const auto injection = choose(*wanted, plan, {0}, {true, true}, options, error);
    ASSERT_TRUE(injection) << error;
    Injector injector(plan, options);
    injector.add(*injection);
    options.mutator = injector.hook();
    Witness witness;
    const Rehearsed run = rehearse(plan, {0}, options, witness);
    const Seen seen = witness.finish(run.ends);
    EXPECT_EQ(judge(*injection, seen.of, end_of_run(run.outcome, run.waits.empty())).conformance,
              Conformance::conforms)
        << text;
    std::set<std::string> found;
    for (const Seen::Found& each : seen.found) {
      if (each.severity >= Severity::warning) found.insert(check_info(each.check).id);
    }
    EXPECT_THAT(found, testing::ElementsAre(check_info(wanted->breach->check).id)) << text;
  }
}

TEST(Breaches, EveryCheckHasARowOrAReason) {
  std::multiset<CheckId> rows;
  for (const NoBreach& each : no_breaches()) rows.insert(each.check);
  std::set<std::string> names;
  std::set<CheckId> injected;
  for (const Breach* each : all_breaches()) {
    EXPECT_TRUE(names.insert(each->name()).second) << each->name();
    injected.insert(each->check);
    EXPECT_EQ((each->frame != nullptr) + (each->fpdu != nullptr) + (each->last != nullptr), 1)
        << each->name();
  }
  for (unsigned i = 0; i < check_count; ++i) {
    const auto check = static_cast<CheckId>(i);
    EXPECT_EQ(rows.count(check) + injected.count(check), 1U) << check_info(check).id;
  }
}

}  // namespace
}  // namespace iwarp::replay
