// RDMAP headers of fixed size: fields in their places, and every length below their own.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/rdmap.hpp>

#include <gtest/gtest.h>

#include <string>

#include "support/octets.hpp"

namespace iwarp::wire {
namespace {

using test::hex;
using test::to_hex;

template <typename Header>
std::string encoded(const Header& header) {
  Bytes out = hex("ee");  // encode() appends
  encode(header, out);
  return to_hex(ByteView(out).subspan(1));
}

TEST(ReadRequestTest, HasSinkFirstAndSourceLast) {
  const Bytes octets = hex("00a1b202 00007f0000001000 00000010 1234ab01 8877665544332211");
  const auto request = parse_read_request(octets);
  ASSERT_TRUE(request);
  EXPECT_EQ(*request, (ReadRequest{.sink_stag = 0x00a1b202,
                                   .sink_to = 0x7f0000001000,
                                   .size = 16,
                                   .source_stag = 0x1234ab01,
                                   .source_to = 0x8877665544332211}));
  EXPECT_EQ(encoded(*request), to_hex(octets));
}

TEST(AtomicRequestTest, SplitsReservedBitsAndOperation) {
  const Bytes octets =
      hex("abcdef12 a0000001 1234ab01 0102030405060708 1112131415161718 2122232425262728 3132333435363738 "
          "4142434445464748");
  const auto request = parse_atomic_request(octets);
  ASSERT_TRUE(request);
  EXPECT_EQ(*request, (AtomicRequest{.reserved = 0xabcdef1,
                                     .operation = 2,
                                     .request_id = 0xa0000001,
                                     .remote_stag = 0x1234ab01,
                                     .remote_to = 0x0102030405060708,
                                     .add_swap_data = 0x1112131415161718,
                                     .add_swap_mask = 0x2122232425262728,
                                     .compare_data = 0x3132333435363738,
                                     .compare_mask = 0x4142434445464748}));
  EXPECT_EQ(encoded(*request), to_hex(octets));
}

TEST(AtomicResponseTest, IsTwelveOctets) {
  const Bytes octets = hex("a0000001 0000000000000025");
  const auto response = parse_atomic_response(octets);
  ASSERT_TRUE(response);
  EXPECT_EQ(*response, (AtomicResponse{.original_request_id = 0xa0000001, .original_remote_data = 0x25}));
  EXPECT_EQ(encoded(*response), to_hex(octets));
}

TEST(ImmediateTest, IsBigEndian) {
  const auto data = parse_immediate(hex("1122334455667788"));
  ASSERT_TRUE(data);
  EXPECT_EQ(*data, 0x1122334455667788U);
}

template <typename Parse>
void expect_size(Parse parse, std::size_t size) {
  const Bytes octets = test::pattern(size + 4);
  for (std::size_t length = 0; length < size; ++length) {
    const auto parsed = parse(ByteView(octets).first(length));
    ASSERT_FALSE(parsed) << length;
    EXPECT_EQ(parsed.error().offset, length);
    EXPECT_NE(std::string(parsed.error().reason).find("cut short"), std::string::npos);
  }
  EXPECT_TRUE(parse(ByteView(octets).first(size)));
  EXPECT_TRUE(parse(octets));
}

TEST(RdmapHeaderTest, IsCutShortBelowItsSize) {
  expect_size(parse_read_request, 28);
  expect_size(parse_atomic_request, 52);
  expect_size(parse_atomic_response, 12);
  expect_size(parse_immediate, 8);
  expect_size([](ByteView octets) { return parse_terminate(octets); }, 4);
}

TEST(RdmapHeaderTest, HasASizeByOpcode) {
  EXPECT_EQ(rdmap_header_size(Opcode::rdma_write), 0U);
  EXPECT_EQ(rdmap_header_size(Opcode::send), 0U);
  EXPECT_EQ(rdmap_header_size(Opcode::terminate), 0U);
  EXPECT_EQ(rdmap_header_size(Opcode::read_request), 28U);
  EXPECT_EQ(rdmap_header_size(Opcode::immediate), 8U);
  EXPECT_EQ(rdmap_header_size(Opcode::immediate_se), 8U);
  EXPECT_EQ(rdmap_header_size(Opcode::atomic_request), 52U);
  EXPECT_EQ(rdmap_header_size(Opcode::atomic_response), 12U);
}

}  // namespace
}  // namespace iwarp::wire
