// Terminate messages: what they say, how they say it, what they are about (RFC 5040 §4.8, RFC 6580).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

using wire::Opcode;

constexpr Read bad_read = {
    .sink_stag = 0x00A1B202, .sink_to = 0x7F0000002000, .size = 64, .source_stag = 0xDEADBE00};

// The one Terminate of the conversation, decoded as its message record has it.
wire::Terminate decoded(const Analysed& result) {
  const std::vector<Event> found = result.messages(Opcode::terminate);
  EXPECT_EQ(found.size(), 1U);
  if (found.size() != 1) return {};
  const MessageConclusion& message = found[0].message;
  const auto parsed = wire::parse_terminate({message.rdmap.data(), message.rdmap_octets}, message.bit_order);
  EXPECT_TRUE(parsed);
  return parsed ? *parsed : wire::Terminate{};
}

// --- F1: a Read Request's Terminate ---------------------------------------------------------------------

TEST(ScenarioF, F1_ReadRequestInsideTheTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 4, .source_stag = 9}));
  const Packets offending = c.fpdu(a, read_request(2, bad_read));
  c.fpdu(b, read_response(7, 0, pattern(4)));
  const Packets end = c.terminated(b, 0x0100, about(read_request(2, bad_read), true));

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  const std::vector<Event> found = result.messages(Opcode::terminate);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].frame, c.at(end));
  EXPECT_EQ(found[0].side, b);
  EXPECT_EQ(found[0].message.length, 52U);  // ULPDU 70
  EXPECT_EQ(found[0].message.queue, 2U);

  const wire::Terminate terminate = decoded(result);
  EXPECT_EQ(terminate.raw, 0x0100E000U);
  EXPECT_EQ(terminate.meant.value(), 0x0100U);
  EXPECT_TRUE(terminate.length_valid && terminate.has_ddp_header && terminate.has_rdma_header);
  EXPECT_EQ(terminate.ddp_segment_length, 46U);
  ASSERT_TRUE(terminate.ddp_header.has_value());
  EXPECT_EQ(terminate.ddp_header->opcode(), Opcode::read_request);
  EXPECT_EQ(terminate.ddp_header->queue, 1U);
  EXPECT_EQ(terminate.ddp_header->msn, 2U);
  ASSERT_TRUE(terminate.read_request.has_value());
  EXPECT_EQ(terminate.read_request->sink_stag, 0x00A1B202U);
  EXPECT_EQ(terminate.read_request->sink_to, 0x7F0000002000U);
  EXPECT_EQ(terminate.read_request->size, 64U);
  EXPECT_EQ(terminate.read_request->source_stag, 0xDEADBE00U);
  EXPECT_EQ(terminate.read_request->source_to, 0U);
  EXPECT_EQ(terminate.leftover, 0U);

  // The frame that it is about.
  ASSERT_EQ(result.side(b).terminates.size(), 1U);
  EXPECT_EQ(result.side(b).terminates[0].quoted_frame, c.at(offending));
  EXPECT_EQ(result.side(b).terminates[0].quoted_opcode, Opcode::read_request);
  EXPECT_EQ(why(result), (Told{"0100 unexplained"}));  // whether that STag is valid, no octet tells
  EXPECT_TRUE(has_evidence(result.findings("RDMAP-TERMWHY")[0], c.at(offending)));
}

TEST(ScenarioF, F1_ReadOperationsEndWithTheTerminate) {
  Established c;
  c.fpdu(a, send(1));
  const Packets offending = c.fpdu(a, read_request(1, bad_read));
  c.terminated(b, 0x0100, about(read_request(1, bad_read), true));

  const Analysed result(c);
  EXPECT_EQ(operations(result, OperationKind::read),
            words({{.length = 64, .request = c.at(offending), .status = OperationStatus::terminated}}));
  ASSERT_EQ(result.side(b).terminates.size(), 1U);
  EXPECT_EQ(result.side(b).terminates[0].meant.value(), 0x0100U);
  EXPECT_FALSE(result.has("RDMAP-RRLOST"));
}

