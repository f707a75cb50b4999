// CompareModel: a comparison as a table, and as a file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QAbstractTableModel>

#include <vector>

#include "models/comparison.hpp"
#include "models/table_export.hpp"

namespace iwarp::gui {

class CompareModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    subject,
    quantity,
    a,
    b,
    change
  };

  // REQUIRES: the comparison outlives this.
  explicit CompareModel(const Comparison& comparison, QObject* parent = nullptr);

  // REQUIRES: row < rowCount().
  [[nodiscard]] const CompareRow& row(int row) const noexcept { return rows_[static_cast<std::size_t>(row)]; }
  // All rows. CSV has a line of titles first. Values are whole numbers of their unit.
  [[nodiscard]] QByteArray to_octets(TableFormat format) const;
  // The same as a file, which is replaced as a whole. False: `error` says why in one sentence.
  bool save(const QString& path, TableFormat format, QString& error) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void update();

  const Comparison& comparison_;
  std::vector<CompareRow> rows_;
};

}  // namespace iwarp::gui
