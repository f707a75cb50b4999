// Rules of the Terminate and of what follows it (RFC 5040 §4.8, §5.4; RFC 6580; Verbs 1.0 §6.2.2, §6.2.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

// Control word with M and D, the length field, then a tagged header.
Bytes quoting_tagged(std::uint16_t value, std::uint32_t stag, std::uint8_t control = 0xc1,
                     std::uint8_t rdmap = 0x40) {
  Bytes out = {static_cast<Byte>(value >> 8), static_cast<Byte>(value), 0xc0, 0, 0, 0x18, control, rdmap};
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<Byte>(stag >> shift));
  out.resize(out.size() + 8);
  return out;
}

// … an untagged header, and a Read Request header for R.
Bytes quoting_request(std::uint16_t value, std::uint8_t msn, const Bytes& header, Byte bits = 0xe0) {
  Bytes out = {static_cast<Byte>(value >> 8), static_cast<Byte>(value), bits, 0, 0, 0x2e, 0x41, 0x41};
  out.insert(out.end(), {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, msn, 0, 0, 0, 0});
  out.insert(out.end(), header.begin(), header.end());
  return out;
}

Bytes code(std::uint16_t value) {
  return {static_cast<Byte>(value >> 8), static_cast<Byte>(value), 0, 0};
}

TEST(Terminate, RefusedReadIsTerminated) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100, 0x2000, 0, 0, 0);  // source STag 0
  scene.read_request(a, 2, 100, 0x2000, 100);
  scene.terminate(b, quoting_request(0x0100, 1, Scene::read_header(100, 0x2000, 0, 0, 0)));
  EXPECT_EQ(scene.operations.back().status, OperationStatus::terminated);
  EXPECT_EQ(scene.verdict(), "RDMAP-STAG0");
  EXPECT_EQ(scene.findings.size(), 1U) << "code, length, header and reason are as they should be";
  scene.part();
  EXPECT_EQ(scene.operations.back().status, OperationStatus::terminated) << "the other one, too";
  EXPECT_EQ(scene.findings.size(), 1U);
}

TEST(Term1, SecondTerminateOrWrongHeader) {
  Scene scene;
  scene.converse();
  scene.terminate(a, code(0x0000));
  scene.terminate(a, code(0x0000), 2);
  EXPECT_EQ(scene.only(CheckId::rdmap_term1).arguments[0],
            static_cast<std::uint64_t>(Phrase::second_terminate));
  EXPECT_EQ(scene.count(CheckId::rdmap_termend), 0U);

  Scene wrong;
  wrong.converse();
  wrong.untagged(a, {Opcode::terminate, 1, 4, false, 0, 0, ~0U, code(0x0000)});
  EXPECT_EQ(wrong.only(CheckId::rdmap_term1).arguments[0],
            static_cast<std::uint64_t>(Phrase::wrong_terminate_header));
}

TEST(Term1, Lengths) {
  const auto verdict_of = [](std::uint32_t ulpdu_length) {
    Scene scene;
    scene.converse();
    Bytes octets = code(0x0000);
    octets.resize(ulpdu_length - 18, 0);
    scene.terminate(a, octets);
    return scene.verdict();
  };
  EXPECT_EQ(verdict_of(22), "");
  EXPECT_EQ(verdict_of(20), "RDMAP-TERM1");
  EXPECT_EQ(verdict_of(71), "RDMAP-TERM1");
  EXPECT_EQ(verdict_of(23), "RDMAP-TERM1") << "the warning of the same rule";
}

TEST(Term1, HeaderControlAgainstLength) {
  const auto what = [](const Bytes& octets) {
    Scene scene;
    scene.converse();
    scene.read_request(a, 1, 100);
    scene.terminate(b, octets);
    return scene.count(CheckId::rdmap_termlen) == 0
               ? Phrase::count
               : static_cast<Phrase>(scene.only(CheckId::rdmap_termlen).arguments[2]);
  };
  const Bytes header = Scene::read_header(100, 0x2000, 0, 0x3000, 0);
  EXPECT_EQ(what(quoting_request(0x0101, 1, header)), Phrase::count);
  EXPECT_EQ(what(quoting_request(0x0101, 1, {})), Phrase::bit_without_header) << "R without its 28 octets";
  EXPECT_EQ(what(quoting_request(0x0101, 1, header, 0xc0)), Phrase::header_without_bit);
  EXPECT_EQ(what(code(0x0101)), Phrase::count);
  Bytes zeros = code(0x0101);
  zeros.resize(52, 0);
  EXPECT_EQ(what(zeros), Phrase::zero_filled);
}

