// TableModel: a table of Metrics as Qt's views know it: the rows that count, in the order asked for.
//
// Rows are an index vector; sorting makes pairs of key and row and sorts these (a million: some 0.1 s), and
// what comes while a capture is read is merged in. Cells are made when they are looked at.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QAbstractTableModel>

#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/export/record.hpp>

#include "models/workspace.hpp"

namespace iwarp::gui {

struct TableColumn {
  const char* key;  // the field of the record, by which a filter names it; empty: it is none
  const char* title;
  const char* tip;  // what it means, a sentence
  int characters;   // width that most cells need
  bool number;      // aligned to the right
};

class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  // Stands for what is not known: always last, whatever the order.
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  // The record of a row, made in the thread of the log; `event` has to live as long.
  using RecordOf = Record (*)(const Log& log, std::uint32_t row, Event& event);

  [[nodiscard]] const std::vector<TableColumn>& table_columns() const noexcept { return columns_; }
  [[nodiscard]] Workspace& workspace() const noexcept { return workspace_; }
  // The table's row behind a row of the model. REQUIRES: at < rowCount().
  [[nodiscard]] std::uint32_t row_at(int at) const noexcept {
    return order_[static_cast<std::size_t>(at)].row;
  }
  // Where the model has that row; nothing: it does not count. O(rows).
  [[nodiscard]] std::optional<int> place_of(std::uint32_t row) const noexcept;
  // All rows of the model, in its order.
  [[nodiscard]] std::vector<std::uint32_t> rows() const;
  // The column with this key; -1: there is none.
  [[nodiscard]] int column_of(const char* key) const noexcept;

  [[nodiscard]] virtual RecordKind record_kind() const noexcept = 0;
  [[nodiscard]] virtual RecordOf record_of() const noexcept = 0;
  [[nodiscard]] virtual Selection selection_of(std::uint32_t row) const = 0;
  // The row that is selected, if it is one of this table.
  [[nodiscard]] virtual std::optional<std::uint32_t> selected(const Selection& selection) const = 0;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // By a column; -1: the order of the table.
  void sort(int column, Qt::SortOrder order) override;

 protected:
  TableModel(Workspace& workspace, std::vector<TableColumn> columns, QObject* parent);
  // To be called once by constructors of classes derived from it.
  void begin();

  [[nodiscard]] virtual const RowList& list(const Levels& levels) const = 0;
  [[nodiscard]] virtual QString text(std::uint32_t row, int column) const = 0;
  // Greater for what comes later.
  [[nodiscard]] virtual std::uint64_t sort_key(std::uint32_t row, int column) const = 0;
  [[nodiscard]] virtual QVariant more(std::uint32_t row, int column, int role) const;
  // Values of rows that were there change, and so may their order.
  [[nodiscard]] virtual bool changes() const noexcept { return false; }

  [[nodiscard]] const Levels& levels() const noexcept { return *levels_; }
  // Seconds from the first frame of the capture: "1.204 350".
  [[nodiscard]] QString time_text(TimeNs time) const;

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t row;

    bool operator<(const Entry& other) const noexcept {
      return key != other.key ? key < other.key : row < other.row;
    }
  };

  void update();
  [[nodiscard]] Entry entry(std::uint32_t row) const;
  // Sorts, where those before `sorted` are in order.
  void arrange(std::size_t sorted);
  [[nodiscard]] bool begins_with_order(const RowList& list) const;

  Workspace& workspace_;
  const std::vector<TableColumn> columns_;
  std::shared_ptr<const Levels> levels_;
  std::vector<Entry> order_;
  int column_ = -1;
  bool descending_ = false;
};

}  // namespace iwarp::gui
