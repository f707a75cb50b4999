// Cells of the table of streams that are pictures: findings by severity, and what happened when.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/stream_model.hpp"
#include "views/cell_delegate.hpp"

namespace iwarp::gui {

class FindingsDelegate final : public CellDelegate {
  Q_OBJECT
 public:
  FindingsDelegate(View& view, const StreamModel& streams) : CellDelegate(view), streams_(streams) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const StreamModel& streams_;
};

// Over the time of the whole capture; heights of all streams have one measure, octets in proportion and
// latencies by powers of ten.
class SparkDelegate final : public CellDelegate {
  Q_OBJECT
 public:
  enum What {
    octets,
    latency
  };

  SparkDelegate(View& view, const StreamModel& streams, What what);
  // What the highest bar stands for: octets of payload, or nanoseconds; 0: there is none.
  [[nodiscard]] double greatest() const noexcept { return greatest_; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  static constexpr std::size_t columns = 48;
  using Bars = std::array<double, columns>;
  [[nodiscard]] Bars bars_of(std::uint32_t row) const;
  [[nodiscard]] double height_of(double value) const;
  void measure();

  const StreamModel& streams_;
  const What what_;
  double greatest_ = 0;
};

}  // namespace iwarp::gui
