// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/request_list.hpp>

#include <algorithm>
#include <utility>

#include "base/hash.hpp"

namespace iwarp {
namespace {

using Which = RequestList::Which;

bool is(const Request& request, Which which) noexcept {
  switch (which) {
    case Which::seen_read:
      return request.kind == RequestKind::read && !request.unseen && request.overtaken_by == 0;
    case Which::seen_atomic:
      return request.kind == RequestKind::atomic && !request.unseen && request.overtaken_by == 0;
    case Which::unseen: return request.unseen;
    case Which::vague: return !key_of(request);
    case Which::certain: return !request.ambiguous && !request.unseen && request.overtaken_by == 0;
    case Which::in_turn: return request.overtaken_by == 0;
  }
  return false;
}

std::size_t hash_of(const RequestKey& key) noexcept {
  return base::hash_of(std::uint64_t{key.name} << 8U | static_cast<std::uint64_t>(key.kind), key.to);
}

}  // namespace

std::optional<RequestKey> key_of(const Request& request) noexcept {
  // Where these fields end (RFC 5040 §4.4, RFC 7306 §5.2.1).
  constexpr std::uint8_t read_size_end = 16;
  constexpr std::uint8_t identifier_end = 8;
  const std::uint8_t needed = request.kind == RequestKind::atomic ? identifier_end : read_size_end;
  if (request.unseen || (request.partial && request.header_octets < needed)) return std::nullopt;
  if (request.kind == RequestKind::atomic) return RequestKey{RequestKey::Kind::atomic, request.request_id, 0};
  if (request.size == 0) return RequestKey{RequestKey::Kind::empty_read, 0, 0};
  return RequestKey{RequestKey::Kind::read, request.sink_stag, request.sink_to};
}

Request& RequestList::back() noexcept {
  auto last = items_.rbegin();
  while (last->gone) ++last;
  return last->request;
}

void RequestList::push_back(const Request& request) {
  if (items_.size() == items_.capacity() && size_ <= items_.size() / 2) tidy();
  items_.push_back({request});
  ++size_;
  if (index_.has_value()) {
    link(index_.edit(), end_place() - 1);
  } else if (size_ > few) {
    build_index();
  }
}

void RequestList::pop_front() noexcept {
  items_[head_].gone = true;
  --size_;
  drop_gone_front();
}

void RequestList::erase(Place place) {
  item(place).gone = true;
  --size_;
  drop_gone_front();
  tidy_if_worth_it();
}

void RequestList::clear() noexcept {
  items_.clear();
  head_ = size_ = 0;
  base_ = moved_end_ = first_place;
  if (!index_.has_value()) return;
  constexpr std::size_t worth_keeping = 256;
  if (index_->chains.size() > worth_keeping) return index_.reset();
  Index& index = index_.edit();
  std::fill(index.chains.begin(), index.chains.end(), Chain());
  index.used = 0;
  index.from.fill(first_place);
}

void RequestList::drop_gone_front() noexcept {
  if (size_ == 0) return clear();
  for (; items_[head_].gone; ++head_) {
    if (index_.has_value()) unlink_front(base_ + head_);
  }
}

void RequestList::move_to_front(Place place) {
  if (place == front_place()) return;
  const Request request = item(place).request;
  item(place).gone = true;
  if (head_ == 0) make_room_in_front();
  --head_;
  items_[head_] = {request};
  moved_end_ = std::max(moved_end_, front_place() + 1);
  if (index_.has_value()) link_in_front(index_.edit(), front_place());
  tidy_if_worth_it();
}

void RequestList::make_room_in_front() {
  constexpr std::size_t least = 8;
  const std::size_t room = std::max(least, items_.size() / 4);
  std::vector<Item> roomy;
  roomy.reserve(room + items_.size() + 1);
  roomy.resize(room);
  roomy.insert(roomy.end(), items_.begin(), items_.end());
  items_ = std::move(roomy);
  head_ = room;
  base_ -= room;
}

void RequestList::tidy_if_worth_it() {
  if (items_.size() - head_ > 2 * (size_ + few)) tidy();
}

// Forgets what is gone.
void RequestList::tidy() {
  const bool only_front = head_ + size_ == items_.size();
  if (only_front) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    base_ += head_;
    head_ = 0;
    return;
  }
  const Place moved_end = std::max(moved_end_, front_place());
  const auto moved = std::count_if(items_.begin() + static_cast<std::ptrdiff_t>(head_),
                                   items_.begin() + static_cast<std::ptrdiff_t>(moved_end - base_),
                                   [](const Item& item) { return !item.gone; });
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
  std::erase_if(items_, [](const Item& item) { return item.gone; });
  head_ = 0;
  base_ = first_place;
  moved_end_ = base_ + static_cast<Place>(moved);
  if (index_.has_value()) build_index();
}

RequestList::Place RequestList::next_live(Place place) const noexcept {
  for (std::size_t at = place - base_; at < items_.size(); ++at) {
    if (!items_[at].gone) return base_ + at;
  }
  return none;
}

RequestList::Place RequestList::next(Place place) const noexcept {
  return next_live(place + 1);
}

RequestList::Place RequestList::place_of(const Request& request) const noexcept {
  std::size_t at = head_;
  while (&items_[at].request != &request) ++at;
  return base_ + at;
}

