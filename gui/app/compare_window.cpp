// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/compare_window.hpp"

#include <QApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

#include "scale/text.hpp"
#include "views/compare_picture.hpp"
#include "views/picture.hpp"

namespace iwarp::gui {

CompareWindow::CompareWindow(Workspace& workspace, std::unique_ptr<Workspace> other, const Theme& theme,
                             QWidget* parent)
    : QWidget(parent, Qt::Window), other_(std::move(other)), theme_(&theme) {
  const auto same_filter = [this, &workspace] {
    QString error;
    other_->session().set_filter(workspace.session().filter(), error);
  };
  connect(&workspace.session(), &Session::filter_changed, this, same_filter);
  same_filter();
  comparison_ = std::make_unique<Comparison>(Comparison::Side{&workspace, std::nullopt},
                                             Comparison::Side{other_.get(), std::nullopt});
  make(theme);
}

CompareWindow::CompareWindow(Workspace& workspace, TimeSpan a, TimeSpan b, const Theme& theme,
                             QWidget* parent)
    : QWidget(parent, Qt::Window),
      comparison_(
          std::make_unique<Comparison>(Comparison::Side{&workspace, a}, Comparison::Side{&workspace, b})),
      theme_(&theme) {
  make(theme);
}

CompareWindow::~CompareWindow() = default;

void CompareWindow::make(const Theme& theme) {
  setWindowTitle(tr("Compare"));
  setAccessibleName(tr("Comparison of two captures or ranges"));
  for (const QKeySequence& keys : {QKeySequence(Qt::CTRL | Qt::Key_W), QKeySequence(Qt::Key_Escape)})
    connect(new QShortcut(keys, this), &QShortcut::activated, this, &QWidget::close);
  connect(new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Q), this), &QShortcut::activated, qApp,
          &QApplication::closeAllWindows);
  const QSize frame(16, 48);  // of the window, about
  resize(QSize(1280, 800).boundedTo(screen()->availableSize() - frame));
  model_ = new CompareModel(*comparison_, this);
  table_ = new QTableView(this);
  table_->setModel(model_);
  table_->setAccessibleName(tr("What differs between A and B"));
  table_->setFrameShape(QFrame::NoFrame);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(Theme::row_height);
  QHeaderView* const header = table_->horizontalHeader();
  header->setHighlightSections(false);
  header->setStretchLastSection(true);
  const int character = QFontMetrics(text_font()).horizontalAdvance(QLatin1Char('0'));
  for (const auto& [column, characters] :
       {std::pair(CompareModel::subject, 30), std::pair(CompareModel::quantity, 20),
        std::pair(CompareModel::a, 11), std::pair(CompareModel::b, 11)}) {
    header->resizeSection(column, characters * character);
  }
  picture_ = new PictureWidget(
      tr("Both distributions of latency"),
      [this](QPainter& painter, QSize size) { return paint_distributions(painter, size); }, this);
  picture_->setMinimumSize(320, 320);
  names_ = new QLabel(this);
  names_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  state_ = new QLabel(this);
  state_->setWordWrap(true);
  auto* const bottom = new QHBoxLayout();
  bottom->setContentsMargins(12, 0, 12, 10);
  bottom->addWidget(state_, 1);
  const auto button = [&](const QString& text, const auto& pressed) {
    auto* const one = new QPushButton(text, this);
    connect(one, &QPushButton::clicked, this, pressed);
    bottom->addWidget(one);
  };
  button(tr("Save as CSV…"), [this] { save_table(TableFormat::csv); });
  button(tr("Save as JSON Lines…"), [this] { save_table(TableFormat::json_lines); });
  button(tr("Save picture…"), [this] { save_picture(); });
  parts_ = new QSplitter(Qt::Horizontal, this);
  parts_->addWidget(table_);
  parts_->addWidget(picture_);
  parts_->setSizes({700, 580});
  auto* const all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  names_->setContentsMargins(12, 10, 12, 4);
  all->addWidget(names_);
  nothing_ = new QLabel(this);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setWordWrap(true);
  nothing_->setMargin(24);
  all->addWidget(parts_, 1);
  all->addWidget(nothing_, 1);
  all->addLayout(bottom);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, picture_,
          qOverload<>(&QWidget::update));
  connect(comparison_.get(), &Comparison::changed, this, &CompareWindow::show_state);
  connect(comparison_.get(), &Comparison::changed, picture_, qOverload<>(&QWidget::update));
  if (other_ != nullptr) {
    connect(&other_->document(), &CaptureDocument::grew, this, &CompareWindow::show_state);
    connect(&other_->document(), &CaptureDocument::ended, this, &CompareWindow::show_state);
  }
  set_theme(theme);
  show_state();
}

