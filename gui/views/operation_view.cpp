// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/operation_view.hpp"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"
#include "scale/ticks.hpp"

namespace iwarp::gui {
namespace {

constexpr int left = 92;
constexpr int right = 24;
constexpr int words_top = 44;  // below the title and the numbers: where the time went …
constexpr int most_lines = 4;  // … in so many lines at most
constexpr int lane_height = 26;
constexpr int axis_height = 26;
constexpr int legend_height = 24;
constexpr double near_px = 6;

QString duration(TimeNs ns) {
  return QString::fromStdString(duration_text(ns));
}

int words_line() {
  return QFontMetrics(text_font()).height();
}

}  // namespace

OperationView::OperationView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : InspectorView(workspace, theme, tr("Operation"), {tr("Operation"), tr("Value")}, parent),
      bar_(add_picture(
          tr("The selected operation over time"),
          [this](QPainter& painter, QSize size) { return paint_bar(painter, size); },
          words_top + most_lines * words_line() + 4 + 4 * lane_height + axis_height + legend_height)) {
  bar_.on_key = [this](QKeyEvent& event) { return key(event); };
  bar_.on_press = [this](QMouseEvent& event) { choose(part_at(event.pos())); };
  bar_.on_move = [this](QMouseEvent& event) {
    if (parts_) session_hover(scale_of(bar_.size()).time(event.position().x()));
  };
  bar_.on_wheel = [this](QWheelEvent& event) {
    if (!parts_) return;
    const TimeNs anchor = scale_of(bar_.size()).time(event.position().x());
    seen_ = zoomed(seen_, anchor, std::pow(0.8, event.angleDelta().y() / 120.0), parts_->span());
    bar_.update();
  };
  bar_.tip_at = [this](QPoint at) {
    const auto near = part_at(at);
    if (!near) return QString();
    const OperationPart& part = parts_->parts[*near];
    return tr("%1, frame %2: %3 after the first piece, %4")
        .arg(part_name(part.kind, parts_->event.operation.kind), QString::number(part.frame),
             duration(part.time_ns - parts_->span().from), QString::fromStdString(octets_text(part.octets)));
  };
  setFocusProxy(&bar_);
  connect(&session(), &Session::selection_changed, this, &OperationView::update_operation);
  connect(&session(), &Session::hover_changed, &bar_, qOverload<>(&QWidget::update));
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &OperationView::update_operation);
  connect(&document(), &CaptureDocument::ended, this, &OperationView::update_operation);
  update_operation();
}

void OperationView::session_hover(TimeNs time) {
  session().set_hover(time);
}

void OperationView::update_operation() {
  bar_.update();  // which says whether the operation is the selected one
  const auto levels = workspace().levels().levels();
  if (!document().opened() || document().metrics().operations().size() == 0) {
    parts_.reset();
    wanted_.reset();
    return show_placeholder(
        tr("Here one operation is taken apart: its request, each segment of the response, what was "
           "missing, its delivery.\n\nNo operation was found so far."));
  }
  const Selection& selection = session().selection();
  const bool named = selection.operation && *selection.operation < document().metrics().operations().size();
  const auto row = named ? selection.operation : slowest_operation(*levels, workspace().stream());
  if (!row) {
    parts_.reset();
    wanted_.reset();
    return show_placeholder(
        tr("Here one operation is taken apart.\n\nNone counts with this filter and stream: take something "
           "off the "
           "filter, or select an operation."));
  }
  // That of the selected frame is looked for by who has time.
  std::optional<Sought> sought;
  if (!named && selection.frame) {
    sought = Sought{selection.stream, *selection.frame, levels->scope, levels->operation_rows.taken()};
  }
  // Neighbours are known when all has been read: asked for once more then.
  const bool whole = workspace().levels().settled();
  if (row == wanted_ && sought == sought_ && levels->scope == scope_ && (whole_ || !whole)) return;
  whole_ = whole;
  wanted_ = row;
  sought_ = sought;
  scope_ = levels->scope;
  ask<OperationParts>(
      [row = *row, sought, levels](const Log& log) {
        const auto found = sought ? operation_of_frame(log.metrics.operations(), levels->operation_rows,
                                                       sought->stream, sought->frame)
                                  : std::nullopt;
        return operation_parts(log, found.value_or(row), *levels);
      },
      [this](OperationParts parts) { show_parts(std::move(parts)); });
}

