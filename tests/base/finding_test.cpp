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
  const std::regex id_form("(MPA|SCTP|DDP|RDMAP|VERBS|ULP|PERF|CAP)-[A-Z0-9-]+");
  for (unsigned row = 0; row < check_count; ++row) {
    const CheckInfo& info = check_info(check_at(row));
    EXPECT_TRUE(std::regex_match(info.id, id_form)) << info.id;
    const std::string rule = info.rule;
    ASSERT_FALSE(rule.empty()) << info.id;
    EXPECT_EQ(rule.back(), '.') << info.id;
    EXPECT_FALSE(std::string(info.text).empty()) << info.id;
    // But for one, what is about the capture breaks no rule of an RFC; nor do a slow responder and small
    // messages.
    const std::string id = info.id;
    const bool no_rule =
        (id.starts_with("CAP-") && id != "CAP-STAGPRED") || id == "PERF-SMALL" || id == "PERF-RESPONDER";
    EXPECT_EQ(std::string(info.reference).empty(), no_rule) << info.id;
  }
}

// RFC 6580 has a registry for the opcodes (§3.4) and one for the errors of each layer (§3.1 to §3.3); RFC
// 5044's appendix C is about revision 0 alone, MPA-REV (note) about 129, too.
TEST(FindingTest, ReferencesNameTheSectionThatHoldsTheRule) {
  EXPECT_STREQ(check_info(CheckId::rdmap_opexp).reference, "RFC 6580 §3.4");
  EXPECT_STREQ(check_info(CheckId::rdmap_termcode).reference, "RFC 6580 §3.1 to §3.3, RFC 5040 §4.8");
  EXPECT_STREQ(check_info(CheckId::mpa_revknown).reference, "RFC 5044 §7.1.1, RFC 6581 §6");
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
            "17 octets from TO 0xfffffffffffffff0 on go beyond 2^64");
  EXPECT_EQ(describe(finding_of(CheckId::mpa_res, {8, 0, 0, 0})), "reserved flag bits 0x08 are set");
  EXPECT_EQ(describe(finding_of(CheckId::mpa_cut, {static_cast<std::uint64_t>(Phrase::fin),
                                                   static_cast<std::uint64_t>(Phrase::in_fpdu), 0, 0})),
            "the connection ends by FIN inside an FPDU");
}

std::string said(CheckId check, std::array<std::uint64_t, max_finding_arguments> arguments) {
  return describe(finding_of(check, arguments));
}

constexpr auto number(Phrase phrase) {
  return static_cast<std::uint64_t>(phrase);
}

TEST(FindingTest, CountsAgreeWithTheirNouns) {
  EXPECT_EQ(said(CheckId::mpa_early, {1}), "1 octet came before the peer's start-up frame");
  EXPECT_EQ(said(CheckId::mpa_early, {20}), "20 octets came before the peer's start-up frame");
  EXPECT_EQ(said(CheckId::rdmap_ird, {1, 0}), "1 request outstanding, the peer's IRD is 0");
  EXPECT_EQ(said(CheckId::rdmap_ord, {2, 1}), "2 requests outstanding, ORD is 1");
}

TEST(FindingTest, DepthsAndBitsAreReadable) {
  EXPECT_EQ(said(CheckId::mpa_irdord, {0x3fff, 0x3fff, 128, 0}),
            "the Request has IRD 0x3FFF and ORD 0x3FFF, the Reply IRD 128 and ORD 0");
  EXPECT_EQ(said(CheckId::rdmap_termlen, {22, 6, number(Phrase::bit_without_header)}),
            "Terminate of ULPDU_Length 22, header control bits M, D: it lacks a header that a bit announces");
  EXPECT_EQ(
      said(CheckId::mpa_rtr, {3, 12, 5}),
      "first FPDU: Send of 12 octets, where a zero-length operation of an agreed kind is due (Send, Read)");
}

TEST(FindingTest, SentencesOfStartUpFrames) {
  EXPECT_EQ(said(CheckId::mpa_rev, {3, number(Phrase::request), number(Phrase::highest_revision), 2}),
            "Request of revision 3, but the highest revision defined is 2");
  EXPECT_EQ(said(CheckId::mpa_rev, {2, number(Phrase::reply), number(Phrase::request_revision), 1}),
            "Reply of revision 2, but the Request it answers has revision 1");
  EXPECT_EQ(said(CheckId::mpa_pdlen, {0, 4, number(Phrase::are_for_the_word)}),
            "PD_Length is 0, but 4 octets of Private Data are needed for the IRD/ORD word that S announces");
  EXPECT_EQ(said(CheckId::mpa_pdlen, {600, 512, number(Phrase::are_the_most)}),
            "PD_Length is 600, but 512 octets of Private Data are the most there may be");
  EXPECT_EQ(said(CheckId::mpa_pdlen, {20, 1, number(Phrase::came_before_reply)}),
            "PD_Length is 20, but 1 octet of Private Data came before the Reply");
  EXPECT_EQ(said(CheckId::mpa_srev, {number(Phrase::reply), 1, 0, number(Phrase::request_has_s)}),
            "Reply of revision 1 with S=0: the Request has S=1");
  EXPECT_EQ(said(CheckId::mpa_abcd, {number(Phrase::reply), 1, 0, number(Phrase::kind_needed)}),
            "Reply with A=1 (ready-to-receive kinds named: none): with A=1 an accepting Reply names at least "
            "one");
  EXPECT_EQ(said(CheckId::mpa_abcd, {number(Phrase::request), 0, 6, number(Phrase::kinds_need_a)}),
            "Request with A=0 (ready-to-receive kinds named: Send, Write): kinds are named with A=1 only");
  EXPECT_EQ(said(CheckId::rdmap_inv0, {3, 0x1234}),
            "the Invalidate STag field holds 0x00001234 in a message that invalidates nothing (Send)");
}

TEST(FindingTest, FieldsLookAsTheyAreRead) {
  EXPECT_EQ(said(CheckId::ddp_const, {number(Phrase::opcode_field), 3, 5}),
            "the opcode changes from Send to Send with Solicited Event within a message");
  EXPECT_EQ(said(CheckId::ddp_const, {number(Phrase::stag_field), 3, 0x1234}),
            "the STag changes from 0x00000003 to 0x00001234 within a message");
  EXPECT_EQ(said(CheckId::ddp_rsvd, {0x7d}), "DDP control octet 0x7d has reserved bits set");
  EXPECT_EQ(said(CheckId::rdmap_rsv, {0x53}), "RDMAP control octet 0x53 has reserved bits set");
  EXPECT_EQ(said(CheckId::mpa_pad, {0x40, 2}), "PAD octets are 00 40, not zero");
  EXPECT_EQ(said(CheckId::mpa_pad, {0xee, 1}), "PAD octets are ee, not zero");
  EXPECT_EQ(said(CheckId::mpa_pad, {0x010203, 3}), "PAD octets are 01 02 03, not zero");
}

TEST(FindingTest, NoSentenceOfTheCrcOrderCountsOneCrcAsMany) {
  EXPECT_EQ(said(CheckId::mpa_crcorder, {1}),
            "the CRC is right with its octets reversed: the sender writes it most significant octet first");
  EXPECT_EQ(said(CheckId::rdmap_rrlong, {2, 1}), "Read Response has 2 octets, the request asked for 1");
}

TEST(FindingTest, AValueWiderThanItsFieldIsNotCut) {
  EXPECT_EQ(describe(finding_of(CheckId::mpa_res, {0x12345, 0, 0, 0})),
            "reserved flag bits 0x012345 are set");
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
