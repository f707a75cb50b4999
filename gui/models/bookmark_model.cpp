// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/bookmark_model.hpp"

#include <algorithm>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr int bookmark_columns = 4;

QString range_words(const Place& place, TimeNs origin) {
  if (!place.range) return QObject::tr("all of the capture");
  const auto words = [](std::uint64_t ns) {
    return QString::fromStdString(duration_text(static_cast<TimeNs>(std::min<std::uint64_t>(ns, INT64_MAX))));
  };
  const std::uint64_t from =
      place.range->from > origin ? TimeSpan{origin, place.range->from}.length() : std::uint64_t{0};
  return QObject::tr("%1 from %2 on").arg(words(place.range->length()), words(from));
}

QString selection_words(const Selection& selection) {
  QStringList words;
  if (selection.stream) words << QObject::tr("stream %1").arg(*selection.stream);
  if (selection.frame) words << QObject::tr("frame %1").arg(*selection.frame);
  if (selection.stag)
    words << QObject::tr("STag %1").arg(QString::fromStdString(hex_text(selection.stag->stag, 8)));
  return words.isEmpty() ? QObject::tr("nothing") : words.join(QStringLiteral(", "));
}

}  // namespace

BookmarkModel::BookmarkModel(Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent), workspace_(workspace), rows_(static_cast<int>(bookmarks().size())) {
  connect(&workspace.session(), &Session::bookmarks_changed, this, &BookmarkModel::update);
}

// One was added, removed or changed; or all of them are others.
void BookmarkModel::update() {
  const int next = static_cast<int>(bookmarks().size());
  if (next == rows_) {
    if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, bookmark_columns - 1));
    return;
  }
  beginResetModel();
  rows_ = next;
  endResetModel();
}

int BookmarkModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

int BookmarkModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : bookmark_columns;
}

QVariant BookmarkModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const auto at = static_cast<std::size_t>(index.row());
  if (at >= bookmarks().size()) return {};
  const Bookmark& of = bookmarks()[at];
  if (role == Qt::EditRole && index.column() == note) return of.note;
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
    case note: return of.note.isEmpty() ? tr("(no note)") : of.note;
    case range: return range_words(of.place, workspace_.document().span().from);
    case filter: return of.place.filter.empty() ? tr("all counts") : QString::fromStdString(of.place.filter);
    default: return selection_words(of.place.selection);
  }
}

QVariant BookmarkModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
      section >= bookmark_columns) {
    return QAbstractTableModel::headerData(section, orientation, role);
  }
  const QString titles[bookmark_columns]{tr("Note"), tr("Seen"), tr("Filter"), tr("Selected")};
  return titles[section];
}

Qt::ItemFlags BookmarkModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags all = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == note ? all | Qt::ItemIsEditable : all;
}

bool BookmarkModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::EditRole || index.column() != note) {
    return false;
  }
  workspace_.session().set_note(static_cast<std::size_t>(index.row()), value.toString());
  return true;
}

bool BookmarkModel::removeRows(int row, int count, const QModelIndex& parent) {
  if (parent.isValid() || row < 0 || count < 0 || row + count > rows_) return false;
  for (int left = count; left > 0; --left)
    workspace_.session().remove_bookmark(static_cast<std::size_t>(row));
  return true;
}

}  // namespace iwarp::gui
