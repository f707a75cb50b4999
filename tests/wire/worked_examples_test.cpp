// Whole FPDUs as other implementations agree on them: CRC, fields, and encoding them back.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <string_view>

#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

#include "support/octets.hpp"

namespace iwarp::wire {
namespace {

using test::cat;
using test::hex;
using test::part;
using test::to_hex;

void expect_good_crc(const Bytes& fpdu) {
  ASSERT_GE(fpdu.size(), crc_size);
  const std::size_t covered = fpdu.size() - crc_size;
  EXPECT_EQ(crc32c(ByteView(fpdu).first(covered)), load_le32(fpdu.data() + covered));
  EXPECT_EQ(crc32c_portable(ByteView(fpdu).first(covered)), load_le32(fpdu.data() + covered));
}

// An FPDU without markers, taken apart.
struct Example {
  explicit Example(std::string_view digits) {
    const Bytes fpdu = hex(digits);
    expect_good_crc(fpdu);
    const std::uint32_t length = load_be16(fpdu.data());
    EXPECT_EQ(fpdu.size(), unmarked_fpdu_size(length));
    ulpdu = part(fpdu, length_field_size, length);
    EXPECT_EQ(part(fpdu, length_field_size + length, pad_size(length)), Bytes(pad_size(length)));
    const auto parsed = parse_ddp(ulpdu);
    EXPECT_TRUE(parsed);
    if (!parsed) return;
    header = *parsed;
    rest = part(ulpdu, header.size());
    EXPECT_EQ(header.ddp_version(), 1U);
    EXPECT_EQ(header.rdmap_version(), 1U);
    EXPECT_EQ(header.ddp_reserved(), 0U);
    EXPECT_EQ(header.rdmap_reserved(), 0U);
    expect_encoded({});
  }

  void expect_untagged(Opcode opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t stag = 0) const {
    EXPECT_FALSE(header.tagged());
    EXPECT_TRUE(header.last());
    EXPECT_EQ(header.opcode(), opcode);
    EXPECT_EQ(header.queue, queue);
    EXPECT_EQ(header.msn, msn);
    EXPECT_EQ(header.mo, 0U);
    EXPECT_EQ(header.stag, stag);
  }

  void expect_tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, bool last = true) const {
    EXPECT_TRUE(header.tagged());
    EXPECT_EQ(header.last(), last);
    EXPECT_EQ(header.opcode(), opcode);
    EXPECT_EQ(header.stag, stag);
    EXPECT_EQ(header.to, to);
  }

  // DDP header and `rdmap` give back the ULPDU from its start.
  void expect_encoded(const Bytes& rdmap) const {
    Bytes out;
    encode(header, out);
    out = cat(out, rdmap);
    EXPECT_EQ(to_hex(part(ulpdu, 0, out.size())), to_hex(out));
  }

  template <typename Header>
  void expect_whole(const Header& rdmap) const {
    Bytes out;
    encode(rdmap, out);
    EXPECT_EQ(out.size(), rest.size());
    expect_encoded(out);
  }

  Bytes ulpdu;
  DdpHeader header;
  Bytes rest;  // behind the DDP header
};

TEST(WorkedExampleTest, ReadyToReceiveByRead) {
  const Example request(
      "002e4141 00000000 00000001 00000001 00000000 00000000 00000000 00000000 00000000 00000001 00000000"
      "00000000 ba10e3c9");
  request.expect_untagged(Opcode::read_request, 1, 1);
  const auto read = parse_read_request(request.rest);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size, 0U);
  EXPECT_EQ(read->source_stag, 1U);
  request.expect_whole(*read);
  const Example response("000ec142 00000000 00000000 00000000 6975d6ca");
  response.expect_tagged(Opcode::read_response, 0, 0);
  EXPECT_TRUE(response.rest.empty());
}

TEST(WorkedExampleTest, ReadyToReceiveByWriteAndSend) {
  Example("000ec140 00000001 00000000 00000000 ebd34c5f").expect_tagged(Opcode::rdma_write, 1, 0);
  Example("00124143 00000000 00000000 00000001 00000000 587be8c4").expect_untagged(Opcode::send, 0, 1);
}

TEST(WorkedExampleTest, Sends) {
  const Example hello("00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c");
  hello.expect_untagged(Opcode::send, 0, 1);
  EXPECT_EQ(hello.rest, test::text("hello"));
  const Example bye("00164146 1234ab01 00000000 00000002 00000000 62796521 219dd536");
  bye.expect_untagged(Opcode::send_se_inv, 0, 2, 0x1234ab01);
  EXPECT_EQ(bye.rest, test::text("bye!"));
}

