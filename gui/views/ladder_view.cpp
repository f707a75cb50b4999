// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_view.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <cmath>

#include "scale/text.hpp"
#include "views/ladder_words.hpp"
#include "views/range_keys.hpp"
#include "views/range_menu.hpp"

namespace iwarp::gui {
namespace {

constexpr double wheel_notch = 120;
constexpr double wheel_move = 0.15;

}  // namespace

LadderView::LadderView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : View(workspace, theme, tr("Ladder: messages between the two ends of a stream"), parent),
      source_(FlowSource::of(workspace)),
      table_(new MessageModel(workspace, this)),
      by_order_(new QToolButton(this)),
      fold_(new QToolButton(this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  pool_.setMaxThreadCount(1);
  const auto button = [&](QToolButton* one, const QString& text, const QString& tip) {
    one->setText(text);
    one->setAccessibleName(text);
    one->setToolTip(tip);
    one->setCheckable(true);
    one->setChecked(true);
    one->setFont(small_font());
  };
  button(by_order_, tr("By order"), tr("One row a message, instead of distances that are times (O)"));
  button(fold_, tr("Fold"), tr("Runs of four or more equal messages are one row (F)"));
  connect(by_order_, &QToolButton::clicked, this, [this](bool on) {
    set_order(on ? (fold_->isChecked() ? LadderOrder::folded : LadderOrder::order) : LadderOrder::time);
  });
  connect(fold_, &QToolButton::clicked, this,
          [this](bool on) { set_order(on ? LadderOrder::folded : LadderOrder::order); });
  const auto again = qOverload<>(&QWidget::update);
  connect(&source_, &FlowSource::changed, this, again);
  connect(&source_, &FlowSource::changed, this, &View::settled_changed);
  connect(&session(), &Session::range_changed, this, again);
  connect(&session(), &Session::hover_changed, this, again);
  connect(&session(), &Session::selection_changed, this, again);
  connect(&document(), &CaptureDocument::grew, this, again);
  connect(&document(), &CaptureDocument::ended, this, again);
}

LadderView::~LadderView() {
  pool_.waitForDone();
}

void LadderView::set_theme(const Theme& theme) {
  View::set_theme(theme);
}

void LadderView::set_order(LadderOrder order) {
  order_ = order;
  by_order_->setChecked(order != LadderOrder::time);
  fold_->setEnabled(order != LadderOrder::time);
  if (order != LadderOrder::time) fold_->setChecked(order == LadderOrder::folded);
  update();
}

LadderLook LadderView::look() const {
  LadderLook look;
  look.visible = workspace().visible();
  look.order = order_;
  look.selection = session().selection();
  look.origin = document().span().from;
  look.why_stream = workspace().why_stream();
  return look;
}

LadderView::Key LadderView::key() const {
  return {source_.flow(), look(), size(), devicePixelRatioF(), &theme()};
}

bool LadderView::sharp() const {
  return !painting_ && !sheet_.isNull() && painted_ == key();
}

LadderScale LadderView::scale() const {
  static const Flow nothing;
  const Flow& flow = source_.flow() != nullptr ? *source_.flow() : nothing;
  return {flow, workspace().visible(), order_, LadderLayout(size()).plot};
}

Work LadderView::paint(QPainter& painter, QSize size) {
  if (is_empty()) {
    paint_empty(painter, size);
    return {};
  }
  const auto& flow = source_.flow();
  return paint_ladder(painter, size, *flow, document().metrics(), look(), theme());
}

// Steps of the connection alone are a picture, too, but not where a filter leaves no message.
bool LadderView::is_empty() const {
  const auto& flow = source_.flow();
  if (flow == nullptr) return true;
  return flow->messages.empty() && (flow->steps.empty() || !session().filter().empty());
}

void LadderView::paint_empty(QPainter& painter, QSize size) const {
  painter.fillRect(QRect(QPoint(), size), theme().window);
  painter.setPen(theme().muted);
  painter.setFont(text_font());
  QString words = tr("Here are the messages between the two ends of a stream.\n");
  if (!document().opened()) {
    words += tr("No capture is open.");
  } else if (document().loading()) {
    words += tr("The capture is being read.");
  } else if (!session().filter().empty()) {
    words += tr("Of this stream, no message counts by the filter.");
  } else {
    words += tr("No iWARP message was found in it.");
  }
  painter.drawText(QRect(QPoint(), size).adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                   words);
}

void LadderView::want_sheet() {
  const Key wanted = key();
  if (painting_ || wanted == painted_) return;
  painting_ = true;
  const Metrics* const metrics =
      &document().metrics();  // lives as long as the document, so longer than the pool
  pool_.start([this, wanted, metrics] {
    QImage sheet((QSizeF(wanted.size) * wanted.ratio).toSize(), QImage::Format_RGB32);
    sheet.setDevicePixelRatio(wanted.ratio);
    QPainter painter(&sheet);
    const Work work = paint_ladder(painter, wanted.size, *wanted.flow, *metrics, wanted.look, *wanted.theme);
    painter.end();
    queue_.post([this, wanted, sheet, work] {
      painted_ = wanted;
      sheet_ = sheet;
      sheet_work_ = work;
      painting_ = false;
      update();
    });
  });
}

void LadderView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (is_empty()) {
    paint_empty(painter, size());
    return;
  }
  const auto& flow = source_.flow();
  want_sheet();
  const LadderLook now = look();
  painter.fillRect(rect(), theme().window);
  if (sheet_.isNull()) return;
  const LadderLayout layout(size());
  const bool same = painted_.look.visible == now.visible && painted_.look.order == now.order;
  if (same && painted_.size == size()) {
    painter.drawImage(0, 0, sheet_);
  } else {
    // The old one where its times are now.
    const QRect plot = layout.plot;
    const LadderScale next(*flow, now.visible, now.order, plot);
    const double top = next.y_of(painted_.look.visible.from);
    const double bottom = std::max(top + 1, next.y_of(painted_.look.visible.upto));
    const LadderLayout before(painted_.size);
    const QRectF from(0, before.plot.top() * painted_.ratio, painted_.size.width() * painted_.ratio,
                      before.plot.height() * painted_.ratio);
    painter.setClipRect(QRect(0, plot.top(), width(), plot.height()));
    painter.drawImage(QRectF(0, top, width(), bottom - top), sheet_, from);
    painter.setClipping(false);
    painter.drawImage(
        QRectF(0, 0, width(), plot.top()), sheet_,
        QRectF(0, 0, painted_.size.width() * painted_.ratio, before.plot.top() * painted_.ratio));
  }
  paint_marks(painter);
}

void LadderView::paint_marks(QPainter& painter) const {
  const LadderLayout layout(size());
  const LadderScale at = scale();
  const auto line = [&](TimeNs time, const QPen& pen) {
    if (!workspace().visible().contains(time)) return;
    const double y = std::floor(at.y_of(time)) + 0.5;
    painter.setPen(pen);
    painter.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y));
  };
  if (session().hover()) line(*session().hover(), QPen(theme().muted, 1, Qt::DotLine));
  if (!brushed_.empty()) {
    QColor tint = theme().accent;
    tint.setAlpha(50);
    const double top = at.y_of(brushed_.from);
    painter.fillRect(QRectF(layout.plot.left(), top, layout.plot.width(), at.y_of(brushed_.upto) - top),
                     tint);
  }
  if (hasFocus()) {
    painter.setPen(QPen(theme().accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout.plot.adjusted(0, 0, -1, -1));
  }
}

