// The picture of a ladder: two lifelines, the messages between them, what caused them, and TCP behind.
//
// Painted by any thread: from a flow, and rows of tables that are there.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>

#include "models/flow.hpp"
#include "models/selection.hpp"
#include "scale/work.hpp"
#include "views/ladder_scale.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

struct LadderLook {
  TimeSpan visible;
  LadderOrder order = LadderOrder::folded;
  Selection selection;
  TimeNs origin = 0;  // times are told from here: the capture's first frame
  bool operator==(const LadderLook&) const = default;
};

// Where its parts are, in a picture of some size.
struct LadderLayout {
  explicit LadderLayout(QSize size);

  QRect plot;     // of all that moves with time
  int left = 0;   // x of the initiator's lifeline
  int right = 0;  // … the responder's
  QRect waits;    // bars of latencies
};

[[nodiscard]] Work paint_ladder(QPainter& painter, QSize size, const Flow& flow, const Metrics& metrics,
                                const LadderLook& look, const Theme& theme);

// The message whose arrow is nearest to a point; of bars the slowest in that row; nothing: none is near.
[[nodiscard]] std::optional<std::size_t> message_at(const Flow& flow, const LadderLook& look, QSize size,
                                                    QPoint point);

// "Read Response 65.5 kB · 46 segments · 374 µs".
[[nodiscard]] QString message_words(const Flow& flow, const Metrics& metrics, std::size_t place);
// Where the capture was taken, in a sentence.
[[nodiscard]] QString tap_words(const Tap& tap);

}  // namespace iwarp::gui
