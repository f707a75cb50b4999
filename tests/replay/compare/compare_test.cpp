// Event logs and their comparison: what is the same stays the same (scenarios H13, H14), what differs is told
// by class.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iwarp/export/names.hpp>
#include <nlohmann/json.hpp>

#include "compare/render.hpp"
#include "plan/anonymise.hpp"
#include "replay/planned.hpp"
#include "support/capture_read.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::replay {
namespace {

using test::Conversation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Requests of which octets are there to be compared.
std::size_t compared(const StreamLog& log) {
  std::size_t count = 0;
  for (const auto& entries : log.entries) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(entries, [](const LogEntry& each) { return !seen_octets(each).empty(); }));
  }
  return count;
}

// --- the same ------------------------------------------------------------------------------------------

class CompareCaptureTest : public testing::TestWithParam<std::string> {};

TEST_P(CompareCaptureTest, IsTheSameAsItselfAndAsItsPlanExpects) {
  std::string error;
  const auto logs = logs_of_capture(GetParam(), error);
  ASSERT_TRUE(logs) << error;
  const StreamsComparison self = compare(*logs, *logs);
  EXPECT_TRUE(self.same());
  // With its payload, too, which is compared wherever the capture has it.
  const auto recorded = recorded_logs_of_capture(GetParam(), error);
  ASSERT_TRUE(recorded) << error;
  const auto live = logs_of_capture(GetParam(), error, std::uint64_t{1} << 28U);
  ASSERT_TRUE(live) << error;
  EXPECT_TRUE(compare(recorded->logs, *live).same());
  for (std::size_t i = 0; i < live->size(); ++i) EXPECT_GE(compared(recorded->logs[i]), compared((*live)[i]));
  auto made = plan_capture(GetParam(), {}, error);
  ASSERT_TRUE(made) << error;
  for (const bool anonymous : {false, true}) {
    if (anonymous) anonymise(made->plan);
    const std::vector<StreamLog> expected = expected_logs(made->plan);
    ASSERT_EQ(expected.size(), logs->size());
    const StreamsComparison comparison = compare(expected, *logs);
    EXPECT_TRUE(comparison.same()) << to_text(comparison, expected, *logs);
  }
}

// All but those whose peers break rules: a plan has requests, not every fault.
std::vector<std::string> sound_captures() {
  return captures_without({"10b-", "t06-", "t09-"});
}

INSTANTIATE_TEST_SUITE_P(Captures, CompareCaptureTest, testing::ValuesIn(sound_captures()),
                         [](const auto& made) {
                           std::string name = std::filesystem::path(made.param).filename().string();
                           name.erase(name.find(".pcap"));
                           std::ranges::replace_if(
                               name,
                               [](char each) { return std::isalnum(static_cast<unsigned char>(each)) == 0; },
                               '_');
                           return name;
                         });

TEST(CompareTest, HowTrafficWasCarriedMakesNoDifference) {
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const std::vector<StreamLog> plain = logs_of(test::random_traffic(seed, {.crc = true}));
    ASSERT_THAT(plain, SizeIs(1));
    ASSERT_GT(plain[0].entries[0].size() + plain[0].entries[1].size(), 8U);
    const test::Traffic ways[] = {
        {.markers_a = true, .crc = true}, {.markers_b = true, .crc = false}, {.crc = false}};
    for (const test::Traffic& way : ways) {
      for (const bool hard : {false, true}) {
        const test::Carriage carriage{.seed = hard ? seed : 0, .retransmit = hard, .reorder = false};
        const std::vector<StreamLog> other = logs_of(test::random_traffic(seed, way, carriage));
        const StreamsComparison comparison = compare(plain, other);
        EXPECT_TRUE(comparison.same()) << seed << "\n" << to_text(comparison, plain, other);
      }
    }
  }
}

// Traffic with everything that a replay changes; and with one fault, if one is asked for.
struct Traffic {
  std::uint32_t stags = 0;  // added to all
  std::uint64_t tos = 0;    // added to all
  std::size_t segment = 1000;
  bool enhanced = false;  // revision 2, with a ready-to-receive Read
  bool markers = false;
  // faults
  int skip = -1;    // this round's Send is not sent
  int change = -1;  // this round's Write goes elsewhere
  int swap = -1;    // this round's Send and Write change places
  int longer = -1;  // this round's Read asks for more
  bool terminate = false;
  bool reset = false;
};

