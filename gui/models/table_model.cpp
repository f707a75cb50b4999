// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/table_model.hpp"

#include <algorithm>
#include <limits>

namespace iwarp::gui {

TableModel::TableModel(Workspace& workspace, std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent),
      workspace_(workspace),
      columns_(std::move(columns)),
      levels_(workspace.levels().levels()) {}

void TableModel::begin() {
  connect(&workspace_.levels(), &LevelsBuilder::changed, this, &TableModel::update);
  update();
}

std::optional<int> TableModel::place_of(std::uint32_t row) const noexcept {
  const auto found =
      std::find_if(order_.begin(), order_.end(), [row](const Entry& entry) { return entry.row == row; });
  if (found == order_.end()) return std::nullopt;
  return static_cast<int>(found - order_.begin());
}

std::vector<std::uint32_t> TableModel::rows() const {
  std::vector<std::uint32_t> rows;
  rows.reserve(order_.size());
  for (const Entry& entry : order_) rows.push_back(entry.row);
  return rows;
}

int TableModel::column_of(const char* key) const noexcept {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [key](const TableColumn& column) { return qstrcmp(column.key, key) == 0; });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const std::uint32_t row = row_at(index.row());
  if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return text(row, index.column());
  if (role == Qt::TextAlignmentRole) {
    const bool number = columns_[static_cast<std::size_t>(index.column())].number;
    return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  }
  return more(row, index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
    return QAbstractTableModel::headerData(section, orientation, role);
  }
  const TableColumn& column = columns_[static_cast<std::size_t>(section)];
  switch (role) {
    case Qt::DisplayRole: return QString::fromUtf8(column.title);
    case Qt::ToolTipRole: return QString::fromUtf8(column.tip);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (column.number ? Qt::AlignRight : Qt::AlignLeft));
    default: return {};
  }
}

QVariant TableModel::more(std::uint32_t, int, int) const {
  return {};
}

QString TableModel::time_text(TimeNs time) const {
  const TimeNs begin = workspace_.document().span().from;
  const bool before = time < begin;
  const std::uint64_t ns = before ? static_cast<std::uint64_t>(begin) - static_cast<std::uint64_t>(time)
                                  : static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(begin);
  const std::uint64_t us = (ns + 500) / 1000;
  return QStringLiteral("%1%2.%3 %4")
      .arg(before ? QStringLiteral("−") : QString())
      .arg(us / 1'000'000)
      .arg(us / 1000 % 1000, 3, 10, QLatin1Char('0'))
      .arg(us % 1000, 3, 10, QLatin1Char('0'))
      .replace(QLatin1Char(' '), QChar(0x202f));
}

TableModel::Entry TableModel::entry(std::uint32_t row) const {
  if (column_ < 0) return {row, row};
  const std::uint64_t key = sort_key(row, column_);
  return {descending_ && key != unknown ? unknown - 1 - key : key, row};
}

void TableModel::sort(int column, Qt::SortOrder order) {
  column_ = column;
  descending_ = order == Qt::DescendingOrder;
  arrange(0);
}

void TableModel::arrange(std::size_t sorted) {
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  std::vector<std::uint32_t> persistent;
  for (const QModelIndex& index : before) persistent.push_back(row_at(index.row()));
  if (sorted == 0) {
    for (Entry& each : order_) each = entry(each.row);
  }
  const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(sorted);
  std::sort(middle, order_.end());
  std::inplace_merge(order_.begin(), middle, order_.end());
  QModelIndexList after;
  for (std::size_t at = 0; at < persistent.size(); ++at) {
    const auto place = place_of(persistent[at]);
    const int column = before[static_cast<qsizetype>(at)].column();
    after.append(place ? index(*place, column) : QModelIndex());
  }
  changePersistentIndexList(before, after);
  emit layoutChanged({}, VerticalSortHint);
}

// The rows that are there are those of the list, up to where they end.
bool TableModel::begins_with_order(const RowList& list) const {
  if (!changes()) return list.size() >= order_.size();
  if (list.size() < order_.size()) return false;
  std::vector<std::uint32_t> known = rows();
  std::sort(known.begin(), known.end());
  for (std::size_t at = 0; at < known.size(); ++at) {
    if (known[at] != list[at]) return false;
  }
  return true;
}

void TableModel::update() {
  const auto next = workspace_.levels().levels();
  const RowList& rows = list(*next);
  constexpr std::size_t most = std::numeric_limits<int>::max();  // rows that Qt can count
  const std::size_t count = std::min(rows.size(), most);
  const std::size_t known = order_.size();
  if (next->scope != levels_->scope || !begins_with_order(rows)) {
    beginResetModel();
    levels_ = next;
    order_.clear();
    order_.reserve(count);
    for (std::size_t at = 0; at < count; ++at) order_.push_back(entry(rows[at]));
    std::sort(order_.begin(), order_.end());
    endResetModel();
    return;
  }
  levels_ = next;
  if (count > known) {
    beginInsertRows({}, static_cast<int>(known), static_cast<int>(count) - 1);
    for (std::size_t at = known; at < count; ++at) order_.push_back(entry(rows[at]));
    endInsertRows();
  }
  if (column_ >= 0 && (changes() || count > known)) arrange(changes() ? 0 : known);
  if (changes() && known > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

}  // namespace iwarp::gui
