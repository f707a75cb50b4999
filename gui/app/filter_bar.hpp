// FilterBar: the one filter of all views, as parts that can be taken off, and a line to add another one.
//
// What is wrong with the line stands below it, while it is written. Up and Down walk through what was asked
// for before.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QWidget>

#include "models/session.hpp"
#include "views/theme.hpp"

class QCompleter;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QStringListModel;

namespace iwarp::gui {

class FilterBar : public QWidget {
  Q_OBJECT
 public:
  // REQUIRES: the session outlives the bar.
  FilterBar(Session& session, const Theme& theme, QWidget* parent);

  void set_theme(const Theme& theme);
  // The keyboard writes into the line.
  void take_focus();
  // What the filter leaves less of, in words: fields of it are none of others.
  void show_scope(const QStringList& narrowed);
  // Everything counts again.
  void take_all_off();
  [[nodiscard]] QLineEdit& line() const noexcept { return *line_; }

  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_parts();
  void check();
  void accept();
  void remove(std::size_t part);
  bool set(const std::vector<std::string>& parts);
  void edit_last();
  void walk(int by);
  void complete();
  void insert(const QString& word);
  [[nodiscard]] QString word_before_cursor() const;

  Session& session_;
  const Theme* theme_;
  std::vector<std::string> parts_;
  QWidget* chips_;
  QHBoxLayout* chips_layout_;
  QLineEdit* line_;
  QLabel* scope_;
  QLabel* error_;
  QStringListModel* words_;  // that may come next
  QCompleter* completer_;
  QStringList history_;
  bool changing_ = false;  // the session's filter, itself
  qsizetype at_ = 0;       // in the history; its size: the line that is being written
};

}  // namespace iwarp::gui
