// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/stags_view.hpp"

#include <QKeyEvent>

#include <algorithm>
#include <array>
#include <bit>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr int lane_height = 30;
constexpr int flag_rows = 6;  // of the sign of an advertisement

// From behind to the front.
constexpr std::array painted{StagUse::write, StagUse::read_into, StagUse::read_from, StagUse::atomic};

QColor color_of(const Theme& theme, StagUse::Kind kind) {
  switch (kind) {
    case StagUse::write: return theme.of(OperationKind::write);
    case StagUse::read_from: return theme.of(OperationKind::read);
    case StagUse::read_into: return theme.of(OperationKind::send);
    case StagUse::atomic: return theme.of(OperationKind::atomic);
    case StagUse::invalidation: return theme.of(Severity::error);
  }
  return theme.text;
}

// Kinds differ in their rows as well: which of them are lit, from the first of a use on.
bool is_lit(StagUse::Kind kind, int row) {
  switch (kind) {
    case StagUse::write: return true;
    case StagUse::read_from: return row % 4 < 3;
    case StagUse::read_into: return row % 2 == 0;
    case StagUse::atomic: return row % 3 == 0;
    case StagUse::invalidation: return row % 6 < 3;
  }
  return true;
}

}  // namespace

StagsView::StagsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TimeView(workspace, theme, tr("STags over time"), parent), table_(new MessageModel(workspace, this)) {
  connect(&document(), &CaptureDocument::grew, this, &StagsView::take_messages);
  connect(&document(), &CaptureDocument::ended, this, &StagsView::take_messages);
  connect(&document(), &CaptureDocument::ended, this, &StagsView::ask_for_lives);
  connect(&session(), &Session::selection_changed, this, &StagsView::show_selected);
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &StagsView::find_counting);
  if (document().opened()) take_messages();
  if (document().opened() && !document().loading()) ask_for_lives();
}

void StagsView::ask_for_lives() {
  if (document().result().end == LoadEnd::unreadable) return;
  asked_ = true;
  document().ask<std::shared_ptr<const StagStory>>(
      this, "stag story",
      [](const Log& log) {
        return std::make_shared<const StagStory>(log.stag_records, log.analysis, log.hosts);
      },
      [this](std::shared_ptr<const StagStory> story) {
        story_ = std::move(story);
        asked_ = false;
        update();
        emit settled_changed();
      });
}

void StagsView::take_messages() {
  map_.extend(document().metrics(), document().metrics().messages().size(), document().hosts());
  find_counting();
  if (!chosen_) show_selected();
  update();
}

void StagsView::scroll(int lanes) {
  first_lane_ = std::clamp(first_lane_ + lanes, 0, std::max(0, static_cast<int>(lane_count()) - 1));
  update();
}

// As far as needed to have its lane among those that are seen.
void StagsView::show_selected() {
  chosen_ = map_.stag_of(document().metrics(), session().selection());
  const auto found = chosen_ ? map_.tracks().find(*chosen_) : map_.tracks().end();
  if (found == map_.tracks().end()) return update();
  const auto place = counting_ ? std::distance(counting_->begin(), std::ranges::find(*counting_, found))
                               : std::distance(map_.tracks().begin(), found);
  const auto lane = static_cast<int>(place);
  if (lane >= static_cast<int>(lane_count())) return update();
  const int seen = std::max(1, plot_of(size()).height() / lane_height);
  const int last_first = lane - seen + 1;
  scroll(std::clamp(first_lane_, std::max(0, last_first), lane) - first_lane_);
}

void StagsView::find_counting() {
  const Levels& levels = *workspace().levels().levels();
  counting_.reset();
  if (!levels.scope.all()) {
    const auto counts = [&](ConnectionId stream) {
      if (stream >= levels.rows_of_streams.size() || levels.rows_of_streams[stream] == 0) return false;
      const std::uint32_t row = levels.rows_of_streams[stream] - 1;
      const std::size_t place = levels.stream_rows.place_of(row);
      return place < levels.stream_rows.size() && levels.stream_rows[place] == row;
    };
    counting_.emplace();
    for (auto lane = map_.tracks().begin(); lane != map_.tracks().end(); ++lane) {
      if (std::ranges::any_of(lane->second.streams(), counts)) counting_->push_back(lane);
    }
  }
  scroll(0);
}

