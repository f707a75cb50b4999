// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"
#include "scale/ticks.hpp"
#include "views/glyphs.hpp"
#include "views/ladder_frame.hpp"
#include "views/ladder_words.hpp"

namespace iwarp::gui {
namespace {

constexpr int cell = 3;  // pixel rows that an arrow needs, and that a bar is high
constexpr int label_height = 14;
constexpr int axis_width = LadderLayout::axis_width;
constexpr std::size_t most_smooth = 80;  // arrows; more are drawn without antialiasing
constexpr std::uint32_t none = FlowMessage::none;
QString text(const std::string& utf8) {
  return QString::fromStdString(utf8);
}

// The way of one arrow: from its sender at y[0] to its receiver at y[1].
struct Way {
  double from_x, from_y, to_x, to_y;
};

class Picture {
 public:
  Picture(QPainter& painter, QSize size, const Flow& flow, const Metrics& metrics, const LadderLook& look,
          const Theme& theme)
      : painter_(painter),
        size_(size),
        flow_(flow),
        metrics_(metrics),
        look_(look),
        theme_(theme),
        layout_(size),
        scale_(flow, look.visible, look.order, layout_.plot) {}

  Work paint() {
    painter_.setFont(small_font());
    painter_.fillRect(QRect(QPoint(), size_), theme_.window);
    painter_.fillRect(layout_.plot, theme_.surface);
    find_selected();
    work_ += paint_ladder_legend(painter_, size_, flow_, look_, theme_);
    painter_.save();
    painter_.setClipRect(QRect(0, layout_.plot.top(), size_.width(), layout_.plot.height()));
    if (look_.order == LadderOrder::time) paint_time_axis();
    paint_tcp();
    paint_lifelines();
    paint_steps();
    paint_messages();
    paint_findings();
    paint_waits();
    painter_.restore();
    work_ += paint_ladder_heads(painter_, size_, flow_, layout_, theme_);
    painter_.setPen(theme_.border);
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(layout_.plot.adjusted(0, 0, -1, -1));
    ++work_.primitives;
    return work_;
  }

  [[nodiscard]] Way way(std::size_t place) const { return way(flow_.messages[place].from, scale_.y(place)); }
  // Of what came to where it was captured at y.
  [[nodiscard]] Way way(Role from, double y) const {
    const bool rightward = from == Role::initiator;
    const double x[2]{static_cast<double>(layout_.left), static_cast<double>(layout_.right)};
    double slant = 0;
    if (flow_.tap.at) {
      slant = look_.order == LadderOrder::time
                  ? static_cast<double>(flow_.tap.one_way_ns) / scale_.times().ns_per_pixel()
                  : std::min(10.0, scale_.row_height() * 0.4);
    }
    const bool sent_here = flow_.tap.at == from;
    return {x[rightward ? 0 : 1], sent_here ? y : y - slant, x[rightward ? 1 : 0], sent_here ? y + slant : y};
  }

 private:
  void find_selected() {
    if (look_.selection.operation) selected_ = flow_.place_of_operation(*look_.selection.operation);
    if (look_.selection.message) selected_ = flow_.place_of_message(*look_.selection.message);
  }

  void paint_lifelines() {
    for (const Role role : {Role::initiator, Role::responder}) {
      const int x = role == Role::initiator ? layout_.left : layout_.right;
      const bool inferred = flow_.tap.at && flow_.tap.at != role;
      painter_.setPen(QPen(theme_.text, 1.5, inferred ? Qt::DashLine : Qt::SolidLine));
      painter_.drawLine(QPointF(x, layout_.plot.top()), QPointF(x, layout_.plot.bottom()));
      ++work_.primitives;
    }
  }

  void paint_time_axis() {
    const TimeTicks ticks = time_ticks(scale_.times(), look_.origin, 60);
    const QFontMetricsF metrics(small_font());
    if (!ticks.base.empty()) {
      painter_.setPen(theme_.muted);
      painter_.drawText(QPointF(6, layout_.plot.top() + metrics.ascent() + 2),
                        text(ticks.base) + QStringLiteral(" +"));
    }
    for (const TimeTick& tick : ticks.ticks) {
      const double y = std::floor(scale_.times().x(tick.time)) + 0.5;
      painter_.setPen(theme_.grid);
      painter_.drawLine(QPointF(axis_width, y), QPointF(layout_.plot.right(), y));
      work_.primitives += 2;
      if (y < layout_.plot.top() + 22 || y > layout_.plot.bottom() - 6) continue;
      painter_.setPen(theme_.muted);
      painter_.drawText(QPointF(6, y + metrics.ascent() / 2 - 1), text(tick.label));
    }
  }

