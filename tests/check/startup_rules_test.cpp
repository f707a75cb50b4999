// Rules of the start-up frames: broken, kept, undecidable (RFC 5044 §7.1, RFC 6581).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

StartupFact revision(std::uint8_t number) {
  StartupFact fact;
  fact.revision = number;
  return fact;
}

StartupFact enhanced(wire::EnhancedWord word) {
  StartupFact fact;
  fact.revision = 2;
  fact.enhanced = fact.has_word = true;
  fact.word = word;
  fact.private_data_length = fact.private_data_received = 4;
  return fact;
}

void pair(Scene& scene, StartupFact request, StartupFact reply) {
  scene.open();
  request.kind = wire::StartupKind::request;
  reply.kind = wire::StartupKind::reply;
  scene.startup(a, request);
  scene.startup(b, reply);
}

TEST(MpaRev, Known) {
  for (const auto& [asked, given] : {std::pair{1, 1}, {2, 2}, {2, 1}}) {
    Scene scene;
    pair(scene, revision(static_cast<std::uint8_t>(asked)), revision(static_cast<std::uint8_t>(given)));
    EXPECT_EQ(scene.verdict(), "") << asked << '/' << given;
  }
}

TEST(MpaRev, Broken) {
  Scene scene;
  pair(scene, revision(3), revision(1));
  EXPECT_EQ(scene.only(CheckId::mpa_rev).arguments,
            (std::vector<std::uint64_t>{3, static_cast<std::uint64_t>(Phrase::request),
                                        static_cast<std::uint64_t>(Phrase::highest_revision), 2}));
  Scene higher;
  pair(higher, revision(1), revision(2));
  EXPECT_EQ(higher.only(CheckId::mpa_rev).side, b);
  EXPECT_EQ(higher.only(CheckId::mpa_rev).arguments,
            (std::vector<std::uint64_t>{2, static_cast<std::uint64_t>(Phrase::reply),
                                        static_cast<std::uint64_t>(Phrase::request_revision), 1}));
  Scene mixed;
  pair(mixed, revision(1), revision(0));
  EXPECT_EQ(mixed.only(CheckId::mpa_rev).side, b);
}

TEST(MpaRes, ReservedFlags) {
  StartupFact gso = revision(1);
  gso.reserved_flags = 0x08;
  Scene scene;
  pair(scene, gso, revision(1));
  EXPECT_EQ(scene.only(CheckId::mpa_res).arguments, (std::vector<std::uint64_t>{8}));
  EXPECT_EQ(severity_of(CheckId::mpa_res, false), Severity::note);
}

TEST(MpaReqr, RejectInARequest) {
  StartupFact odd = revision(1);
  odd.rejected = true;
  Scene scene;
  pair(scene, odd, revision(1));
  EXPECT_EQ(scene.count(CheckId::mpa_reqr, a), 1U);
  EXPECT_FALSE(scene.state.mpa.rejected);
}

TEST(MpaPdlen, Limit) {
  StartupFact fact = revision(1);
  fact.private_data_length = fact.private_data_received = 512;
  Scene kept;
  pair(kept, fact, revision(1));
  EXPECT_EQ(kept.verdict(), "");
  fact.private_data_length = fact.private_data_received = 513;
  Scene broken;
  pair(broken, fact, revision(1));
  EXPECT_EQ(broken.only(CheckId::mpa_pdlen).arguments,
            (std::vector<std::uint64_t>{513, 512, static_cast<std::uint64_t>(Phrase::are_the_most)}));
}

