// Rules broken in a run over the system's sockets: its recording shows just the broken rule, where it was
// broken. (All rules, in memory: inject/breaches_test.)
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "commands/commands.hpp"
#include "support/analysed.hpp"
#include "support/capture_read.hpp"
#include "support/places.hpp"

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

class InjectedRun : public testing::TestWithParam<Broken> {
 protected:
  InjectedRun() {
    std::string pattern = testing::TempDir() + "iwarp-injected-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~InjectedRun() override { std::filesystem::remove_all(folder_); }

  std::string run(const std::vector<std::string>& words) const {
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int status = 0;
    const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data(), status);
    if (options) (void)run_any(*options);
    return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  }

  std::string folder_;
};

TEST_P(InjectedRun, ShowsJustThat) {
  const Broken& wanted = GetParam();
  const std::string record = folder_ + "/broken.pcapng";
  const std::string said = run({"iwarp-replay", "run", test::places::captures() + "/real/" + wanted.capture,
                                "--loopback", "--timing", "topspeed", "--stream", wanted.stream, "--inject",
                                std::string(wanted.rule) + "@," + wanted.role, "--record", record});
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

constexpr const char* rping = "01g-rping-v4-mtu1500-notso-crc-S5000.pcap";
constexpr const char* writes = "02h-write_bw-4K-q8-crc-notso.pcap.gz";

INSTANTIATE_TEST_SUITE_P(OverSockets, InjectedRun,
                         testing::Values(Broken{"MPA-MULPDU", "1", "initiator", writes, "carries on"},
                                         Broken{"MPA-MULPDU", "0", "responder", rping, "carries on"},
                                         Broken{"RDMAP-AFTERFIN", "0", "initiator", writes, "RST"},
                                         Broken{"RDMAP-AFTERFIN", "0", "responder", rping, "RST"},
                                         Broken{"RDMAP-TERMFIN", "0", "responder", rping, "no answer"},
                                         Broken{"MPA-CRC", "0", "initiator", rping, "Terminate 2002"},
                                         Broken{"DDP-MSNGAP", "0", "responder", rping, "Terminate 1203"},
                                         Broken{"DDP-QN", "0", "initiator", rping, "Terminate 1201"}));

}  // namespace
}  // namespace iwarp::replay
