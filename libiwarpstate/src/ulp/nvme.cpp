// SPDX-License-Identifier: GPL-2.0-or-later
#include "ulp/advertisements.hpp"
#include "ulp/octet_reader.hpp"

namespace iwarp::ulp {
namespace {

constexpr std::size_t command_size = 64;
constexpr std::uint32_t address_at = 24;  // of the SGL descriptor: address, length in three octets, key, type
constexpr std::uint32_t length_at = 32;
constexpr std::uint32_t key_at = 35;
constexpr std::size_t type_at = 39;
constexpr Byte data_block = 0;
constexpr Byte keyed_data_block = 4;

}  // namespace

bool is_nvme_connect(ByteView send) noexcept {
  constexpr Byte fabrics = 0x7f;
  constexpr Byte connect = 0x01;
  constexpr std::size_t fabrics_type_at = 4;
  constexpr std::size_t record_format_at = 40;
  return send.size() >= command_size && send[0] == fabrics && send[fabrics_type_at] == connect &&
         is_zero(send.subspan(record_format_at, 2));
}

bool read_nvme(ByteView send, Mentions& out) {
  if (send.size() < command_size) return false;
  // One data block in the capsule, or what tells nothing; lists of descriptors are not read.
  if (send[type_at] >> 4U != keyed_data_block) return send[type_at] >> 4U == data_block;
  const Byte* const at = send.data();
  const std::uint32_t length = load_le32(at + length_at) & 0xffffffU;
  if (length == 0) return true;
  StagMention& told = out.emplace_back();
  told.offset = key_at;
  told.stag = load_le32(at + key_at);
  told.form = StagForm::little_endian;
  told.layout = StagLayout::nvme;
  told.by_owner = true;
  told.to_offset = address_at;
  told.to = load_le64(at + address_at);
  told.length_offset = length_at;
  told.length_size = 3;
  told.length = length;
  return true;
}

}  // namespace iwarp::ulp

namespace iwarp {

bool is_nvme_startup(ByteView request, ByteView reply) noexcept {
  using ulp::is_zero;
  constexpr std::size_t size = 32;
  if (request.size() != size || reply.size() != size) return false;
  // Record format 0, queue sizes that are not zero, and zeros where nothing is defined.
  return is_zero(request.first(2)) && !is_zero(request.subspan(4, 2)) && is_zero(request.subspan(10)) &&
         is_zero(reply.first(2)) && !is_zero(reply.subspan(2, 2)) && is_zero(reply.subspan(4));
}

}  // namespace iwarp
