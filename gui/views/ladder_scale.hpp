// LadderScale: where messages of a flow, and the steps that began and ended the connection, lie from top to
// bottom of a ladder: by their times, or one below the other.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QRect>

#include "models/flow.hpp"

namespace iwarp::gui {

enum class LadderOrder {
  time,   // distances are times
  order,  // one row a message or step
  folded  // likewise, but one a run of equal messages
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
  // Steps that are seen: places in Flow::steps.
  [[nodiscard]] PlaceRange steps() const noexcept;
  [[nodiscard]] double step_y(std::size_t step) const noexcept;
  // Of something else that happened then.
  [[nodiscard]] double y_of(TimeNs time) const noexcept;
  [[nodiscard]] TimeNs time(double y) const noexcept;
  // Messages in the row of this one: 1, but for runs that are folded.
  [[nodiscard]] PlaceRange row_of(std::size_t place) const noexcept;
  // Pixels from one row to the next; 0: distances are times.
  [[nodiscard]] double row_height() const noexcept { return row_height_; }

 private:
  // Rows of messages alone, and those of messages and steps.
  [[nodiscard]] std::size_t message_row(std::size_t place) const noexcept;
  [[nodiscard]] std::size_t row_of_message(std::size_t place) const noexcept;
  // The first message in a row or below it.
  [[nodiscard]] std::size_t first_of(std::size_t row) const noexcept;
  [[nodiscard]] double middle_of(std::size_t row) const noexcept;

  const Flow& flow_;
  LadderOrder order_;
  QRect plot_;
  TimeScale times_;
  std::vector<std::size_t> step_rows_;  // of Flow::steps, ascending; empty: distances are times
  std::size_t first_ = 0;               // rows [first_, end_) are seen
  std::size_t end_ = 0;
  double row_height_ = 0;
};

}  // namespace iwarp::gui
