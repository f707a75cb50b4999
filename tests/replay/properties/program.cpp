// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/properties/program.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace iwarp::rnic::test {
namespace {

// Field by field, bit by bit: a carry out of a bit that `mask` names is dropped (RFC 7306 §5.1.1).
std::uint64_t add_in_fields(std::uint64_t word, std::uint64_t addend, std::uint64_t mask) {
  std::uint64_t sum = 0;
  std::uint64_t carry = 0;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t digits = (word >> bit & 1) + (addend >> bit & 1) + carry;
    sum |= (digits & 1) << bit;
    carry = (mask >> bit & 1) != 0 ? 0 : digits >> 1;
  }
  return sum;
}

bool solicits(Operation operation) {
  return operation == Operation::send_se || operation == Operation::send_se_inv ||
         operation == Operation::immediate_se;
}

}  // namespace

std::uint32_t Program::random_size() {
  switch (dice_.below(8)) {
    case 0: return 0;
    case 1: return dice_.between(1, 16);
    case 2:
    case 3: return dice_.between(1, max_message);
    default: return dice_.between(1, 1000);
  }
}

void Program::finish(WorkRequest& request, std::uint64_t original) {
  request.id = own_.next_id++;
  // Now and then one without a completion, but never so many in a row that the SQ is full of them.
  request.signaled = own_.work.size() % 3 == 0 || dice_.one_in(2);
  if (dice_.one_in(4)) request.segment_payload = dice_.between(1, 2000);
  own_.expected.push_back({request.id, request.operation, request.signaled, original});
  own_.work.push_back(request);
}

void Program::add_request(WorkRequest request) {
  const bool signaled = request.signaled;
  finish(request);
  own_.work.back().signaled = own_.expected.back().signaled = signaled;
}

Program::Range Program::range_in(const Door& door, std::uint32_t size) {
  const std::size_t length = std::min<std::size_t>(size, door.length);
  return {door.start + dice_.below(door.length - length + 1), length};
}

Door* Program::any_of(std::vector<Door>& doors, bool (*fits)(const Door&)) {
  std::vector<Door*> found;
  for (Door& door : doors) {
    if (fits(door)) found.push_back(&door);
  }
  return found.empty() ? nullptr : found[dice_.below(found.size())];
}

void Program::fence_if(WorkRequest& request, bool needed) {
  request.read_fence = needed || dice_.one_in(6);
  if (request.read_fence) open_.clear();
}

// Elements that cover `size` octets of somewhere in `own`.
Bytes Program::gather(WorkRequest& request, std::uint32_t size) {
  Bytes content;
  const std::uint32_t count = size == 0 ? dice_.below(2) : dice_.between(1, 4);
  std::vector<Range> ranges;
  for (std::uint32_t left = size, at = 0; at < count; ++at) {
    const std::uint32_t wanted = at + 1 == count ? left : dice_.below(left + 1);
    Door* const other =
        any_of(own_.inner, [](const Door& d) { return d.valid && d.kind == Door::Kind::fast; });
    const Door& door = other != nullptr && other->length >= wanted && dice_.one_in(2) ? *other : own_.all_own;
    const Range range = range_in(door, wanted);
    left -= wanted;
    const auto length = static_cast<std::uint32_t>(range.length);
    request.sgl.add({length == 0 ? 0xdead0000 : door.stag, length, door.to(range.start)});
    content = cat(content, part(own_.model, range.start, range.length));
    ranges.push_back(range);
  }
  fence_if(request, std::any_of(open_.begin(), open_.end(), [&](const Open& read) {
             return std::any_of(ranges.begin(), ranges.end(),
                                [&](const Range& range) { return range.overlaps(read.sink); });
           }));
  return content;
}

void Program::add_send() {
  WorkRequest request;
  request.operation = static_cast<Operation>(dice_.below(4));
  Receipt receipt;
  receipt.content = gather(request, random_size());
  if (request.operation == Operation::send_inv || request.operation == Operation::send_se_inv) {
    // An Invalid STag can be invalidated again.
    Door* const door = any_of(
        peer_.outer, dice_.one_in(6) ? [](const Door& d) { return d.offered; }
                                     : [](const Door& d) { return d.offered && d.valid; });
    if (door == nullptr) {
      request.operation = request.operation == Operation::send_inv ? Operation::send : Operation::send_se;
    } else {
      const bool used = std::any_of(open_.begin(), open_.end(),
                                    [&](const Open& read) { return read.source_stag == door->stag; });
      if (used) fence_if(request, true);
      request.stag = door->stag;
      door->valid = false;
      receipt.invalidated = true;
      receipt.invalidated_stag = door->stag;
    }
  }
  receipt.solicited = solicits(request.operation);
  peer_.messages.push_back(receipt);
  finish(request);
}

