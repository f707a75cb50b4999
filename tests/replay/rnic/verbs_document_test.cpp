// docs/verbs.md names tests that exist and all immediate statuses.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "rnic/status.hpp"
#include "support/places.hpp"

namespace iwarp::rnic::test {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(VerbsDocument, NamesTestsThatExist) {
  std::string sources;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(iwarp::test::places::source() + "/tests/replay")) {
    if (entry.path().extension() == ".cpp") sources += content(entry.path());
  }
  const std::string document = content(iwarp::test::places::source() + "/docs/verbs.md");
  const std::regex name("`((?:[BH][0-9]+|E1[12]|DataPath|RandomWork)[A-Za-z0-9_]*)(?:\\.([A-Za-z0-9]+))?`");
  unsigned found = 0;
  for (std::sregex_iterator at(document.begin(), document.end(), name), end; at != end; ++at, ++found) {
    const std::string suite = (*at)[1];
    const std::string test = (*at)[2];
    const bool plain = sources.find("TEST(" + suite + ", " + test) != std::string::npos;
    const bool with_parameter = sources.find("TEST_P(" + suite + ", " + test) != std::string::npos;
    EXPECT_TRUE(plain || with_parameter) << (*at)[0];
  }
  EXPECT_GT(found, 40U);
}

TEST(VerbsDocument, NamesEachImmediateStatus) {
  const std::string document = content(iwarp::test::places::source() + "/docs/verbs.md");
#define IWARP_NAMED(name, text) EXPECT_NE(document.find(#name), std::string::npos) << #name;
  IWARP_RNIC_IMMEDIATE_STATUS(IWARP_NAMED)
#undef IWARP_NAMED
}

}  // namespace
}  // namespace iwarp::rnic::test
