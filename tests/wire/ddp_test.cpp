// DDP headers: every field in its place, every length below the header's own, names of opcodes.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/ddp.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/octets.hpp"

namespace iwarp::wire {
namespace {

using test::hex;
using test::to_hex;

std::string encoded(const DdpHeader& header) {
  Bytes out;
  encode(header, out);
  return to_hex(out);
}

TEST(DdpHeaderTest, ReadsTagged) {
  const Bytes octets = hex("c140 1234ab01 0011223344556677 deadbeef");
  const auto header = parse_ddp(octets);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->tagged());
  EXPECT_TRUE(header->last());
  EXPECT_EQ(header->ddp_reserved(), 0U);
  EXPECT_EQ(header->ddp_version(), 1U);
  EXPECT_EQ(header->rdmap_version(), 1U);
  EXPECT_EQ(header->rdmap_reserved(), 0U);
  EXPECT_EQ(header->opcode(), Opcode::rdma_write);
  EXPECT_EQ(header->stag, 0x1234ab01U);
  EXPECT_EQ(header->to, 0x0011223344556677U);
  EXPECT_EQ(header->size(), 14U);
  EXPECT_EQ(encoded(*header), to_hex(ByteView(octets).first(14)));
}

TEST(DdpHeaderTest, ReadsUntagged) {
  const Bytes octets = hex("0144 1234ab01 00000003 00000002 00000400");
  const auto header = parse_ddp(octets);
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->tagged());
  EXPECT_FALSE(header->last());
  EXPECT_EQ(header->opcode(), Opcode::send_inv);
  EXPECT_EQ(header->stag, 0x1234ab01U);
  EXPECT_EQ(header->queue, 3U);
  EXPECT_EQ(header->msn, 2U);
  EXPECT_EQ(header->mo, 0x400U);
  EXPECT_EQ(header->size(), 18U);
  EXPECT_EQ(encoded(*header), to_hex(octets));
}

TEST(DdpHeaderTest, JudgesNothing) {
  const auto header = parse_ddp(hex("be bf 00000000 ffffffff ffffffff ffffffff"));
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->tagged());
  EXPECT_FALSE(header->last());
  EXPECT_EQ(header->ddp_reserved(), 0x3cU);
  EXPECT_EQ(header->ddp_version(), 2U);
  EXPECT_EQ(header->rdmap_version(), 2U);
  EXPECT_EQ(header->rdmap_reserved(), 0x30U);
  EXPECT_EQ(static_cast<unsigned>(header->opcode()), 15U);
}

TEST(DdpHeaderTest, KeepsEveryControlOctet) {
  for (unsigned ddp = 0; ddp < 256; ++ddp) {
    for (unsigned rdmap = 0; rdmap < 256; ++rdmap) {
      Bytes octets = test::pattern(18, ddp);
      octets[0] = static_cast<Byte>(ddp);
      octets[1] = static_cast<Byte>(rdmap);
      const auto header = parse_ddp(octets);
      ASSERT_TRUE(header);
      ASSERT_EQ(encoded(*header), to_hex(ByteView(octets).first(header->size())));
    }
  }
}

TEST(DdpHeaderTest, IsCutShortBelowItsSize) {
  for (const char* digits : {"c140 17*11", "4143 17*11"}) {
    const Bytes octets = hex(digits);
    const std::size_t size = parse_ddp(octets)->size();
    for (std::size_t length = 0; length < size; ++length) {
      const auto header = parse_ddp(ByteView(octets).first(length));
      ASSERT_FALSE(header) << length;
      EXPECT_STREQ(header.error().reason, "DDP header is cut short");
      EXPECT_EQ(header.error().offset, length);
    }
    EXPECT_TRUE(parse_ddp(ByteView(octets).first(size)));
  }
}

TEST(OpcodeTest, HasNames) {
  std::set<std::string> names;
  for (unsigned value = 0; value < 12; ++value) {
    const auto opcode = static_cast<Opcode>(value);
    EXPECT_TRUE(is_known(opcode));
    EXPECT_TRUE(names.insert(opcode_name(opcode)).second);
    EXPECT_STRNE(opcode_title(opcode), "unknown opcode");
  }
  EXPECT_STREQ(opcode_name(Opcode::send_se_inv), "send_se_inv");
  EXPECT_STREQ(opcode_name(Opcode::atomic_response), "atomic_response");
  EXPECT_STREQ(opcode_title(Opcode::rdma_write), "RDMA Write");
  EXPECT_STREQ(opcode_title(Opcode::read_request), "RDMA Read Request");
  for (unsigned value = 12; value < 16; ++value) {
    EXPECT_FALSE(is_known(static_cast<Opcode>(value)));
    EXPECT_STREQ(opcode_name(static_cast<Opcode>(value)), "unknown");
    EXPECT_STREQ(opcode_title(static_cast<Opcode>(value)), "unknown opcode");
  }
}

TEST(OpcodeTest, BelongsToItsQueue) {
  EXPECT_TRUE(is_tagged(Opcode::rdma_write));
  EXPECT_TRUE(is_tagged(Opcode::read_response));
  EXPECT_EQ(queue_of(Opcode::send), 0U);
  EXPECT_EQ(queue_of(Opcode::immediate_se), 0U);
  EXPECT_EQ(queue_of(Opcode::read_request), 1U);
  EXPECT_EQ(queue_of(Opcode::atomic_request), 1U);
  EXPECT_EQ(queue_of(Opcode::terminate), 2U);
  EXPECT_EQ(queue_of(Opcode::atomic_response), 3U);
}

}  // namespace
}  // namespace iwarp::wire
