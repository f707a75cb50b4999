// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include "ulp/advertisements.hpp"
#include "ulp/credits.hpp"

namespace iwarp::ulp {
namespace {

// MS-SMBD §2.2.3
constexpr std::size_t transfer_header_size = 20;
constexpr std::size_t data_offset_at = 12;
constexpr std::size_t data_length_at = 16;

// MS-SMB2 §2.2.1.2
constexpr std::array<Byte, 4> smb2_id = {0xfe, 'S', 'M', 'B'};
constexpr std::size_t smb2_header_size = 64;
constexpr std::size_t command_at = 12;
constexpr std::size_t flags_at = 16;
constexpr std::size_t next_command_at = 20;
constexpr std::uint32_t is_response = 1;

// Where READ and WRITE requests have their channel, behind the SMB2 header.
struct Request {
  std::uint16_t command;
  std::uint16_t structure_size;
  std::size_t channel_at;
  std::size_t info_offset_at;
};
constexpr Request requests[] = {{8, 49, 36, 44}, {9, 49, 32, 40}};
constexpr std::size_t fixed_size = 48;

constexpr std::uint32_t rdma_v1 = 1;
constexpr std::uint32_t rdma_v1_invalidate = 2;
constexpr std::size_t descriptor_size = 16;  // MS-SMBD §2.2.3.1: offset, token, length

// MS-SMBD §2.2.1 and §2.2.2: versions 0x0100, and what is reserved is zero.
bool is_negotiation(ByteView send) noexcept {
  constexpr std::size_t request_size = 20;
  constexpr std::size_t response_size = 32;
  if (send.size() != request_size && send.size() != response_size) return false;
  constexpr std::uint32_t only_version = 0x01000100;  // least and greatest
  if (load_le32(send.data()) != only_version) return false;
  if (send.size() == response_size) {
    constexpr std::uint32_t negotiated_version = 0x0100;  // and nothing in what is reserved
    return load_le32(send.data() + 4) == negotiated_version;
  }
  constexpr std::uint32_t least_size = 128;
  constexpr std::uint32_t least_fragmented = 131072;
  const Byte* const at = send.data();
  return load_le16(at + 4) == 0 && load_le16(at + 6) != 0 && load_le32(at + 8) >= least_size &&
         load_le32(at + 12) >= least_size && load_le32(at + 16) >= least_fragmented;
}

// `begin_of_command`: octets of the message before the command.
// False: they lie behind the octets that are there.
bool read_descriptors(ByteView command, std::size_t begin_of_command, std::size_t begin, std::size_t size,
                      Mentions& out) {
  if (begin > command.size() || size > command.size() - begin) return false;
  for (; size >= descriptor_size; begin += descriptor_size, size -= descriptor_size) {
    const Byte* const at = command.data() + begin;
    StagMention& told = out.emplace_back();
    told.form = StagForm::little_endian;
    told.layout = StagLayout::smb_direct;
    told.by_owner = true;
    told.to_offset = static_cast<std::uint32_t>(begin_of_command + begin);
    told.to = load_le64(at);
    told.offset = *told.to_offset + 8;
    told.stag = load_le32(at + 8);
    told.length_offset = *told.to_offset + 12;
    told.length_size = 4;
    told.length = load_le32(at + 12);
  }
  return true;
}

// False: it tells of memory in a way that is not read here, or where octets are missing.
bool read_command(ByteView command, std::size_t at, Mentions& out) {
  if ((load_le32(command.data() + flags_at) & is_response) != 0) return true;
  const ByteView body = command.subspan(smb2_header_size);
  for (const Request& request : requests) {
    if (load_le16(command.data() + command_at) != request.command) continue;
    if (body.size() < fixed_size) return false;
    if (load_le16(body.data()) != request.structure_size) continue;
    const std::uint32_t channel = load_le32(body.data() + request.channel_at);
    if (channel == 0) continue;
    if (channel != rdma_v1 && channel != rdma_v1_invalidate) return false;
    const Byte* const info = body.data() + request.info_offset_at;
    if (!read_descriptors(command, at, load_le16(info), load_le16(info + 2), out)) return false;
  }
  return true;
}

bool is_smb2(ByteView octets) noexcept {
  return octets.size() >= smb2_header_size && std::equal(smb2_id.begin(), smb2_id.end(), octets.begin());
}

}  // namespace

bool is_empty_smb_direct(ByteView send) noexcept {
  return send.size() >= transfer_header_size && load_le32(send.data() + data_length_at) == 0;
}

std::optional<SmbDirectCredits> read_smb_direct_credits(ByteView send) noexcept {
  constexpr std::size_t request_size = 20;
  constexpr std::size_t granted_at = 10;  // of a negotiate response
  if (is_negotiation(send)) {
    if (send.size() == request_size) return SmbDirectCredits{SmbDirectMessage::negotiate_request, 0};
    return SmbDirectCredits{SmbDirectMessage::negotiate_response, load_le16(send.data() + granted_at)};
  }
  if (send.size() < transfer_header_size) return std::nullopt;
  return SmbDirectCredits{SmbDirectMessage::data, load_le16(send.data() + 2)};
}

bool read_smb_direct(ByteView send, Mentions& out) {
  if (send.size() < transfer_header_size) return false;
  if (is_negotiation(send)) return true;
  const std::uint32_t offset = load_le32(send.data() + data_offset_at);
  const std::uint32_t length = load_le32(send.data() + data_length_at);
  if (length == 0 || offset < transfer_header_size || offset % 8 != 0 || offset > send.size()) return false;
  ByteView commands = send.subspan(offset, std::min<std::size_t>(length, send.size() - offset));
  if (!is_smb2(commands)) return false;
  while (is_smb2(commands)) {
    const std::uint32_t next = load_le32(commands.data() + next_command_at);
    const bool last = next < smb2_header_size || next >= commands.size();
    if (!read_command(commands, static_cast<std::size_t>(commands.data() - send.data()), out)) return false;
    if (last) return next < smb2_header_size;  // else another one follows that is not there
    commands = commands.subspan(next);
  }
  return true;
}

}  // namespace iwarp::ulp