Conversation play(const Traffic& traffic) {
  Conversation c;
  c.handshake();
  std::optional<test::Depths> word;
  if (traffic.enhanced) word = test::Depths{.peer_to_peer = true, .rtr_read = true, .ird = 4, .ord = 4};
  c.startup({.markers = traffic.markers, .word = word}, {.word = word});
  std::uint32_t request = 1;
  if (traffic.enhanced) {
    c.fpdu(a, test::read_request(request++, {.sink_stag = 1, .source_stag = 1}));
    c.fpdu(b, test::read_response(1, 0));
  }
  const std::uint32_t target = 0x1000 + traffic.stags;
  const std::uint32_t source = 0x2000 + traffic.stags;
  const std::uint32_t sink = 0x3000 + traffic.stags;
  std::uint32_t msn = 1;
  for (int round = 0; round < 6; ++round) {
    const auto number = static_cast<std::uint32_t>(round);
    const std::uint64_t to = traffic.tos + 0x100 * number + (traffic.change == round ? 0x8000 : 0);
    const auto write = [&] {
      c.fpdus(a, test::write_segments(target, to, test::pattern(2000 + number), traffic.segment));
    };
    const auto send = [&] {
      if (traffic.skip != round) c.fpdu(a, test::send(msn++, test::pattern(100 + number)));
    };
    if (traffic.swap == round) {
      send();
      write();
    } else {
      write();
      send();
    }
    const std::uint32_t size = 500 + number + (traffic.longer == round ? 1 : 0);
    c.fpdu(a, test::read_request(request++, {.sink_stag = sink,
                                             .sink_to = traffic.tos + 0x40 * number,
                                             .size = size,
                                             .source_stag = source,
                                             .source_to = traffic.tos}));
    c.fpdus(b, test::read_response_segments(sink, traffic.tos + 0x40 * number, test::pattern(size),
                                            traffic.segment));
    c.fpdu(b, test::send_inv(number + 1, target, test::pattern(10)));
  }
  if (traffic.terminate) c.fpdu(b, test::terminate(0x1202));
  if (traffic.reset) {
    c.ack(a);
    c.rst(b);
  } else {
    c.close();
  }
  return c;
}

std::string differences(const Traffic& live, const CompareOptions& options = {}) {
  return told(compare(logs_of(play({})).at(0), logs_of(play(live)).at(0), options));
}

TEST(CompareTest, RenamedStagsOtherTosOtherSegmentsAreTheSame) {
  EXPECT_EQ(differences({}), "");
  EXPECT_EQ(differences({.stags = 0x77000, .tos = 0x7f00'0000'0000, .segment = 333}), "");
  EXPECT_EQ(differences({.enhanced = true, .markers = true}), "")
      << "the ready-to-receive message does not count";
}

// --- what differs --------------------------------------------------------------------------------------

TEST(CompareTest, AMissingMessageIsOneDifference) {
  // The initiator's entries are Write, Send, Read in each round.
  EXPECT_EQ(differences({.skip = 2}), "initiator missing 7");
  EXPECT_EQ(told(compare(logs_of(play({.skip = 2})).at(0), logs_of(play({})).at(0))),
            "initiator extra live 7");
}

TEST(CompareTest, AChangedOneSaysInWhat) {
  EXPECT_EQ(differences({.change = 3}), "initiator different 9/9 to");
  EXPECT_EQ(differences({.longer = 4}), "initiator different 14/14 size");
}

TEST(CompareTest, SwappedOnesAreReordered) {
  const std::string text = differences({.swap = 1});
  EXPECT_THAT(text, testing::AnyOf("initiator reordered 3/4", "initiator reordered 4/3"));
}

