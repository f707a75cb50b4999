// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/bookmarks_panel.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace iwarp::gui {

BookmarksPanel::BookmarksPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      model_(new BookmarkModel(workspace, this)),
      table_(new QTableView(this)),
      go_(new QPushButton(tr("Go there"), this)),
      edit_(new QPushButton(tr("Edit note"), this)),
      remove_(new QPushButton(tr("Remove"), this)) {
  setAccessibleName(tr("Bookmarks"));
  table_->setModel(model_);
  table_->setAccessibleName(tr("Bookmarks"));
  table_->setFrameShape(QFrame::NoFrame);
  table_->setShowGrid(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(Theme::row_height);
  table_->horizontalHeader()->resizeSection(BookmarkModel::note, 320);
  table_->horizontalHeader()->resizeSection(BookmarkModel::range, 240);
  table_->horizontalHeader()->resizeSection(BookmarkModel::filter, 280);
  table_->installEventFilter(this);
  auto* const buttons = new QVBoxLayout();
  for (QPushButton* const button : {go_, edit_, remove_}) buttons->addWidget(button);
  buttons->addStretch(1);
  auto* const all = new QHBoxLayout(this);
  all->setContentsMargins(0, 0, 8, 8);
  all->addWidget(table_, 1);
  all->addLayout(buttons);
  connect(go_, &QPushButton::clicked, this, &BookmarksPanel::go);
  connect(edit_, &QPushButton::clicked, this, &BookmarksPanel::edit);
  connect(remove_, &QPushButton::clicked, this, &BookmarksPanel::remove);
  connect(table_, &QTableView::doubleClicked, this, &BookmarksPanel::go);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &BookmarksPanel::show_state);
  connect(model_, &QAbstractItemModel::modelReset, this, &BookmarksPanel::show_state);
  setFocusProxy(table_);
  show_state();
}

void BookmarksPanel::set_theme(const Theme& theme) {
  table_->horizontalHeader()->setStyleSheet(theme.header_style(4));
}

bool BookmarksPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != table_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: go(); return true;
    case Qt::Key_F2: edit(); return true;
    case Qt::Key_Delete: remove(); return true;
    default: return QWidget::eventFilter(watched, event);
  }
}

void BookmarksPanel::go() {
  const QModelIndex at = table_->currentIndex();
  if (!at.isValid()) return;
  const Place& place = workspace_.session().bookmarks()[static_cast<std::size_t>(at.row())].place;
  workspace_.session().go(workspace_.fitted_place(place));
}

void BookmarksPanel::edit() {
  const QModelIndex at = table_->currentIndex();
  if (at.isValid()) table_->edit(at.siblingAtColumn(BookmarkModel::note));
}

void BookmarksPanel::remove() {
  const QModelIndex at = table_->currentIndex();
  if (!at.isValid()) return;
  const int row = at.row();
  model_->removeRows(row, 1);
  // The next one, so that several can be removed by one key.
  if (model_->rowCount() > 0)
    table_->setCurrentIndex(model_->index(std::min(row, model_->rowCount() - 1), 0));
  show_state();
}

void BookmarksPanel::show_state() {
  const bool there = table_->currentIndex().isValid();
  for (QPushButton* const button : {go_, edit_, remove_}) button->setEnabled(there);
}

}  // namespace iwarp::gui
