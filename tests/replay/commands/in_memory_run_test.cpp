// run --in-memory: no network, virtual time, faults by seed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "replay/commands/command_called.hpp"
#include "support/analysed.hpp"
#include "support/capture_read.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

class InMemoryRun : public CommandTest {
 protected:
  // What it records, and its exit status.
  std::pair<std::vector<test::OwnedSegment>, int> recorded(std::vector<std::string> how) {
    how.insert(how.begin(), {"run", capture(rping_capture), "--in-memory", "--record", file("again.pcapng")});
    const Ended run = call(how);
    said_ = run.out + run.err;
    return {test::read_capture(file("again.pcapng")).segments, run.status};
  }
  [[nodiscard]] std::string content() const {
    std::ifstream recording(file("again.pcapng"), std::ios::binary);
    return {std::istreambuf_iterator<char>(recording), {}};
  }
  std::string said_;
};

TEST_F(InMemoryRun, IsTheSameEveryTimeAtRecordedTimesAndAddresses) {
  const auto [first, status] = recorded({"--timing", "original"});
  EXPECT_EQ(status, 0) << said_;
  EXPECT_THAT(said_, HasSubstr("at most 0.0 us, of 30 requests"));
  EXPECT_THAT(said_, HasSubstr(" s of virtual time\n"));
  const std::string octets = content();
  (void)recorded({"--timing", "original"});
  EXPECT_TRUE(content() == octets);
  ASSERT_FALSE(first.empty());
  const auto whole = test::read_capture(capture(rping_capture)).segments;
  EXPECT_EQ(first.front().meta.source.address, whole.front().meta.source.address);
  EXPECT_NEAR(static_cast<double>(first.front().meta.time_ns - whole.front().meta.time_ns), 0, 10e6);
}

TEST_F(InMemoryRun, ALossyNetworkChangesNothingThatIsDone) {
  const auto [segments, status] = recorded(
      {"--fault", "loss:5%", "--fault", "reordering:5%", "--fault", "duplication:5%", "--seed", "3"});
  EXPECT_EQ(status, 0) << said_;
  EXPECT_GT(segments.size(), recorded({}).first.size()) << "something was sent again";
}

TEST_F(InMemoryRun, AWrongOctetThatTcpDoesNotSeeIsFoundByCrc) {
  const std::string with_crc = capture("real/01g-rping-v4-mtu1500-notso-crc-S5000.pcap");
  const Ended run = call(
      {"run", with_crc, "--in-memory", "--fault", "hidden-corruption:9", "--record", file("again.pcapng")});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out,
              HasSubstr("\nfirst divergence: responder breaks MPA-CRC (RFC 5044 §4.4) in live frame "));
  const test::Analysed result(test::read_capture(file("again.pcapng")).segments);
  EXPECT_TRUE(result.has("MPA-CRC"));
  EXPECT_EQ(result.messages(wire::Opcode::terminate).size(), 1U);
}

TEST_F(InMemoryRun, ReplaysWhatIsReplayedOverSockets) {
  for (const char* const name : {"real/03d-burst-readmany.pcap", "real/03e-term-write_oob.pcap",
                                 "real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz"}) {
    const Ended run = call({"run", capture(name), "--in-memory", "--timing", "topspeed"});
    EXPECT_EQ(run.status, 0) << name << run.out;
  }
}

TEST_F(InMemoryRun, FaultsHaveAKindAndHowOften) {
  for (const char* const wrong :
       {"loss", "loss:", "loss:0", "loss:0%", "loss:101%", "loss:x", "theft:1%", "loss:1%%"}) {
    const Ended run = call({"run", "x", "--in-memory", "--fault", wrong});
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_THAT(run.err, HasSubstr(std::string("not '") + wrong + "'"));
  }
  EXPECT_THAT(call({"run", "x", "--loopback", "--fault", "loss:1%"}).err, HasSubstr("needs --in-memory"));
  EXPECT_THAT(call({"run", "x", "--loopback", "--in-memory"}).err,
              HasSubstr("one of --loopback, --in-memory and --as, not two"));
}

}  // namespace
}  // namespace iwarp::replay
