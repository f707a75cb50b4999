// Rules of DDP and RDMAP headers (RFC 5041 §4, RFC 5040 §4, RFC 7306 §5, §6).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

FpduFact segment(Opcode opcode = Opcode::send, std::uint32_t payload = 10) {
  return Scene::make(Untagged{opcode, 2, payload});
}

std::string verdict_of(const FpduFact& fact) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, fact);
  return scene.verdict();
}

TEST(DdpVersion, Broken) {
  for (const unsigned version : {0U, 2U, 3U}) {
    FpduFact fact = segment();
    fact.ddp.ddp_control = static_cast<std::uint8_t>(0x40 | version);
    EXPECT_EQ(verdict_of(fact), "DDP-DV") << version;
    fact = segment();
    fact.ddp.rdmap_control = static_cast<std::uint8_t>(version << 6 | 3);
    EXPECT_EQ(verdict_of(fact), "RDMAP-RV") << version;
  }
}

TEST(DdpVersion, RevisionZeroStreams) {
  Scene scene;
  scene.open();
  StartupFact fact;
  fact.kind = wire::StartupKind::request;
  scene.startup(a, fact);
  fact.kind = wire::StartupKind::reply;
  scene.startup(b, fact);
  FpduFact old = Scene::make(Untagged{Opcode::send, 1, 10});
  old.ddp.ddp_control = 0x40;
  old.ddp.rdmap_control = 0x03;
  scene.fpdu(a, old);
  EXPECT_EQ(scene.count(CheckId::ddp_dv) + scene.count(CheckId::rdmap_rv), 0U);
  old.ddp.ddp_control = 0x41;
  old.ddp.msn = 2;
  scene.fpdu(a, old);
  EXPECT_EQ(scene.count(CheckId::ddp_dv), 1U);
}

TEST(DdpVersion, UndecidableMidstream) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  scene.locked(a, {Mode::off, Mode::on, true, true, 3, false, 0});
  FpduFact old = segment();
  old.ddp.ddp_control = 0x40;
  old.ddp.rdmap_control = 0x03;
  scene.fpdu(a, old);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::ddp_dv, Reason::midstream), 1U);
}

TEST(ReservedBits, Broken) {
  FpduFact fact = segment();
  fact.ddp.ddp_control |= 0x04;
  EXPECT_EQ(verdict_of(fact), "DDP-RSVD");
  fact = segment();
  fact.ddp.rdmap_control |= 0x10;
  EXPECT_EQ(verdict_of(fact), "RDMAP-RSV");
}

TEST(DdpTop, TaggedBitAgainstOpcode) {
  Scene scene;
  scene.converse();
  scene.tagged(a, {Opcode::send, 5, 0, 10});
  EXPECT_EQ(scene.only(CheckId::ddp_top).arguments[1], static_cast<std::uint64_t>(Phrase::tagged_segment));
  scene.untagged(a, {Opcode::rdma_write, 2, 10, true, 0, 0, 0});
  EXPECT_EQ(scene.verdict(), "DDP-TOP DDP-TOP");
}

TEST(DdpQn, QueueAgainstOpcode) {
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::send, 1, 10, true, 0, 0, 1})), "DDP-QN");
  EXPECT_EQ(verdict_of(Scene::make(
                Untagged{Opcode::read_request, 2, 28, true, 0, 0, 0, Scene::read_header(1, 1, 0, 1, 0)})),
            "DDP-QN");
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::send, 1, 10, true, 0, 0, 4})), "DDP-QN");
}

TEST(DdpTowrap, LastOctetMayBeTheVeryLast) {
  EXPECT_EQ(verdict_of(Scene::make(Tagged{Opcode::rdma_write, 5, 0xfffffffffffffff0, 16})), "");
  EXPECT_EQ(verdict_of(Scene::make(Tagged{Opcode::rdma_write, 5, 0xfffffffffffffff0, 17})), "DDP-TOWRAP");
  EXPECT_EQ(verdict_of(Scene::make(Tagged{Opcode::rdma_write, 5, 0xffffffffffffffff, 0})), "");
}

TEST(DdpMowrap, MessageOf4GiB) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 32, true, 0xfffffff0);
  EXPECT_EQ(scene.only(CheckId::ddp_mowrap).arguments[0], 0x100000010U);
}

TEST(DdpZero, EmptySegmentWithoutLast) {
  Scene scene;
  scene.converse();
  scene.send(a, 2, 0, false);
  EXPECT_EQ(scene.only(CheckId::ddp_zero).arguments[0], static_cast<std::uint64_t>(Phrase::not_last));
}

TEST(RdmapInv0, InvalidateStagWithoutInvalidate) {
  FpduFact fact = segment();
  fact.ddp.stag = 5;
  EXPECT_EQ(verdict_of(fact), "RDMAP-INV0");
  fact = segment(Opcode::send_inv);
  fact.ddp.stag = 5;
  EXPECT_EQ(verdict_of(fact), "");
  fact.ddp.stag = 0;
  EXPECT_EQ(verdict_of(fact), "RDMAP-STAG0");
}

