// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/flows_view.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QVBoxLayout>

#include "scale/text.hpp"
#include "views/glyphs.hpp"

namespace iwarp::gui {

FlowsView::FlowsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TableView(new StreamModel(workspace), workspace, theme, tr("Flows: the streams of the capture"),
                parent),
      streams_(static_cast<StreamModel&>(*table())),
      grouped_(new QToolButton(this)),
      throughput_(new SparkDelegate(*this, streams_, SparkDelegate::octets)),
      latency_(new SparkDelegate(*this, streams_, SparkDelegate::latency)),
      legend_(new LegendStrip([this] { return legend(); }, theme, this)) {
  grouped_->setText(tr("Group by hosts"));
  grouped_->setToolTip(tr("Streams below the pair of hosts that they are between (G)"));
  grouped_->setAccessibleName(tr("Group by hosts"));
  grouped_->setCheckable(true);
  grouped_->setFont(small_font());
  auto* const strip = new QHBoxLayout();
  strip->setContentsMargins(8, 4, 8, 4);
  strip->addWidget(grouped_);
  strip->addSpacing(8);
  strip->addWidget(legend_, 1);
  static_cast<QVBoxLayout*>(layout())->addLayout(strip);
  connect(grouped_, &QToolButton::toggled, this, &FlowsView::set_grouped);
  auto* const key = new QShortcut(QKeySequence(Qt::Key_G), this);
  key->setContext(Qt::WidgetWithChildrenShortcut);
  connect(key, &QShortcut::activated, grouped_, &QToolButton::toggle);
  widget().setItemDelegateForColumn(StreamModel::findings, new FindingsDelegate(*this, streams_));
  widget().setItemDelegateForColumn(StreamModel::throughput_spark, throughput_);
  widget().setItemDelegateForColumn(StreamModel::latency_spark, latency_);
  const auto show_legend = [this] { legend_->renew(); };
  connect(&streams_, &QAbstractItemModel::dataChanged, this, show_legend);
  connect(&streams_, &QAbstractItemModel::modelReset, this, show_legend);
  connect(&streams_, &QAbstractItemModel::rowsInserted, this, show_legend);
  connect(this, &TableView::activated, this, &FlowsView::select_slowest);
}

// What the glyphs and the highest bars stand for.
Legend FlowsView::legend() const {
  Legend legend;
  for (const Severity severity :
       {Severity::error, Severity::warning, Severity::note, Severity::information}) {
    legend.push_back({QString::fromLatin1(severity_name(severity)), 10,
                      [this, severity](QPainter& painter, const QRectF& box) {
                        draw_glyph(painter, theme(), severity, box.center(), 10);
                      }});
  }
  const auto bars = [](const QColor& color) {
    return [color](QPainter& painter, const QRectF& box) {
      painter.fillRect(QRectF(box.left(), box.top() + 6, 3, box.height() - 6), color);
      painter.fillRect(QRectF(box.left() + 5, box.top() + 1, 3, box.height() - 1), color);
    };
  };
  if (throughput_->greatest() > 0) {
    const std::string octets = octets_text(static_cast<std::uint64_t>(throughput_->greatest()));
    legend.push_back(
        {tr("payload over the capture's time, the highest bar %1").arg(QString::fromStdString(octets)), 10,
         bars(theme().traffic)});
  }
  if (latency_->greatest() > 0) {
    const std::string longest = duration_text(static_cast<TimeNs>(latency_->greatest()));
    legend.push_back(
        {tr("longest latency by powers of ten, the highest bar %1").arg(QString::fromStdString(longest)), 10,
         bars(theme().of(OperationKind::read))});
  }
  return legend;
}

void FlowsView::set_theme(const Theme& theme) {
  TableView::set_theme(theme);
  legend_->set_theme(theme);
  if (tree_ == nullptr) return;
  tree_->setPalette(theme.palette());
  tree_->header()->setStyleSheet(widget().horizontalHeader()->styleSheet());
  tree_->setStyleSheet(QStringLiteral("QTreeView::item { padding: 5px 8px; }"));
}

void FlowsView::set_grouped(bool grouped) {
  if (grouped && tree_ == nullptr) make_tree();
  if (tree_ == nullptr) return;
  grouped_->setChecked(grouped);
  tree_->setVisible(grouped);
  widget().setVisible(!grouped);
  QWidget* const shown = grouped ? static_cast<QWidget*>(tree_) : &widget();
  setFocusProxy(shown);
  if (isVisible()) shown->setFocus();
  show_selected();
}

void FlowsView::make_tree() {
  pairs_ = new HostPairModel(streams_, this);
  tree_ = new QTreeView(this);
  tree_->setModel(pairs_);
  tree_->setAccessibleName(tr("Streams by pairs of hosts"));
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setUniformRowHeights(true);
  tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  // Over the time of the capture: pictures, which the table has.
  tree_->hideColumn(StreamModel::throughput_spark);
  tree_->hideColumn(StreamModel::latency_spark);
  tree_->header()->setStretchLastSection(true);
  for (int column = 0; column < streams_.columnCount(); ++column) {
    tree_->header()->resizeSection(column, widget().columnWidth(column));
  }
  tree_->header()->resizeSection(StreamModel::stream, 130);
  tree_->header()->setSortIndicatorClearable(true);
  const QHeaderView& sorted = *widget().horizontalHeader();
  tree_->header()->setSortIndicator(sorted.sortIndicatorSection(), sorted.sortIndicatorOrder());
  tree_->setSortingEnabled(true);
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, tree_, 1);
  connect(pairs_, &QAbstractItemModel::modelReset, tree_, &QTreeView::expandAll);
  connect(pairs_, &QAbstractItemModel::modelReset, this, &FlowsView::show_selected);
  connect(&session(), &Session::selection_changed, this, &FlowsView::show_selected);
  connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    if (const auto row = pairs_->stream_row(index)) select_slowest(*row);
  });
  connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            const auto row = pairs_->stream_row(current);
            if (!row || following_) return;
            following_ = true;
            session().select(streams_.selection_of(*row));
            following_ = false;
          });
  tree_->expandAll();
  set_theme(theme());
}

void FlowsView::show_selected() {
  if (following_ || tree_ == nullptr || !tree_->isVisible()) return;
  following_ = true;
  const auto row = streams_.selected(session().selection());
  const QModelIndex index = row ? pairs_->index_of(*row) : QModelIndex();
  if (index.isValid()) {
    tree_->setCurrentIndex(index);
  } else {
    tree_->selectionModel()->clear();
  }
  following_ = false;
}

// Where the question is, what was slow: from a stream to its slowest operation.
void FlowsView::select_slowest(std::uint32_t row) {
  if (const auto slowest = streams_.counts(row).slowest) {
    session().select(select_operation(document().metrics(), *slowest));
  }
}

}  // namespace iwarp::gui