  // Solid, to the side of its sender's lifeline.
  void paint_tcp() {
    for (const Role role : {Role::initiator, Role::responder}) {
      const FlowTrack& track = flow_.tracks[static_cast<unsigned>(role)];
      const int side = role == Role::initiator ? -1 : 1;
      const int x = role == Role::initiator ? layout_.left : layout_.right;
      const auto lane = [&](const std::vector<FlowPiece>& pieces, int distance, auto&& draw) {
        // At most a mark each three rows, whatever there is.
        std::size_t at = things_between(pieces, look_.visible.from, look_.visible.from).begin;
        for (std::size_t marks = 0; at < pieces.size() && pieces[at].time_ns < look_.visible.upto &&
                                    marks < static_cast<std::size_t>(layout_.plot.height());
             ++marks) {
          const double y = std::floor(scale_.y_of(pieces[at].time_ns));
          const double left = side < 0 ? x - distance - 6 : x + distance;
          draw(QRectF(left, y - 1, 6, cell + 1));
          const TimeNs past = next_time(y + cell, pieces[at].time_ns);
          at = std::max(at + 1, things_between(pieces, past, past).begin);
          work_.visited += 2;
        }
      };
      lane(track.again, 3, [this](const QRectF& box) { work_ += paint_again(painter_, theme_, box); });
      lane(track.late, 3, [this](const QRectF& box) { work_ += paint_late(painter_, theme_, box); });
      lane(track.holes, 11, [this](const QRectF& box) { work_ += paint_hole(painter_, theme_, box); });
    }
  }

  // A time later than `time`, from which on things lie at y or below.
  [[nodiscard]] TimeNs next_time(double y, TimeNs time) const {
    if (look_.order == LadderOrder::time) return std::max(scale_.times().time(y), time + 1);
    const PlaceRange rest = scale_.places(y, layout_.plot.bottom() + 1);
    if (rest.size() == 0) return look_.visible.upto;
    return std::max(flow_.messages[rest.begin].placed_ns, time + 1);
  }

  void paint_findings() {
    double free_from = -1e6;
    for (std::size_t at = things_between(flow_.findings, look_.visible.from, look_.visible.from).begin;
         at < flow_.findings.size() && flow_.findings[at].time_ns < look_.visible.upto;) {
      const FlowFinding& finding = flow_.findings[at];
      const double y = std::max(scale_.y_of(finding.time_ns), static_cast<double>(layout_.plot.top()) + 6);
      if (y >= free_from) {
        const double x = finding.from == Role::initiator ? layout_.left - 24.0 : layout_.right + 24.0;
        draw_glyph(painter_, theme_, finding.severity, QPointF(x, std::min(y, layout_.plot.bottom() - 6.0)),
                   11);
        ++work_.primitives;
        free_from = y + 12;
      }
      const TimeNs past = next_time(free_from, finding.time_ns);
      at = std::max(at + 1, things_between(flow_.findings, past, past).begin);
      ++work_.visited;
    }
  }

