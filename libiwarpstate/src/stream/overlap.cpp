// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/overlap.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace iwarp::stream {
namespace {

class Merge {
 public:
  Merge(WaitingStore& store, const Arrival& arrival, bool full)
      : store_(store), arrival_(arrival), full_(full), octets_end_(arrival.offset + arrival.octets.size()) {}

  MergeResult run() {
    place(arrival_.offset, octets_end_);
    place(octets_end_, end());
    return std::move(result_);
  }

 private:
  [[nodiscard]] StreamOffset end() const { return octets_end_ + arrival_.absent; }

  using Position = WaitingStore::Pieces::iterator;

  // A range of the arrival that has octets throughout, or none.
  void place(StreamOffset begin, StreamOffset range_end) {
    if (begin == range_end) return;
    for (Position held = store_.first_behind(begin); begin < range_end;) {
      const StreamOffset free_end =
          held == store_.end() ? range_end : std::clamp(held->first, begin, range_end);
      if (begin < free_end) {
        add(held, begin, free_end);
        begin = free_end;
      } else {
        const StreamOffset overlap_end = std::min(held->first + held->second.length(), range_end);
        held = settle(held, begin, overlap_end);
        begin = overlap_end;
      }
    }
  }

  void add(Position behind, StreamOffset begin, StreamOffset piece_end) {
    const auto length = static_cast<std::uint32_t>(piece_end - begin);
    result_.fresh += length;
    if (full_) {
      result_.refused += length;
    } else {
      store_.insert(behind, begin, piece(begin, piece_end));
    }
  }

  // Returns the first piece behind.
  Position settle(Position held, StreamOffset begin, StreamOffset overlap_end) {
    result_.repeated += static_cast<std::uint32_t>(overlap_end - begin);
    if (begin >= octets_end_) return std::next(held);  // the arrival has no octets here: it adds nothing
    const Piece& first = held->second;
    if (first.octets.empty()) return replace(held, begin, overlap_end);
    const bool second_is_better = first.origin.bad && !arrival_.origin.bad;
    const bool same = compare(held, begin, overlap_end, second_is_better);
    if (!second_is_better) {
      result_.first_kept |= !same;
      return std::next(held);
    }
    if (!same) result_.displaced.push_back({begin, WaitingStore::part_of(held, begin, overlap_end)});
    return replace(held, begin, overlap_end);
  }

  // The same.
  Position replace(Position held, StreamOffset begin, StreamOffset overlap_end) {
    if (begin == held->first && overlap_end == begin + held->second.length()) {
      store_.replace(held, piece(begin, overlap_end));
      return std::next(held);
    }
    const Position behind = store_.clear(held, begin, overlap_end);
    store_.insert(behind, begin, piece(begin, overlap_end));
    return behind;
  }

  bool compare(Position held, StreamOffset begin, StreamOffset overlap_end, bool second_used) {
    const std::size_t length = overlap_end - begin;
    const ByteView first = held->second.octets.view().subspan(begin - held->first, length);
    const ByteView second = arrival_.octets.subspan(begin - arrival_.offset, length);
    const auto [mismatch, unused] = std::mismatch(first.begin(), first.end(), second.begin());
    if (mismatch == first.end()) return true;
    const auto [last, unused_too] = std::mismatch(first.rbegin(), first.rend(), second.rbegin());
    const StreamOffset from = begin + static_cast<std::uint64_t>(mismatch - first.begin());
    const StreamOffset to = overlap_end - static_cast<std::uint64_t>(last - first.rbegin());
    // Pieces come in ascending order: an earlier difference stays where it begins.
    Conflict conflict = result_.conflict.value_or(Conflict{from, 0, false});
    conflict.length = static_cast<std::uint32_t>(to - conflict.offset);
    conflict.second_used |= second_used;
    result_.conflict = conflict;
    return false;
  }

  [[nodiscard]] Piece piece(StreamOffset begin, StreamOffset piece_end) const {
    Piece result;
    result.origin = arrival_.origin;
    result.origin.fin = arrival_.origin.fin && piece_end == end();
    result.origin.payload_offset += static_cast<std::uint32_t>(begin - arrival_.offset);
    if (begin >= octets_end_) {
      result.absent = piece_end - begin;
    } else {
      result.octets = SharedOctets(arrival_.octets.subspan(begin - arrival_.offset, piece_end - begin));
    }
    return result;
  }

  WaitingStore& store_;
  const Arrival& arrival_;
  bool full_;
  StreamOffset octets_end_;
  MergeResult result_;
};

}  // namespace

MergeResult merge(WaitingStore& store, const Arrival& arrival, bool full) {
  return Merge(store, arrival, full).run();
}

}  // namespace iwarp::stream
