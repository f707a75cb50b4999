// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/tcp_view.hpp"

#include "views/ladder_frame.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <cmath>

#include "scale/text.hpp"
#include "scale/ticks.hpp"

namespace iwarp::gui {
namespace {

constexpr int panel_gap = 6;
constexpr int title_height = 18;

QString text(const std::string& utf8) {
  return QString::fromStdString(utf8);
}

// What was sent again: its shape, and not its colour alone, tells it from a Write.
void cross(QPainter& painter, const QRectF& box, const QColor& color) {
  painter.setPen(QPen(color, 2));
  painter.drawLine(box.topLeft(), box.bottomRight());
  painter.drawLine(box.bottomLeft(), box.topRight());
}

// The last acknowledgement before a time; nothing where all are later.
std::optional<StreamOffset> acknowledged_by(const FlowTrack& track, TimeNs time) {
  const std::size_t end = things_between(track.acks, time, time).begin;
  return end == 0 ? std::nullopt : std::optional(track.acks[end - 1].offset);
}

}  // namespace

TcpView::TcpView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TimeView(workspace, theme, tr("TCP: octets of a stream over time"), parent),
      source_(FlowSource::of(workspace)),
      table_(new MessageModel(workspace, this)) {
  connect(&source_, &FlowSource::changed, this, qOverload<>(&QWidget::update));
  connect(&source_, &FlowSource::changed, this, &View::settled_changed);
}

void TcpView::set_direction(std::optional<Role> sender) {
  direction_ = sender;
  update();
}

double TcpView::Panel::y(double offset) const {
  const double part = (offset - least) / (most - least);
  return std::clamp(box.bottom() - 3 - part * (box.height() - title_height - 6), -1e6, 1e6);
}

std::vector<TcpView::Panel> TcpView::panels(const TimeScale& scale, const QRect& plot) const {
  std::vector<Panel> made;
  const auto& flow = source_.flow();
  if (flow == nullptr || flow->empty()) return made;
  for (const Role role : {Role::initiator, Role::responder}) {
    if (!direction_ || direction_ == role) made.push_back({role, plot, 0, 1});
  }
  const int height =
      (plot.height() - panel_gap * (static_cast<int>(made.size()) - 1)) / static_cast<int>(made.size());
  int top = plot.top();
  for (Panel& panel : made) {
    panel.box = QRect(plot.left(), top, plot.width(), std::max(1, height));
    top += height + panel_gap;
    const FlowTrack& track = flow->tracks[static_cast<unsigned>(panel.sender)];
    const PlaceRange seen = things_between(track.fpdus, scale.span().from, scale.span().upto);
    StreamOffset least = track.begins.over(seen.begin, seen.end).least;
    StreamOffset most = track.ends.over(seen.begin, seen.end).greatest;
    panel.idle = seen.size() == 0;
    if (panel.idle) {  // where the stream stood
      const std::size_t last = seen.begin == 0 ? 0 : seen.begin - 1;
      least = track.fpdus.empty() ? 0 : track.fpdus[last].offset;
      most = least + 1;
    }
    panel.least = static_cast<double>(least);
    panel.most = std::max(static_cast<double>(most), panel.least + 1);
  }
  return made;
}

Work TcpView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  const std::vector<Panel> all = panels(scale, plot);
  if (all.empty()) {
    QString words = tr(
        "Here are the octets of a stream over time: FPDUs, what was sent again, holes, acknowledgements.\n");
    if (document().loading()) {
      words += tr("The capture is being read.");
    } else if (!session().filter().empty()) {
      words += tr("Of this stream nothing counts by the filter.");
    } else {
      words += tr("No iWARP stream was found in this capture.");
    }
    painter.setFont(text_font());
    painter.setPen(theme().muted);
    painter.drawText(plot.adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap, words);
    return work;
  }
  for (const Panel& panel : all) work += paint_panel(painter, scale, panel);
  return work;
}

