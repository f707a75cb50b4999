// Chunks and gaps out of the stream. Segments into it: reassembler.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "stream/reassembler.hpp"

namespace iwarp::stream {
namespace {

constexpr std::size_t gap_capacity = 8;

}  // namespace

// Makes what waits at next_ the pending chunk, if it may go.
bool Reassembler::make_ready(const ReadLimit& limit) {
  if (store_.front_offset() != next_ || store_.front().origin.suspect) return false;
  if (next_ >= limit.acknowledged && store_.front().origin.frame > limit.frame) return false;
  Piece piece = store_.pop_front();
  const Origin& origin = piece.origin;
  Chunk& chunk = pending_;
  chunk = {};
  chunk.offset = next_;
  chunk.absent = piece.absent;
  chunk.cause = Absence::snaplen;
  chunk.segment_start = !piece.octets.empty() && origin.payload_offset == 0;
  chunk.payload_offset = origin.payload_offset;
  chunk.frame = origin.frame;
  chunk.time_ns = origin.time_ns;
  chunk.ack = origin.ack;
  chunk.cut = origin.cut;
  bool fin = origin.fin;
  advance(piece.length());
  const bool cut = chunk.absent == 0 && !store_.empty() && store_.front_offset() == next_ &&
                   store_.front().octets.empty() && store_.front().origin.frame == origin.frame &&
                   !store_.front().origin.suspect;
  if (cut) {
    const Piece rest = store_.pop_front();
    chunk.absent = rest.absent;
    fin = rest.origin.fin;
    advance(rest.absent);
  }
  current_ = std::move(piece.octets);
  chunk.octets = current_.view();
  if (fin) note_fin(static_cast<std::int64_t>(next_));
  return true;
}

bool Reassembler::declare_gap(StreamOffset upto, const Placement& shown_by) {
  if (!started_ || pending_ready_ || upto <= next_) return false;
  // What waits behind it shows it to whoever looks at the direction, an acknowledgement only where nothing
  // does.
  const Placement shown = store_.empty() ? shown_by : store_.front().origin.placement();
  StreamOffset end = upto;
  if (end > highest_ + max_window) end = std::max(highest_, fin_.value_or(0));
  if (!store_.empty()) {
    if (store_.front_offset() > next_) {
      end = std::min(end, store_.front_offset());
    } else if (!store_.front().origin.suspect) {
      return false;
    } else if (checksums_are_offloaded()) {
      store_.release_front();
      return true;
    } else {
      end = drop_suspect(upto);
    }
  }
  if (fin_) end = std::min(end, *fin_);
  if (end <= next_) return false;
  pending_ = {};
  pending_.offset = next_;
  pending_.absent = end - next_;
  pending_.cause = Absence::uncaptured;
  pending_.frame = shown.frame;
  pending_.time_ns = shown.time_ns;
  pending_.ack = last_ack_;
  pending_ready_ = true;
  provisional_ = false;
  note_gap(next_, end);
  advance(end - next_);
  available_ = store_.run_end(available_);
  return true;
}

// Takes the suspect octets in front away, those before `upto`; returns where they ended. A FIN behind them is
// believed only where the peer acknowledged it.
StreamOffset Reassembler::drop_suspect(StreamOffset upto) {
  const StreamOffset end = std::min(upto, next_ + store_.front().length());
  const auto front = store_.first_behind(next_);
  const bool fin = front->second.origin.fin && end == next_ + front->second.length();
  store_.clear(front, next_, end);
  // What was not suspect yet, for too few checksums were known, is now.
  if (!store_.empty() && store_.front_offset() == end && store_.front().origin.bad) store_.suspect_front();
  if (fin && std::max(upto, acknowledged_) > end) note_fin(static_cast<std::int64_t>(end));
  return end;
}

std::optional<Hole> Reassembler::hole() const {
  if (!store_.empty()) {
    const Piece& front = store_.front();
    if (store_.front_offset() > next_) return Hole{next_, store_.front_offset(), false};
    if (front.origin.suspect) return Hole{next_, next_ + front.length(), true};
    return std::nullopt;
  }
  if (fin_ && *fin_ > next_) return Hole{next_, *fin_, false};
  return std::nullopt;
}

void Reassembler::advance(std::uint64_t octets) noexcept {
  next_ += octets;
  next_sequence_ += static_cast<std::uint32_t>(octets);
  highest_ = std::max(highest_, next_);
  available_ = std::max(available_, next_);
}

void Reassembler::note_gap(StreamOffset begin, StreamOffset end) {
  if (gaps_.size() == gap_capacity) gaps_.erase(gaps_.begin());
  gaps_.push_back({begin, end});
}

}  // namespace iwarp::stream
