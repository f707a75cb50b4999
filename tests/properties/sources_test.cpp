// The same capture gives the same octets of output: twice, from a pipe in small pieces, compressed, in
// parallel.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <filesystem>

#include "support/analyze_program.hpp"
#include "support/capture_read.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

const std::string real = places::captures() + "/real";
const std::string all_records =
    "--format jsonl --records streams,fpdus,messages,operations,findings,summary ";

std::string printed(const std::string& arguments, const std::string& before = "true") {
  const ProgramRun run = run_analyze(all_records + arguments, real, before);
  EXPECT_EQ(run.status, 0) << arguments;
  return run.out;
}

TEST(Sources, SameOutputTwiceAndFromPipes) {
  for (const char* name :
       {"01a-rping-v4-mtu1500-tso.pcap", "03a-send-variants.pcap", "10b-evilpeer-cases.pcap",
        "03f-close-variants.pcap", "08i-rping-corrupt3-S5000.pcap"}) {
    SCOPED_TRACE(name);
    const std::string file = "'" + std::string(name) + "'";
    const std::string expected = printed(file);
    ASSERT_FALSE(expected.empty());
    EXPECT_TRUE(printed(file) == expected);
    EXPECT_TRUE(printed("-", "cat " + file) == expected);
    EXPECT_TRUE(printed("-", "dd status=none bs=113 if=" + file) == expected);
    EXPECT_TRUE(printed("-", "gzip -c " + file) == expected);
    EXPECT_TRUE(printed("-", "{ head -c 999 " + file + "; sleep 0.1; tail -c +1000 " + file + "; }") ==
                expected);
  }
}

TEST(Sources, CompressedLikePlain) {
  for (const char* name : {"08j-midstream-rping-crc-S3000.pcap.gz", "03c-sizes-crc.pcap.gz"}) {
    SCOPED_TRACE(name);
    const std::string file = "'" + std::string(name) + "'";
    EXPECT_TRUE(printed("-", "gzip -dc " + file) == printed(file));
  }
}

TEST(Sources, SideBySideLikeOneByOne) {
  const std::string files =
      "01a-rping-v4-mtu1500-tso.pcap 03a-send-variants.pcap 03g-reject.pcap 07e-ucmatose.pcap";
  EXPECT_TRUE(printed("--jobs 4 " + files) == printed("--jobs 1 " + files));
}

}  // namespace
}  // namespace iwarp::test