TEST(MpaPdlen, AnsweredTooEarly) {
  StartupFact fact = revision(1);
  fact.private_data_length = 512;
  fact.private_data_received = 100;
  Scene scene;
  scene.open();
  fact.kind = wire::StartupKind::request;
  scene.startup(a, fact);
  scene.ack(120).reply();
  EXPECT_EQ(scene.only(CheckId::mpa_pdlen).side, a);
  EXPECT_EQ(scene.only(CheckId::mpa_pdlen).arguments[1], 100U);

  Scene late;  // the responder had all of it
  late.open();
  late.startup(a, fact);
  late.ack(532).reply();
  EXPECT_EQ(late.verdict(), "");
  EXPECT_EQ(late.undecided(CheckId::mpa_pdlen, Reason::skew), 1U);

  Scene unanswered;
  unanswered.open();
  unanswered.startup(a, fact);
  EXPECT_EQ(unanswered.verdict(), "") << "more may come";

  Scene gapped;
  gapped.open();
  gapped.gap(a, 10);
  gapped.startup(a, fact);
  gapped.reply();
  EXPECT_EQ(gapped.verdict(), "");
  EXPECT_EQ(gapped.undecided(CheckId::mpa_pdlen, Reason::gap), 1U);
}

TEST(MpaPdlen, EnhancedNeedsTheWord) {
  StartupFact fact = revision(2);
  fact.enhanced = true;
  fact.private_data_length = fact.private_data_received = 2;
  Scene scene;
  pair(scene, fact, enhanced({}));
  EXPECT_EQ(scene.only(CheckId::mpa_pdlen).arguments,
            (std::vector<std::uint64_t>{2, 4, static_cast<std::uint64_t>(Phrase::are_for_the_word)}));
}

TEST(MpaSrev, EnhancedAnsweredByPlain) {
  Scene scene;
  pair(scene, enhanced({}), revision(1));
  EXPECT_EQ(scene.verdict(), "MPA-SREV");
  EXPECT_EQ(scene.only(CheckId::mpa_srev).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::reply), 1, 0,
                                        static_cast<std::uint64_t>(Phrase::request_has_s)}));
}

TEST(MpaSrev, NeedsRevisionTwo) {
  StartupFact fact = enhanced({});
  fact.revision = 1;
  Scene scene;
  pair(scene, fact, fact);
  EXPECT_EQ(scene.count(CheckId::mpa_srev), 2U);
}

TEST(MpaSrev, UndecidableWithoutTheRequest) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  StartupFact fact = enhanced({});
  scene.reply(b, fact);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::mpa_srev, Reason::midstream), 1U);
}

TEST(MpaAbcd, Model) {
  const wire::EnhancedWord peer_to_peer{true, false, true, true, 16, 16};
  Scene kept;
  pair(kept, enhanced(peer_to_peer), enhanced({true, false, false, true, 16, 16}));
  EXPECT_EQ(kept.verdict(), "");

  Scene names_none;
  pair(names_none, enhanced(peer_to_peer), enhanced({true, false, false, false, 16, 16}));
  EXPECT_EQ(names_none.only(CheckId::mpa_abcd).arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::reply), 1, 0,
                                        static_cast<std::uint64_t>(Phrase::kind_needed)}));

  Scene not_copied;
  pair(not_copied, enhanced(peer_to_peer), enhanced({false, false, false, false, 16, 16}));
  EXPECT_EQ(not_copied.only(CheckId::mpa_abcd).side, b);

  Scene without_a;
  pair(without_a, enhanced({false, true, false, false, 16, 16}),
       enhanced({false, false, false, false, 16, 16}));
  EXPECT_EQ(without_a.only(CheckId::mpa_abcd).side, a);
}

TEST(MpaIrdord, ResponderAsksForMore) {
  Scene scene;
  pair(scene, enhanced({false, false, false, false, 16, 16}), enhanced({false, false, false, false, 16, 32}));
  EXPECT_EQ(scene.only(CheckId::mpa_irdord).arguments, (std::vector<std::uint64_t>{16, 16, 16, 32}));
  Scene kept;
  pair(kept, enhanced({false, false, false, false, 16, 16}), enhanced({false, false, false, false, 16, 16}));
  EXPECT_EQ(kept.findings.size(), 0U);
}

