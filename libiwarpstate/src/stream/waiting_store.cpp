// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/waiting_store.hpp"

#include <cstring>
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

SharedOctets::SharedOctets(ByteView octets)
    : all_(std::make_shared_for_overwrite<Byte[]>(octets.size())),
      all_size_(octets.size()),
      view_(all_.get(), octets.size()) {
  if (!octets.empty()) std::memcpy(all_.get(), octets.data(), octets.size());
}

SharedOctets SharedOctets::part(std::size_t from, std::size_t length) const {
  const ByteView octets = view_.subspan(from, length);
  if (2 * length < all_size_) return SharedOctets(octets);
  SharedOctets shared = *this;
  shared.view_ = octets;
  return shared;
}

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

Piece WaitingStore::part_of(Pieces::const_iterator at, StreamOffset begin, StreamOffset end) {
  return part(at->second, begin - at->first, end - begin);
}

void WaitingStore::clear(Pieces::iterator at, StreamOffset begin, StreamOffset end) {
  const StreamOffset offset = at->first;
  const StreamOffset whole_end = offset + at->second.length();
  if (begin == offset && end == whole_end) {
    remove(at);
    return;
  }
  if (!at->second.octets.empty()) octets_ -= static_cast<std::size_t>(end - begin);
  if (begin == offset) {
    auto rest = pieces_.extract(at++);
    rest.key() = end;
    rest.mapped() = part(rest.mapped(), end - offset, whole_end - end);
    pieces_.insert(at, std::move(rest));
    return;
  }
  if (end < whole_end) pieces_.emplace_hint(std::next(at), end, part_of(at, end, whole_end));
  at->second = part_of(at, offset, begin);
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