  void paint_messages() {
    const QRect& plot = layout_.plot;
    std::vector<std::size_t> arrows;
    bool bars = false;
    std::vector<std::pair<int, PlaceRange>> dense;
    for (int y = plot.top(); y <= plot.bottom(); y += cell) {
      const PlaceRange places = scale_.places(y, std::min(y + cell, plot.bottom() + 1));
      work_.visited += 2;
      if (places.size() == 0) continue;
      if (scale_.row_of(places.begin).end >= places.end) {
        arrows.push_back(places.begin);
      } else {
        dense.emplace_back(y, places);
        bars = true;
      }
    }
    if (bars) {
      for (const auto& [y, places] : dense) paint_bars(y, places);
      paint_bar_heads();
    }
    // What ends below began here, maybe: the next ones are asked.
    const std::size_t below = scale_.places().end;
    for (std::size_t at = below;
         look_.order == LadderOrder::time && at < std::min(below + 64, flow_.messages.size()); ++at) {
      ++work_.visited;
      if (flow_.messages[at].begun_ns < look_.visible.upto) arrows.push_back(at);
    }
    painter_.setRenderHint(QPainter::Antialiasing, arrows.size() <= most_smooth);
    for (const std::size_t place : arrows) paint_link(place);
    for (const std::size_t place : arrows) paint_arrow(place, false);
    painter_.setRenderHint(QPainter::Antialiasing, false);
    std::vector<Row> rows;
    for (const std::size_t place : arrows) {
      const Way at = way(place);
      rows.push_back(
          {(at.from_y + at.to_y) / 2, at.from_y - at.to_y, flow_.messages[place].placed_ns, place});
    }
    const PlaceRange steps = scale_.steps();
    for (std::size_t step = steps.begin; step < steps.end; ++step) {
      const Way at = way(flow_.steps[step].from, scale_.step_y(step));
      rows.push_back({(at.from_y + at.to_y) / 2, at.from_y - at.to_y, flow_.steps[step].time_ns, {}, step});
    }
    if (rows.empty() && dense.empty()) {
      painter_.setPen(theme_.muted);
      painter_.drawText(plot, Qt::AlignCenter,
                        QObject::tr("This stream has nothing in the time that is seen"));
      return;
    }
    sort(rows);
    paint_chain();  // words stand over it
    paint_labels(rows);
    if (look_.order == LadderOrder::time) return;
    double dense_from = plot.top();
    for (const auto& [y, places] : dense) {
      if (y < dense_from) continue;
      rows.push_back({y + 7.0, 0, flow_.messages[places.begin].placed_ns, places.begin});
      dense_from = y + 48;
    }
    sort(rows);
    paint_row_times(rows);
  }

  // A message or a step, with room for words maybe.
  struct Row {
    double y = 0;     // the middle of its arrow
    double tilt = 0;  // how far the arrow falls
    TimeNs time = 0;
    std::optional<std::size_t> message{};
    std::optional<std::size_t> step{};
  };
  static void sort(std::vector<Row>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& one, const Row& other) { return one.y < other.y; });
  }
  [[nodiscard]] QString words_of(const Row& row) const {
    if (row.step) return text(flow_.steps[*row.step].words);
    const PlaceRange run = scale_.row_of(*row.message);
    const QString words = message_words(flow_, metrics_, run);
    if (run.size() == 1) return words;
    return QString::fromStdString(count_text(run.size())) + QStringLiteral(" × ") + words;
  }

  // Bars of messages too many for arrows: one place for each kind, from its sender's lifeline inward; their
  // lengths are logarithms of how many.
  [[nodiscard]] double slot_width() const {
    return (layout_.right - layout_.left - 24) / 2.0 / static_cast<double>(slot_count());
  }
  [[nodiscard]] std::size_t slot_count() const {
    const Flow::GroupCounts all = flow_.count({0, flow_.messages.size()});
    std::size_t count = 0;
    for (std::size_t group = 0; group < message_groups; ++group)
      count += all[0][group] + all[1][group] > 0 ? 1U : 0U;
    return std::max<std::size_t>(count, 1);
  }

  template <typename Slot>
  void for_each_slot(Slot&& slot) {
    const Flow::GroupCounts all = flow_.count({0, flow_.messages.size()});
    const double width = slot_width();
    std::size_t at = 0;
    for (std::size_t group = 0; group < message_groups; ++group) {
      if (all[0][group] + all[1][group] == 0) continue;
      slot(group, 4 + static_cast<double>(at) * width, width - 4);
      ++at;
    }
  }

  void paint_bars(int y, PlaceRange places) {
    const Flow::GroupCounts counts = flow_.count(places);
    work_.visited += 2;
    if (bar_slots_.empty()) {
      for_each_slot([this](std::size_t group, double at, double width) {
        bar_slots_.push_back({group, at, width});
      });
    }
    for (const BarSlot& slot : bar_slots_) {
      for (std::size_t role = 0; role < 2; ++role) {
        const std::uint32_t count = counts[role][slot.group];
        if (count == 0) continue;
        const double width = std::min(slot.width, std::max(3.0, slot.width * std::log2(1.0 + count) / 16));
        const double left = role == 0 ? layout_.left + slot.at : layout_.right - slot.at - width;
        painter_.fillRect(QRectF(left, y, width, cell - 1),
                          color_of(theme_, static_cast<MessageGroup>(slot.group)));
        ++work_.primitives;
      }
    }
  }