TEST(MpaIrdord, NotNegotiatedIsAnsweredInKind) {
  Scene kept;
  pair(kept, enhanced({false, false, false, false, 16, 0x3fff}),
       enhanced({false, false, false, false, 0x3fff, 16}));
  EXPECT_EQ(kept.verdict(), "");
  Scene broken;
  pair(broken, enhanced({false, false, false, false, 16, 0x3fff}),
       enhanced({false, false, false, false, 8, 16}));
  EXPECT_EQ(broken.verdict(), "MPA-IRDORD");
}

TEST(MpaIrdord, ARefusalMayNameWhatWasNeeded) {
  StartupFact refusal = enhanced({false, false, false, false, 16, 32});
  refusal.rejected = true;
  Scene scene;
  pair(scene, enhanced({false, false, false, false, 16, 16}), refusal);
  EXPECT_EQ(scene.verdict(), "");
}

TEST(MpaIrdord, SmbdWordsAreNotZero) {
  StartupFact words = revision(1);
  words.has_smbd = true;
  words.smbd_ird = words.smbd_ord = 16;
  StartupFact zero = words;
  zero.smbd_ird = 0;
  Scene scene;
  pair(scene, words, zero);
  const Found& in_reply = scene.only(CheckId::mpa_smbdzero);
  EXPECT_EQ(in_reply.side, b);
  EXPECT_EQ(in_reply.arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::reply), 0, 16}));
  Scene asked;
  pair(asked, zero, words);
  const Found& in_request = asked.only(CheckId::mpa_smbdzero);
  EXPECT_EQ(in_request.side, a);
  EXPECT_EQ(in_request.arguments,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(Phrase::request), 0, 16}));
}

TEST(MpaIrdlow, LowersTheInitiator) {
  Scene scene;
  pair(scene, enhanced({false, false, false, false, 16, 16}), enhanced({false, false, false, false, 8, 16}));
  EXPECT_EQ(scene.only(CheckId::mpa_irdlow).arguments, (std::vector<std::uint64_t>{8, 16}));
}

TEST(MpaRejfpdu, Broken) {
  StartupFact refusal = revision(1);
  refusal.rejected = true;
  Scene scene;
  pair(scene, revision(1), refusal);
  scene.send(a, 1);
  scene.send(a, 2);
  EXPECT_EQ(scene.verdict(), "MPA-REJFPDU");
  EXPECT_EQ(scene.side(a).qp.value, QpValue::idle);
}

TEST(MpaRespfirst, GluedBehindTheReply) {
  Scene scene;
  scene.start();
  scene.send(b, 1);  // had acknowledged the Request only
  EXPECT_EQ(scene.verdict(), "MPA-RESPFIRST");
  scene.send(b, 2);
  EXPECT_EQ(scene.count(CheckId::mpa_respfirst), 1U);
}

TEST(MpaRespfirst, ToldByTheAcknowledgement) {
  Scene scene;
  scene.start();
  const StreamOffset request_end = scene.end[0];
  scene.send(a, 1, 1000);
  scene.ack(request_end + 500).send(b, 1);
  EXPECT_EQ(scene.verdict(), "MPA-RESPFIRST");

  Scene kept;
  kept.start();
  kept.send(a, 1, 1000);
  kept.send(b, 1);
  EXPECT_EQ(kept.verdict(), "");
}

TEST(MpaRespfirst, UndecidableBehindAHole) {
  Scene scene;
  scene.start();
  scene.gap(a, 100);
  scene.send(b, 1);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::mpa_respfirst, Reason::gap), 1U);
}

wire::EnhancedWord rtr(bool send, bool write, bool read) {
  return {true, send, write, read, 16, 16};
}

TEST(MpaRtr, OtherKindThanAgreed) {
  Scene scene;
  scene.open();
  scene.negotiate(rtr(false, true, true), rtr(false, false, true));
  scene.tagged(a, {Opcode::rdma_write, 1, 0, 0});
  EXPECT_EQ(scene.only(CheckId::mpa_rtr).arguments, (std::vector<std::uint64_t>{0, 0, 1}));
  scene.terminate(b, {0x20, 0x07, 0, 0});
  EXPECT_EQ(scene.count(CheckId::rdmap_termwhy), 0U) << "explained";
}

