// Session: what a person looks at: the filter, the visible range of time, the one selection; and the way
// there.
//
// Zoom changes what is seen, the filter what counts; a selection changes neither. Every step can be walked
// back. Belongs to the thread of windows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/selection.hpp"
#include "scale/time_scale.hpp"

namespace iwarp::gui {

struct Place {
  std::string filter;             // an expression that is right; empty: all counts
  std::optional<TimeSpan> range;  // that is seen; nothing: the whole capture, while it grows, too
  Selection selection;

  bool operator==(const Place&) const = default;
};

struct Bookmark {
  QString note;
  Place place;

  bool operator==(const Bookmark&) const = default;
};

class Session : public QObject {
  Q_OBJECT
 public:
  // Of a gesture (a wheel that turns, a range that is dragged) only the end is a step: what comes less than a
  // second behind the last of its moves belongs to it.
  enum class Step {
    next,
    gesture
  };

  explicit Session(QObject* parent = nullptr) : QObject(parent) {}

  [[nodiscard]] const Place& place() const noexcept { return history_[at_]; }
  [[nodiscard]] const std::string& filter() const noexcept { return place().filter; }
  [[nodiscard]] const std::optional<TimeSpan>& range() const noexcept { return place().range; }
  [[nodiscard]] const Selection& selection() const noexcept { return place().selection; }
  // Where the mouse is in a picture with a time axis: the linked cursor of all of them. No step.
  [[nodiscard]] const std::optional<TimeNs>& hover() const noexcept { return hover_; }

  // False, and nothing changes, where the expression is wrong: `error` then says what is wrong where.
  bool set_filter(const std::string& expression, QString& error);
  void set_range(std::optional<TimeSpan> range, Step step = Step::next);
  void select(const Selection& selection, Step step = Step::next);
  void set_hover(std::optional<TimeNs> time);
  // All of it at once, as one step.
  void go(const Place& place);

  // The range that others can be compared with; nothing: none is marked. No step.
  [[nodiscard]] const std::optional<TimeSpan>& marked() const noexcept { return marked_; }
  void mark(std::optional<TimeSpan> range);
  // Asks those who can for a comparison. REQUIRES: a range is marked.
  void compare_with_marked(TimeSpan range) { emit compare_asked(*marked_, range); }

  [[nodiscard]] bool can_go_back() const noexcept { return at_ > 0; }
  [[nodiscard]] bool can_go_forward() const noexcept { return at_ + 1 < history_.size(); }
  void go_back();
  void go_forward();

  [[nodiscard]] const std::vector<Bookmark>& bookmarks() const noexcept { return bookmarks_; }
  // Of the place where one is now.
  void add_bookmark(const QString& note);
  // Behind those that are there.
  void add_bookmarks(const std::vector<Bookmark>& bookmarks);
  void set_note(std::size_t bookmark, const QString& note);
  void remove_bookmark(std::size_t bookmark);

  // As JSON, of one capture: place and bookmarks. Octets that are no session change nothing, and `error` says
  // why.
  [[nodiscard]] QByteArray to_json() const;
  // `fitted`: what becomes of the place before one goes there.
  using Fitted = std::function<Place(Place)>;
  bool from_json(const QByteArray& json, QString& error, const Fitted& fitted = {});
  // The same as a file, which is replaced as a whole.
  bool save(const QString& path, QString& error) const;
  bool load(const QString& path, QString& error, const Fitted& fitted = {});

 signals:
  void filter_changed();
  void range_changed();
  void selection_changed();
  void hover_changed();
  void history_changed();
  void bookmarks_changed();
  void marked_changed();
  void compare_asked(TimeSpan a, TimeSpan b);

 private:
  static constexpr std::size_t most_steps = 1000;
  void move_to(std::size_t at);
  void step_to(Place next, Step step);
  void tell_changes(const Place& before);

  std::vector<Place> history_{Place()};
  std::size_t at_ = 0;
  QElapsedTimer since_move_;  // of the gesture that made the last step; not valid: none did
  std::optional<TimeNs> hover_;
  std::optional<TimeSpan> marked_;
  std::vector<Bookmark> bookmarks_;
};

}  // namespace iwarp::gui