void CompareWindow::set_theme(const Theme& theme) {
  theme_ = &theme;
  const QPalette palette = theme.palette();
  setPalette(palette);
  for (QWidget* const child : findChildren<QWidget*>()) child->setPalette(palette);
  table_->horizontalHeader()->setStyleSheet(theme.header_style(4));
  update();
}

void CompareWindow::show_state() {
  names_->setText(tr("A: %1\nB: %2").arg(comparison_->name(0), comparison_->name(1)));
  setWindowTitle(tr("Compare %1 with %2").arg(comparison_->name(0), comparison_->name(1)));
  QString words = tr("What counts is what the filter of the window says. A row shows its distributions.");
  if (other_ != nullptr) {
    const CaptureDocument& document = other_->document();
    const LoadResult& result = document.result();
    if (document.loading()) {
      words = tr("B is being read: %1 frames.")
                  .arg(QString::fromStdString(count_text(document.progress().frames)));
    } else if (!result.sentence.empty()) {
      words = tr("B: %1").arg(QString::fromStdString(result.sentence));
    }
  }
  const QString why_not = why_nothing();
  parts_->setVisible(why_not.isEmpty());
  nothing_->setVisible(!why_not.isEmpty());
  nothing_->setText(why_not);
  state_->setText(why_not.isEmpty() ? words : QString());
}

// Why there is nothing to compare; empty: there is, or it may still come.
QString CompareWindow::why_nothing() const {
  for (std::size_t which = 0; which < 2; ++which) {
    const CaptureDocument& document = comparison_->document(which);
    if (document.loading()) continue;
    const LoadResult& result = document.result();
    const QString name = which == 0 ? tr("A") : tr("B");
    if (result.end == LoadEnd::unreadable)
      return tr("%1 cannot be read: %2").arg(name, QString::fromStdString(result.sentence));
    if (document.metrics().streams().size() == 0) return tr("There is no iWARP in %1.").arg(name);
  }
  return {};
}

Work CompareWindow::paint_distributions(QPainter& painter, QSize size) const {
  const QModelIndex current = table_->currentIndex();
  const bool chosen = current.isValid() && current.row() < model_->rowCount();
  return paint_comparison(painter, size, *comparison_->side(0), *comparison_->side(1),
                          chosen ? model_->row(current.row()).of_class : std::nullopt,
                          {comparison_->name(0), comparison_->name(1)}, *theme_);
}

void CompareWindow::save_table(TableFormat format) {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save comparison"),
      format == TableFormat::csv ? QStringLiteral("comparison.csv") : QStringLiteral("comparison.jsonl"));
  if (path.isEmpty()) return;
  QString error;
  state_->setText(model_->save(path, format, error) ? tr("Saved %1").arg(path) : error);
}

void CompareWindow::save_picture() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save picture"), QStringLiteral("comparison.png"), tr("Pictures (*.png *.svg)"));
  if (path.isEmpty()) return;
  QString error;
  const bool saved =
      write_picture([this](QPainter& painter, QSize size) { return paint_distributions(painter, size); },
                    picture_->size(), devicePixelRatioF(), path, error);
  state_->setText(saved ? tr("Saved %1").arg(path) : error);
}

}  // namespace iwarp::gui