TEST(WorkedExampleTest, Write) {
  const Example write("0012c140 1234ab01 00000000 00001000 5758595a dba65249");
  write.expect_tagged(Opcode::rdma_write, 0x1234ab01, 0x1000);
  EXPECT_EQ(write.rest, test::text("WXYZ"));
}

TEST(WorkedExampleTest, ReadRequestAndResponse) {
  const Example request(
      "002e4141 00000000 00000001 00000001 00000000 00a1b202 00007f00 00001000 00000010 1234ab01 00000000"
      "00002000 9f630272");
  request.expect_untagged(Opcode::read_request, 1, 1);
  const auto read = parse_read_request(request.rest);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (ReadRequest{.sink_stag = 0x00a1b202,
                                .sink_to = 0x7f0000001000,
                                .size = 16,
                                .source_stag = 0x1234ab01,
                                .source_to = 0x2000}));
  request.expect_whole(*read);
  Example("00168142 00a1b202 00007f00 00001000 00010203 04050607 5e6f100b")
      .expect_tagged(Opcode::read_response, 0x00a1b202, 0x7f0000001000, false);
  Example("0016c142 00a1b202 00007f00 00001008 08090a0b 0c0d0e0f 5d33f581")
      .expect_tagged(Opcode::read_response, 0x00a1b202, 0x7f0000001008);
}

TEST(WorkedExampleTest, FetchAdd) {
  const Example example(
      "0046414a 00000000 00000001 00000002 00000000 00000000 a0000001 1234ab01 00000000 00001008 00000000"
      "00000005 00000000 00000000 00000000 00000000 ffffffff ffffffff 32e482c7");
  example.expect_untagged(Opcode::atomic_request, 1, 2);
  const auto request = parse_atomic_request(example.rest);
  ASSERT_TRUE(request);
  EXPECT_EQ(*request, (AtomicRequest{.reserved = 0,
                                     .operation = static_cast<std::uint8_t>(AtomicOperation::fetch_add),
                                     .request_id = 0xa0000001,
                                     .remote_stag = 0x1234ab01,
                                     .remote_to = 0x1008,
                                     .add_swap_data = 5,
                                     .add_swap_mask = 0,
                                     .compare_data = 0,
                                     .compare_mask = 0xffffffffffffffff}));
  example.expect_whole(*request);
}

TEST(WorkedExampleTest, CompareAndSwap) {
  const Example example(
      "0046414a 00000000 00000001 00000003 00000000 00000002 a0000002 1234ab01 00000000 00001010 00000000"
      "00002222 ffffffff ffffffff 00000000 00001111 ffffffff ffffffff 5f8f56f1");
  example.expect_untagged(Opcode::atomic_request, 1, 3);
  const auto request = parse_atomic_request(example.rest);
  ASSERT_TRUE(request);
  EXPECT_EQ(*request, (AtomicRequest{.reserved = 0,
                                     .operation = static_cast<std::uint8_t>(AtomicOperation::cmp_swap),
                                     .request_id = 0xa0000002,
                                     .remote_stag = 0x1234ab01,
                                     .remote_to = 0x1010,
                                     .add_swap_data = 0x2222,
                                     .add_swap_mask = 0xffffffffffffffff,
                                     .compare_data = 0x1111,
                                     .compare_mask = 0xffffffffffffffff}));
  example.expect_whole(*request);
}

TEST(WorkedExampleTest, AtomicResponse) {
  const Example example("001e414b 00000000 00000003 00000001 00000000 a0000001 00000000 00000025 854caf6d");
  example.expect_untagged(Opcode::atomic_response, 3, 1);
  const auto response = parse_atomic_response(example.rest);
  ASSERT_TRUE(response);
  EXPECT_EQ(*response, (AtomicResponse{.original_request_id = 0xa0000001, .original_remote_data = 0x25}));
  example.expect_whole(*response);
}

TEST(WorkedExampleTest, Immediate) {
  const Example example("001a4148 00000000 00000000 00000001 00000000 11223344 55667788 fa7ee097");
  example.expect_untagged(Opcode::immediate, 0, 1);
  EXPECT_EQ(example.rest.size(), immediate_size);
  const auto data = parse_immediate(example.rest);
  ASSERT_TRUE(data);
  EXPECT_EQ(*data, 0x1122334455667788U);
}

