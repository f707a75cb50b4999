// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/state_view.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>

#include <cmath>

#include <iwarp/export/names.hpp>

namespace iwarp::gui {
namespace {

constexpr int diagram_height = 224;  // with the slider no more than the lower panel first has
constexpr QSizeF box(92, 28);

// Where the states stand, in parts of the picture; the order is QpValue's.
struct State {
  QpValue value;
  const char* name;
  double x, y;
};
constexpr State states[] = {
    {QpValue::idle, "Idle", 0.0, 0.0},
    {QpValue::startup, "Startup", 0.5, 0.0},
    {QpValue::rts, "RTS", 1.0, 0.0},
    {QpValue::closing, "Closing", 0.0, 1.0},
    {QpValue::terminate, "Terminate", 1.0, 1.0},
    {QpValue::error, "Error", 0.5, 1.0},
};
constexpr std::pair<QpValue, QpValue> ways[] = {
    {QpValue::idle, QpValue::startup},    {QpValue::startup, QpValue::rts},
    {QpValue::rts, QpValue::closing},     {QpValue::rts, QpValue::terminate},
    {QpValue::terminate, QpValue::error}, {QpValue::closing, QpValue::idle},
    {QpValue::closing, QpValue::error},   {QpValue::rts, QpValue::error},
    {QpValue::startup, QpValue::idle},    {QpValue::closing, QpValue::terminate},
};

QPointF center_of(QpValue value, const QRectF& area) {
  const State& state = states[static_cast<std::size_t>(value)];
  return {area.left() + box.width() / 2 + state.x * (area.width() - box.width()),
          area.top() + box.height() / 2 + state.y * (area.height() - box.height())};
}

// Ends at its last point, with a head there.
void draw_arrow(QPainter& painter, const QPolygonF& points, const QPen& pen) {
  const QPointF end = points.back();
  const QPointF along = end - points[points.size() - 2];
  const QPointF unit = along / std::hypot(along.x(), along.y());
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(points);
  painter.setBrush(pen.color());
  painter.setPen(Qt::NoPen);
  const double head = pen.widthF() > 1.5 ? 9 : 6;
  const QPointF across(-unit.y() * head / 2, unit.x() * head / 2);
  painter.drawConvexPolygon(QPolygonF({end, end - unit * head + across, end - unit * head - across}));
}

// From border to border of the boxes; there and back lie beside each other, and what leads past the box in
// the middle of a row leads around it, between the rows.
void draw_way(QPainter& painter, QPointF from, QPointF to, const QRectF& area, const QPen& pen) {
  const QPointF along = to - from;
  const double length = std::hypot(along.x(), along.y());
  if (length < 1) return;
  const QPointF unit = along / length;
  const QPointF beside(-unit.y() * 5, unit.x() * 5);
  const double x = std::abs(unit.x()) > 1e-6 ? (box.width() / 2 + 2) / std::abs(unit.x()) : 1e9;
  const double y = std::abs(unit.y()) > 1e-6 ? (box.height() / 2 + 2) / std::abs(unit.y()) : 1e9;
  const QPointF border = unit * std::min(x, y);
  QPolygonF points{from + border + beside, to - border + beside};
  if (from.y() == to.y() && std::abs(along.x()) > area.width() / 2) {
    const double inward = from.y() < area.center().y() ? 1 : -1;
    const QPointF middle((from.x() + to.x()) / 2, from.y() + inward * (box.height() / 2 + 8));
    const QPointF wide(unit.x() * (box.width() / 2 + 4), 0);
    points = {points[0], middle - wide, middle + wide, points[1]};
  }
  draw_arrow(painter, points, pen);
}

}  // namespace

StateView::StateView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : InspectorView(workspace, theme, tr("State"),
                    {tr("State behind the frame"), tr("Initiator"), tr("Responder")}, parent),
      diagrams_(add_picture(
          tr("States of both queue pairs"),
          [this](QPainter& painter, QSize size) { return paint_diagrams(painter, size); }, diagram_height)),
      slider_(new QSlider(Qt::Horizontal)) {
  slider_->setAccessibleName(tr("Frame of the stream"));
  slider_->setToolTip(tr("Frames of the stream at which something happened"));
  slider_->setPageStep(100);
  slider_->setMinimumHeight(26);
  slider_->setMaximumHeight(26);
  // As far from the borders as all else.
  auto* const scrubber = new QWidget;
  auto* const around = new QHBoxLayout(scrubber);
  around->setContentsMargins(14, 0, 14, 0);
  around->addWidget(slider_);
  scrubber->setFocusProxy(slider_);
  add_widget(scrubber);
  // Both ends have as much room.
  tree().header()->setSectionResizeMode(1, QHeaderView::Stretch);
  tree().header()->setSectionResizeMode(2, QHeaderView::Stretch);
  diagrams_.on_key = [this](QKeyEvent& event) { return key(event); };
  setFocusProxy(&diagrams_);
  connect(slider_, &QSlider::valueChanged, this, [this](int place) {
    if (!showing_) scrub(place);
  });
  connect(&session(), &Session::selection_changed, this, &StateView::update_state);
  connect(&document(), &CaptureDocument::ended, this, [this] {
    wanted_.reset();  // the end of the capture is another one now
    update_state();
  });
  connect(&document(), &CaptureDocument::grew, this, [this] {
    if (!state_) update_state();
  });
  // What is foremost may be another stream.
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &StateView::update_state);
  update_state();
}

