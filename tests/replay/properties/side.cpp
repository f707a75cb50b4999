// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/properties/side.hpp"

#include <gtest/gtest.h>

namespace iwarp::rnic::test {

ReceiveRequest ReceivePool::make(Dice& dice, std::uint32_t capacity) {
  ReceiveRequest request{.id = next_id++, .sgl = {}};
  std::vector<Piece>& pieces = buffers[request.id];
  const std::uint32_t count = capacity == 0 ? dice.below(2) : dice.between(1, 4);
  for (std::uint32_t at = 0, left = capacity; at < count; ++at) {
    const std::uint32_t length = at + 1 == count ? left : dice.below(left + 1);
    left -= length;
    EXPECT_LE(used + length + 8, memory.size());
    pieces.push_back({used, length});
    // A length of zero needs no STag (Verbs 1.0 §8.1.3.2).
    request.sgl.add({length == 0 ? 0xdead0000 : stag, length, base + used});
    used += length + dice.below(8);
  }
  return request;
}

Bytes ReceivePool::content(std::uint64_t id, std::uint32_t length) const {
  Bytes all;
  for (const Piece& piece : buffers.at(id)) {
    const std::size_t taken = std::min<std::size_t>(piece.length, length - all.size());
    const auto from = memory.begin() + static_cast<std::ptrdiff_t>(piece.start);
    all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(taken));
  }
  return all;
}

bool ReceivePool::rest_untouched(std::uint64_t id, std::uint32_t length) const {
  std::size_t skip = length;
  for (const Piece& piece : buffers.at(id)) {
    for (std::size_t at = 0; at < piece.length; ++at) {
      if (skip != 0) {
        --skip;
      } else if (memory[piece.start + at] != fill) {
        return false;
      }
    }
  }
  return true;
}

void ReceivePool::reset() {
  std::fill(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(used), fill);
  used = 0;
}

Side::Side(SoftRnic& owner, PdId domain, ReceivePool& receive_pool, Dice& dice)
    : rnic(owner),
      pool(receive_pool),
      pd(domain),
      memory(pattern(side_memory, static_cast<std::uint32_t>(dice.word()))),
      model(memory) {
  const std::uint64_t base = (dice.word() >> 20) * 8;
  Mapping mapping;
  mapping.buffers = contiguous(memory.data(), memory.size());
  mapping.length = memory.size();
  mapping.virtual_address = base;
  mapping.rights = access::local | access::remote | access::bind;
  const auto region = rnic.register_region(pd, static_cast<Byte>(dice.word()), true, mapping);
  EXPECT_EQ(region.status, Status::ok);
  const auto part_of_all = [&](std::size_t start, std::size_t length) {
    return Door{.stag = region.value, .start = start, .length = length, .base = base + start, .valid = true};
  };
  all_own = part_of_all(0, own_size);
  all_target = part_of_all(target_start, target_size);
  all_words = part_of_all(words_start, word_count * 8);
  for (std::vector<Door>* doors : {&outer, &inner}) {
    for (const Door::Kind kind : {Door::Kind::fast, Door::Kind::fast, Door::Kind::window}) {
      const auto index = kind == Door::Kind::window ? rnic.allocate_window(pd)
                                                    : rnic.allocate_region(pd, target_size / 256 + 2, true);
      EXPECT_EQ(index.status, Status::ok);
      doors->push_back({.kind = kind, .stag = make_stag(index.value, 0)});
    }
  }
}

void Side::make_buffer(Dice& dice, std::uint32_t capacity) {
  to_receive.push_back(pool.make(dice, capacity));
  ++buffers_made;
}

void Side::new_round(Dice& dice) {
  for (Door& door : outer) {
    door.withdrawn = door.doubtful || (door.valid && dice.one_in(5));
    door.offered = door.valid && !door.withdrawn;
  }
  work.clear();
  posted = 0;
  expected.clear();
  to_receive.clear();
  buffers_made = 0;
  receive_ids.clear();
  messages.clear();
  send_log.clear();
  receive_log.clear();
}

}  // namespace iwarp::rnic::test