void Program::add_write() {
  WorkRequest request{.operation = Operation::rdma_write};
  Door* const other = any_of(peer_.outer, [](const Door& d) { return d.offered && d.valid; });
  const Door& door = other != nullptr && dice_.one_in(2) ? *other : peer_.all_target;
  const Range target = range_in(door, random_size());
  const Bytes content = gather(request, static_cast<std::uint32_t>(target.length));
  // A Write may overtake a Read Response that is not made yet.
  const bool overtakes =
      std::any_of(open_.begin(), open_.end(), [&](const Open& read) { return target.overlaps(read.source); });
  if (overtakes) fence_if(request, true);
  request.stag = content.empty() ? 0xdead0001 : door.stag;
  request.to = content.empty() ? dice_.word() : door.to(target.start);
  std::copy(content.begin(), content.end(), peer_.model.begin() + static_cast<std::ptrdiff_t>(target.start));
  finish(request);
}

void Program::add_read() {
  WorkRequest request{.operation = Operation::rdma_read};
  Door* const out = any_of(peer_.outer, [](const Door& d) { return d.offered && d.valid; });
  const Door& from = out != nullptr && dice_.one_in(2) ? *out : peer_.all_target;
  Door* const in = any_of(own_.inner, [](const Door& d) { return d.valid; });
  const bool through = in != nullptr && dice_.one_in(2);
  const Door& into = through ? *in : own_.all_own;
  Range source = range_in(from, random_size());
  source.length = std::min(source.length, into.length);
  const Range sink = range_in(into, static_cast<std::uint32_t>(source.length));
  if (through && dice_.one_in(2)) request.operation = Operation::rdma_read_inv;
  const bool invalidates = request.operation == Operation::rdma_read_inv;
  // Of a Read of nothing no STag is looked at; but what is to be invalidated must be there.
  const bool nothing = source.length == 0;
  request.stag = nothing ? 0xdead0002 : from.stag;
  request.to = nothing ? dice_.word() : from.to(source.start);
  request.sgl.add({nothing && !invalidates ? 0xdead0003 : into.stag, static_cast<std::uint32_t>(sink.length),
                   into.to(sink.start)});
  const Bytes content = part(peer_.model, source.start, source.length);
  std::copy(content.begin(), content.end(), own_.model.begin() + static_cast<std::ptrdiff_t>(sink.start));
  open_.push_back({sink, source, into.stag, from.stag});
  if (invalidates) {
    // Earlier Reads into it are answered before: what they have placed is there.
    in->valid = false;
    in->withdrawn = true;  // until a fence it may still be Valid
  }
  finish(request);
}

void Program::add_atomic() {
  const std::size_t place = words_start + 8 * dice_.below(word_count);
  std::uint64_t word;
  std::memcpy(&word, peer_.model.data() + place, 8);
  WorkRequest request;
  request.stag = peer_.all_words.stag;
  request.to = peer_.all_words.to(place);
  request.atomic.add_swap = dice_.word();
  std::uint64_t changed = word;
  if (dice_.one_in(2)) {
    request.operation = Operation::fetch_add;
    if (dice_.one_in(2)) request.atomic.add_swap_mask = dice_.word() & dice_.word();
    changed = add_in_fields(word, request.atomic.add_swap, request.atomic.add_swap_mask);
  } else {
    request.operation = Operation::cmp_swap;
    request.atomic.add_swap_mask = dice_.one_in(2) ? ~std::uint64_t{0} : dice_.word();
    request.atomic.compare = dice_.one_in(3) ? dice_.word() : word;
    request.atomic.compare_mask = dice_.one_in(2) ? ~std::uint64_t{0} : dice_.word() & dice_.word();
    const bool equal =
        (word & request.atomic.compare_mask) == (request.atomic.compare & request.atomic.compare_mask);
    if (equal) {
      changed =
          (word & ~request.atomic.add_swap_mask) | (request.atomic.add_swap & request.atomic.add_swap_mask);
    }
  }
  std::memcpy(peer_.model.data() + place, &changed, 8);
  Open open{.sink = {}, .source = {place, 8}, .sink_stag = 0, .source_stag = request.stag};
  if (dice_.one_in(2)) {
    Door* const in = any_of(
        own_.inner, [](const Door& d) { return d.valid && d.kind == Door::Kind::fast && d.length >= 8; });
    const Door& into = in != nullptr && dice_.one_in(2) ? *in : own_.all_own;
    open.sink = range_in(into, 8);
    open.sink_stag = into.stag;
    request.sgl.add({into.stag, 8, into.to(open.sink.start)});
    std::memcpy(own_.model.data() + open.sink.start, &word, 8);
  }
  open_.push_back(open);
  finish(request, word);
}

