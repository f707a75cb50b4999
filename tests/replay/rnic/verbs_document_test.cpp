// docs/verbs.md against the specification's list of verbs, the headers and the tests: what it says of a verb
// is complete, and what it names exists and belongs together.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "rnic/status.hpp"
#include "support/places.hpp"

namespace iwarp::rnic::test {
namespace {

// The verbs of Verbs 1.0 §9.2 to §9.4 and their results there or in §9.5.1, but "completed successfully" and
// "Invalid RNIC handle". Those that the soft-RNIC has no status for are in the specification's words.
struct Verb {
  const char* section;
  const char* name;
  std::vector<std::string> results;
};
const Verb verbs[] = {
    {"9.2.1.1",
     "Open RNIC",
     {"insufficient_resources", "invalid_modifier", "block_list_not_supported", "RNIC in use"}},
    {"9.2.1.2", "Query RNIC", {"insufficient_resources"}},
    {"9.2.1.3", "Close RNIC", {}},
    {"9.2.2.1", "Allocate PD", {"insufficient_resources"}},
    {"9.2.2.2", "Deallocate PD", {"invalid_pd", "pd_in_use"}},
    {"9.2.3.1",
     "Create CQ",
     {"insufficient_resources", "too_many_cqes", "invalid Completion Event Handler Identifier"}},
    {"9.2.3.2", "Query CQ", {"invalid_cq"}},
    {"9.2.3.3",
     "Modify CQ",
     {"insufficient_resources", "invalid_cq", "too_many_cqes", "queue_not_empty_enough"}},
    {"9.2.3.4", "Destroy CQ", {"invalid_cq", "cq_in_use"}},
    {"9.2.4.1",
     "Create S-RQ",
     {"insufficient_resources", "too_many_wrs", "too_many_sges", "invalid_pd", "srq_limit_out_of_range"}},
    {"9.2.4.2", "Query S-RQ", {"invalid_srq"}},
    {"9.2.4.3",
     "Modify S-RQ",
     {"insufficient_resources", "invalid_srq", "too_many_wrs", "queue_not_empty_enough",
      "srq_limit_out_of_range", "invalid_modifier"}},
    {"9.2.4.4", "Destroy S-RQ", {"invalid_srq", "srq_in_use"}},
    {"9.2.5.1",
     "Create QP",
     {"insufficient_resources", "invalid_cq", "invalid_srq", "ord_too_large", "ird_too_large", "too_many_wrs",
      "too_many_sges", "invalid_pd", "rq_limit_out_of_range"}},
    {"9.2.5.2", "Query QP", {"invalid_qp"}},
    {"9.2.5.3",
     "Modify QP",
     {"insufficient_resources", "invalid_qp", "cannot_change_attribute", "invalid_qp_state", "too_many_wrs",
      "too_many_sges", "ord_too_large", "ird_too_large", "queue_not_empty_enough", "invalid_llp_stream",
      "invalid_modifier", "still_flushing", "rq_limit_out_of_range"}},
    {"9.2.5.4", "Destroy QP", {"invalid_qp", "windows_bound"}},
    {"9.2.6.1", "Allocate Non-Shared Memory Region STag", {"insufficient_resources", "invalid_pd"}},
    {"9.2.6.2",
     "RI-Register",
     {"insufficient_resources", "invalid_pd", "invalid_virtual_address", "invalid_length", "invalid_fbo",
      "invalid_access_rights", "invalid_pbl_entry", "invalid_physical_buffer_size"}},
    {"9.2.6.3", "Query Memory Region", {"invalid_stag_index"}},
    {"9.2.6.4", "Deallocate STag", {"invalid_stag_index", "windows_bound"}},
    {"9.2.6.5",
     "RI-Reregister",
     {"insufficient_resources", "invalid_stag_index", "invalid_virtual_address", "invalid_length",
      "invalid_pd", "invalid_fbo", "invalid_access_rights", "windows_bound", "invalid_pbl_entry",
      "invalid_physical_buffer_size"}},
    {"9.2.6.6",
     "Register Shared Memory Region",
     {"insufficient_resources", "invalid_stag_index", "invalid_virtual_address", "invalid_pd",
      "invalid_access_rights"}},
    {"9.2.6.7", "Allocate Memory Window", {"insufficient_resources", "invalid_pd"}},
    {"9.2.6.8", "Query Memory Window", {"invalid_stag_index"}},
    {"9.3.1.1",
     "PostSQ",
     {"invalid_qp", "too_many_posted", "invalid_operation", "invalid_qp_state", "invalid_sgl_format",
      "invalid_sgl_length", "invalid_modifier"}},
    {"9.3.1.2",
     "PostRQ",
     {"invalid_qp", "invalid_srq", "too_many_posted", "invalid_qp_state", "invalid_sgl_format",
      "invalid_sgl_length", "invalid_modifier", "rq_is_shared"}},
    {"9.3.2.1", "Poll for Completion", {"invalid_cq", "cq_empty"}},
    {"9.3.2.2", "Request Completion Notification", {"invalid_cq", "invalid_notify_type"}},
    {"9.4.1",
     "Set Completion Event Handler",
     {"insufficient_resources", "invalid Completion Event Handler Identifier"}},
    {"9.4.2", "Set Asynchronous Event Handler", {}},
};

using Strings = std::vector<std::string>;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string& document() {
  static const std::string text = content(iwarp::test::places::source() + "/docs/verbs.md");
  return text;
}

// The first group, or else the whole, of each match.
Strings all(const std::string& text, const char* expression) {
  const std::regex regex(expression);
  Strings found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[at->size() > 1 ? 1 : 0]);
  return found;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto part_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto after = at + word.size();
    if ((at == 0 || !part_of_word(text[at - 1])) && (after == text.size() || !part_of_word(text[after])))
      return true;
  }
  return false;
}

