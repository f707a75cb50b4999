// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/shown_events.hpp"

#include <algorithm>

#include "bridge/keys.hpp"

namespace iwarp::dissector {
namespace {

bool is_conclusion(EventKind kind) noexcept {
  return kind == EventKind::message || kind == EventKind::operation || kind == EventKind::finding ||
         kind == EventKind::undecidable;
}

}  // namespace

// `group`: the frame of the fact which it was concluded from; of a fact without octets, the one that it came
// from. A session Terminate is a message over SCTP, while TCP's FIN has no octets of its own.
FrameNumber ShownEvents::frame_of(const Event& event, FrameNumber group) const noexcept {
  FrameNumber frame = 0;
  switch (event.kind) {
    case EventKind::fpdu:
    case EventKind::placed: frame = event.fpdu.placed.frame; break;
    case EventKind::startup: frame = event.startup.placed.frame; break;
    case EventKind::fin:
      if (sctp_streams_.find(event.connection) != nullptr) frame = event.end.segment.frame;
      break;
    case EventKind::message: frame = event.message.placed.frame; break;
    case EventKind::operation: frame = event.operation.response.frame; break;
    case EventKind::finding: frame = event.finding.evidence_count > 0 ? event.finding.evidence[0] : 0; break;
    default: break;
  }
  return frame != 0 ? frame : group;
}

template <typename Visit>
void ShownEvents::for_each_place(Events events, FrameNumber source, Visit visit) const {
  FrameNumber group = source;
  for (const Event& event : events) {
    if (!is_conclusion(event.kind)) group = frame_of(event, source);
    visit(event, frame_of(event, group));
  }
}

void ShownEvents::note(Events events) {
  if (!events.empty()) note_places(events, events.front().frame);
}

void ShownEvents::note_end(Events events) {
  note_places(events, end_of_capture);
  waiting_.clear();
}

void ShownEvents::note_places(Events events, FrameNumber source) {
  for_each_place(events, source, [&](const Event& event, FrameNumber frame) {
    if (event.kind == EventKind::placed) waiting_.insert(fpdu_key(event));
    if (event.kind == EventKind::fpdu && event.fpdu.ahead) waiting_.erase(fpdu_key(event));
    if (event.kind == EventKind::revoked) waiting_.erase(key_of(event.connection, event.revoked.number));
    if (frame == source) return;
    std::vector<FrameNumber>& sources = sources_[frame];
    if (sources.empty() || sources.back() != source) sources.push_back(source);
  });
}

void ShownEvents::as_added(Events events, EventBuffer& to) const {
  for (const Event& event : events) {
    if (event.kind == EventKind::revoked) continue;
    Event& shown = to.emplace_back(event);
    if (event.kind == EventKind::placed) shown.kind = EventKind::fpdu;
    if (event.kind == EventKind::fpdu && event.fpdu.ahead) shown.kind = EventKind::placed;
  }
}

void ShownEvents::collect(Events events, FrameNumber source, FrameNumber frame, EventBuffer& to) const {
  for_each_place(events, source, [&](const Event& event, FrameNumber stands_in) {
    if (event.kind == EventKind::revoked) return;
    if (event.kind == EventKind::placed) {
      if (source != frame || !waiting_.contains(fpdu_key(event))) return;
      to.emplace_back(event).kind = EventKind::fpdu;
    } else if (stands_in == frame) {
      to.push_back(event);
    } else if (event.kind == EventKind::fpdu && source == frame && source != end_of_capture) {
      to.emplace_back(event).kind = EventKind::placed;
    }
  });
}

Events ShownEvents::events_from(FrameNumber source) {
  return analysis_.events_of(source, unpacked_);
}

void ShownEvents::of(FrameNumber frame, EventBuffer& to) {
  collect(events_from(frame), frame, frame, to);
  const auto found = sources_.find(frame);
  if (found == sources_.end()) return;
  for (const FrameNumber source : found->second) collect(events_from(source), source, frame, to);
}

void ShownEvents::at_end(EventBuffer& to) {
  collect(events_from(end_of_capture), end_of_capture, end_of_capture, to);
}

}  // namespace iwarp::dissector