void LadderView::resizeEvent(QResizeEvent*) {
  constexpr int legend_width = 520;
  for (QToolButton* const one : {fold_, by_order_})
    one->setVisible(width() > legend_width);  // their keys stay
  const QSize fold = fold_->sizeHint();
  const QSize order = by_order_->sizeHint();
  fold_->setGeometry(QRect(QPoint(width() - fold.width() - 8, 4), fold));
  by_order_->setGeometry(QRect(QPoint(width() - fold.width() - order.width() - 12, 4), order));
}

void LadderView::wheelEvent(QWheelEvent* event) {
  const TimeSpan seen = workspace().visible();
  const QPoint turned = event->angleDelta();
  const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / wheel_notch;
  if ((event->modifiers() & Qt::ShiftModifier) != 0) {
    const double by = -notches * wheel_move * static_cast<double>(seen.length());
    session().set_range(panned(seen, static_cast<std::int64_t>(by), document().span()),
                        Session::Step::gesture);
  } else {
    const TimeNs anchor = scale().time(event->position().y());
    session().set_range(zoomed(seen, anchor, std::pow(0.8, notches), document().span()),
                        Session::Step::gesture);
  }
  event->accept();
}

void LadderView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && LadderLayout(size()).plot.contains(event->pos()))
    pressed_ = event->pos();
}

