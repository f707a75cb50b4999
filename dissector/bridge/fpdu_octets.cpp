// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/fpdu_octets.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::dissector {
namespace {

// More than the analyzer itself keeps of early segments, and the longest FPDU besides.
constexpr std::size_t max_kept = (4U << 20U) + (128U << 10U);
// Where it is not known yet whether the stream is iWARP at all: room for the FPDUs that prove it.
constexpr std::size_t max_kept_of_unknown = 256U << 10U;

// Of 32-bit sequence numbers: whether `a` is before `b` (RFC 9293 §3.4).
bool is_before(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace

void FpduOctets::keep(Direction direction, const TcpSegment& segment, std::uint32_t sequence, bool is_iwarp) {
  const ByteView payload = segment.payload;
  if (payload.empty()) return;
  const auto known = open_.find(direction.key());
  std::size_t skip = 0;
  if (known != open_.end() && known->second.used_known && is_before(sequence, known->second.used_up_to)) {
    skip = known->second.used_up_to - sequence;
  }
  if (skip >= payload.size()) return;
  Open& open = known != open_.end() ? known->second : open_[direction.key()];
  Piece& piece = open.pieces.emplace_back();
  piece.frame = segment.frame;
  piece.sequence = sequence + static_cast<std::uint32_t>(skip);
  piece.payload_offset = static_cast<std::uint32_t>(skip);
  piece.octets.assign(payload.begin() + static_cast<std::ptrdiff_t>(skip), payload.end());
  open.octets += piece.octets.size();
  const std::size_t limit = is_iwarp ? max_kept : max_kept_of_unknown;
  while (open.octets > limit && !open.pieces.empty()) {
    open.octets -= open.pieces.front().octets.size();
    open.pieces.pop_front();
  }
}

void FpduOctets::used(Direction direction, std::uint32_t sequence) {
  Open& open = open_[direction.key()];
  open.used_up_to = sequence;
  open.used_known = true;
  std::erase_if(open.pieces, [&](const Piece& piece) {
    const bool done = !is_before(sequence, piece.sequence + static_cast<std::uint32_t>(piece.octets.size()));
    if (done) open.octets -= piece.octets.size();
    return done;
  });
}

ByteView FpduOctets::find_slice(const Open* open, const Slice& slice) noexcept {
  if (open == nullptr) return {};
  const auto piece =
      std::lower_bound(open->pieces.begin(), open->pieces.end(), slice.frame,
                       [](const Piece& each, FrameNumber frame) { return each.frame < frame; });
  if (piece == open->pieces.end() || piece->frame != slice.frame) return {};
  if (slice.payload_offset < piece->payload_offset) return {};
  const std::size_t at = slice.payload_offset - piece->payload_offset;
  if (at + slice.length > piece->octets.size()) return {};
  return ByteView(piece->octets).subspan(at, slice.length);
}

void FpduOctets::put_together(const Event& fpdu, std::span<const Slice> slices, const TcpSegment& present) {
  const auto found = open_.find(Direction{fpdu.connection, fpdu.side}.key());
  const Open* const open = found == open_.end() ? nullptr : &found->second;
  Bytes whole;
  whole.reserve(fpdu.fpdu.wire_size);
  for (const Slice& slice : slices) {
    const bool is_present = slice.frame == present.frame;
    if (is_present && std::size_t{slice.payload_offset} + slice.length > present.payload.size()) return;
    const ByteView octets =
        is_present ? present.payload.subspan(slice.payload_offset, slice.length) : find_slice(open, slice);
    if (octets.size() != slice.length) return;
    whole.insert(whole.end(), octets.begin(), octets.end());
  }
  if (whole.size() != fpdu.fpdu.wire_size) return;
  fpdus_[fpdu_key(fpdu)] = std::make_unique<const Bytes>(std::move(whole));
}

ByteView FpduOctets::find(const Event& fpdu) const noexcept {
  const auto found = fpdus_.find(fpdu_key(fpdu));
  return found == fpdus_.end() ? ByteView() : ByteView(*found->second);
}

}  // namespace iwarp::dissector
