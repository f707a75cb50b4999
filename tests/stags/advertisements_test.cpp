// What ULPs' messages advertise, from octets written down field by field.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/octets.hpp"
#include "ulp/advertisements.hpp"

namespace iwarp::test {
namespace {

using ulp::Mentions;

struct Told {
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
  std::uint64_t length = 0;

  bool operator==(const Told&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Told& told) {
  return out << std::hex << told.stag << ' ' << told.to << ' ' << told.length;
}

// The numbers stand where they are said to stand.
bool stands_in(const Bytes& send, const StagMention& mention) {
  const auto number = [&](std::size_t at, std::size_t size) {
    Bytes octets = part(send, at, size);
    if (mention.form == StagForm::little_endian) std::ranges::reverse(octets);
    std::uint64_t value = 0;
    for (const Byte each : octets) value = value << 8U | each;
    return value;
  };
  if (number(mention.offset, 4) != mention.stag) return false;
  if (mention.to_offset && number(*mention.to_offset, 8) != mention.to) return false;
  return !mention.length_offset || number(*mention.length_offset, mention.length_size) == mention.length;
}

template <typename Reader>
std::vector<Told> told_by(Reader reader, const Bytes& send) {
  Mentions found;
  EXPECT_TRUE(reader(send, found));
  std::vector<Told> told;
  for (const StagMention& each : found) {
    if (each.by_owner) told.push_back({each.stag, each.to, each.length.value_or(~std::uint64_t{0})});
    EXPECT_TRUE(stands_in(send, each)) << std::hex << each.stag;
  }
  return told;
}

template <typename Reader>
bool is_another(Reader reader, const Bytes& send) {
  Mentions found;
  const bool taken = reader(send, found);
  EXPECT_TRUE(taken || found.empty());
  return !taken;
}

// RFC 8166 §4: xid, vers, credits, proc, then read list, write list, reply chunk; behind them an RPC message
// (RFC 5531 §9): xid, CALL, RPC version 2 …
const char* const header_of_message = "0a0b0c0d 00000001 00000020 00000000";
const char* const call_message = "0a0b0c0d 00000000 00000002 000186a3";
const char* const reply_message = "0a0b0c0d 00000001 00000000 00000000";
const char* const chunks =
    "00000001 00000094 11223344 00001000 0000000080000000"  // one read segment at XDR position 148
    "00000000"                                              // no other
    "00000001 00000002"                                     // a write chunk of two segments
    "55667701 00002000 0000000090000000"
    "55667702 00000400 00000000a0000000"
    "00000000"
    "00000001 00000001"  // a reply chunk
    "99aabb01 00000800 00000000b0000000";

TEST(RpcRdma, ACallAdvertisesItsChunks) {
  const std::vector<Told> expected = {{0x11223344, 0x80000000, 0x1000},
                                      {0x55667701, 0x90000000, 0x2000},
                                      {0x55667702, 0xa0000000, 0x400},
                                      {0x99aabb01, 0xb0000000, 0x800}};
  EXPECT_EQ(told_by(ulp::read_rpc_rdma, cat(hex(header_of_message), hex(chunks), hex(call_message))),
            expected);
}

TEST(RpcRdma, AReplyRepeatsThoseOfItsCall) {
  const Bytes reply = cat(hex(header_of_message), hex(chunks), hex(reply_message));
  EXPECT_EQ(told_by(ulp::read_rpc_rdma, reply), std::vector<Told>());
  Mentions echoes;
  EXPECT_TRUE(ulp::read_rpc_rdma(reply, echoes));
  EXPECT_EQ(echoes.size(), 4U);
}

TEST(RpcRdma, WithoutAMessageThePositionZeroTells) {
  const Bytes header = hex("0a0b0c0d 00000001 00000020 00000001");
  const Bytes call = hex("00000001 00000000 11223344 00001000 0000000080000000 00000000 00000000 00000000");
  EXPECT_EQ(told_by(ulp::read_rpc_rdma, cat(header, call)),
            (std::vector<Told>{{0x11223344, 0x80000000, 0x1000}}));
  const Bytes reply = hex("00000000 00000000 00000001 00000001 99aabb01 00000800 00000000b0000000");
  EXPECT_EQ(told_by(ulp::read_rpc_rdma, cat(header, reply)), std::vector<Told>());
}

TEST(RpcRdma, DoneAndErrorAreEmpty) {
  EXPECT_TRUE(ulp::is_empty_rpc_rdma(hex("0a0b0c0d 00000001 00000020 00000003")));
  EXPECT_TRUE(ulp::is_empty_rpc_rdma(hex("0a0b0c0d 00000001 00000020 00000004 00000002")));
  EXPECT_FALSE(ulp::is_empty_rpc_rdma(hex("0a0b0c0d 00000001 00000020 00000000")));
}

TEST(RpcRdma, OtherOctetsAreAnothers) {
  const Bytes call = cat(hex(header_of_message), hex(chunks), hex(call_message));
  for (std::size_t size = 0; size + 4 < call.size(); ++size)  // the program number is not looked at
    EXPECT_TRUE(is_another(ulp::read_rpc_rdma, part(call, 0, size))) << size;
  Bytes version = call;
  version[7] = 2;
  EXPECT_TRUE(is_another(ulp::read_rpc_rdma, version));
  Bytes transaction = call;
  transaction[0] ^= 1U;
  EXPECT_TRUE(is_another(ulp::read_rpc_rdma, transaction));
  // More segments than there are octets.
  EXPECT_TRUE(is_another(ulp::read_rpc_rdma,
                         cat(hex(header_of_message), hex("00000000 00000001 ffffffff"), hex(call_message))));
}

// MS-SMBD §2.2.3, then MS-SMB2 §2.2.1.2 and a WRITE or READ request. All numbers little-endian.
Bytes smb_direct(const Bytes& commands) {
  const auto size = static_cast<Byte>(commands.size());
  return cat(hex("0a00 0a00 0000 0000 00000000 18000000"), Bytes{size, 0, 0, 0}, zeros(4), commands);
}
Bytes smb2_header(Byte command, Byte flags, Byte next = 0) {
  return cat(hex("fe534d42 4000 0100 00000000"), Bytes{command, 0}, hex("0100"), Bytes{flags, 0, 0, 0},
             Bytes{next, 0, 0, 0}, zeros(40));
}
const char* const descriptors =
    "0010000000700000 44332211 00100000"  // offset 0x700000001000, token, length
    "0000000000000000 88776655 00020000";
Bytes smb2_write() {  // the channel at 32, offset and length of its descriptors at 40
  return cat(hex("3100 7000 00100000 0000000000000000 16*aa 01000000 00000000 7000 2000 00000000"),
             hex(descriptors));
}
Bytes smb2_read() {  // … at 36 and 44
  return cat(hex("3100 0000 00100000 0000000000000000 16*aa 00000000 02000000 00000000 7000 2000"),
             hex(descriptors));
}
const std::vector<Told> of_descriptors = {{0x11223344, 0x0000700000001000, 0x1000}, {0x55667788, 0, 0x200}};

TEST(SmbDirect, ReadAndWriteRequestsAdvertiseTheirDescriptors) {
  EXPECT_EQ(told_by(ulp::read_smb_direct, smb_direct(cat(smb2_header(9, 0), smb2_write()))), of_descriptors);
  EXPECT_EQ(told_by(ulp::read_smb_direct, smb_direct(cat(smb2_header(8, 0), smb2_read()))), of_descriptors);
}

TEST(SmbDirect, OthersDoNot) {
  const std::vector<Told> nothing;
  EXPECT_EQ(told_by(ulp::read_smb_direct, smb_direct(cat(smb2_header(9, 1), smb2_write()))),
            nothing);  // a response
  EXPECT_EQ(told_by(ulp::read_smb_direct, smb_direct(cat(smb2_header(5, 0), smb2_write()))), nothing);
  EXPECT_EQ(told_by(ulp::read_smb_direct, hex("0001 0001 0000 0a00 00040000 00040000 00000200")), nothing);
  Bytes far = cat(smb2_header(9, 0), smb2_write());
  far[64 + 40] = 0xff;  // descriptors behind the end
  Mentions none;
  EXPECT_FALSE(ulp::read_smb_direct(smb_direct(far), none));
  EXPECT_TRUE(none.empty());
}

// Of a Send of which not all is there: what follows may advertise more.
TEST(SmbDirect, ACutMessageIsNotUnderstood) {
  const Bytes first = cat(smb2_header(5, 0, 72), zeros(8));
  const Bytes whole = smb_direct(cat(first, smb2_header(9, 0), smb2_write()));
  for (const std::size_t size : {96U, 160U, 208U, 239U}) {
    Mentions none;
    EXPECT_FALSE(ulp::read_smb_direct(part(whole, 0, size), none)) << size;
    EXPECT_TRUE(none.empty()) << size;
  }
}

TEST(SmbDirect, CreditsAlone) {
  EXPECT_TRUE(ulp::is_empty_smb_direct(hex("0a00 0a00 0100 0000 00000000 00000000 00000000")));
  EXPECT_FALSE(ulp::is_empty_smb_direct(smb_direct(smb2_header(9, 0))));
}

TEST(SmbDirect, ADescriptorThatIsNotReadIsAnothers) {
  Bytes transform = smb_direct(cat(smb2_header(9, 0), smb2_write()));
  transform[24 + 64 + 32] = 3;  // SMB2_CHANNEL_RDMA_TRANSFORM
  EXPECT_TRUE(is_another(ulp::read_smb_direct, transform));
}

TEST(SmbDirect, CommandsInOneMessage) {
  const Bytes first = cat(smb2_header(5, 0, 72), zeros(8));
  EXPECT_EQ(told_by(ulp::read_smb_direct, smb_direct(cat(first, smb2_header(9, 0), smb2_write()))),
            of_descriptors);
}

TEST(SmbDirect, OtherOctetsAreAnothers) {
  EXPECT_TRUE(is_another(ulp::read_smb_direct, zeros(200)));
  EXPECT_TRUE(is_another(ulp::read_smb_direct, pattern(200)));
  EXPECT_TRUE(
      is_another(ulp::read_smb_direct, hex("0a00 0a00 0000 0000 00000000 ff000000 40000000 fe534d42")));
}

// RFC 7145 §9.2, then a SCSI Command (RFC 7143 §11.3) whose Expected Data Transfer Length is 0x2000.
const char* const scsi_command = "01 81 0000 00000000 8*00 00000001 00002000 24*00";

TEST(Iser, ACommandAdvertisesItsBuffers) {
  const Bytes write = hex("18 000000 11223344 0000000080000000 00000000 0000000000000000");
  EXPECT_EQ(told_by(ulp::read_iser, cat(write, hex(scsi_command))),
            (std::vector<Told>{{0x11223344, 0x80000000, 0x2000}}));
  const Bytes read = hex("14 000000 00000000 0000000000000000 55667788 0000000090000000");
  EXPECT_EQ(told_by(ulp::read_iser, cat(read, hex(scsi_command))),
            (std::vector<Told>{{0x55667788, 0x90000000, 0x2000}}));
  const Bytes none = hex("10 27*00");
  EXPECT_EQ(told_by(ulp::read_iser, cat(none, hex(scsi_command))), std::vector<Told>());
}

TEST(Iser, OfTwoBuffersOneLengthIsNotKnown) {
  const Bytes both = hex("1c 000000 11223344 0000000080000000 55667788 0000000090000000");
  EXPECT_EQ(
      told_by(ulp::read_iser, cat(both, hex(scsi_command))),
      (std::vector<Told>{{0x11223344, 0x80000000, 0x2000}, {0x55667788, 0x90000000, ~std::uint64_t{0}}}));
}

// What comes with the command, or unasked behind it, is not in the buffer.
TEST(Iser, WithImmediateOrUnsolicitedDataTheLengthIsNotKnown) {
  const Bytes header = hex("14 000000 00000000 0000000000000000 55667788 0000000090000000");
  const std::vector<Told> expected = {{0x55667788, 0x90000000, ~std::uint64_t{0}}};
  const Bytes immediate = hex("01 81 0000 00000004 8*00 00000001 00002000 24*00 aabbccdd");
  EXPECT_EQ(told_by(ulp::read_iser, cat(header, immediate)), expected);
  const Bytes unsolicited = hex("01 01 0000 00000000 8*00 00000001 00002000 24*00");
  EXPECT_EQ(told_by(ulp::read_iser, cat(header, unsolicited)), expected);
}

TEST(Iser, OtherOctetsAreAnothers) {
  EXPECT_TRUE(is_another(ulp::read_iser, cat(hex("10 27*00"), hex(scsi_command), zeros(4))));  // too long

  EXPECT_TRUE(is_another(ulp::read_iser, zeros(200)));
  EXPECT_TRUE(is_another(ulp::read_iser,
                         cat(hex("10 000000 11223344 20*00"), hex(scsi_command))));  // not valid, but there
  EXPECT_TRUE(is_another(ulp::read_iser, cat(hex("20 27*00"), hex(scsi_command))));
  EXPECT_TRUE(is_another(ulp::read_iser, hex("10 27*00")));
}

// rsockets: version, flags, credits, reserved, maps; then TO, STag, length of the table (a number of entries)
// and of the buffer.
const char* const rsockets_private_data =
    "01 02 0180 000000 01  000055daef269000 7902e700 00000002  00007f459eec9000 d8346e00 00080000";

Bytes with_octet(Bytes octets, std::size_t at, Byte value) {
  octets[at] = value;
  return octets;
}

TEST(Rsockets, PrivateDataNameTheTableAndTheFirstBuffer) {
  const Bytes octets = hex(rsockets_private_data);
  const auto end = read_rsockets(octets);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->form, StagForm::little_endian);
  EXPECT_EQ(end->entries, 2U);
  EXPECT_EQ(end->table.stag, 0x7902e700U);
  EXPECT_EQ(end->table.to, 0x55daef269000U);
  EXPECT_EQ(end->table.length, 2 * 16 + 1 * 24U);
  EXPECT_EQ(end->buffer.stag, 0xd8346e00U);
  EXPECT_EQ(end->buffer.to, 0x7f459eec9000U);
  EXPECT_EQ(end->buffer.length, 0x80000U);
  for (const StagMention& each : {end->table, end->buffer}) {
    EXPECT_TRUE(each.by_owner);
    EXPECT_TRUE(stands_in(octets, each));
  }
  // More than 128 maps, in steps of 256.
  EXPECT_EQ(read_rsockets(with_octet(octets, 7, 128))->table.length, 32 + 128 * 24U);
  EXPECT_EQ(read_rsockets(with_octet(octets, 7, 129))->table.length, 32 + 256 * 24U);
}

TEST(Rsockets, OtherPrivateDataAreAnothers) {
  const Bytes octets = hex(rsockets_private_data);
  EXPECT_FALSE(read_rsockets({}));
  EXPECT_FALSE(read_rsockets(part(octets, 0, 39)));
  EXPECT_FALSE(read_rsockets(with_octet(octets, 0, 2)));   // version
  EXPECT_FALSE(read_rsockets(with_octet(octets, 1, 4)));   // an unknown flag
  EXPECT_FALSE(read_rsockets(with_octet(octets, 6, 1)));   // reserved
  EXPECT_FALSE(read_rsockets(with_octet(octets, 23, 0)));  // no entry
  EXPECT_FALSE(read_rsockets(with_octet(octets, 20, 1)));  // 16 million of them
  EXPECT_FALSE(read_rsockets(zeros(40)));
}

TEST(Rsockets, AWriteIntoTheTableTellsOfMemory) {
  const auto end = read_rsockets(hex(rsockets_private_data));
  ASSERT_TRUE(end);
  const Bytes entry = hex("0090f49e457f0000 006e34d8 00000800");
  const auto told = end->told_by_write(0x7902e700, 0x55daef269010, entry);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->stag, 0xd8346e00U);
  EXPECT_EQ(told->to, 0x7f459ef49000U);
  EXPECT_EQ(told->length, 0x80000U);
  EXPECT_TRUE(told->by_owner);
  EXPECT_TRUE(stands_in(entry, *told));