void OperationView::show_parts(OperationParts parts) {
  parts_ = std::move(parts);
  seen_ = parts_->span();
  chosen_.reset();
  time_spent_ = time_spent(*parts_);
  show_facts(operation_facts(*parts_, document().span().from));
}

QColor OperationView::color_of(OperationPart::Kind kind) const {
  switch (kind) {
    case OperationPart::request:
      return parts_->has_answer() ? theme().muted : theme().of(parts_->event.operation.kind);
    case OperationPart::response: return theme().of(parts_->event.operation.kind);
    case OperationPart::hole: return theme().hole;
    case OperationPart::again: return theme().again;
    case OperationPart::delivery: return theme().text;
  }
  return theme().text;
}

std::vector<OperationPart::Kind> OperationView::lanes() const {
  std::vector<OperationPart::Kind> lanes{OperationPart::request};
  for (const auto kind :
       {OperationPart::response, OperationPart::hole, OperationPart::again, OperationPart::delivery}) {
    const bool there = std::any_of(parts_->parts.begin(), parts_->parts.end(),
                                   [&](const OperationPart& part) { return part.kind == kind; });
    if (there) lanes.push_back(kind);
  }
  return lanes;
}

QRect OperationView::words_rect(QSize size) const {
  const QRect most(14, words_top, std::max(1, size.width() - 28), most_lines * words_line());
  const QRect needed =
      QFontMetrics(text_font()).boundingRect(most, Qt::AlignLeft | Qt::TextWordWrap, time_spent_);
  const int lines = std::clamp(needed.height() / words_line(), 1, most_lines);
  return {most.topLeft(), QSize(most.width(), lines * words_line())};
}

int OperationView::lanes_top(QSize size) const {
  return words_rect(size).bottom() + 5;
}

TimeScale OperationView::scale_of(QSize size) const {
  // Some room at both ends, so that marks there are seen whole.
  return {seen_, static_cast<double>(left) + near_px,
          std::max(1, size.width() - left - right - 2 * static_cast<int>(near_px))};
}

Work OperationView::paint_lane(QPainter& painter, const TimeScale& scale, OperationPart::Kind kind,
                               const QRect& lane) {
  Work work;
  const QColor color = color_of(kind);
  // What came in one column of pixels is one mark: its height says how much.
  std::vector<std::uint64_t> octets(static_cast<std::size_t>(scale.columns()));
  std::vector<std::uint8_t> marked(octets.size());
  std::vector<std::pair<double, double>> waits;
  double free_from = -1;
  std::uint64_t most = 1;
  for (const OperationPart& part : parts_->parts) {
    if (part.kind != kind) continue;
    ++work.visited;
    if (part.delivered_ns > part.time_ns && part.delivered_ns >= scale.span().from &&
        part.time_ns < scale.span().upto) {
      const double from = std::max(std::floor(scale.x(part.time_ns)), free_from);
      const double upto = std::min<double>(scale.x(part.delivered_ns), lane.right());
      if (upto - from >= 1) {  // columns that are covered already need no second line
        waits.emplace_back(from, upto);
        free_from = upto;
      }
    }
    if (!scale.span().contains(part.time_ns)) continue;
    const auto column = static_cast<std::size_t>(scale.column_of(part.time_ns));
    marked[column] = 1;
    octets[column] += part.octets;
    most = std::max(most, octets[column]);
  }
  painter.setPen(QPen(theme().muted, 1, Qt::DotLine));
  for (const auto& [from, upto] : waits) {
    painter.drawLine(QPointF(from, lane.center().y() + 0.5), QPointF(upto, lane.center().y() + 0.5));
    ++work.primitives;
  }
  for (std::size_t column = 0; column < marked.size(); ++column) {
    if (marked[column] == 0) continue;
    const double x = scale.left() + static_cast<double>(column);
    const double share = static_cast<double>(octets[column]) / static_cast<double>(most);
    const double height =
        kind == OperationPart::delivery ? lane.height() - 6 : 6 + (lane.height() - 12) * share;
    const QRectF mark(x - 1, lane.center().y() - height / 2, 3, height);
    if (kind == OperationPart::hole) {
      painter.fillRect(mark.adjusted(-1, 0, 1, 0), QBrush(color, Qt::Dense4Pattern));
    } else {
      painter.fillRect(mark, color);
    }
    ++work.primitives;
  }
  return work;
}