void Program::add_immediate() {
  WorkRequest request;
  request.operation = dice_.one_in(2) ? Operation::immediate : Operation::immediate_se;
  request.immediate = dice_.word();
  fence_if(request, false);
  Receipt receipt;
  receipt.solicited = solicits(request.operation);
  receipt.has_immediate = true;
  receipt.immediate = request.immediate;
  peer_.messages.push_back(receipt);
  finish(request);
}

// Makes it Valid, over a random part of [start, start + size).
void Program::revive(Door& door, std::size_t start, std::size_t size) {
  door.length = dice_.between(64, static_cast<std::uint32_t>(size));
  door.start = start + dice_.below(size - door.length + 1);
  door.stag = make_stag(stag_index(door.stag), static_cast<Byte>(dice_.word()));
  const bool zero_based = dice_.one_in(2);
  const Addressing addressing = zero_based ? Addressing::zero_based : Addressing::virtual_address;
  WorkRequest request;
  if (door.kind == Door::Kind::window) {
    // The Virtual Address is the region's.
    const std::uint64_t address = own_.all_own.base + door.start;
    door.base = zero_based ? 0 : address;
    request.operation = Operation::bind_window;
    request.binding = {.window = door.stag,
                       .region = own_.all_own.stag,
                       .virtual_address = address,
                       .length = door.length,
                       .addressing = addressing,
                       .rights = access::remote};
  } else {
    auto mapping = std::make_shared<Mapping>();
    if (dice_.one_in(2)) {
      mapping->buffers = contiguous(own_.memory.data() + door.start, door.length);
    } else {
      const std::size_t block = 256;
      const std::size_t first = door.start / block;
      mapping->buffers.size = block;
      mapping->buffers.first_byte_offset = door.start % block;
      for (std::size_t at = first; at * block < door.start + door.length; ++at) {
        mapping->buffers.list.push_back(own_.memory.data() + at * block);
      }
    }
    door.base = zero_based ? 0 : dice_.word() >> 8;
    mapping->length = door.length;
    mapping->addressing = addressing;
    mapping->virtual_address = zero_based ? dice_.word() : door.base;
    mapping->rights = access::local | access::remote;
    request.operation = Operation::fast_register;
    request.region = door.stag;
    request.mapping = mapping;
  }
  door.valid = true;
  finish(request);
}

void Program::invalidate(Door& door) {
  WorkRequest request{.operation = Operation::local_invalidate, .stag = door.stag};
  const bool used = door.withdrawn || std::any_of(open_.begin(), open_.end(), [&](const Open& read) {
                      return read.sink_stag == door.stag;
                    });
  request.local_fence = used || dice_.one_in(2);
  if (request.local_fence) open_.clear();
  door.valid = false;
  door.withdrawn = door.doubtful = false;
  finish(request);
}

void Program::add_memory_work() {
  if (dice_.one_in(2)) {
    Door& door = own_.inner[dice_.below(own_.inner.size())];
    if (door.withdrawn || door.doubtful || door.valid) {
      invalidate(door);
    } else {
      revive(door, 0, own_size);
    }
    return;
  }
  // What the peer uses in this round is left alone; what is made Valid is told to it in the next.
  Door& door = own_.outer[dice_.below(own_.outer.size())];
  if (door.withdrawn) {
    invalidate(door);
  } else if (!door.offered && !door.valid) {
    revive(door, target_start, target_size);
  }
}

void Program::add() {
  const std::uint32_t choice = dice_.below(14);
  if (choice < 3) return add_send();
  if (choice < 6) return add_write();
  if (choice < 8) return reads_ ? add_read() : add_write();
  if (choice < 10) return reads_ ? add_atomic() : add_send();
  if (choice < 11) return add_immediate();
  add_memory_work();
}

void Program::add_last() {
  add_send();
  own_.work.back().signaled = own_.expected.back().signaled = true;
}

void Program::make_buffers(std::uint32_t spare) {
  const std::size_t count = peer_.messages.size() + spare;
  for (std::size_t at = peer_.buffers_made; at < count; ++at) {
    // Any of an S-RQ's buffers may get any message.
    std::uint32_t capacity = max_message;
    if (peer_.srq == SrqId::none) {
      capacity = dice_.below(100);
      if (at < peer_.messages.size())
        capacity += static_cast<std::uint32_t>(peer_.messages[at].content.size());
    }
    peer_.make_buffer(dice_, capacity);
  }
}

}  // namespace iwarp::rnic::test