  EXPECT_FALSE(end->told_by_write(0x7902e701, 0x55daef269010, entry));               // another STag
  EXPECT_FALSE(end->told_by_write(0x7902e700, 0x55daef268ff0, entry));               // before the table
  EXPECT_FALSE(end->told_by_write(0x7902e700, 0x55daef269008, entry));               // between two entries
  EXPECT_FALSE(end->told_by_write(0x7902e700, 0x55daef269038, entry));               // behind the table
  EXPECT_FALSE(end->told_by_write(0x7902e700, 0x55daef269010, part(entry, 0, 15)));  // not all of it
}

TEST(Rsockets, AMapTellsOfMemoryBehindAnOffset) {
  const auto end = read_rsockets(hex(rsockets_private_data));
  ASSERT_TRUE(end);
  const Bytes map = hex("0000000000001000 104825efda550000 00462a5d 10270000");
  const auto told = end->told_by_write(0x7902e700, 0x55daef269020, map);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->stag, 0x5d2a4600U);
  EXPECT_EQ(told->to, 0x55daef254810U);
  EXPECT_EQ(told->length, 10000U);
  EXPECT_TRUE(stands_in(map, *told));
  EXPECT_FALSE(end->told_by_write(0x7902e700, 0x55daef269020, part(map, 8, 16)));  // as long as an entry
  EXPECT_FALSE(end->told_by_write(0x7902e700, 0x55daef269010, map));               // where an entry stands
}

