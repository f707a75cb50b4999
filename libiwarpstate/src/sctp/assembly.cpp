// SPDX-License-Identifier: GPL-2.0-or-later
#include "sctp/assembly.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace iwarp::sctp {
namespace {

constexpr std::size_t cost_of_fragment = 128;

Piece piece_of(const Data& data, const SctpPacket& packet) noexcept {
  return {packet.frame, packet.time_ns, data.at, static_cast<std::uint32_t>(data.octets.size()),
          data.wire_length};
}

// Octets behind one that was cut off have no place among those captured.
void append(UserMessage& message, ByteView octets, Piece piece) {
  if (message.cut()) piece.captured = 0;
  message.octets.insert(message.octets.end(), octets.begin(),
                        octets.begin() + static_cast<std::ptrdiff_t>(piece.captured));
  message.length += piece.length;
  message.pieces.push_back(piece);
}

}  // namespace

std::optional<UserMessage> Assembly::add(Tsn tsn, const Data& data, const SctpPacket& packet,
                                         std::uint64_t arrival) {
  if (data.begins && data.ends) {
    UserMessage message{data.stream, data.ppid, data.unordered, tsn, {}, 0, {}, arrival};
    append(message, data.octets, piece_of(data, packet));
    return message;
  }
  waiting_ += data.octets.size() + cost_of_fragment;
  fragments_.insert_or_assign(
      tsn, Fragment{data.stream, data.ppid, data.unordered, data.begins, data.ends,
                    Bytes(data.octets.begin(), data.octets.end()), piece_of(data, packet)});
  auto message = completed_by(tsn, arrival);
  while (waiting_ > max_waiting_) {
    overflowed_ = true;
    drop(fragments_.begin());
  }
  return message;
}

// Fragments of a message have TSNs in sequence.
std::optional<UserMessage> Assembly::completed_by(Tsn tsn, std::uint64_t arrival) {
  auto first = fragments_.find(tsn);
  auto last = first;
  const std::uint16_t stream = first->second.stream;
  std::size_t pieces = 1;
  const auto goes_on = [&](auto before, auto behind) {
    return before->first + 1 == behind->first && before->second.stream == stream &&
           behind->second.stream == stream && !before->second.ends && !behind->second.begins &&
           ++pieces <= max_pieces;
  };
  while (!first->second.begins) {
    if (first == fragments_.begin() || !goes_on(std::prev(first), first)) return std::nullopt;
    --first;
  }
  while (!last->second.ends) {
    if (std::next(last) == fragments_.end() || !goes_on(last, std::next(last))) return std::nullopt;
    ++last;
  }
  const Fragment& begin = first->second;
  UserMessage message{begin.stream, begin.ppid, begin.unordered, last->first, {}, 0, {}, arrival};
  for (const auto end = std::next(last); first != end;) {
    append(message, first->second.octets, first->second.piece);
    drop(first++);
  }
  return message;
}

void Assembly::drop(std::map<Tsn, Fragment>::iterator at) {
  waiting_ -= at->second.octets.size() + cost_of_fragment;
  fragments_.erase(at);
}

void Assembly::forget() noexcept {
  fragments_.clear();
  waiting_ = 0;
}

}  // namespace iwarp::sctp