TEST(CompareTest, TerminatesAndResetsHaveClassesOfTheirOwn) {
  EXPECT_THAT(differences({.terminate = true}), HasSubstr("responder terminate live 6"));
  const std::string reset = differences({.reset = true});
  EXPECT_THAT(reset, HasSubstr("responder rst live 6"));
  EXPECT_THAT(reset, HasSubstr("initiator missing 18"));
  EXPECT_THAT(reset, HasSubstr("responder missing 6"));
}

TEST(CompareTest, AnotherTerminateIsOneOfThatClass) {
  Traffic recorded{.terminate = true};
  Conversation live = play(recorded);
  StreamLog log = logs_of(live).at(0);
  StreamLog other = log;
  for (LogEntry& entry : other.entries[1]) {
    if (entry.kind == WorkKind::terminate) entry.code = entry.sent_code = 0x1203;
  }
  EXPECT_EQ(told(compare(log, other)), "responder terminate 6/6 code");
}

TEST(CompareTest, WhatDidNotComeInTimeIsATimeout) {
  const StreamLog recorded = logs_of(play({})).at(0);
  StreamLog live = recorded;
  live.entries[1].resize(3);
  live.timed_out = true;
  const Comparison comparison = compare(recorded, live);
  EXPECT_EQ(comparison.counts[static_cast<std::size_t>(DifferenceClass::timeout)], 4U);
  EXPECT_EQ(comparison.first()->recorded, 3U);
}

TEST(CompareTest, WhatACaptureMayLackIsUndecidable) {
  Conversation c = play({.skip = 2});
  StreamLog recorded = logs_of(c).at(0);
  recorded.lacking[0] = Reason::gap;
  const Comparison comparison = compare(recorded, logs_of(play({})).at(0));
  EXPECT_EQ(told(comparison), "initiator undecidable live 7");
  EXPECT_TRUE(comparison.same());
}

// Behind the end of a capture that ended first; what should have come before it is missing all the same.
TEST(CompareTest, WhatComesBehindACapturesEndIsUndecidable) {
  StreamLog recorded = logs_of(play({})).at(0);
  StreamLog live = recorded;
  live.entries[0].resize(9);
  live.entries[1].resize(3);
  EXPECT_FALSE(compare(recorded, live).same()) << "it had been closed";
  live.left_open = true;
  const Comparison short_one = compare(recorded, live);
  EXPECT_TRUE(short_one.same()) << told(short_one);
  EXPECT_EQ(short_one.counts[static_cast<std::size_t>(DifferenceClass::undecidable)], 14U);
  EXPECT_EQ(short_one.differences.at(0).reason, Reason::capture_end);
  EXPECT_TRUE(compare(live, recorded).same()) << told(compare(live, recorded));
  live.entries[0].erase(live.entries[0].begin() + 4);
  EXPECT_EQ(compare(recorded, live).first()->recorded, 4U);
}

TEST(CompareTest, ALogIsLeftOpenByTheEndOfTheCaptureAlone) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1));
  EXPECT_TRUE(logs_of(c).at(0).left_open);
  EXPECT_TRUE(expected_logs(plan_of(c)).at(0).left_open);
  c.close();
  EXPECT_FALSE(logs_of(c).at(0).left_open);
  EXPECT_FALSE(expected_logs(plan_of(c)).at(0).left_open);
}

TEST(CompareTest, AStreamBehindTheDamageOfACaptureIsUndecidable) {
  const std::vector<StreamLog> one = logs_of(play({}));
  CompareOptions options;
  options.live_damaged = true;
  EXPECT_TRUE(compare(one, {}, options).same());
  EXPECT_FALSE(compare({}, one, options).same());
  EXPECT_THAT(to_text(compare(one, {}, options), one, {}),
              HasSubstr("missing stream, undecidable (capture_end): 192.0.2.1:40000 to 192.0.2.2:18515"));
  options = {};
  options.recorded_damaged = true;
  EXPECT_TRUE(compare({}, one, options).same());
}

