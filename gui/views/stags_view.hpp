// StagsView: STags of each host over time: when they were advertised, which addresses were written and read,
// and when they were invalidated.
//
//   Up Down  the lane above, below    and what TimeView has
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/message_model.hpp"
#include "models/stag_map.hpp"
#include "models/stag_story.hpp"
#include "views/raster.hpp"
#include "views/time_view.hpp"

namespace iwarp::gui {

class StagsView final : public TimeView {
  Q_OBJECT
 public:
  StagsView(Workspace& workspace, const Theme& theme, QWidget* parent);

  [[nodiscard]] TableModel* table() const override { return table_; }
  [[nodiscard]] const StagMap& map() const noexcept { return map_; }
  [[nodiscard]] const StagStory& story() const noexcept { return *story_; }
  // STags that are shown: those that a stream which counts has used.
  [[nodiscard]] std::size_t lane_count() const noexcept {
    return counting_ ? counting_->size() : map_.tracks().size();
  }
  // The lives of STags come once the capture has ended.
  [[nodiscard]] bool settled() const override { return TimeView::settled() && !asked_; }

 protected:
  Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  [[nodiscard]] Legend legend() const override;
  [[nodiscard]] int legend_left() const override { return left_margin(); }
  [[nodiscard]] int left_margin() const override { return 190; }
  [[nodiscard]] QString words_at(QPoint at, const TimeScale& scale, const QRect& plot) override;
  void click(QPoint at, const TimeScale& scale, const QRect& plot) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  Work paint_lane(Raster& raster, int top, const StagTrack& track, const TimeScale& scale) const;
  // When each life began and ended, and when it was advertised.
  Work paint_lives(Raster& raster, int top, std::span<const StagLife> lives, const TimeScale& scale) const;
  void take_messages();
  void ask_for_lives();
  void show_selected();
  void scroll(int lanes);
  [[nodiscard]] QString owner_words(const StagName& name) const;
  using Lane = std::map<StagName, StagTrack>::const_iterator;
  void find_counting();
  [[nodiscard]] std::vector<Lane> lanes(std::size_t from, std::size_t most) const;
  // Those that are seen.
  [[nodiscard]] std::vector<Lane> lanes(const QRect& plot) const;
  // The lane at that height of the picture; end() below the last one.
  [[nodiscard]] Lane lane_at(int y, const QRect& plot) const;

  StagMap map_;
  std::shared_ptr<const StagStory> story_ = std::make_shared<const StagStory>();  // never nothing
  bool asked_ = false;
  std::optional<std::vector<Lane>> counting_;  // nothing: there is no filter
  int first_lane_ = 0;
  std::optional<StagName> chosen_;  // what the selection means of them
  MessageModel* table_;
};

}  // namespace iwarp::gui