TEST(RdmapOp, Unassigned) {
  for (const unsigned opcode : {12U, 13U, 14U}) {
    FpduFact fact = segment();
    fact.ddp.rdmap_control = static_cast<std::uint8_t>(0x40 | opcode);
    EXPECT_EQ(verdict_of(fact), "RDMAP-OP") << opcode;
  }
  Scene scene;
  scene.converse();
  FpduFact fact = segment();
  fact.ddp.rdmap_control = 0x4f;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.count(CheckId::rdmap_opexp), 1U);
  EXPECT_EQ(scene.count(CheckId::rdmap_op), 0U);
}

TEST(RdmapRreq, Form) {
  const Bytes header = Scene::read_header(100, 1, 0, 1, 0);
  for (const std::uint32_t size : {27U, 29U}) {
    EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::read_request, 1, size, true, 0, 0, ~0U, header})),
              "RDMAP-RREQ");
  }
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::read_request, 1, 28, true, 4, 0, ~0U, header})),
            "RDMAP-RREQ")
      << "not DDP-MO0, too";
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::read_request, 1, 28, false, 0, 0, ~0U, header})),
            "RDMAP-RREQ");
}

TEST(RdmapRreq, WithoutLastItAsksForNothing) {
  Scene scene;
  scene.converse();
  scene.untagged(a,
                 {Opcode::read_request, 1, 28, false, 0, 0, ~0U, Scene::read_header(100, 0x2000, 0, 1, 0)});
  EXPECT_EQ(scene.side(a).outstanding(), 0U);
  scene.read_response(b, 100);
  EXPECT_EQ(scene.verdict(), "RDMAP-RREQ");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_rrnone, Reason::broken_request), 1U);
}

TEST(RdmapStag0, Names) {
  EXPECT_EQ(verdict_of(Scene::make(Tagged{Opcode::rdma_write, 0, 0, 1})), "RDMAP-STAG0");
  EXPECT_EQ(verdict_of(Scene::make(Tagged{Opcode::rdma_write, 0, 0, 0})), "");
  const Bytes source_zero = Scene::read_header(10, 1, 0, 0, 0);
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::read_request, 1, 28, true, 0, 0, ~0U, source_zero})),
            "RDMAP-STAG0");
  const Bytes nothing = Scene::read_header(0, 1, 0, 0, 0);
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::read_request, 1, 28, true, 0, 0, ~0U, nothing})), "");
}

TEST(RdmapAtomic, Form) {
  Scene scene;
  scene.converse();
  scene.atomic_request(a, 1, 1);
  scene.atomic_response(b, 1, 1);
  EXPECT_EQ(scene.verdict(), "");
  scene.atomic_request(a, 2, 1, 0, 1);
  EXPECT_EQ(scene.only(CheckId::rdmap_atop).arguments[0], 1U);
  scene.atomic_request(a, 3, 1, 0, 0x10);
  EXPECT_EQ(scene.count(CheckId::rdmap_atrsv), 1U);
  Untagged odd{Opcode::atomic_request, 4, 51};
  odd.header = Bytes(51, 0);
  odd.header[11] = 1;
  scene.untagged(a, odd);
  EXPECT_EQ(scene.count(CheckId::rdmap_atlen), 1U);
  scene.untagged(b, {Opcode::atomic_response, 2, 13});
  EXPECT_EQ(scene.count(CheckId::rdmap_atlen), 2U);
}

TEST(RdmapAtomic, FetchAddDefaults) {
  Scene scene;
  scene.converse();
  Untagged fetch_add{Opcode::atomic_request, 1, 52};
  fetch_add.header = Bytes(52, 0);
  fetch_add.header[11] = 1;
  scene.untagged(a, fetch_add);
  EXPECT_EQ(scene.only(CheckId::rdmap_atrsv).arguments[2], 0U) << "Compare Mask should be all ones";
}

TEST(RdmapImm8, EightOctets) {
  EXPECT_EQ(verdict_of(segment(Opcode::immediate, 8)), "");
  EXPECT_EQ(verdict_of(segment(Opcode::immediate, 7)), "RDMAP-IMM8");
  EXPECT_EQ(verdict_of(segment(Opcode::immediate_se, 9)), "RDMAP-IMM8");
  EXPECT_EQ(verdict_of(Scene::make(Untagged{Opcode::immediate, 2, 8, false})), "RDMAP-IMM8");
}

TEST(RdmapHeaders, UndecidableWhenCut) {
  Scene scene;
  scene.converse();
  FpduFact fact = Scene::make(Untagged{Opcode::atomic_request, 1, 52});
  fact.cut = true;
  fact.crc = CrcStatus::undecidable;
  fact.rdmap_octets = 6;
  fact.header_octets = 24;
  scene.gap(a, 46, true, GapCause::snaplen);
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::rdmap_atop, Reason::snaplen), 1U);
  EXPECT_EQ(scene.undecided(CheckId::rdmap_stag0, Reason::snaplen), 1U);
}

}  // namespace
}  // namespace iwarp::testing