void LadderView::mouseMoveEvent(QMouseEvent* event) {
  if (source_.flow() == nullptr) return;
  const bool inside = LadderLayout(size()).plot.contains(event->pos());
  const LadderScale at = scale();
  session().set_hover(inside ? std::optional(at.time(event->pos().y())) : std::nullopt);
  if (!pressed_ || std::abs(event->pos().y() - pressed_->y()) < QApplication::startDragDistance()) return;
  const TimeNs here = at.time(event->pos().y());
  const TimeNs there = at.time(pressed_->y());
  brushed_ = intersection({std::min(here, there), std::max(here, there) + 1}, workspace().visible());
  update();
}

void LadderView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  pressed_.reset();
  if (!brushed_.empty()) return offer(brushed_, event->globalPosition().toPoint());
  if (source_.flow() == nullptr) return;
  const Flow& flow = *source_.flow();
  if (const auto step = step_at(flow, look(), size(), event->pos())) return select_step(flow.steps[*step]);
  const auto place = message_at(flow, look(), size(), event->pos());
  if (!place) return;
  // Of an operation this message, whichever it is: the inspectors show it, and Wireshark its frame.
  const FlowMessage& message = flow.messages[*place];
  Selection selection = select_message(document().metrics(), message.row);
  if (message.operation != FlowMessage::none) selection.operation = message.operation;
  session().select(selection);
}

void LadderView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto& flow = source_.flow();
  const bool any = flow != nullptr && !step_at(*flow, look(), size(), event->pos()) &&
                   message_at(*flow, look(), size(), event->pos());
  if (event->button() == Qt::LeftButton && any) emit view_asked(QStringLiteral("message"));
}

void LadderView::offer(TimeSpan brushed, QPoint where) {
  offer_range(*this, session(), brushed, where, [this] {
    brushed_ = {};
    update();
  });
}

void LadderView::leaveEvent(QEvent*) {
  session().set_hover(std::nullopt);
}

void LadderView::select_step(const FlowStep& step) {
  Selection selection;
  selection.stream = source_.flow()->stream;
  selection.frame = step.frame;
  selection.time = step.time_ns;
  session().select(selection);
}

void LadderView::select_place(std::size_t place) {
  const FlowMessage& message = source_.flow()->messages[place];
  const Metrics& metrics = document().metrics();
  session().select(message.operation != FlowMessage::none ? select_operation(metrics, message.operation)
                                                          : select_message(metrics, message.row));
}

