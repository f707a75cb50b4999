// The sample in README.md is what the program prints of that capture.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/analyze_program.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

// The first block of text, without the line that stands for the rest.
std::string sample_of(const std::string& readme) {
  const std::string begin = "```text\n";
  const std::string end = " ...\n```\n";
  const std::size_t from = readme.find(begin);
  const std::size_t to = readme.find(end, from);
  if (from == std::string::npos || to == std::string::npos) return "";
  return readme.substr(from + begin.size(), to - from - begin.size());
}

TEST(Readme, SampleIsWhatIsPrinted) {
  std::ifstream file(places::source() + "/README.md", std::ios::binary);
  const std::string sample = sample_of({std::istreambuf_iterator<char>(file), {}});
  ASSERT_GT(sample.size(), 1000U);
  const std::string capture = sample.substr(0, sample.find(':'));
  const ProgramRun run = run_analyze("'" + capture + "'", places::source());
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.out.starts_with(sample)) << "README.md shows\n" << sample << "\nprinted is\n" << run.out;
}

}  // namespace
}  // namespace iwarp::test
