// TableModel: a table of Metrics as Qt's views know it: the rows that count, in the order asked for.
//
// Rows are those of the list as it is, or an index vector where they are sorted. A thread of its own sorts
// many rows; the model shows what it had until they are sorted, and what comes while a capture is read is
// merged in. Cells are made when they are looked at.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QThreadPool>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <iwarp/export/record.hpp>

#include "models/main_queue.hpp"
#include "models/table_order.hpp"
#include "models/workspace.hpp"

namespace iwarp::gui {

struct TableColumn {
  const char* key;  // the field of the record, by which a filter names it; empty: not in filters
  const char* title;
  const char* tip;  // what it means, a sentence
  int characters;   // width that most cells need
  bool number;      // aligned to the right
};

class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  // Rows that are sorted at once: more of them would hold up the window.
  static constexpr std::size_t sorted_at_once = std::size_t{1} << 14U;

  ~TableModel() override;

  // The record of a row, made in the thread of the log; `event` has to live as long.
  using RecordOf = Record (*)(const Log& log, std::uint32_t row, Event& event);

  [[nodiscard]] const std::vector<TableColumn>& table_columns() const noexcept { return columns_; }
  [[nodiscard]] Workspace& workspace() const noexcept { return workspace_; }
  // The table's row behind a row of the model. REQUIRES: at < rowCount().
  [[nodiscard]] std::uint32_t row_at(int at) const noexcept {
    const auto place = static_cast<std::size_t>(at);
    return order_.empty() ? (*list_)[place] : order_[place];
  }
  // Where the model has that row; nothing: it does not count. O(log rows).
  [[nodiscard]] std::optional<int> place_of(std::uint32_t row) const noexcept;
  // All rows of the model, in its order.
  [[nodiscard]] std::vector<std::uint32_t> rows() const;
  // The column with this key; -1 where no column has it.
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
  // The rows that count are all there, in the order that was asked for.
  [[nodiscard]] bool settled() const;

 signals:
  // settled() may be true now.
  void settled_changed();

 protected:
  TableModel(Workspace& workspace, std::vector<TableColumn> columns, QObject* parent);
  // To be called once by constructors of classes derived from it.
  void begin();

  [[nodiscard]] virtual const RowList& list(const Levels& levels) const = 0;
  [[nodiscard]] virtual QString text(std::uint32_t row, int column) const = 0;
  [[nodiscard]] virtual SortKey sort_key() const noexcept = 0;
  [[nodiscard]] virtual QVariant more(std::uint32_t row, int column, int role) const;
  // Values of rows that were there change, and so may their order: of tables that are never large.
  [[nodiscard]] virtual bool changes() const noexcept { return false; }

  [[nodiscard]] const Levels& levels() const noexcept { return *levels_; }
  // Seconds from the first frame of the capture: "1.204 350".
  [[nodiscard]] QString time_text(TimeNs time) const;

 private:
  void update();
  void arrange();
  void sort_elsewhere();
  [[nodiscard]] std::vector<std::uint32_t> sorted_here() const;
  // Shows the first `count` rows of the list, in the order of `rows`, or as they are where that is empty.
  void take(std::vector<std::uint32_t> rows, const TableOrder& order, std::size_t count);
  [[nodiscard]] SortEntry entry(std::uint32_t row) const;
  [[nodiscard]] bool begins_with_rows(const RowList& list) const;
  [[nodiscard]] std::size_t size() const noexcept { return order_.empty() ? count_ : order_.size(); }

  Workspace& workspace_;
  const std::vector<TableColumn> columns_;
  std::shared_ptr<const Levels> levels_;
  const RowList* list_;               // of levels_
  std::size_t count_ = 0;             // rows of the list that the model has, where it has them as they are
  std::vector<std::uint32_t> order_;  // else its rows, sorted as `shown_` says
  TableOrder shown_;
  TableOrder wanted_;
  bool sorting_ = false;  // a thread does
  TableOrder sorting_order_;
  std::shared_ptr<std::atomic<bool>> stale_ = std::make_shared<std::atomic<bool>>(false);  // what it sorts
  MainQueue queue_;
  QThreadPool pool_;
};

}  // namespace iwarp::gui