Strings cells_of(const std::string& line) {
  Strings cells;
  std::stringstream rest(line);
  std::string cell;
  std::getline(rest, cell, '|');  // before the first bar
  while (std::getline(rest, cell, '|')) {
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? std::string()
                                               : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

// What is between a line that begins with `heading` and the next heading; empty: there is none.
std::string section(const std::string& heading) {
  const auto begin = document().find("\n" + heading);
  if (begin == std::string::npos) return {};
  const auto next = document().find("\n#", begin + 1);
  return document().substr(begin, next - begin);
}

// The rows of a verb's table, by their first cell.
std::map<std::string, std::string> rows_of(const Verb& verb) {
  std::map<std::string, std::string> rows;
  std::stringstream lines(section("### " + std::string(verb.name) + " (§" + verb.section + ")\n"));
  for (std::string line; std::getline(lines, line);) {
    const Strings cells = cells_of(line);
    if (cells.size() == 2) rows.emplace(cells[0], cells[1]);
  }
  return rows;
}

const std::string& headers() {
  static const std::string text = [] {
    std::string joined;
    for (const auto& entry :
         std::filesystem::directory_iterator(iwarp::test::places::source() + "/replay/rnic")) {
      if (entry.path().extension() == ".hpp") joined += content(entry.path());
    }
    return joined;
  }();
  return text;
}

const Strings& sources() {
  static const Strings texts = [] {
    Strings read;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(iwarp::test::places::source() + "/tests/replay")) {
      if (entry.path().extension() == ".cpp") read.push_back(content(entry.path()));
    }
    return read;
  }();
  return texts;
}

// Suites and tests of this program, without the names of instantiations and parameters.
const std::set<std::string>& tests_that_exist() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    const ::testing::UnitTest& all_of_them = *::testing::UnitTest::GetInstance();
    for (int s = 0; s < all_of_them.total_test_suite_count(); ++s) {
      const ::testing::TestSuite& suite = *all_of_them.GetTestSuite(s);
      std::string name = suite.name();
      name.erase(0, name.find('/') + 1);  // npos + 1: nothing
      found.insert(name);
      for (int t = 0; t < suite.total_test_count(); ++t) {
        const std::string test = suite.GetTestInfo(t)->name();
        found.insert(name + "." + test.substr(0, test.find('/')));
      }
    }
    return found;
  }();
  return names;
}

// Where a test's name leads: "Suite.Test" to what it does, "Suite" to the files it is in, with the helpers
// and tables they have.
std::string source_of(const std::string& name) {
  const auto dot = name.find('.');
  const std::string suite = name.substr(0, dot);
  const std::string start =
      dot == std::string::npos ? suite + "," : suite + ", " + name.substr(dot + 1) + ")";
  std::string text;
  for (const std::string& source : sources()) {
    const auto at = std::min(source.find("TEST(" + start), source.find("TEST_P(" + start));
    if (at == std::string::npos) continue;
    text += dot == std::string::npos ? source : source.substr(at, source.find("\n}\n", at) - at);
  }
  return text;
}

Strings names_in(const std::string& cell) {
  return all(cell, "`([^`]+)`");
}

// Words with an underscore that are not in back quotes: what a cell says of statuses.
Strings statuses_in(const std::string& cell) {
  return all(std::regex_replace(cell, std::regex("`[^`]*`"), ""), "[a-z]+(?:_[a-z]+)+");
}

bool is_status(const std::string& name) {
#define IWARP_NAME(name, text) #name,
  static const std::set<std::string> names = {IWARP_RNIC_IMMEDIATE_STATUS(IWARP_NAME)};
#undef IWARP_NAME
  return names.contains(name);
}

template <typename Visit>
void for_each_verb(Visit visit) {
  for (const Verb& verb : verbs) {
    SCOPED_TRACE(verb.name);
    auto rows = rows_of(verb);
    visit(verb, rows);
  }
}

