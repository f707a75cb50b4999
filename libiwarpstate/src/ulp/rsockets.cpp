// rsockets, librdmacm's sockets: the Private Data of each end name a table in its memory, into which its peer
// writes where the next octets may go, and how many.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/ulp.hpp>

#include "ulp/octet_reader.hpp"

namespace iwarp {
namespace {

// Version, flags, credits, three octets of zero, maps; then, each as TO, STag and length, the table and the
// first buffer. All is big-endian, the table's length is a number of entries.
constexpr std::size_t startup_size = 40;
constexpr Byte known_version = 1;
constexpr Byte big_endian_owner = 1;  // a flag
constexpr Byte known_flags = 3;
constexpr std::size_t reserved_at = 4;
constexpr std::size_t maps_at = 7;
constexpr std::size_t table_at = 8;
constexpr std::size_t buffer_at = 24;
constexpr std::uint32_t max_entries = 1024;

// An entry of the table; a map has eight octets, an offset, before the same.
constexpr std::uint32_t stag_offset = 8;
constexpr std::uint32_t length_offset = 12;
constexpr std::uint32_t entry_size = 16;
constexpr std::uint32_t map_size = 24;

// One octet that stands for a greater number: above 128 its other seven bits, times 256.
std::uint32_t from_scale(Byte value) noexcept {
  return value <= 128 ? value : (value & 0x7fU) << 8U;
}

StagMention entry_at(ByteView octets, std::size_t at, StagForm form) noexcept {
  const bool little = form == StagForm::little_endian;
  const Byte* const entry = octets.data() + at;
  StagMention told;
  told.form = form;
  told.layout = little ? StagLayout::smb_direct : StagLayout::rping;
  told.by_owner = true;
  told.offset = static_cast<std::uint32_t>(at + stag_offset);
  told.stag = little ? load_le32(entry + stag_offset) : load_be32(entry + stag_offset);
  told.to_offset = static_cast<std::uint32_t>(at);
  told.to = little ? load_le64(entry) : load_be64(entry);
  told.length_offset = static_cast<std::uint32_t>(at + length_offset);
  told.length_size = 4;
  told.length = little ? load_le32(entry + length_offset) : load_be32(entry + length_offset);
  return told;
}

}  // namespace

std::optional<RsocketsEnd> read_rsockets(ByteView private_data) noexcept {
  if (private_data.size() < startup_size || private_data[0] != known_version ||
      (private_data[1] & ~known_flags) != 0 ||
      !ulp::is_zero(private_data.subspan(reserved_at, maps_at - reserved_at)))
    return std::nullopt;
  RsocketsEnd end;
  end.form = (private_data[1] & big_endian_owner) != 0 ? StagForm::big_endian : StagForm::little_endian;
  end.table = entry_at(private_data, table_at, StagForm::big_endian);
  end.buffer = entry_at(private_data, buffer_at, StagForm::big_endian);
  end.entries = static_cast<std::uint32_t>(*end.table.length);
  if (end.table.to == 0 || end.buffer.to == 0 || end.entries == 0 || end.entries > max_entries ||
      *end.buffer.length == 0)
    return std::nullopt;
  end.table.length =
      std::uint64_t{end.entries} * entry_size + std::uint64_t{from_scale(private_data[maps_at])} * map_size;
  end.table.length_offset.reset();  // what stands there is a number of entries
  end.table.length_size = 0;
  return end;
}

std::optional<StagMention> RsocketsEnd::told_by_write(std::uint32_t stag, std::uint64_t to,
                                                      ByteView octets) const noexcept {
  if (stag != table.stag || to < table.to || to - table.to >= *table.length) return std::nullopt;
  const std::uint64_t behind = to - table.to;
  const std::uint64_t maps = std::uint64_t{entries} * entry_size;
  if (behind < maps) {
    if (behind % entry_size != 0 || octets.size() != entry_size) return std::nullopt;
    return entry_at(octets, 0, form);
  }
  if ((behind - maps) % map_size != 0 || octets.size() != map_size) return std::nullopt;
  return entry_at(octets, map_size - entry_size, form);
}

}  // namespace iwarp