TEST(CompareTest, AGapIsNoDifference) {
  Conversation whole = play({});
  std::vector<test::OwnedSegment> segments = whole.segments();
  // A segment of the third Write is not captured.
  std::size_t writes = 0;
  std::erase_if(segments, [&](const test::OwnedSegment& each) {
    return each.octets.size() > 900 && each.meta.source.port != 18515 && ++writes == 5;
  });
  Analyzer analyzer;
  LogBuilder builder;
  for (const test::OwnedSegment& each : segments)
    builder.add(analyzer.analysis(), analyzer.add(each.segment()));
  builder.add(analyzer.analysis(), analyzer.finish());
  const std::vector<StreamLog> holed = builder.finish();
  ASSERT_THAT(holed, SizeIs(1));
  const StreamLog full = logs_of(whole).at(0);
  EXPECT_TRUE(compare(holed[0], full).same()) << told(compare(holed[0], full));
  EXPECT_TRUE(compare(full, holed[0]).same()) << told(compare(full, holed[0]));
}

// Of messages that look alike the MSNs tell which one fell into a hole.
TEST(CompareTest, OneOfManyAlikeInAGap) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(b, test::send(1));
  std::vector<test::Packets> sends;
  for (std::uint32_t msn = 1; msn <= 9; ++msn) sends.push_back(c.fpdu(a, test::send(msn, test::pattern(20))));
  c.close();
  Conversation holed = c;
  holed.drop(sends[4]);
  const StreamLog whole = logs_of(c).at(0);
  const StreamLog cut = logs_of(holed).at(0);
  EXPECT_EQ(told(compare(whole, cut)), "initiator undecidable 4");
  EXPECT_EQ(told(compare(cut, whole)), "initiator undecidable live 4");
}

// A capture that ended before what was lost on its way had been sent again.
TEST(CompareTest, WhatIsIncompleteForAHoleMayBeWhole) {
  StreamLog whole = logs_of(play({})).at(0);
  StreamLog cut = whole;
  LogEntry& first = cut.entries[0].at(0);
  ASSERT_EQ(first.kind, WorkKind::write);
  LogEntry rest = first;
  first.outcome = rest.outcome = OperationStatus::incomplete;
  first.length = 400;
  rest.length = 1000;
  rest.to += 1000;
  cut.entries[0].insert(cut.entries[0].begin() + 1, rest);
  EXPECT_FALSE(compare(whole, cut).same());
  cut.holed = true;
  EXPECT_TRUE(compare(whole, cut).same()) << told(compare(whole, cut));
  EXPECT_TRUE(compare(cut, whole).same()) << told(compare(cut, whole));
  // Nobody knows where in it the octets stood that came behind the hole.
  const Bytes other(400, Byte{0x5a});
  whole.entries[0][0].known = {{0, other}};
  cut.entries[0][0].payload = Bytes(400, Byte{0xa5});
  EXPECT_TRUE(compare(whole, cut).same()) << told(compare(whole, cut));
}

TEST(CompareTest, RulesLeaveOut) {
  std::string error;
  const auto with = [&](const char* rule, const Traffic& live) {
    CompareOptions options;
    EXPECT_TRUE(options.ignore.add(rule, error)) << error;
    return differences(live, options);
  };
  EXPECT_EQ(with("field:to", {.change = 3}), "");
  EXPECT_EQ(with("kind:send", {.skip = 2}), "");
  EXPECT_EQ(with("class:missing", {.skip = 2}), "");
  EXPECT_EQ(with("role:initiator", {.skip = 2}), "");
  EXPECT_EQ(with("close", {.reset = true}), "");
  IgnoreRules rules;
  EXPECT_FALSE(rules.add("field:colour", error));
  EXPECT_THAT(error, HasSubstr("'field:colour' is no rule: field is one of kind, size, msn"));
  EXPECT_FALSE(rules.add("field:size@both", error));
  EXPECT_EQ(error, "'field:size@both' is no rule: role is one of initiator, responder");
  EXPECT_FALSE(rules.add("everything", error));
}

