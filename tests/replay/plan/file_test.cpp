// Plans as octets and text, both ways; damaged and hostile files.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/plan_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "plan/anonymise.hpp"
#include "replay/planned.hpp"
#include "support/capture_read.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

class PlanFileTest : public testing::TestWithParam<std::string> {};

TEST_P(PlanFileTest, OctetsAndTextGiveTheSamePlanAgain) {
  std::string error;
  const auto made = plan_capture(GetParam(), {}, error);
  ASSERT_TRUE(made) << error;
  Plan plan = made->plan;
  for (const bool anonymous : {false, true}) {
    if (anonymous) anonymise(plan);
    const std::string octets = to_octets(plan);
    EXPECT_TRUE(looks_like_plan(octets));
    EXPECT_EQ(octets, to_octets(plan));
    const auto from_octets = plan_from_octets(octets, error);
    ASSERT_TRUE(from_octets) << error;
    EXPECT_TRUE(*from_octets == plan);
    EXPECT_EQ(to_octets(*from_octets), octets);
    const auto from_text = plan_from_text(to_text(plan), error);
    ASSERT_TRUE(from_text) << error;
    EXPECT_TRUE(*from_text == plan);
  }
  EXPECT_LT(plan.payloads.octets(), 100'000U) << "an anonymised plan is small";
}

INSTANTIATE_TEST_SUITE_P(Captures, PlanFileTest, testing::ValuesIn(all_captures()), capture_test_name);

Plan small_plan() {
  return plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
}

TEST(PlanFileFormTest, TextReadsLikeAScript) {
  const std::string text = to_text(small_plan());
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n  work { id: 1 by: RESPONDER kind: READ stag: 0x2a4b2e00 to: 0x000055aa63e1d530 length: 64 "
          "source_stag: 0xa2824d00 source_to: 0x000055fb60cbbb60 after { received: 0 } "));
}

TEST(PlanFileFormTest, PeopleMayTakeLinesOut) {
  std::string text = to_text(small_plan());
  const std::size_t line = text.find("  work { id: 31 ");  // the responder's FIN
  ASSERT_NE(line, std::string::npos);
  text.erase(line, text.find('\n', line) - line);
  std::string error;
  const auto plan = plan_from_text("# a comment\n" + text, error);
  ASSERT_TRUE(plan) << error;
  EXPECT_EQ(plan->streams.at(0).work.size(), 31U);
}

std::string error_of(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string error;
  EXPECT_FALSE(plan_from_text(text, error));
  return error;
}

TEST(PlanFileFormTest, ErrorsSayWhere) {
  const std::string text = to_text(small_plan());
  EXPECT_EQ(error_of(text, "after { received: 0 }", "after { received: 99 }"),
            "stream 0, work 1: waits for work 99, which is not there");
  EXPECT_EQ(error_of(text, "version: 1", "version: 7"), "the plan's version is 7, and only 1 is known");
  EXPECT_EQ(error_of(text, "format: \"iwarp-replay plan\"", "format: \"a poem\""), "this is no replay plan");
  EXPECT_EQ(error_of(text, "octets { payload: 0 length: 16 }", "octets { payload: 0 length: 17 }"),
            "stream 0, work 0: a piece goes beyond the end of payload 0");
  EXPECT_EQ(error_of(text, "octets { payload: 0 length: 16 }", "octets { payload: 0 length: 15 }"),
            "stream 0, work 0: its length is 16, but it has 15 octets");
  EXPECT_EQ(error_of(text, "octets { payload: 0 ", "octets { payload: 4711 "),
            "stream 0, work 0: names payload 4711, which is not there");
  EXPECT_EQ(error_of(text, "length: 64 remote_read", "length: 99999999999 remote_read"),
            "host 0, region 0: it is longer than 4294967296");
  EXPECT_EQ(error_of(text, "initial { to: 0x000055fb60cbbb60", "initial { to: 0x000055fb60cbbb61"),
            "host 0, region 0: its octets do not lie in the region");
  EXPECT_EQ(error_of(text, "address: \"10.1.1.2\"", "address: \"10.1.1.256\""),
            "host 0: '10.1.1.256' is no address");
  for (const char* const length : {"1", "14", "18", "127", "64769"}) {
    EXPECT_EQ(error_of(text, "mss: 1460", std::string("mss: 1460 mulpdu: ") + length),
              std::string("stream 0: its MULPDU is ") + length + ", and none is below 128 or above 64768");
  }
  const std::string startup = "startup { revision: 2 word { ird: 1 ord: 1 }";
  const auto private_data = [](std::size_t octets) {
    return " private_data { hex: \"" + std::string(2 * octets, '7') + "\" }";
  };
  EXPECT_EQ(error_of(text, startup, startup + private_data(509)),
            "stream 0: private data has more than 508 octets");
  EXPECT_EQ(error_of(text, startup, "startup { revision: 1" + private_data(513)),
            "stream 0: private data has more than 512 octets");
  EXPECT_EQ(error_of(text, "id: 4 ", "id: 3 "), "stream 0: there are two works of the id 3");
  EXPECT_THAT(error_of(text, "kind: READ", "kind: PONDER"), HasSubstr("line "));
  EXPECT_THAT(error_of(text, "hex: \"000055fb", "hex: \"x"), HasSubstr("payload 0: "));
}

TEST(PlanFileFormTest, DamagedOctetsAreRefusedOrRead) {
  const std::string octets = to_octets(small_plan());
  std::string error;
  for (std::size_t size = 0; size < octets.size(); ++size) {
    EXPECT_FALSE(plan_from_octets(octets.substr(0, size), error)) << size;
  }
  for (std::size_t at = 0; at < octets.size(); ++at) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = octets;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (const auto plan = plan_from_octets(damaged, error)) (void)to_octets(*plan);
    }
  }
}

TEST(PlanFileFormTest, NothingIsUnpackedBeyondTheCap) {
  Plan plan;
  for (std::uint32_t i = 0; i < 8; ++i) {
    Bytes zeros(1U << 20U);
    zeros[0] = static_cast<Byte>(i);
    (void)plan.payloads.add(zeros);
  }
  const std::string octets = to_octets(plan);
  EXPECT_LT(octets.size(), 10'000U);
  PlanLimits limits;
  limits.payload_octets = 1U << 20U;
  std::string error;
  EXPECT_FALSE(plan_from_octets(octets, error, limits));
  EXPECT_EQ(error, "payloads: they have 8388608 octets, more than 1048576");
  EXPECT_TRUE(plan_from_octets(octets, error));
}

TEST(PlanFileFormTest, FilesOfEitherFormAreRead) {
  const Plan plan = small_plan();
  const std::string path = testing::TempDir() + "/iwarp-plan-file-test";
  std::string error;
  for (const bool text : {false, true}) {
    ASSERT_TRUE(write_plan(plan, path, text, error)) << error;
    const auto read = read_plan(path, error);
    ASSERT_TRUE(read) << error;
    EXPECT_TRUE(*read == plan);
  }
  std::remove(path.c_str());
  EXPECT_FALSE(read_plan(path, error));
  EXPECT_THAT(error, HasSubstr(path + ": "));
}

}  // namespace
}  // namespace iwarp::replay
