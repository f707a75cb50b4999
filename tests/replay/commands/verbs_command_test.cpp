// run --rnic verbs, where there is no device; what is kept of a log for where there is one.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/commands/command_called.hpp"
#include "replay/planned.hpp"
#include "verbs/backend.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

using VerbsCommand = CommandTest;

TEST_F(VerbsCommand, VerbsNeedADeviceAndSaySo) {
  // No machine has a device of this name; one without devices, or without the back end, says so.
  const Ended run = call({"run", capture(rping_capture), "--as", "initiator", "--connect", "127.0.0.1:9",
                          "--rnic", "verbs:no-such-device"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, testing::AnyOf(HasSubstr("this machine has no RDMA device"),
                                      HasSubstr("there is no RDMA device no-such-device; there are: "),
                                      HasSubstr("built without libibverbs")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--loopback"},
        {"--as", "initiator", "--connect", "127.0.0.1:9", "--crc", "on"},
        {"--as", "initiator", "--connect", "127.0.0.1:9", "--timing", "step"},
        {"--as", "initiator", "--connect", "127.0.0.1:9", "--mbps", "1"}}) {
    std::vector<std::string> all = {"run", capture(rping_capture), "--rnic", "verbs"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended refused = call(all);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("is for the soft-RNIC; leave it out with --rnic verbs"));
  }
  EXPECT_THAT(call({"run", capture(rping_capture), "--loopback", "--rnic", "hard"}).err,
              HasSubstr("--rnic takes soft, verbs or verbs:DEVICE, not 'hard'"));
}

TEST_F(VerbsCommand, OfALogIsKeptWhatAnApplicationSees) {
  const Plan plan = plan_of_file("real/03e-term-norecv.pcap");
  StreamLog log = expected_log(plan, 0);
  verbs::keep_visible(log, plan.streams[0], Role::responder);
  EXPECT_THAT(log.entries[0], testing::IsEmpty()) << "a Send that found no buffer";
  EXPECT_THAT(log.entries[1], testing::IsEmpty()) << "Terminate and close are the RNIC's";
  log = expected_log(plan, 0);
  verbs::keep_visible(log, plan.streams[0], Role::initiator);
  ASSERT_EQ(log.entries[0].size(), 1U) << "it was posted";

  const Plan rping_plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  StreamLog both = expected_log(rping_plan, 0);
  verbs::keep_visible(both, rping_plan.streams[0], Role::initiator);
  EXPECT_EQ(both.entries[0].size(), 10U) << "own Sends";
  EXPECT_EQ(both.entries[1].size(), 10U) << "the peer's Sends; not its Reads and Writes";
}

}  // namespace
}  // namespace iwarp::replay
