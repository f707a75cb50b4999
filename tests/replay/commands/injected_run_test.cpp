// Rules broken in a run over the system's sockets: its recording shows just the broken rule, where it was
// broken. (All rules, in memory: inject/breaches_test.)
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/commands/command_called.hpp"
#include "support/analysed.hpp"
#include "support/capture_read.hpp"

namespace iwarp::replay {
namespace {

struct Broken {
  const char* rule;
  const char* stream;
  const char* role;
  const char* capture;
  const char* seen;  // of the peer
};

void PrintTo(const Broken& run, std::ostream* out) {
  *out << run.rule << " by the " << run.role << " of " << run.capture;
}

class InjectedRun : public CommandTest, public testing::WithParamInterface<Broken> {};

TEST_P(InjectedRun, ShowsJustThat) {
  const Broken& wanted = GetParam();
  const std::string record = file("broken.pcapng");
  const Ended ended = call({"run", capture(std::string("real/") + wanted.capture), "--loopback", "--timing",
                            "topspeed", "--stream", wanted.stream, "--inject",
                            std::string(wanted.rule) + "@," + wanted.role, "--record", record});
  const std::string said = ended.out + ended.err;
  EXPECT_THAT(said, testing::HasSubstr(std::string("seen: ") + wanted.seen));
  const test::Analysed result(test::read_capture(record).segments);
  test::Ids ids = result.ids(Severity::information);
  std::erase(ids, "MPA-ALIGN");      // TCP's, where it may cut as it likes
  std::erase(ids, "RDMAP-TERMWHY");  // a Terminate that is put there has no cause
  EXPECT_EQ(ids, test::Ids{wanted.rule}) << said << result.told();
  ASSERT_FALSE(result.findings(wanted.rule).empty());
  EXPECT_EQ(result.state().role_of(result.findings(wanted.rule).front().side),
            wanted.role == std::string("initiator") ? Role::initiator : Role::responder);
}

constexpr const char* rping_5000 = "01g-rping-v4-mtu1500-notso-crc-S5000.pcap";
constexpr const char* writes = "02h-write_bw-4K-q8-crc-notso.pcap.gz";

INSTANTIATE_TEST_SUITE_P(OverSockets, InjectedRun,
                         testing::Values(Broken{"MPA-MULPDU", "1", "initiator", writes, "carries on"},
                                         Broken{"MPA-MULPDU", "0", "responder", rping_5000, "carries on"},
                                         Broken{"RDMAP-AFTERFIN", "0", "initiator", writes, "RST"},
                                         Broken{"RDMAP-AFTERFIN", "0", "responder", rping_5000, "RST"},
                                         Broken{"RDMAP-TERMFIN", "0", "responder", rping_5000, "no answer"},
                                         Broken{"MPA-CRC", "0", "initiator", rping_5000, "Terminate 2002"},
                                         Broken{"DDP-MSNGAP", "0", "responder", rping_5000, "Terminate 1203"},
                                         Broken{"DDP-QN", "0", "initiator", rping_5000, "Terminate 1201"}));

}  // namespace
}  // namespace iwarp::replay
