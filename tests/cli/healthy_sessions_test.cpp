// A healthy session has no error: what captures/README.md expects of a capture at warning and above is what
// is found there, and that is nothing but octets that prove a rule broken.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cli/program.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

struct Row {
  std::string path;
  std::string kind;
  std::string expected;  // its words about findings
};

std::vector<Row> rows() {
  const std::regex row(R"(\| `([^`]+\.pcap[^`]*)` \| (\w+) \|.*\| ([^|]+) \|)");
  std::vector<Row> found;
  std::istringstream lines(read_file(places::captures() + "/README.md"));
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, row)) continue;
    const std::string name = parts[1];
    const char* const folder =
        std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "/real/" : "/generated/";
    found.push_back({places::captures() + folder + name, parts[2], parts[3]});
  }
  return found;
}

bool healthy(const Row& row) {
  return row.kind != "hostile";
}

// The IDs behind "warning:" or "errors:"; MPA-PAD of "notes: MPA-RES; warning: MPA-PAD (siw …)".
std::set<std::string> ids_in(const std::string& words, const char* level) {
  const std::regex part(std::string(level) + "s?: ([^;]*)");
  const std::regex id("[A-Z]+-[A-Z0-9]+");
  std::set<std::string> ids;
  std::smatch found;
  if (!std::regex_search(words, found, part)) return ids;
  const std::string listed = std::regex_replace(found[1].str(), std::regex(R"(\([^)]*\))"), "");
  for (std::sregex_iterator each(listed.begin(), listed.end(), id); each != std::sregex_iterator(); ++each) {
    ids.insert(each->str());
  }
  return ids;
}

TEST(HealthySession, HasNoError) {
  std::size_t sessions = 0;
  for (const Row& row : rows()) {
    if (!healthy(row)) continue;
    ++sessions;
    const Outcome outcome = analyze({"--fail-on", "error", row.path});
    EXPECT_EQ(outcome.status, 0) << row.path << "\n" << outcome.out;
    EXPECT_EQ(ids_in(row.expected, "error"), std::set<std::string>()) << row.path;
  }
  EXPECT_GT(sessions, 45U);
}

TEST(HealthySession, HasNoWarningButWhatItsOctetsProve) {
  for (const Row& row : rows()) {
    if (!healthy(row)) continue;
    const std::set<std::string> expected = ids_in(row.expected, "warning");
    const Outcome outcome = analyze({"--fail-on", "warning", "--min-severity", "warning", "--format", "jsonl",
                                     "--records", "findings", row.path});
    EXPECT_EQ(outcome.status, expected.empty() ? 0 : 1) << row.path;
    std::set<std::string> ids;
    for (const auto& record : records(outcome.out)) ids.insert(record["id"]);
    EXPECT_EQ(ids, expected) << row.path;
    // siw's PAD octets: nothing on the wire says that this is siw.
    for (const std::string& id : ids) EXPECT_EQ(id, "MPA-PAD") << row.path;
  }
}

TEST(HealthySession, SaysAllOfItWithStrict) {
  const std::string capture = real_capture("05a-nvme");
  const std::vector<std::string> options = {"--format", "jsonl", "--records", "findings", capture};
  std::vector<std::string> strict = options;
  strict.insert(strict.begin(), {"--strict", "--fail-on", "error"});
  const auto severities = [](const Outcome& outcome) {
    std::map<std::string, std::size_t> counted;
    for (const auto& record : records(outcome.out)) {
      if (record["id"] == "MPA-LEN") ++counted[record["severity"]];
    }
    return counted;
  };
  EXPECT_EQ(severities(analyze(options)), (std::map<std::string, std::size_t>{{"note", 2}}));
  const Outcome outcome = analyze(strict);
  EXPECT_EQ(severities(outcome), (std::map<std::string, std::size_t>{{"error", 2}}));
  EXPECT_EQ(outcome.status, 1);
}

}  // namespace
}  // namespace iwarp::test
