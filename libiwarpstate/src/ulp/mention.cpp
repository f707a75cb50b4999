// STags in messages of ULPs that are not known: only what stands around them, and how they are used, tells
// them from other octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cstring>

#include "ulp/advertisements.hpp"

namespace iwarp {
namespace {

// How far behind the end of an advertised range an access still shows that the octets are an advertisement:
// accesses out of bounds are made on purpose sometimes.
constexpr std::uint64_t slack = 4096;
constexpr std::uint64_t max_length = std::uint64_t{1} << 30U;  // that an advertisement may plausibly tell
constexpr std::uint64_t near_enough = 16U << 20U;              // behind a TO whose length is not told

// Where TO and length stand, counted from the STag.
struct Shape {
  StagLayout layout;
  StagForm form;
  int to_at;
  int length_at;
  unsigned length_size;  // 0: none
};
constexpr Shape shapes[] = {
    {StagLayout::perftest, StagForm::big_endian, 8, 0, 0},
    {StagLayout::nvme, StagForm::little_endian, -11, -3, 3},
    {StagLayout::rpc_rdma, StagForm::big_endian, 8, 4, 4},
    {StagLayout::rping, StagForm::big_endian, -8, 4, 4},
    {StagLayout::smb_direct, StagForm::little_endian, -8, 4, 4},
    {StagLayout::iser, StagForm::big_endian, 4, 0, 0},
};

std::uint64_t load(ByteView octets, std::size_t at, std::size_t size, StagForm form) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t each = form == StagForm::little_endian ? at + size - 1 - i : at + i;
    value = value << 8U | octets[each];
  }
  return value;
}

int digit(Byte octet) noexcept {
  if (octet >= '0' && octet <= '9') return octet - '0';
  if (octet >= 'a' && octet <= 'f') return octet - 'a' + 10;
  if (octet >= 'A' && octet <= 'F') return octet - 'A' + 10;
  return -1;
}

bool inside(ByteView octets, std::size_t at, int offset, std::size_t size) noexcept {
  const auto begin = static_cast<std::ptrdiff_t>(at) + offset;
  return begin >= 0 && static_cast<std::size_t>(begin) + size <= octets.size();
}

bool plausible(const StagMention& mention, std::span<const StagAccess> accesses) noexcept {
  // An STag that was invalidated and never used: there is nothing to compare, so it must look right by
  // itself.
  if (std::all_of(accesses.begin(), accesses.end(), [](const auto& each) { return each.length == 0; })) {
    return mention.to >= 4096 &&
           (!mention.length || (*mention.length != 0 && *mention.length <= near_enough));
  }
  return std::any_of(accesses.begin(), accesses.end(), [&](const StagAccess& access) {
    if (access.length == 0 || access.to < mention.to) return false;
    const std::uint64_t behind = access.to - mention.to;
    if (!mention.length) return mention.to != 0 && behind < near_enough;
    return *mention.length != 0 && *mention.length <= max_length && behind <= *mention.length + slack;
  });
}

// Where a layout puts the STag in a message, if that is always the same place.
bool has_its_place(StagLayout layout, std::size_t at, std::uint64_t message_length) noexcept {
  switch (layout) {
    case StagLayout::perftest: return message_length == 56 && at == 16;  // its exchange of parameters
    case StagLayout::nvme: return message_length >= 64 && at == 35;      // SGL1 of a command capsule, at 24
    case StagLayout::iser:
      return message_length >= 28 && (at == 4 || at == 16);  // write and read STag of the iSER header
    default: return true;
  }
}

bool try_shape(const Shape& shape, ByteView octets, std::uint64_t message_length,
               std::span<const StagAccess> accesses, StagMention& mention) noexcept {
  const std::size_t at = mention.offset;
  if (shape.form != mention.form || !has_its_place(shape.layout, at, message_length)) return false;
  if (!inside(octets, at, shape.to_at, 8) || !inside(octets, at, shape.length_at, shape.length_size))
    return false;
  const auto place = [at](int offset) {
    return static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(at) + offset);
  };
  StagMention tried = mention;
  tried.layout = shape.layout;
  tried.to_offset = place(shape.to_at);
  tried.to = load(octets, *tried.to_offset, 8, shape.form);
  if (shape.length_size > 0) {
    tried.length_offset = place(shape.length_at);
    tried.length_size = static_cast<std::uint8_t>(shape.length_size);
    tried.length = load(octets, *tried.length_offset, shape.length_size, shape.form);
  }
  if (!plausible(tried, accesses)) return false;
  mention = tried;
  return true;
}

