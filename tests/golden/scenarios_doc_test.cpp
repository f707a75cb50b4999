// The tests that docs/scenarios.md names are there.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "support/places.hpp"

namespace iwarp::test {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ScenariosDoc, NamesTestsThatAreThere) {
  std::string tests;
  for (const auto& each : std::filesystem::recursive_directory_iterator(places::source() + "/tests")) {
    if (each.path().extension() == ".cpp") tests += text_of(each.path());
  }
  const std::string all = text_of(places::source() + "/docs/scenarios.md");
  const std::string real_peers = all.substr(all.find("\n## I "));
  const std::regex name("`([A-Z][A-Za-z0-9_]+)`");
  int named = 0;
  for (std::sregex_iterator each(real_peers.begin(), real_peers.end(), name), end; each != end; ++each) {
    ++named;
    EXPECT_NE(tests.find(", " + (*each)[1].str() + ")"), std::string::npos) << (*each)[1];
  }
  EXPECT_GE(named, 40);
}

}  // namespace
}  // namespace iwarp::test
