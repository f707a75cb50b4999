// Names of files with control characters, escape sequences or octets that are no UTF-8: escaped wherever they
// are told, and told apart.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program.hpp"
#include "program/printable.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

using nlohmann::json;
using program::printable;

bool is_one_line_of_text(const std::string& text) {
  const bool controls = std::ranges::any_of(
      text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; });
  return !controls && json::accept(json(text).dump(-1, ' ', false, json::error_handler_t::ignore)) &&
         json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::ignore)) == text;
}

// The text that printable() was given.
std::string original_of(const std::string& escaped) {
  std::string text;
  for (std::size_t at = 0; at < escaped.size(); ++at) {
    if (escaped[at] != '\\') {
      text += escaped[at];
    } else if (escaped[++at] == '\\') {
      text += '\\';
    } else {
      text += static_cast<char>(std::stoi(escaped.substr(at + 1, 2), nullptr, 16));
      at += 2;
    }
  }
  return text;
}

TEST(FileNames, AreEscapedWhereTheyAreNoText) {
  EXPECT_EQ(printable("captures/a b.pcap"), "captures/a b.pcap");
  EXPECT_EQ(printable("für-日本-\xf0\x9f\x98\x80"), "für-日本-\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\x1b[31mb\nc\td\x7f"), R"(a\x1b[31mb\x0ac\x09d\x7f)");
  EXPECT_EQ(printable("a\\x1b"), R"(a\\x1b)");
  EXPECT_EQ(printable("\xff\xfe"), R"(\xff\xfe)");
  EXPECT_EQ(printable("a\u202egpj.exe\u2066"), R"(a\xe2\x80\xaegpj.exe\xe2\x81\xa6)") << "right to left";
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            R"(\xc2\x9b31m)")
      << "CSI as one character";
  EXPECT_EQ(printable("\xe2\x80\xa8"), R"(\xe2\x80\xa8)") << "line separator";
  EXPECT_EQ(printable("\xc0\xaf"), R"(\xc0\xaf)") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)") << "beyond U+10FFFF";
  EXPECT_EQ(printable("a\xe2\x82"), R"(a\xe2\x82)") << "cut";
}

TEST(FileNames, StayDifferentAndAreText) {
  Numbers numbers(7);
  constexpr std::string_view frequent = "\\x1b\xc2\x9b\xe2\x80\xa8\x00\xff";
  for (unsigned round = 0; round < 20000; ++round) {
    std::string name;
    for (std::uint32_t left = numbers.below(8); left > 0; --left) {
      const bool usual = numbers.one_in(2);
      name += usual ? frequent[numbers.below(frequent.size())] : static_cast<char>(numbers.below(256));
    }
    const std::string escaped = printable(name);
    ASSERT_EQ(original_of(escaped), name);
    ASSERT_TRUE(is_one_line_of_text(escaped)) << escaped;
  }
}

// Two names that a lossy escaping would make one.
class FileNamesTest : public testing::Test {
 protected:
  const std::string octets_ = read_file(real_capture("01a"));
  const TemporaryFile raw_{"a\x1b[31m\xff\n,\".pcap", octets_};
  const TemporaryFile spelt_{R"(a\x1b[31m\xff\x0a,".pcap)", octets_};
};

TEST_F(FileNamesTest, AreEscapedInEveryFormat) {
  for (const char* const format : {"text", "jsonl", "csv"}) {
    const Outcome outcome = analyze({"--format", format, "--records", "streams", raw_.path(), spelt_.path()});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << format;
    EXPECT_EQ(outcome.out.find('\xff'), std::string::npos) << format;
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), std::string_view(format) == "csv" ? 3 : 2)
        << outcome.out;
  }
  const auto lines =
      records(analyze({"--format", "jsonl", "--records", "streams", raw_.path(), spelt_.path()}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["capture"], printable(raw_.path()));
  EXPECT_EQ(lines[1]["capture"], printable(spelt_.path()));
  EXPECT_NE(lines[0]["capture"], lines[1]["capture"]);
}

TEST_F(FileNamesTest, AreEscapedInReportsAndStates) {
  const Outcome report = analyze({raw_.path()});
  EXPECT_TRUE(report.out.starts_with(printable(raw_.path()) + ":")) << report.out.substr(0, 200);
  EXPECT_EQ(report.out.find('\x1b'), std::string::npos);
  const Outcome states = analyze({"--state-at", "20", raw_.path(), spelt_.path()});
  EXPECT_NE(states.out.find(printable(raw_.path()) + ":\n"), std::string::npos) << states.out.substr(0, 200);
  const Outcome none = analyze({"--state-at", "1", raw_.path()});
  EXPECT_EQ(none.out.find('\x1b'), std::string::npos);
}

TEST_F(FileNamesTest, AreEscapedInSentences) {
  const Outcome missing = analyze({"no\x1b[2Jsuch\xff.pcap"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find(R"(no\x1b[2Jsuch\xff.pcap)"), std::string::npos) << missing.err;
  EXPECT_EQ(std::ranges::count(missing.err, '\n'), 1);
  EXPECT_EQ(missing.err.find('\x1b'), std::string::npos);
  const TemporaryFile damaged("\x1b.pcap", octets_.substr(0, octets_.size() - 7));
  const Outcome cut = analyze({damaged.path()});
  EXPECT_EQ(cut.status, 2);
  EXPECT_NE(cut.err.find(R"(\x1b.pcap)"), std::string::npos) << cut.err;
  EXPECT_EQ(cut.err.find('\x1b'), std::string::npos);
  const Outcome option = analyze({"--\x1b[31m", raw_.path()});
  EXPECT_EQ(option.status, 2);
  EXPECT_EQ(option.err.find('\x1b'), std::string::npos) << option.err;
}

}  // namespace
}  // namespace iwarp::test