// The Read had begun: the terminated header is advanced to where it failed.
TEST(ScenarioF, F1_TerminatedReadRequestAdvancedToTheFailure) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, bad_read));
  c.fpdu(b, read_response(0x00A1B202, 0x7F0000002000, pattern(32), {.last = false}));
  const Read advanced = {.sink_stag = 0x00A1B202,
                         .sink_to = 0x7F0000002020,
                         .size = 32,
                         .source_stag = 0xDEADBE00,
                         .source_to = 32};
  c.terminated(b, 0x0101, about(read_request(1, advanced), true));

  EXPECT_EQ(told(c), Told{});
}

// --- F2: R without the header it announces --------------------------------------------------------------

TEST(ScenarioF, F2_RdmaHeaderAnnouncedForASend) {
  Established c;
  const Bytes no_buffer = send(1, text("hello"));
  c.fpdu(a, no_buffer);
  Terminate fields = about(no_buffer);
  fields.r = true;  // without any 28 octets
  const Packets end = c.terminated(b, 0x1202, fields);

  EXPECT_EQ(told(c), (Told{lenient("RDMAP-TERM1", b, c.at(end))}));
  const Analysed result(c);
  EXPECT_EQ(result.messages(Opcode::terminate)[0].message.length, 24U);  // ULPDU 42
  const wire::Terminate terminate = decoded(result);
  EXPECT_TRUE(terminate.has_rdma_header);
  ASSERT_TRUE(terminate.ddp_header.has_value());
  EXPECT_EQ(terminate.ddp_header->opcode(), Opcode::send);
  EXPECT_FALSE(terminate.read_request.has_value());
}

TEST(ScenarioF, F2_TheSameInSiwsBitOrder) {
  Established c;
  const Bytes no_buffer = send(1, text("hello"));
  c.fpdu(a, no_buffer);
  Terminate fields = about(no_buffer);
  fields.r = true;
  fields.layout = TerminateLayout::siw;
  const Packets end = c.terminated(b, 0x1202, fields);

  const Analysed result(c);
  Told expected = {lenient("RDMAP-TERM1", b, c.at(end)), lenient("RDMAP-TERMCODE", b, c.at(end))};
  EXPECT_THAT(told(c), testing::UnorderedElementsAreArray(expected));
  ASSERT_EQ(result.side(b).terminates.size(), 1U);
  EXPECT_EQ(result.side(b).terminates[0].meant.value(), 0x1202U);
  EXPECT_EQ(result.side(b).terminates[0].raw, 0x21020700U);
  EXPECT_EQ(result.side(b).terminates[0].bit_order, wire::BitOrder::siw);
  ASSERT_TRUE(decoded(result).ddp_header.has_value());
  EXPECT_EQ(decoded(result).ddp_header->msn, 1U);
}

// --- F3: which header, by its own T bit -----------------------------------------------------------------

struct Case {
  const char* name;
  unsigned code;
  bool tagged;
  std::size_t length;  // of the Terminate's ULPDU
};
class ScenarioFHeader : public testing::TestWithParam<Case> {};

TEST_P(ScenarioFHeader, F3_HeaderSizeByItsOwnTBit) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes offending = GetParam().tagged ? write(0xBAD00001, 0x10, text("data")) : send(2, text("data"));
  const Packets packets = c.fpdu(a, offending);
  c.terminated(b, GetParam().code, about(offending));

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(result.messages(Opcode::terminate)[0].message.length + 18, GetParam().length);
  const wire::Terminate terminate = decoded(result);
  EXPECT_EQ(terminate.meant.value(), GetParam().code);
  EXPECT_EQ(terminate.ddp_segment_length, offending.size());
  ASSERT_TRUE(terminate.ddp_header.has_value());
  EXPECT_EQ(terminate.ddp_header->tagged(), GetParam().tagged);
  if (GetParam().tagged) {
    EXPECT_EQ(terminate.ddp_header->stag, 0xBAD00001U);
    EXPECT_EQ(terminate.ddp_header->to, 0x10U);
  } else {
    EXPECT_EQ(terminate.ddp_header->queue, 0U);
    EXPECT_EQ(terminate.ddp_header->msn, 2U);
  }
  EXPECT_EQ(terminate.leftover, 0U);
  ASSERT_EQ(result.side(b).terminates.size(), 1U);
  EXPECT_EQ(result.side(b).terminates[0].quoted_frame, c.at(packets));
}

