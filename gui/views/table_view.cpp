// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/table_view.hpp"

#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "views/cell_delegate.hpp"
#include "views/range_keys.hpp"

namespace iwarp::gui {
namespace {

constexpr int cell_padding = 16;

// Looking at a table selects nothing: Qt would make the first row current when it gets the keyboard.
class Table final : public QTableView {
 public:
  Table(Workspace& workspace, QWidget* parent) : QTableView(parent), workspace_(workspace) {}

  // Letters are the timeline's keys; Qt would look for a row that begins with them, in all rows.
  void keyboardSearch(const QString&) override {}

  void stretch(int column, std::vector<int> yielding) {
    stretched_ = column;
    yielding_ = std::move(yielding);
    horizontalHeader()->setStretchLastSection(false);
  }

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (!plain || !see_by_key(workspace_, event->key())) QTableView::keyPressEvent(event);
  }
  // As QHeaderView::Stretch, but in pictures of what was never shown, too.
  void resizeEvent(QResizeEvent* event) override {
    QTableView::resizeEvent(event);
    if (stretched_ < 0 || std::exchange(arranging_, true)) return;
    constexpr int least = 60;
    constexpr int enough = 200;  // to read what stands there
    for (const int column : yielding_) setColumnHidden(column, false);
    for (auto column = yielding_.begin(); column != yielding_.end() && room() < enough; ++column)
      setColumnHidden(*column, true);
    setColumnWidth(stretched_, std::max(least, room()));
    arranging_ = false;
  }
  void focusInEvent(QFocusEvent* event) override {
    QItemSelectionModel* const selection = selectionModel();
    const bool nothing = selection == nullptr || !currentIndex().isValid();
    {
      const QSignalBlocker quiet(selection);
      QTableView::focusInEvent(event);
      if (nothing && selection != nullptr) selection->clear();
    }
    viewport()->update();
  }

 private:
  // For the stretched column.
  [[nodiscard]] int room() const {
    int others = 0;
    for (int column = 0; column < horizontalHeader()->count(); ++column)
      others += column == stretched_ ? 0 : columnWidth(column);  // 0 where it is hidden
    return viewport()->width() - others;
  }

  Workspace& workspace_;
  int stretched_ = -1;
  std::vector<int> yielding_;  // columns that go, one by one, where that one has no room
  bool arranging_ = false;
};

}  // namespace

TableView::TableView(TableModel* model, Workspace& workspace, const Theme& theme, const QString& name,
                     QWidget* parent)
    : View(workspace, theme, name, parent),
      model_(model),
      widget_(new Table(workspace, this)),
      empty_(new QLabel(widget_->viewport())) {
  model_->setParent(this);
  widget_->setModel(model_);
  widget_->setAccessibleName(name);
  widget_->setItemDelegate(new CellDelegate(*this));
  widget_->setFrameShape(QFrame::NoFrame);
  widget_->setShowGrid(false);
  widget_->setWordWrap(false);
  widget_->setSelectionBehavior(QAbstractItemView::SelectRows);
  widget_->setSelectionMode(QAbstractItemView::SingleSelection);
  widget_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  widget_->setTabKeyNavigation(false);
  widget_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  widget_->verticalHeader()->hide();
  widget_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  widget_->verticalHeader()->setDefaultSectionSize(Theme::row_height);
  QHeaderView* const header = widget_->horizontalHeader();
  header->setHighlightSections(false);
  header->setSectionsMovable(true);
  header->setSortIndicatorClearable(true);
  header->setSortIndicator(-1, Qt::AscendingOrder);
  header->setStretchLastSection(true);
  widget_->setSortingEnabled(true);
  const int character = QFontMetrics(text_font()).horizontalAdvance(QLatin1Char('0'));
  const auto& columns = model_->table_columns();
  for (std::size_t column = 0; column < columns.size(); ++column) {
    // At the right of a title that stands there has the arrow of its order its place.
    const int room = 2 * character + (columns[column].number ? 4 : 0);
    const int title =
        QFontMetrics(text_font()).horizontalAdvance(QString::fromUtf8(columns[column].title)) + room;
    header->resizeSection(static_cast<int>(column),
                          std::max(columns[column].characters * character, title) + cell_padding);
  }
  empty_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  empty_->setWordWrap(true);
  empty_->setMargin(24);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  (new QVBoxLayout(widget_->viewport()))->addWidget(empty_);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(widget_);
  setFocusProxy(widget_);

  connect(widget_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TableView::take_current);
  connect(widget_, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit activated(model_->row_at(index.row())); });
  connect(&workspace.session(), &Session::selection_changed, this, &TableView::show_selection);
  connect(model_, &QAbstractItemModel::modelReset, this, &TableView::show_selection);
  // A row may be selected before it has come.
  connect(model_, &QAbstractItemModel::rowsInserted, this, [this] {
    if (!widget_->currentIndex().isValid()) show_selection();
  });
  connect(model_, &TableModel::settled_changed, this, &View::settled_changed);
  connect(model_, &QAbstractItemModel::modelReset, this, &TableView::show_empty);
  connect(model_, &QAbstractItemModel::rowsInserted, this, &TableView::show_empty);
  connect(model_, &QAbstractItemModel::rowsRemoved, this, &TableView::show_empty);
  connect(&document(), &CaptureDocument::grew, this, &TableView::show_empty);
  connect(&document(), &CaptureDocument::ended, this, &TableView::show_empty);
  TableView::set_theme(theme);
  show_empty();
}

void TableView::stretch(int column, std::vector<int> yielding) {
  static_cast<Table*>(widget_)->stretch(column, std::move(yielding));
}

void TableView::show_empty() {
  const bool empty = model_->rowCount() == 0;
  empty_->setVisible(empty);
  if (!empty) return;
  const bool unreadable = document().result().end == LoadEnd::unreadable;
  empty_->setText(!document().opened()          ? tr("No capture is open.")
                  : document().loading()        ? tr("None so far; the capture is still read.")
                  : unreadable                  ? tr("The capture cannot be read.")
                  : !session().filter().empty() ? tr("None counts with this filter. Take something off it.")
                                                : tr("There are none in this capture."));
  empty_->setAccessibleName(empty_->text());
}

void TableView::set_theme(const Theme& theme) {
  View::set_theme(theme);
  setPalette(theme.palette());
  widget_->setPalette(theme.palette());
  widget_->horizontalHeader()->setPalette(theme.palette());  // of the arrow that tells how it is sorted
  widget_->horizontalHeader()->setStyleSheet(theme.header_style(8));
}

Work TableView::paint(QPainter& painter, QSize size) {
  resize(size);
  ensurePolished();
  if (layout() != nullptr) layout()->activate();
  render(&painter, QPoint(), QRegion(), DrawWindowBackground | DrawChildren);
  const auto cells =
      static_cast<std::size_t>(size.height() / Theme::row_height) * model_->table_columns().size();
  return {cells, cells};
}

void TableView::take_current(const QModelIndex& current) {
  if (!current.isValid() || following_) return;
  following_ = true;
  session().select(model_->selection_of(model_->row_at(current.row())), Session::Step::next);
  following_ = false;
}

void TableView::show_selection() {
  if (following_) return;
  following_ = true;
  const auto row = model_->selected(session().selection());
  const auto place = row ? model_->place_of(*row) : std::nullopt;
  if (place) {
    const QModelIndex index = model_->index(*place, std::max(0, widget_->currentIndex().column()));
    widget_->selectionModel()->setCurrentIndex(
        index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    widget_->scrollTo(index);
  } else {
    widget_->selectionModel()->clear();
  }
  following_ = false;
}

}  // namespace iwarp::gui
