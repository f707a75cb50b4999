// The table of checks, the words of findings and the template language.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/finding.hpp>

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace iwarp {
namespace {

Finding finding_of(CheckId check, std::array<std::uint64_t, max_finding_arguments> arguments = {}) {
  Finding finding;
  finding.check = check;
  finding.arguments = arguments;
  return finding;
}

CheckId check_at(unsigned row) {
  return static_cast<CheckId>(row);
}

TEST(FindingTest, EveryRowIsComplete) {
  const std::regex id_form("(MPA|DDP|RDMAP|VERBS|CAP)-[A-Z0-9-]+");
  for (unsigned row = 0; row < check_count; ++row) {
    const CheckInfo& info = check_info(check_at(row));
    EXPECT_TRUE(std::regex_match(info.id, id_form)) << info.id;
    const std::string rule = info.rule;
    ASSERT_FALSE(rule.empty()) << info.id;
    EXPECT_EQ(rule.back(), '.') << info.id;
    EXPECT_FALSE(std::string(info.text).empty()) << info.id;
    const bool about_capture = std::string(info.id).starts_with("CAP-");
    EXPECT_EQ(std::string(info.reference).empty(), about_capture) << info.id;
  }
}

TEST(FindingTest, EveryPlaceholderOfEveryTemplateIsUnderstood) {
  for (unsigned row = 0; row < check_count; ++row) {
    const std::string text = describe(finding_of(check_at(row)));
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
    EXPECT_EQ(text.find('?'), std::string::npos) << text;
  }
}

TEST(FindingTest, EveryPhraseHasItsOwnWords) {
  std::set<std::string> seen;
  for (auto value = static_cast<std::uint64_t>(Phrase::request);
       value < static_cast<std::uint64_t>(Phrase::count); ++value) {
    const std::string words = phrase_text(static_cast<Phrase>(value));
    EXPECT_NE(words, "?") << value;
    EXPECT_TRUE(seen.insert(words).second) << words;
  }
}

TEST(FindingTest, PhrasesOutsideTheTableAreHarmless) {
  EXPECT_STREQ(phrase_text(Phrase::count), "?");
  EXPECT_STREQ(phrase_text(static_cast<Phrase>(~std::uint64_t{0})), "?");
}

TEST(FindingTest, TheFirstSixteenPhrasesAreOpcodes) {
  EXPECT_STREQ(phrase_text(Phrase::opcode_0), "RDMA Write");
  EXPECT_STREQ(phrase_text(static_cast<Phrase>(1)), "RDMA Read Request");
  EXPECT_STREQ(phrase_text(static_cast<Phrase>(7)), "Terminate");
  EXPECT_STREQ(phrase_text(static_cast<Phrase>(15)), "unknown opcode");
}

TEST(FindingTest, ConversionsFillInArguments) {
  EXPECT_EQ(describe(finding_of(CheckId::ddp_msngap, {0, 7, 5, 0})), "MSN 7 on queue 0 where 5 is due");
  EXPECT_EQ(describe(finding_of(CheckId::mpa_crc, {0x12ab, 0xffffffff, 0, 0})),
            "CRC field 0x000012ab, computed 0xffffffff");
  EXPECT_EQ(describe(finding_of(CheckId::ddp_towrap, {0xfffffffffffffff0U, 17, 0, 0})),
            "17 octets at TO 0xfffffffffffffff0 wrap past 2^64");
  EXPECT_EQ(describe(finding_of(CheckId::mpa_res, {8, 0, 0, 0})), "reserved flag bits 0x0008 are set");
  EXPECT_EQ(describe(finding_of(CheckId::mpa_cut, {static_cast<std::uint64_t>(Phrase::fin),
                                                   static_cast<std::uint64_t>(Phrase::in_fpdu), 0, 0})),
            "the connection ends by FIN inside an FPDU");
}

TEST(FindingTest, AValueWiderThanItsFieldIsNotCut) {
  EXPECT_EQ(describe(finding_of(CheckId::mpa_res, {0x12345, 0, 0, 0})),
            "reserved flag bits 0x00012345 are set");
}

TEST(FindingTest, VendorDeviationsAreOneLevelLowerUnlessStrict) {
  EXPECT_EQ(severity_of(CheckId::mpa_rev, true), Severity::error);
  EXPECT_EQ(severity_of(CheckId::mpa_rev, false), Severity::warning);
  EXPECT_EQ(severity_of(CheckId::mpa_mulpdu, false), Severity::information);
  EXPECT_EQ(severity_of(CheckId::ddp_msngap, true), Severity::error);
  EXPECT_EQ(severity_of(CheckId::ddp_msngap, false), Severity::error);
}

TEST(FindingTest, Names) {
  EXPECT_STREQ(severity_name(Severity::information), "info");
  EXPECT_STREQ(severity_name(Severity::note), "note");
  EXPECT_STREQ(severity_name(Severity::warning), "warning");
  EXPECT_STREQ(severity_name(Severity::error), "error");
  EXPECT_STREQ(reason_name(Reason::gap), "gap");
  EXPECT_STREQ(reason_name(Reason::limit), "limit");
  EXPECT_STREQ(check_info(CheckId::ddp_msngap).id, "DDP-MSNGAP");
}

}  // namespace
}  // namespace iwarp