TEST(Termcode, OriginsAndBitOrder) {
  const auto said = [](const Bytes& octets) {
    Scene scene;
    scene.converse();
    scene.terminate(a, octets);
    return scene.count(CheckId::rdmap_termcode) == 0
               ? Phrase::iana_code
               : static_cast<Phrase>(scene.only(CheckId::rdmap_termcode).arguments[1]);
  };
  EXPECT_EQ(said(code(0x2002)), Phrase::iana_code);
  EXPECT_EQ(said(code(0x2302)), Phrase::vendor_code);
  EXPECT_EQ(said(code(0x0202)), Phrase::siw_bit_order);
  EXPECT_EQ(said({0x21, 0x02, 0x03, 0x00}), Phrase::siw_bit_order);
}

TEST(Termcode, OfNobodyIsNoVendorsWay) {
  Scene scene;
  scene.converse();
  scene.terminate(a, code(0x1277));
  EXPECT_EQ(scene.count(CheckId::rdmap_termcode), 0U);
  EXPECT_EQ(scene.only(CheckId::rdmap_termunreg).side, a);
}

TEST(Termcode, SiwOrderIsTaken) {
  Scene scene;
  scene.converse();
  Bytes octets = quoting_request(0x1000, 1, Scene::read_header(100, 0x2000, 0, 0x3000, 0), 0x07);
  scene.read_request(a, 1, 100);
  scene.terminate(b, octets);
  ASSERT_EQ(scene.side(b).terminates.size(), 1U);
  EXPECT_EQ(scene.side(b).terminates[0].meant.value(), 0x0100U);
  EXPECT_EQ(scene.side(b).terminates[0].bit_order, wire::BitOrder::siw);
  EXPECT_EQ(scene.messages.back().bit_order, wire::BitOrder::siw);
}

TEST(Termcode, AmbiguousOrderIsDecidedByWhatHappened) {
  // 10 00: RFC "DDP local catastrophic", siw "remote protection: invalid STag".
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100, 0x2000, 0, 0, 0);
  scene.terminate(b, code(0x1000));
  EXPECT_EQ(scene.side(b).terminates[0].meant.value(), 0x0100U);
  Scene plain;
  plain.converse();
  plain.terminate(b, code(0x1000));
  EXPECT_EQ(plain.side(b).terminates[0].meant.value(), 0x1000U);
}

TEST(Termend, AnythingBehindIt) {
  Scene scene;
  scene.converse();
  scene.terminate(a, code(0x0000));
  const FrameNumber terminate = scene.frame;
  scene.send(a, 2);
  scene.send(a, 3);
  EXPECT_EQ(scene.only(CheckId::rdmap_termend).arguments, (std::vector<std::uint64_t>{3, terminate}));
}

TEST(Termref, QuotedHeader) {
  Scene kept;
  kept.converse();
  kept.tagged(a, {Opcode::rdma_write, 0xbad, 0, 10});
  kept.terminate(b, quoting_tagged(0x1100, 0xbad));
  EXPECT_EQ(kept.verdict(), "");

  Scene broken;
  broken.converse();
  broken.tagged(a, {Opcode::rdma_write, 0xbad, 0, 10});
  broken.terminate(b, quoting_tagged(0x1100, 0xbee));
  EXPECT_EQ(broken.only(CheckId::rdmap_termref).arguments, (std::vector<std::uint64_t>{0xc140, 0xbee}));
}