TEST(CompareTest, AFieldIsLeftOutOfOneRole) {
  StreamLog recorded = logs_of(play({})).at(0);
  StreamLog live = recorded;
  // A Write of the initiator, and its Read, whose octets are the responder's.
  const Bytes known(8, Byte{1});
  const auto change = [&](std::size_t role, WorkKind kind) {
    const auto of_kind = [kind](const LogEntry& each) { return each.kind == kind && each.length >= 8; };
    auto& entries = recorded.entries[role];
    const auto found = std::ranges::find_if(entries, of_kind);
    ASSERT_NE(found, entries.end());
    found->known = {{0, known}};
    live.entries[role][static_cast<std::size_t>(found - entries.begin())].payload.assign(
        static_cast<std::size_t>(found->length), Byte{2});
  };
  change(0, WorkKind::write);
  change(0, WorkKind::read);
  const auto with = [&](std::vector<const char*> rules) {
    CompareOptions options;
    std::string error;
    for (const char* each : rules) EXPECT_TRUE(options.ignore.add(each, error)) << error;
    return compare(recorded, live, options).counts[static_cast<std::size_t>(DifferenceClass::different)];
  };
  EXPECT_EQ(with({}), 2U);
  EXPECT_EQ(with({"field:payload@responder"}), 1U);
  EXPECT_EQ(with({"field:payload@initiator"}), 1U);
  EXPECT_EQ(with({"field:payload"}), 0U);
  EXPECT_EQ(with({"field:payload@initiator", "field:payload@responder"}), 0U);

  live = logs_of(play({.change = 3})).at(0);  // a Write of the initiator's
  recorded = logs_of(play({})).at(0);
  EXPECT_EQ(with({"field:to@responder"}), 1U);
  EXPECT_EQ(with({"field:to@initiator"}), 0U);
}

TEST(CompareTest, MsnsAreComparedByTheirSteps) {
  const StreamLog recorded = logs_of(play({})).at(0);
  StreamLog live = recorded;
  for (std::size_t i = 7; i < live.entries[0].size(); ++i) {
    if (live.entries[0][i].kind == WorkKind::send) ++live.entries[0][i].msn;
  }
  EXPECT_EQ(told(compare(recorded, live)), "initiator different 7/7 msn");
  StreamLog cut = recorded;
  cut.holed = true;
  EXPECT_EQ(told(compare(cut, live)), "initiator different 7/7 msn") << "octets that lack leave MSNs known";
  cut.lacking[0] = Reason::gap;
  EXPECT_EQ(told(compare(cut, live)), "") << "a message may";
}

// --- nothing to compare ----------------------------------------------------------------------------------

TEST(CompareTest, WhereNothingCouldBeComparedIsUndecidable) {
  const std::vector<StreamLog> whole = logs_of(play({}));
  std::vector<StreamLog> cut = whole;
  for (auto& entries : cut[0].entries) entries.clear();
  EXPECT_FALSE(compare(whole, cut).nothing_compared()) << "it lacks all of them";
  cut[0].left_open = true;
  const StreamsComparison comparison = compare(whole, cut);
  EXPECT_TRUE(comparison.same());
  EXPECT_TRUE(comparison.nothing_compared());
  EXPECT_THAT(to_text(comparison, whole, cut),
              HasSubstr("undecidable: nothing could be compared, 26 undecidable\n"));
  const nlohmann::ordered_json json = to_json(comparison, whole, cut);
  EXPECT_EQ(json["verdict"], "undecidable");
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["streams"][0]["verdict"], "undecidable");

  CompareOptions options;
  std::string error;
  ASSERT_TRUE(options.ignore.add("role:initiator", error));
  EXPECT_FALSE(compare(whole, whole, options).nothing_compared());
  ASSERT_TRUE(options.ignore.add("role:responder", error));
  EXPECT_TRUE(compare(whole, whole, options).nothing_compared());
  EXPECT_TRUE(compare(std::vector<StreamLog>(), {}).nothing_compared());
}

// --- broken rules ----------------------------------------------------------------------------------------

