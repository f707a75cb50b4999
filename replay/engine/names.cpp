// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/names.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t digits_per_octet = 2;

std::size_t width(StagForm form, std::size_t octets) noexcept {
  return form == StagForm::digits ? octets * digits_per_octet : octets;
}

void store(std::span<Byte> to, std::uint64_t offset, StagForm form, std::size_t octets, std::uint64_t value) {
  const std::size_t size = width(form, octets);
  if (offset > to.size() || to.size() - offset < size) return;
  const std::span<Byte> at = to.subspan(static_cast<std::size_t>(offset), size);
  for (std::size_t i = 0; i < size; ++i) {
    if (form == StagForm::digits) {
      at[size - 1 - i] = static_cast<Byte>("0123456789abcdef"[value & 0xfU]);
      value >>= 4U;
    } else {
      at[form == StagForm::big_endian ? size - 1 - i : i] = static_cast<Byte>(value);
      value >>= 8U;
    }
  }
}

constexpr std::size_t stag_size = 4;
constexpr std::size_t to_size = 8;

}  // namespace

LiveName Names::of(std::uint32_t host, std::uint32_t recorded) const {
  const auto found = hosts_[host].find(recorded);
  return found == hosts_[host].end() ? LiveName{recorded, 0} : found->second.live;
}

void Names::rename(std::span<Byte> octets, std::span<const Mention> mentions, std::uint32_t sender,
                   std::uint32_t receiver) const {
  for (const Mention& each : mentions) {
    const LiveName live = of(each.by_owner ? sender : receiver, each.stag);
    if (live == LiveName{each.stag, 0}) continue;
    store(octets, each.offset, each.form, stag_size, live.stag);
    if (each.to_offset) store(octets, *each.to_offset, each.form, to_size, each.to + live.distance);
  }
}

std::size_t Names::learn(ByteView live, std::uint64_t recorded_length, std::span<const Mention> mentions,
                         std::uint32_t owner) {
  std::size_t learnt = 0;
  for (const Mention& each : mentions) {
    if (!each.by_owner) continue;
    const auto told = told_name(each, live, recorded_length);
    if (!told) continue;
    Entry& entry =
        hosts_[owner].try_emplace(each.stag, Entry{{each.stag, 0}, StagLayout::bare}).first->second;
    // Four octets that stand there alone may be there by chance: they do not outweigh a descriptor.
    if (each.layout == StagLayout::bare && entry.layout != StagLayout::bare) continue;
    const LiveName name{told->stag, told->distance.value_or(entry.live.distance)};
    if (name == entry.live) continue;
    entry = {name, each.layout};
    ++learnt;
  }
  return learnt;
}

}  // namespace iwarp::replay
