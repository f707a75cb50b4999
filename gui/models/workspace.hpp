// Workspace: one capture with what a person looks at in it, and what counts there. Every view gets one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>

#include "models/capture_document.hpp"
#include "models/foremost.hpp"
#include "models/levels.hpp"
#include "models/session.hpp"

namespace iwarp::gui {

class Workspace : public QObject {
  Q_OBJECT
 public:
  explicit Workspace(QObject* parent = nullptr);

  [[nodiscard]] CaptureDocument& document() noexcept { return document_; }
  [[nodiscard]] Session& session() noexcept { return session_; }
  // Of the session's filter, all streams.
  [[nodiscard]] LevelsBuilder& levels() noexcept { return levels_; }

  // Of a place, maybe of another capture, what this one has: its filter; a range that it reaches, rows that
  // are there.
  [[nodiscard]] Place fitted_place(Place place) const;
  // What is seen: the session's range, or the whole capture.
  [[nodiscard]] TimeSpan visible() const noexcept { return session_.range().value_or(document_.span()); }
  // The stream that views of one stream show: the selected one, else foremost(). Nothing without streams.
  [[nodiscard]] std::optional<ConnectionId> stream() const noexcept;
  [[nodiscard]] const std::optional<Foremost>& foremost() const noexcept { return foremost_; }
  // Why stream() is that one, where nobody selected it; empty: somebody did, or there is no other.
  [[nodiscard]] QString why_stream() const;

 private:
  CaptureDocument document_;
  Session session_;
  LevelsBuilder levels_;
  std::optional<Foremost> foremost_;  // of levels_.levels()
};

}  // namespace iwarp::gui
