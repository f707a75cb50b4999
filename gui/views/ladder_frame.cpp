// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_frame.hpp"

#include <algorithm>
#include <array>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"
#include "views/glyphs.hpp"
#include "views/ladder_words.hpp"

namespace iwarp::gui {
namespace {

constexpr std::size_t severity_count = 4;
constexpr int buttons_width = 150;  // room that LadderView's take at the right

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

// Hollow: nothing is there.
Work paint_hole(QPainter& painter, const Theme& theme, const QRectF& box) {
  painter.setPen(QPen(theme.hole, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
  return {1, 0};
}

Work paint_ladder_legend(QPainter& painter, QSize size, const Flow& flow, const LadderLook& look,
                         const Theme& theme) {
  Work work;
  double x = 10;
  const QFontMetricsF metrics(small_font());
  const double baseline = 8 + metrics.ascent();
  const auto word = [&](const QString& words, const QColor& color) {
    painter.setPen(color);
    painter.drawText(QPointF(x, baseline), words);
    x += metrics.horizontalAdvance(words) + 14;
    ++work.primitives;
  };
  const Flow::GroupCounts all = flow.count({0, flow.messages.size()});
  for (std::size_t group = 0; group < message_groups; ++group) {
    if (all[0][group] + all[1][group] == 0) continue;
    const auto of = static_cast<MessageGroup>(group);
    painter.fillRect(QRectF(x, baseline - 8, 10, 8), color_of(theme, of));
    x += 14;
    word(QString::fromLatin1(group_letter(of)) + QLatin1Char(' ') + QString::fromLatin1(group_words(of)),
         theme.text);
  }
  const auto line = [&](Qt::PenStyle style, const char* words) {
    painter.setPen(QPen(theme.muted, 1.5, style));
    painter.drawLine(QPointF(x, baseline - 4), QPointF(x + 16, baseline - 4));
    x += 20;
    word(QString::fromLatin1(words), theme.text);
  };
  constexpr std::array answered{MessageGroup::read, MessageGroup::atomic};
  if (std::any_of(answered.begin(), answered.end(), [&](MessageGroup group) {
        return all[0][static_cast<std::size_t>(group)] + all[1][static_cast<std::size_t>(group)] > 0;
      })) {
    line(Qt::DashLine, "response");
  }
  line(Qt::DotLine, "cause");
  if (!flow.steps.empty()) line(Qt::SolidLine, "start and end");
  if (!flow.tracks[0].again.empty() || !flow.tracks[1].again.empty()) {
    work += paint_again(painter, theme, QRectF(x, baseline - 9, 6, 10));
    x += 10;
    word(QStringLiteral("sent again"), theme.text);
  }
  if (!flow.tracks[0].holes.empty() || !flow.tracks[1].holes.empty()) {
    work += paint_hole(painter, theme, QRectF(x, baseline - 9, 6, 10));
    x += 10;
    word(QStringLiteral("not captured"), theme.text);
  }
  std::array<bool, severity_count> found{};
  for (const FlowFinding& finding : flow.findings) found[static_cast<std::size_t>(finding.severity)] = true;
  for (std::size_t severity = severity_count; severity-- > 0;) {
    if (!found[severity]) continue;
    draw_glyph(painter, theme, static_cast<Severity>(severity), QPointF(x + 4, baseline - 4), 10);
    x += 13;
    word(QString::fromLatin1(severity_name(static_cast<Severity>(severity))), theme.text);
  }
  const QString order = look.order == LadderOrder::time     ? QStringLiteral("time to scale")
                        : look.order == LadderOrder::folded ? QStringLiteral("by order, equal ones folded")
                                                            : QStringLiteral("by order");
  // Buttons that say it, too, stand at the right.
  for (const QString& words : {order, QStringLiteral("bars: how many, logarithmic")}) {
    if (x + metrics.horizontalAdvance(words) < size.width() - buttons_width) word(words, theme.muted);
  }
  // What an inferred lifeline means is told as far as there is room.
  QString words = tap_words(flow.tap);
  if (!look.why_stream.isEmpty()) {
    words = look.why_stream + QStringLiteral("  ·  ") + words;
    words[0] = words[0].toUpper();
  }
  painter.setPen(theme.muted);
  painter.drawText(QPointF(10, baseline + 17), metrics.elidedText(words, Qt::ElideRight, size.width() - 20));
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
