// Terminate: the code registry row by row, both orders of the control word, and every form by its length.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include <iwarp/wire/rdmap.hpp>

#include "support/octets.hpp"

namespace iwarp::wire {
namespace {

using test::about;
using test::cat;
using test::hex;
using test::part;
using test::to_hex;
using test::zeros;

// The octets behind the DDP header of a Terminate.
Bytes body(unsigned code, const test::Terminate& fields = {}) {
  return part(test::terminate(code, fields), untagged_header_size);
}

Terminate parsed(const Bytes& octets, std::optional<BitOrder> order = std::nullopt) {
  const auto result = parse_terminate(octets, order);
  EXPECT_TRUE(result);
  return result ? *result : Terminate{};
}

std::string encoded(const Terminate& terminate) {
  Bytes out;
  encode(terminate, out);
  return to_hex(out);
}

const Bytes read_request_ulpdu = test::read_request(2, {.sink_stag = 0x00a1b202,
                                                        .sink_to = 0x7f0000002000,
                                                        .size = 64,
                                                        .source_stag = 0xdeadbe00,
                                                        .source_to = 9});

// --- codes -----------------------------------------------------------------------------------------------

struct Row {
  TerminateOrigin origin;
  std::string name;
};

// RFC 6580 §3.1 to §3.3, RFC 6581 §12, Verbs 1.0 figure 24 where it departs, and layer 2 type 3 as sent by
// drivers.
const std::map<unsigned, Row> rows = {
    {0x0100, {TerminateOrigin::iana, "remote protection: invalid STag"}},
    {0x0101, {TerminateOrigin::iana, "remote protection: base or bounds violation"}},
    {0x0102, {TerminateOrigin::iana, "remote protection: access rights violation"}},
    {0x0103, {TerminateOrigin::iana, "remote protection: STag not associated with RDMAP stream"}},
    {0x0104, {TerminateOrigin::iana, "remote protection: TO wrap"}},
    {0x0109, {TerminateOrigin::iana, "remote protection: STag cannot be invalidated"}},
    {0x01ff, {TerminateOrigin::iana, "remote protection: unspecified error"}},
    {0x0202, {TerminateOrigin::verbs, "MPA: CRC error"}},
    {0x0203, {TerminateOrigin::verbs, "MPA: marker and ULPDU_Length mismatch"}},
    {0x0205, {TerminateOrigin::iana, "remote operation: invalid RDMAP version"}},
    {0x0206, {TerminateOrigin::iana, "remote operation: unexpected opcode"}},
    {0x0207, {TerminateOrigin::iana, "remote operation: catastrophic error, localized to RDMAP stream"}},
    {0x0208, {TerminateOrigin::iana, "remote operation: catastrophic error, global"}},
    {0x0209, {TerminateOrigin::iana, "remote operation: STag cannot be invalidated"}},
    {0x02ff, {TerminateOrigin::iana, "remote operation: unspecified error"}},
    {0x1000, {TerminateOrigin::iana, "DDP: local catastrophic error"}},
    {0x1100, {TerminateOrigin::iana, "tagged: invalid STag"}},
    {0x1101, {TerminateOrigin::iana, "tagged: base or bounds violation"}},
    {0x1102, {TerminateOrigin::iana, "tagged: STag not associated with DDP stream"}},
    {0x1103, {TerminateOrigin::iana, "tagged: TO wrap"}},
    {0x1104, {TerminateOrigin::iana, "tagged: invalid DDP version"}},
    {0x1201, {TerminateOrigin::iana, "untagged: invalid QN"}},
    {0x1202, {TerminateOrigin::iana, "untagged: invalid MSN, no buffer available"}},
    {0x1203, {TerminateOrigin::iana, "untagged: invalid MSN, range is not valid"}},
    {0x1204, {TerminateOrigin::iana, "untagged: invalid MO"}},
    {0x1205, {TerminateOrigin::iana, "untagged: message too long for available buffer"}},
    {0x1206, {TerminateOrigin::iana, "untagged: invalid DDP version"}},
    {0x2001, {TerminateOrigin::iana, "MPA: TCP connection closed, terminated or lost"}},
    {0x2002, {TerminateOrigin::iana, "MPA: CRC error"}},
    {0x2003, {TerminateOrigin::iana, "MPA: marker and ULPDU_Length mismatch"}},
    {0x2004, {TerminateOrigin::iana, "MPA: invalid Request or Reply frame"}},
    {0x2005, {TerminateOrigin::iana, "MPA: local catastrophic error"}},
    {0x2006, {TerminateOrigin::iana, "MPA: insufficient IRD resources"}},
    {0x2007, {TerminateOrigin::iana, "MPA: no matching RTR option"}},
    {0x2301, {TerminateOrigin::vendor, "MPA: TCP connection closed, terminated or lost"}},
    {0x2302, {TerminateOrigin::vendor, "MPA: CRC error"}},
    {0x2303, {TerminateOrigin::vendor, "MPA: marker and ULPDU_Length mismatch"}},
    {0x2304, {TerminateOrigin::vendor, "MPA: invalid Request or Reply frame"}},
    {0x2305, {TerminateOrigin::vendor, "MPA: local catastrophic error"}},
    {0x2306, {TerminateOrigin::vendor, "MPA: insufficient IRD resources"}},
    {0x2307, {TerminateOrigin::vendor, "MPA: no matching RTR option"}},
};

TEST(TerminateCodeTest, IsRegisteredAsTheTableSays) {
  for (unsigned value = 0; value <= 0xffff; ++value) {
    const TerminateCodeInfo info = describe_terminate(static_cast<std::uint16_t>(value));
    const auto row = rows.find(value);
    if (value >> 8U == 0x00) {
      ASSERT_STREQ(info.name, "RDMAP: local catastrophic error");
      ASSERT_EQ(info.origin, TerminateOrigin::iana);
    } else if (value >> 8U == 0x13) {
      ASSERT_STREQ(info.name, "DDP: reserved for the LLP");
      ASSERT_EQ(info.origin, TerminateOrigin::iana);
    } else if (row != rows.end()) {
      ASSERT_EQ(info.name, row->second.name);
      ASSERT_EQ(info.origin, row->second.origin) << row->second.name;
    } else {
      ASSERT_STREQ(info.name, "unregistered code") << value;
      ASSERT_EQ(info.origin, TerminateOrigin::unregistered);
    }
  }
}

TEST(TerminateCodeTest, IsMadeOfLayerTypeAndCode) {
  EXPECT_EQ((TerminateCode{.layer = 1, .etype = 2, .code = 3}.value()), 0x1203);
  EXPECT_EQ((TerminateCode{.layer = 2, .etype = 0, .code = 0xff}.value()), 0x20ff);
}

// --- order of the control word -----------------------------------------------------------------------------

TEST(TerminateOrderTest, IsToldByTheThirdOctet) {
  const Terminate read = parsed(hex("10 00 07 00"));
  EXPECT_EQ(read.bit_order, BitOrder::siw);
  EXPECT_EQ(read.raw, 0x10000700U);
  EXPECT_EQ(read.meant.value(), 0x0100);
  EXPECT_TRUE(read.length_valid && read.has_ddp_header && read.has_rdma_header);

  const Terminate send = parsed(hex("21 02 03 00"));
  EXPECT_EQ(send.bit_order, BitOrder::siw);
  EXPECT_EQ(send.meant, (TerminateCode{.layer = 1, .etype = 2, .code = 2}));
  EXPECT_TRUE(send.length_valid && send.has_ddp_header);
  EXPECT_FALSE(send.has_rdma_header);

  const Terminate rfc = parsed(hex("01 00 e0 00"));
  EXPECT_EQ(rfc.bit_order, BitOrder::rfc);
  EXPECT_EQ(rfc.meant.value(), 0x0100);
  EXPECT_TRUE(rfc.length_valid && rfc.has_ddp_header && rfc.has_rdma_header);

  // Even where the code is registered only the other way.
  EXPECT_EQ(parsed(hex("21 02 80 00")).bit_order, BitOrder::rfc);
  EXPECT_EQ(parsed(hex("12 02 01 00")).bit_order, BitOrder::siw);
}

TEST(TerminateOrderTest, IsToldByTheCodeWhereTheThirdOctetIsSilent) {
  // LLP, CRC from siw; in RFC order Verbs' code for the same, which IANA does not register.
  EXPECT_EQ(parsed(hex("02 02 00 00")).bit_order, BitOrder::siw);
  EXPECT_EQ(parsed(hex("02 02 00 00")).meant.value(), 0x2002);
  EXPECT_EQ(parsed(hex("02 02 00 00"), BitOrder::rfc).meant.value(), 0x0202);
  EXPECT_EQ(parsed(hex("02 03 00 00")).meant.value(), 0x2003);
  // Read the other way these are nothing.
  EXPECT_EQ(parsed(hex("23 02 00 00")).meant.value(), 0x2302);
  EXPECT_EQ(parsed(hex("20 02 00 00")).meant.value(), 0x2002);
  // Only siw's reading is registered: 2001, 1202.
  EXPECT_EQ(parsed(hex("02 01 00 00")).bit_order, BitOrder::siw);
  EXPECT_EQ(parsed(hex("02 01 00 00")).meant.value(), 0x2001);
  EXPECT_EQ(parsed(hex("21 02 00 00")).bit_order, BitOrder::siw);
  // Neither, both, or the same.
  EXPECT_EQ(parsed(hex("45 67 00 00")).bit_order, BitOrder::rfc);
  EXPECT_EQ(parsed(hex("10 00 00 00")).bit_order, BitOrder::rfc);
  EXPECT_EQ(parsed(hex("11 00 00 00")).bit_order, BitOrder::rfc);
  EXPECT_EQ(parsed(hex("00 ff 00 00")).bit_order, BitOrder::rfc);
  // Bits of both kinds, and bits of neither.
  EXPECT_EQ(parsed(hex("21 02 83 00")).bit_order, BitOrder::siw);
  EXPECT_EQ(parsed(hex("12 02 83 00")).bit_order, BitOrder::rfc);
  EXPECT_EQ(parsed(hex("12 02 18 ff")).bit_order, BitOrder::rfc);
}

TEST(TerminateOrderTest, CanBeGiven) {
  const Terminate rfc = parsed(hex("10 00 07 00"), BitOrder::rfc);
  EXPECT_EQ(rfc.bit_order, BitOrder::rfc);
  EXPECT_EQ(rfc.meant.value(), 0x1000);
  EXPECT_FALSE(rfc.length_valid || rfc.has_ddp_header || rfc.has_rdma_header);
  const Terminate siw = parsed(hex("12 02 c0 00"), BitOrder::siw);
  EXPECT_EQ(siw.meant.value(), 0x2102);
  EXPECT_FALSE(siw.length_valid || siw.has_ddp_header);
}

TEST(TerminateOrderTest, EachControlBitCountsAlone) {
  for (const auto& [octet, m, d, r] : {std::array{0x80, 1, 0, 0},
                                       {0x40, 0, 1, 0},
                                       {0x20, 0, 0, 1},
                                       {0x01, 1, 0, 0},
                                       {0x02, 0, 1, 0},
                                       {0x04, 0, 0, 1}}) {
    const Terminate terminate = parsed({0x11, 0x00, static_cast<Byte>(octet), 0x00});
    EXPECT_EQ(terminate.bit_order, octet >= 0x20 ? BitOrder::rfc : BitOrder::siw);
    EXPECT_EQ(terminate.length_valid, m == 1);
    EXPECT_EQ(terminate.has_ddp_header, d == 1);
    EXPECT_EQ(terminate.has_rdma_header, r == 1);
  }
}

// --- forms by length ---------------------------------------------------------------------------------------

TEST(TerminateFormTest, HasReadRequestHeader) {
  const Bytes octets = body(0x0100, about(read_request_ulpdu, true));
  ASSERT_EQ(octets.size(), 52U);
  const Terminate terminate = parsed(octets);
  EXPECT_EQ(terminate.ddp_segment_length, 46);
  ASSERT_TRUE(terminate.ddp_header);
  EXPECT_EQ(terminate.ddp_header->opcode(), Opcode::read_request);
  EXPECT_EQ(terminate.ddp_header->queue, 1U);
  EXPECT_EQ(terminate.ddp_header->msn, 2U);
  EXPECT_EQ(terminate.read_request, (ReadRequest{.sink_stag = 0x00a1b202,
                                                 .sink_to = 0x7f0000002000,
                                                 .size = 64,
                                                 .source_stag = 0xdeadbe00,
                                                 .source_to = 9}));
  EXPECT_EQ(terminate.leftover, 0U);
  EXPECT_EQ(encoded(terminate), to_hex(octets));
}

// siw sets R for a Send with Invalidate and adds no RDMA header.
TEST(TerminateFormTest, BelievesLengthRatherThanR) {
  test::Terminate fields = about(test::send_inv(5, 0x77, zeros(10)));
  fields.r = true;
  const Terminate terminate = parsed(body(0x0109, fields));
  EXPECT_TRUE(terminate.has_rdma_header);
  ASSERT_TRUE(terminate.ddp_header);
  EXPECT_EQ(terminate.ddp_header->stag, 0x77U);
  EXPECT_FALSE(terminate.read_request);
  EXPECT_EQ(terminate.leftover, 0U);
  EXPECT_EQ(encoded(terminate), to_hex(body(0x0109, fields)));

  test::Terminate silent = about(read_request_ulpdu, true);
  silent.r = false;
  silent.m = false;
  silent.d = false;
  const Terminate told_by_octets = parsed(body(0x0100, silent));
  EXPECT_EQ(told_by_octets.ddp_segment_length, 46);
  EXPECT_TRUE(told_by_octets.ddp_header);
  EXPECT_TRUE(told_by_octets.read_request);
}

TEST(TerminateFormTest, TakesHeaderSizeFromItsOwnTBit) {
  const Bytes write = test::write(0xbad00001, 0x10, zeros(8));
  const Bytes send = test::send(9, zeros(16));
  for (const unsigned code : {0x1100U, 0x0206U, 0x0102U}) {
    const Terminate tagged = parsed(body(code, about(write)));
    EXPECT_EQ(tagged.meant.value(), code);
    EXPECT_EQ(tagged.ddp_segment_length, 22);
    ASSERT_TRUE(tagged.ddp_header);
    EXPECT_EQ(tagged.ddp_header->stag, 0xbad00001U);
    EXPECT_EQ(tagged.ddp_header->to, 0x10U);
    EXPECT_EQ(tagged.leftover, 0U);
    EXPECT_EQ(encoded(tagged), to_hex(body(code, about(write))));
  }
  for (const unsigned code : {0x1202U, 0x0206U, 0x1101U}) {
    const Terminate untagged = parsed(body(code, about(send)));
    ASSERT_TRUE(untagged.ddp_header);
    EXPECT_EQ(untagged.ddp_header->msn, 9U);
    EXPECT_EQ(untagged.ddp_segment_length, 34);
    EXPECT_EQ(untagged.leftover, 0U);
    EXPECT_EQ(encoded(untagged), to_hex(body(code, about(send))));
  }
}

TEST(TerminateFormTest, ParsesWhatFitsWhereTheTBitDisagrees) {
  // Room for a tagged header, T clear: nothing fits.
  const Terminate short_room = parsed(cat(hex("1202 c000 0022"), hex("4143 12*55")));
  EXPECT_EQ(short_room.ddp_segment_length, 0x22);
  EXPECT_FALSE(short_room.ddp_header);
  EXPECT_EQ(short_room.leftover, 14U);
  // Room for an untagged header, T set: the tagged header fits.
  const Terminate long_room = parsed(cat(hex("1100 c000 0016"), hex("c140 16*55")));
  ASSERT_TRUE(long_room.ddp_header);
  EXPECT_EQ(long_room.ddp_header->stag, 0x55555555U);
  EXPECT_EQ(long_room.leftover, 4U);
  // Enough for an RDMA header behind a tagged one: only with R.
  const Bytes tail = cat(hex("c140 12*55"), test::pattern(28));
  EXPECT_FALSE(parsed(cat(hex("1100 c000 0016"), tail)).read_request);
  EXPECT_EQ(parsed(cat(hex("1100 c000 0016"), tail)).leftover, 28U);
  EXPECT_TRUE(parsed(cat(hex("1100 e000 0016"), tail)).read_request);
  EXPECT_EQ(parsed(cat(hex("1100 e000 0016"), tail)).leftover, 0U);
}

TEST(TerminateFormTest, MayBeEmptyOrLengthOnly) {
  const Terminate empty = parsed(body(0x2002));
  EXPECT_FALSE(empty.ddp_segment_length || empty.ddp_header || empty.read_request);
  EXPECT_EQ(empty.leftover, 0U);
  EXPECT_EQ(encoded(empty), "20020000");

  const Bytes length_only = body(0x0207, {.m = true, .length = 1234});
  ASSERT_EQ(length_only.size(), 6U);
  const Terminate terminate = parsed(length_only);
  EXPECT_EQ(terminate.ddp_segment_length, 1234);
  EXPECT_FALSE(terminate.ddp_header);
  EXPECT_EQ(terminate.leftover, 0U);
  EXPECT_EQ(encoded(terminate), to_hex(length_only));
}

TEST(TerminateFormTest, ShowsOddRests) {
  EXPECT_EQ(parsed(hex("2002 0000 aa")).leftover, 1U);
  EXPECT_EQ(parsed(hex("2002 8000 0010 aa")).leftover, 1U);
  const Bytes full = body(0x0100, about(read_request_ulpdu, true));
  EXPECT_EQ(parsed(cat(full, hex("aa"))).leftover, 1U);
  EXPECT_EQ(parsed(part(full, 0, 51)).leftover, 27U);
  EXPECT_FALSE(parsed(part(full, 0, 51)).read_request);
}

// How many octets were sent tells that a Read Request was, however many of them are there.
TEST(TerminateFormTest, ShowsThePartOfACutReadRequest) {
  const Bytes full = body(0x0100, about(read_request_ulpdu, true));
  const std::size_t header = full.size() - read_request_size;
  for (std::size_t octets = 0; octets < read_request_size; ++octets) {
    const auto cut = parse_terminate(part(full, 0, header + octets), std::nullopt, full.size());
    ASSERT_TRUE(cut && cut->cut_request) << octets;
    EXPECT_EQ(cut->cut_request->octets, octets);
    EXPECT_FALSE(cut->read_request) << octets;
    EXPECT_EQ(cut->leftover, 0U) << octets;
  }
  const auto whole = parse_terminate(full, std::nullopt, full.size());
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->read_request && !whole->cut_request);
  // No control bit vouches for these zeros: they may be fill.
  const Bytes atomic = body(0x0207, about(test::fetch_add(4, {.id = 1, .stag = 2, .to = 4})));
  const auto fill = parse_terminate(cat(atomic, zeros(10)), std::nullopt, atomic.size() + read_request_size);
  ASSERT_TRUE(fill && fill->cut_request);
  EXPECT_EQ(fill->cut_request->octets, 0U);
}

TEST(TerminateFormTest, AcceptsZeroFill) {
  for (const std::size_t octets : {2U, 16U, 20U, 48U}) {
    const Terminate terminate = parsed(cat(hex("2002 0000"), zeros(octets)));
    EXPECT_FALSE(terminate.ddp_segment_length) << octets;
    EXPECT_FALSE(terminate.ddp_header) << octets;
    EXPECT_FALSE(terminate.read_request) << octets;
    EXPECT_EQ(terminate.leftover, 0U) << octets;
  }
  EXPECT_EQ(parsed(cat(hex("2002 0000"), zeros(49))).leftover, 1U);
}

// RFC 7306 §8.1: "the Terminated RDMA Header field is set to zero".
TEST(TerminateFormTest, AcceptsZeroFillBehindAHeader) {
  const Bytes atomic = test::fetch_add(4, {.id = 1, .stag = 2, .to = 4});
  const Terminate terminate = parsed(cat(body(0x0207, about(atomic)), zeros(28)));
  EXPECT_EQ(terminate.ddp_segment_length, 70);
  EXPECT_TRUE(terminate.ddp_header);
  EXPECT_FALSE(terminate.read_request);
  EXPECT_EQ(terminate.leftover, 0U);
  const Terminate length_only = parsed(cat(hex("0207 8000 0046"), zeros(46)));
  EXPECT_EQ(length_only.ddp_segment_length, 70);
  EXPECT_FALSE(length_only.ddp_header || length_only.read_request);
}

TEST(TerminateFormTest, TakesZerosThatAControlBitVouchesFor) {
  const Terminate header = parsed(cat(hex("1100 c000"), zeros(20)));
  EXPECT_EQ(header.ddp_segment_length, 0);
  EXPECT_EQ(header.ddp_header, DdpHeader{});
  const Terminate request = parsed(cat(hex("0100 e000"), zeros(48)));
  EXPECT_EQ(request.read_request, ReadRequest{});
}

TEST(TerminateEncodeTest, FillsTheFieldsBeforeTheOneThatIsSet) {
  Terminate terminate;
  terminate.meant = {.layer = 0, .etype = 1, .code = 0};
  terminate.has_rdma_header = true;
  terminate.read_request =
      ReadRequest{.sink_stag = 1, .sink_to = 2, .size = 3, .source_stag = 4, .source_to = 5};
  Bytes out;
  encode(terminate, out);
  ASSERT_EQ(out.size(), 52U);
  EXPECT_EQ(to_hex(part(out, 0, 28)), to_hex(hex("0100 2000 0000 18*00 00000001")));
}

TEST(TerminateEncodeTest, TurnsSiwOrderIntoRfcOrder) {
  test::Terminate fields = about(read_request_ulpdu, true);
  fields.layout = test::TerminateLayout::siw;
  const Terminate terminate = parsed(body(0x0100, fields));
  EXPECT_EQ(terminate.bit_order, BitOrder::siw);
  EXPECT_EQ(encoded(terminate), to_hex(body(0x0100, about(read_request_ulpdu, true))));
}

}  // namespace
}  // namespace iwarp::wire