TEST(Rsockets, TheOwnersByteOrderIsTheTables) {
  const auto end = read_rsockets(with_octet(hex(rsockets_private_data), 1, 3));
  ASSERT_TRUE(end);
  const Bytes entry = hex("00007f459ef49000 d8346e00 00080000");
  const auto told = end->told_by_write(0x7902e700, 0x55daef269000, entry);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->stag, 0xd8346e00U);
  EXPECT_EQ(told->to, 0x7f459ef49000U);
  EXPECT_EQ(told->length, 0x80000U);
  EXPECT_TRUE(stands_in(entry, *told));
}

// NVMe: a command of 64 octets with SGL1 at 24: address, length in 3 octets, key, type 4 in the high nibble.
TEST(Nvme, ACommandAdvertisesItsKeyedSgl) {
  const Bytes command = cat(hex("02400100 20*00 0010000080000000 002000 44332211 40"), zeros(24));
  ASSERT_EQ(command.size(), 64U);
  EXPECT_EQ(told_by(ulp::read_nvme, command), (std::vector<Told>{{0x11223344, 0x8000001000, 0x2000}}));
  Bytes in_capsule = command;
  in_capsule[39] = 0x01;
  EXPECT_EQ(told_by(ulp::read_nvme, in_capsule), std::vector<Told>());
  EXPECT_TRUE(is_another(ulp::read_nvme, part(command, 0, 63)));
  Bytes list = command;
  list[39] = 0x31;  // a last segment of descriptors, in the capsule
  EXPECT_TRUE(is_another(ulp::read_nvme, list));
}

