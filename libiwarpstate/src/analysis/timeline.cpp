// Marks are set while a cursor passes: the first walk over a connection leaves them behind, every later
// question starts from one.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/timeline.hpp>

#include <algorithm>

namespace iwarp {

Timeline::Timeline(const Analysis& analysis, std::size_t stride, std::size_t most_marks) noexcept
    : analysis_(analysis), stride_(std::max<std::size_t>(stride, 1)), most_marks_(most_marks) {}

Events Timeline::events_of(FrameNumber frame) {
  if (frame != unpacked_frame_) {
    unpacked_frame_ = frame;
    (void)analysis_.events_of(frame, unpacked_);
  }
  return unpacked_;
}

Snapshot Timeline::state_after(ConnectionId connection, FrameNumber frame) {
  const std::span<const FrameNumber> frames = analysis_.frames_of(connection);
  const auto behind = std::upper_bound(frames.begin(), frames.end(), frame);
  const auto wanted = static_cast<std::size_t>(behind - frames.begin());
  if (wanted == 0) return nullptr;
  if (connection >= tracks_.size()) tracks_.resize(connection + std::size_t{1});
  Track& track = tracks_[connection];
  move_cursor(track, wanted);
  while (track.cursor_frames < wanted) step(track, connection);
  return track.cursor;
}

// To the nearest known state that is not behind `frames`: where the cursor is, a mark, or the very beginning.
void Timeline::move_cursor(Track& track, std::size_t frames) {
  const auto next =
      std::upper_bound(track.marks.begin(), track.marks.end(), frames,
                       [](std::size_t wanted, const Mark& mark) { return wanted < mark.frames; });
  const Mark* const mark = next == track.marks.begin() ? nullptr : &*std::prev(next);
  const std::size_t from = mark == nullptr ? 0 : mark->frames;
  if (track.cursor && track.cursor_frames <= frames && track.cursor_frames >= from) return;
  track.cursor_frames = from;
  if (mark != nullptr) {
    track.cursor = std::make_shared<ConnectionState>(*mark->state);
    return;
  }
  track.cursor = std::make_shared<ConnectionState>();
}

void Timeline::step(Track& track, ConnectionId connection) {
  // Somebody still holds the state that was returned last: it stays as it is.
  if (track.cursor.use_count() > 1) track.cursor = std::make_shared<ConnectionState>(*track.cursor);
  for (const Event& event : events_of(analysis_.frames_of(connection)[track.cursor_frames])) {
    if (event.connection == connection) apply(*track.cursor, event);
  }
  ++track.cursor_frames;
  if (track.cursor_frames % stride_ == 0) set_mark(track);
}

void Timeline::set_mark(Track& track) {
  if (!track.marks.empty() && track.marks.back().frames >= track.cursor_frames) return;
  track.marks.push_back({track.cursor_frames, std::make_shared<const ConnectionState>(*track.cursor)});
  if (++marks_ > most_marks_) thin_marks();
}

void Timeline::thin_marks() {
  stride_ *= 2;
  marks_ = 0;
  for (Track& track : tracks_) {
    std::erase_if(track.marks, [this](const Mark& mark) { return mark.frames % stride_ != 0; });
    marks_ += track.marks.size();
  }
}

}  // namespace iwarp
