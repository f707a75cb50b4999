// Rules broken in a run over the system's sockets: its recording shows just the broken rule, where it was
// broken. (All rules, in memory: inject/breaches_test.)
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/commands/command_called.hpp"
#include "support/analysed.hpp"
#include "support/capture_read.hpp"
#include "support/json_schema.hpp"

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
  std::erase(ids, "MPA-ALIGN");  // TCP's, where it may cut as it likes
  // A Terminate that is put there has no cause.
  if (std::string_view(wanted.rule).starts_with("RDMAP-TERM")) std::erase(ids, "RDMAP-TERMWHY");
  EXPECT_EQ(ids, test::Ids{wanted.rule}) << said << result.told();
  ASSERT_FALSE(result.findings(wanted.rule).empty());
  EXPECT_EQ(result.state().role_of(result.findings(wanted.rule).front().side),
            wanted.role == std::string("initiator") ? Role::initiator : Role::responder);
}

constexpr const char* rping_5000 = "01g-rping-v4-mtu1500-notso-crc-S5000.pcap";
constexpr const char* writes = "02h-write_bw-4K-q8-crc-notso.pcap.gz";

INSTANTIATE_TEST_SUITE_P(
    OverSockets, InjectedRun,
    testing::Values(Broken{"MPA-MULPDU", "1", "initiator", writes, "carries on"},
                    Broken{"MPA-MULPDU", "0", "responder", rping_5000, "carries on"},
                    Broken{"RDMAP-AFTERFIN", "0", "initiator", writes, "RST"},
                    Broken{"RDMAP-AFTERFIN", "0", "responder", rping_5000, "RST"},
                    Broken{"RDMAP-TERMFIN", "0", "responder", rping_5000, "no answer"},
                    Broken{"MPA-CRC", "0", "initiator", rping_5000, "Terminate 2002"},
                    Broken{"DDP-MSNGAP", "0", "responder", rping_5000, "Terminate 1203"},
                    Broken{"DDP-CONST", "0", "initiator", rping_5000, "Terminate 0206"},
                    Broken{"DDP-LDUP", "0", "initiator", rping_5000, "Terminate 1203"},
                    Broken{"DDP-MIX", "0", "initiator", rping_5000, "Terminate 1203"},
                    Broken{"MPA-MKUSE", "0", "initiator", rping_5000, "Terminate 2002"},
                    Broken{"MPA-KEY", "0", "initiator", rping_5000, "closes without a T"},
                    Broken{"MPA-PDLEN", "0", "initiator", rping_5000, "closes without a T"},
                    Broken{"MPA-INITINIT", "0", "responder", rping_5000, "closes without a"},
                    Broken{"DDP-QN", "0", "initiator", rping_5000, "Terminate 1201"}));

// What was asked for and was not done, or broke nothing, is not said to be done.
class UnbrokenRun : public CommandTest {
 protected:
  void expect_not_injected(std::vector<std::string> how, const std::string& said) {
    how.insert(how.begin(), {"run", capture(std::string("real/") + rping_5000), "--loopback", "--timing",
                             "topspeed", "--report", file("report.json")});
    const Ended run = call(how);
    EXPECT_EQ(run.status, 2) << run.out;
    EXPECT_THAT(run.out, testing::HasSubstr("not injected: " + said));
    const nlohmann::json injection = json_of("report.json")["injections"].back();
    EXPECT_EQ(injection["verdict"], "not tried");
    EXPECT_EQ(injection["seen"], nullptr);
    const nlohmann::json schema = strict_schema();
    EXPECT_EQ(test::violation(json_of("report.json"), schema["definitions"]["report"], schema), "");
  }
};

TEST_F(UnbrokenRun, SaysThatItDidNotComeToThePlace) {
  const char* const late =
      "MPA-CRC in Send (message 3) of the initiator of stream 0: the run did not come to it";
  expect_not_injected(
      {"--inject", "MPA-CRC@0,responder,3,5"},
      "MPA-CRC in RDMA Write (message 3), FPDU 5, of the responder of stream 0: the run did not");
  expect_not_injected({"--inject", "MPA-CRC@0,initiator,3", "--limit", "2"}, late);
  expect_not_injected({"--inject", "MPA-CRC@0,initiator,2", "--inject", "MPA-CRC@0,initiator,3"}, late);
}

// The Terminate is about the wrong CRC, not about the reserved bit before it.
TEST_F(UnbrokenRun, SaysThatTheAnswerIsToAnotherFault) {
  const Ended run =
      call({"run", capture(std::string("real/") + rping_5000), "--loopback", "--timing", "topspeed",
            "--inject", "DDP-RSVD@,initiator,1", "--inject", "MPA-CRC@,initiator,3"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out,
              testing::HasSubstr("injected DDP-RSVD in Send (message 1) of the initiator of stream 0: "
                                 "what the peer did is about another fault of this stream\n"));
  EXPECT_THAT(run.out, testing::HasSubstr("seen: Terminate 2002 (MPA: CRC error): the peer conforms\n"));
}

// At one port: what the peer does in one stream says nothing about the others.
TEST_F(UnbrokenRun, JudgesEachStreamByItself) {
  const std::string recorded = capture("real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz");
  const pid_t peer = begin_apart({"run", recorded, "--as", "responder", "--listen", "127.0.0.1:0",
                                  "--patience", "3s", "--timing", "topspeed"},
                                 file("out"), file("err"));
  const std::string at = "127.0.0.1:" + std::to_string(listening_port(file("err")));
  const Ended run = call({"run", recorded, "--as", "initiator", "--connect", at, "--patience", "3s",
                          "--timing", "topspeed", "--start-delay", "0", "--inject", "DDP-RSVD@0,initiator,2",
                          "--inject", "DDP-DV@1,initiator,3", "--inject", "MPA-CRC@2,initiator,2"});
  EXPECT_NE(end_of(peer), -1);
  for (const char* const seen :
       {"carries on", "Terminate 1206 (untagged: invalid DDP version)", "Terminate 2002 (MPA: CRC error)"}) {
    EXPECT_THAT(run.out, testing::HasSubstr(std::string("seen: ") + seen + ": the peer conforms\n"));
  }
}

// A limit ends the run before the peer has shown that it carries on, or behind that.
TEST_F(UnbrokenRun, DoesNotBlameThePeerForALimit) {
  for (const char* const limit : {"3", "30"}) {
    const Ended run = call({"run", capture(std::string("real/") + rping_5000), "--loopback", "--timing",
                            "topspeed", "--inject", "DDP-RSVD", "--limit", limit});
    EXPECT_EQ(run.status, 0) << run.out;
    EXPECT_THAT(run.out, testing::Not(testing::HasSubstr("deviates"))) << limit;
  }
}

// With invalidation the field has a meaning.
TEST_F(UnbrokenRun, SaysThatNoRuleIsBrokenThere) {
  const Ended run = call({"run", capture("real/04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz"), "--loopback",
                          "--timing", "topspeed", "--inject", "RDMAP-INV0@0,responder,3"});
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_THAT(run.out, testing::HasSubstr("of stream 0: that broke no rule there"));
}

}  // namespace
}  // namespace iwarp::replay
