// compare: two captures or plans, as a user calls it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using CompareCommand = CommandTest;

TEST_F(CompareCommand, ADifferenceIsStatusOneAndShownFirst) {
  const Ended compared = call({"compare", capture(rping_capture), capture("real/01k-rping-v4-mpav1.pcap")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("first divergence: "));
  const Ended json =
      call({"compare", capture(rping_capture), capture("real/01k-rping-v4-mpav1.pcap"), "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["same"], false);
}

TEST_F(CompareCommand, PayloadOfTwoCapturesIsCompared) {
  const Ended run = call({"run", capture(rping_capture), "--loopback", "--timing", "topspeed", "--payload",
                          "seeded:7", "--own-stags", "other", "--record", file("seeded.pcapng")});
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const Ended compared = call({"compare", capture(rping_capture), file("seeded.pcapng")});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.out, HasSubstr("first divergence: "));
  EXPECT_THAT(compared.out, HasSubstr("payload differs from octet 0 on: recorded 72 64 6d 61")) << "rdma";
  const auto json =
      nlohmann::json::parse(call({"compare", capture(rping_capture), file("seeded.pcapng"), "--json"}).out);
  EXPECT_EQ(json["streams"][0]["first"]["class"], "different");
  EXPECT_EQ(json["streams"][0]["first"]["fields"], nlohmann::json::array({"payload"}));
  EXPECT_EQ(
      call({"compare", capture(rping_capture), file("seeded.pcapng"), "--ignore", "field:payload"}).status,
      0);
  // A plan knows the octets of the capture it was made from, and none when they are seeded.
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("plan")}).status, 0);
  ASSERT_EQ(call({"plan", capture(rping_capture), "-o", file("anonymous"), "--anonymise"}).status, 0);
  EXPECT_EQ(call({"compare", capture(rping_capture), file("plan")}).status, 0);
  EXPECT_EQ(call({"compare", file("plan"), file("seeded.pcapng")}).status, 1);
  EXPECT_EQ(call({"compare", file("anonymous"), file("seeded.pcapng")}).status, 0);
  EXPECT_EQ(call({"compare", capture(rping_capture), file("anonymous")}).status, 0);
}

}  // namespace
}  // namespace iwarp::replay
