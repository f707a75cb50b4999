// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cstring>

#include "ulp/advertisements.hpp"

namespace iwarp::ulp {
namespace {

// Where a TO stands, counted from the STag, and a length of four octets if that is told: rping's and
// perftest's parameters, RPC-over-RDMA's segments, buffer descriptors of SMB Direct.
struct Shape {
  bool big_endian;
  int to_at;
  int length_at;  // 0: none
};
constexpr Shape shapes[] = {{true, -8, 4}, {true, 8, 4},   {true, 4, 0},  {true, 8, 0},
                            {true, -8, 0}, {false, -8, 4}, {false, 4, 0}, {false, -8, 0}};

constexpr std::uint64_t longest = std::uint64_t{1} << 30U;  // that is plausible

bool is_inside(ByteView octets, std::size_t at, int offset, std::size_t size) noexcept {
  const auto begin = static_cast<std::ptrdiff_t>(at) + offset;
  return begin >= 0 && static_cast<std::size_t>(begin) + size <= octets.size();
}

std::optional<Advertisement> shaped(const Shape& shape, ByteView octets, std::size_t at,
                                    const Access& access) noexcept {
  if (!is_inside(octets, at, shape.to_at, 8)) return std::nullopt;
  const Byte* const stag = octets.data() + at;
  Advertisement told;
  told.stag = access.stag;
  told.to = shape.big_endian ? load_be64(stag + shape.to_at) : load_le64(stag + shape.to_at);
  if (told.to == 0 || access.to < told.to || access.to - told.to > longest) return std::nullopt;
  if (shape.length_at == 0) {
    constexpr std::uint64_t near = 16U << 20U;
    return access.to - told.to <= near ? std::optional(told) : std::nullopt;
  }
  if (!is_inside(octets, at, shape.length_at, 4)) return std::nullopt;
  told.length = shape.big_endian ? load_be32(stag + shape.length_at) : load_le32(stag + shape.length_at);
  if (*told.length == 0 || *told.length > longest || access.to - told.to >= *told.length) return std::nullopt;
  return told;
}

}  // namespace

std::optional<Mention> find_mention(ByteView octets, const Access& access) noexcept {
  std::optional<Mention> bare;
  for (const bool big_endian : {true, false}) {
    std::array<Byte, 4> stag{};
    big_endian ? store_be32(stag.data(), access.stag) : store_le32(stag.data(), access.stag);
    ByteView rest = octets;
    while (rest.size() >= stag.size()) {
      const void* const found = memmem(rest.data(), rest.size(), stag.data(), stag.size());
      if (found == nullptr) break;
      const auto at = static_cast<std::size_t>(static_cast<const Byte*>(found) - octets.data());
      for (const Shape& shape : shapes) {
        if (shape.big_endian != big_endian) continue;
        if (const auto told = shaped(shape, octets, at, access)) return Mention{*told, true};
      }
      if (!bare) bare = Mention{{access.stag, 0, {}}, false};
      rest = octets.subspan(at + 1);
    }
  }
  return bare;
}

}  // namespace iwarp::ulp