TEST(VerbsDocument, HasEachVerbWithAllItsRows) {
  for_each_verb([](const Verb&, auto& rows) {
    for (const char* row : {"call", "input", "output", "statuses", "cannot occur", "tests"})
      EXPECT_NE(rows[row], "") << row;
  });
  // … and no other.
  EXPECT_EQ(all(document(), "\n### ").size(), std::size(verbs));
}

TEST(VerbsDocument, EachResultIsAStatusOrCannotOccur) {
  for_each_verb([](const Verb& verb, auto& rows) {
    for (const std::string& result : verb.results) {
      const bool occurs = has_word(rows["statuses"], result);
      const bool excused = has_word(rows["cannot occur"], result);
      EXPECT_NE(occurs, excused) << result;
    }
    for (const char* row : {"statuses", "cannot occur"}) {
      for (const std::string& name : statuses_in(rows[row])) EXPECT_TRUE(is_status(name)) << name;
    }
  });
}

// The fields and parameters that its modifiers are.
TEST(VerbsDocument, NamesWhatTheHeadersDeclare) {
  std::set<std::string> names;
  const auto note = [&names](const std::string& cell) {
    for (const std::string& name : names_in(cell)) {
      for (const std::string& word : all(name, "[A-Za-z_][A-Za-z_0-9]*")) names.insert(word);
    }
  };
  for_each_verb([&note](const Verb&, auto& rows) {
    for (const char* row : {"call", "input", "output"}) note(rows[row]);
    for (const std::string& call : names_in(rows["call"])) EXPECT_TRUE(has_word(headers(), call)) << call;
  });
  // Tables of modifiers: everything but their first column.
  bool modifiers = false;
  std::stringstream lines(document());
  for (std::string line; std::getline(lines, line);) {
    const Strings cells = cells_of(line);
    if (cells.empty()) {
      modifiers = false;
    } else if (cells[0].starts_with("modifier") || cells[0] == "attribute") {
      modifiers = true;
    }
    for (std::size_t at = 1; modifiers && at < cells.size(); ++at) note(cells[at]);
  }
  for (const std::string& name : names) EXPECT_TRUE(has_word(headers(), name)) << name;
  EXPECT_GT(names.size(), 90U);
}

// A row's tests make its calls, and meet each of its statuses.
TEST(VerbsDocument, TestsUseTheCallsAndMeetTheStatuses) {
  for_each_verb([](const Verb&, auto& rows) {
    const Strings calls = names_in(rows["call"]);
    EXPECT_FALSE(calls.empty());
    std::string together;
    for (const std::string& test : names_in(rows["tests"])) {
      EXPECT_TRUE(tests_that_exist().contains(test)) << test;
      const std::string source = source_of(test);
      EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), [&](const std::string& call) {
        return has_word(source, call);
      })) << test;
      together += source;
    }
    for (const std::string& call : calls) EXPECT_TRUE(has_word(together, call)) << call;
    for (const std::string& status : statuses_in(rows["statuses"]))
      EXPECT_TRUE(has_word(together, "Status::" + status)) << status;
  });
}

TEST(VerbsDocument, OperationsAreThoseOfTheTests) {
  unsigned found = 0;
  std::stringstream lines(section("### PostSQ"));
  bool operations = false;
  for (std::string line; std::getline(lines, line);) {
    const Strings cells = cells_of(line);
    operations = !cells.empty() && (operations || cells[0] == "operation");
    if (!operations || cells.size() != 3) continue;
    for (const std::string& operation : names_in(cells[0])) {
      SCOPED_TRACE(operation);
      ++found;
      std::string together;
      for (const std::string& test : names_in(cells[2])) {
        EXPECT_TRUE(tests_that_exist().contains(test)) << test;
        together += source_of(test);
      }
      EXPECT_TRUE(has_word(together, "Operation::" + operation));
    }
  }
  EXPECT_EQ(found, 14U);
}

TEST(VerbsDocument, NamesTestsThatExist) {
  const Strings names =
      all(document(),
          "`((?:(?:[BH][0-9]+|E1[12]|DataPath|RandomWork)[A-Za-z0-9_]*|Verbs)(?:\\.[A-Za-z0-9_]+)?)`");
  for (const std::string& name : names) EXPECT_TRUE(tests_that_exist().contains(name)) << name;
  EXPECT_GT(names.size(), 80U);
}

TEST(VerbsDocument, NamesEachImmediateStatus) {
#define IWARP_NAMED(name, text) EXPECT_TRUE(has_word(document(), #name)) << #name;
  IWARP_RNIC_IMMEDIATE_STATUS(IWARP_NAMED)
#undef IWARP_NAMED
}

}  // namespace
}  // namespace iwarp::rnic::test
