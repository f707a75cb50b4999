// LadderScale: where messages of a flow lie from top to bottom of a ladder: by their times, or one below the
// other.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QRect>

#include "models/flow.hpp"

namespace iwarp::gui {

enum class LadderOrder {
  time,   // distances are times
  order,  // one row a message
  folded  // one row a run of equal messages
};

class LadderScale {
 public:
  // REQUIRES: `flow` outlives this object.
  LadderScale(const Flow& flow, TimeSpan visible, LadderOrder order, const QRect& plot);

  [[nodiscard]] LadderOrder order() const noexcept { return order_; }
  [[nodiscard]] const TimeScale& times() const noexcept { return times_; }
  // Messages that end in the pixels [top, bottom).
  [[nodiscard]] PlaceRange places(double top, double bottom) const noexcept;
  // All that are seen.
  [[nodiscard]] PlaceRange places() const noexcept;
  [[nodiscard]] double y(std::size_t place) const noexcept;        // where it ended
  [[nodiscard]] double begun_y(std::size_t place) const noexcept;  // … began
  // Of something else that happened then.
  [[nodiscard]] double y_of(TimeNs time) const noexcept;
  [[nodiscard]] TimeNs time(double y) const noexcept;
  // Messages in the row of this one: 1, but for runs that are folded.
  [[nodiscard]] PlaceRange row_of(std::size_t place) const noexcept;
  // Pixels from one row to the next; 0: distances are times.
  [[nodiscard]] double row_height() const noexcept { return row_height_; }

 private:
  [[nodiscard]] std::size_t units() const noexcept;  // rows of the whole flow
  [[nodiscard]] std::size_t unit_of(std::size_t place) const noexcept;
  [[nodiscard]] std::size_t first_of(std::size_t unit) const noexcept;

  const Flow& flow_;
  LadderOrder order_;
  QRect plot_;
  TimeScale times_;
  std::size_t first_ = 0;  // rows [first_, end_) are seen
  std::size_t end_ = 0;
  double row_height_ = 0;
};

}  // namespace iwarp::gui