std::optional<std::uint32_t> RequestList::count_before(Place place, std::uint32_t most) const noexcept {
  std::uint32_t count = 0;
  for (std::size_t at = head_; base_ + at < place; ++at) {
    if (!items_[at].gone && ++count > most) return std::nullopt;
  }
  return count;
}

std::size_t RequestList::first_ending_behind(std::size_t from, StreamOffset offset) const noexcept {
  const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = std::partition_point(
      begin, items_.end(), [offset](const Item& item) { return item.request.end_offset <= offset; });
  return static_cast<std::size_t>(found - items_.begin());
}

RequestList::Place RequestList::first(Which which) noexcept {
  std::size_t at = head_;
  const auto found = [&] { return !items_[at].gone && is(items_[at].request, which); };
  for (; at < items_.size() && base_ + at < moved_end_; ++at) {
    if (found()) return base_ + at;
  }
  Place* const from = index_.has_value() ? &index_.edit().from[static_cast<std::size_t>(which)] : nullptr;
  if (from != nullptr) at = std::max<Place>(base_ + at, *from) - base_;
  while (at < items_.size() && !found()) ++at;
  if (from != nullptr) *from = base_ + at;
  return at < items_.size() ? base_ + at : none;
}

RequestList::Place RequestList::find(const RequestKey& key, bool behind_front) noexcept {
  if (empty()) return none;
  if (!index_.has_value()) {
    for (std::size_t at = head_ + (behind_front ? 1 : 0); at < items_.size(); ++at) {
      if (!items_[at].gone && key_of(items_[at].request) == key) return base_ + at;
    }
    return none;
  }
  Chain& chain = chain_of(index_.edit(), key);
  // Those gone are passed over for good, so that each is passed once.
  const auto pass_gone = [this](Place& place) {
    while (place != none && item(place).gone) place = item(place).same;
    return place;
  };
  if (pass_gone(chain.first) != front_place() || !behind_front) return chain.first;
  Place& next = item(chain.first).same;
  if (pass_gone(next) == none) chain.last = chain.first;
  return next;
}

RequestList::Containing RequestList::find_containing(std::uint32_t stag, std::uint64_t to,
                                                     std::uint32_t length, bool behind_front) const noexcept {
  constexpr std::size_t looked_at = 128;
  Containing found;
  const std::size_t begin = head_ + (behind_front ? 1 : 0);
  for (std::size_t at = begin; at < items_.size() && found.second == none; ++at) {
    found.more = at - begin == looked_at;
    if (found.more) break;
    const Request& request = items_[at].request;
    if (items_[at].gone || request.kind != RequestKind::read || !key_of(request) || request.sink_stag != stag)
      continue;
    const std::uint64_t position = to - request.sink_to;
    if (position >= request.size || position + length > request.size) continue;
    (found.first == none ? found.first : found.second) = base_ + at;
  }
  return found;
}

void RequestList::fill_in(Place place, const Request& request) {
  item(place).request = request;
  if (!index_.has_value()) return;
  Index& index = index_.edit();
  for (Place& from : index.from) from = std::min(from, place);
  const auto key = key_of(request);
  if (!key) return;
  Chain& chain = chain_of(index, *key);
  if (chain.first == none || chain.last < place) return link(index, place);
  if (place < chain.first) {
    item(place).same = std::exchange(chain.first, place);
    return;
  }
  // It is not found by what it asks for where so many before it ask for the same.
  constexpr int most_passed = 1024;
  Place before = chain.first;
  for (int passed = 0; item(before).same < place; before = item(before).same) {
    if (++passed > most_passed) return;
  }
  item(place).same = std::exchange(item(before).same, place);
}

void RequestList::build_index() {
  Index& index = index_.edit();
  std::size_t slots = 4 * few;
  while (slots < 4 * size_) slots *= 2;
  index.chains.assign(slots, Chain());
  index.used = 0;
  index.from.fill(base_);
  for (std::size_t at = head_; at < items_.size(); ++at) {
    items_[at].same = none;
    if (!items_[at].gone) link(index, base_ + at);
  }
}

// The chain of this key, a new one if there is none. REQUIRES: one is free.
RequestList::Chain& RequestList::chain_of(Index& index, const RequestKey& key) noexcept {
  const std::size_t mask = index.chains.size() - 1;
  std::size_t at = hash_of(key) & mask;
  while (index.chains[at].key && *index.chains[at].key != key) at = (at + 1) & mask;
  return index.chains[at];
}

// `place` is behind all that are linked.
void RequestList::link(Index& index, Place place) {
  const auto key = key_of(item(place).request);
  if (!key) return;
  Chain& chain = chain_of(index, *key);
  if (!chain.key) {
    chain.key = key;
    // Keys of requests that are gone stay until there are too many.
    if (++index.used > index.chains.size() / 2) return build_index();
  }
  if (chain.first == none) {
    chain.first = place;
  } else {
    item(chain.last).same = place;
  }
  chain.last = place;
}

// … before all that are linked.
void RequestList::link_in_front(Index& index, Place place) {
  const auto key = key_of(item(place).request);
  if (!key) return;
  Chain& chain = chain_of(index, *key);
  if (!chain.key || chain.first == none) return link(index, place);
  item(place).same = std::exchange(chain.first, place);
}

// What stands at `place`, before all others, leaves the list.
void RequestList::unlink_front(Place place) noexcept {
  const auto key = key_of(item(place).request);
  if (!key) return;
  Chain& chain = chain_of(index_.edit(), *key);
  if (chain.first == place) chain.first = item(place).same;
}

}  // namespace iwarp
