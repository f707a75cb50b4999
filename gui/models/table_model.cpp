// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/table_model.hpp"

#include <algorithm>
#include <limits>

namespace iwarp::gui {
namespace {

constexpr std::size_t most_rows = std::numeric_limits<int>::max();  // that Qt can count

}  // namespace

TableModel::TableModel(Workspace& workspace, std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent),
      workspace_(workspace),
      columns_(std::move(columns)),
      levels_(workspace.levels().levels()) {}

TableModel::~TableModel() {
  stale_->store(true, std::memory_order_relaxed);
  pool_.waitForDone();
}

void TableModel::begin() {
  pool_.setMaxThreadCount(1);
  list_ = &list(*levels_);
  connect(&workspace_.levels(), &LevelsBuilder::changed, this, &TableModel::update);
  update();
}

std::optional<int> TableModel::place_of(std::uint32_t row) const noexcept {
  if (order_.empty()) {
    const std::size_t place = list_->place_of(row);
    return place < count_ && (*list_)[place] == row ? std::optional(static_cast<int>(place)) : std::nullopt;
  }
  // Where keys change, rows may not be in their order any more.
  const auto found = changes() ? std::find(order_.begin(), order_.end(), row)
                               : std::lower_bound(order_.begin(), order_.end(), entry(row),
                                                  [this](std::uint32_t one, const SortEntry& wanted) {
                                                    return entry(one) < wanted;
                                                  });
  if (found == order_.end() || *found != row) return std::nullopt;
  return static_cast<int>(found - order_.begin());
}

std::vector<std::uint32_t> TableModel::rows() const {
  if (!order_.empty()) return order_;
  std::vector<std::uint32_t> rows;
  rows.reserve(count_);
  for (std::size_t at = 0; at < count_; ++at) rows.push_back((*list_)[at]);
  return rows;
}

int TableModel::column_of(const char* key) const noexcept {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [key](const TableColumn& column) { return qstrcmp(column.key, key) == 0; });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(size());
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

SortEntry TableModel::entry(std::uint32_t row) const {
  return sort_entry(sort_key(), workspace_.document().metrics(), *levels_, shown_, row);
}

bool TableModel::settled() const {
  return workspace_.levels().settled() && levels_ == workspace_.levels().levels() && !sorting_ &&
         shown_ == wanted_ && size() == std::min(list_->size(), most_rows);
}

void TableModel::sort(int column, Qt::SortOrder order) {
  wanted_ = {column, column >= 0 && order == Qt::DescendingOrder};
  arrange();
}

// What the model shows becomes what is wanted: at once, or soon.
void TableModel::arrange() {
  const std::size_t count = std::min(list_->size(), most_rows);
  if (!changes() && wanted_.column >= 0 && count > sorted_at_once) return sort_elsewhere();
  stale_->store(true, std::memory_order_relaxed);
  if (!changes() && shown_ == wanted_ && size() == count) return;
  take(sorted_here(), wanted_, count);
}

// The wanted order of rows; nothing: as the list is.
std::vector<std::uint32_t> TableModel::sorted_here() const {
  if (!changes() && wanted_.column < 0) return {};
  if (list_->size() == 0) return {};  // there may be no document yet
  const std::atomic<bool> never{false};
  return sorted_rows(sort_key(), workspace_.document().metrics(), *levels_, *list_, wanted_, {}, never);
}

void TableModel::sort_elsewhere() {
  if (sorting_) {
    // When it ends, the next one begins.
    if (sorting_order_ != wanted_) stale_->store(true, std::memory_order_relaxed);
    return;
  }
  if (shown_ == wanted_ && size() == std::min(list_->size(), most_rows)) return;
  sorting_ = true;
  sorting_order_ = wanted_;
  stale_ = std::make_shared<std::atomic<bool>>(false);
  // The tables live as long as the document: longer than the model, which waits for the thread.
  pool_.start([this, key = sort_key(), metrics = &workspace_.document().metrics(), levels = levels_,
               list = list_, order = wanted_, stale = stale_,
               sorted = shown_ == wanted_ ? order_ : std::vector<std::uint32_t>()] {
    std::vector<std::uint32_t> rows = sorted_rows(key, *metrics, *levels, *list, order, sorted, *stale);
    queue_.post([this, order, stale, rows = std::move(rows)]() mutable {
      sorting_ = false;
      const std::size_t count = rows.size();
      if (!stale->load(std::memory_order_relaxed)) take(std::move(rows), order, count);
      arrange();
      emit settled_changed();
    });
  });
}

void TableModel::take(std::vector<std::uint32_t> rows, const TableOrder& order, std::size_t count) {
  const std::size_t before = size();
  if (count > before) {
    beginInsertRows({}, static_cast<int>(before), static_cast<int>(count) - 1);
    for (std::size_t at = before; !order_.empty() && at < count; ++at) order_.push_back((*list_)[at]);
    count_ = count;
    endInsertRows();
  }
  if (order_.empty() && rows.empty()) {
    shown_ = order;
    return;
  }
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList persistent = persistentIndexList();
  std::vector<std::uint32_t> rows_of_them;
  for (const QModelIndex& index : persistent) rows_of_them.push_back(row_at(index.row()));
  order_ = std::move(rows);
  count_ = count;
  shown_ = order;
  QModelIndexList after;
  for (std::size_t at = 0; at < rows_of_them.size(); ++at) {
    const auto place = place_of(rows_of_them[at]);
    const int column = persistent[static_cast<qsizetype>(at)].column();
    after.append(place ? index(*place, column) : QModelIndex());
  }
  changePersistentIndexList(persistent, after);
  emit layoutChanged({}, VerticalSortHint);
}

// The rows that are there are those of the list, up to where they end.
bool TableModel::begins_with_rows(const RowList& list) const {
  if (list.size() < size()) return false;
  if (!changes()) return true;
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
  if (next->scope != levels_->scope || !begins_with_rows(rows)) {
    stale_->store(true, std::memory_order_relaxed);
    beginResetModel();
    levels_ = next;
    list_ = &rows;
    count_ = std::min(rows.size(), most_rows);
    order_.clear();
    shown_ = {};
    if (changes() || count_ <= sorted_at_once) {
      order_ = sorted_here();
      shown_ = wanted_;
    }
    endResetModel();
  } else {
    levels_ = next;
    list_ = &rows;
  }
  const std::size_t known = size();
  arrange();
  if (changes() && known > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  emit settled_changed();
}

}  // namespace iwarp::gui
