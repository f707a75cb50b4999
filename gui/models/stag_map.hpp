// StagMap: STags of each host over time, as operations and messages tell of them: who wrote to which
// addresses when, who read, and what was invalidated. Owners and advertisements are for others to add.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>

#include <iwarp/metrics.hpp>

#include "models/hosts.hpp"
#include "models/selection.hpp"
#include "models/stag_track.hpp"

namespace iwarp::gui {

class StagMap {
 public:
  // Takes the messages up to `end` that it has not taken. REQUIRES: always the same metrics and
  // hosts.
  void extend(const Metrics& metrics, std::size_t end, const Hosts& hosts);
  [[nodiscard]] const std::map<StagName, StagTrack>& tracks() const noexcept { return tracks_; }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }
  // The selected STag, or the one that the selected message or operation's request uses; nothing: none of
  // those that were taken. REQUIRES: `metrics` as in extend.
  [[nodiscard]] std::optional<StagName> stag_of(const Metrics& metrics, const Selection& selection) const;

 private:
  std::map<StagName, StagTrack> tracks_;
  std::map<ConnectionId, std::array<Endpoint, 2>> ends_;
  std::size_t streams_ = 0;
  std::size_t taken_ = 0;
};

[[nodiscard]] const char* stag_use_name(StagUse::Kind kind) noexcept;

}  // namespace iwarp::gui