// A TO that was accessed stands somewhere near, or right beside it one not far before.
bool try_near(ByteView octets, std::span<const StagAccess> accesses, StagMention& mention) noexcept {
  const auto try_at = [&](int offset, std::uint64_t most_behind) {
    if (!inside(octets, mention.offset, offset, 8)) return false;
    const auto place = static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(mention.offset) + offset);
    const std::uint64_t to = load(octets, place, 8, mention.form);
    const bool fits = to != 0 && std::any_of(accesses.begin(), accesses.end(), [&](const StagAccess& access) {
                        return access.length > 0 && access.to - to <= most_behind;
                      });
    if (!fits) return false;
    mention.layout = StagLayout::near_to;
    mention.to_offset = place;
    mention.to = to;
    return true;
  };
  for (int offset = -32; offset <= 28; ++offset) {
    if ((offset <= -8 || offset >= 4) && try_at(offset, 0)) return true;
  }
  for (const int offset : {4, 8, -8}) {
    if (try_at(offset, near_enough)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::uint64_t> number_of_digits(ByteView octets, std::size_t at, std::size_t count) noexcept {
  if (at + count > octets.size() || (at > 0 && digit(octets[at - 1]) >= 0)) return std::nullopt;
  if (at + count < octets.size() && digit(octets[at + count]) >= 0) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    const int each = digit(octets[i]);
    if (each < 0) return std::nullopt;
    value = value << 4U | static_cast<std::uint64_t>(each);
  }
  return value;
}

StagMention mention_at(ByteView octets, std::uint64_t message_length, std::size_t at, std::uint32_t stag,
                       StagForm form, std::span<const StagAccess> accesses) noexcept {
  StagMention mention;
  mention.offset = static_cast<std::uint32_t>(at);
  mention.stag = stag;
  mention.form = form;
  if (form == StagForm::digits) {
    constexpr std::size_t behind_stag = 9;  // a separator between them
    if (const auto to = number_of_digits(octets, at + behind_stag, 16)) {
      mention.layout = StagLayout::perftest;
      mention.to_offset = static_cast<std::uint32_t>(at + behind_stag);
      mention.to = *to;
    }
    return mention;
  }
  for (const Shape& shape : shapes) {
    if (try_shape(shape, octets, message_length, accesses, mention)) return mention;
  }
  (void)try_near(octets, accesses, mention);
  return mention;
}

namespace ulp {
namespace {

struct Pattern {
  StagForm form;
  std::array<Byte, 8> octets;
  std::size_t size;
};

Pattern pattern_of(std::uint32_t stag, StagForm form) noexcept {
  Pattern pattern{form, {}, 4};
  switch (form) {
    case StagForm::big_endian: store_be32(pattern.octets.data(), stag); break;
    case StagForm::little_endian: store_le32(pattern.octets.data(), stag); break;
    case StagForm::digits:
      pattern.size = pattern.octets.size();
      for (std::size_t i = 0; i < pattern.size; ++i)
        pattern.octets[i] = static_cast<Byte>("0123456789abcdef"[stag >> (28 - 4 * i) & 0xfU]);
      break;
  }
  return pattern;
}

}  // namespace

std::optional<StagMention> find_mention(ByteView octets, std::uint64_t message_length, std::uint32_t stag,
                                        const StagAccess& access) noexcept {
  std::optional<StagMention> bare;
  for (const StagForm form : {StagForm::big_endian, StagForm::little_endian, StagForm::digits}) {
    const Pattern pattern = pattern_of(stag, form);
    for (ByteView rest = octets; rest.size() >= pattern.size;) {
      const void* const found = memmem(rest.data(), rest.size(), pattern.octets.data(), pattern.size);
      if (found == nullptr) break;
      const auto at = static_cast<std::size_t>(static_cast<const Byte*>(found) - octets.data());
      rest = octets.subspan(at + 1);
      const StagMention mention = mention_at(octets, message_length, at, stag, form, {&access, 1});
      if (mention.layout != StagLayout::bare) return mention;
      if (!bare) bare = mention;
    }
  }
  return bare;
}

}  // namespace ulp
}  // namespace iwarp
