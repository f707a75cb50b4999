// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/waiting_store.hpp"

#include <iterator>
#include <utility>

namespace iwarp::stream {
namespace {

using Distance = std::ptrdiff_t;

// The part of `piece` from `skip` on, `length` long, with its origin.
Piece part(const Piece& piece, std::uint64_t skip, std::uint64_t length) {
  Piece result;
  result.origin = piece.origin;
  if (piece.octets.empty()) {
    result.absent = length;
  } else {
    const auto begin = piece.octets.begin() + static_cast<Distance>(skip);
    result.octets.assign(begin, begin + static_cast<Distance>(length));
  }
  result.origin.payload_offset += static_cast<std::uint32_t>(skip);
  result.origin.fin = piece.origin.fin && skip + length == piece.length();
  return result;
}

}  // namespace

WaitingStore::Pieces::iterator WaitingStore::first_behind(StreamOffset offset) {
  auto at = pieces_.upper_bound(offset);
  if (at == pieces_.begin()) return at;
  const auto before = std::prev(at);
  return before->first + before->second.length() > offset ? before : at;
}

void WaitingStore::insert(StreamOffset offset, Piece piece) {
  const std::size_t held = piece.octets.size();
  pieces_.emplace(offset, std::move(piece));
  octets_ += held;
}

Piece WaitingStore::remove(Pieces::iterator at) {
  Piece piece = std::move(at->second);
  pieces_.erase(at);
  octets_ -= piece.octets.size();
  return piece;
}

Piece WaitingStore::cut_out(Pieces::iterator at, StreamOffset begin, StreamOffset end) {
  const StreamOffset offset = at->first;
  Piece whole = remove(at);
  const StreamOffset whole_end = offset + whole.length();
  if (begin == offset && end == whole_end) return whole;
  if (offset < begin) insert(offset, part(whole, 0, begin - offset));
  if (end < whole_end) insert(end, part(whole, end - offset, whole_end - end));
  return part(whole, begin - offset, end - begin);
}

Piece WaitingStore::pop_front() {
  return remove(pieces_.begin());
}

void WaitingStore::release_front() {
  pieces_.begin()->second.origin.suspect = false;
}

void WaitingStore::suspect_front() {
  pieces_.begin()->second.origin.suspect = true;
}

StreamOffset WaitingStore::run_end(StreamOffset offset) const {
  for (auto at = pieces_.find(offset); at != pieces_.end(); ++at) {
    if (at->first != offset || at->second.origin.suspect) break;
    offset += at->second.length();
  }
  return offset;
}

}  // namespace iwarp::stream
