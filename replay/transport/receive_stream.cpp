// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/receive_stream.hpp"

#include <algorithm>

namespace iwarp::replay {

ReceiveStream::Taken ReceiveStream::take(std::int64_t position, ByteView octets, bool fin) {
  if (fin_taken_) return Taken::nothing;
  const std::int64_t behind = position + static_cast<std::int64_t>(octets.size());
  const auto expected = static_cast<std::int64_t>(in_order_);
  if (behind < expected) return Taken::nothing;
  if (position < expected) {
    octets = octets.subspan(static_cast<std::size_t>(expected - position));
    position = expected;
  }
  const auto begin = static_cast<std::uint64_t>(position);
  if (begin > limit()) return Taken::nothing;
  const auto room = static_cast<std::size_t>(limit() - begin);
  if (octets.size() > room) {
    octets = octets.first(room);
    fin = false;
  }
  const Range range{begin, begin + octets.size()};
  if (fin) fin_at_ = range.end;
  const bool had_early = !early_.empty();
  if (!octets.empty()) {
    if (range.begin > in_order_ && !note_early(range)) return Taken::early;
    buffer_.write(range.begin, octets);
    if (range.begin == in_order_) {
      in_order_ = range.end;
      join_early();
    }
  }
  const bool fin_due = fin_at_ == in_order_;
  if (fin_due) fin_taken_ = true;
  if (begin > static_cast<std::uint64_t>(expected)) return Taken::early;
  if (octets.empty() && !fin_due) return Taken::nothing;
  return had_early ? Taken::filling : Taken::in_order;
}

bool ReceiveStream::note_early(Range range) {
  auto first = std::lower_bound(early_.begin(), early_.end(), range.begin,
                                [](const Range& each, std::uint64_t at) { return each.end < at; });
  auto last = first;
  for (; last != early_.end() && last->begin <= range.end; ++last) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
  }
  if (first == last) {
    if (early_.size() == max_ranges) return false;
    early_.insert(first, range);
  } else {
    *first = range;
    early_.erase(first + 1, last);
  }
  return true;
}

void ReceiveStream::join_early() noexcept {
  auto each = early_.begin();
  for (; each != early_.end() && each->begin <= in_order_; ++each) in_order_ = std::max(in_order_, each->end);
  early_.erase(early_.begin(), each);
}

ByteView ReceiveStream::read() noexcept {
  const ByteView octets = buffer_.read(read_, static_cast<std::size_t>(in_order_ - read_));
  read_ += octets.size();
  return octets;
}

void ReceiveStream::drop() noexcept {
  read_ = in_order_;
  buffer_.clear();
  buffer_.release(in_order_);
  early_.clear();
}

}  // namespace iwarp::replay