INSTANTIATE_TEST_SUITE_P(Headers, ScenarioFHeader,
                         testing::Values(Case{"1100Tagged", 0x1100, true, 38},
                                         Case{"1202Untagged", 0x1202, false, 42},
                                         Case{"0206Tagged", 0x0206, true, 38},
                                         Case{"0102Tagged", 0x0102, true, 38}),
                         [](const auto& each) { return each.param.name; });

// --- F4: lengths ----------------------------------------------------------------------------------------

// A Terminate whose octets behind the DDP header are these.
Packets terminated_by(Established& c, const Bytes& octets) {
  c.fpdu(a, send(1));
  const Packets end = c.fpdu(b, untagged_segment(7, 2, 1, octets));
  c.close(b);
  return end;
}

TEST(ScenarioF, F4_NothingBehindTheControlWord) {
  Established c;
  terminated_by(c, hex("00000000"));  // ULPDU 22
  EXPECT_EQ(told(c), Told{});
  EXPECT_FALSE(decoded(Analysed(c)).ddp_segment_length.has_value());
}

TEST(ScenarioF, F4_LengthAlone) {
  Established c;
  terminated_by(c, hex("00008000 002a"));  // ULPDU 24
  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(decoded(Analysed(c)).ddp_segment_length, 42U);
  EXPECT_FALSE(decoded(Analysed(c)).ddp_header.has_value());
}

TEST(ScenarioF, F4_ZeroFilledToItsLongest) {
  Established c;
  const Packets end = terminated_by(c, hex("52*00"));  // ULPDU 70
  EXPECT_EQ(told(c), (Told{lenient("RDMAP-TERM1", b, c.at(end))}));
  EXPECT_EQ(decoded(Analysed(c)).meant.value(), 0U);
}

TEST(ScenarioF, F4_TooLong) {
  Established c;
  const Packets end = terminated_by(c, hex("53*00"));  // ULPDU 71
  EXPECT_EQ(told(c), (Told{error("RDMAP-TERM1", b, c.at(end))}));
}

TEST(ScenarioF, F4_TooShort) {
  Established c;
  const Packets end = terminated_by(c, hex("0000"));  // ULPDU 20
  EXPECT_EQ(told(c), (Told{error("RDMAP-TERM1", b, c.at(end))}));
}

TEST(ScenarioF, F4_OddRest) {
  Established c;
  const Packets end = terminated_by(c, hex("00000000 aa"));  // ULPDU 23
  EXPECT_EQ(told(c), (Told{warning("RDMAP-TERM1", b, c.at(end))}));
  const Analysed result(c);
  EXPECT_EQ(decoded(result).leftover, 1U);
  const MessageConclusion message = result.messages(Opcode::terminate)[0].message;
  ASSERT_EQ(message.rdmap_octets, 5U);
  EXPECT_EQ(message.rdmap[4], 0xAA);
}

// --- F5: three codes for a CRC error --------------------------------------------------------------------

struct CrcCode {
  std::uint16_t code;
  wire::TerminateOrigin origin;
};
class ScenarioFCrc : public testing::TestWithParam<CrcCode> {};

TEST_P(ScenarioFCrc, F5_CrcErrorByAnyName) {
  const wire::TerminateCodeInfo info = wire::describe_terminate(GetParam().code);
  EXPECT_EQ(info.origin, GetParam().origin);
  EXPECT_THAT(info.name, testing::HasSubstr("CRC"));

  // With markers: so the Terminate is not siw's, whose 2002 has the octets of 0202.
  Established c({.markers = true}, {.markers = true});
  c.fpdu(a, send(1));
  const Packets damaged = c.fpdu(a, send(2, text("hello")), {.crc = Crc::wrong});
  const Packets end = c.terminated(b, GetParam().code);

  Told expected = {error("MPA-CRC", a, c.at(damaged))};
  if (GetParam().origin != wire::TerminateOrigin::iana)
    expected.push_back(lenient("RDMAP-TERMCODE", b, c.at(end)));
  EXPECT_EQ(told(c), expected);
  const Analysed result(c);
  ASSERT_EQ(why(result).size(), 1U);
  EXPECT_THAT(why(result)[0], testing::EndsWith(" explained"));
  EXPECT_EQ(messages(result),
            (Told{"send of 0, msn 1", "terminate of 4, msn 1"}));  // the damaged one is not applied
  EXPECT_EQ(decoded(result).meant.value(), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(Codes, ScenarioFCrc,
                         testing::Values(CrcCode{0x2002, wire::TerminateOrigin::iana},
                                         CrcCode{0x2302, wire::TerminateOrigin::vendor},
                                         CrcCode{0x0202, wire::TerminateOrigin::verbs}),
                         [](const auto& each) {
                           return each.param.origin == wire::TerminateOrigin::iana     ? "Iana"
                                  : each.param.origin == wire::TerminateOrigin::vendor ? "Vendor"
                                                                                       : "Verbs";
                         });

// siw's 2002 and 2003 are Verbs' 0202 and 0203, which IANA does not register.
TEST(ScenarioF, F5_CrcErrorOfSiw) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, send(2, text("hello")), {.crc = Crc::wrong});
  c.terminated(b, 0x0202);
  EXPECT_EQ(decoded(Analysed(c)).meant.value(), 0x2002);
  EXPECT_EQ(decoded(Analysed(c)).bit_order, wire::BitOrder::siw);
}