void StateView::update_state() {
  const Selection& selection = session().selection();
  const bool any = document().opened() && document().metrics().streams().size() > 0;
  if (!any) {
    state_.reset();
    return show_placeholder(
        tr("Here the full state of both ends behind a frame is shown: queue pairs, outstanding "
           "requests, open messages, counters.\n\nNo iWARP stream was found so far."));
  }
  const ConnectionId stream = workspace().stream().value_or(document().metrics().streams().connection(0));
  const FrameNumber frame = selection.frame.value_or(end_of_capture);
  if (state_ && state_->stream == stream && state_->frame == frame) return;
  if (state_ && wanted_ == std::pair(stream, frame)) return;
  wanted_ = std::pair(stream, frame);
  ask<StateAt>([stream, frame](const Log& log) { return state_at(log, stream, frame); },
               [this](StateAt state) { show_state(std::move(state), false); });
}

void StateView::scrub(int place) {
  if (!state_) return;
  wanted_.reset();
  ask<StateAt>([stream = state_->stream, place = static_cast<std::size_t>(place)](
                   const Log& log) { return state_at_place(log, stream, place); },
               [this](StateAt state) { show_state(std::move(state), true); });
}

void StateView::show_state(StateAt state, bool select) {
  if (state.frames == 0) {
    state_.reset();
    return show_placeholder(tr("Nothing happened in this stream so far."));
  }
  state_ = std::move(state);
  showing_ = true;
  slider_->setMaximum(static_cast<int>(state_->frames) - 1);
  if (!slider_->isSliderDown()) slider_->setValue(static_cast<int>(state_->at));
  showing_ = false;
  show_facts(state_->facts);
  if (select && state_->frame != 0) {
    Selection selection;
    selection.stream = state_->stream;
    selection.frame = state_->frame;
    selection.time = state_->time_ns;
    session().select(selection, Session::Step::gesture);
  }
}

bool StateView::key(QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Left: slider_->setValue(slider_->value() - 1); return true;
    case Qt::Key_Right: slider_->setValue(slider_->value() + 1); return true;
    case Qt::Key_PageUp: slider_->setValue(slider_->value() - slider_->pageStep()); return true;
    case Qt::Key_PageDown: slider_->setValue(slider_->value() + slider_->pageStep()); return true;
    case Qt::Key_Home: slider_->setValue(0); return true;
    case Qt::Key_End: slider_->setValue(slider_->maximum()); return true;
    default: return false;
  }
}