void OperationView::paint_legend(QPainter& painter, QSize size) {
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  double x = 14;
  const double y =
      lanes_top(size) + static_cast<int>(lanes().size()) * lane_height + axis_height + legend_height - 9;
  const std::pair<OperationPart::Kind, QString> entries[] = {
      {OperationPart::request,
       parts_->has_answer()
           ? tr("request")
           : tr("%1, by octets").arg(part_name(OperationPart::request, parts_->event.operation.kind))},
      {OperationPart::response, tr("response, by octets")},
      {OperationPart::hole, tr("never captured")},
      {OperationPart::again, tr("sent again")},
      {OperationPart::delivery, tr("delivered (dotted: waited)")}};
  const std::vector<OperationPart::Kind> there = lanes();
  for (const auto& [kind, words] : entries) {
    if (std::find(there.begin(), there.end(), kind) == there.end()) continue;
    if (x + 14 + metrics.horizontalAdvance(words) > size.width() - right) break;
    const QRectF mark(x, y - 9, 8, 10);
    painter.fillRect(mark, kind == OperationPart::hole ? QBrush(color_of(kind), Qt::Dense4Pattern)
                                                       : QBrush(color_of(kind)));
    painter.setPen(theme().muted);
    painter.drawText(QPointF(x + 13, y), words);
    x += 13 + metrics.horizontalAdvance(words) + 18;
  }
}

