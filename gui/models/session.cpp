// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/session.hpp"

#include <iwarp/export/filter.hpp>

namespace iwarp::gui {
namespace {

constexpr qint64 gesture_ms = 1000;

}  // namespace

bool Session::set_filter(const std::string& expression, QString& error) {
  std::string what;
  if (expression.find_first_not_of(" \t\n") != std::string::npos && !Filter::parse(expression, what)) {
    error = QString::fromStdString(what);
    return false;
  }
  Place next = place();
  next.filter = expression.find_first_not_of(" \t\n") == std::string::npos ? std::string() : expression;
  step_to(std::move(next), Step::next);
  return true;
}

void Session::set_range(std::optional<TimeSpan> range, Step step) {
  if (range && range->empty()) range.reset();
  Place next = place();
  next.range = range;
  step_to(std::move(next), step);
}

void Session::select(const Selection& selection, Step step) {
  Place next = place();
  next.selection = selection;
  step_to(std::move(next), step);
}

void Session::set_hover(std::optional<TimeNs> time) {
  if (hover_ == time) return;
  hover_ = time;
  emit hover_changed();
}

void Session::mark(std::optional<TimeSpan> range) {
  if (marked_ == range) return;
  marked_ = range;
  emit marked_changed();
}

void Session::go(const Place& place) {
  step_to(place, Step::next);
}

void Session::go_back() {
  if (can_go_back()) move_to(at_ - 1);
}

void Session::go_forward() {
  if (can_go_forward()) move_to(at_ + 1);
}

void Session::add_bookmark(const QString& note) {
  bookmarks_.push_back({note, place()});
  emit bookmarks_changed();
}

void Session::add_bookmarks(const std::vector<Bookmark>& bookmarks) {
  if (bookmarks.empty()) return;
  bookmarks_.insert(bookmarks_.end(), bookmarks.begin(), bookmarks.end());
  emit bookmarks_changed();
}

void Session::set_note(std::size_t bookmark, const QString& note) {
  if (bookmark >= bookmarks_.size() || bookmarks_[bookmark].note == note) return;
  bookmarks_[bookmark].note = note;
  emit bookmarks_changed();
}

void Session::remove_bookmark(std::size_t bookmark) {
  if (bookmark >= bookmarks_.size()) return;
  bookmarks_.erase(bookmarks_.begin() + static_cast<std::ptrdiff_t>(bookmark));
  emit bookmarks_changed();
}

void Session::move_to(std::size_t at) {
  const Place before = place();
  since_move_.invalidate();
  at_ = at;
  tell_changes(before);
  emit history_changed();
}

void Session::step_to(Place next, Step step) {
  const Place before = place();
  if (next == before) return;
  const bool goes_on = step == Step::gesture && since_move_.isValid() && since_move_.elapsed() < gesture_ms;
  if (step == Step::gesture) {
    since_move_.start();
  } else {
    since_move_.invalidate();
  }
  if (!goes_on) {
    history_.resize(at_ + 1);  // what lay ahead is gone
    if (history_.size() == most_steps) history_.erase(history_.begin());
    history_.push_back(std::move(next));
    at_ = history_.size() - 1;
  } else {
    history_.resize(at_ + 1);
    history_[at_] = std::move(next);
  }
  tell_changes(before);
  emit history_changed();
}

void Session::tell_changes(const Place& before) {
  const Place now = place();
  if (now.filter != before.filter) emit filter_changed();
  if (now.range != before.range) emit range_changed();
  if (now.selection != before.selection) emit selection_changed();
}

}  // namespace iwarp::gui
