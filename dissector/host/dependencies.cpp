// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/dependencies.hpp"

#include "compat/epan.hpp"

namespace iwarp::dissector {
namespace {

// Those that a read filter dropped cannot be saved.
void depend_on(const Frame& frame, FrameNumber number) {
  if (number == frame.number) return;
  if (const std::uint32_t shown = frame.bridge->numbers().shown(number); shown != 0)
    mark_depended_upon(frame.pinfo, shown);
}

// Most FPDUs lie in one frame, and there may be many of them in it.
bool lies_in(const Frame& frame, const FpduFact& fpdu) noexcept {
  return fpdu.pieces.count == 1 && fpdu.pieces.only.frame == frame.number;
}

// Of the messages that an FPDU ends, a Send alone is shown whole.
void depend_on_fpdu(const Frame& frame, const Event& fpdu) {
  if (!lies_in(frame, fpdu.fpdu)) {
    for (const Slice& slice : frame.bridge->analysis().slices(fpdu)) depend_on(frame, slice.frame);
  }
  if (fpdu.fpdu.ddp.tagged() || (fpdu.fpdu.ddp.last() && fpdu.fpdu.ddp.mo == 0)) return;
  for (const std::uint32_t number : frame.bridge->send_frames(fpdu)) depend_on(frame, number);
}

void depend_on_startup(const Frame& frame, const Event& event) {
  const StartupPieces* const pieces =
      frame.bridge->startup_pieces(frame.number, event.connection, event.side);
  if (pieces == nullptr) return depend_on(frame, event.startup.first_frame);
  for (const Slice& slice : pieces->slices) depend_on(frame, slice.frame);
}

void depend_on(const Frame& frame, Events events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::fpdu) depend_on_fpdu(frame, event);
    if (event.kind == EventKind::startup) depend_on_startup(frame, event);
  }
}

}  // namespace

void name_dependencies(const Frame& frame) {
  depend_on(frame, frame.events);
  if (frame.later_pass) depend_on(frame, frame.events_at_end);
}

}  // namespace iwarp::dissector
