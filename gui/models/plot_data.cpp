// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/plot_data.hpp"

#include <utility>

namespace iwarp::gui {
namespace {

// While a capture is read, so many times longer than a question took nothing is asked again.
constexpr qint64 rest = 10;

// What `before` has stays right where it is of the same rows.
std::shared_ptr<const PlotData> build(const Log& log, std::shared_ptr<const Levels> levels,
                                      const PlotData& before, bool with_traffic, bool ended) {
  auto data = std::make_shared<PlotData>();
  data->latencies = latency_classes(log.metrics.operations(), levels->operations);
  // A filter of operations lets all messages through.
  const RowList& was = before.levels->message_rows;
  const RowList& is = levels->message_rows;
  const bool same = was.all() && is.all() && was.taken() > 0 && was.taken() == is.taken();
  data->with_traffic = with_traffic;
  if (same && before.with_traffic) {
    data->traffic = before.traffic;
  } else if (with_traffic) {
    data->traffic = std::make_shared<const Traffic>(log.metrics.messages(), is);
  } else {
    data->traffic = std::make_shared<const Traffic>();
  }
  // Waits depend on no filter.
  data->waits = before.complete ? before.waits : std::make_shared<const Waits>(find_waits(log));
  for (std::size_t at = 0; at < levels->stream_rows.size(); ++at)
    data->stream_rows.push_back(levels->stream_rows[at]);
  data->together = data->waits == before.waits && data->stream_rows == before.stream_rows
                       ? before.together
                       : data->waits->together(data->stream_rows);
  data->complete = ended && levels->complete;
  data->levels = std::move(levels);
  return data;
}

}  // namespace

PlotBuilder& PlotBuilder::of(Workspace& workspace) {
  auto* const there = workspace.findChild<PlotBuilder*>(QString(), Qt::FindDirectChildrenOnly);
  return there != nullptr ? *there : *new PlotBuilder(workspace);
}

PlotBuilder::PlotBuilder(Workspace& workspace) : QObject(&workspace), workspace_(workspace) {
  auto nothing = std::make_shared<PlotData>();
  nothing->levels = std::make_shared<const Levels>();
  nothing->waits = std::make_shared<const Waits>();
  nothing->traffic = std::make_shared<const Traffic>();
  nothing->together = std::make_shared<const WaitTrack>();
  data_ = std::move(nothing);
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &PlotBuilder::poke);
  connect(&workspace.document(), &CaptureDocument::ended, this, &PlotBuilder::poke);
  poke();
}

bool PlotBuilder::settled() const noexcept {
  if (workspace_.document().opened() && workspace_.document().result().end == LoadEnd::unreadable)
    return true;
  return !asked_ && is_whole() && data_->levels == workspace_.levels().levels();
}

void PlotBuilder::want_traffic() {
  if (std::exchange(traffic_wanted_, true)) return;
  poke();
}

void PlotBuilder::set_seen(const QObject* by, bool seen) {
  if (!seen) {
    seen_by_.erase(by);
  } else if (seen_by_.insert(by).second) {
    poke();
  }
}

void PlotBuilder::poke() {
  if (!workspace_.document().opened()) return;
  const auto& levels = workspace_.levels().levels();
  const bool ended = !workspace_.document().loading();
  if (data_->levels == levels && (is_whole() || !ended)) return;
  if (!ended && (seen_by_.empty() || asked_ || (since_.isValid() && since_.elapsed() < rest * took_ms_)))
    return;
  if (ended && !levels->complete) return;  // a better one is about to come
  asked_ = true;
  QElapsedTimer clock;
  clock.start();
  workspace_.document().ask<std::shared_ptr<const PlotData>>(
      this, "plots",
      [levels, before = data_, with_traffic = traffic_wanted_, ended](const Log& log) {
        return build(log, levels, *before, with_traffic, ended);
      },
      [this, clock](std::shared_ptr<const PlotData> data) {
        asked_ = false;
        took_ms_ = clock.elapsed();
        since_.start();
        data_ = std::move(data);
        emit changed();
        poke();
      });
}

}  // namespace iwarp::gui
