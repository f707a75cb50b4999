// PlotData: what the plots need besides the levels, worked out in the thread of the log; PlotBuilder keeps it
// up to date.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <memory>
#include <set>
#include <vector>

#include "models/latency_classes.hpp"
#include "models/traffic.hpp"
#include "models/waits.hpp"
#include "models/workspace.hpp"

namespace iwarp::gui {

struct PlotData {
  // None of these is ever nothing in PlotBuilder::data().
  std::shared_ptr<const Levels> levels;       // these are of
  std::shared_ptr<const Traffic> traffic;     // of messages that count; empty unless with_traffic
  std::shared_ptr<const Waits> waits;         // of all streams
  std::shared_ptr<const WaitTrack> together;  // of those that count
  std::vector<LatencyClass> latencies;        // of operations that count
  std::vector<std::uint32_t> stream_rows;     // of StreamTable: those that count
  bool with_traffic = false;
  bool complete = false;  // the capture has ended, and all of it is in here
};

class PlotBuilder : public QObject {
  Q_OBJECT
 public:
  // The one of this workspace, which all its plots share; made when it is first asked for.
  static PlotBuilder& of(Workspace& workspace);

  // Never nothing; never changed.
  [[nodiscard]] const std::shared_ptr<const PlotData>& data() const noexcept { return data_; }
  // All that was read, of the present filter, is in there.
  [[nodiscard]] bool settled() const noexcept;
  // Somebody sees it, or does no longer: only then it is kept up to date while a capture is read.
  void set_seen(const QObject* by, bool seen);
  // From now on data() has the traffic: most views never look at it, and it is a tenth of the work.
  void want_traffic();

 signals:
  void changed();

 private:
  explicit PlotBuilder(Workspace& workspace);
  void poke();
  [[nodiscard]] bool is_whole() const noexcept {
    return data_->complete && (data_->with_traffic || !traffic_wanted_);
  }

  Workspace& workspace_;
  std::shared_ptr<const PlotData> data_;
  std::set<const QObject*> seen_by_;
  bool traffic_wanted_ = false;
  bool asked_ = false;
  QElapsedTimer since_;  // the last answer
  qint64 took_ms_ = 0;   // that one, from its question
};

}  // namespace iwarp::gui
