// How the start-ups of two logs are compared; also where nothing else is there.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compare/render.hpp"
#include "plan/anonymise.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using test::Conversation;
using testing::HasSubstr;
using testing::SizeIs;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

struct Opening {
  test::Startup request = {};
  test::Startup reply = {};
  bool answered = true;
  bool fpdus = false;
  bool closed = true;
};

Conversation open(const Opening& opening) {
  Conversation c;
  c.handshake();
  if (opening.answered) {
    c.startup(opening.request, opening.reply);
  } else {
    c.send(a, test::request_frame(opening.request));
    c.ack(b);
  }
  if (opening.fpdus) c.fpdu(a, test::send(1));
  if (opening.closed) c.close();
  return c;
}

std::string opened(const Opening& recorded, const Opening& live, const char* ignored = nullptr) {
  CompareOptions options;
  std::string error;
  if (ignored != nullptr && !options.ignore.add(ignored, error)) ADD_FAILURE() << error;
  const Conversation one = open(recorded);
  const Conversation other = open(live);
  const Plan plan = plan_of(one);
  const std::string text = told(compare(logs_of(one).at(0), logs_of(other).at(0), options));
  EXPECT_EQ(told(compare(expected_log(plan, 0), logs_of(other).at(0), options)), text) << "its plan";
  return text;
}

TEST(CompareStartupTest, HowTheStartupEndedIsCompared) {
  const Opening accepted;
  const Opening rejected{.reply = {.rejected = true}};
  const Opening unanswered{.answered = false};
  EXPECT_EQ(opened(accepted, accepted), "");
  EXPECT_EQ(opened(rejected, rejected), "");
  EXPECT_EQ(opened(unanswered, unanswered), "");
  EXPECT_EQ(opened(rejected, accepted), "responder different startup");
  EXPECT_EQ(opened(accepted, unanswered), "responder different startup");
  EXPECT_EQ(opened(unanswered, rejected), "responder different startup");
  EXPECT_EQ(opened(rejected, accepted, "field:startup"), "");
  EXPECT_EQ(opened(rejected, accepted, "field:startup@responder"), "");
  EXPECT_EQ(opened(rejected, accepted, "role:responder"), "");
  EXPECT_EQ(opened(rejected, accepted, "class:different"), "");
}

TEST(CompareStartupTest, AStartupThatACaptureMayLackIsUndecidable) {
  StreamLog answered = logs_of(open({})).at(0);
  StreamLog unanswered = logs_of(open({.answered = false})).at(0);
  const auto said = [&] {
    const Comparison comparison = compare(answered, unanswered);
    const auto found = std::ranges::find_if(comparison.differences, &Difference::of_startup);
    EXPECT_NE(found, comparison.differences.end());
    return found == comparison.differences.end() ? std::nullopt : found->reason;
  };
  EXPECT_EQ(said(), std::nullopt);
  EXPECT_FALSE(compare(answered, unanswered).same());
  unanswered.left_open = true;
  EXPECT_EQ(said(), Reason::capture_end);
  unanswered.holed = true;
  EXPECT_EQ(said(), Reason::gap);
  unanswered.lacking[1] = Reason::one_direction;
  EXPECT_EQ(said(), Reason::one_direction);
  EXPECT_TRUE(compare(answered, unanswered).same());
  EXPECT_TRUE(compare(unanswered, answered).same());
}

TEST(CompareStartupTest, FpdusShowThatTheStartupWasAccepted) {
  Conversation c;
  c.handshake();
  c.send(a, test::request_frame());
  c.unseen([&] { c.send(b, test::reply_frame()); });
  c.full_operation();
  c.fpdu(a, test::send(1));
  c.fpdu(b, test::send(1));
  c.close();
  EXPECT_EQ(logs_of(c).at(0).startup, StartupEnd::accepted);
  EXPECT_EQ(expected_log(plan_of(c), 0).startup, StartupEnd::accepted);
  EXPECT_EQ(logs_of(open({.reply = {.rejected = true}, .fpdus = true})).at(0).startup, StartupEnd::rejected);
}

TEST(CompareStartupTest, PrivateDataIsCompared) {
  const auto with = [](const char* request, const char* reply) {
    return Opening{.request = {.private_data = test::text(request)},
                   .reply = {.private_data = test::text(reply)}};
  };
  EXPECT_EQ(opened(with("hello", "here"), with("hello", "here")), "");
  EXPECT_EQ(opened(with("hello", "here"), with("hullo", "here")), "initiator different private_data");
  EXPECT_EQ(opened(with("hello", "here"), with("hello", "here!")), "responder different private_data");
  EXPECT_EQ(opened(with("hello", "here"), with("hello", "there"), "field:private_data"), "");
  EXPECT_EQ(opened(with("hello", "here"), with("hello", "there"), "field:private_data@initiator"),
            "responder different private_data");
  // Depths are MPA's, and negotiated.
  Opening enhanced = with("hello", "here");
  enhanced.request.word = enhanced.reply.word = test::Depths{.ird = 4, .ord = 4};
  EXPECT_EQ(opened(with("hello", "here"), enhanced), "");
  // STags and TOs in it are others in each run.
  StreamLog recorded = logs_of(open(with("hello", ""))).at(0);
  const StreamLog live = logs_of(open(with("heLLo", ""))).at(0);
  recorded.private_data[0]->left_out.emplace_back(2, 4);
  EXPECT_TRUE(compare(recorded, live).same());
  recorded.private_data[0]->left_out = {{2, 3}};
  EXPECT_EQ(compare(recorded, live).first()->payload_at, 3U);
}

TEST(CompareStartupTest, TextAndJsonTellOfTheStartup) {
  const Opening one{.request = {.private_data = test::text("hello")}, .reply = {.rejected = true}};
  const Opening other{.request = {.private_data = test::text("hullo")}};
  const StreamLog recorded = logs_of(open(one)).at(0);
  const StreamLog live = logs_of(open(other)).at(0);
  const Comparison comparison = compare(recorded, live);
  const std::string text = to_text(comparison, recorded, live);
  EXPECT_THAT(text,
              HasSubstr("first divergence: initiator, different in private_data: they differ from octet "
                        "1 on: recorded 5 octets, 65 6c 6c 6f; live 5 octets, 75 6c 6c 6f\n"));
  EXPECT_THAT(text,
              HasSubstr("responder, different in startup: recorded: the start-up is rejected; live: the "
                        "start-up is accepted\n"));
  RenderOptions every;
  every.messages = true;
  const nlohmann::ordered_json json = to_json(comparison, recorded, live, every);
  EXPECT_EQ(json["startup"]["recorded"], "rejected");
  EXPECT_EQ(json["startup"]["live"], "accepted");
  EXPECT_EQ(json["first"]["fields"][0], "private_data");
  EXPECT_EQ(json["first"]["payload_at"], 1);
  EXPECT_THAT(json["messages"], SizeIs(2)) << "FINs";
}

TEST(CompareStartupTest, ASessionWithoutRequestsCanBeCompared) {
  for (const Opening& each : {Opening{}, Opening{.reply = {.rejected = true}}, Opening{.closed = false},
                              Opening{.answered = false, .closed = false}}) {
    const std::vector<StreamLog> logs = logs_of(open(each));
    const StreamsComparison comparison = compare(logs, logs);
    EXPECT_FALSE(comparison.nothing_compared());
    EXPECT_EQ(to_json(comparison, logs, logs)["verdict"], "same");
  }
}

}  // namespace
}  // namespace iwarp::replay