std::vector<StagsView::Lane> StagsView::lanes(std::size_t from, std::size_t most) const {
  std::vector<Lane> found;
  from = std::min(from, lane_count());
  const std::size_t count = std::min(most, lane_count() - from);
  if (counting_) {
    const auto begin = counting_->begin() + static_cast<std::ptrdiff_t>(from);
    found.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return found;
  }
  auto lane = std::next(map_.tracks().begin(), static_cast<std::ptrdiff_t>(from));
  while (found.size() < count) found.push_back(lane++);
  return found;
}

std::vector<StagsView::Lane> StagsView::lanes(const QRect& plot) const {
  return lanes(static_cast<std::size_t>(first_lane_), static_cast<std::size_t>(plot.height() / lane_height));
}

Work StagsView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  if (lane_count() == 0) {
    painter.setPen(theme().muted);
    painter.setFont(text_font());
    painter.drawText(plot.adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Here STags are shown over time, by the addresses that were written and read.\n\n") +
                         (counting_ ? tr("No stream that counts with this filter names one.")
                                    : tr("No message so far names an STag.")));
    return {1, 0};
  }
  Raster raster(plot.size());
  int top = 0;
  for (const Lane lane : lanes(plot)) {
    work += paint_lives(raster, top, story_->of(lane->first), scale);
    work += paint_lane(raster, top, lane->second, scale);
    top += lane_height;
  }
  raster.paint(painter, plot.topLeft());
  ++work.primitives;
  painter.setPen(theme().grid);
  for (int y = lane_height; y <= top; y += lane_height) {
    painter.drawLine(plot.left(), plot.top() + y, plot.right(), plot.top() + y);
    ++work.primitives;
  }
  return work;
}

// In each column what was used in its time, the rarer kinds in front. A use is a pixel at least, and wider
// where nothing follows it closely.
Work StagsView::paint_lane(Raster& raster, int top, const StagTrack& track, const TimeScale& scale) const {
  constexpr int rows = lane_height - 9;
  constexpr int wide = 3;
  Work work;
  const unsigned from = track.part_of(track.least_to());
  const double part_rows = rows / (track.part_of(track.greatest_to()) - from + 1.0);
  const auto row_of = [&](int part) {
    return top + 4 + static_cast<int>((part - static_cast<int>(from)) * part_rows);
  };
  const std::vector<StagUse>& uses = track.uses();
  std::size_t use = track.first_at(0, scale.span().from, work);
  while (use < uses.size() && uses[use].time_ns < scale.span().upto) {
    const int column = scale.column_of(uses[use].time_ns);
    const std::size_t next = track.first_at(use, scale.column(column).upto, work);
    const StagTrack::Touched touched = track.touched(use, next, work);
    const bool last = next == uses.size() || uses[next].time_ns >= scale.span().upto;
    const int upto = last ? column + wide : std::min(column + wide, scale.column_of(uses[next].time_ns));
    const auto fill = [&](int begin, int end, StagUse::Kind kind) {
      const QRgb color = color_of(theme(), kind).rgb();
      for (int y = begin; y < end; ++y) {
        if (!is_lit(kind, y - begin)) continue;
        for (int x = column; x < upto; ++x) raster.set(x, y, color);
      }
    };
    bool alone = true;
    for (const StagUse::Kind kind : painted) {
      alone = alone && touched[kind] == 0;
      for (std::uint64_t left = touched[kind]; left != 0;) {
        const int begin = std::countr_zero(left);
        const int end = begin + std::countr_one(left >> begin);
        fill(row_of(begin), std::max(row_of(end), row_of(begin) + 1), kind);
        left = end == StagTrack::parts ? 0 : left & ~std::uint64_t{0} << end;
      }
    }
    if (touched[StagUse::invalidation] != 0) {
      // Where something else was at the same time, above and below that: it hides nothing.
      const int middle = alone ? 0 : rows;
      const int half = (lane_height - 2 - middle) / 2;
      fill(top + 1, top + 1 + half, StagUse::invalidation);
      fill(top + lane_height - 1 - half, top + lane_height - 1, StagUse::invalidation);
    }
    use = next;
  }
  return work;
}

