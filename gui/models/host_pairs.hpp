// HostPairModel: the streams of a StreamModel below the pair of hosts that they are between.
//
// Pairs stand in the order of their first stream, streams in that of the StreamModel: sorted there, it is
// sorted here. Work: O(streams) where rows come, go or change their order.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QAbstractItemModel>

#include <vector>

#include "models/stream_model.hpp"

namespace iwarp::gui {

class HostPairModel final : public QAbstractItemModel {
  Q_OBJECT
 public:
  // REQUIRES: streams outlives this.
  explicit HostPairModel(StreamModel& streams, QObject* parent = nullptr);

  // The row of StreamTable; nothing: it is a pair of hosts.
  [[nodiscard]] std::optional<std::uint32_t> stream_row(const QModelIndex& index) const;
  // Where a row of StreamTable stands; invalid: it does not count. O(streams).
  [[nodiscard]] QModelIndex index_of(std::uint32_t row) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override { streams_.sort(column, order); }

 private:
  struct Pair {
    IpAddress initiator, responder;
    std::vector<int> places;  // rows of the StreamModel
  };

  void rebuild();
  void update();
  [[nodiscard]] QString text(const Pair& pair, int column) const;

  StreamModel& streams_;
  std::vector<Pair> pairs_;
};

}  // namespace iwarp::gui