TEST(Nvme, AQueueBeginsWithPrivateDataOrAConnect) {
  const Bytes request = hex("0000 0000 2000 1f00 0100 22*00");
  const Bytes reply = hex("0000 2000 28*00");
  EXPECT_TRUE(is_nvme_startup(request, reply));
  EXPECT_FALSE(is_nvme_startup(reply, request));
  EXPECT_FALSE(is_nvme_startup({}, {}));
  EXPECT_TRUE(ulp::is_nvme_connect(hex("7f400000 01 59*00")));
  EXPECT_FALSE(ulp::is_nvme_connect(hex("7f400000 00 59*00")));
}

TEST(Mention, BesideATo) {
  // rping: address, STag, length.
  const Bytes rping = hex("00005566 00001000 11223344 00000040");
  const auto found = ulp::find_mention(rping, rping.size(), 0x11223344, {0x0000556600001010, 16});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layout, StagLayout::rping);
  EXPECT_EQ(found->to, 0x0000556600001000U);
  EXPECT_EQ(found->length, 0x40U);
  EXPECT_EQ(found->offset, 8U);
  // Little-endian: MS-SMBD's descriptor.
  const Bytes little = hex("0010000080000000 44332211 40000000");
  const auto other = ulp::find_mention(little, little.size(), 0x11223344, {0x8000001000, 16});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->layout, StagLayout::smb_direct);
  EXPECT_EQ(other->length, 0x40U);
}