  void paint_bar_heads() {
    painter_.setPen(theme_.muted);
    const QFontMetricsF metrics(small_font());
    for (const BarSlot& slot : bar_slots_) {
      const QString letter = QString::fromLatin1(group_letter(static_cast<MessageGroup>(slot.group)));
      const QString outward = letter + QStringLiteral(" →");
      const QString inward = QStringLiteral("← ") + letter;
      if (slot.width < metrics.horizontalAdvance(outward)) continue;
      for (const bool left : {true, false}) {
        const QString& words = left ? outward : inward;
        const double width = metrics.horizontalAdvance(words);
        const double x = left ? layout_.left + slot.at : layout_.right - slot.at - width;
        const QRectF box(x - 2, layout_.plot.top(), width + 4, label_height);
        painter_.fillRect(box, theme_.surface);
        painter_.drawText(box, Qt::AlignCenter, words);
        work_.primitives += 2;
      }
    }
    labels_from_ = layout_.plot.top() + label_height;
  }

  void paint_arrow(std::size_t place, bool strong) {
    const FlowMessage& message = flow_.messages[place];
    const Way at = way(place);
    const QColor color = color_of(theme_, group_of(message.opcode));
    const bool inferred_style =
        message.opcode == wire::Opcode::read_response || message.opcode == wire::Opcode::atomic_response;
    const double begun = scale_.begun_y(place) - scale_.y(place);
    if (begun < -cell) {
      // From its first segment to its last one, and each of these where there is room.
      QColor tint = color;
      tint.setAlpha(50);
      const QPointF corners[4]{{at.from_x, at.from_y},
                               {at.to_x, at.to_y},
                               {at.to_x, at.to_y + begun},
                               {at.from_x, at.from_y + begun}};
      painter_.setPen(Qt::NoPen);
      painter_.setBrush(tint);
      painter_.drawPolygon(corners, 4);
      painter_.setPen(QPen(color, 1, Qt::DotLine));
      painter_.drawLine(corners[2], corners[3]);
      work_.primitives += 2;
    }
    if (strong) {  // a halo: the colour stays that of its kind
      QColor halo = theme_.accent;
      halo.setAlpha(70);
      painter_.setPen(QPen(halo, 8, Qt::SolidLine, Qt::RoundCap));
      painter_.drawLine(QPointF(at.from_x, at.from_y), QPointF(at.to_x, at.to_y));
      ++work_.primitives;
    }
    const double width = message.opcode == wire::Opcode::terminate || strong ? 2.5 : 1.25;
    painter_.setPen(QPen(color, width, inferred_style ? Qt::DashLine : Qt::SolidLine));
    painter_.drawLine(QPointF(at.from_x, at.from_y), QPointF(at.to_x, at.to_y));
    paint_point(at, color);
    work_.primitives += 2;
  }

  void paint_point(const Way& at, const QColor& color) {
    const double length = std::hypot(at.to_x - at.from_x, at.to_y - at.from_y);
    if (length <= 12) return;
    const double dx = (at.to_x - at.from_x) / length * 8;
    const double dy = (at.to_y - at.from_y) / length * 8;
    const QPointF head[3]{{at.to_x, at.to_y},
                          {at.to_x - dx - dy / 2, at.to_y - dy + dx / 2},
                          {at.to_x - dx + dy / 2, at.to_y - dy - dx / 2}};
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(color);
    painter_.drawPolygon(head, 3);
  }

  // What began and ended the connection: no messages, so without a colour.
  void paint_steps() {
    const PlaceRange steps = scale_.steps();
    for (std::size_t step = steps.begin; step < steps.end; ++step) {
      const Way at = way(flow_.steps[step].from, scale_.step_y(step));
      painter_.setPen(QPen(theme_.muted, 1));
      painter_.drawLine(QPointF(at.from_x, at.from_y), QPointF(at.to_x, at.to_y));
      paint_point(at, theme_.muted);
      work_.primitives += 2;
    }
  }