Work TcpView::paint_panel(QPainter& painter, const TimeScale& scale, const Panel& panel) const {
  Work work;
  const FlowTrack& track = source_.flow()->tracks[static_cast<unsigned>(panel.sender)];
  // Where a column's things begin in a sorted list: looked for once, then walked on by halving.
  const auto per_column = [&](const auto& things, auto&& draw) {
    const PlaceRange seen = things_between(things, scale.span().from, scale.span().upto);
    for (std::size_t at = seen.begin; at < seen.end;) {
      const int column = scale.column_of(things[at].time_ns);
      const TimeNs past = std::max(scale.column(column).upto, things[at].time_ns + 1);
      const std::size_t end = std::max(at + 1, std::min(seen.end, things_between(things, past, past).begin));
      draw(std::floor(scale.x(things[at].time_ns)), at, end);
      work.visited += 2;
      at = end;
    }
  };

  // The window: bands behind all while it was closed.
  const PlaceRange windows = things_between(track.windows, scale.span().from, scale.span().upto);
  const auto band = [&](double from, double upto) {
    painter.fillRect(QRectF(from, panel.box.top(), std::max(1.0, upto - from), panel.box.height()),
                     QBrush(theme().again, Qt::BDiagPattern));
    ++work.primitives;
  };
  bool closed = windows.begin > 0 && track.windows[windows.begin - 1].closed;
  double since = scale.left();
  double painted_to = -1;
  for (std::size_t at = windows.begin; at <= windows.end; ++at) {
    const bool beyond = at == windows.end;
    const double x = beyond ? scale.left() + scale.columns() : scale.x(track.windows[at].time_ns);
    if (closed && x > painted_to) {
      band(std::max(since, painted_to), x);
      painted_to = std::max(x, since + 1);
    }
    if (beyond) break;
    ++work.visited;
    closed = track.windows[at].closed;
    since = x;
  }

  // Acknowledged, as a staircase.
  painter.setPen(QPen(theme().muted, 1));
  double last_x = scale.left();
  std::optional<StreamOffset> last = acknowledged_by(track, scale.span().from);
  const auto stair = [&](double x, std::optional<StreamOffset> offset) {
    if (last) {
      painter.drawLine(QPointF(last_x, panel.y(static_cast<double>(*last))),
                       QPointF(x, panel.y(static_cast<double>(*last))));
      ++work.primitives;
      if (offset) {
        painter.drawLine(QPointF(x, panel.y(static_cast<double>(*last))),
                         QPointF(x, panel.y(static_cast<double>(*offset))));
        ++work.primitives;
      }
    }
    last_x = x;
    if (offset) last = offset;
  };
  per_column(track.acks,
             [&](double x, std::size_t, std::size_t end) { stair(x, track.acks[end - 1].offset); });
  stair(scale.left() + scale.columns(), std::nullopt);

  // FPDUs: each with its kind's colour where a column has one, else all that they cover.
  per_column(track.fpdus, [&](double x, std::size_t begin, std::size_t end) {
    const Extent low = track.begins.over(begin, end);
    const Extent high = track.ends.over(begin, end);
    work.visited += track.begins.visited(begin, end) + track.ends.visited(begin, end);
    const double top = panel.y(static_cast<double>(high.greatest));
    const double height = std::max(1.5, panel.y(static_cast<double>(low.least)) - top);
    painter.fillRect(
        QRectF(x, top, end - begin == 1 ? 3 : 2, height),
        end - begin == 1 ? color_of(theme(), group_of(track.fpdus[begin].opcode)) : theme().traffic);
    ++work.primitives;
  });

  // On top, and wider than FPDUs: what went wrong is never lost. As far as it lies in what is seen.
  const auto trouble = [&](const std::vector<FlowPiece>& pieces, bool hollow, const QColor& color) {
    per_column(pieces, [&](double x, std::size_t begin, std::size_t end) {
      // The first and the last of a column, and nothing of many between.
      StreamOffset low = std::min(pieces[begin].offset, pieces[end - 1].offset);
      StreamOffset high = std::max(pieces[begin].offset + pieces[begin].length,
                                   pieces[end - 1].offset + pieces[end - 1].length);
      const double top = panel.y(static_cast<double>(high));
      const double height = std::max(4.0, panel.y(static_cast<double>(low)) - top);
      QRectF mark(x - 2, top, 6, std::max(height, 6.0));
      mark.moveTop(std::clamp(mark.top(), panel.box.top() + 1.0,
                              std::max(panel.box.top() + 1.0, panel.box.bottom() - 5.0)));
      if (hollow) {
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(mark);
      } else {
        cross(painter, mark, color);
        ++work.primitives;
      }
      ++work.primitives;
    });
  };
  trouble(track.again, false, theme().again);
  trouble(track.late, false, theme().hole);
  trouble(track.holes, true, theme().hole);

  // The octets of the selected message.
  const auto selected = session().selection().message;
  const auto frame = session().selection().frame;
  if (selected || frame) {
    const auto time = session().selection().time.value_or(0);
    const PlaceRange near = things_between(track.fpdus, time, time + 1);
    for (std::size_t at = near.begin; at < std::min(near.end, near.begin + 16); ++at) {
      const FlowPiece& piece = track.fpdus[at];
      const double top = panel.y(static_cast<double>(piece.offset + piece.length));
      painter.setPen(QPen(theme().accent, 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(QRectF(scale.x(piece.time_ns) - 4, top - 3, 10,
                              panel.y(static_cast<double>(piece.offset)) - top + 6));
      ++work.primitives;
    }
  }
  return work;
}

Work TcpView::paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  const QFontMetricsF metrics(small_font());
  painter.setFont(small_font());
  const std::vector<Panel> all = panels(scale, plot);
  for (const Panel& panel : all) {
    const auto& endpoints = source_.flow()->endpoints;
    const bool initiator = panel.sender == Role::initiator;
    const QString title =
        tr("from %1 %2 to %3")
            .arg(initiator ? tr("initiator") : tr("responder"), text(to_string(endpoints[initiator ? 0 : 1])),
                 text(to_string(endpoints[initiator ? 1 : 0])));
    const QString words = metrics.elidedText(title, Qt::ElideMiddle, panel.box.width() - 12);
    const QRectF box(panel.box.left() + 4, panel.box.top() + 2, metrics.horizontalAdvance(words) + 6,
                     title_height - 3);
    painter.fillRect(box, theme().surface);
    painter.setPen(theme().text);
    painter.drawText(box, Qt::AlignCenter, words);
    painter.setPen(theme().border);
    painter.drawLine(QPointF(plot.left(), panel.box.top()), QPointF(plot.right(), panel.box.top()));
    painter.setPen(theme().muted);
    double free_to = panel.box.bottom() + 4;
    QString below;
    for (const double tick : linear_ticks(panel.least, panel.most, std::max(2, panel.box.height() / 40))) {
      const double y = panel.y(tick);
      const QString label = text(octets_text(static_cast<std::uint64_t>(std::max(0.0, tick))));
      if (y > free_to || y < panel.box.top() + 4 || label == below) continue;
      below = label;
      painter.drawLine(QPointF(plot.left() - 4, y), QPointF(plot.left(), y));
      painter.drawText(QRectF(0, y - 8, plot.left() - 7, 16), Qt::AlignRight | Qt::AlignVCenter, label);
      free_to = y - 14;
      work.primitives += 2;
    }
    if (panel.idle)
      painter.drawText(panel.box, Qt::AlignCenter, tr("No octets from here in the time that is seen"));
    work.primitives += 4;
  }
  return work;
}

Legend TcpView::legend() const {
  const auto& flow = source_.flow();
  if (flow == nullptr || flow->empty()) return {};
  Legend legend;
  const auto swatch = [&](const QColor& color, const QString& words) {
    legend.push_back({words, 4, [color](QPainter& painter, const QRectF& box) {
                        painter.fillRect(box.adjusted(0, 1, 0, -1), color);
                      }});
  };
  const Flow::GroupCounts counts = flow->count({0, flow->messages.size()});
  constexpr std::array<std::pair<wire::Opcode, const char*>, message_groups> kinds{
      {{wire::Opcode::read_request, "Read"},
       {wire::Opcode::rdma_write, "Write"},
       {wire::Opcode::send, "Send"},
       {wire::Opcode::atomic_request, "Atomic"},
       {wire::Opcode::immediate, "Immediate"},
       {wire::Opcode::terminate, "Terminate"}}};
  for (std::size_t group = 0; group < kinds.size(); ++group) {
    if (counts[0][group] + counts[1][group] > 0)
      swatch(color_of(theme(), group_of(kinds[group].first)), QString::fromLatin1(kinds[group].second));
  }
  swatch(theme().traffic, tr("several FPDUs"));
  // Of what went wrong that which there is.
  const auto any = [&](auto&& in) { return in(flow->tracks[0]) || in(flow->tracks[1]); };
  if (any([](const FlowTrack& track) { return !track.again.empty(); })) {
    legend.push_back({tr("sent again"), 8, [this](QPainter& painter, const QRectF& box) {
                        cross(painter, QRectF(box.left() + 1, box.top() + 3, 6, 7), theme().again);
                      }});
  }
  if (any([](const FlowTrack& track) { return !track.late.empty(); })) {
    legend.push_back({tr("lost or late"), 8, [this](QPainter& painter, const QRectF& box) {
                        cross(painter, QRectF(box.left() + 1, box.top() + 3, 6, 7), theme().hole);
                      }});
  }
  if (any([](const FlowTrack& track) { return !track.holes.empty(); })) {
    legend.push_back({tr("not captured"), 6, [this](QPainter& painter, const QRectF& box) {
                        painter.setPen(QPen(theme().hole, 1.5));
                        painter.setBrush(Qt::NoBrush);
                        painter.drawRect(box.adjusted(0.5, 1.5, -0.5, -1.5));
                      }});
  }
  legend.push_back({tr("acknowledged"), 14, [this](QPainter& painter, const QRectF& box) {
                      painter.setPen(theme().muted);
                      const double y = std::floor(box.center().y()) + 0.5;
                      painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
                    }});
  if (any([](const FlowTrack& track) { return track.window_closed; })) {
    legend.push_back({tr("window closed or full"), 12, [this](QPainter& painter, const QRectF& box) {
                        painter.fillRect(box.adjusted(0, 1, 0, -1), QBrush(theme().again, Qt::BDiagPattern));
                      }});
  }
  return legend;
}

const FlowPiece* TcpView::piece_at(QPoint at, const TimeScale& scale, const QRect& plot) const {
  constexpr double reach = 6;
  for (const Panel& panel : panels(scale, plot)) {
    if (!panel.box.contains(at)) continue;
    const FlowTrack& track = source_.flow()->tracks[static_cast<unsigned>(panel.sender)];
    const PlaceRange near =
        things_between(track.fpdus, scale.time(at.x() - reach), scale.time(at.x() + reach));
    const FlowPiece* nearest = nullptr;
    double least = 400;
    // Of very many, some around the middle: so close to each other any of them is the nearest.
    const std::size_t begin = near.size() > 4096 ? near.begin + near.size() / 2 - 2048 : near.begin;
    for (std::size_t place = begin; place < std::min(near.end, begin + 4096); ++place) {
      const FlowPiece& piece = track.fpdus[place];
      const double top = panel.y(static_cast<double>(piece.offset + piece.length));
      const double bottom = panel.y(static_cast<double>(piece.offset));
      const double away = at.y() < top ? top - at.y() : at.y() > bottom ? at.y() - bottom : 0;
      const double distance = std::hypot(away, scale.x(piece.time_ns) - at.x());
      if (distance >= least) continue;
      least = distance;
      nearest = &piece;
    }
    return nearest;
  }
  return nullptr;
}

void TcpView::click(QPoint at, const TimeScale& scale, const QRect& plot) {
  const FlowPiece* const piece = piece_at(at, scale, plot);
  if (piece == nullptr) return;
  Selection selection;
  if (piece->message != FlowMessage::none) selection = select_message(document().metrics(), piece->message);
  selection.stream = source_.flow()->stream;
  selection.frame = piece->frame;
  selection.time = piece->time_ns;
  session().select(selection);
}

void TcpView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_0: return set_direction(std::nullopt);
    case Qt::Key_1: return set_direction(Role::initiator);
    case Qt::Key_2: return set_direction(Role::responder);
    default: TimeView::keyPressEvent(event);
  }
}

bool TcpView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return TimeView::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const QRect plot = plot_of(size());
  const TimeScale scale = scale_of(plot);
  const FlowPiece* const piece = piece_at(help->pos(), scale, plot);
  if (piece == nullptr) {
    QToolTip::hideText();
    return true;
  }
  QToolTip::showText(help->globalPos(),
                     tr("%1: FPDU of %2 at stream offset %3, frame %4")
                         .arg(QString::fromLatin1(wire::opcode_title(piece->opcode)),
                              text(octets_text(piece->length)), text(count_text(piece->offset)))
                         .arg(piece->frame),
                     this);
  return true;
}

}  // namespace iwarp::gui