TEST(MpaRtr, NotEmpty) {
  Scene scene;
  scene.open();
  scene.negotiate(rtr(false, true, false), rtr(false, true, false));
  scene.tagged(a, {Opcode::rdma_write, 1, 0, 4});
  EXPECT_EQ(scene.only(CheckId::mpa_rtr).arguments, (std::vector<std::uint64_t>{0, 4, 2}));
}

TEST(MpaRtr, UndecidableBehindAHole) {
  Scene scene;
  scene.open();
  scene.negotiate(rtr(false, true, false), rtr(false, true, false));
  scene.gap(a, 100);
  scene.send(a, 1);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::mpa_rtr, Reason::gap), 1U);
}

TEST(MpaRtrterm, NothingInCommon) {
  Scene kept;
  kept.open();
  kept.negotiate(rtr(false, true, false), rtr(false, false, true));
  kept.terminate(a, {0x20, 0x07, 0, 0});
  EXPECT_EQ(kept.verdict(), "");
  EXPECT_EQ(kept.count(CheckId::rdmap_termwhy), 0U);

  Scene vendor;
  vendor.open();
  vendor.negotiate(rtr(false, true, false), rtr(false, false, true));
  vendor.terminate(a, {0x23, 0x07, 0, 0});
  EXPECT_EQ(vendor.only(CheckId::mpa_rtrterm).arguments, (std::vector<std::uint64_t>{0x2307, 0x2007}));
}

TEST(MpaRtrterm, InsufficientIrd) {
  Scene scene;
  scene.open();
  scene.negotiate({false, false, false, false, 16, 16}, {false, false, false, false, 16, 32});
  scene.terminate(a, {0x20, 0x06, 0, 0});
  EXPECT_EQ(scene.verdict(), "MPA-IRDORD");
  EXPECT_EQ(scene.count(CheckId::rdmap_termwhy), 0U);
}

TEST(MpaRtrunneg, ZeroLengthFirstWithoutNegotiation) {
  Scene scene;
  scene.start();
  scene.tagged(a, {Opcode::rdma_write, 1, 0, 0});
  EXPECT_EQ(scene.count(CheckId::mpa_rtrunneg), 1U);
  EXPECT_EQ(scene.verdict(), "");
  Scene read;
  read.start();
  read.read_request(a, 1, 0);
  EXPECT_EQ(read.count(CheckId::mpa_rtrunneg), 1U);
  Scene kept;
  kept.start();
  kept.send(a, 1, 0);
  EXPECT_EQ(kept.count(CheckId::mpa_rtrunneg), 0U);
}

TEST(MpaTmo, RequestUnanswered) {
  Scene scene;
  scene.open();
  scene.request();
  scene.wait(30 * seconds);
  scene.rst(b);
  scene.close(CloseCause::rst);
  EXPECT_EQ(scene.only(CheckId::mpa_tmo).side, b);
  EXPECT_EQ(scene.only(CheckId::mpa_tmo).arguments[1], 30001U);
}

TEST(MpaTmo, ReplyWithoutFirstFpdu) {
  Scene scene;
  scene.start();
  scene.wait(11 * seconds);
  scene.send(a, 1);
  EXPECT_EQ(scene.only(CheckId::mpa_tmo).side, a);
}

TEST(MpaTmo, InTime) {
  Scene scene;
  scene.start();
  scene.wait(9 * seconds);
  scene.send(a, 1);
  scene.part();
  EXPECT_EQ(scene.count(CheckId::mpa_tmo), 0U);
}

TEST(MpaTmo, UndecidableWithAGap) {
  Scene scene;
  scene.open();
  scene.request();
  scene.gap(b, 24);
  scene.wait(30 * seconds);
  scene.close(CloseCause::capture_end);
  EXPECT_EQ(scene.count(CheckId::mpa_tmo), 0U);
  EXPECT_EQ(scene.undecided(CheckId::mpa_tmo, Reason::gap), 1U);
}

}  // namespace
}  // namespace iwarp::testing