TEST(WorkedExampleTest, TerminateForAReadRequest) {
  const Example offending(
      "002e4141 00000000 00000001 00000002 00000000 00a1b202 00007f00 00002000 00000040 deadbe00 00000000"
      "00000000 5f84ab04");
  const Example example(
      "00464147 00000000 00000002 00000001 00000000 0100e000 002e4141 00000000 00000001 00000002 00000000"
      "00a1b202 00007f00 00002000 00000040 deadbe00 00000000 00000000 a695261d");
  example.expect_untagged(Opcode::terminate, 2, 1);
  const auto terminate = parse_terminate(example.rest);
  ASSERT_TRUE(terminate);
  EXPECT_EQ(terminate->raw, 0x0100e000U);
  EXPECT_EQ(terminate->bit_order, BitOrder::rfc);
  EXPECT_EQ(terminate->meant, (TerminateCode{.layer = 0, .etype = 1, .code = 0}));
  EXPECT_TRUE(terminate->length_valid && terminate->has_ddp_header && terminate->has_rdma_header);
  EXPECT_EQ(terminate->ddp_segment_length, 46);
  EXPECT_EQ(terminate->ddp_header, offending.header);
  ASSERT_TRUE(terminate->read_request);
  EXPECT_EQ(*terminate->read_request, *parse_read_request(offending.rest));
  EXPECT_EQ(terminate->leftover, 0U);
  example.expect_whole(*terminate);
}

TEST(WorkedExampleTest, TerminatesOfDdpAndMpa) {
  const Example tagged(
      "00264147 00000000 00000002 00000001 00000000 1100c000 0016c140 bad00001 00000000 00000010 3b98bdfa");
  const auto stag = parse_terminate(tagged.rest);
  ASSERT_TRUE(stag);
  EXPECT_EQ(stag->meant.value(), 0x1100);
  EXPECT_EQ(stag->ddp_segment_length, 22);
  ASSERT_TRUE(stag->ddp_header);
  EXPECT_EQ(stag->ddp_header->stag, 0xbad00001U);
  EXPECT_EQ(stag->ddp_header->to, 0x10U);
  tagged.expect_whole(*stag);

  const Example untagged(
      "002a4147 00000000 00000002 00000001 00000000 1202c000 00224143 00000000 00000000 00000009 00000000"
      "5fef842d");
  const auto buffer = parse_terminate(untagged.rest);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->meant.value(), 0x1202);
  ASSERT_TRUE(buffer->ddp_header);
  EXPECT_EQ(buffer->ddp_header->msn, 9U);
  untagged.expect_whole(*buffer);

  const Example crc("00164147 00000000 00000002 00000001 00000000 20020000 7fe42585");
  const auto mpa = parse_terminate(crc.rest);
  ASSERT_TRUE(mpa);
  EXPECT_EQ(mpa->meant.value(), 0x2002);
  EXPECT_FALSE(mpa->ddp_segment_length || mpa->ddp_header || mpa->read_request);
  crc.expect_whole(*mpa);
}

// Markers stand outside the ULPDU and inside the CRC.
TEST(WorkedExampleTest, MarkedFpdus) {
  const Bytes first = hex("00000000 00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 7a61e971");
  expect_good_crc(first);
  EXPECT_EQ(first.size(), unmarked_fpdu_size(0x17) + marker_count(unmarked_fpdu_size(0x17), 0) * marker_size);
  EXPECT_EQ(parse_ddp(part(first, 6))->opcode(), Opcode::send);

  const Bytes figure5 = hex("00000000 002a4143 00000000 00000000 00000001 00000000 24*00 52239983");
  expect_good_crc(figure5);
  EXPECT_EQ(figure5.size(), unmarked_fpdu_size(0x2a) + marker_size);

  const Bytes figure6 = hex("002a4143 00000000 00000000 00000002 00000000 00000014 24*00 84925898");
  expect_good_crc(figure6);
  EXPECT_EQ(figure6.size(),
            unmarked_fpdu_size(0x2a) + marker_count(unmarked_fpdu_size(0x2a), 0x1ec) * marker_size);
  EXPECT_EQ(parse_ddp(part(figure6, 2))->msn, 2U);

  // At stream offset 2532: the marker stands between PAD and CRC.
  const Bytes last = hex("00174143 00000000 00000000 00000005 00000000 31323334 35000000 0000001c 8eee5aef");
  expect_good_crc(last);
  EXPECT_EQ(marker_count(unmarked_fpdu_size(0x17), 2532 % marker_interval), 1U);
}

// The generator's streams have CRCs that this library finds right, wherever markers fall.
TEST(WorkedExampleTest, GeneratedMarkedFpdus) {
  for (std::uint64_t phase = 0; phase < 512; phase += 4) {
    test::FpduStream stream(test::Markers::on, phase);
    for (const std::size_t size : {0U, 5U, 480U, 1436U, 5000U}) {
      expect_good_crc(stream.add(test::send(1, test::pattern(size))));
    }
  }
}

}  // namespace
}  // namespace iwarp::wire