Work StagsView::paint_lives(Raster& raster, int top, std::span<const StagLife> lives,
                            const TimeScale& scale) const {
  Work work;
  const QRgb line = theme().muted.rgb();
  const QRgb told = theme().accent.rgb();
  const int bottom = top + lane_height - 3;
  // Lives of an STag follow each other: of those that share a column the last one goes on.
  const auto first_from = [&](std::size_t from, TimeNs time) {
    const auto begun = [time](const StagLife& life) { return life.span().from < time; };
    const auto found =
        std::partition_point(lives.begin() + static_cast<std::ptrdiff_t>(from), lives.end(), begun);
    return static_cast<std::size_t>(found - lives.begin());
  };
  const std::size_t first = first_from(0, scale.span().from);
  for (std::size_t at = first > 0 ? first - 1 : 0; at < lives.size();) {
    const StagLife& life = lives[at];
    ++work.visited;
    if (life.span().from >= scale.span().upto) break;
    const TimeSpan seen = intersection(life.span(), scale.span());
    int end = 0;
    if (!seen.empty()) {
      end = scale.column_of(seen.upto - 1);
      for (int x = scale.column_of(seen.from); x <= end; ++x) {
        // Without an advertisement it is as old as it was used, at least.
        if (life.advertised_ns || x % 4 < 2) raster.fill(x, bottom, bottom + 2, line);
      }
    }
    if (life.advertised_ns && scale.span().contains(*life.advertised_ns)) {
      const int tip = scale.column_of(*life.advertised_ns);
      for (int row = 0; row < flag_rows; ++row) {
        for (int x = tip; x < tip + flag_rows - row; ++x) raster.set(x, top + 2 + row, told);
      }
      raster.fill(tip, top + 2, bottom + 2, told);
    }
    at = std::max(at + 1, first_from(at + 1, scale.column(end).upto) - 1);
  }
  return work;
}

Work StagsView::paint_frame(QPainter& painter, const TimeScale&, const QRect& plot) {
  Work work;
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  int top = plot.top();
  for (const Lane lane : lanes(plot)) {
    const bool chosen = chosen_ == lane->first;
    const QRect label(0, top, plot.left() - 6, lane_height);
    if (chosen) painter.fillRect(label, theme().selection);
    painter.setPen(theme().text);
    painter.drawText(label.adjusted(6, 1, 0, -lane_height / 2), Qt::AlignVCenter | Qt::AlignLeft,
                     QString::fromStdString(hex_text(lane->first.stag, 8)) + QStringLiteral("  ") +
                         QString::fromStdString(octets_text(lane->second.octets())));
    painter.setPen(theme().muted);
    painter.drawText(label.adjusted(6, lane_height / 2, 0, -1), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(owner_words(lane->first), Qt::ElideRight, label.width() - 10));
    work.primitives += 2;
    top += lane_height;
  }
  const auto count = static_cast<int>(lane_count());
  const int shown = (top - plot.top()) / lane_height;
  if (shown < count) {
    const QString words = tr("%1 to %2 of %3 STags (↑ ↓)")
                              .arg(first_lane_ + 1)
                              .arg(first_lane_ + shown)
                              .arg(QString::fromStdString(count_text(static_cast<std::uint64_t>(count))));
    painter.setPen(theme().muted);
    painter.drawText(QPointF(6, 8 + metrics.ascent()),
                     metrics.elidedText(words, Qt::ElideRight, plot.left() - 12));
    ++work.primitives;
  }
  return work;
}

// Its host, and the ULP that told of it.
QString StagsView::owner_words(const StagName& name) const {
  QString words = QString::fromStdString(document().hosts().name(name.host));
  for (const StagLife& life : story_->of(name)) {
    if (!life.record.advertised) continue;
    const char* const ulp = ulp_words(life.record.advertised->ulp);
    return words + QStringLiteral("  ·  ") + (*ulp != '\0' ? QLatin1String(ulp) : tr("advertised"));
  }
  return words;
}