TEST(CompareTest, RulesThatOnlyTheLiveOneBreaksAreTold) {
  const auto sent_at = [](std::uint32_t offset, Side by) {
    Conversation c;
    c.handshake();
    c.startup();
    c.fpdu(a, test::send(1));
    c.fpdu(b, test::send(1));
    c.fpdu(by, test::send(2, test::pattern(8), {.mo = offset}));
    c.close();
    return c;
  };
  const auto broken = [](const Conversation& recorded, const Conversation& live) {
    const std::vector<StreamLog> one = logs_of(recorded);
    const std::vector<StreamLog> other = logs_of(live);
    std::vector<std::string> out;
    for (const PlannedViolation& each : broken_only_live(compare(one, other), one, other))
      out.push_back(std::string(role_name(each.role)) + " " + each.check);
    return out;
  };
  EXPECT_THAT(broken(sent_at(0, a), sent_at(4, a)), ElementsAre("initiator DDP-MO0"));
  EXPECT_THAT(broken(sent_at(4, a), sent_at(4, a)), IsEmpty());
  EXPECT_THAT(broken(sent_at(4, a), sent_at(4, b)), ElementsAre("responder DDP-MO0"));
  EXPECT_THAT(broken(sent_at(4, a), sent_at(0, a)), IsEmpty());
  // A plan knows them, too.
  const std::vector<StreamLog> expected = expected_logs(plan_of(sent_at(4, a)));
  const std::vector<StreamLog> live = logs_of(sent_at(4, a));
  EXPECT_THAT(broken_only_live(compare(expected, live), expected, live), IsEmpty());
}

// --- as text and JSON ----------------------------------------------------------------------------------

TEST(CompareTest, TextShowsTheFirstDivergenceWithWhatCameBefore) {
  const StreamLog recorded = logs_of(play({})).at(0);
  const StreamLog live = logs_of(play({.change = 3})).at(0);
  const std::string text = to_text(compare(recorded, live), recorded, live);
  EXPECT_THAT(
      text,
      HasSubstr(
          "diverged: 25 requests are the same, 1 different\n"
          "first divergence: initiator, different in to: recorded write 2003 octets to peer's #1 + 768"));
  EXPECT_THAT(text, HasSubstr("live write 2003 octets to peer's #1 + 33536"));
  // Both logs side by side, up to the divergence; then what there is of each kind.
  const auto row = [&](const std::string& regex) { return testing::ContainsRegex(regex); };
  EXPECT_THAT(text, row("\n +frame +recorded at +recorded +frame +live at +live\n"));
  EXPECT_THAT(text,
              row("\n +[0-9]+ +[0-9.]+ ms +initiator write 2002 octets to peer's #1 \\+ 512 +[0-9]+ +[0-9.]+ "
                  "ms +initiator write 2002 octets to peer's #1 \\+ 512\n"));
  EXPECT_THAT(text,
              row("\n  > +[0-9]+ +[0-9.]+ ms +initiator write 2003 octets to peer's #1 \\+ 768 +[0-9]+ "));
  EXPECT_THAT(text, row("\n  from +request +recorded +live +same +payload the same\n"));
  EXPECT_THAT(text, row("\n  initiator +write +[0-9]+ +[0-9]+ +[0-9]+ +-\n"));
  EXPECT_THAT(text, row("\n  latency of +count +median recorded +live +p99 recorded +live\n  read +6 "));
}

TEST(CompareTest, JsonHasAllOfIt) {
  const StreamLog recorded = logs_of(play({})).at(0);
  const StreamLog live = logs_of(play({.skip = 2})).at(0);
  const nlohmann::ordered_json json = to_json(compare(recorded, live), recorded, live);
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["counts"]["missing"], 1);
  EXPECT_EQ(json["first"]["class"], "missing");
  EXPECT_EQ(json["first"]["from"], "initiator");
  EXPECT_EQ(json["first"]["recorded"]["kind"], "send");
  EXPECT_EQ(json["first"]["recorded"]["msn"], 3);
  EXPECT_TRUE(json["first"]["live"].is_null());
  EXPECT_EQ(json["first"]["before"]["recorded"]["initiator"].size(), 3U);
  EXPECT_EQ(json["latency"][0]["count"], 6);
}

TEST(CompareTest, WholeStreamsMayBeMissing) {
  const std::vector<StreamLog> one = logs_of(play({}));
  const StreamsComparison comparison = compare(one, {});
  EXPECT_FALSE(comparison.same());
  EXPECT_THAT(to_text(comparison, one, {}), HasSubstr("missing stream: 192.0.2.1:40000 to 192.0.2.2:18515"));
}

}  // namespace
}  // namespace iwarp::replay