  // From what caused a message to its start: beside the lifeline at which that happened.
  void paint_link(std::size_t place) {
    const FlowMessage& message = flow_.messages[place];
    if (message.cause == none) return;
    draw_link(message.cause, place, QPen(theme_.muted, 1.25, Qt::DotLine));
  }

  void draw_link(std::size_t cause, std::size_t effect, const QPen& pen) {
    const Way first = way(cause);
    const Way then = way(effect);
    const double begun = scale_.begun_y(effect) - scale_.y(effect);
    const bool same = flow_.messages[cause].from == flow_.messages[effect].from;
    const double from_y = same ? first.from_y : first.to_y;
    const double to_y = then.from_y + begun;
    if (std::abs(to_y - from_y) < 2) return;
    const double inward = then.from_x == layout_.left ? 1 : -1;
    const double x = then.from_x + inward * (8 + 5 * static_cast<double>(cause % 6));
    const QPointF points[4]{{then.from_x, from_y},
                            {x, from_y + (to_y > from_y ? 4 : -4)},
                            {x, to_y - (to_y > from_y ? 4 : -4)},
                            {then.from_x, to_y}};
    painter_.setPen(pen);
    painter_.setBrush(Qt::NoBrush);
    painter_.drawPolyline(points, 4);
    ++work_.primitives;
  }

  // The selected message, what caused it, and what it caused.
  void paint_chain() {
    if (!selected_) return;
    painter_.setRenderHint(QPainter::Antialiasing, true);
    std::size_t at = *selected_;
    paint_arrow(at, true);
    const auto link = [this](std::size_t cause, std::size_t effect) {
      draw_link(cause, effect, QPen(theme_.accent, 2));
    };
    for (int steps = 0; steps < 8 && flow_.messages[at].cause != none; ++steps) {
      const std::size_t cause = flow_.messages[at].cause;
      link(cause, at);
      paint_arrow(cause, true);
      at = cause;
    }
    at = *selected_;
    for (int steps = 0; steps < 8 && flow_.messages[at].effect != none; ++steps) {
      const std::size_t effect = flow_.messages[at].effect;
      link(at, effect);
      paint_arrow(effect, true);
      at = effect;
    }
    painter_.setRenderHint(QPainter::Antialiasing, false);
  }

