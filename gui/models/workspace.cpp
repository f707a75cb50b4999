// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/workspace.hpp"

namespace iwarp::gui {

Workspace::Workspace(QObject* parent) : QObject(parent), levels_(document_) {
  connect(&session_, &Session::filter_changed, this, [this] {
    levels_.set_scope({session_.filter(), std::nullopt});
  });
  // Connected before any view is: all of them find the same stream.
  connect(&levels_, &LevelsBuilder::changed, this, [this] {
    const auto shown = foremost_ ? std::optional(foremost_->stream) : std::nullopt;
    foremost_ = foremost_stream(*levels_.levels(), document_.metrics().streams(), shown);
  });
}

Place Workspace::fitted_place(Place place) const {
  if (!document_.opened()) return place;
  const TimeSpan all = document_.span();
  if (place.range && intersection(*place.range, all).empty()) place.range.reset();
  const Selection& selection = place.selection;
  const Metrics& metrics = document_.metrics();
  const auto reaches = [](const auto& row, const auto& table) { return !row || *row < table.size(); };
  const bool there = reaches(selection.operation, metrics.operations()) &&
                     reaches(selection.message, metrics.messages()) &&
                     reaches(selection.finding, metrics.findings()) &&
                     (!selection.time || (*selection.time >= all.from && *selection.time <= all.upto));
  if (!there) place.selection = {};
  return place;
}

std::optional<ConnectionId> Workspace::stream() const noexcept {
  if (session_.selection().stream) return session_.selection().stream;
  return foremost_ ? std::optional(foremost_->stream) : std::nullopt;
}

QString Workspace::why_stream() const {
  return session_.selection().stream || !foremost_ ? QString() : reason_words(foremost_->reason);
}

}  // namespace iwarp::gui