// To the next row, or the one before; where nothing is selected, to the first that is seen.
void LadderView::step(int by) {
  const auto& flow = source_.flow();
  if (flow == nullptr || flow->messages.empty()) return;
  const Selection& selection = session().selection();
  std::optional<std::size_t> at;
  if (selection.message) at = flow->place_of_message(*selection.message);
  if (selection.operation) at = flow->place_of_operation(*selection.operation);
  if (!at) return select_place(std::min(scale().places().begin, flow->messages.size() - 1));
  const PlaceRange row = scale().row_of(*at);
  const std::uint32_t operation = flow->messages[*at].operation;
  std::size_t place = *at;
  for (;;) {
    if (by < 0 && place == 0) return;
    place = by < 0 ? place - 1 : place + 1;
    if (place >= flow->messages.size()) return;
    if (place >= row.begin && place < row.end) continue;
    // Request and response select the same operation: on to the next that asks, or stands alone.
    const FlowMessage& message = flow->messages[place];
    if (operation != FlowMessage::none && message.operation == operation) continue;
    if (message.cause != FlowMessage::none && message.operation != FlowMessage::none &&
        flow->messages[message.cause].operation == message.operation) {
      continue;
    }
    break;
  }
  select_place(place);
  const TimeNs time = flow->messages[place].placed_ns;
  const TimeSpan seen = workspace().visible();
  if (seen.contains(time)) return;
  const TimeNs middle = seen.from + static_cast<TimeNs>(seen.length() / 2);
  session().set_range(panned(seen, time - middle, document().span()), Session::Step::gesture);
}

void LadderView::keyPressEvent(QKeyEvent* event) {
  const TimeSpan seen = workspace().visible();
  const TimeSpan all = document().span();
  const auto see = [this](TimeSpan span) { session().set_range(span, Session::Step::gesture); };
  if (see_by_key(workspace(), event->key())) return;
  switch (event->key()) {
    case Qt::Key_PageUp: return see(panned(seen, -static_cast<std::int64_t>(seen.length()), all));
    case Qt::Key_PageDown: return see(panned(seen, static_cast<std::int64_t>(seen.length()), all));
    case Qt::Key_Up: return step(-1);
    case Qt::Key_Down: return step(1);
    case Qt::Key_O:
      return set_order(order_ != LadderOrder::time ? LadderOrder::time
                       : fold_->isChecked()        ? LadderOrder::folded
                                                   : LadderOrder::order);
    case Qt::Key_F:
      if (order_ == LadderOrder::time) return;
      return set_order(order_ == LadderOrder::folded ? LadderOrder::order : LadderOrder::folded);
    default: View::keyPressEvent(event);
  }
}

bool LadderView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return View::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto& flow = source_.flow();
  const auto seconds = [this](TimeNs time) {
    return static_cast<double>(time - document().span().from) / 1e9;
  };
  const auto step = flow == nullptr ? std::nullopt : step_at(*flow, look(), size(), help->pos());
  if (step) {
    const FlowStep& one = flow->steps[*step];
    const QString when = tr("%1\n%2 s from the first frame, frame %3, sent by the %4")
                             .arg(QString::fromStdString(one.words))
                             .arg(seconds(one.time_ns), 0, 'f', 9)
                             .arg(one.frame)
                             .arg(one.from == Role::initiator ? tr("initiator") : tr("responder"));
    QToolTip::showText(help->globalPos(), when, this);
    return true;
  }
  const auto place = flow == nullptr ? std::nullopt : message_at(*flow, look(), size(), help->pos());
  if (!place) {
    QToolTip::hideText();
    return true;
  }
  const FlowMessage& message = flow->messages[*place];
  QString words = message_words(*flow, document().metrics(), {*place, *place + 1});
  words += QStringLiteral("\n%1 s from the first frame, sent by the %2")
               .arg(seconds(message.placed_ns), 0, 'f', 9)
               .arg(message.from == Role::initiator ? tr("initiator") : tr("responder"));
  if (flow->latency[*place] != no_value) {
    words += tr("\nLatency %1")
                 .arg(QString::fromStdString(duration_text(static_cast<TimeNs>(flow->latency[*place]))));
  }
  QToolTip::showText(help->globalPos(), words, this);
  return true;
}

}  // namespace iwarp::gui