  // Above the arrows that have room, else in them, from top to bottom; where they are close to each other, in
  // two columns in turn.
  void paint_labels(const std::vector<Row>& rows) {
    constexpr double least_room = 220;  // of a column of two
    const double width = layout_.right - layout_.left;
    if (width < 130 || rows.empty()) return;
    const double distance = (rows.back().y - rows.front().y) / static_cast<double>(rows.size());
    const bool close = distance < label_height && width / 2 - 70 >= least_room;
    const double top = std::max<double>(labels_from_, layout_.plot.top());
    if (!close) {
      double free_from = top;
      for (std::size_t at = 0; at < rows.size(); ++at)
        paint_label(rows, at, (layout_.left + layout_.right) / 2.0, width - 90, free_from);
      return;
    }
    std::array<double, 2> free_from{top, top};
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const std::size_t column = free_from[0] <= free_from[1] ? 0 : 1;
      paint_label(rows, at, layout_.left + width * (column == 0 ? 0.28 : 0.72), width / 2 - 70,
                  free_from[column]);
    }
  }

  // In the middle of a column whose labels end at `free_from`.
  void paint_label(const std::vector<Row>& rows, std::size_t at, double middle, double room,
                   double& free_from) {
    const QFontMetricsF metrics(small_font());
    const Row& row = rows[at];
    const double above = row.y - label_height - 1 - std::min(std::abs(row.tilt) * 0.35, 5.0);
    const double in = row.y - label_height / 2.0;
    const double next = at + 1 < rows.size() ? rows[at + 1].y : layout_.plot.bottom() + label_height / 2.0;
    const bool fits = above >= free_from && (at == 0 || rows[at - 1].y <= above);
    if (!fits && (in + 1 < free_from || next - row.y < label_height / 2.0)) {
      free_from = std::max(free_from, row.y + 2);
      return;
    }
    const QString words = metrics.elidedText(words_of(row), Qt::ElideRight, room);
    const double width = metrics.horizontalAdvance(words);
    const QRectF box(middle - width / 2 - 3, fits ? above : in, width + 6, label_height - 1);
    if (!fits) painter_.fillRect(box, theme_.surface);
    const bool selected = row.message && row.message == selected_;
    painter_.setPen(row.step ? theme_.muted : selected ? theme_.accent : theme_.text);
    painter_.drawText(box, Qt::AlignCenter, words);
    work_.primitives += 3;
    free_from = fits ? row.y + 2 : box.bottom();
  }

  // When rows came, at the left of them: those that have room.
  void paint_row_times(const std::vector<Row>& rows) {
    const QFontMetricsF metrics(small_font());
    double free_from = layout_.plot.top();
    for (const Row& row : rows) {
      if (row.y - 7 < free_from || row.y + 7 > layout_.plot.bottom() + 2) continue;
      painter_.setPen(theme_.muted);
      const double seconds = static_cast<double>(row.time - look_.origin) / 1e9;
      painter_.drawText(QPointF(6, row.y + metrics.ascent() / 2 - 1), QString::number(seconds, 'f', 6));
      free_from = row.y + 8;
      ++work_.primitives;
    }
  }

  // The greatest latency of each row, on a logarithmic scale; the greatest of all that is seen is named.
  void paint_waits() {
    const QRect& lane = layout_.waits;
    if (lane.width() <= 0) return;
    const Extent all = flow_.latency.over(0, flow_.latency.size());
    if (all.count == 0) return;
    const double least = 0.9 * std::log(1.0 + static_cast<double>(all.least));  // a bar for that one, too
    const double most = std::max(std::log(1.0 + static_cast<double>(all.greatest)), least + 0.1);
    const auto slowest = flow_.slowest(scale_.places());
    const int step = std::max(cell, static_cast<int>(scale_.row_height() / 3));
    for (int y = layout_.plot.top(); y <= layout_.plot.bottom(); y += cell) {
      const PlaceRange places = scale_.places(y, std::min(y + cell, layout_.plot.bottom() + 1));
      const Extent extent = flow_.latency.over(places.begin, places.end);
      work_.visited += 2 + flow_.latency.visited(places.begin, places.end);
      if (extent.count == 0) continue;
      const double part = (std::log(1.0 + static_cast<double>(extent.greatest)) - least) / (most - least);
      const bool named = slowest && places.begin <= *slowest && *slowest < places.end;
      painter_.fillRect(QRectF(lane.left(), y, 3 + part * (lane.width() - 3), step - 1),
                        named ? theme_.hole : theme_.traffic);
      ++work_.primitives;
    }
    if (!slowest) return;
    const QFontMetricsF metrics(small_font());
    const QString words =
        QStringLiteral("▸ ") + text(duration_text(static_cast<TimeNs>(flow_.latency[*slowest])));
    const double below = std::max(7.0, step + 1.0);  // the bar
    const double under = scale_.y(*slowest) + below + metrics.ascent();
    const double y = under <= layout_.plot.bottom() - 4.0 ? std::max(under, layout_.plot.top() + 20.0)
                                                          : scale_.y(*slowest) - 6;
    const QRectF box(lane.left(), y - metrics.ascent() - 1, metrics.horizontalAdvance(words) + 6,
                     label_height + 1);
    painter_.fillRect(box, theme_.surface);
    painter_.setPen(theme_.text);
    painter_.drawText(box, Qt::AlignCenter, words);
    work_.primitives += 2;
  }

  struct BarSlot {
    std::size_t group;
    double at, width;
  };

  QPainter& painter_;
  const QSize size_;
  const Flow& flow_;
  const Metrics& metrics_;
  const LadderLook& look_;
  const Theme& theme_;
  const LadderLayout layout_;
  const LadderScale scale_;
  std::vector<BarSlot> bar_slots_;
  std::optional<std::size_t> selected_;
  int labels_from_ = 0;
  Work work_;
};

}  // namespace

Work paint_ladder(QPainter& painter, QSize size, const Flow& flow, const Metrics& metrics,
                  const LadderLook& look, const Theme& theme) {
  return Picture(painter, size, flow, metrics, look, theme).paint();
}

}  // namespace iwarp::gui
