// Wait bands: when the wire stood still, behind a curve: holes, closed windows, as many outstanding as ORD
// allows. Each kind has a pattern of its own beside its colour; the stronger a band is, the more streams
// waited.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/waits.hpp"
#include "views/legend.hpp"

namespace iwarp::gui {

// What nothing could be sent or delivered for.
inline const std::vector<WaitKind> stood_still{WaitKind::hole, WaitKind::window, WaitKind::at_limit,
                                               WaitKind::no_credit};

[[nodiscard]] QColor color_of(const Theme& theme, WaitKind kind);
[[nodiscard]] QString letter_of(WaitKind kind);  // H, Z, O, R, T; none of idle

// The bands of `kinds` that the track has.
Work paint_wait_bands(QPainter& painter, const Theme& theme, const WaitTrack& track,
                      const std::vector<WaitKind>& kinds, const TimeScale& scale, const QRect& plot);
// Entries for those of `kinds` that are in the track, at whatever time.
void add_wait_bands(Legend& legend, const Theme& theme, const WaitTrack& track,
                    const std::vector<WaitKind>& kinds);

}  // namespace iwarp::gui