Work OperationView::paint_bar(QPainter& painter, QSize size) {
  painter.fillRect(QRect(QPoint(), size), theme().window);
  if (!parts_) return {1, 0};
  Work work;
  const OperationConclusion& operation = parts_->event.operation;
  QFont bold = text_font();
  bold.setBold(true);
  bold.setPixelSize(14);
  painter.setFont(bold);
  painter.setPen(theme().text);
  QString title = tr("%1 of the %2, stream %3")
                      .arg(QString::fromLatin1(operation_kind_name(operation.kind)),
                           QString::fromLatin1(role_name(parts_->from)), QString::number(parts_->stream));
  title[0] = title[0].toUpper();
  painter.drawText(QPointF(14, 20), title);
  QStringList numbers;
  if (operation.latency()) numbers << duration(*operation.latency());
  if (operation.known_length()) numbers << QString::fromStdString(octets_text(*operation.known_length()));
  numbers << QString::fromLatin1(operation_status_name(operation.status));
  if (operation.latency()) numbers << tr("rank %1 of %2 by latency").arg(parts_->rank + 1).arg(parts_->among);
  const bool of_frame = sought_ && parts_->row != wanted_;
  if (!session().selection().operation)
    numbers << (of_frame              ? tr("that of frame %1").arg(sought_->frame)
                : operation.latency() ? tr("nothing is selected: the slowest of the stream")
                                      : tr("nothing is selected: the first of the stream"));
  painter.setFont(text_font());
  painter.setPen(theme().muted);
  const QFontMetrics metrics(text_font());
  painter.drawText(QPointF(14, 38), metrics.elidedText(numbers.join(QStringLiteral("  ·  ")), Qt::ElideRight,
                                                       size.width() - 28));
  painter.setPen(theme().text);
  const int top = lanes_top(size);
  painter.drawText(words_rect(size), Qt::AlignLeft | Qt::TextWordWrap, time_spent_);

  const TimeScale scale = scale_of(size);
  const auto kinds = lanes();
  const QRect plot(left, top, std::max(1, size.width() - left - right),
                   static_cast<int>(kinds.size()) * lane_height);
  painter.fillRect(plot, theme().surface);
  painter.setFont(small_font());
  const QFontMetricsF small(small_font());
  for (const TimeTick& tick : time_ticks(scale, parts_->span().from, 110).ticks) {
    const double x = std::floor(scale.x(tick.time)) + 0.5;
    painter.setPen(theme().grid);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    const QString label = QString::fromStdString(tick.label);
    const double begin =
        std::min(x - small.horizontalAdvance(label) / 2, size.width() - small.horizontalAdvance(label) - 2);
    painter.setPen(theme().muted);
    painter.drawText(QPointF(begin, plot.bottom() + 17), label);
    work.primitives += 2;
  }
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    const QRect lane(plot.left(), plot.top() + static_cast<int>(at) * lane_height, plot.width(), lane_height);
    painter.setPen(theme().text);
    painter.setFont(small_font());
    painter.drawText(QRect(8, lane.top(), left - 16, lane_height), Qt::AlignVCenter | Qt::AlignRight,
                     part_name(kinds[at], parts_->event.operation.kind));
    painter.setPen(theme().grid);
    painter.drawLine(lane.bottomLeft(), lane.bottomRight());
    painter.save();
    painter.setClipRect(lane);
    work += paint_lane(painter, scale, kinds[at], lane);
    painter.restore();
    if (chosen_ && parts_->parts[*chosen_].kind == kinds[at]) {
      painter.setPen(QPen(theme().text, 1.5));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(
          QRectF(scale.x(parts_->parts[*chosen_].time_ns) - 4, lane.top() + 2, 8, lane_height - 4));
    }
  }
  if (session().hover() && scale.span().contains(*session().hover())) {
    const double x = std::floor(scale.x(*session().hover())) + 0.5;
    painter.setPen(QPen(theme().muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  }
  painter.setPen(theme().border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plot.adjusted(0, 0, -1, -1));
  paint_legend(painter, size);
  return work;
}

std::optional<std::size_t> OperationView::part_at(QPoint at) const {
  if (!parts_) return std::nullopt;
  const auto kinds = lanes();
  const int top = lanes_top(bar_.size());
  const int lane = (at.y() - top) / lane_height;
  if (at.y() < top || lane >= static_cast<int>(kinds.size())) return std::nullopt;
  const TimeScale scale = scale_of(bar_.size());
  std::optional<std::size_t> nearest;
  double distance = near_px;
  for (std::size_t part = 0; part < parts_->parts.size(); ++part) {
    if (parts_->parts[part].kind != kinds[static_cast<std::size_t>(lane)]) continue;
    const double away = std::abs(scale.x(parts_->parts[part].time_ns) - at.x());
    if (away >= distance) continue;
    distance = away;
    nearest = part;
  }
  return nearest;
}

// Its line is shown, too; its frame is selected, and the operation stays so.
void OperationView::choose(std::optional<std::size_t> part) {
  chosen_ = part;
  bar_.update();
  if (!part) return;
  Selection selection = select_operation(document().metrics(), parts_->row);
  selection.frame = parts_->parts[*part].frame;
  selection.time = parts_->parts[*part].time_ns;
  session().select(selection);
  const QModelIndex pieces = facts().index(facts().rowCount() - 1, 0);
  const QModelIndex line = facts().index(static_cast<int>(*part), 0, pieces);
  if (line.isValid()) tree().setCurrentIndex(line);
}

bool OperationView::key(QKeyEvent& event) {
  if (!parts_) return false;
  const auto by = static_cast<std::int64_t>(0.15 * static_cast<double>(seen_.length()));
  const TimeNs middle = seen_.from + static_cast<TimeNs>(seen_.length() / 2);
  const auto go = [this](std::optional<std::uint32_t> row) {
    if (row) session().select(select_operation(document().metrics(), *row));
  };
  const std::size_t count = parts_->parts.size();
  switch (event.key()) {
    case Qt::Key_Up: go(parts_->slower); return true;
    case Qt::Key_Down: go(parts_->faster); return true;
    case Qt::Key_Left:
      if (count > 0) choose(chosen_ && *chosen_ > 0 ? *chosen_ - 1 : 0);
      return true;
    case Qt::Key_Right:
      if (count > 0) choose(chosen_ ? std::min(*chosen_ + 1, count - 1) : 0);
      return true;
    case Qt::Key_W: seen_ = zoomed(seen_, middle, 0.7, parts_->span()); break;
    case Qt::Key_S: seen_ = zoomed(seen_, middle, 1 / 0.7, parts_->span()); break;
    case Qt::Key_A: seen_ = panned(seen_, -by, parts_->span()); break;
    case Qt::Key_D: seen_ = panned(seen_, by, parts_->span()); break;
    case Qt::Key_Home:  // all of the operation; then of the capture, as elsewhere
      if (seen_.from == parts_->span().from && seen_.upto == parts_->span().upto)
        session().set_range(std::nullopt);
      seen_ = parts_->span();
      break;
    default: return false;
  }
  bar_.update();
  return true;
}

}  // namespace iwarp::gui
