// Marks are set while a cursor passes: the first walk over a connection leaves them behind, every later
// question starts from one. SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/timeline.hpp>

#include <algorithm>

namespace iwarp {

Timeline::Timeline(const Analysis& analysis, std::size_t stride) noexcept
    : analysis_(analysis), stride_(std::max<std::size_t>(stride, 1)) {}

void Timeline::extend() {
  extend(analysis_.events().size());
}

void Timeline::extend(std::size_t count) {
  const Events log = analysis_.events();
  for (count = std::min(count, log.size()); taken_ < count; ++taken_) {
    const ConnectionId connection = log[taken_].connection;
    if (connection >= tracks_.size()) tracks_.resize(connection + std::size_t{1});
    tracks_[connection].events.push_back(static_cast<std::uint32_t>(taken_));
  }
}

std::size_t Timeline::events_up_to(const Track& track, FrameNumber frame) const noexcept {
  const Events log = analysis_.events();
  const auto behind =
      std::upper_bound(track.events.begin(), track.events.end(), frame,
                       [&](FrameNumber wanted, std::uint32_t at) { return wanted < log[at].frame; });
  return static_cast<std::size_t>(behind - track.events.begin());
}

Snapshot Timeline::state_after(ConnectionId connection, FrameNumber frame) {
  if (connection >= tracks_.size()) return nullptr;
  Track& track = tracks_[connection];
  const std::size_t wanted = events_up_to(track, frame);
  if (wanted == 0) return nullptr;
  move_cursor(track, connection, wanted);
  while (track.cursor_events < wanted) step(track);
  return track.cursor;
}

// To the nearest known state that is not behind `events`: where the cursor is, a mark, or the very beginning.
void Timeline::move_cursor(Track& track, ConnectionId connection, std::size_t events) {
  const auto next =
      std::upper_bound(track.marks.begin(), track.marks.end(), events,
                       [](std::size_t wanted, const Mark& mark) { return wanted < mark.events; });
  const Mark* const mark = next == track.marks.begin() ? nullptr : &*std::prev(next);
  const std::size_t from = mark == nullptr ? 0 : mark->events;
  if (track.cursor && track.cursor_events <= events && track.cursor_events >= from) return;
  track.cursor_events = from;
  if (mark != nullptr) {
    track.cursor = std::make_shared<ConnectionState>(*mark->state);
    return;
  }
  track.cursor = std::make_shared<ConnectionState>();
  if (const ConnectionState* const live = analysis_.connection(connection)) {
    track.cursor->id = live->id;
    track.cursor->endpoints = live->endpoints;
  }
}

void Timeline::step(Track& track) {
  // Somebody still holds the state that was returned last: it stays as it is.
  if (track.cursor.use_count() > 1) track.cursor = std::make_shared<ConnectionState>(*track.cursor);
  apply(*track.cursor, analysis_.events()[track.events[track.cursor_events]]);
  ++track.cursor_events;
  if (track.cursor_events % stride_ != 0) return;
  if (!track.marks.empty() && track.marks.back().events >= track.cursor_events) return;
  track.marks.push_back({track.cursor_events, std::make_shared<const ConnectionState>(*track.cursor)});
}

}  // namespace iwarp
