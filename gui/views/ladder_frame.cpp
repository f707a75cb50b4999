// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_frame.hpp"

#include <algorithm>
#include <array>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"
#include "views/glyphs.hpp"
#include "views/ladder_words.hpp"
#include "views/legend.hpp"

namespace iwarp::gui {
namespace {

constexpr std::size_t severity_count = 4;
constexpr int buttons_width = 150;  // room that LadderView's take at the right …
constexpr int with_buttons = 640;   // … of pictures so wide

const char* group_words(MessageGroup group) {
  constexpr std::array words{"Read", "Write", "Send", "Atomic", "Immediate", "Terminate"};
  return words[static_cast<unsigned>(group)];
}

QString latency_range(const Flow& flow) {
  const Extent all = flow.latency.over(0, flow.latency.size());
  if (all.count == 0) return QStringLiteral("no latency known");
  return QStringLiteral("to ") + QString::fromStdString(duration_text(static_cast<TimeNs>(all.greatest)));
}

}  // namespace

QColor color_of(const Theme& theme, MessageGroup group) {
  switch (group) {
    case MessageGroup::read: return theme.of(OperationKind::read);
    case MessageGroup::write: return theme.of(OperationKind::write);
    case MessageGroup::send: return theme.of(OperationKind::send);
    case MessageGroup::atomic: return theme.of(OperationKind::atomic);
    case MessageGroup::immediate: return theme.of(OperationKind::immediate);
    case MessageGroup::terminate: return theme.of(Severity::error);
  }
  return theme.text;
}

const char* group_letter(MessageGroup group) {
  constexpr std::array letters{"R", "W", "S", "A", "I", "T"};
  return letters[static_cast<unsigned>(group)];
}

Work paint_again(QPainter& painter, const Theme& theme, const QRectF& box) {
  painter.fillRect(box, theme.again);
  return {1, 0};
}

Work paint_late(QPainter& painter, const Theme& theme, const QRectF& box) {
  painter.fillRect(box, theme.hole);
  return {1, 0};
}

// Hollow: nothing is there.
Work paint_hole(QPainter& painter, const Theme& theme, const QRectF& box) {
  painter.setPen(QPen(theme.hole, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
  return {1, 0};
}

namespace {

QString order_words(LadderOrder order) {
  switch (order) {
    case LadderOrder::time: return QStringLiteral("time to scale");
    case LadderOrder::folded: return QStringLiteral("by order, equal ones folded");
    default: return QStringLiteral("by order");
  }
}

Legend ladder_legend(const Flow& flow, const Theme& theme) {
  Legend legend;
  const Flow::GroupCounts all = flow.count({0, flow.messages.size()});
  const auto any_of = [&all](MessageGroup group) {
    return all[0][static_cast<std::size_t>(group)] + all[1][static_cast<std::size_t>(group)] > 0;
  };
  for (std::size_t number = 0; number < message_groups; ++number) {
    const auto group = static_cast<MessageGroup>(number);
    if (!any_of(group)) continue;
    legend.push_back({QString::fromLatin1(group_letter(group)) + QLatin1Char(' ') +
                          QString::fromLatin1(group_words(group)),
                      10, [color = color_of(theme, group)](QPainter& painter, const QRectF& box) {
                        painter.fillRect(box.adjusted(0, 2, 0, -3), color);
                      }});
  }
  const auto line = [&](Qt::PenStyle style, const char* words) {
    legend.push_back({QString::fromLatin1(words), 16, [&theme, style](QPainter& painter, const QRectF& box) {
                        painter.setPen(QPen(theme.muted, 1.5, style));
                        painter.drawLine(QPointF(box.left(), box.top() + 7),
                                         QPointF(box.right(), box.top() + 7));
                      }});
  };
  if (any_of(MessageGroup::read) || any_of(MessageGroup::atomic)) line(Qt::DashLine, "response");
  line(Qt::DotLine, "cause");
  if (!flow.steps.empty()) line(Qt::SolidLine, "start and end");
  if (!flow.tracks[0].again.empty() || !flow.tracks[1].again.empty()) {
    legend.push_back({QStringLiteral("sent again"), 6, [&theme](QPainter& painter, const QRectF& box) {
                        (void)paint_again(painter, theme, box.adjusted(0, 1, 0, -2));
                      }});
  }
  if (!flow.tracks[0].late.empty() || !flow.tracks[1].late.empty()) {
    legend.push_back({QStringLiteral("lost or late"), 6, [&theme](QPainter& painter, const QRectF& box) {
                        (void)paint_late(painter, theme, box.adjusted(0, 1, 0, -2));
                      }});
  }
  if (!flow.tracks[0].holes.empty() || !flow.tracks[1].holes.empty()) {
    legend.push_back({QStringLiteral("not captured"), 6, [&theme](QPainter& painter, const QRectF& box) {
                        (void)paint_hole(painter, theme, box.adjusted(0, 1, 0, -2));
                      }});
  }
  std::array<bool, severity_count> found{};
  for (const FlowFinding& finding : flow.findings) found[static_cast<std::size_t>(finding.severity)] = true;
  for (std::size_t number = severity_count; number-- > 0;) {
    if (!found[number]) continue;
    const auto severity = static_cast<Severity>(number);
    legend.push_back({QString::fromLatin1(severity_name(severity)), 8,
                      [&theme, severity](QPainter& painter, const QRectF& box) {
                        draw_glyph(painter, theme, severity, QPointF(box.left() + 4, box.top() + 7), 10);
                      }});
  }
  return legend;
}

}  // namespace

Work paint_ladder_legend(QPainter& painter, QSize size, const Flow& flow, const LadderLook& look,
                         const Theme& theme) {
  constexpr QPoint place(10, 8);
  const QFontMetricsF metrics(small_font());
  // Two lines. Buttons that say the order, too, stand at the right of the first one, but in narrow pictures.
  const int width = size.width() - (size.width() >= with_buttons ? buttons_width : 4);
  Legend legend = ladder_legend(flow, theme);
  while (legend.size() > 1 && legend_lines(legend, width - place.x()) > 2) legend.pop_back();
  Work work = paint_legend(painter, theme, legend, place, width - place.x());
  const bool one_line = legend_lines(legend, width - place.x()) == 1;
  const double first = place.y() + metrics.ascent();
  const double second = first + legend_line_height - 1;
  double x = place.x() + legend_end(legend, width - place.x());
  painter.setPen(theme.muted);
  // What has no room behind the legend stands before the words of the second line.
  QStringList words;
  for (const QString& hint : {order_words(look.order), QStringLiteral("bars: how many, logarithmic")}) {
    if (one_line && words.empty() && x + metrics.horizontalAdvance(hint) < width) {
      painter.drawText(QPointF(x, first), hint);
      x += metrics.horizontalAdvance(hint) + 14;
      ++work.primitives;
    } else {
      words << hint;
    }
  }
  if (!look.why_stream.isEmpty()) words << look.why_stream;
  words << tap_words(flow.tap);
  words[0][0] = words[0][0].toUpper();
  const double from = one_line ? place.x() : x;
  constexpr int worth_reading = 100;
  if (size.width() - from < worth_reading) return work;
  painter.drawText(QPointF(from, second), metrics.elidedText(words.join(QStringLiteral("  ·  ")),
                                                             Qt::ElideRight, size.width() - from - 10));
  ++work.primitives;
  return work;
}

Work paint_ladder_heads(QPainter& painter, QSize size, const Flow& flow, const LadderLayout& layout,
                        const Theme& theme) {
  Work work;
  const QFontMetricsF metrics(small_font());
  for (const Role role : {Role::initiator, Role::responder}) {
    const bool initiator = role == Role::initiator;
    const int x = initiator ? layout.left : layout.right;
    const int half = std::min((layout.right - layout.left) / 2 - 4, 170);
    QRectF box(x - half, layout.plot.top() - 36, 2 * half, 32);
    if (initiator) box.setLeft(layout.plot.left());
    const double most = layout.waits.width() > 0 ? layout.waits.left() - 8 : size.width() - 4;
    if (box.right() > most) box.setRight(most);
    QString name =
        initiator ? QStringLiteral("initiator of stream %1").arg(flow.stream) : QStringLiteral("responder");
    if (flow.tap.at)
      name += flow.tap.at == role ? QStringLiteral(" · captured here") : QStringLiteral(" · inferred");
    painter.setPen(theme.text);
    const int place = initiator ? Qt::AlignLeft : Qt::AlignRight;
    painter.drawText(box, place | static_cast<int>(Qt::AlignTop),
                     metrics.elidedText(name, Qt::ElideRight, box.width()));
    painter.setPen(theme.muted);
    const std::string endpoint = to_string(flow.endpoints[static_cast<unsigned>(role)]);
    painter.drawText(box, place | static_cast<int>(Qt::AlignBottom),
                     metrics.elidedText(QString::fromStdString(endpoint), Qt::ElideMiddle, box.width()));
    work.primitives += 2;
  }
  if (layout.waits.width() > 0) {
    painter.setPen(theme.muted);
    const QRect box(layout.waits.left(), layout.plot.top() - 36, layout.waits.width(), 32);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignTop, QStringLiteral("slowest"));
    painter.drawText(box, Qt::AlignLeft | Qt::AlignBottom, latency_range(flow));
    work.primitives += 2;
  }
  return work;
}

}  // namespace iwarp::gui