// perftest's parameters as text: LID, OUT, QPN, PSN, rkey, vaddr …
TEST(Mention, InDigits) {
  const Bytes text_ = text("0000:000001:0000aa:11223344:0000556600001000:0");
  const auto found = ulp::find_mention(text_, text_.size(), 0x11223344, {0x0000556600001000, 16});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layout, StagLayout::perftest);
  EXPECT_EQ(found->form, StagForm::digits);
  EXPECT_EQ(found->to, 0x0000556600001000U);
}

// perftest's messages of 56 octets, of which the first ones are known.
TEST(Mention, WhereTheLengthOfTheMessageTells) {
  const Bytes octets = cat(zeros(16), hex("11223344 00000000 0000556600001000"));
  const StagAccess access = {0x0000556600003000, 16};
  const auto found = ulp::find_mention(octets, 56, 0x11223344, access);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layout, StagLayout::perftest);
  const auto other = ulp::find_mention(octets, 57, 0x11223344, access);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->layout, StagLayout::near_to);
}

TEST(Mention, ByChance) {
  const Bytes octets = hex("ffffffff 11223344 ffffffff");
  const auto bare = ulp::find_mention(octets, octets.size(), 0x11223344, {0x5000, 16});
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->layout, StagLayout::bare);
  EXPECT_FALSE(bare->length);
  EXPECT_FALSE(ulp::find_mention(hex("112233 55667788"), 7, 0x11223344, {0x5000, 16}));
  EXPECT_FALSE(ulp::find_mention({}, 0, 0x11223344, {0x5000, 16}));
}

