// What is found in captures in which something grows (tests/bench/growth.py measures the time): the rules
// that are broken there, each as often as it is, and what only a limit keeps from being decided.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>

#include <iwarp/finding.hpp>

#include "support/analysed.hpp"
#include "support/hostile_captures.hpp"

namespace iwarp::test {
namespace {

constexpr std::size_t size = 300'000;

using Counts = std::map<std::string, std::size_t>;

Counts told_of(const char* name) {
  const Analysed result(hostile_capture(name, size));
  Counts counts;
  for (const std::string& id : result.ids()) ++counts[id];
  return counts;
}

TEST(HostileCaptures, OfWhatBreaksNoRuleNothingIsTold) {
  for (const char* name : {"answers-behind-hole",
                           "same-reads-behind-hole",
                           "waiting-replaced",
                           "single-octets",
                           "backwards-octets",
                           "backwards-segments",
                           "holes",
                           "out-of-step",
                           "copies-of-short-segments",
                           "midstream-zeros",
                           "midstream-text",
                           "midstream-pattern",
                           "midstream-headers",
                           "midstream-short-chains",
                           "lost-in-zeros",
                           "lost-in-headers",
                           "lost-in-short-headers",
                           "lost-in-headers-by-two",
                           "lost-in-short-chains",
                           "lost-in-stored-by-two",
                           "lost-in-broken-pairs",
                           "lost-in-broken-pairs-by-four",
                           "startups",
                           "quoted-keys",
                           "keys-begun",
                           "healthy-by-two",
                           "healthy-small-segments",
                           "healthy-shortest",
                           "healthy-short"}) {
    EXPECT_EQ(told_of(name), Counts()) << name;
  }
}

TEST(HostileCaptures, AnswersOutOfTurnAreFoundHoweverManyRequestsAreOpen) {
  EXPECT_EQ(told_of("reads-newest-first"), (Counts{{"RDMAP-RRORDER", 1362}}));
  const Counts left_out = told_of("reads-left-out");
  EXPECT_GT(left_out.at("RDMAP-RRORDER"), 100U);
  EXPECT_EQ(left_out.at("RDMAP-RRLOST"), 1U);
  // An Atomic Response repeats the identifier: that of the oldest was due.
  EXPECT_EQ(told_of("atomics-newest-first"), (Counts{{"RDMAP-ATREQID", 1180}}));
  // Of those that were overtaken with it a Read is the oldest.
  EXPECT_EQ(told_of("atomics-behind-lost-reads"), (Counts{{"RDMAP-RRORDER", 1181}}));
}

TEST(HostileCaptures, AnswersThatNobodyAskedForAreToldOneByOne) {
  EXPECT_EQ(told_of("answers-of-nothing"), (Counts{{"RDMAP-RRMATCH", 1363}}));
  EXPECT_EQ(told_of("atomic-answers-to-reads"),
            (Counts{{"RDMAP-RRLOST", 1}, {"RDMAP-RRNONE", 1315}, {"VERBS-BADCLOSE", 2}}));
}

TEST(HostileCaptures, OfManyTerminatesTheFirstFewAreRead) {
  const Analysed result(hostile_capture("terminates-refuse-reads", size));
  const std::size_t terminates = 1515;
  EXPECT_EQ(result.ids(), Ids(terminates - 1, "RDMAP-TERM1"));
  EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::limit), terminates - 16);
  EXPECT_EQ(result.undecidable("RDMAP-TERMWHY", Reason::limit), terminates - 16);
}

TEST(HostileCaptures, DamagedAndMalformedFpdusAreToldOneByOne) {
  EXPECT_EQ(told_of("bad-crcs"), (Counts{{"MPA-CRC", 8865}}));
  EXPECT_EQ(told_of("malformed"), (Counts{{"MPA-LEN", 35657}}));
  EXPECT_EQ(told_of("copies-of-bad-fpdus"), (Counts{{"MPA-CRC", 4}}));
}

}  // namespace
}  // namespace iwarp::test