// 2004 in a connection that started well has no explanation.
TEST(ScenarioF, F14_InvalidStartupFrameOfAStartupThatWasValid) {
  Established c;
  c.fpdu(a, send(1));
  c.terminated(b, 0x2004);
  EXPECT_EQ(why(Analysed(c)), (Told{"2004 unexplained"}));
}

// The Terminate quotes nothing; the Read that is outstanding explains it.
TEST(ScenarioF, F14_WrapOfAnOutstandingReadExplains) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(
                1, {.sink_stag = 1, .size = 100, .source_stag = 2, .source_to = ~std::uint64_t{0} - 50}));
  c.terminated(b, 0x0104);
  EXPECT_EQ(why(Analysed(c)), (Told{"0104 explained"}));
}

TEST(ScenarioF, F5_UnregisteredCode) {
  Established c;
  c.fpdu(a, send(1));
  const Packets end = c.terminated(b, 0x4711);
  EXPECT_EQ(told(c), (Told{warning("RDMAP-TERMCODE", b, c.at(end))}));
}

// --- F6: a header that nobody sent ----------------------------------------------------------------------

TEST(ScenarioF, F6_TerminatedHeaderNobodySent) {
  Established c;
  c.fpdu(a, send(1));
  const Packets end = c.terminated(b, 0x1202, about(send(9, text("never sent"))));

  EXPECT_EQ(told(c), (Told{warning("RDMAP-TERMREF", b, c.at(end))}));
}

TEST(ScenarioF, F6_TerminatedHeaderMayLieInAHole) {
  Established c;
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2, text("never captured"))));
  c.fpdu(a, send(3));
  c.terminated(b, 0x1202, about(send(2, text("never captured"))));

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::gap), 1U);
}

TEST(ScenarioF, F6_TerminatedHeaderBeforeTheCapture) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1));
    c.fpdu(a, send(2));
  });
  c.fpdu(a, send(3));
  c.fpdu(b, terminate(0x1202, about(send(2))));
  c.close(b);

  EXPECT_FALSE(Analysed(c).has("RDMAP-TERMREF")) << Analysed(c).told();
  EXPECT_EQ(Analysed(c).undecidable("RDMAP-TERMREF"), 1U);
}

// --- F14: a Terminate that nobody can explain -----------------------------------------------------------

TEST(ScenarioF, F14_UnexplainedTerminate) {
  Established c;
  c.fpdu(a, send(1));
  const Packets request = c.fpdu(a, read_request(1, bad_read));
  const Packets end = c.terminated(b, 0x0101, about(read_request(1, bad_read), true));

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(why(result), (Told{"0101 unexplained"}));
  const Event reason = result.findings("RDMAP-TERMWHY")[0];
  EXPECT_EQ(reason.frame, c.at(end));
  EXPECT_TRUE(has_evidence(reason, c.at(request)));
}

TEST(ScenarioF, F14_UnexplainedWhereOctetsAreMissingIsUndecided) {
  Established c;
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2)));
  c.fpdu(a, send(3));
  c.terminated(b, 0x1203);

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  EXPECT_EQ(why(result), (Told{"1203 undecided"}));
}

}  // namespace
}  // namespace iwarp::test::established