// --- SendReader --------------------------------------------------------------------------------------------

TEST(SendReader, TheFirstMessageThatShowsAUlpTells) {
  SendReader reader;
  Mentions found;
  EXPECT_EQ(reader.read(pattern(100), Role::initiator, found), SendReader::Told::no_ulp);
  EXPECT_EQ(reader.read(cat(hex(header_of_message), hex(chunks), hex(call_message)), Role::initiator, found),
            SendReader::Told::all);
  EXPECT_EQ(reader.ulp(), Ulp::rpc_rdma);
  EXPECT_EQ(found.size(), 4U);
  EXPECT_EQ(reader.read(pattern(100), Role::initiator, found), SendReader::Told::unread);
  EXPECT_EQ(reader.read(hex("0a0b0c0d 00000001 00000020 00000003"), Role::initiator, found),
            SendReader::Told::all);  // RDMA_DONE
  EXPECT_EQ(found.size(), 4U);
}

TEST(SendReader, AnIserHeaderWithoutStagsMakesNoStreamIsers) {
  SendReader reader;
  Mentions found;
  EXPECT_EQ(reader.read(cat(hex("10 27*00"), hex(scsi_command)), Role::initiator, found),
            SendReader::Told::no_ulp);
  const Bytes write = hex("18 000000 11223344 0000000080000000 00000000 0000000000000000");
  EXPECT_EQ(reader.read(cat(write, hex(scsi_command)), Role::responder, found), SendReader::Told::no_ulp);
  EXPECT_EQ(reader.read(cat(write, hex(scsi_command)), Role::initiator, found), SendReader::Told::all);
  EXPECT_EQ(reader.ulp(), Ulp::iser);
}

TEST(SendReader, AResponderOfNvmeAdvertisesNothing) {
  SendReader reader;
  reader.expect(Ulp::nvme);
  Mentions found;
  EXPECT_EQ(reader.read(zeros(16), Role::responder, found), SendReader::Told::all);
  EXPECT_EQ(reader.read(zeros(16), Role::initiator, found), SendReader::Told::unread);
}

}  // namespace
}  // namespace iwarp::test
