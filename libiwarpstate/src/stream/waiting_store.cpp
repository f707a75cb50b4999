// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/waiting_store.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace iwarp::stream {
namespace {

// The part of `piece` from `skip` on, `length` long, with its origin.
Piece part(const Piece& piece, std::uint64_t skip, std::uint64_t length) {
  Piece result;
  result.origin = piece.origin;
  if (piece.octets.empty()) {
    result.absent = length;
  } else {
    result.octets = piece.octets.part(static_cast<std::size_t>(skip), static_cast<std::size_t>(length));
  }
  result.origin.payload_offset += static_cast<std::uint32_t>(skip);
  result.origin.fin = piece.origin.fin && skip + length == piece.length();
  return result;
}

}  // namespace

SharedOctets::SharedOctets(ByteView octets) : size_(octets.size()) {
  if (octets.size() > few_.size()) {
    all_ = std::make_shared_for_overwrite<Byte[]>(octets.size());
    all_size_ = octets.size();
  }
  std::copy(octets.begin(), octets.end(), all_ ? all_.get() : few_.data());
}

SharedOctets SharedOctets::part(std::size_t from, std::size_t length) const {
  if (!all_ || length <= few_.size() || 2 * length < all_size_)
    return SharedOctets(view().subspan(from, length));
  SharedOctets shared = *this;
  shared.from_ += from;
  shared.size_ = length;
  return shared;
}

WaitingStore::Pieces::iterator WaitingStore::first_behind(StreamOffset offset) {
  // Most come behind all others, or before them.
  if (pieces_.empty() || offset < front_offset()) return pieces_.begin();
  const auto last = std::prev(pieces_.end());
  const auto before = last->first <= offset ? last : std::prev(pieces_.upper_bound(offset));
  return before->first + before->second.length() > offset ? before : std::next(before);
}

void WaitingStore::insert(Pieces::iterator behind, StreamOffset offset, Piece piece) {
  octets_ += piece.octets.size();
  pieces_.emplace_hint(behind, offset, std::move(piece));
}

void WaitingStore::replace(Pieces::iterator at, Piece piece) {
  octets_ += piece.octets.size();
  octets_ -= at->second.octets.size();
  at->second = std::move(piece);
}

Piece WaitingStore::part_of(Pieces::const_iterator at, StreamOffset begin, StreamOffset end) {
  return part(at->second, begin - at->first, end - begin);
}

WaitingStore::Pieces::iterator WaitingStore::clear(Pieces::iterator at, StreamOffset begin,
                                                   StreamOffset end) {
  const StreamOffset offset = at->first;
  const StreamOffset whole_end = offset + at->second.length();
  if (!at->second.octets.empty()) octets_ -= static_cast<std::size_t>(end - begin);
  if (begin == offset && end == whole_end) return pieces_.erase(at);
  if (begin == offset) {
    auto rest = pieces_.extract(at++);
    rest.key() = end;
    rest.mapped() = part(rest.mapped(), end - offset, whole_end - end);
    return pieces_.insert(at, std::move(rest));
  }
  auto behind = std::next(at);
  if (end < whole_end) behind = pieces_.emplace_hint(behind, end, part_of(at, end, whole_end));
  at->second = part_of(at, offset, begin);
  return behind;
}

Piece WaitingStore::pop_front() {
  auto front = pieces_.extract(pieces_.begin());
  octets_ -= front.mapped().octets.size();
  return std::move(front.mapped());
}

void WaitingStore::release_front() {
  pieces_.begin()->second.origin.suspect = false;
}

void WaitingStore::suspect_front() {
  pieces_.begin()->second.origin.suspect = true;
}

StreamOffset WaitingStore::run_end(StreamOffset offset) const {
  if (pieces_.empty() || offset < pieces_.begin()->first) return offset;
  auto at = offset == pieces_.begin()->first ? pieces_.begin() : pieces_.find(offset);
  for (; at != pieces_.end(); ++at) {
    if (at->first != offset || at->second.origin.suspect) break;
    offset += at->second.length();
  }
  return offset;
}

}  // namespace iwarp::stream
