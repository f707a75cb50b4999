// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/inspector_view.hpp"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

#include "views/cell_delegate.hpp"

namespace iwarp::gui {
namespace {

// Lines of facts; what changed is bold and has a mark, and a tint beside that.
class FactDelegate final : public QStyledItemDelegate {
 public:
  FactDelegate(View& view, const QTreeView& tree) : QStyledItemDelegate(&view), view_(view), tree_(tree) {}

  void set_wraps(bool wraps) noexcept { wraps_ = wraps; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = view_.theme();
    const bool changed = index.data(FactModel::changed_role).toBool();
    const bool leads = index.column() > 0 && index.data(FactModel::frame_role).toULongLong() != 0;
    if (option.state.testFlag(QStyle::State_Selected)) {
      paint_selected(*painter, theme, option);
    } else if (changed) {
      QColor tint = theme.of(Severity::warning);
      tint.setAlpha(45);
      painter->fillRect(option.rect, tint);
    }
    QFont font = text_font();
    font.setBold(changed);
    painter->setFont(font);
    painter->setPen(index.column() == 0 ? theme.muted : leads ? theme.accent : theme.text);
    const QRect place = option.rect.adjusted(4, 0, -4, 0);
    const QString text = (changed ? QStringLiteral("● ") : QString()) + index.data().toString();
    if (wraps_ && index.column() > 0) {
      painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextWordWrap, text);
      return;
    }
    painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                      QFontMetrics(font).elidedText(text, Qt::ElideRight, place.width()));
  }
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    constexpr QSize one_line(80, 21);
    if (!wraps_ || index.column() == 0) return one_line;
    const QFontMetrics metrics(text_font());
    const int width = std::max(80, tree_.columnWidth(index.column()) - 8);
    const QRect lines =
        metrics.boundingRect(QRect(0, 0, width, 10'000), Qt::TextWordWrap, index.data().toString());
    return {one_line.width(), one_line.height() + std::max(0, lines.height() - metrics.height())};
  }

 private:
  const View& view_;
  const QTreeView& tree_;
  bool wraps_ = false;
};

}  // namespace

PictureWidget::PictureWidget(const QString& name, Paint paint, QWidget* parent)
    : QWidget(parent), paint_(std::move(paint)) {
  setAccessibleName(name);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setFont(text_font());
}

bool PictureWidget::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && tip_at) {
    const auto* const help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tip_at(help->pos()), this);
    return true;
  }
  return QWidget::event(event);
}

void PictureWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  work_ = paint_(painter, size());
  if (!hasFocus()) return;
  painter.setPen(QPen(palette().color(QPalette::Link), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void PictureWidget::keyPressEvent(QKeyEvent* event) {
  if (!on_key || !on_key(*event)) QWidget::keyPressEvent(event);
}

void PictureWidget::mousePressEvent(QMouseEvent* event) {
  if (on_press) on_press(*event);
}

void PictureWidget::mouseMoveEvent(QMouseEvent* event) {
  if (on_move) on_move(*event);
}

void PictureWidget::wheelEvent(QWheelEvent* event) {
  if (on_wheel) on_wheel(*event);
  event->accept();
}

InspectorView::InspectorView(Workspace& workspace, const Theme& theme, const QString& name,
                             QStringList titles, QWidget* parent)
    : View(workspace, theme, name, parent),
      facts_(new FactModel(std::move(titles), this)),
      pages_(new QStackedWidget(this)),
      placeholder_(new QLabel),
      content_(new QSplitter(Qt::Vertical)),
      lead_(new QWidget),
      tree_(new QTreeView) {
  placeholder_->setAlignment(Qt::AlignCenter);
  placeholder_->setWordWrap(true);
  placeholder_->setMargin(24);
  placeholder_->setTextInteractionFlags(Qt::TextSelectableByKeyboard | Qt::TextSelectableByMouse);
  tree_->setModel(facts_);
  tree_->setAccessibleName(name + tr(" in words"));
  tree_->setItemDelegate(new FactDelegate(*this, *tree_));
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setUniformRowHeights(true);
  tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  tree_->setSelectionBehavior(QAbstractItemView::SelectRows);
  tree_->setIndentation(14);
  tree_->header()->setStretchLastSection(true);
  tree_->header()->setHighlightSections(false);
  tree_->header()->resizeSection(0, 170);
  tree_->header()->setSectionsMovable(false);
  content_->setChildrenCollapsible(false);
  content_->setAccessibleName(name + tr(": picture and words"));
  auto* const parts = new QVBoxLayout(lead_);
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(0);
  content_->addWidget(lead_);
  content_->addWidget(tree_);
  content_->setStretchFactor(1, 1);
  pages_->addWidget(placeholder_);
  pages_->addWidget(content_);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);
  setFocusProxy(tree_);
  connect(facts_, &QAbstractItemModel::modelReset, tree_, &QTreeView::expandAll);
  connect(tree_, &QTreeView::activated, this, &InspectorView::go_to);
  auto* const copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QShortcut::activated, this,
          [this] { QApplication::clipboard()->setText(facts_->as_text()); });
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &View::settled_changed);
  InspectorView::set_theme(theme);
}

