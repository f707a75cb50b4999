// Where the parts of a ladder are, and what is at a point of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QRect>

#include <optional>

#include "models/flow.hpp"
#include "models/selection.hpp"
#include "views/ladder_scale.hpp"

namespace iwarp::gui {

struct LadderLook {
  TimeSpan visible;
  LadderOrder order = LadderOrder::folded;
  Selection selection;
  TimeNs origin = 0;   // times count from here: the capture's first frame
  QString why_stream;  // Workspace::why_stream()
  bool operator==(const LadderLook&) const = default;
};

// Where its parts are, in a picture of some size.
struct LadderLayout {
  static constexpr int axis_width = 84;

  explicit LadderLayout(QSize size);

  QRect plot;     // of all that moves with time
  int left = 0;   // x of the initiator's lifeline
  int right = 0;  // … the responder's
  QRect waits;    // bars of latencies
};

// The message whose arrow is nearest to a point; of bars the slowest in that row; nothing: none is near.
[[nodiscard]] std::optional<std::size_t> message_at(const Flow& flow, const LadderLook& look, QSize size,
                                                    QPoint point);
// The step whose arrow is nearest; nothing: a message is nearer, or none is near.
[[nodiscard]] std::optional<std::size_t> step_at(const Flow& flow, const LadderLook& look, QSize size,
                                                 QPoint point);

}  // namespace iwarp::gui