TEST(Termref, Undecidable) {
  Scene gapped;
  gapped.converse();
  gapped.gap(a, 100);
  gapped.terminate(b, quoting_tagged(0x1100, 0xbee));
  EXPECT_EQ(gapped.verdict(), "");
  EXPECT_EQ(gapped.undecided(CheckId::rdmap_termref, Reason::gap), 1U);

  Scene old;
  old.converse();
  for (std::uint32_t msn = 2; msn < 100; ++msn) old.send(a, msn);
  old.terminate(b, quoting_tagged(0x1100, 0xbee));
  EXPECT_EQ(old.undecided(CheckId::rdmap_termref, Reason::limit), 1U);
}

TEST(Termref, AnotherMsnThanTheRequestQuoted) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  const FrameNumber asked = scene.frame;
  scene.terminate(b, quoting_request(0x0100, 100, Scene::read_header(100, 0x2000, 0, 0x3000, 0)));
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.only(CheckId::rdmap_termquote).arguments, (std::vector<std::uint64_t>{1, 100}));
  const TerminateSeen& seen = scene.state.side(b).terminates.at(0);
  EXPECT_EQ(seen.quoted_frame, asked);
  EXPECT_EQ(seen.quoted_opcode, wire::Opcode::read_request);
  EXPECT_EQ(scene.operations.back().status, OperationStatus::terminated);
  EXPECT_EQ(scene.operations.back().request.frame, asked);
}

TEST(Termref, ReadThatHadBegun) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 4000, 0x2000, 500, 0x3000, 9000);
  scene.read_response(b, 1000, 0x2000, 500, false);
  scene.terminate(b, quoting_request(0x0100, 1, Scene::read_header(3000, 0x2000, 1500, 0x3000, 10000)));
  EXPECT_EQ(scene.count(CheckId::rdmap_termref) + scene.count(CheckId::rdmap_termquote), 0U);
  EXPECT_EQ(scene.operations.back().status, OperationStatus::terminated);
}

TEST(Termwhy, UnexplainedIsInformation) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 100);
  scene.terminate(b, quoting_request(0x0101, 1, Scene::read_header(100, 0x2000, 0, 0x3000, 0)));
  EXPECT_EQ(scene.only(CheckId::rdmap_termwhy).arguments,
            (std::vector<std::uint64_t>{0x0101, static_cast<std::uint64_t>(Phrase::unexplained)}));
  EXPECT_EQ(scene.verdict(), "");
}

TEST(Termwhy, Explained) {
  Scene gap_in_msn;
  gap_in_msn.converse();
  gap_in_msn.send(a, 7);
  gap_in_msn.terminate(b, code(0x1203));
  EXPECT_EQ(gap_in_msn.count(CheckId::rdmap_termwhy), 0U);

  Scene offset;
  offset.converse();
  offset.send(a, 2, 100, false);
  offset.send(a, 2, 100, true, 500);
  offset.terminate(b, code(0x1204));
  EXPECT_EQ(offset.count(CheckId::rdmap_termwhy), 0U) << "the octets jumped over have not come";

  Scene unaligned;
  unaligned.converse();
  unaligned.atomic_request(a, 1, 1, 4);
  Bytes octets = quoting_request(0x0207, 1, {}, 0xc0);
  octets[7] = 0x4a;
  unaligned.terminate(b, octets);
  EXPECT_EQ(unaligned.count(CheckId::rdmap_termwhy), 0U);
}

TEST(Termwhy, Undecidable) {
  Scene scene;
  scene.converse();
  scene.gap(a, 100);
  scene.terminate(b, code(0x1203));
  EXPECT_EQ(scene.count(CheckId::rdmap_termwhy), 0U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_termwhy, Reason::gap), 1U);

  Scene cut;
  cut.converse();
  FpduFact fact = Scene::make(Untagged{Opcode::send, 2, 100});
  fact.crc = CrcStatus::undecidable;
  fact.cut = true;
  cut.gap(a, 90, true, GapCause::snaplen);
  cut.fpdu(a, fact);
  cut.terminate(b, code(0x2002));
  EXPECT_EQ(cut.undecided(CheckId::rdmap_termwhy, Reason::snaplen), 1U);
}