void InspectorView::set_theme(const Theme& theme) {
  View::set_theme(theme);
  setPalette(theme.palette());
  setAutoFillBackground(true);
  tree_->header()->setStyleSheet(theme.header_style(6));
  for (PictureWidget* const picture : pictures_) picture->update();
}

Work InspectorView::paint(QPainter& painter, QSize size) {
  resize(size);
  ensurePolished();
  layout()->activate();
  painter.fillRect(QRect(QPoint(), size), theme().window);
  render(&painter, QPoint(), QRegion(), DrawWindowBackground | DrawChildren);
  Work work;
  for (const PictureWidget* const picture : pictures_) work += picture->last_work();
  return work;
}

PictureWidget& InspectorView::add_picture(const QString& name, PictureWidget::Paint paint, int height) {
  auto* const picture = new PictureWidget(name, std::move(paint), nullptr);
  picture->setMinimumHeight(height);
  pictures_.push_back(picture);
  add_widget(picture);
  return *picture;
}

void InspectorView::add_widget(QWidget* widget) {
  lead_->layout()->addWidget(widget);
  QWidget* const last = widget->focusProxy() != nullptr ? widget->focusProxy() : widget;
  setTabOrder(last, tree_);
}

// A window's lower panel is wide and low: there the words stand beside the picture.
void InspectorView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  constexpr int least_width = 800;
  const bool wide = width() >= least_width && width() > 2 * height();
  const Qt::Orientation wanted = wide ? Qt::Horizontal : Qt::Vertical;
  if (content_->orientation() == wanted) return;
  content_->setOrientation(wanted);
  const int room = wanted == Qt::Horizontal ? width() : height();
  const int lead = wanted == Qt::Horizontal ? room * lead_share_ / 100 : lead_->sizeHint().height();
  content_->setSizes({lead, std::max(0, room - lead)});
  content_->setStretchFactor(0, wanted == Qt::Horizontal ? 1 : 0);
}

QString InspectorView::placeholder() const {
  return pages_->currentIndex() == 0 ? placeholder_->text() : QString();
}

void InspectorView::show_placeholder(const QString& words) {
  ++newest_;  // what was asked before is not wanted any more
  asked_ = 0;
  if (pages_->currentIndex() == 0 && placeholder_->text() == words) return;
  placeholder_->setText(words);
  placeholder_->setAccessibleName(words);
  pages_->setCurrentIndex(0);
  facts_->set({});
}

void InspectorView::wrap_values() {
  static_cast<FactDelegate*>(tree_->itemDelegate())->set_wraps(true);
  tree_->setUniformRowHeights(false);
  connect(tree_->header(), &QHeaderView::sectionResized, tree_, [this] { tree_->doItemsLayout(); });
}

void InspectorView::show_facts(std::vector<Fact> facts) {
  facts_->set(std::move(facts));
  pages_->setCurrentIndex(1);
  for (PictureWidget* const picture : pictures_) picture->update();
}

void InspectorView::select_frame(FrameNumber frame, TimeNs time, Session::Step step) {
  Selection selection = session().selection();
  selection.frame = frame;
  selection.time = time;
  session().select(selection, step);
}

void InspectorView::go_to(const QModelIndex& index) {
  const FrameNumber frame = facts_->fact(index).frame;
  if (frame == 0) return;
  document().ask<TimeNs>(
      this, "time of a frame",
      [frame](const Log& log) {
        return frame <= log.analysis.last_frame() ? log.analysis.time_of(frame) : 0;
      },
      [this, frame](TimeNs time) { select_frame(frame, time); });
}

}  // namespace iwarp::gui
