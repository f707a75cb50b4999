// What iwarp-analyze prints of each capture, octet by octet; see README.md here.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "support/analyze_program.hpp"
#include "support/capture_read.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_full = 12'500;  // longer records are left to streams, findings and summary

const fs::path golden = fs::path(places::tests()) / "golden";

bool updating() {
  return std::getenv("IWARP_UPDATE_GOLDEN") != nullptr;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_difference(const std::string& actual, const std::string& expected) {
  std::size_t line = 1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()) && actual[i] == expected[i]; ++i) {
    if (actual[i] != '\n') continue;
    ++line;
    begin = i + 1;
  }
  const auto at = [begin](const std::string& all) {
    return begin >= all.size() ? "(end)" : all.substr(begin, all.find('\n', begin) - begin);
  };
  return "line " + std::to_string(line) + " is now\n  " + at(actual) + "\nand was\n  " + at(expected) +
         "\n(./dev golden-update takes what is printed now)";
}

void expect_golden(const std::string& actual, const fs::path& path) {
  if (updating()) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << path << " is missing: ./dev golden-update";
  const std::string expected = content_of(path);
  EXPECT_TRUE(actual == expected) << path.filename() << ": " << first_difference(actual, expected);
}

// "real/01a-rping-v4-mtu1500-tso": the capture within captures, without extensions.
std::string stem_of(const std::string& path) {
  const fs::path relative = fs::relative(path, places::captures());
  const std::string text = relative.string();
  return text.substr(0, text.find(".pcap"));
}

std::string printed(const std::string& options, const std::string& path) {
  const std::string name = fs::relative(path, places::captures()).string();
  const ProgramRun run = run_analyze(options + " '" + name + "'", places::captures());
  EXPECT_EQ(run.status, 0);
  return run.out;
}

std::string records_of(const std::string& path) {
  const std::string all =
      printed("--format jsonl --records streams,operations,messages,findings,summary", path);
  return all.size() <= max_full ? all : printed("--format jsonl --records streams,findings,summary", path);
}

class Records : public testing::TestWithParam<std::string> {};

TEST_P(Records, AreAsBefore) {
  expect_golden(records_of(GetParam()), golden / (stem_of(GetParam()) + ".jsonl"));
}

class Report : public testing::TestWithParam<std::string> {};

TEST_P(Report, IsAsBefore) {
  expect_golden(printed("", GetParam()), golden / (stem_of(GetParam()) + ".txt"));
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = stem_of(info.param);
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

const std::vector<std::string>& reported() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> found;
    for (const char* name :
         {"real/01g-rping-v4-mtu1500-notso-crc-S5000.pcap", "real/03e-term-read_badrkey.pcap",
          "real/08j-midstream-rping-crc-S3000.pcap.gz", "real/10b-evilpeer-cases.pcap",
          "real/07a-negative-plain-tcp-rstream.pcap", "generated/t19-uncaptured-segment.pcap"}) {
      found.push_back(places::captures() + "/" + name);
    }
    return found;
  }();
  return paths;
}

TEST(GoldenFiles, NoneIsLeftOver) {
  std::set<std::string> wanted;
  for (const char* folder : {"real", "generated"}) {
    for (const std::string& path : captures_in(folder)) wanted.insert(stem_of(path) + ".jsonl");
  }
  for (const std::string& path : reported()) wanted.insert(stem_of(path) + ".txt");
  std::uintmax_t octets = 0;
  for (const auto& entry : fs::recursive_directory_iterator(golden)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".jsonl" && extension != ".txt") continue;
    octets += entry.file_size();
    const std::string name = fs::relative(entry.path(), golden).string();
    if (wanted.contains(name)) continue;
    if (updating()) {
      fs::remove(entry.path());
    } else {
      ADD_FAILURE() << name << " belongs to no capture";
    }
  }
  EXPECT_LT(octets, 1'500'000U) << "golden files are to be read by people";
}

INSTANTIATE_TEST_SUITE_P(Real, Records, testing::ValuesIn(captures_in("real")), name_of);
INSTANTIATE_TEST_SUITE_P(Generated, Records, testing::ValuesIn(captures_in("generated")), name_of);
INSTANTIATE_TEST_SUITE_P(Reports, Report, testing::ValuesIn(reported()), name_of);

}  // namespace
}  // namespace iwarp::test