Legend StagsView::legend() const {
  Legend legend;
  legend.push_back({tr("advertised"), 10, [this](QPainter& painter, const QRectF& box) {
                      const QColor color = theme().accent;
                      painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), color);
                      for (int row = 0; row < flag_rows; ++row)
                        painter.fillRect(QRectF(box.left(), box.top() + row, flag_rows - row, 1), color);
                    }});
  legend.push_back({tr("life; dashed: begun unseen"), 16, [this](QPainter& painter, const QRectF& box) {
                      painter.fillRect(QRectF(box.left(), box.bottom() - 4, box.width(), 2), theme().muted);
                    }});
  for (std::size_t kind = 0; kind < StagUse::kinds; ++kind) {
    const auto of = static_cast<StagUse::Kind>(kind);
    legend.push_back(
        {QString::fromLatin1(stag_use_name(of)), 10, [this, of](QPainter& painter, const QRectF& box) {
           for (int row = 0; row < box.height() - 1; ++row) {
             if (is_lit(of, row))
               painter.fillRect(QRectF(box.left(), box.top() + row, box.width(), 1), color_of(theme(), of));
           }
         }});
  }
  return legend;
}

StagsView::Lane StagsView::lane_at(int y, const QRect& plot) const {
  if (y < plot.top()) return map_.tracks().end();
  const std::vector<Lane> found =
      lanes(static_cast<std::size_t>(first_lane_ + (y - plot.top()) / lane_height), 1);
  return found.empty() ? map_.tracks().end() : found.front();
}

QString StagsView::words_at(QPoint at, const TimeScale& scale, const QRect& plot) {
  const auto lane = lane_at(at.y(), plot);
  if (lane == map_.tracks().end()) return {};
  const StagTrack& track = lane->second;
  QStringList lines{tr("STag %1 of %2")
                        .arg(QString::fromStdString(hex_text(lane->first.stag, 8)),
                             QString::fromStdString(document().hosts().name(lane->first.host)))};
  const std::span<const StagLife> lives = story_->of(lane->first);
  if (!plot.contains(at)) {
    for (std::size_t life = 0; life < std::min<std::size_t>(lives.size(), 2); ++life)
      lines << life_lines(lives[life]);
    if (lives.empty() && story_->dropped() > 0)
      lines << tr("What is known of its memory was not kept: of so many STags only the first %1 lives are")
                   .arg(QString::fromStdString(count_text(StagRecords::most)));
    if (lives.size() > 2) lines << tr("and %1 more lives").arg(lives.size() - 2);
    return lines.join(QLatin1Char('\n'));
  }
  // Two pixels to the left and right: what lies under a mouse need not be hit exactly.
  Work work;
  const int column = scale.column_of(scale.time(at.x()));
  const TimeSpan near{scale.column(std::max(column - 2, 0)).from,
                      scale.column(std::min(column + 2, scale.columns() - 1)).upto};
  const std::size_t begin = track.first_at(0, near.from, work);
  const std::size_t end = track.first_at(begin, near.upto, work);
  constexpr std::size_t most = 4;
  for (std::size_t use = begin; use < std::min(end, begin + most); ++use) {
    const StagUse& of = track.uses()[use];
    const QString name = tr(stag_use_name(of.kind));
    lines << (of.kind == StagUse::invalidation
                  ? name
                  : tr("%1: %2 at %3")
                        .arg(name, QString::fromStdString(octets_text(of.length)),
                             QString::fromStdString(hex_text(of.to, 16))));
  }
  if (end > begin + most) {
    lines << tr("and %1 more").arg(QString::fromStdString(count_text(end - begin - most)));
  }
  if (begin == end) lines << tr("not used just then");
  for (const StagLife& life : lives) {
    if (intersection(life.span(), near).empty()) continue;
    lines << life_lines(life);
    break;
  }
  return lines.join(QLatin1Char('\n'));
}

void StagsView::click(QPoint at, const TimeScale&, const QRect& plot) {
  const auto lane = lane_at(at.y(), plot);
  if (lane == map_.tracks().end()) return;
  Selection selection;
  selection.stag = lane->first;
  session().select(selection);
}

void StagsView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up: return scroll(-1);
    case Qt::Key_Down: return scroll(1);
    case Qt::Key_PageUp: return scroll(-10);
    case Qt::Key_PageDown: return scroll(10);
    default: TimeView::keyPressEvent(event);
  }
}

}  // namespace iwarp::gui
