// H10: each Terminate code of the registries (RFC 6580 §3, RFC 6581 §8), and the test that provokes it from
// the soft-RNIC, or why nothing does. A code that the RNIC comes to know has to be entered here.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "support/places.hpp"

namespace iwarp::rnic::test {
namespace {

struct Code {
  int code;
  const char* stimulus;  // of h10_terminate_codes_test.cpp, or a test there; null: none
  const char* reason;    // why not
};

const Code codes[] = {
    {0x0000, "ModifyToTerminate", nullptr},
    {0x0100, "ReadOfUnknownStag", nullptr},
    {0x0101, "ReadBeyondTheRegion", nullptr},
    {0x0102, "ReadWithoutTheRight", nullptr},
    {0x0103, "ReadOfAnotherPd", nullptr},
    {0x0104, "ReadThatWraps", nullptr},
    {0x0109, "InvalidateRegionWithWindow", nullptr},
    {0x01ff, nullptr, "an unspecified error: every one that can occur here has a code"},
    {0x0205, "RdmapVersion", nullptr},
    {0x0206, "UnknownOpcode", nullptr},
    {0x0207, "ReadRequestWithoutLast", nullptr},
    {0x0208, nullptr, "of all Streams at once: hardware that breaks"},
    {0x0209, "InvalidateDeallocated", nullptr},
    {0x02ff, nullptr, "an unspecified error: every one that can occur here has a code"},
    {0x1000, "UlpduTooShort", nullptr},
    {0x1100, "WriteToUnknownStag", nullptr},
    {0x1101, "WriteBeyondTheRegion", nullptr},
    {0x1102, "WriteToAnotherPd", nullptr},
    {0x1103, "WriteThatWraps", nullptr},
    {0x1104, "TaggedVersion", nullptr},
    {0x1201, "SendOnQueueOne", nullptr},
    {0x1202, "NoReceiveBuffer", nullptr},
    {0x1203, "GapInMsn", nullptr},
    {0x1204, "FirstMoNotZero", nullptr},
    {0x1205, "SendTooLong", nullptr},
    {0x1206, "UntaggedVersion", nullptr},
    {0x2001, nullptr, "TCP is closed or lost: nothing can be sent any more"},
    {0x2002, "Crc", nullptr},
    {0x2003, "MarkerThatDoesNotAgreeIs2003", nullptr},
    {0x2004, nullptr, "a bad start-up frame: there are no FPDUs yet, TCP is closed (RFC 5044 §7.1.2)"},
    {0x2005, nullptr, "a local error during start-up: nothing here breaks"},
    {0x2006, "ResponderWithMoreOrdThanOurIrdIs2006", nullptr},
    {0x2007, "NoCommonKindIs2007", nullptr},
};

std::string content(const std::string& path) {
  std::ifstream file(iwarp::test::places::source() + path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

TEST(H10_CodeList, EachHasAStimulusOrAReason) {
  const std::string stimuli = content("/tests/replay/rnic/h10_terminate_codes_test.cpp");
  std::set<int> known;
  for (const Code& each : codes) {
    EXPECT_TRUE(known.insert(each.code).second);
    EXPECT_NE(each.stimulus == nullptr, each.reason == nullptr);
    if (each.stimulus != nullptr) {
      EXPECT_NE(stimuli.find(each.stimulus), std::string::npos) << each.stimulus;
    }
  }
  // The RNIC sends no others, and all of these that have a stimulus.
  std::set<int> sent;
  std::istringstream lines(content("/replay/rnic/violation.hpp"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(" = 0x");
    if (line.find("inline constexpr std::uint16_t") != std::string::npos && at != std::string::npos) {
      sent.insert(std::stoi(line.substr(at + 3), nullptr, 16));
    }
  }
  for (const Code& each : codes) EXPECT_EQ(sent.contains(each.code), each.stimulus != nullptr) << each.code;
  for (const int code : sent) EXPECT_TRUE(known.contains(code)) << code;
}

}  // namespace
}  // namespace iwarp::rnic::test
