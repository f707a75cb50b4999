// STags and TOs are others in each run; which ones they have to be tells the peer's advertisement.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compare/render.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using test::Conversation;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr std::uint64_t kept_payload = std::uint64_t{1} << 20U;

struct Memory {
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
};

// As rping does: TO, STag and length, all big-endian.
Bytes advertisement(const Memory& memory) {
  Bytes octets(16);
  store_be64(octets.data(), memory.to);
  store_be32(octets.data() + 8, memory.stag);
  store_be32(octets.data() + 12, 64);
  return octets;
}

// A tells of two places, B writes 64 octets to each, once.
std::vector<test::OwnedSegment> session(const std::array<Memory, 2>& told,
                                        const std::array<Memory, 2>& written) {
  Conversation c;
  c.handshake();
  c.startup();
  for (std::uint32_t i = 0; i < 2; ++i) c.fpdu(a, test::send(i + 1, advertisement(told[i])));
  c.ack(b);
  for (std::uint32_t i = 0; i < 2; ++i) {
    c.fpdu(b, test::write(written[i].stag, written[i].to, test::pattern(64)));
    c.fpdu(b, test::send(i + 1, test::text("done")));
  }
  c.close();
  return c.segments();
}

constexpr std::array<Memory, 2> recorded = {{{0x11110001, 0x10000}, {0x22220002, 0x20000}}};
constexpr std::array<Memory, 2> live = {{{0x33330003, 0x50000}, {0x44440004, 0x70000}}};

class AdvertisedMemory : public testing::Test {
 protected:
  void compare_with(const std::vector<test::OwnedSegment>& segments) {
    live_ = logs_of(segments, kept_payload);
    comparison_ = compare(expected_, live_);
  }
  // "to where 0x44440004+0x70000 was advertised", one for each difference.
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> lines;
    for (const Difference& each : comparison_.streams.at(0).comparison.differences) {
      std::string line;
      for (const LogField field : each.fields) line += log_field_name(field);
      if (each.advertised) {
        char text[64];
        std::snprintf(text, sizeof text, " where 0x%x+0x%llx was advertised", each.advertised->stag,
                      static_cast<unsigned long long>(each.advertised->to));
        line += text;
      }
      lines.push_back(line);
    }
    return lines;
  }

  Plan plan_ = plan_of(session(recorded, recorded));
  std::vector<StreamLog> expected_ = expected_logs(plan_);
  std::vector<StreamLog> live_ = {};
  StreamsComparison comparison_ = {};
};

TEST_F(AdvertisedMemory, IsCalledOtherwiseInEachRun) {
  compare_with(session(live, live));
  EXPECT_THAT(told(), testing::IsEmpty());
}

// All uses beside it by the same distance fit one another, but not what the peer said.
TEST_F(AdvertisedMemory, IsNotWhatLiesBesideIt) {
  compare_with(session(live, {{{live[0].stag, live[0].to + 8}, {live[1].stag, live[1].to + 8}}}));
  EXPECT_THAT(told(), ElementsAre("to where 0x33330003+0x50000 was advertised",
                                  "to where 0x44440004+0x70000 was advertised"));
  EXPECT_THAT(to_text(comparison_, expected_, live_),
              HasSubstr(", where STag 0x33330003, TO 0x0000000000050000 was advertised\n"));
  const auto json = to_json(comparison_, expected_, live_);
  EXPECT_EQ(json["streams"][0]["first"]["advertised"],
            (nlohmann::ordered_json{{"stag", "0x33330003"}, {"to", "0x0000000000050000"}}));
}

// Each STag is used once: any of them could be any other one.
TEST_F(AdvertisedMemory, IsNotTheOtherOne) {
  compare_with(session(live, {live[1], live[0]}));
  EXPECT_THAT(told(), ElementsAre("stag where 0x33330003+0x50000 was advertised",
                                  "stag where 0x44440004+0x70000 was advertised"));
}

// Where the live message was not kept nobody knows what it advertised.
TEST_F(AdvertisedMemory, IsGuessedWhereTheTellingIsNotKnown) {
  live_ = logs_of(session(live, {{{live[0].stag, live[0].to + 8}, {live[1].stag, live[1].to + 8}}}), 0);
  comparison_ = compare(expected_, live_);
  EXPECT_THAT(told(), testing::IsEmpty());
}

}  // namespace
}  // namespace iwarp::replay