Work StateView::paint_diagrams(QPainter& painter, QSize size) {
  painter.fillRect(QRect(QPoint(), size), theme().window);
  if (!state_) return {1, 0};
  QFont bold = text_font();
  bold.setBold(true);
  bold.setPixelSize(14);
  painter.setFont(bold);
  painter.setPen(theme().text);
  const QString where = tr("behind frame %1").arg(state_->frame);
  const QString title = tr("Stream %1, %2").arg(state_->stream).arg(where);
  painter.drawText(QPointF(14, 20), title);
  const int behind = 14 + QFontMetrics(bold).horizontalAdvance(title) + 16;
  painter.setFont(text_font());
  painter.setPen(theme().muted);
  const QFontMetrics metrics(text_font());
  painter.drawText(QPointF(behind, 20),
                   metrics.elidedText(workspace().why_stream(), Qt::ElideRight, size.width() - behind - 14));
  painter.drawText(QPointF(14, 38),
                   tr("%1 of %2 frames at which something happened  ·  ● changed by this one")
                       .arg(state_->at + 1)
                       .arg(state_->frames));
  const int half = size.width() / 2;
  Work work{3, 0};
  work += paint_diagram(painter, {0, 48, half, size.height() - 48}, Role::initiator);
  work += paint_diagram(painter, {half, 48, size.width() - half, size.height() - 48}, Role::responder);
  return work;
}

Work StateView::paint_diagram(QPainter& painter, const QRect& place, Role role) {
  Work work;
  const auto& walked = state_->walked[static_cast<std::size_t>(role)];
  painter.setFont(text_font());
  painter.setPen(theme().text);
  const QString title = (role == Role::initiator ? tr("Initiator %1") : tr("Responder %1"))
                            .arg(QString::fromStdString(state_->ends[static_cast<std::size_t>(role)]));
  painter.drawText(QPointF(place.left() + 16, place.top() + 12), title);
  // Frames stand above the states in the upper row: ways lead to these from below.
  const QRectF area = QRectF(place).adjusted(16, 38, -16, -46);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const auto& [from, to] : ways) {
    draw_way(painter, center_of(from, area), center_of(to, area), area, QPen(theme().border, 1));
    ++work.primitives;
  }
  for (std::size_t step = 1; step < walked.size(); ++step) {
    draw_way(painter, center_of(walked[step - 1].state.value, area),
             center_of(walked[step].state.value, area), area, QPen(theme().accent, 2.5));
    ++work.primitives;
  }
  for (const State& state : states) {
    const auto visit = std::find_if(walked.rbegin(), walked.rend(),
                                    [&](const QpStep& step) { return step.state.value == state.value; });
    const bool here = !walked.empty() && walked.back().state.value == state.value;
    const QPointF center = center_of(state.value, area);
    const QRectF outline(center - QPointF(box.width() / 2, box.height() / 2), box);
    painter.setBrush(here ? theme().accent : visit != walked.rend() ? theme().selection : theme().surface);
    painter.setPen(QPen(visit != walked.rend() ? theme().accent : theme().border, here ? 2 : 1));
    painter.drawRoundedRect(outline, 5, 5);
    QFont font = text_font();
    font.setBold(here);
    painter.setFont(font);
    painter.setPen(here ? theme().window : visit != walked.rend() ? theme().text : theme().muted);
    painter.drawText(outline, Qt::AlignCenter, QString::fromLatin1(state.name));
    if (visit != walked.rend() && visit->frame != 0) {
      painter.setFont(small_font());
      painter.setPen(theme().muted);
      painter.drawText(QRectF(outline.left() - 10, state.y == 0 ? outline.top() - 17 : outline.bottom() + 1,
                              outline.width() + 20, 16),
                       Qt::AlignCenter, tr("frame %1").arg(visit->frame));
    }
    work.primitives += 2;
  }
  painter.restore();
  if (!walked.empty()) {
    const QpState& qp = walked.back().state;
    painter.setFont(small_font());
    painter.setPen(theme().muted);
    const QString why = tr("%1; evidence: %2, confidence: %3")
                            .arg(tr("here"), QString::fromLatin1(qp_evidence_words(qp.evidence)),
                                 QString::fromLatin1(confidence_name(qp.confidence)));
    painter.drawText(QPointF(place.left() + 16, place.bottom() - 6),
                     QFontMetrics(small_font()).elidedText(why, Qt::ElideRight, place.width() - 32));
  }
  return work;
}

}  // namespace iwarp::gui