TEST(Termterm, AnsweringATerminate) {
  Scene crossing;
  crossing.converse();
  const StreamOffset before = crossing.end[0];
  crossing.terminate(a, code(0x0000));
  crossing.ack(before).terminate(b, code(0x0000));
  EXPECT_EQ(crossing.count(CheckId::rdmap_termterm), 0U);

  Scene answer;
  answer.converse();
  answer.terminate(a, code(0x0000));
  answer.acknowledged(b);
  answer.terminate(b, code(0x0000));
  EXPECT_EQ(answer.only(CheckId::rdmap_termterm).side, b);
}

TEST(Afterterm, LegalWhileCrossing) {
  Scene scene;
  scene.converse();
  const StreamOffset before = scene.end[0];
  scene.terminate(a, code(0x0000));
  scene.ack(before).send(b, 2);
  scene.acknowledged(b);
  scene.send(b, 3);
  EXPECT_EQ(scene.count(CheckId::rdmap_afterterm), 0U) << "queued before";
  scene.wait(20 * milliseconds);
  scene.send(b, 4);
  EXPECT_EQ(scene.count(CheckId::rdmap_afterterm), 0U)
      << "octets are on their way: it may have waited for the window";
  scene.wait(1 * seconds);
  scene.send(b, 5);
  scene.send(b, 6);
  EXPECT_EQ(scene.only(CheckId::rdmap_afterterm).side, b);

  Scene idle;
  idle.converse();
  idle.ack(idle.end[1]).terminate(a, code(0x0000));
  idle.acknowledged(b);
  idle.wait(20 * milliseconds);
  idle.send(b, 2);
  EXPECT_EQ(idle.only(CheckId::rdmap_afterterm).side, b);
}

TEST(Rrzero, TerminateForAZeroLengthRead) {
  Scene scene;
  scene.converse();
  scene.read_request(a, 1, 0);
  scene.terminate(b, quoting_request(0x0100, 1, Scene::read_header(0, 0x2000, 0, 0x3000, 0)));
  EXPECT_EQ(scene.only(CheckId::rdmap_rrzero).side, b);
}

TEST(Ext, ExtensionRefused) {
  Scene scene;
  scene.converse();
  scene.atomic_request(a, 1, 1);
  Bytes octets = quoting_request(0x0206, 1, {}, 0xc0);
  octets[7] = 0x4a;
  scene.terminate(b, octets);
  EXPECT_EQ(scene.only(CheckId::rdmap_ext).arguments[0], static_cast<std::uint64_t>(Opcode::atomic_request));
  EXPECT_EQ(scene.verdict(), "");

  Scene send;
  send.converse();
  send.send(a, 2);
  send.terminate(b, code(0x0206));
  EXPECT_EQ(send.count(CheckId::rdmap_ext), 0U);
}

TEST(Termfin, HowTheConnectionEnds) {
  Scene graceful;
  graceful.converse();
  graceful.terminate(a, code(0x0000));
  graceful.part();
  EXPECT_EQ(graceful.count(CheckId::rdmap_termfin), 0U);

  Scene reset;
  reset.converse();
  reset.terminate(a, code(0x0000));
  reset.rst(b);
  EXPECT_EQ(reset.only(CheckId::rdmap_termfin).arguments[1], static_cast<std::uint64_t>(Phrase::rst));
  EXPECT_EQ(reset.count(CheckId::verbs_rst), 0U);

  Scene nothing;
  nothing.converse();
  nothing.terminate(a, code(0x0000));
  nothing.wait(61 * seconds);
  nothing.close(CloseCause::capture_end);
  EXPECT_EQ(nothing.only(CheckId::rdmap_termfin).arguments[1], static_cast<std::uint64_t>(Phrase::nothing));

  Scene soon;
  soon.converse();
  soon.terminate(a, code(0x0000));
  soon.close(CloseCause::capture_end);
  EXPECT_EQ(soon.undecided(CheckId::rdmap_termfin, Reason::capture_end), 1U);
}

}  // namespace
}  // namespace iwarp::testing
